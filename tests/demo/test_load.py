"""Many visitors at once get right answers, all of them, and leave nothing behind in memory."""

import pytest

from tools.driving import serving
from tools.visitors import visits

pytestmark = pytest.mark.alone

GROWTH = 60_000_000
"""Bytes by which memory may differ afterwards: the allocator does not give everything back, and answers are cached."""


@pytest.mark.parametrize("addresses", [50, 1], ids=["everywhere", "behind one router"])
def test_fifty_visitors_at_once(tmp_path, addresses):
    with serving(tmp_path) as server:
        visits(server.url, each=10, addresses=addresses)  # tables are filled, and most caches
        before = server.memory()
        done = visits(server.url, addresses=addresses)
        assert [visit.fault for visit in done if visit.fault] == []
        assert len(done) == 50 * 20
        assert server.memory() - before < GROWTH
