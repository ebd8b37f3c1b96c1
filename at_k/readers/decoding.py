"""Decode JSON: quickly where it is plain, and strictly where it is not."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from at_k.errors import InputError, Message, Phrases
from at_k.readers.faults import UNITS
from at_k.readers.names import LONGEST, quote, shorten

# Digits up to which a float can hold any integer.
_LONGEST_INTEGER = 308

# What makes JSON lines of the objects in a broken document that hold no others, and of what Python printed.
KEEP_OBJECTS = "tr -d '\\n' < FILE | grep -oE '[{][^{}]*[}]' | sed -E 's/, *[}]/}/' > NEW"
_EVALUATE = "python -c \"import ast, json; [print(json.dumps(ast.literal_eval(row))) for row in open('FILE')]\" > NEW"

_FIND_PAIRS = "json.dumps(dict(re.findall(r'(\\w+)=(\\S+)', row)))"
_PAIRS = f"python -c \"import json, re; [print({_FIND_PAIRS}) for row in open('FILE')]\" > NEW"

_say = Phrases({
    "decoding.line": "This is not valid JSON: line {line}, near {near}. The file may be cut off. {option:errors=skip} "
    "leaves out such lines.",
    "decoding.broken": "This is not valid JSON: line {line}, near {near}. The file may be cut off. "
    "{option:errors=skip} leaves out such lines. The objects that can be read make another file: `{way}`.",
    "decoding.repeated_name": "An object has the name “{name}” more than once ({place}). Rename one of them.",
    "decoding.surrogate": "A text contains half of a character, an unpaired surrogate, which no file can hold "
    "({place}).",
    "decoding.not_object": 'Each row must be an object such as {{"correct": [1, 0]}}; got {value} ({place}).',
    "decoding.long_number": "A number has too many digits to be read ({place}). Write it as text, in quotation "
    "marks.",
    "decoding.deep": "This JSON is nested too deeply to be read.",
    "decoding.encoding": "This is not text in UTF-8: a byte in line {line} does not fit. Save the file in UTF-8, "
    "for instance by `{way}`.",
})  # fmt: skip

_LONG_INTEGER = re.compile(rf"[0-9]{{{_LONGEST_INTEGER + 1}}}")


def decode(data: bytes, line: int | None = None, load: Callable[[str], Any] = json.loads) -> Any:
    """Decode a JSON document, or a line of a JSONL file, whose number an error names.

    Examples:
        >>> decode(b'{"a": [1, NaN]}')
        {'a': [1, nan]}
    """
    import orjson

    # Numbers such as NaN and Infinity, which JSON does not know and Python writes, are read too.
    try:
        return orjson.loads(data)
    except ValueError:
        return _decode_slowly(data, load, line)


def decode_document(data: bytes) -> Any:
    """Decode a JSON document, or several that follow each other as a list of them."""
    return decode(data, load=partial(parse_all, load=json.loads))


def decode_strictly(data: bytes, line: int | None = None) -> Any:
    """Decode JSON, and refuse whatever another decoder could read as something else."""
    return _decode_slowly(data, parse, line)


def _decode_slowly(data: bytes, load: Callable[[str], Any], line: int | None = None) -> Any:
    value = load_text(data, load, line)
    refuse_faulty(value, UNITS["line"](line or 1))
    return value


def load_text(data: bytes, load: Callable[[str], Any], line: int | None = None) -> Any:
    """Return what a function makes of a text in UTF-8 that must be JSON."""
    text = decode_text(data, line)
    try:
        return load(text)
    except json.JSONDecodeError as error:
        half, printed = LONGEST // 2, text[error.pos : error.pos + 1] == "'"
        values: dict[str, Any] = {"line": error.lineno if line is None else line}
        values["near"] = quote(" ".join(text[max(0, error.pos - half) : error.pos + half].split()))
        if line is not None and not printed:  # the other lines are enough
            raise _say.error("decoding.line", **values) from None
        way = _EVALUATE if printed else KEEP_OBJECTS if "{" in text else _PAIRS
        raise _say.error("decoding.broken", way=way, **values) from None
    except RecursionError:
        raise _say.error("decoding.deep") from None
    except InputError:
        raise
    except ValueError:  # Python reads and prints up to 4,300 digits
        raise _say.error("decoding.long_number", place=UNITS["line"](line or 1)) from None


def parse(text: str) -> Any:
    """Parse JSON, with a mark for `refuse_faulty` in place of what cannot be used."""
    try:
        return (_decoder_of_long_integers if _LONG_INTEGER.search(text) else _decoder).decode(text)
    except RecursionError:
        raise _say.error("decoding.deep") from None


def parse_all(text: str, load: Callable[[str], Any] | None = None) -> Any:
    r"""Parse a document, or several that follow each other, as a list: pretty-printed JSON, or lists in lines.

    Examples:
        >>> parse_all('{"a": 1}'), parse_all("[1, 0]\n[1, 1]")
        ({'a': 1}, [[1, 0], [1, 1]])
    """
    try:
        return (load or parse)(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
    values, place = [], 0
    while place < len(text):
        value, end = _decoder.raw_decode(text, place)
        values.append(value)
        place = _BLANK.match(text, end).end()  # type: ignore[union-attr]
    return values


_BLANK = re.compile(r"[\s\ufeff]*")  # files that were joined may begin with marks of their order of bytes


@dataclass(frozen=True)
class _Faulty:
    """The marker, in decoded JSON, of a number with too many digits or an object that repeats a name."""

    repeated: str | None = None


def _decode_object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Faulty:
    row = dict(pairs)
    if len(row) < len(pairs):
        return _Faulty(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return row


def _decode_integer(digits: str) -> int | _Faulty:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else _Faulty()


_decoder = json.JSONDecoder(object_pairs_hook=_decode_object)
_decoder_of_long_integers = json.JSONDecoder(object_pairs_hook=_decode_object, parse_int=_decode_integer)


def refuse_faulty(value: object, place: Message) -> None:
    """Raise unless a value can be written as JSON in UTF-8, as a report is."""

    def refuse(faulty: _Faulty) -> NoReturn:
        if faulty.repeated is None:
            raise _say.error("decoding.long_number", place=place)
        raise _say.error("decoding.repeated_name", place=place, name=shorten(faulty.repeated))

    try:
        json.dumps(value, ensure_ascii=False, default=refuse).encode()
    except RecursionError:
        raise _say.error("decoding.deep") from None
    except UnicodeEncodeError:
        raise _say.error("decoding.surrogate", place=place) from None


def require_object(row: object, place: Message) -> dict[str, Any]:
    """Return a row, which must be an object."""
    if not isinstance(row, dict):
        raise _say.error("decoding.not_object", value=quote(row), place=place)
    return row


def decode_text(data: bytes, line: int | None = None) -> str:
    """Decode a text in UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _say.error(
            "decoding.encoding",
            line=data.count(b"\n", 0, error.start) + 1 if line is None else line,
            way="iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW",
        ) from None
