"""Decode JSON: quickly where it is plain, and with Python's own decoder where it is not."""

from __future__ import annotations

import json
from typing import Any

import orjson

from at_k.errors import InputError
from at_k.readers.quoting import LONGEST, quote


def decode(data: bytes) -> Any:
    """Decode a JSON document.

    Numbers such as NaN and Infinity, which JSON does not know and Python writes, are read too.

    Raises:
        InputError: if it is not JSON in UTF-8, or nested too deeply.

    Examples:
        >>> decode(b'{"a": [1, NaN]}')
        {'a': [1, nan]}
    """
    try:
        return orjson.loads(data)
    except ValueError:
        return _decode_slowly(data, None)


def decode_line(line: bytes, number: int) -> Any:
    """Decode a line of a JSONL file. The number of the line stands in the error.

    Raises:
        InputError: as `decode` does.
    """
    try:
        return orjson.loads(line)
    except ValueError:
        return _decode_slowly(line, number)


def _decode_slowly(data: bytes, line: int | None) -> Any:
    """Decode what the fast decoder refused: NaN, numbers of many digits, or nothing that is JSON."""
    text = decode_text(data, line)
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise InputError(
            "decoding.broken",
            "This is not valid JSON: line {line}, near {near}. The file may be cut off.",
            line=error.lineno if line is None else line,
            near=quote_near(error),
        ) from None
    except RecursionError:
        raise InputError("tables.deep", "This JSON is nested too deeply to be read.") from None
    except UnicodeEncodeError:
        raise InputError(
            "decoding.surrogate",
            "A text contains half of a character, an unpaired surrogate, which no file can hold (line {line}).",
            line=line or 1,
        ) from None
    except ValueError:  # Python reads and prints up to 4,300 digits
        raise InputError(
            "decoding.long_number",
            "A number has too many digits to be read (line {line}). Write it as text, in quotation marks.",
            line=line or 1,
        ) from None
    return value


def decode_text(data: bytes, line: int | None = None) -> str:
    """Decode a text in UTF-8.

    Raises:
        InputError: if it is in another encoding.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "decoding.encoding",
            "This is not text in UTF-8: a byte in line {line} does not fit. Save the file in UTF-8.",
            line=data.count(b"\n", 0, error.start) + 1 if line is None else line,
        ) from None


def quote_near(error: json.JSONDecodeError) -> str:
    """Quote the text around an error."""
    half = LONGEST // 2
    return quote(" ".join(error.doc[max(0, error.pos - half) : error.pos + half].split()))
