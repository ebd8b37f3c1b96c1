"""Files on the Hub are read from it alone, within limits, and without a name: a fake Hub listens on this machine."""

import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest
from cases import refuses

from at_k.demo import hub, work
from at_k.demo.limits import LIMITS
from at_k.demo.words import LANGUAGES, WORDS

TEXT = b'{"id": "x", "correct": [1, 0]}\n{"id": "y", "correct": [1, 1]}\n'
FILES = {
    "results.jsonl": TEXT,
    "runs/a b.jsonl": TEXT,
    "large.jsonl": b" " * (LIMITS.max_bytes + 1),
}

ASKED = []
"""Requests: the path, and the headers."""


class FakeHub(BaseHTTPRequestHandler):
    """One data set, owner/name, with `FILES`; `away/…` leads to another host, and `moved/…` to the same."""

    def do_GET(self):
        ASKED.append((self.path, self.headers.get("Authorization")))
        place = unquote(self.path).removeprefix("/datasets/owner/name/resolve/main/")
        kind, _, rest = place.partition("/")
        if kind in ("away", "moved"):
            host = {"away": "http://localhost", "moved": "http://127.0.0.1"}[kind]
            self.send_response(302)
            self.send_header(
                "Location",
                f"{host}:{self.server.server_port}/datasets/owner/name/resolve/main/{rest}",
            )
            self.end_headers()
            return
        self.send_response(200 if place in FILES else 404)
        self.end_headers()
        with suppress(ConnectionError):  # what is too large is not read to its end
            self.wfile.write(FILES.get(place, b""))

    def log_message(self, *_):
        pass


@contextmanager
def serving_hub():
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeHub)
    thread = threading.Thread(
        target=server.serve_forever, args=[0.01]
    )  # in which it notices that it is over
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def fake(monkeypatch):
    """Requests to the fake Hub. A token is set, which must not be sent."""
    ASKED.clear()
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with serving_hub() as url:
        monkeypatch.setattr(hub, "ENDPOINT", url)
        yield ASKED


def ask(text, language="en"):
    return work.run("score", {"data": {"text": text}, "language": language})


@pytest.mark.parametrize(("address", "name"), [
    ("hf://datasets/owner/name/results.jsonl", "results.jsonl"),
    ("hf://datasets/owner/name@main/runs/a b.jsonl", "a b.jsonl"),
    (" https://huggingface.co/datasets/owner/name/blob/main/runs/a%20b.jsonl\n", "a b.jsonl"),
    ("https://huggingface.co/datasets/owner/name/resolve/main/results.jsonl?download=true", "results.jsonl"),
    ("hf://datasets/owner/name/moved/results.jsonl", "results.jsonl"),
])  # fmt: skip
def test_a_file_is_read_without_a_name_of_ours_and_scored_as_one_that_was_opened(
    fake, address, name
):
    assert hub.is_address(address)
    assert hub.read_file(address) == (name, TEXT)
    assert {who for _, who in fake} == {None}
    opened = ask(address)
    assert (opened["name"], opened["values"]) == (name, ask(TEXT.decode())["values"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("file", "code"), [("none.jsonl", "hub.missing"), ("large.jsonl", "hub.too_large")]
)
def test_a_file_that_cannot_be_taken_is_refused_in_a_sentence(fake, file, code, language):
    refuses(code, hub.read_file, f"hf://datasets/owner/name/{file}")
    said = ask(f"hf://datasets/owner/name/{file}", language)["error"]
    assert WORDS[code][LANGUAGES.index(language)].partition("{")[0].strip("“") in said


@pytest.mark.parametrize("address", [
    "http://127.0.0.1:80/x", "https://example.org/datasets/a/b/blob/main/c", "http://huggingface.co/datasets/a/b",
    "https://huggingface.co.example.org/datasets/a/b/blob/main/c", "https://huggingface.co/a/b/blob/main/c",
    "https://user@huggingface.co/datasets/a/b/blob/main/c", "hf://spaces/a/b/c", "hf://a/b/c", "hf://datasets/a/b",
    "hf://datasets/a/b/../../c/d/e", "hf://datasets/a/b/%2e%2e/c", "https://huggingface.co/datasets/a/b/tree/main",
    "https://huggingface.co/datasets/a/b/blob/main/c?x=http://169.254.169.254", "hf://datasets/a/b/", "file:///etc",
    "hf://datasets/über/b/c", "hf://datasets/a/b@ü/c", "hf://datasets/a/b/\ud800.csv", "hf://datasets/../../c/d",
])  # fmt: skip
def test_no_other_address_is_asked_for_anything(fake, address):
    refuses("hub.address", hub.read_file, address)
    assert fake == []


def test_no_redirect_leads_to_another_host(fake):
    refuses("hub.unreachable", hub.read_file, "hf://datasets/owner/name/away/results.jsonl")
    assert len(fake) == 1


def test_slow_downloads_are_refused(fake, monkeypatch):
    monkeypatch.setattr(hub, "monotonic", iter((0.0, hub.HUB_SECONDS + 1)).__next__)
    refuses("hub.unreachable", hub.read_file, "hf://datasets/owner/name/results.jsonl")


def test_without_a_network_there_is_a_sentence(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert ask("hf://datasets/owner/name/results.jsonl")["code"] == "hub.unreachable"
