"""Messages between a process that wants outcomes and its supervisors."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping
from typing import Any

_HEADER = struct.Struct(">I")


def send_message(connection: socket.socket, message: Mapping[str, object]) -> None:
    """Send a message over a socket."""
    data = json.dumps(message).encode()
    connection.sendall(_HEADER.pack(len(data)) + data)


def receive_message(connection: socket.socket) -> dict[str, Any] | None:
    """Receive a message from a socket. Return None if the other side has closed it."""
    header = _receive(connection, _HEADER.size)
    data = header and _receive(connection, _HEADER.unpack(header)[0])
    return json.loads(data) if data else None


def _receive(connection: socket.socket, length: int) -> bytes:
    """Receive that many bytes, or none if the other side has closed the socket."""
    data = bytearray()
    while len(data) < length:
        part = connection.recv(min(length - len(data), 1 << 20))
        if not part:
            return b""
        data += part
    return bytes(data)
