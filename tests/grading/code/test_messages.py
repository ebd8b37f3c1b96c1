"""Messages over a socket."""

import socket
import threading

import pytest

from at_k.grading.code.messages import receive_message, send_message


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def test_messages_arrive_in_order_and_whole(ends):
    one, other = ends
    messages = [{"text": "a\ud800\0é"}, {}, {"long": "x" * 3_000_000}]
    thread = threading.Thread(target=lambda: [send_message(one, message) for message in messages])
    thread.start()
    assert [receive_message(other) for _ in messages] == messages
    thread.join()


@pytest.mark.parametrize("part", [b"", b"\0\0", b"\0\0\0\x09{"])
def test_a_message_that_is_cut_off_is_none(ends, part):
    one, other = ends
    one.sendall(part)
    one.shutdown(socket.SHUT_WR)
    assert receive_message(other) is None
