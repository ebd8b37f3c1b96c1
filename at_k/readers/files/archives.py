"""Read the members of a zip file, Zstandard ones too, or of a tar file, without writing them anywhere."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from at_k.errors import Phrases
from at_k.readers.files.paths import is_named_as_results
from at_k.readers.files.sources import Source, refuse_growth
from at_k.readers.names import quote
from at_k.validation import UNLIMITED, Limits

_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
# Flags of a member that is encrypted, strongly encrypted, or has a masked header.
_ENCRYPTED = 0x1 | 0x40 | 0x2000
# The flag of a member whose name is in UTF-8.
_UTF8 = 0x800

# The fixed part of the header before a member: its mark, and the lengths of the name and of the extra field.
_HEADER = struct.Struct("<4s22xHH")

# Errors of `zipfile` for damaged directories, besides its own.
_DIRECTORY_ERRORS = (
    zipfile.BadZipFile,
    OSError,
    ValueError,
    IndexError,
    OverflowError,
    NotImplementedError,
    struct.error,
)

_say = Phrases(
    {
        "archives.encrypted": "Member {name} of this zip file is encrypted. Decrypt the file first.",
        "archives.member": "Member {name} of this zip file is damaged ({reason}). Copy the file again.",
        "archives.tar": "This tar file is cut off or damaged ({reason}). Copy it again.",
        "archives.broken": "This zip file is cut off or damaged ({reason}). Copy it again; a run that is still going "
        "on may not have written its end yet.",
    }
)


class Archive:
    """A zip file. Python's `zipfile` reads its directory; it cannot read Zstandard members before Python 3.14.

    Sizes, places and checksums are taken from the directory, as members that were written as a stream have none in
    their own headers. The directory is not believed: a member is decompressed up to the size that it announces, and the
    sum of these sizes is limited. A member replaces an earlier one of the same name, as the writer of inspect_ai
    appends. Nothing is written to the disk, so a path may be anything.

    Args:
        source: the file.

    Raises:
        InputError: if it is damaged.
    """

    def __init__(self, source: Source) -> None:
        self._source, self._total = source, 0
        self._file = source.unpack().open_packed()
        try:
            self._members = {info.filename: info for info in _read_directory(self._file)}
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the members, in the order of the directory."""
        return iter(self._members)

    def read(self, name: str) -> bytes:
        """Read a member."""
        info = self._members[name]
        if info.flag_bits & _ENCRYPTED:
            raise _say.error("archives.encrypted", name=quote(name))
        self._total += max(info.file_size, info.compress_size)  # members may share bytes
        refuse_growth(self._total, self._source.size, self._source.limits)
        try:
            return self._read_member(info)
        except (struct.error, zlib.error, ValueError, OSError, OverflowError, MemoryError) as error:
            reason = str(error) or type(error).__name__
            raise _say.error("archives.member", name=quote(name), reason=reason) from None

    def _read_member(self, info: zipfile.ZipInfo) -> bytes:
        """Read and check a member. Its `ValueError` says what is wrong with it."""
        file = self._file
        file.seek(info.header_offset)
        mark, name_length, extra_length = _HEADER.unpack(file.read(_HEADER.size))
        if mark != b"PK\x03\x04":
            raise ValueError("it does not begin where the directory says")
        if file.read(name_length) != info.orig_filename.encode(
            "utf-8" if info.flag_bits & _UTF8 else "cp437"
        ):
            raise ValueError("its own name is not the one in the directory")
        file.seek(extra_length, io.SEEK_CUR)
        data = _decompress(file.read(info.compress_size), info.compress_type, info.file_size)
        if len(data) != info.file_size:
            raise ValueError("its size is not the one in the directory")
        if zlib.crc32(data) != info.CRC:
            raise ValueError("its checksum is wrong")
        return data


def _decompress(packed: bytes, method: int, size: int) -> bytes:
    """Decompress a member up to one byte more than its announced size. Large ones have several frames."""
    if method == _STORED:
        return packed
    if method == _DEFLATED:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, size + 1)
    if method != _ZSTANDARD:
        raise ValueError(f"its compression method, {method}, is not one of Deflate and Zstandard")
    import pyarrow as pa

    return bytes(pa.Codec("zstd").decompress(packed, decompressed_size=size, asbytes=True))


def list_results(path: Path, limits: Limits = UNLIMITED) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the results files in a zip or tar file, each with its path in it; nothing of a spreadsheet."""
    if names_tar(path):
        yield from _list_in_tar(path, limits)
        return
    with Archive(Source(path.name, path, limits)) as archive:
        if any(name.startswith("xl/") for name in archive):
            return
        for name in archive:
            if _holds_results(PurePosixPath(name)):
                yield PurePosixPath(name), archive.read(name)


def names_tar(path: Path) -> bool:
    """Return whether a path ends as that of a tar file, compressed or not."""
    return path.suffix.lower() in (".tar", ".tgz") or ".tar." in path.name


def _list_in_tar(path: Path, limits: Limits) -> Iterator[tuple[PurePosixPath, bytes]]:
    total = 0
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                total += member.size
                refuse_growth(total, path.stat().st_size, limits)
                file = archive.extractfile(member)
                if file is not None and _holds_results(PurePosixPath(member.name)):
                    yield PurePosixPath(member.name), file.read()
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise _say.error("archives.tar", reason=str(error) or type(error).__name__) from None


def _holds_results(member: PurePosixPath) -> bool:
    """Return whether a member is a results file by its name, and no hidden one, such as those of macOS."""
    parts = [part for part in member.parts if part != ".."]
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
    return not is_hidden and is_named_as_results(Path(member.name))


def list_members(source: Source) -> tuple[str, ...]:
    """List the names of the members of a zip file, each of them once."""
    with Archive(source) as archive:
        return tuple(archive)


def _read_directory(file: IO[bytes]) -> list[zipfile.ZipInfo]:
    """Read the directory of a zip file: its members, without the folders."""
    try:
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
    except _DIRECTORY_ERRORS as error:
        raise _say.error("archives.broken", reason=str(error) or type(error).__name__) from None
    return [info for info in listed if not info.filename.endswith("/")]
