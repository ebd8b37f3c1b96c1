"""Fair turns: whatever one visitor asks for, the others wait for a few pieces of work at most."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from anyio import to_thread

from at_k.demo.limits import MOST_AT_ONCE
from at_k.demo.sandbox import do_work, start_sandbox, tidy

# Requests of one visitor that wait.
MOST_OF_VISITOR = 32

# Requests from one address that wait: those of a classroom behind one router.
MOST_OF_ADDRESS = 64

# Requests of all visitors that wait.
MOST_WAITING = 128

# An address, and a session there.
Visitor = tuple[str, str]


class BusyError(Exception):
    """More requests wait than are accepted."""


class Turns:
    """Let addresses take turns, and the visitors of an address among themselves, each with one piece of work at a time.

    Args:
        at_once: how many pieces of work are done side by side. An address does at most one fewer, so that there is
            room for another one.
        of_visitor: how many requests of one visitor may wait.
        of_address: how many requests from one address may wait.
        waiting: how many requests may wait in all.
    """

    def __init__(
        self,
        at_once: int = MOST_AT_ONCE,
        of_visitor: int = MOST_OF_VISITOR,
        of_address: int = MOST_OF_ADDRESS,
        waiting: int = MOST_WAITING,
    ) -> None:
        self._at_once, self._limits = at_once, (of_visitor, of_address, waiting)
        self._working: list[Visitor] = []
        self._waiting: list[tuple[Visitor, asyncio.Future[None]]] = []
        self._count = 0
        self._latest: dict[
            Visitor | str, int
        ] = {}  # when each visitor and each address came or had a turn last

    @asynccontextmanager
    async def take(self, address: str, session: str = "") -> AsyncIterator[None]:
        """Wait for a turn, and give it back at the end."""
        visitor = address, session
        await self._wait(visitor)
        try:
            yield
        finally:
            self._end(visitor)

    async def _wait(self, visitor: Visitor) -> None:
        every = [waiting for waiting, _ in self._waiting]
        counts = (
            every.count(visitor),
            sum(address == visitor[0] for address, _ in every),
            len(every),
        )
        if any(count >= limit for count, limit in zip(counts, self._limits, strict=True)):
            raise BusyError
        for party in (visitor, visitor[0]):
            self._latest.setdefault(party, self._count)
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((visitor, turn))
        self._give_turns()
        try:
            await turn
        except asyncio.CancelledError:
            if (
                turn.done() and not turn.cancelled()
            ):  # the turn came at the moment in which the visitor left
                self._end(visitor)
            self._give_turns()
            raise

    def _end(self, visitor: Visitor) -> None:
        self._working.remove(visitor)
        self._give_turns()

    def _give_turns(self) -> None:
        """Give free turns to those who have waited longest since the last one of their own."""
        self._waiting = [turn for turn in self._waiting if not turn[1].cancelled()]
        most = max(1, self._at_once - 1)
        while len(self._working) < self._at_once:
            busy = [address for address, _ in self._working]
            free = [
                turn
                for turn in self._waiting
                if turn[0] not in self._working and busy.count(turn[0][0]) < most
            ]
            if not free:
                break
            chosen = min(free, key=lambda turn: (self._latest[turn[0][0]], self._latest[turn[0]]))
            self._waiting.remove(chosen)
            visitor, turn = chosen
            self._count += 1
            self._latest[visitor] = self._latest[visitor[0]] = self._count
            self._working.append(visitor)
            turn.set_result(None)
        visitors = [*self._working]
        visitors += [waiting for waiting, _ in self._waiting]
        there = {*visitors} | {address for address, _ in visitors}
        self._latest = {party: latest for party, latest in self._latest.items() if party in there}


_turns = Turns()


async def ask(address: str, session: str, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Queue the request of a visitor, and run it in a worker: `work.run`."""
    async with _turns.take(address, session):
        answer: dict[str, Any] = await _finish(lambda: _run(name, values))
        return answer


def _run(name: str, values: dict[str, Any]) -> Any:
    try:
        return start_sandbox().run(do_work, name, values)
    finally:
        tidy()


async def _finish(work: Callable[[], Any]) -> Any:
    """Wait for work in a thread, which nobody can stop: a visitor who leaves keeps the turn until it is done."""
    working = asyncio.ensure_future(to_thread.run_sync(work))
    try:
        return await asyncio.shield(working)
    finally:
        while not working.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([working])
        working.exception()  # else asyncio complains that nobody looked at it


def find_address(request: Any) -> str:
    """Return the address that a request comes from."""
    # Behind a proxy it is in a header. A client that forges it counts as several visitors, all of which `MOST_WAITING`
    # bounds.
    client = request.client
    return request.headers.get("x-forwarded-for") or ("" if client is None else str(client.host))
