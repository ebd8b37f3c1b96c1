"""Attacks on the running app, which answers in time, goes on serving, and keeps nothing."""

import gzip
import io
import json
import random
import socket
import threading
from base64 import b64encode
from contextlib import closing
from itertools import cycle
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
import zstandard
from bounds import hold, timed
from readers.test_parquet import claim, repeat, write
from readers.zips import DEFLATED, Member, pack

from at_k.demo.limits import BUSY_SECONDS
from at_k.demo.turns import MOST_OF_VISITOR
from at_k.readers.files.archives import Archive
from at_k.readers.files.sources import Source
from tools.driving import PATIENCE, eventually, serving

SECONDS, SECONDS_AT_THE_LIMIT = 2, 8
"""Of CPU time, in which the app must answer each of these requests, on a quiet machine; the second for two files that
are as large as files may be. Work that takes ten is ended."""

GROWTH = 150_000_000
"""Bytes that memory may grow by: what the allocator keeps of a request or two, and nothing of all the others."""

LOG = (
    Path(__file__).parents[1] / "data" / "harness" / "inspect-ai" / "toy_choice.eval"
).read_bytes()
FILE = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
SMALL = '{"task_id": "a", "correct": [1, 0]}\n{"task_id": "b", "correct": [1, 1]}'
ENDPOINTS = ("score", "compare", "plan")

client = httpx.Client(
    timeout=PATIENCE, verify=False
)  # certificates take longer to read than a request takes


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    """An app of its own, with what it held when it had served everybody once."""
    with serving(tmp_path_factory.mktemp("victim")) as server, client:
        serve_everybody(server)
        yield server, server.memory(), server.files()
        assert "Traceback" not in server.log(), server.log()
        assert "Warning" not in server.log()  # Python warns of a fork where there are threads


def serve_everybody(server):
    """Send every worker what takes a turn."""
    for visitor in range(12):
        assert (
            post(
                server, "score", {"data": '{"correct": [1, 0]}\n' * 5_000}, f"192.0.2.{visitor}"
            ).status_code
            == 200
        )


@pytest.fixture
def server(victim):
    """The app under attack. After each attack it serves."""
    yield victim[0]
    assert (
        in_time(victim[0], lambda: post(victim[0], "score", {"data": SMALL})).json()["average"][
            "value"
        ]
        == 0.75
    )


def in_time(server, ask, limit=SECONDS):
    """Return what the app answers, which must not cost it too much."""
    return hold(limit, timed(ask, server.seconds))


def post(server, name, values, address="192.0.2.99"):
    """Send values, or bytes as they are, to an endpoint."""
    body = values if isinstance(values, bytes) else json.dumps(values).encode()
    headers = {"content-type": "application/json", "x-forwarded-for": address}
    return client.post(f"{server.url}/api/{name}", content=body, headers=headers)


def fill(name, given, first=None, **options):
    """Make the request of an endpoint; for a comparison the results are those of B."""
    sides = {"a": first or SMALL, "b": given} if name == "compare" else {"data": given}
    return {**sides, "options": options}


def submit(server, name, values, limit=SECONDS):
    """Return the refusal of an endpoint, or "" for an answer; nothing is logged."""
    before = len(server.log())
    answer = in_time(server, lambda: post(server, name, values), limit)
    assert answer.status_code in (200, 422), answer.text
    assert len(server.log()) == before
    refused = answer.json().get("error", "")
    assert (refused != "") == (answer.status_code == 422)
    assert len(refused) < 4_000
    return refused


TEXTS = {
    "a million rows": ("correct\n" + "1\n" * 1_000_000, "too many rows; the limit is 50,000"),
    "a million rows of JSON": (
        "[" + ",".join(["{}"] * 1_000_000) + "]",
        "too many rows; the limit is 50,000",
    ),
    "a million samples": (f'{{"correct": [{"1," * 999_999}1]}}', "1,000,000 samples"),
    "a million lists": (f"[{'[1],' * 999_999}[1]]", "too many rows; the limit is 50,000"),
    "nested lists": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "nested objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    "nested in a cell": (
        'id,correct\n1,"' + "[" * 100_000 + "]" * 100_000 + '"',
        "nested too deeply",
    ),
    "NaN": ('{"correct": [1, NaN]}', "A sample is missing"),
    "Infinity": (
        '{"correct": [1, -Infinity]}',
        "got -Infinity (row 1, column “correct”, sample 2)",
    ),
    "a great number": ('{"correct": [1, 1e999]}', "got Infinity (row 1"),
    "a long number": (f'{{"correct": [{"9" * 4_000_000}]}}', "too many digits"),
    "an endless quotation": ('id,correct\n"' + "x" * 4_900_000, "quotation marks"),
    "lines": ("\n" * 4_900_000, "no results here"),
    "zeros": ("\0" * 800_000, "not a text file"),
    "a packed file": (LOG.decode("latin-1"), ""),
    "half a character": ('{"id": "\\ud800", "correct": [1]}', "half of a character"),
}


@pytest.mark.parametrize(
    ("text", "reason", "name"),
    [(*case, name) for case, name in zip(TEXTS.values(), cycle(ENDPOINTS))],
    ids=TEXTS,
)
def test_texts_are_refused_with_a_sentence(server, text, reason, name):
    if not text.strip():
        reason = "no results"
    assert reason in submit(server, name, fill(name, text))


DEEP = "[" * 100_000 + "]" * 100_000


def read_members():
    with Archive(Source("", LOG)) as archive:
        return {name: archive.read(name) for name in archive}


def make_log(*more, **changed):
    """Pack the log again, with members that are changed, or added as they are."""
    members = read_members() | {
        name.replace("__", "/") + ".json": data for name, data in changed.items()
    }
    return pack([*(Member(name, data, method=DEFLATED) for name, data in members.items()), *more])


ZEROS = bytes(100_000_000)
ROWS = 7

# Each is made when it is needed: the bombs are small, and what they are made of is not.
FILES = {
    "gzip of zeros": (lambda: gzip.compress(ZEROS), "the limit is 5,000,000"),
    "gzip of one line": (lambda: gzip.compress(b'{"a": "' + b"x" * 100_000_000), "the limit is 5,000,000"),
    "gzip of rows": (lambda: gzip.compress(b'{"correct": [1, 0]}\n' * 200_000), "too many rows"),
    "gzip of gzip": (lambda: gzip.compress(gzip.compress(ZEROS)), "not a text file"),
    "gzip in many members": (lambda: gzip.compress(b"") * 240_000, "no results here"),
    "gzip, cut off": (lambda: gzip.compress(random.Random(0).randbytes(9_000).hex().encode())[:9_000], "cut off"),
    "Zstandard of one line": (lambda: zstandard.compress(b'{"a": "' + b"x" * 500_000_000), "the limit is 5,000,000"),
    "Zstandard in many frames": (lambda: zstandard.compress(b"") * 500_000, "no results here"),
    "nested JSON": (lambda: gzip.compress(f'{{"a": {DEEP}}}'.encode()), "nested too deeply"),
    "nested JSON in lines": (lambda: gzip.compress(f'{{"a": 1}}\n{{"a": {DEEP}}}\n'.encode()), "nested too deeply"),
    "nested header of a log": (lambda: make_log(header=DEEP.encode()), "nested too deeply"),
    "nested sample of a log": (lambda: make_log(samples__1_epoch_1=DEEP.encode()), "nested too deeply"),
    "large sample of a log": (lambda: make_log(samples__1_epoch_1=ZEROS), "the limit is 5,000,000"),
    "overlapping members": (lambda: make_log(Member("samples/x.json", packed=b"", offset=0)), "its own name is not"),
    "55,000 members": (lambda: pack([Member(f"{i}", packed=b"") for i in range(55_000)]), "“0”, “1”, “2”"),
    "zip in gzip": (lambda: gzip.compress(pack([Member("a", ZEROS, method=DEFLATED)])), "Its members are: “a”"),
    "half a log": (lambda: LOG[: len(LOG) // 2], "cut off or damaged"),
    "Parquet that claims rows": (lambda: claim(write(pa.table({"correct": [1] * ROWS})), ROWS, 10**9), "too many rows"),
    "Parquet of a text": (lambda: write(pa.table({"correct": repeat(9_000)})), "the limit is 5,000,000"),
    "half a Parquet file": (lambda: write(pa.table({"correct": list(range(1_000))}))[:2_000], "cut off or damaged"),
} | {
    f"random bytes after {mark!r}": (lambda mark=mark: mark + random.Random(1).randbytes(100_000), "damaged")
    for mark in (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\3\4", b"PK\5\6", b"PAR1")
}  # fmt: skip


def encode(data):
    return {"name": "results", "packed": f"data:;base64,{b64encode(data).decode()}"}


@pytest.mark.parametrize(
    ("make", "reason", "name"),
    [(*case, name) for case, name in zip(FILES.values(), cycle(ENDPOINTS))],
    ids=FILES,
)
def test_files_are_refused_with_a_sentence(server, make, reason, name):
    assert reason in submit(server, name, fill(name, encode(make())))


@pytest.mark.parametrize("path", ["gradio_api/upload", "api/score", "inner/gradio_api/queue/join"])
def test_100_megabytes(server, path):
    before = server.memory()

    def upload():
        return client.post(
            f"{server.url}/{path}", files={"files": ("large.csv", io.BytesIO(bytes(100_000_000)))}
        )

    assert in_time(server, upload).status_code in (404, 413)
    assert server.memory() - before < 50_000_000


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_request_that_is_too_large_or_no_object(server, name):
    assert (
        in_time(server, lambda: post(server, name, {"data": "x" * 12_000_000})).status_code == 413
    )
    for body in (DEEP.encode(), b"", b"[]", b"\x1f\x8b\0", b'{"data": ' + DEEP.encode() + b"}"):
        assert in_time(server, lambda body=body: post(server, name, body)).status_code in (400, 422)


@pytest.mark.parametrize("path", [
    "/gradio_api/file=/etc/passwd", "/file=/etc/passwd", "/gradio_api/file=../../../../etc/passwd",
    "/gradio_api/file/etc/passwd", "/gradio_api/file=http://127.0.0.1:9/", "/gradio_api/proxy=http://127.0.0.1:9/",
    "/static/../../../../../../etc/passwd", "/data/..%2f..%2f..%2f..%2fetc%2fpasswd", "/..%2fapp.py",
    "/gradio_api/upload_progress?upload_id=a", "/gradio_api/stream/a/b/c/playlist.m3u8", "/monitoring",
    "/inner/gradio_api/file=/etc/passwd",
])  # fmt: skip
def test_no_path_leads_to_a_file(server, path):
    with closing(_connect(server)) as attacker:
        attacker.sendall(f"GET {path} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n".encode())
        said = b"".join(iter(lambda: attacker.recv(65536), b""))
    assert said.startswith(b"HTTP/1.1 404")
    assert b"root:" not in said


def _connect(server):
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


WRONG = (
    None,
    True,
    -1,
    1.5,
    10**9,
    10**300,
    "x",
    "\0",
    "<b>",
    [],
    [[1]],
    [None],
    {},
    {"a": 1},
    float("nan"),
    1e999,
)


@pytest.mark.parametrize("name", ENDPOINTS)
def test_values_of_any_kind(server, name):
    """Whatever is sent, the answer is a result or a sentence. The endpoints share the ways to send each value."""
    fields = (
        "data",
        "a",
        "b",
        "options",
        "options_a",
        "name_a",
        "language",
        "example",
        "form",
        "session",
    )
    fine = fill(name, SMALL)
    for place, (wrong, field) in enumerate(zip((*WRONG, FILE), cycle(fields))):
        ways = (
            fine | {field: wrong},
            fine | dict.fromkeys(fields[3:], wrong),
            fill(name, {"name": wrong, "text": wrong, "packed": wrong}),
        )
        submit(server, name, ways[(place + ENDPOINTS.index(name)) % 3])


ODD = [
    "nan",
    "inf",
    "-inf",
    "1e999",
    "1e-320",
    "5e-324",
    "-1",
    "0",
    "1" * 5_000,
    "9" * 19,
    "x" * 100_000,
    "\0",
    "<b>",
]
ODD += [
    "½",
    "١",
    "１",
    "0x10",
    "1_0",
    "1e3",
    "1,,2",
    " ",
    "NaN,1",
    "1 " * 2_000,
    "0.5 " * 1_000,
    "\ud800",
    "1%",
    "1/3",
]
ODD += [
    "99.99999999999999",
    " ".join(map(str, range(1, 500))),
    " ".join(f"0.{number}" for number in range(100, 500)),
]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_options_with_odd_texts(server, name):
    options = {
        "score": ("k", "thresholds", "correct_above"),
        "compare": ("k", "margin"),
        "plan": ("k", "thresholds"),
    }[name]
    for odd, option in zip(
        ODD[ENDPOINTS.index(name) :: 2], cycle([*options, "columns", "where", "pool", "missing"])
    ):
        submit(server, name, fill(name, SMALL, **{option: odd}))


def draw(seed, problems, samples, fill_up=0, **more):
    """Make results of given size: verdicts, or answers and scores. `fill_up` makes rows longer."""
    random_numbers = random.Random(seed)
    rows = []
    for problem in range(problems):
        row = {"task_id": f"p{problem}", "note": "x" * fill_up}
        if more.get("answers"):
            row |= {
                "answers": [f"{random_numbers.randrange(9)}" for _ in range(samples)],
                "reference": "1",
            }
            row["score"] = [random_numbers.randrange(1_000) for _ in range(samples)]
        else:
            row["correct"] = [random_numbers.randrange(2) for _ in range(samples)]
        rows.append(json.dumps(row))
    return "\n".join(rows)


@pytest.mark.parametrize(("problems", "samples", "more"), [
    (5_000, 40, {"fill_up": 800}), (200, 1_000, {}), (3_000, 30, {"answers": True}),
], ids=["most problems and bytes", "most samples", "answers and scores"])  # fmt: skip
def test_two_files_at_the_limit(server, problems, samples, more):
    first, second = (draw(seed, problems, samples, **more) for seed in (0, 1))
    submit(server, "compare", fill("compare", second, first), limit=SECONDS_AT_THE_LIMIT)
    submit(server, "plan", fill("plan", first, k=samples), limit=SECONDS_AT_THE_LIMIT)


def test_more_requests_than_are_accepted(server):
    """A visitor without a place is told so; another one gets an answer before this one has all of theirs."""
    values, found = {"data": draw(0, 20, 4)}, []
    ask = [lambda: found.append(post(server, "score", values))] * (MOST_OF_VISITOR + 20)
    send = [threading.Thread(target=target) for target in ask]
    for each in send:
        each.start()
    other = post(server, "score", values, "192.0.2.8")
    for each in send:
        each.join()
    assert other.status_code == 200
    statuses = [answer.status_code for answer in found]
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= MOST_OF_VISITOR
    assert {answer.headers["retry-after"] for answer in found if answer.status_code == 503} <= {
        str(BUSY_SECONDS)
    }


def test_requests_that_do_not_end(server):
    head = b"POST /api/score HTTP/1.1\r\nHost: app\r\nContent-Length: 1000000\r\n"
    attackers = [_connect(server) for _ in range(200)]
    for number, attacker in enumerate(attackers):
        attacker.sendall([head + b"\r\n" + b'{"data": ["' + b"x" * 50_000, head][number % 2])
    assert post(server, "score", {"data": SMALL}).status_code == 200
    for attacker in attackers:
        attacker.close()


def test_nothing_is_kept_of_what_was_sent(server):
    """Each of these takes 20 MB as text that is not Latin."""
    before = server.memory()
    for name in ENDPOINTS * 2:
        submit(server, name, fill(name, "a,😀\n" + "1" * 4_900_000, "b,😀\n" + "1" * 4_900_000))
    assert server.memory() - before < GROWTH


def test_nothing_is_left_of_all_this(victim):
    """No file is left, and of memory what the allocator keeps of large requests in several threads: the last test."""
    server, memory, files = victim
    serve_everybody(server)  # as when its memory was first looked at
    assert server.files() == files
    eventually(lambda: server.memory() - memory < GROWTH, True)
