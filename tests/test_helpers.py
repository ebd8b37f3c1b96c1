"""The helpers of the tests themselves: bounds on costs, and many cases in one test."""

import bounds
import pytest
from bounds import hold, timed
from cases import for_each, refuses


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    """A machine as slow as a test says, on which nobody waits."""
    slowness = [1.0]
    monkeypatch.setattr(bounds, "PAUSES", (0,) * 5)
    monkeypatch.setattr(bounds, "find_slowness", lambda: slowness[-1])
    return slowness


def test_a_single_excess_of_time_is_tried_again_and_a_repeated_one_fails():
    costs = iter([9.0, 3.0, 1.0])
    assert hold(2, lambda: ("found", next(costs))) == "found"
    assert list(costs) == []
    refuses(
        "AssertionError: more than 2 s: 3.00 s where … took 1.0 times",
        hold,
        2,
        lambda: ("found", 3.0),
    )


def test_a_slow_machine_has_more_time(machine):
    machine.append(4.0)
    assert hold(2, lambda: ("found", 7.9)) == "found"
    with pytest.raises(AssertionError):
        hold(2, lambda: ("found", 8.1))


def test_work_is_timed_by_a_clock():
    clock = iter([1.0, 3.5])
    assert timed(lambda: "found", lambda: next(clock))() == ("found", 2.5)


def test_the_yardstick_is_work(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(bounds, "YARD", 1e-3)
    assert bounds.find_slowness() > 10


def test_all_cases_are_tried_and_those_that_fail_are_named(tmp_path):
    tried = []

    @for_each("number", [1, 2, 3])
    @for_each("name", ["a", "b"], ids=["first", "second"])
    def check(number, name, tmp_path):
        tried.append((number, name))
        assert (number, name) not in ((2, "b"), (3, "a"))
        if number == 3:
            with pytest.raises(ValueError, match="never"):
                pass

    with pytest.raises(
        AssertionError,
        match=r"(?s)2 of 3 cases fail:\n2: .*second: .*\n3: .*first: .*second: Failed",
    ):
        check(tmp_path=tmp_path)
    assert len(tried) == 6
