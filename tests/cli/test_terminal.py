"""Output of a terminal: no line that is too wide, no control character, and no sign that it does not have."""

import io
import sys

import pytest
from cases import for_each
from rich.cells import cell_len

from at_k import progress
from at_k.cli import output


@pytest.fixture
def stream(monkeypatch):
    def make(encoding):
        written = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", written)
        return written

    return make


SIGNS = [("τ ≤ 1 · ", "bold"), ("“é” 数", "")]
MARKUP = "[bold]a[/bold] :smile: " + "x" * 200


@pytest.mark.parametrize(("line", "encoding", "shown"), [
    (SIGNS, "utf-8", "τ ≤ 1 · “é” 数".encode()), (SIGNS, "ascii", b'tau <= 1 - "\\xe9" \\u6570'),
    (SIGNS, "latin-1", b'tau <= 1 - "\xe9" \\u6570'), ([(MARKUP, "")], "utf-8", MARKUP.encode()),
])  # fmt: skip
def test_signs_that_the_terminal_does_not_have_and_markup_are_text(
    stream, line, encoding, shown, monkeypatch
):
    monkeypatch.setenv("NO_COLOR", "1")
    written = stream(encoding)
    output.print_lines([line], output.make_console())
    written.flush()
    assert written.buffer.getvalue() == shown + b"\n"


def test_no_progress_without_a_terminal(capsys):
    with output.show_work("Scoring"):
        pass
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def open_terminal(monkeypatch):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    def make():  # in the test: between fixtures and tests, pytest changes the streams
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr("sys.stderr", shown := Terminal())
        return shown

    return make


def test_colours_are_those_of_a_terminal_unless_they_are_not_wanted(open_terminal, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, coloured in (("ANOTHER", True), ("NO_COLOR", False)):
        monkeypatch.setenv(name, "1")
        monkeypatch.setattr("sys.stdout", shown := open_terminal())
        output.print_lines([[("a", "cyan")]], output.make_console())
        assert ("\x1b[36m" in shown.getvalue()) is coloured


def test_short_work_has_no_bar(open_terminal):
    shown = open_terminal()
    with output.show_work("Scoring"), progress.open_bar(2000, "math") as bar:
        bar.update(1500)
    assert "Checking" not in shown.getvalue()


def test_long_work_is_counted(open_terminal, monkeypatch):
    shown = open_terminal()
    monkeypatch.setattr(output, "_DELAY", -1)
    with output.show_work("Scoring"), progress.follow_reading(4000) as reach:
        reach(600, 400)
    assert "Reading bytes: 1,000 of 4,000 (25%)" in shown.getvalue()
    with output.show_work("Scoring"), progress.open_bar(2000, "math") as bar:
        bar.update(1500)
        bar.update()
    assert "Checking with math: 1,501 of 2,000" in shown.getvalue()
    assert shown.getvalue().count("Checking") < 10  # it is redrawn now and then


NAMES = [f"q{i}" for i in range(12)]
COUNTS = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]


@pytest.fixture
def files(write):
    """Three models, of which one has very long names."""
    counts = zip(NAMES, COUNTS, strict=True)
    rows = {
        "a": [{"id": q, "topic": f"t{c}", "correct": [1] * c + [0] * (4 - c)} for q, c in counts],
        "b": [{"id": q, "correct": [1, 0, 0, 0]} for q in NAMES],
        "c" * 90: [
            {"id": f"{q}{'第一题' * 30}", "level": "数论", "correct": [1, 1, 1, 1]} for q in NAMES
        ],
        "d" * 90: [
            {"id": f"{q}{'第一题' * 30}", "level": "数论", "correct": [0, 0, 0, 1]} for q in NAMES
        ],
    }
    return {name[0]: write(*each, name=f"{name}.jsonl") for name, each in rows.items()}


# At each width something long that must not be lost
PRINTED = {
    "score a": "pass@k",
    "score c": "pass@k",
    "score a b --models": "b.jsonl",
    "compare a b --thresholds 1/3,2/3,1 --margin 0.02 --extra-tests wilcoxon --extra-tests t": "is better",
    "compare c d": "第一题第一题",
    "compare a b b -m pass@k -k 1": "a.jsonl",
    "plan a --samples 1,2,4,8,16,32,64,128,1024 --problems 12,48 --half-width 0.05 --predict 8,16": "n = 1,024",
    "gate a --require pass@1>=0.85 --against b --margin 0.02 --metrics pass@2": "pass@1 >= 0.85",
    "diagnose a": "Further findings",
}


# Most other tests have 80.
@pytest.mark.parametrize(
    ("words", "columns"),
    [*((words, 60) for words in PRINTED), ("score c", 120), ("compare c d", 120)],
)
def test_nothing_is_wider_than_the_terminal(run, files, words, columns):
    done = run(*(files.get(word, word) for word in words.split()), columns=columns)
    assert done.exit_code in ((1, 3) if words.startswith("gate") else (0,))
    assert max(map(cell_len, done.stdout.splitlines())) <= columns
    assert "".join(PRINTED[words].split()) in "".join(
        done.stdout.split()
    )  # long paths are broken anywhere


def test_a_width_of_nothing_is_that_of_most_terminals(run, files):
    assert run("score", files["a"], columns=0).stdout == run("score", files["a"]).stdout


@for_each("command", ["score", "compare", "diagnose"])
def test_names_cannot_move_the_cursor(run, write, command):
    row = {"level": "\x1b[2Jx\ny\u202e", "answers": list("bbbaa"), "reference": "a"}
    rows = [{"id": f"\x1b[2J{i}\n", **row} for i in (1, 2)]
    wrong = [{**row, "answers": list("bbbbb")} for row in rows]
    more = [write(*wrong, name="other.jsonl")] if command == "compare" else []
    done = run(command, write(*rows), *more)
    assert "\x1b" not in done.stdout
    assert r"\x1b[2J" in done.stdout
    if command == "score":
        assert r"\x1b[2Jx y\u202e  " in done.stdout


def test_chinese_characters_are_two_columns_wide(run, write):
    rows = ({"id": 1, "correct": [1], "level": "abc"}, {"id": 2, "correct": [0], "level": "数论"})
    lines = run("score", write(*rows)).stdout.splitlines()
    assert len({cell_len(line) for line in lines if line.startswith(("数论", "group", "abc"))}) == 1


@for_each("command, said", [("score", " - 1"), ("diagnose", "86 of 100 (86.0%)")])
def test_ascii(run, qwen, command, said):
    done = run(command, qwen, charset="ascii")
    assert done.exit_code == 0
    assert said in " ".join(done.stdout_bytes.decode("ascii").split())
    missing = run(command, "é.jsonl", charset="ascii")
    assert missing.exit_code == 2
    assert b"There is no file" in missing.stderr_bytes
