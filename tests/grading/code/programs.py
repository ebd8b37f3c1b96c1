"""Read programs with their tests, and run them. Calls with the same limits share their supervisors."""

from pathlib import Path

from at_k.grading.code import HarnessError, ProgramLimits
from at_k.grading.code.pool import open_supervisors


def read_programs(file, group=""):
    """Read the programs of a group: `=== group: name -> verdict`, the program, and its tests after `--- tests`."""
    table = {}
    for part in Path(__file__).with_name(file).read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, body = part.partition("\n")
        name, _, verdict = head.partition(" -> ")
        program, _, tests = body.partition("--- tests\n")
        if name.startswith(group):
            table[name.removeprefix(group)] = program, tests, verdict
    return table


def run_all(pairs, *, num_workers=2, isolation="auto", **limits):
    """Return how each program ended, or why it was not run."""
    pool, judge = open_supervisors(ProgramLimits(**limits), isolation)
    return pool.run(judge, pairs, min(num_workers, len(pairs)), "code")


def run_pairs(pairs, **options):
    """Return how each program ended. Raise if one was not run."""
    outcomes = run_all(pairs, **options)
    for outcome in outcomes:
        if isinstance(outcome, HarnessError):
            raise outcome
    return outcomes
