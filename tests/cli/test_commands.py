"""The commands from end to end: what is printed, where it goes, and the exit status."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
from functools import cache
from pathlib import Path
from time import sleep

import pytest
from cases import for_each
from rich.cells import cell_len

import at_k
from at_k.cli.options import spell
from at_k.report.grid import find_shown, is_shown

ROOT = Path(__file__).parents[2]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


score_once = cache(at_k.score)
"""The report of a file, which many tests read."""


def read_table(text, rows=0):
    """Read the printed table back: heading → line → column → text. The columns are told apart by where they end.

    `rows` is 0 for the values and 1 for the intervals below them.
    """
    found, ends, heading, name = {}, {}, "", ""
    for line in text.splitlines():
        if re.search(r"k = \d+$", line):
            start = re.search(r"(^| {2,})k = \d+( |$)", line).start()
            heading = line[:start].strip() or heading
            ends = {match.end(): match[0] for match in re.finditer(r"k = \d+", line[start:])}
            ends = {start + end: name for end, name in ends.items()}
        elif line.startswith(("- ", "group ")):
            break
        elif ends and line.strip():
            is_interval = line.lstrip().startswith("[")
            name = name if is_interval else line.split()[0]
            pattern = r"\[[^]]+\]" if is_interval else r"(?<= )\S+"
            cells = {
                ends[match.end()]: match[0]
                for match in re.finditer(pattern, line)
                if match.end() in ends
            }
            if is_interval == rows:
                found.setdefault(heading, {}).setdefault(name, {}).update(cells)
    return found


class TestScore:
    @pytest.mark.parametrize("columns", [30, 40, 60, 80, 120, 200])
    def test_the_table_has_every_number_at_every_width(self, run, qwen, columns):
        done = run("score", qwen, "--k", "1,2,3,4,5,6,7,8", columns=columns)
        report = score_once(qwen, k=range(1, 9))
        assert max(map(cell_len, done.stdout.splitlines())) <= columns
        table, limits = read_table(done.stdout), read_table(done.stdout, 1)
        # Three digits are printed: half of the last is 5e-4 of a share, and 5e-3 of the scores here.
        values, bars = report.values, report.intervals
        for key in filter(is_shown, find_shown(values)):
            place = f"k = {key.draws or 1}"
            shown = [
                float(table["all (100)"][key.line][place]),
                *json.loads(limits["all (100)"][key.line][place]),
            ]
            exact = [values[key], bars[key].low, bars[key].high]
            assert shown == pytest.approx(exact, abs=5.01e-3 if max(exact) > 1 else 5.01e-4)

    def test_a_harness_is_named(self, run, human_eval):
        done = run("score", human_eval)
        title, columns, *_ = done.stdout.splitlines()
        assert title == "samples.jsonl_results.jsonl · human-eval · 164 problems × 3 samples"
        assert columns.split() == ["columns", "problem=task_id,", "grades=passed"]
        said = " ".join(done.stdout.split())
        assert "left out" not in said  # nothing was asked for
        asked = " ".join(run("score", human_eval, "--metrics", "pass@1,best@1").stdout.split())
        assert "best@k is left out: it needs a score for every sample." in asked
        assert done.stderr == ""

    @pytest.mark.parametrize(("ending", "form"), [
        ("json", "json"), ("csv", "csv"), ("md", "markdown"), ("tex", "latex"), ("txt", "table"),
    ])  # fmt: skip
    def test_every_form_is_that_of_the_library_shown_or_in_a_file(
        self, run, human_eval, tmp_path, ending, form
    ):
        path, report = tmp_path / f"report.{ending}", score_once(human_eval)
        done = run("score", human_eval, "--format", form, columns=100)
        written = run("score", human_eval, "--out", path)
        assert (written.exit_code, written.stdout) == (0, "")
        assert f"Wrote {path}" in written.stderr.replace("\n", "")
        assert os.listdir(tmp_path) == [path.name]
        if form == "json":
            assert json.loads(done.stdout) == json.loads(report.to_json())
            assert json.loads(path.read_text()).items() >= json.loads(done.stdout).items()
            assert run("score", path, "--format", "json").stdout == done.stdout
        else:
            assert path.read_text(encoding="utf-8") == done.stdout
        if form in ("csv", "latex", "markdown"):
            shown = report.write(form).replace('metrics="', "--metrics ").replace('k"`', "k`")
            assert done.stdout.rstrip("\n") == shown.rstrip("\n")
        # Where the form has no place for the notes, they are beside it.
        assert ("samples.jsonl_results.jsonl · human-eval" in done.stderr) is (form != "table")
        if form != "json":
            for note in (*report.notes, *report.missed):
                assert " ".join(spell(note).split()) in " ".join(done.output.split())

    def test_a_script_gives_the_same_numbers(self, run, write, qwen, human_eval, tmp_path, capsys):
        other = tmp_path / "second.jsonl"
        other.write_bytes(human_eval.read_bytes())
        for words in (
            [qwen, "--k", "2,8", "--thresholds", "2/3,1", "--by", "none", "--missing", "drop"],
            [
                human_eval,
                other,
                "-m",
                "pass@k",
                "--input-format",
                "human-eval",
                "--errors",
                "skip",
                "--pool",
                "file",
            ],
            [qwen, "--columns", "grades=, scores=", "--by", "level"],
            [qwen, "--ci", "0.9", "--clusters", "level", "--ci-method", "wilson", "-m", "pass@k"],
            [qwen, "--target", "problem-set", "-m", "avg@n"],
            [human_eval, "--ci", "none"],
            [
                make_answers(write),
                *JUDGING,
                "--extract-reference",
                r"#### (.+)",
                "--num-workers",
                1,
                "--timeout",
                2.5,
            ],
        ):
            done = run("score", *words, "--script")
            assert done.exit_code == 0, done.output
            names = {}
            exec(done.stdout, names)
            printed = capsys.readouterr().out
            assert printed == f"{names['report']}\n"
            again = json.loads(run("score", *words, "--format", "json").stdout)
            assert again == json.loads(names["report"].to_json())
        assert names["report"].c == [1, 2]

    @for_each("words, given", [
        ("--ci 0.5", {"confidence_level": 0.5}), ("--ci 0.999", {"confidence_level": 0.999}),
        ("--ci none", {"confidence_level": None}),
        ("--target problem-set -k 4,8", {"target": "problem_set", "k": [4, 8]}), ("--ci-method t", {"ci_method": "t"}),
        ("--clusters level", {"clusters": True, "groups": False}),
        ("--clusters group", {"clusters": True, "groups": False}), ("--clusters group --by group", {"clusters": True}),
        ("--clusters level --by level", {"clusters": True}),
        ("--clusters level --by none", {"clusters": True, "groups": False}),
        ("--clusters group --columns group=level", {"clusters": True, "groups": False}),
        ("--clusters group --by reference", {"clusters": True, "columns": {"group": "reference"}}),
    ])  # fmt: skip
    def test_intervals_and_their_notes(self, run, qwen, words, given):
        words = ["score", qwen, "-m", "pass@k,best@k", *words.split()]
        report = at_k.score(str(qwen), metrics=["pass@k", "best@k"], **given)
        assert json.loads(run(*words, "--format", "json").stdout) == json.loads(report.to_json())
        _, *notes = " ".join(run(*words, columns=200).stdout.split()).replace("[-", "").split(" - ")
        assert notes[len(notes) - len(report.notes) :] == list(map(str, report.notes))

    @for_each("rows, words, given", [
        ([{"id": "a", "answers": ["a", "b"], "grades": [0.5, 0.25]},
          {"id": "b", "answers": ["a", "a"], "grades": [1, 0]}],
         "--correct-above 0.3 --ties strict --on-conflict majority -m cons@k,avg@n -k 2",
         {"correct_above": 0.3, "ties": "strict", "on_conflict": "majority", "metrics": ["cons@k", "avg@n"], "k": 2}),
        *[([{"id": 1, "model": name, "correct": grade} for name, grade in (("a b", 1), ("b", 0))], words, given) for
          words, given in (("--where 'model=a b'", {"where": {"model": "a b"}}), ("--pool model", {"pool": "model"}))],
        ([{"id": 1, "correct": [1, None]}], "--missing incorrect", {"missing": "incorrect"}),
    ])  # fmt: skip
    def test_options_reach_the_library(self, run, write, rows, words, given):
        path = write(*rows)
        found = json.loads(run("score", path, "--format", "json", *shlex.split(words)).stdout)
        report = at_k.score(path, **given).to_dict()
        assert (found["values"], found["signatures"]) == (report["values"], report["signatures"])


# Standard output is a pipe that is closed before anything is written.
CLOSED = """
import json, os, sys
from typer.testing import CliRunner
from at_k.__main__ import main
from at_k.cli import app
commands, ends = json.loads(sys.argv[1]), []
CliRunner().invoke(app, commands[0])  # once, so that all is loaded
for words in commands:
    if not os.fork():
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
        sys.argv = ["at-k", *words]
        main()
    ends.append(os.waitstatus_to_exitcode(os.wait()[1]))
print(json.dumps(ends))
"""


class TestAsAProcess:
    def test_help_and_version(self, call, run):
        assert call("--version").stdout.decode() == f"at-k {at_k.__version__}\n"
        shown = run("--help", charset="ascii").stdout_bytes.decode("ascii")
        names = ("score", "plot", "diagnose", "formats", "register", "--install-completion")
        assert all(name in shown for name in names)
        assert "--k" in run("score", "--help", charset="ascii").stdout_bytes.decode("ascii")

    def test_help_loads_no_library(self, shell):
        # An empty package replaces `at_k`, whose own imports are tested in test_house.py.
        code = (
            "import sys, types; package = types.ModuleType('at_k'); package.__version__ = '1'\n"
            f"package.__path__ = [{str(ROOT / 'at_k')!r}]; sys.modules['at_k'] = package\n"
            "from at_k.cli import app; app(['--help'], standalone_mode=False)\n"
            "print({name.partition('.')[0] for name in sys.modules} & "
            "{'numpy', 'pyarrow', 'datasets', 'pandas', 'matplotlib', 'orjson'})"
        )
        command, environment = shell()
        done = subprocess.run(
            [command[0], "-c", code], env=environment, capture_output=True, check=True, timeout=60
        )
        assert done.stdout.decode().splitlines()[-1] == "set()"

    def test_closed_streams_lose_no_result(self, shell, qwen, tmp_path):
        command, environment = shell("score", qwen, "--out", tmp_path / "a.md")
        words = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *command]
        done = subprocess.run(words, env=environment, check=False, timeout=60)
        assert (done.returncode, (tmp_path / "a.md").read_text()[0]) == (0, "|")

    def test_a_closed_pipe_is_silent(self, shell, qwen, tmp_path):
        """One process loads the command, and each of its children runs it to the end of Python."""
        words = {
            "score --format csv --k 1,2,3,4,5,6,7,8": 0,
            "score": 0,
            "gate --require pass@1>=0.5": 0,
            "gate --require pass@1>=0.99": 1,
            "gate --format json --require pass@1>=0.99": 1,
            "gate --format json --require pass@1>=0.5": 0,
            "gate --require pass@1>=0.99 --out g.json": 1,
        }
        (python, *_), environment = shell()
        commands = json.dumps(
            [[name, str(qwen), *options] for name, *options in map(str.split, words)]
        )
        done = subprocess.run(
            [python, "-c", CLOSED, commands],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        )
        assert dict(zip(words, json.loads(done.stdout), strict=True)) == words
        assert "pipe" not in done.stderr.lower()
        assert "Error" not in done.stderr

    def test_too_little_address_space(self, shell):
        """OpenBLAS would ask for memory again and again."""
        command, environment = shell("score", "a.jsonl")
        limited = ["bash", "-c", f"ulimit -v 700000; {shlex.join(command)}"]
        done = subprocess.run(
            limited, env=environment, capture_output=True, timeout=60, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert "needs 1,000 MB to load. Raise the limit: ulimit -v unlimited\n" in done.stderr

    def test_ctrl_c(self, shell, tmp_path):
        fifo = tmp_path / "slow.jsonl"
        os.mkfifo(fifo)
        (tmp_path / "report.json").write_text("old")
        command, environment = shell("score", "slow.jsonl", "--out", "report.json")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=environment, cwd=tmp_path, text=True, **pipes)
        with fifo.open("wb", buffering=0) as slow:  # opens as soon as the command waits for it
            slow.write(b'{"id": 1, "correct": [1, 0]}\n')
            sleep(0.3)  # else the signal may come just before the command waits for more
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=60)
        assert (process.returncode, out, errors) == (130, "", "Interrupted.\n")
        assert (tmp_path / "report.json").read_text() == "old"
        assert sorted(os.listdir(tmp_path)) == ["report.json", "slow.jsonl"]

    def test_piped_standard_input_gives_no_colours_and_no_progress(self, shell, run, qwen):
        command, environment = shell("score", "-")
        words = ["sh", "-c", 'cat "$0" | "$@"', qwen, *command]
        done = subprocess.run(words, env=environment, capture_output=True, check=True, timeout=60)
        assert done.stdout.decode() == run("score", qwen).stdout.replace(qwen.name, "/dev/stdin", 1)
        assert b"\x1b" not in done.stdout
        assert done.stderr == b""
        assert max(map(cell_len, done.stdout.decode().splitlines())) <= 80

    def test_in_a_terminal(self, shell, human_eval):
        command, environment = shell("score", human_eval, COLUMNS="70")
        primary, secondary = pty.openpty()
        process = subprocess.Popen(
            command, env=environment, stdout=secondary, stderr=secondary, stdin=secondary
        )
        os.close(secondary)
        shown = b""
        try:
            while piece := os.read(primary, 1 << 16):
                shown += piece
        except OSError:  # on Linux, how a terminal ends
            pass
        os.close(primary)
        assert process.wait(timeout=60) == 0
        text = shown.decode().replace("\r\n", "\n")
        assert "\x1b[36m" in text
        assert "Scoring samples.jsonl_results.jsonl" in text
        # What remains after the progress has cleared its line
        final = ESCAPE.sub("", text[text.rindex("\x1b[2K") :])
        assert "Scoring" not in final
        lines = final.splitlines()
        assert lines[0].startswith("samples.jsonl_results.jsonl · human-eval")
        assert max(map(cell_len, lines)) <= 70
        assert lines[-1].startswith("- 95 % confidence intervals")


def make_answers(write):
    """Write three generations for each of two problems; one of each is right as a number after it was found."""
    return write(
        {
            "id": "a",
            "answers": ["So it is 18.", "#### 18", "I do not know"],
            "reference": "6 * 3\n#### 18",
        },
        {"id": "b", "answers": ["#### 0.50", "#### 3", "#### 1/2"], "reference": "#### 1/2"},
    )


JUDGING = ("--extract", "final_answer", "--check", "numeric", "--equivalence", "numeric")


class TestJudging:
    def test_every_command_that_scores_takes_them(self, run, write, tmp_path):
        path = make_answers(write)
        picture = tmp_path / "p.svg"
        assert "0.500" in run("score", path, *JUDGING, "-m", "avg@n").stdout
        assert run("plot", path, *JUDGING, "-o", picture).exit_code == 0
        assert picture.stat().st_size
        assert "No answer is correct" not in run("diagnose", path, *JUDGING).stdout
        planned = json.loads(run("plan", path, *JUDGING, "--format", "json").stdout)
        assert planned["value"] == pytest.approx(0.5)
        rows = [{"id": "a", "answers": ["#### 18"] * 3, "reference": "18"}]
        rows += [{"id": "b", "answers": ["#### ½"] * 3, "reference": "1/2"}]
        other = write(*rows, name="other.jsonl")
        compared = json.loads(
            run("compare", other, path, *JUDGING, "-m", "avg@n", "--format", "json").stdout
        )
        assert compared["keys"]["avg@3"]["difference"] == pytest.approx(0.5)

    def test_programs_are_run_only_if_that_is_allowed(self, run, write, monkeypatch):
        path = write({"id": "a", "answers": ["x = 1", "x = 2"], "reference": "assert x == 1"})
        monkeypatch.delenv("HF_ALLOW_CODE_EVAL", raising=False)
        refused = run("score", path, "--check", "code", columns=400)
        assert refused.exit_code == 2
        assert "HF_ALLOW_CODE_EVAL=1" in refused.stderr
        monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
        done = run("score", path, "--check", "code", "--timeout", "2", columns=200)
        assert "How the checks ended: passed 1, failed 1." in done.stdout
        assert done.exit_code == 0

    def test_an_advice_names_the_options_of_the_command(self, run, write):
        path = write(
            {"id": "a", "answers": ["So it is 18.", "#### 18.0"], "reference": "6 * 3\n#### 18"}
        )
        assert (
            "With `--extract last_number --check numeric`, 100%"
            in run("score", path, columns=200).stdout
        )


class TestRegister:
    def test_register_and_undo(self, run):
        done = run("register")
        assert done.exit_code == 0
        *folders, hint = done.output.splitlines()
        assert [line.split()[0] for line in folders] == ["registered"] * (len(at_k.METRICS) + 1)
        assert hint.startswith("evaluate.load('gpassk')")
        assert run("register", "--undo").output.count("removed ") == len(at_k.METRICS) + 1
        assert run("register", "--undo").output == "nothing was registered\n"

    def test_without_a_verb_it_helps(self, run):
        assert "register" in run().output
        assert run("--undo").exit_code == 2
