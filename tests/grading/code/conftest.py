"""Supervisors that the tests of a file share: to start some takes a tenth of a second, to run a program a hundredth."""

import pytest

from at_k.grading.code.limits import ProgramLimits
from at_k.grading.code.pool import Pool


@pytest.fixture(scope="module")
def judge():
    """Return a function from programs with their tests to outcomes, or to why they were not run."""
    with Pool(ProgramLimits(timeout=20), num_workers=2, isolation="none") as pool:
        yield lambda *pairs: [outcome for _, outcome in sorted(pool.run(pairs), key=lambda found: found[0])]
