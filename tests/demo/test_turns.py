"""Turns: in which order visitors work, how many wait, and what happens when one leaves."""

import asyncio
import threading

import pytest
from cases import for_each
from starlette.requests import Request

from at_k.demo import turns
from at_k.demo.turns import BusyError, Turns, ask, find_address


async def pause():
    """Let everybody else go on."""
    for _ in range(5):
        await asyncio.sleep(0)


class Day:
    """Visitors that ask one after the other, and finish when they are told to: "a", or "a1" and "a2" of one address."""

    def __init__(self, **limits):
        self.turns, self.done, self.order, self.tasks = Turns(**limits), asyncio.Event(), [], []

    async def ask(self, *visitors):
        for visitor in visitors:
            self.tasks.append(asyncio.create_task(self._work(visitor)))
            await pause()

    async def _work(self, visitor):
        async with self.turns.take(visitor[0], visitor[1:]):
            self.order.append(visitor)
            await self.done.wait()

    async def end(self):
        self.done.set()
        await asyncio.wait_for(asyncio.gather(*self.tasks, return_exceptions=True), 60)
        return self.order


def spend_day(*asked, **limits):
    """Let visitors ask, and end the day; return it."""

    async def work():
        day = Day(**limits)
        await day.ask(*asked)
        day.working = list(day.order)
        await day.end()
        return day

    return asyncio.run(work())


@for_each("asked, order", [
    (list("aaaabcb"), list("aabcaba")),  # visitors alternate, whatever one of them asks for
    # Those of one address alternate within its turns.
    (["a1", "a1", "a1", "a2", "a3", "b", "b"], ["a1", "a1", "b", "a2", "b", "a3", "a1"]),
])  # fmt: skip
def test_visitors_and_addresses_alternate(asked, order):
    day = spend_day(*asked, at_once=1)
    assert day.order == order
    assert (day.turns._latest, day.turns._waiting, day.turns._working) == (
        {},
        [],
        [],
    )  # nothing is kept of them


@for_each("asked, working", [
    (["a", "a", "b", "c"], ["a", "b", "c"]),  # a visitor has one turn at a time
    (["a1", "a2", "a3", "b"], ["a1", "a2", "b"]),  # an address leaves one to the others
    (["a1", "a2", "a3"], ["a1", "a2"]),
])  # fmt: skip
def test_visitors_and_addresses_share_the_turns(asked, working):
    day = spend_day(*asked, at_once=3)
    assert (day.working, sorted(day.order)) == (working, asked)


@for_each("limits, asked, refused", [
    ({"of_visitor": 2}, "aaaaab", 2),  # one works, two wait
    ({"at_once": 2, "of_address": 2}, ["a1", "a2", "a3", "a4", "b"], 1),  # one works, two wait
    ({"at_once": 2, "waiting": 3}, "aaabcd", 1),  # a and b work; two of a and one of c wait
    ({}, "a" * 40, 7),
])  # fmt: skip
def test_more_than_may_wait_are_refused(limits, asked, refused):
    errors = [task.exception() for task in spend_day(*asked, **limits).tasks if task.exception()]
    assert [type(error) for error in errors] == [BusyError] * refused


def test_cancelled_requests_free_their_place():
    async def work():
        day = Day(at_once=1)
        await day.ask("a", "b", "c")
        day.tasks[1].cancel()  # waiting
        day.tasks[0].cancel()  # working
        await pause()
        await day.ask("d")
        order = await day.end()
        return order, day.turns._waiting, day.turns._working

    assert asyncio.run(work()) == (["a", "c", "d"], [], [])


def test_a_request_cancelled_at_its_turn_passes_it_on():
    async def work():
        day = Day(at_once=1)
        await day.ask("a", "b", "c")
        day.done.set()
        while not day.tasks[0].done():
            await asyncio.sleep(0)
        day.tasks[1].cancel()
        return await day.end()

    assert asyncio.run(work())[-1] == "c"


@for_each("leaving", [(1,), (1, 2), (2,), (1, 2, 3, 4)])
def test_requests_cancelled_as_a_turn_ends_delay_no_other(leaving):
    """A task that is cancelled gets to know of it a moment later, and what it waits for is cancelled at once."""

    async def work():
        day = Day(at_once=1)
        await day.ask("a", "b", "b", "c", "d")
        day.done.set()
        for number in leaving:
            day.tasks[number].cancel()
        await pause()
        await day.ask("e")
        await day.end()
        return day

    day = asyncio.run(work())
    assert sorted(day.order) == sorted(
        "".join(each for i, each in enumerate("abbcd") if i not in leaving) + "e"
    )
    assert {task.exception() for task in day.tasks if not task.cancelled()} == {None}
    assert (day.turns._waiting, day.turns._working) == ([], [])


class Waiting:
    """A sandbox whose work is done when it is told to."""

    def __init__(self):
        self.started, self.go_on, self.done = threading.Event(), threading.Event(), []

    def run(self, work, name, values):
        self.started.set()
        assert self.go_on.wait(60)
        self.done.append(name)
        if values.get("fails"):
            raise ValueError
        return name


@pytest.mark.parametrize("end", ["returns", "raises"])
def test_a_cancelled_request_keeps_its_turn_until_the_work_is_done(monkeypatch, end):
    sandbox = Waiting()
    monkeypatch.setattr(turns, "_turns", Turns(at_once=1))
    monkeypatch.setattr(turns, "start_sandbox", lambda: sandbox)

    async def work():
        first = asyncio.create_task(ask("a", "", "first", {"fails": end == "raises"}))
        second = asyncio.create_task(ask("b", "", "second", {}))
        await asyncio.to_thread(sandbox.started.wait, 60)
        for _ in range(3):  # an impatient visitor
            first.cancel()
            await pause()
        assert sandbox.done == []
        sandbox.go_on.set()
        assert await asyncio.wait_for(second, 60) == "second"
        return first.cancelled()

    assert asyncio.run(work())
    assert len(sandbox.done) == 2
    assert sandbox.done[1] == "second"


@pytest.mark.xdist_group("sandbox")  # one worker starts it
def test_work_is_done_elsewhere_and_its_refusal_is_passed_on():
    async def work():
        found = await ask("", "", "score", {"data": "id,correct\na,1"})
        return found["average"]["value"], (await ask("", "", "score", {"data": "x"}))["code"]

    try:
        assert asyncio.run(work()) == (1.0, "tables.empty")
    finally:
        turns.start_sandbox().end()
        turns.start_sandbox.cache_clear()


@for_each("client, headers, address", [
    (("192.0.2.7", 80), [], "192.0.2.7"),
    (("10.0.0.1", 80), [(b"x-forwarded-for", b"192.0.2.1, 10.0.0.2")], "192.0.2.1, 10.0.0.2"),
    (None, [], ""),
])  # fmt: skip
def test_an_address_is_that_of_the_request(client, headers, address):
    assert find_address(Request({"type": "http", "headers": headers, "client": client})) == address
