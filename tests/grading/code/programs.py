"""Run programs with their tests: in one call, or in several that share their supervisors.

To start some takes a tenth of a second, to run a program a hundredth.
"""

from contextlib import contextmanager

from at_k.grading.code import HarnessError
from at_k.grading.code.limits import ProgramLimits
from at_k.grading.code.pool import Pool


@contextmanager
def start_judge(*, num_workers=2, isolation="auto", sandbox="auto", **limits):
    """Yield a function from programs with their tests to outcomes, or to why they were not run."""
    with Pool(ProgramLimits(**limits), num_workers=num_workers, isolation=isolation, sandbox=sandbox) as pool:
        yield lambda *pairs: [outcome for _, outcome in sorted(pool.run(pairs), key=lambda found: found[0])]


def run_pairs(pairs, *, num_workers=2, **options):
    """Return how each program ended. Raise if one was not run."""
    with start_judge(num_workers=min(num_workers, len(pairs)), **options) as judge:
        outcomes = judge(*pairs)
    for outcome in outcomes:
        if isinstance(outcome, HarnessError):
            raise outcome
    return outcomes
