"""The internals of Gradio that are replaced: what replaces them, and that they are still there."""

import asyncio
from asyncio import Queue

import gradio as gr
import pytest
from gradio.state_holder import SessionState

from at_k.demo import gradio_patches
from at_k.demo.gradio_patches import Mailboxes, bound_mailboxes, keep_no_values


def test_what_is_read_or_written_stays(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(gradio_patches, "monotonic", lambda: now[0])
    events = {name: {"event"} for name in "abc"}
    boxes = Mailboxes(events)
    boxes["a"], boxes["b"] = Queue(), Queue()
    read = boxes["a"]
    now[0] = gradio_patches.MAX_UNREAD_SECONDS
    assert boxes["a"] is read
    now[0] += 1
    boxes["c"] = Queue()
    assert list(boxes) == ["a", "c"]
    assert list(events) == ["a", "c"]


def test_there_are_not_more_than_so_many(monkeypatch):
    monkeypatch.setattr(gradio_patches, "MAX_SESSIONS", 2)
    boxes = Mailboxes({})
    for name in "abc":
        boxes[name] = Queue()
    assert list(boxes) == ["b", "c"]


def test_what_is_sent_to_none_is_forgotten():
    boxes = Mailboxes({})
    boxes["gone"].put_nowait("a result")
    assert "gone" not in boxes
    assert len(boxes) == 0
    boxes["a"] = Queue()
    del boxes["a"]
    assert "a" not in boxes


@pytest.fixture
def app():
    """An app with one component. In an event loop, because the queue of Gradio opens one of its own otherwise."""

    async def build():
        with gr.Blocks(analytics_enabled=False) as app:
            gr.Textbox()
        return app

    return asyncio.run(build())


def test_gradio_still_has_what_is_replaced(app, monkeypatch):
    for name in ("__init__", "_update_value_in_config"):
        monkeypatch.setattr(SessionState, name, getattr(SessionState, name))
    keep_no_values()
    state = SessionState(app)
    assert state.config_values == {}
    assert state.blocks_config.blocks == app.default_config.blocks != {}
    assert state.blocks_config is not app.default_config
    assert not state.is_closed
    state._update_value_in_config(next(iter(app.blocks)), "a long text")
    assert "a long text" not in str(state.config_values)
    bound_mailboxes(app)
    assert isinstance(app._queue.pending_messages_per_session, Mailboxes)


@pytest.mark.parametrize("name", ["pending_messages_per_session", "pending_event_ids_session"])
def test_a_queue_with_other_names_is_an_error(app, name):
    delattr(app._queue, name)
    with pytest.raises(AttributeError, match=rf"no attribute `{name}` in Gradio {gr.__version__}"):
        bound_mailboxes(app)


def test_a_session_with_other_names_is_an_error():
    with pytest.raises(AttributeError, match="no attribute `_update_value_in_config`"):
        keep_no_values(type("SessionState", (), {}))
