"""What waits for its visitors: Gradio's messages to sessions, bounded in time and number."""

from __future__ import annotations

from asyncio import Queue
from collections import OrderedDict
from collections.abc import MutableMapping
from time import monotonic
from typing import Any

MAX_SESSIONS = 1000
MAX_UNREAD_SECONDS = 30.0


class Mailboxes(OrderedDict[str, "Queue[Any]"]):
    """Session → messages that it has not read yet.

    Gradio's own mapping keeps results that nobody reads, and when it drops one whose event still waits, the queue stops
    for good. Here a mailbox that was neither written nor read for a while is dropped, and what is sent to none is
    forgotten.
    """

    def __init__(self, events: MutableMapping[str, set[str]]) -> None:
        super().__init__()
        self._events = events
        self._used: dict[str, float] = {}

    def __setitem__(self, session: str, messages: Queue[Any]) -> None:
        """Open a mailbox, and drop those that are stale."""
        latest = monotonic() - MAX_UNREAD_SECONDS
        while self and (len(self) >= MAX_SESSIONS or self._used[next(iter(self))] < latest):
            oldest = next(iter(self))
            del self[oldest]
            self._events.pop(oldest, None)
        super().__setitem__(session, messages)
        self._used[session] = monotonic()

    def __getitem__(self, session: str) -> Queue[Any]:
        """A mailbox to write to or to read; none that is kept, if there is none."""
        if session not in self:
            return Queue()
        self.move_to_end(session)
        self._used[session] = monotonic()
        return super().__getitem__(session)

    def __delitem__(self, session: str) -> None:
        """Close a mailbox."""
        super().__delitem__(session)
        self._used.pop(session, None)
