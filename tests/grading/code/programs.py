"""Run programs with their tests, in one call."""

from at_k.grading.code import HarnessError
from at_k.grading.code.limits import ProgramLimits
from at_k.grading.code.pool import Pool


def run_pairs(pairs, *, num_workers=2, isolation="auto", sandbox="auto", **limits):
    """Return how each program ended. Raise if one was not run."""
    workers = min(num_workers, len(pairs))
    with Pool(ProgramLimits(**limits), num_workers=workers, isolation=isolation, sandbox=sandbox) as pool:
        outcomes = dict(pool.run(pairs))
    for outcome in outcomes.values():
        if isinstance(outcome, HarnessError):
            raise outcome
    return [outcomes[place] for place in range(len(pairs))]
