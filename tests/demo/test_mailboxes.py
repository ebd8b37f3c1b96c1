from asyncio import Queue

from at_k.demo import mailboxes
from at_k.demo.mailboxes import Mailboxes


def test_what_is_read_or_written_stays(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(mailboxes, "monotonic", lambda: now[0])
    events = {name: {"event"} for name in "abc"}
    boxes = Mailboxes(events)
    boxes["a"], boxes["b"] = Queue(), Queue()
    read = boxes["a"]
    now[0] = mailboxes.MAX_UNREAD_SECONDS
    assert boxes["a"] is read
    now[0] += 1
    boxes["c"] = Queue()
    assert list(boxes) == ["a", "c"]
    assert list(events) == ["a", "c"]


def test_there_are_not_more_than_so_many(monkeypatch):
    monkeypatch.setattr(mailboxes, "MAX_SESSIONS", 2)
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
