"""Connections whose requests never come: uvicorn waits for the head of a request forever."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http import auto
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Seconds in which the head of a request must be there, from its first byte or the beginning of the connection."""


def limit_heads() -> None:
    """Let servers that are started from now on close connections on which the head of a request does not come.

    Problem: a caller who sends one byte a minute holds a connection, and thousands of them hold all that there are.
    Seen in: uvicorn 0.54. Its `timeout_keep_alive` ends with the first byte of a request.
    Upstream: https://github.com/Kludex/uvicorn/issues/157 asks for such a limit.
    """
    auto.AutoHTTPProtocol = PunctualProtocol


class PunctualProtocol(H11Protocol):
    """HTTP/1.1, with a limit of time for the head of each request."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect a request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Expect the rest of a head that began, unless it is whole."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._expect()
        else:
            self._cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._cancel()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _cancel(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
