"""The commands from end to end: what is printed, where it goes, and the exit status."""

import csv
import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import threading
from pathlib import Path
from time import sleep

import pytest
from rich.cells import cell_len

import at_k
from at_k.report.grid import is_shown

ROOT = Path(__file__).parents[2]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read_table(text, rows=0):
    """Read the printed table back: heading → line → column → text. The columns are told apart by where they end.

    `rows` is 0 for the values and 1 for the intervals below them.
    """
    found, ends, heading, name = {}, {}, "", ""
    for line in text.splitlines():
        if re.search(r"  n$|  n  |k = \d+$", line):
            start = re.search(r" {2,}(n|k = \d+)( |$)", line).start()
            heading = line[:start].strip() or heading
            ends = {match.end(): match[0] for match in re.finditer(r"\bn\b|k = \d+", line[start:])}
            ends = {start + end: name for end, name in ends.items()}
        elif line.startswith("- "):
            break
        elif ends and line.strip():
            is_interval = line.lstrip().startswith("[")
            name = name if is_interval else line.split()[0]
            pattern = r"\[[^]]+\]" if is_interval else r"(?<= )\S+"
            cells = {ends[match.end()]: match[0] for match in re.finditer(pattern, line) if match.end() in ends}
            if is_interval == rows:
                found.setdefault(heading, {}).setdefault(name, {}).update(cells)
    return found


class TestScore:
    def test_known_numbers_of_the_qwen_file(self, run, qwen):
        """Known of this file: avg@8 91.0, pass@8 96, rm@8 94.0, maj@8 between 91 and 94 by how four ties are broken."""
        done = run("score", qwen)
        assert done.exit_code == 0
        assert done.stdout.startswith("qwen25_math.jsonl · 100 problems × 8 samples\n")
        table = read_table(done.stdout)
        overall = table["all (100)"]
        assert overall["avg@n"]["n"] == "0.910"
        assert overall["pass@k"]["k = 8"] == "0.960"
        assert overall["best@k"]["k = 8"] == "0.940"
        assert float(overall["cons@k"]["k = 8"]) == (0.91 + 0.94) / 2
        assert read_table(done.stdout, 1)["all (100)"]["pass@k"]["k = 1"] == "[0.847, 0.951]"
        assert "\n- Intervals: 95 %, for other problems like these.\n" in done.stdout
        sizes = {"all": 100, "Level 1": 11, "Level 2": 16, "Level 3": 24, "Level 4": 24, "Level 5": 25}
        assert list(table) == [f"{label} ({size})" for label, size in sizes.items()]
        assert "problem=idx" in done.stdout

    @pytest.mark.parametrize("columns", [30, 40, 60, 80, 120, 200])
    def test_the_table_has_every_number_at_every_width(self, run, qwen, columns):
        done = run("score", qwen, "--k", "1,2,3,4,5,6,7,8", columns=columns)
        report = at_k.score(qwen, k=list(range(1, 9)))
        assert max(map(cell_len, done.stdout.splitlines())) <= columns
        table, limits = read_table(done.stdout), read_table(done.stdout, 1)
        # Three digits are printed: half of the last is 5e-4 of a share, and 5e-3 of the scores here.
        for heading, values, bars in [
            ("all (100)", report.values, report.intervals),
            ("Level 5 (25)", report.groups["Level 5"], report.group_intervals["Level 5"]),
        ]:
            for key in filter(is_shown, values):
                place = "n" if key.metric[-1] != "k" else f"k = {key.k}"
                shown = [float(table[heading][key.line][place]), *json.loads(limits[heading][key.line][place])]
                exact = [values[key], bars[key].low, bars[key].high]
                assert shown == pytest.approx(exact, abs=5.01e-3 if max(exact) > 1 else 5.01e-4)

    def test_a_harness_is_named(self, run, human_eval):
        done = run("score", human_eval)
        title, columns, *_ = done.stdout.splitlines()
        assert title == "samples.jsonl_results.jsonl · human-eval · 164 problems × 3 samples"
        assert columns.split() == ["columns", "problem=task_id,", "grades=passed"]
        said = " ".join(done.stdout.split())
        assert "best@k is left out: it needs a score for every sample." in said
        assert "cons@k is counted from grades" in said
        assert done.stderr == ""

    def test_json_is_clean_and_complete(self, run, human_eval):
        done = run("score", human_eval, "--format", "json")
        content = json.loads(done.stdout)
        report = at_k.score(human_eval)
        assert content == {"source": str(human_eval), **json.loads(report.to_json())}
        assert content["origin"]["harness"] == "human-eval"
        assert done.stderr.startswith("samples.jsonl_results.jsonl · human-eval")

    @pytest.mark.parametrize(
        ("form", "method"), [("csv", "to_csv"), ("latex", "to_latex"), ("markdown", "to_markdown")]
    )
    def test_other_forms(self, run, human_eval, form, method):
        done = run("score", human_eval, "--format", form)
        report = at_k.score(human_eval)
        assert done.stdout.rstrip("\n") == getattr(report, method)().rstrip("\n")
        assert "164 problems" in done.stderr
        # Where the form has no place for the notes, they are beside it.
        said = " ".join((done.stderr if form != "markdown" else done.stdout).split())
        for note in (*report.notes, *report.left_out.values()):
            assert " ".join(str(note).split()) in said

    @pytest.mark.parametrize("name", ["report.json", "report.csv", "report.md", "report.tex", "report.txt"])
    def test_a_file_has_what_would_be_printed(self, run, human_eval, tmp_path, name):
        form = {".md": "markdown", ".tex": "latex", ".txt": "table"}.get(Path(name).suffix, Path(name).suffix[1:])
        printed = run("score", human_eval, "--format", form, columns=100).stdout
        done = run("score", human_eval, "--out", tmp_path / name)
        assert (done.exit_code, done.stdout) == (0, "")
        assert (tmp_path / name).read_text(encoding="utf-8") == printed
        assert f"Wrote {tmp_path / name}" in done.stderr.replace("\n", "")
        assert os.listdir(tmp_path) == [name]

    @pytest.mark.parametrize("ending", ["json", "parquet"])
    def test_a_saved_report_stands_in_for_its_results(self, run, qwen, tmp_path, ending):
        path = tmp_path / f"saved.{ending}"
        done = run("score", qwen, "--save", path)
        assert f"Wrote {path}" in done.stderr.replace("\n", "")
        assert os.listdir(tmp_path) == [path.name]
        assert run("score", path, "--format", "csv").stdout == run("score", qwen, "--format", "csv").stdout
        assert " 0 / 0 / 100" in run("compare", path, qwen).stdout

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_the_values_of_each_problem(self, run, qwen, tmp_path, ending):
        path = tmp_path / f"problems.{ending}"
        done = run("score", qwen, "-k", "2", "-m", "pass@k", "--per-problem", path)
        assert read_table(done.stdout)["all (100)"]["pass@k"] == {"k = 2": "0.933"}
        if ending == "csv":
            rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        elif ending == "jsonl":
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        else:
            import pyarrow.parquet as pq

            rows = pq.read_table(path).to_pylist()
        assert list(rows[0]) == ["problem", "group", "n", "c", "pass@2"]
        # 1 − C(n−c, 2)/C(n, 2), by hand
        for row in rows:
            wrong = int(row["n"]) - int(row["c"])
            assert float(row["pass@2"]) == pytest.approx(1 - wrong * (wrong - 1) / 56)
        assert len(rows) == 100

    def test_a_script_gives_the_same_numbers(self, run, qwen, human_eval, tmp_path, capsys):
        other = tmp_path / "second.jsonl"
        other.write_bytes(human_eval.read_bytes())
        for words in (
            [qwen, "--k", "2,8", "--tau", "2/3,1", "--by", "none", "--missing", "drop"],
            [human_eval, other, "-m", "pass@k", "--input-format", "human-eval", "--errors", "skip", "--pool", "file"],
            [qwen, "--columns", "grades=, scores=", "--by", "level"],
            [qwen, "--ci", "0.9", "--clusters", "level", "--ci-method", "wilson", "-m", "pass@k"],
            [qwen, "--target", "problem-set", "-m", "avg@n"],
            [human_eval, "--ci", "none"],
        ):
            done = run("score", *words, "--script")
            assert done.exit_code == 0, done.output
            names = {}
            exec(done.stdout, names)
            printed = capsys.readouterr().out
            assert printed == f"{names['report']}\n"
            again = json.loads(run("score", *words, "--format", "json").stdout)
            assert again == {"source": names["report"].source, **json.loads(names["report"].to_json())}

    def test_groups(self, run, qwen, human_eval):
        assert list(read_table(run("score", qwen, "--by", "none").stdout)) == [""]
        assert list(read_table(run("score", qwen, "--by", "group", "-m", "avg_at_n").stdout))[1] == "Level 1 (11)"
        by_answer = run("score", qwen, "--by", "reference", "-m", "avg_at_n")
        assert by_answer.exit_code == 0
        assert "group=reference" in by_answer.stdout
        assert run("score", qwen, "--by", "topic").exit_code == 1
        assert "“topic”" in run("score", qwen, "--by", "topic").stderr
        assert run("score", human_eval, "--by", "group").exit_code == 2
        assert run("score", qwen, "--by", "level", "--columns", "group=level").exit_code == 2

    def test_rows_of_one_model(self, run, write):
        path = write({"id": 1, "model": "a b", "correct": 1}, {"id": 1, "model": "b", "correct": 0})
        done = run("score", path)
        assert done.exit_code == 1
        assert "`--where 'model=a b'`" in done.stderr
        assert "`--pool model`" in done.stderr
        assert "0.000" in run("score", path, "--where", "model=b", "-m", "avg_at_n").stdout
        assert "1 problem × 2 samples" in run("score", path, "--pool", "model").stdout

    def test_missing_samples_say_which_option(self, run, write):
        path = write({"id": 1, "correct": [1, None]})
        done = run("score", path)
        assert done.exit_code == 1
        assert "`--missing incorrect` counts them as wrong" in done.stderr
        assert "counted as wrong: 1" in run("score", path, "--missing", "incorrect").stdout

    def test_options_reach_the_library(self, run, write):
        path = write(
            {"id": 1, "answers": ["a", "b"], "grades": [0.5, 0.25]}, {"id": 2, "answers": ["a", "a"], "grades": [1, 0]}
        )
        words = ["--threshold", "0.3", "--ties", "strict", "--on-conflict", "majority", "-m", "cons@k,avg@n", "-k", "2"]
        content = json.loads(run("score", path, "--format", "json", *words).stdout)
        # Problem 1 has one right answer of two and no majority; the two equal answers of problem 2 are half right.
        assert content["values"]["avg@2"] == 0.5
        assert content["values"]["cons@2"] == 0
        signature = content["signatures"]["cons_at_k"]
        assert "ties:strict" in signature
        assert "threshold:0.3" in signature

    @pytest.mark.parametrize(
        ("words", "given"),
        [
            (["--ci", "0.5"], {"confidence_level": 0.5}),
            (["--ci", "none"], {"confidence_level": None}),
            (["--target", "problem-set"], {"target": "problem_set"}),
            (["--ci-method", "t"], {"ci_method": "t"}),
            (["--clusters", "level"], {"clusters": True, "groups": False}),
            (["--clusters", "group"], {"clusters": True, "groups": False}),
            (["--clusters", "group", "--by", "group"], {"clusters": True}),
            (["--clusters", "level", "--by", "level"], {"clusters": True}),
            (["--clusters", "level", "--by", "none"], {"clusters": True, "groups": False}),
            (["--clusters", "group", "--columns", "group=level"], {"clusters": True, "groups": False}),
            (["--clusters", "group", "--by", "reference"], {"clusters": True, "columns": {"group": "reference"}}),
        ],
    )
    def test_intervals(self, run, qwen, words, given):
        done = run("score", qwen, "-m", "pass@k,best@k", "--format", "json", *words)
        report = at_k.score(str(qwen), metrics=["pass@k", "best@k"], **given)
        assert json.loads(done.stdout) == {"source": str(qwen), **json.loads(report.to_json())}

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ([], ["Intervals: 95 %, for other problems like these."]),
            (["--ci", "0.999"], ["Intervals: 99.9 %, for other problems like these."]),
            (["--ci", "none"], []),
            (
                ["--clusters", "level"],
                ["Intervals: 95 %, for other problems like these. They come in clusters: 5."],
            ),
            (["--target", "problem-set", "-k", "4"], ["Intervals: 95 %, for other samples of these problems."]),
            (
                ["--target", "problem-set", "-k", "4,8"],
                [
                    "Intervals: 95 %, for other samples of these problems.",
                    "Some problems have no more samples than k = 8. The intervals there are those for other problems, "
                    "which are wider.",
                ],
            ),
        ],
    )
    def test_what_the_intervals_are_is_the_first_note(self, run, qwen, words, said):
        assert json.loads(run("score", qwen, "-m", "pass@k", "--format", "json", *words).stdout)["notes"] == said
        printed = run("score", qwen, "-m", "pass@k", *words, columns=200).stdout
        _, *notes = " ".join(printed.split()).replace("[-", "").split(" - ")
        assert notes == said

    def test_clusters_that_are_not_there(self, run, human_eval):
        done = run("score", human_eval, "--clusters", "group")
        assert done.exit_code == 1
        assert "`--clusters` are the groups, but the data have none" in done.stderr

    def test_names_from_files_cannot_move_the_cursor(self, run, write):
        path = write(
            {"id": 1, "correct": [1], "level": "\x1b[2Jx\ny\u202e"}, {"id": 2, "correct": [0], "level": "数论"}
        )
        done = run("score", path)
        assert r"\x1b[2Jx\ny\u202e (1)" in done.stdout
        assert "数论 (1)" in done.stdout
        headers = [line for line in done.stdout.splitlines() if line.endswith("k = 1")]
        assert len(set(map(cell_len, headers))) == 1  # Chinese characters are two columns wide


class TestWrongWords:
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--k", "0"], "positive whole numbers"),
            (["--k", "1.5"], "positive whole numbers"),
            (["--k", "a"], "positive whole numbers"),
            (["--tau", "2"], "from 0 to 1"),
            (["--tau", "nan"], "from 0 to 1"),
            (["--tau", "1/0"], "from 0 to 1"),
            (["--metric", "pass"], "pass_at_k"),
            (["--threshold", "2"], "must lie in [0, 1]"),
            (["--missing", "ignore"], "incorrect"),
            (["--columns", "grade=x"], "ROLE=COLUMN"),
            (["--columns", "grades"], "ROLE=COLUMN"),
            (["--where", "model"], "COLUMN=VALUE"),
            (["--input-format", "excel"], "human-eval"),
            (["--out", "x.docx"], ".tex"),
            (["--per-problem", "x.txt"], ".jsonl"),
            (["--save", "x.csv"], ".json or .parquet"),
            (["--save", "x.json", "--out", "x.json"], "already"),
            (["--format", "yaml"], "latex"),
            (["--ci", "95"], "between 0 and 1, such as 0.95, or none"),
            (["--ci", "nan"], "between 0 and 1"),
            (["--ci", "x"], "between 0 and 1"),
            (["--ci", "1"], "between 0 and 1"),
            (["--target", "everything"], "problem-set"),
            (["--ci-method", "normal"], "wald"),
            (["--ci-method", "bootstrap", "--target", "problem-set"], "draws other problems"),
            (["--clusters", "x", "--target", "problem-set"], "whose problems are fixed"),
            (["--clusters", "x", "--by", "y"], "The clusters are the groups"),
            (["--clusters", "x", "--columns", "group=y"], "The clusters are the groups"),
            (["--no-such-option"], "No such option"),
        ],
    )
    def test_are_refused_before_anything_is_read(self, run, words, said):
        done = run("score", "not there.jsonl", *words, columns=200)
        assert done.exit_code == 2
        assert said in done.stderr
        assert done.stdout == ""

    def test_no_path(self, run):
        assert run("score").exit_code == 2
        assert run("register", "gpassk").exit_code == 2
        assert run("formats", "excel").exit_code == 2

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["nothing.jsonl"], "There is no file nothing.jsonl"),
            (["*.nothing"], "No file matches"),
            ([ROOT / "setup.cfg"], "setup.cfg: "),
        ],
    )
    def test_files_that_cannot_be_used(self, run, words, said):
        done = run("score", *words)
        assert done.exit_code == 1
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == ""

    def test_a_folder_that_is_not_there_is_found_before_the_work(self, run, tmp_path):
        for words in (["score", "--out", tmp_path / "no" / "x.json"], ["plot", "--out", tmp_path / "no" / "x.png"]):
            done = run(words[0], "not there.jsonl", *words[1:])
            assert done.exit_code == 1
            assert f"There is no folder {tmp_path / 'no'}" in done.stderr
            assert ".part" not in done.stderr


class TestPlot:
    @pytest.mark.parametrize("kind", ["curves", "map", "problems", "reliability"])
    @pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("html", b"<!doctype html>")])
    def test_pictures(self, run, qwen, tmp_path, kind, ending, start):
        path = tmp_path / f"x.{ending}"
        done = run("plot", qwen, "--out", path, "--kind", kind)
        assert (done.exit_code, done.stdout) == (0, "")
        assert path.read_bytes().startswith(start)
        assert os.listdir(tmp_path) == [path.name]

    def test_without_a_name_or_with_another_ending(self, run, qwen, tmp_path):
        assert run("plot", qwen).exit_code == 2
        assert run("plot", qwen, "--out", tmp_path / "x.jpg").exit_code == 2
        assert run("plot", qwen, "--out", tmp_path / "x.svg", "--kind", "pie").exit_code == 2

    def test_without_matplotlib(self, run, qwen, tmp_path, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
        monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
        done = run("plot", qwen, "--out", tmp_path / "x.svg")
        assert done.exit_code == 1
        assert 'pip install "at-k[plot]"' in done.stderr


class TestAsAProcess:
    def test_help_and_version(self, call, run):
        assert call("--version").stdout.decode() == f"at-k {at_k.__version__}\n"
        shown = run("--help").stdout
        assert all(
            name in shown for name in ("score", "plot", "diagnose", "formats", "register", "--install-completion")
        )
        assert "--k" in call("score", "--help", PYTHONIOENCODING="ascii").stdout.decode("ascii")

    def test_help_loads_no_library(self, shell):
        # An empty package stands for `at_k`, whose own imports are tested in test_house.py.
        code = (
            "import sys, types; package = types.ModuleType('at_k'); package.__version__ = '1'\n"
            f"package.__path__ = [{str(ROOT / 'at_k')!r}]; sys.modules['at_k'] = package\n"
            "from at_k.cli import app; app(['--help'], standalone_mode=False)\n"
            "print({name.partition('.')[0] for name in sys.modules} & "
            "{'numpy', 'pyarrow', 'datasets', 'pandas', 'matplotlib', 'orjson'})"
        )
        command, environment = shell()
        done = subprocess.run([command[0], "-c", code], env=environment, capture_output=True, check=True, timeout=60)
        assert done.stdout.decode().splitlines()[-1] == "set()"

    @pytest.mark.parametrize("closed", ["stdout", "stderr"])
    def test_a_closed_stream_loses_no_result(self, shell, qwen, tmp_path, closed):
        command, environment = shell("score", qwen, "--out", tmp_path / "a.md")
        number = {"stdout": 1, "stderr": 2}[closed]
        words = ["sh", "-c", f'exec "$@" {number}>&-', "sh", *map(str, command)]
        done = subprocess.run(words, env=environment, capture_output=True, check=False, timeout=60)
        assert (done.returncode, (tmp_path / "a.md").read_text()[0]) == (0, "|")
        assert b"Error" not in done.stdout + done.stderr

    def test_a_closed_pipe_is_silent(self, shell, qwen):
        command, environment = shell("score", qwen, "--format", "csv", "--k", "1,2,3,4,5,6,7,8")
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()  # before it has written anything
        errors = process.stderr.read().decode()
        process.stderr.close()
        assert process.wait(timeout=60) == 0
        assert "pipe" not in errors.lower()
        assert "Error" not in errors

    def test_ctrl_c(self, shell, tmp_path):
        fifo = tmp_path / "slow.jsonl"
        os.mkfifo(fifo)
        (tmp_path / "report.json").write_text("old")
        command, environment = shell("score", "slow.jsonl", "--out", "report.json")
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True
        )
        with fifo.open("wb", buffering=0) as slow:  # opens as soon as the command waits for it
            slow.write(b'{"id": 1, "correct": [1, 0]}\n')
            sleep(0.3)  # else the signal may come just before the command waits for more
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=60)
        assert (process.returncode, out, errors) == (130, "", "Interrupted.\n")
        assert (tmp_path / "report.json").read_text() == "old"
        assert sorted(os.listdir(tmp_path)) == ["report.json", "slow.jsonl"]

    def test_standard_input(self, shell, run, qwen):
        command, environment = shell("score", "-", "--format", "csv")
        with qwen.open("rb") as file:
            done = subprocess.run(command, env=environment, stdin=file, capture_output=True, check=True, timeout=60)
        assert done.stdout == run("score", qwen, "--format", "csv").stdout_bytes

    def test_piped_there_are_no_colours_and_no_progress(self, shell, run, qwen):
        command, environment = shell("score", "-")
        words = ["sh", "-c", 'cat "$0" | "$@"', qwen, *command]
        done = subprocess.run(words, env=environment, capture_output=True, check=True, timeout=60)
        assert done.stdout.decode() == run("score", qwen).stdout.replace(qwen.name, "/dev/stdin", 1)
        assert b"\x1b" not in done.stdout
        assert done.stderr == b""
        assert max(map(cell_len, done.stdout.decode().splitlines())) <= 80

    def test_a_pipe_is_read_as_a_file(self, run, qwen, tmp_path):
        fifo = tmp_path / "pipe"
        os.mkfifo(fifo)
        writer = threading.Thread(target=lambda: fifo.write_bytes(qwen.read_bytes()))
        writer.start()
        done = run("score", fifo, "--by", "none", "-m", "pass@k")
        writer.join()
        assert read_table(done.stdout)[""]["pass@k"]["k = 8"] == "0.960"

    @pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
    def test_in_a_terminal(self, shell, human_eval, variables, coloured):
        command, environment = shell("score", human_eval, COLUMNS="70", **variables)
        primary, secondary = pty.openpty()
        process = subprocess.Popen(command, env=environment, stdout=secondary, stderr=secondary, stdin=secondary)
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
        assert ("\x1b[36m" in text) is coloured
        assert "Scoring samples.jsonl_results.jsonl" in text
        # What remains after the progress has cleared its line
        final = ESCAPE.sub("", text[text.rindex("\x1b[2K") :])
        assert "Scoring" not in final
        lines = final.splitlines()
        assert lines[0].startswith("samples.jsonl_results.jsonl · human-eval")
        assert max(map(cell_len, lines)) <= 70
        assert lines[-1] == "- best@k is left out: it needs a score for every sample."


def test_a_width_of_nothing_is_that_of_most_terminals(run, qwen):
    assert run("score", qwen, columns=0).stdout == run("score", qwen).stdout


def test_ascii(run, qwen, human_eval):
    for path in (qwen, human_eval):
        done = run("score", path, charset="ascii")
        assert done.exit_code == 0
        assert " - 1" in done.stdout_bytes.decode("ascii").splitlines()[0]
    missing = run("score", "é.jsonl", charset="ascii")
    assert missing.exit_code == 1
    assert b"There is no file" in missing.stderr_bytes


def test_completion(call):
    words = {"COMP_WORDS": "at-k score x --metric pa", "COMP_CWORD": "4", "_AT_K_COMPLETE": "complete_bash"}
    command = call(**words)
    assert command.stdout.decode().split() == [name for name in at_k.METRICS if name.startswith("pa")]


def make_answers(write):
    """Write three generations for each of two problems; one of each is right as a number after it was found."""
    return write(
        {"id": "a", "answers": ["So it is 18.", "#### 18", "I do not know"], "reference": "6 * 3\n#### 18"},
        {"id": "b", "answers": ["#### 0.50", "#### 3", "#### 1/2"], "reference": "#### 1/2"},
    )


JUDGING = ("--extract", "final_answer", "--check", "numeric", "--equivalence", "numeric")


class TestJudging:
    def test_generations_are_judged_as_by_the_library(self, run, write):
        path = make_answers(write)
        done = run("score", path, *JUDGING, "--extract-reference", r"#### (.+)", "--format", "json")
        rule = {"extract_fn": "final_answer", "extract_reference": r"#### (.+)"}
        report = at_k.score(path, check_correct_fn="numeric", equivalence="numeric", **rule)
        assert json.loads(done.stdout)["values"] == report.to_dict()["values"]
        assert report.c == [1, 2]

    def test_the_script_judges_alike(self, run, write, monkeypatch):
        path = make_answers(write)
        rest = ["--extract-reference", r"#### (.+)", "--num-workers", "1", "--timeout", "2.5"]
        script = run("score", path, *JUDGING, *rest, "--script").stdout
        for argument in (
            "extract_fn='final_answer'",
            r"extract_reference='#### (.+)'",
            "check_correct_fn='numeric'",
            "equivalence='numeric'",
            "num_workers=1",
            "timeout=2.5",
        ):
            assert argument in script
        found = {}
        exec(script, found)
        assert found["report"].c == [1, 2]

    def test_every_command_that_scores_takes_them(self, run, write, tmp_path):
        path = make_answers(write)
        picture = tmp_path / "p.svg"
        assert "0.500" in run("score", path, *JUDGING, "-m", "avg@n").stdout
        assert run("plot", path, *JUDGING, "-o", picture).exit_code == 0
        assert picture.stat().st_size
        assert "No answer is correct" not in run("diagnose", path, *JUDGING).stdout
        planned = json.loads(run("plan", path, *JUDGING, "--adaptive", "--format", "json").stdout)
        assert planned["value"] == pytest.approx(0.5)
        rows = [{"id": "a", "answers": ["#### 18"] * 3, "reference": "18"}]
        rows += [{"id": "b", "answers": ["#### ½"] * 3, "reference": "1/2"}]
        other = write(*rows, name="other.jsonl")
        compared = json.loads(run("compare", other, path, *JUDGING, "-m", "avg@n", "--format", "json").stdout)
        assert compared["keys"]["avg@3"]["difference"] == pytest.approx(0.5)

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--check", "numerics"], "There is no checker 'numerics'. The checkers are: exact_match,"),
            (["--extract", "lastnumber"], "`--extract`"),
            (["--extract", "("], "no regular expression"),
            (["--extract-reference", "boxes"], "`--extract-reference`"),
            (["--equivalence", "alike"], "'alike' is not one of 'exact', 'numeric'"),
            (["--timeout", "0"], "`--timeout` must be a number of seconds"),
            (["--num-workers", "0"], "--num-workers"),
        ],
    )
    def test_wrong_values_are_refused_before_a_file_is_read(self, run, words, says):
        done = run("score", "not there", *words, columns=400)
        assert done.exit_code == 2
        assert says in done.stderr

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
        path = write({"id": "a", "answers": ["So it is 18.", "#### 18.0"], "reference": "6 * 3\n#### 18"})
        assert "With `--extract last_number`, `--check numeric`, 100%" in run("score", path, columns=200).stdout


def test_examples_of_the_documents(run, monkeypatch):
    monkeypatch.chdir(ROOT)
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"))]
    examples = [
        each
        for text in texts
        for each in re.findall(r"```bash\n(at-k [^\n]*)\n```\n\n```text\n(.*?)```", text, re.DOTALL)
    ]
    assert {command.split()[1] for command, _ in examples} >= {"score", "compare", "gate", "plan", "select"}
    for command, shown in examples:
        assert run(*shlex.split(command)[1:]).stdout == shown


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
