"""Many visitors at once get right answers, all of them, and leave nothing behind in memory."""

import sys

import pytest

from tools.driving import serving
from tools.visitors import visits

pytestmark = pytest.mark.alone

GROWTH = 30_000_000
"""Bytes by which memory may differ afterwards: the allocator does not give everything back, and answers are cached."""

LIGHT = 150_000_000 if sys.version_info >= (3, 11) else 175_000_000
"""Bytes of an idle app. Python 3.10 and the last SciPy and Arrow that it has take 20 MB more (153 to 165)."""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """An app of its own, the tables and most caches of which are filled."""
    with serving(tmp_path_factory.mktemp("busy")) as app:
        visits(app.url, each=3)
        yield app


@pytest.mark.parametrize(
    ("addresses", "each"), [(50, 5), (1, 3)], ids=["everywhere", "behind one router"]
)
def test_fifty_visitors_at_once(app, addresses, each):
    before = app.memory()
    done = visits(app.url, each=each, addresses=addresses)
    assert [visit.fault for visit in done if visit.fault] == []
    assert len(done) == 50 * each
    assert app.memory() - before < GROWTH


def test_the_app_starts_quickly_and_stays_light_without_the_demos(tmp_path):
    with serving(tmp_path) as app:
        assert app.seconds() < 1.2
        for _ in range(4):
            assert app.ask("score", data='{"correct": [1, 0]}')[0] == 200
            assert app.ask("compare", a='{"correct": [1, 0]}', b='{"correct": [1, 1]}')[0] == 200
        assert app.memory() < LIGHT
