"""An endpoint for chats on this machine, which the package `openai` asks."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Reply to the last message by a function, and remember what was asked."""

    daemon_threads = True

    def __init__(self, reply):
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply, self.asked, self.now, self.most = reply, [], 0, 0
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """Speak as an endpoint for completions of chats does."""

    def do_POST(self):
        """Answer one request."""
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = body["messages"][-1]["content"]
        with server.lock:
            server.asked.append(body)
            server.now += 1
            server.most = max(server.most, server.now)
            status, text = server.reply(prompt, len(server.asked))
        time.sleep(0.02)
        with server.lock:
            server.now -= 1
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
        }
        said = reply if status == 200 else {"error": {"message": text}}
        sent = text if isinstance(text, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        if status in (429, 500):
            self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *arguments):
        """Write no log."""


@contextmanager
def serve(reply):
    """Start a server that replies by a function, and end it."""
    server = Server(reply)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
