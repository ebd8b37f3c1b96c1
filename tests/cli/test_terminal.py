"""What reaches a stream."""

import io
import sys

import pytest

from at_k import progress
from at_k.cli import terminal


@pytest.fixture
def stream(monkeypatch):
    def make(encoding):
        written = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", written)
        return written

    return make


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "τ ≤ 1 · “é” 数".encode()),
        ("ascii", b'tau <= 1 - "\\xe9" \\u6570'),
        ("latin-1", b'tau <= 1 - "\xe9" \\u6570'),
    ],
)
def test_signs_that_the_terminal_does_not_have(stream, encoding, shown, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    written = stream(encoding)
    terminal.print_lines([[("τ ≤ 1 · ", "bold"), ("“é” 数", "")]], terminal.make_console())
    written.flush()
    assert written.buffer.getvalue() == shown + b"\n"


def test_markup_is_text(stream):
    written = stream("utf-8")
    terminal.print_lines([[("[bold]a[/bold] :smile: " + "x" * 200, "")]], terminal.make_console())
    written.flush()
    assert written.buffer.getvalue().decode() == "[bold]a[/bold] :smile: " + "x" * 200 + "\n"


def test_no_progress_without_a_terminal(capsys):
    with terminal.show_work("Scoring"):
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


def test_short_work_has_no_bar(open_terminal):
    shown = open_terminal()
    with terminal.show_work("Scoring"), progress.open_bar(2000, "math") as bar:
        bar.update(1500)
    assert "Checking" not in shown.getvalue()


def test_reading_has_a_share(open_terminal, monkeypatch):
    shown = open_terminal()
    monkeypatch.setattr(terminal, "_DELAY", -1)
    with terminal.show_work("Scoring"), progress.follow_reading(4000) as reach:
        reach(600, 400)
    assert "Reading bytes: 1,000 of 4,000 (25%)" in shown.getvalue()


def test_long_checks_are_counted_while_work_goes_on(open_terminal, monkeypatch):
    shown = open_terminal()
    monkeypatch.setattr(terminal, "_DELAY", -1)
    with terminal.show_work("Scoring"), progress.open_bar(2000, "math") as bar:
        bar.update(1500)
        bar.update()
    assert "Checking with math: 1,501 of 2,000" in shown.getvalue()
    assert shown.getvalue().count("Checking") < 10  # it is redrawn now and then
