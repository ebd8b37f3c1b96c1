"""Write zip files byte by byte, so that each part of them can be wrong."""

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import zstandard

STORED, DEFLATED, ZSTANDARD = 0, 8, 93


@dataclass
class Member:
    """A member of a zip file. What is None is as it should be.

    Attributes:
        packed: its compressed bytes.
        size: its decompressed size, as the directory says.
        checksum: its checksum, as the directory says.
        own_name: its name in its own header.
        offset: where the directory says that it begins.
        packed_size: the size of its compressed bytes, as the directory says.
        flags: the flags in the directory and in its header.
    """

    name: str
    data: bytes = b""
    method: int = ZSTANDARD
    packed: bytes | None = None
    size: int | None = None
    checksum: int | None = None
    own_name: str | None = None
    offset: int | None = None
    packed_size: int | None = None
    flags: int = 0x800


def compress(data: bytes, method: int) -> bytes:
    if method == DEFLATED:
        compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
        return compressor.compress(data) + compressor.flush()
    if method == ZSTANDARD:
        # Written as a stream, as inspect_ai does: the frame does not say how large it is.
        compressor = zstandard.ZstdCompressor().compressobj()
        return compressor.compress(data) + compressor.flush()
    return data


def pack(members: list[Member]) -> bytes:
    """Write a zip file by the layout in APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16."""
    body, directory = bytearray(), bytearray()
    for each in members:
        packed = compress(each.data, each.method) if each.packed is None else each.packed
        fields = struct.pack(
            "<HHHHHIII",
            63,
            each.flags,
            each.method,
            0,
            33,
            _or(each.checksum, zlib.crc32(each.data)),
            _or(each.packed_size, len(packed)),
            _or(each.size, len(each.data)),
        )
        name, own = each.name.encode(), _or(each.own_name, each.name).encode()
        offset = _or(each.offset, len(body))
        body += b"PK\3\4" + fields + struct.pack("<HH", len(own), 0) + own + packed
        directory += (
            b"PK\1\2\x3f\0"
            + fields
            + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, offset)
            + name
        )
    count = min(len(members), 0xFFFF)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + end)


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value
