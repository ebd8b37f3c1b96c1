"""Many visitors at once get right answers, all of them, and leave nothing behind in memory."""

import sys

import pytest

from tools.driving import serving
from tools.visitors import visits

pytestmark = pytest.mark.alone

GROWTH = 30_000_000
"""Bytes by which memory may differ afterwards: the allocator does not give everything back, and answers are cached."""

LIGHT = 140_000_000 if sys.version_info >= (3, 11) else 165_000_000
"""Bytes of an idle app, which takes 123 MB. Python 3.10 and the last SciPy and Arrow that it has take 20 MB more."""


def serve(app, each, addresses):
    """Let fifty visitors at once ask, each so often, from a number of addresses: all answers are right."""
    done = visits(app.url, each=each, addresses=addresses)
    assert [visit.fault for visit in done if visit.fault] == []
    assert len(done) == 50 * each


def test_fifty_visitors_at_once_from_everywhere_and_then_behind_one_router(tmp_path):
    with serving(tmp_path) as app:
        serve(app, each=3, addresses=50)  # this fills the tables and most caches
        before = app.memory()
        serve(app, each=5, addresses=1)
        assert app.memory() - before < GROWTH


def test_the_app_starts_quickly_and_stays_light_without_the_demos(tmp_path):
    with serving(tmp_path) as app:
        assert app.seconds() < 1.2
        for _ in range(4):
            assert app.ask("score", data='{"correct": [1, 0]}')[0] == 200
            assert app.ask("compare", a='{"correct": [1, 0]}', b='{"correct": [1, 1]}')[0] == 200
        assert app.memory() < LIGHT
