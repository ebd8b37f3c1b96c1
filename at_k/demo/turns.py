"""Fair turns: whatever one visitor asks for, the others wait for one piece of its work at most."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import gradio as gr
from anyio import to_thread

from at_k.demo.limits import MOST_AT_ONCE
from at_k.demo.memory import tidy
from at_k.demo.sandbox import start_sandbox
from at_k.demo.words import language_of, make_error, translate

MOST_OF_VISITOR = 32
"""Requests of one visitor that wait."""

MOST_WAITING = 96
"""Requests of all visitors that wait."""


class BusyError(Exception):
    """More requests wait than are accepted."""


class Turns:
    """Let visitors work one after the other, each with one piece of work at a time.

    Args:
        at_once: how many visitors work side by side.
        of_visitor: how many requests of one visitor may wait.
        waiting: how many requests may wait in all.
    """

    def __init__(
        self, at_once: int = MOST_AT_ONCE, of_visitor: int = MOST_OF_VISITOR, waiting: int = MOST_WAITING
    ) -> None:
        self._at_once, self._of_visitor, self._most_waiting = at_once, of_visitor, waiting
        self._working: set[str] = set()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def take(self, visitor: str) -> AsyncIterator[None]:
        """Wait for a turn, and give it back at the end.

        Raises:
            BusyError: if too many requests wait.
        """
        await self._wait(visitor)
        try:
            yield
        finally:
            self._end(visitor)

    async def _wait(self, visitor: str) -> None:
        if visitor not in self._working and len(self._working) < self._at_once:
            self._working.add(visitor)
            return
        line = self._waiting.get(visitor, deque())
        if len(line) >= self._of_visitor or sum(map(len, self._waiting.values())) >= self._most_waiting:
            raise BusyError
        turn = asyncio.get_running_loop().create_future()
        line.append(turn)
        self._waiting[visitor] = line
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn came at the moment in which the visitor left
                self._end(visitor)
            elif turn in line:
                line.remove(turn)
                self._forget(visitor)
            raise

    def _end(self, visitor: str) -> None:
        """Give the turn to the visitor who has waited longest since the last one of their own."""
        self._working.discard(visitor)
        for follower, line in list(self._waiting.items()):
            if follower in self._working:
                continue
            while line and line[0].cancelled():  # left in this moment, and has not noticed yet
                line.popleft()
            if line:
                self._working.add(follower)
                line.popleft().set_result(None)
                self._waiting.move_to_end(follower)
            self._forget(follower)
            if follower in self._working:
                return

    def _forget(self, visitor: str) -> None:
        if not self._waiting[visitor]:
            del self._waiting[visitor]


_turns = Turns()


async def in_turn(request: gr.Request | None, work: Callable[..., Any], *args: Any) -> Any:
    """Do a piece of work in a process of its own when it is the visitor's turn, as `Sandbox.run`.

    Raises:
        InputError: if it takes too much time or memory.
        gr.Error: if too many requests wait; the sentence is in the visitor's language.
    """
    try:
        async with _turns.take(find_visitor(request)):
            return await _finish(lambda: _run(work, *args))
    except BusyError:
        language = language_of(request.headers.get("accept-language") if request else None)
        said = translate(make_error("serving.busy").message, language)
        raise gr.Error(said, print_exception=False) from None


def _run(work: Callable[..., Any], *args: Any) -> Any:
    try:
        return start_sandbox().run(work, *args)
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


def find_visitor(request: gr.Request | None) -> str:
    """Return what a visitor is known by: the address that the request comes from.

    Behind a proxy it is in a header. Whoever forges that header is several visitors; `MOST_WAITING` bounds all of them.
    """
    if request is None:
        return ""
    forwarded = request.headers.get("x-forwarded-for")
    return forwarded or ("" if request.client is None else str(request.client.host))
