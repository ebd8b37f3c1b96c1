"""Members of zip files are read whole and right, or refused soon, in little memory, with a sentence."""

import gzip
import io
import random
import re
import struct
import zipfile
import zlib
from functools import cache

import pytest
import zstandard
from bounds import hold
from cases import for_each
from readers.measuring import measure, put_all
from readers.zips import DEFLATED, STORED, ZSTANDARD, Member, compress, pack

from at_k.errors import InputError
from at_k.readers.files.archives import Archive, list_members
from at_k.readers.files.sources import Source
from at_k.validation import Limits

TEXT = b"The answer is 42. " * 200


def read_all(data):
    """Read every member: name → bytes."""
    with Archive(Source("log.eval", data)) as archive:
        return {name: archive.read(name) for name in archive}


def refuse(data):
    """Return the error with which a file is refused."""
    with pytest.raises(InputError) as caught:
        read_all(data)
    return caught.value


class TestReading:
    @for_each("method", [STORED, DEFLATED, ZSTANDARD])
    def test_methods(self, method):
        members = {"a.json": TEXT, "empty": b"", "folder/δ.json": b"{}"}
        assert (
            read_all(pack([Member(name, data, method) for name, data in members.items()]))
            == members
        )

    def test_frames_that_say_how_large_they_are(self):
        assert read_all(pack([Member("a", TEXT, packed=zstandard.compress(TEXT))])) == {"a": TEXT}

    def test_several_frames(self):
        # inspect_ai begins a new frame after 200 MiB.
        for first in (zstandard.compress(TEXT), compress(TEXT, ZSTANDARD)):
            packed = first + compress(b"and so on", ZSTANDARD)
            assert read_all(pack([Member("a", TEXT + b"and so on", packed=packed)])) == {
                "a": TEXT + b"and so on"
            }

    def test_folders_are_no_members(self):
        assert read_all(pack([Member("samples/"), Member("samples/a", TEXT)])) == {
            "samples/a": TEXT
        }

    def test_sizes_that_follow_the_member(self):
        # zipfile writes data descriptors into a stream that cannot be rewound.
        class Stream(io.RawIOBase):
            def __init__(self):
                self.written = bytearray()

            def writable(self):
                return True

            def write(self, piece):
                self.written += piece
                return len(piece)

        stream = Stream()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("a", TEXT)
            file.writestr("b", b"")
        assert struct.unpack_from("<H", stream.written, 6)[0] & 0x8
        assert read_all(bytes(stream.written)) == {"a": TEXT, "b": b""}

    def test_zip64(self, monkeypatch):
        monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
        monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a", TEXT)
            archive.writestr("b", TEXT[::-1])
        assert b"PK\6\6" in file.getvalue()
        assert read_all(file.getvalue()) == {"a": TEXT, "b": TEXT[::-1]}

    def test_comments_and_gaps(self):
        # A header that was written again leaves the bytes of the first one between members.
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("header.json", b"old")
            archive.writestr("a", TEXT)
        with zipfile.ZipFile(file, "a") as archive:
            archive.filelist = [info for info in archive.filelist if info.filename != "header.json"]
            del archive.NameToInfo["header.json"]
            archive.writestr("header.json", b"new")
            archive.comment = b"a comment"
        assert read_all(file.getvalue()) == {"a": TEXT, "header.json": b"new"}

    @for_each("squeeze", [gzip.compress, zstandard.compress])
    def test_a_zip_that_is_compressed_as_a_whole(self, squeeze):
        source = Source("log.eval.gz", squeeze(pack([Member("a", TEXT)])))
        assert source.layout == "zip"
        assert list_members(source) == ("a",)


def point_all_at_one(data, count):
    """Many directory entries for the same member."""
    packed = compress(data, DEFLATED)
    size = {"packed_size": len(packed), "size": len(data), "checksum": zlib.crc32(data)}
    more = [Member("b", method=DEFLATED, packed=b"", offset=0, **size) for _ in range(count)]
    for number, member in enumerate(more):
        member.name, member.own_name = f"{number}", ""
    return pack([Member("first", data, DEFLATED), *more])


def quote_the_next(count):
    """Members whose bytes include the next member, header and all, as of David Fifield's zip bomb."""
    kernel = compress(bytes(1 << 20), DEFLATED)
    members = [
        Member(f"{number:04}", method=DEFLATED, packed=b"", size=1 << 20) for number in range(count)
    ]
    for place, member in enumerate(members):
        member.packed_size = (count - 1 - place) * 34 + len(kernel)
    members[-1].packed = kernel
    return pack(members)


@cache
def zeros(megabytes, method):
    """Compress zeros without having them in memory."""
    deflate, zstd = (
        zlib.compressobj(6, zlib.DEFLATED, -15),
        zstandard.ZstdCompressor().compressobj(),
    )
    compressor = deflate if method == DEFLATED else zstd
    return (
        b"".join(compressor.compress(bytes(1 << 20)) for _ in range(megabytes)) + compressor.flush()
    )


@cache
def sum_zeros(megabytes):
    """Return the checksum of zeros."""
    checksum = 0
    for _ in range(megabytes):
        checksum = zlib.crc32(bytes(1 << 20), checksum)
    return checksum


def lie(method, **about):
    return pack([Member("a", method=method, packed=zeros(70, method), **about)])


def announce_in_frame():
    """A Zstandard frame that says, rightly, how large it is, in a member that says otherwise."""
    compressor = zstandard.ZstdCompressor().compressobj(size=70 << 20)
    packed = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(70)) + compressor.flush()
    assert zstandard.frame_content_size(packed) == 70 << 20
    return pack([Member("a", packed=packed, size=10)])


BOMBS = {
    "zeros in Deflate": (lambda: lie(DEFLATED, size=70 << 20), "sources.bomb"),
    "zeros in Zstandard": (lambda: lie(ZSTANDARD, size=70 << 20), "sources.bomb"),
    "more zeros than were announced": (lambda: lie(DEFLATED, size=10), "archives.member"),
    "more zeros in Zstandard": (lambda: lie(ZSTANDARD, size=10), "archives.member"),
    "a frame that announces more": (announce_in_frame, "archives.member"),
    "a frame that announces endless zeros": (
        # No checksum, one segment, a content size of 8 bytes.
        lambda: pack([Member("a", packed=b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 7 + b"\x0f" + b"\x01\0\0", size=10)]),
        "archives.member",
    ),
    "a window of 2 GiB": (
        lambda: pack([Member("a", packed=b"\x28\xb5\x2f\xfd\0" + bytes([21 << 3]) + b"\x09\0\0x", size=2)]),
        "archives.member",
    ),
    "a size beyond the end": (lambda: lie(DEFLATED, size=10, packed_size=1 << 31), "sources.bomb"),
    "many members of 10 MB": (
        lambda: pack([Member(str(each), method=DEFLATED, packed=zeros(10, DEFLATED), size=10 << 20,
                             checksum=sum_zeros(10)) for each in range(7)]),
        "sources.bomb",
    ),
    "the same bytes many times": (lambda: point_all_at_one(bytes(1 << 20), 1_000), "archives.member"),
    "members in members": (lambda: quote_the_next(1_000), "archives.member"),
    "many names for no bytes": (
        lambda: pack([Member("a", TEXT)] + [Member("a", TEXT, offset=0, packed=b"")] * 60_000),
        "archives.member",
    ),
}  # fmt: skip


class TestBombs:
    def test_limits_hold_for_what_is_unpacked(self):
        data = pack([Member("a", bytes(6_000_000))])
        archive = Archive(Source("", data, Limits(max_bytes=5_000_000)))
        with archive, pytest.raises(InputError) as caught:
            archive.read("a")
        assert caught.value.code == "tables.too_large"

    def test_a_bomb_is_refused_within_a_second_and_200_mb(self, tmp_path):
        put_all(tmp_path, {name: make() for name, (make, _) in BOMBS.items()})
        read = "archive = Archive(Source('f', path.read_bytes())); [archive.read(name) for name in archive]"
        found = hold(1, lambda: measure(tmp_path, read))
        assert {name: code for name, (code, *_) in found.items()} == {
            name: code for name, (_, code) in BOMBS.items()
        }
        assert max(grown for _, grown, _ in found.values()) < 200


class TestDamage:
    @for_each(
        "name", ["samples/a..b.json", "samples/../a", "samples/C:/x", "...", "../x", "/x", "C:\\x"]
    )
    def test_paths_are_only_names(self, name):
        assert read_all(pack([Member(name, TEXT)])) == {name: TEXT}

    @for_each("flags", [0x1, 0x41, 0x2001])
    def test_encrypted_members(self, flags):
        error = refuse(pack([Member("a", TEXT, flags=flags)]))
        assert str(error) == "Member “a” of this zip file is encrypted. Decrypt the file first."

    def test_the_last_of_two_members_of_one_name_counts(self):
        data = pack([Member("a", b"old"), Member("b", b""), Member("a", b"new")])
        assert read_all(data) == {"a": b"new", "b": b""}

    @pytest.mark.parametrize(("wrong", "reason"), [
        ({"checksum": 1}, "its checksum is wrong"),
        ({"size": len(TEXT) - 1}, "its size is not the one in the directory|ZSTD .* too small"),
        ({"size": len(TEXT) + 1}, "its size is not the one in the directory|Corrupt ZSTD compressed data."),
        ({"own_name": "b"}, "its own name is not the one in the directory"),
        ({"own_name": "a\0"}, "its own name is not the one in the directory"),
        ({"offset": 1}, "it does not begin where the directory says"),
        ({"method": 14, "packed": TEXT}, "its compression method, 14, is not one of Deflate and Zstandard"),
    ])  # fmt: skip
    @pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
    def test_what_is_wrong_is_said(self, wrong, reason, method):
        if "offset" in wrong:
            wrong = wrong | {"packed_size": 10}
        error = refuse(pack([Member("a", TEXT, **({"method": method} | wrong))]))
        assert re.fullmatch(
            rf"Member “a” of this zip file is damaged \(({reason})\). Copy the file again.",
            str(error),
        )

    @for_each("method", [DEFLATED, ZSTANDARD])
    def test_bytes_that_cannot_be_decompressed(self, method):
        assert (
            refuse(pack([Member("a", TEXT, method, packed=b"\xff" * 40)])).code == "archives.member"
        )

    @for_each("method", [STORED, DEFLATED, ZSTANDARD])
    def test_a_file_that_is_cut_off(self, method):
        data = pack([Member(f"{number}.json", TEXT, method) for number in range(5)])
        rng = random.Random(0)
        for size in {4, len(data) - 1, *(rng.randrange(4, len(data)) for _ in range(60))}:
            assert refuse(data[:size]).code == "archives.broken"

    @for_each("method", [STORED, DEFLATED, ZSTANDARD])
    def test_bytes_that_changed(self, method):
        members = {f"{number}.json": TEXT[number:] for number in range(5)}
        data = pack([Member(name, text, method) for name, text in members.items()])
        rng = random.Random(1)
        refused = 0
        for _ in range(500):
            broken = bytearray(data)
            for _ in range(rng.choice((1, 1, 4))):
                broken[rng.randrange(len(data))] = rng.choice((0, 1, 0xFF, rng.randrange(256)))
            try:
                found = read_all(bytes(broken))
            except InputError:
                refused += 1
            else:  # a date, say, or a name in the directory and in the member
                assert {*found.values()} <= {*members.values()}
        assert refused > 100

    def test_the_file_is_closed_after_an_error(self, monkeypatch):
        opened = []

        def open_packed(self):
            opened.append(io.BytesIO(self.content))
            return opened[-1]

        monkeypatch.setattr(Source, "open_packed", open_packed)
        with pytest.raises(InputError):
            Archive(Source("", b"PK\3\4"))
        assert all(file.closed for file in opened)
        assert list_members(Source("", pack([Member("a")]))) == ("a",)
        assert opened[-1].closed
