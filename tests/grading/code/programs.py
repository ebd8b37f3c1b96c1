"""Read programs with their tests, and run them: in one call, or in several that share their supervisors.

To start some takes a tenth of a second, to run a program a hundredth.
"""

from contextlib import contextmanager
from pathlib import Path

from at_k.grading.code import HarnessError, ProgramLimits
from at_k.grading.code.pool import explain_end, open_supervisors


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


@contextmanager
def start_judge(*, num_workers=2, isolation="auto", **limits):
    """Yield a function from programs with their tests to outcomes, or to why they were not run."""
    pool = open_supervisors(ProgramLimits(**limits), num_workers, isolation)

    def judge(*pairs):
        return [explain_end(reply) for _, reply in sorted(pool.run(pairs), key=lambda found: found[0])]

    with pool:
        yield judge


def run_pairs(pairs, *, num_workers=2, **options):
    """Return how each program ended. Raise if one was not run."""
    with start_judge(num_workers=min(num_workers, len(pairs)), **options) as judge:
        outcomes = judge(*pairs)
    for outcome in outcomes:
        if isinstance(outcome, HarnessError):
            raise outcome
    return outcomes
