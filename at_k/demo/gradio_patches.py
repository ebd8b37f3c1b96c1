"""Replacements of two internals of Gradio: which problem each works around, and in which version it was seen."""

from __future__ import annotations

from asyncio import Queue
from collections import OrderedDict
from collections.abc import MutableMapping
from copy import copy
from time import monotonic
from types import SimpleNamespace
from typing import Any

import gradio as gr
from gradio.state_holder import SessionState

MAX_SESSIONS = 1000
MAX_UNREAD_SECONDS = 30.0


def keep_no_values(state: type[Any] = SessionState) -> None:
    """Stop Gradio from keeping what each session sent and was shown last, and from describing all components for it.

    Problem: `SessionState` keeps a copy of the last value of every component of a session, results of up to 50 MB here,
    so that a `gr.DeepLinkButton` can make a link to them. The app has no such button. To begin a session it describes
    every component, which takes some 60 ms for each visitor, in which nobody else is served.
    Seen in: Gradio 6.31.
    Upstream: the values are kept since https://github.com/gradio-app/gradio/pull/10834; no upstream issue known about
    their memory or time.

    Raises:
        AttributeError: if Gradio has no such method any more.
    """
    _require(state, "_update_value_in_config")
    begin = state.__init__
    nothing = SimpleNamespace(default_config=SimpleNamespace(blocks={}), blocks={})

    def begin_without_values(session: Any, blocks: gr.Blocks) -> None:
        begin(session, nothing)
        _require(session, "blocks_config")
        session.blocks_config = copy(blocks.default_config)

    state.__init__ = begin_without_values
    state._update_value_in_config = lambda *_: None


def bound_mailboxes(app: gr.Blocks) -> None:
    """Give the queue of an app `Mailboxes` in place of its own mapping from sessions to messages.

    Problem: the queue keeps the messages to a session until they are read, however long that takes. Its mapping drops
    the oldest of 2,000 sessions, and where an event of that session still waits, `Queue.send_message` raises a
    `KeyError` and the queue stops for all visitors.
    Seen in: Gradio 6.31.
    Upstream: no upstream issue known.

    Raises:
        AttributeError: if the queue of Gradio has other names for its mappings.
    """
    _require(app, "_queue")
    queue: Any = app._queue
    for name in ("pending_messages_per_session", "pending_event_ids_session"):
        _require(queue, name)
    queue.pending_messages_per_session = Mailboxes(queue.pending_event_ids_session)


def _require(owner: object, name: str) -> None:
    if not hasattr(owner, name):
        raise AttributeError(
            f"{owner!r:.60} has no attribute `{name}` in Gradio {gr.__version__}. Read how Gradio does this now, and "
            f"adapt {__name__}."
        )


class Mailboxes(OrderedDict[str, "Queue[Any]"]):
    """Session → messages that it has not read yet.

    A mailbox that was neither written nor read for a while is dropped. A message to a session without a mailbox is
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
        """Return the mailbox of a session; an empty one that is not kept, if the session has none."""
        if session not in self:
            return Queue()
        self.move_to_end(session)
        self._used[session] = monotonic()
        return super().__getitem__(session)

    def __delitem__(self, session: str) -> None:
        """Close a mailbox."""
        super().__delitem__(session)
        self._used.pop(session, None)
