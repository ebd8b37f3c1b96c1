"""A taskset of verifiers with four rollouts, whose harness asks a mock model: numbers of `run_eval` and of its file."""

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import verifiers.v1 as vf
from arithmetic import TARGETS, K, compare, reply
from verifiers.v1.cli.eval.runner import run_eval
from verifiers.v1.configs.cli.eval import EvalConfig
from verifiers.v1.utils.format import format_mean
from verifiers.v1.utils.trace_store import TRACES_FILE, read_episodes

from at_k import score
from at_k.integrations.verifiers import measure_episodes


class Model(BaseHTTPRequestHandler):
    """Give the next text of each question."""

    def do_POST(self):
        """Answer a request for a chat completion."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": reply(asked["messages"][-1]["content"])}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {
            "id": "0",
            "object": "chat.completion",
            "created": 0,
            "model": "mock",
            "choices": [choice],
        }
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer | {"usage": usage}).encode())

    def log_message(self, *_):
        """Print nothing."""


class Data(vf.TaskData):
    """A question and its answer."""

    answer: str


class Question(vf.Task[Data]):
    """Score the reply."""

    @vf.reward
    async def correct(self, trace):
        """Compare it."""
        return float(trace.last_reply == self.data.answer)


class Questions(vf.Taskset[Question]):
    """All questions."""

    def load(self):
        """List them."""
        return [
            Question(Data(prompt=name, answer=TARGETS[name]), self.config.task) for name in TARGETS
        ]


class Chat(vf.Harness[vf.HarnessConfig]):
    """Ask once, without a program of its own."""

    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        """Ask the model."""
        body = {"model": ctx.model, "messages": [{"role": "user", "content": data.prompt}]}
        async with httpx.AsyncClient() as client:
            head = {"Authorization": f"Bearer {secret}"}
            await client.post(f"{endpoint}/chat/completions", json=body, headers=head)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


__all__ = ["Chat", "Questions"]
sys.modules["questions"] = sys.modules[__name__]  # verifiers imports a taskset by its name

server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
with TemporaryDirectory() as folder:
    config = EvalConfig(
        env={"taskset": {"id": "questions"}, "agent": {"runtime": {"type": "subprocess"}}},
        model="mock",
        client=vf.EvalClientConfig(base_url=f"http://127.0.0.1:{server.server_port}/v1"),
        num_rollouts=4,
        push=False,
        rich=None,
        output_dir=folder,
        run={"name": "run"},
    )
    numbers = measure_episodes(
        asyncio.run(run_eval(config)), lambda trace: trace.last_reply or None, k=K
    )
    again = measure_episodes(read_episodes(Path(folder, "run"), vf.WireTrace), k=K)
    traces = [episode.traces[0] for episode in read_episodes(Path(folder, "run"), vf.WireTrace)]
    filed = score(Path(folder, "run", TRACES_FILE), k=K)
server.shutdown()
compare(numbers.__getitem__)
compare(lambda _: float(format_mean(traces, lambda trace: trace.reward, digits=14)), ["accuracy"])
assert all(again[key] == value for key, value in filed.values.items() if key != "mG-Pass@1")
print(f"verifiers {version('verifiers')}: {numbers}")
