"""Decode JSON: quickly where it is plain, and strictly where it is not; and what the text of a cell spells."""

from __future__ import annotations

import json
import os
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from at_k.errors import InputError, Message, Phrases
from at_k.readers.faults import UNITS
from at_k.readers.names import LONGEST, quote, shorten

# Digits up to which a float can hold any integer.
_LONGEST_INTEGER = 308

# What runs Python in a shell: an environment has both names, but a system often the second one alone.
PYTHON = "python" if os.name == "nt" else "python3"

# What makes JSON lines of the objects in a broken document that hold no others, and of what Python printed.
KEEP_OBJECTS = "tr -d '\\n' < FILE | grep -oE '[{][^{}]*[}]' | sed -E 's/, *[}]/}/' > NEW"
_READ_ROWS = "import ast, json; [print(json.dumps(ast.literal_eval(row))) for row in open('FILE')]"
_EVALUATE = f'{PYTHON} -c "{_READ_ROWS}" > NEW'

_FIND_PAIRS = "json.dumps(dict(re.findall(r'(\\w+)=(\\S+)', row)))"
_PAIRS = f"{PYTHON} -c \"import json, re; [print({_FIND_PAIRS}) for row in open('FILE')]\" > NEW"

# What makes lines of cells of a printed matrix, such as NumPy's.
_MATRIX = re.compile(r"[\[\]\s]*(?:(?:[01]\.?|True|False)[\[\]\s]+)+")
_SPLIT = "tr -d '[].' < FILE | awk '{$1 = $1} 1' OFS=, > NEW"

_say = Phrases(
    {
        "decoding.line": "This is not valid JSON: line {line}, near {near}. The file may be cut off. "
        "{option:errors=skip} leaves out such lines.",
        "decoding.broken": "This is not valid JSON: line {line}, near {near}. The file may be cut off. "
        "{option:errors=skip} leaves out such lines. The objects that can be read make another file: `{way}`.",
        "decoding.matrix": "This is a matrix as NumPy prints it, and not JSON. Convert the file: `{way}`.",
        "decoding.repeated_name": "An object has the name “{name}” more than once ({place}). Rename one of them.",
        "decoding.surrogate": "A text contains half of a character, an unpaired surrogate, which no file can hold "
        "({place}).",
        "decoding.not_object": 'Each row must be an object such as {{"correct": [1, 0]}}; got {value} ({place}).',
        "decoding.long_number": "A number has too many digits to be read ({place}). Write it as text, in quotation "
        "marks.",
        "decoding.deep": "This JSON is nested too deeply to be read.",
        "decoding.encoding": "This is not text in UTF-8: a byte in line {line} does not fit. Save the file in UTF-8, "
        "for instance by `{way}`.",
    }
)

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
        if _MATRIX.fullmatch(text):
            raise _say.error("decoding.matrix", way=_SPLIT) from None
        if printed:
            way = _EVALUATE
        elif line is not None:  # the other lines are enough
            raise _say.error("decoding.line", **values) from None
        elif "{" in text:
            way = KEEP_OBJECTS
        elif "=" in text:
            way = _PAIRS
        else:
            raise _say.error("decoding.line", **values) from None
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


_BLANK = re.compile(
    r"[\s\ufeff]*"
)  # files that were joined may begin with marks of their order of bytes


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
    if len(digits) <= _LONGEST_INTEGER:
        return int(digits)
    return _Faulty()


_decoder = json.JSONDecoder(object_pairs_hook=_decode_object)
_decoder_of_long_integers = json.JSONDecoder(
    object_pairs_hook=_decode_object, parse_int=_decode_integer
)


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


# The bytes of one of the usual Chinese characters: capitals and signs of another language, which no small letter is by.
_CHINESE = re.compile(rb"(?<![A-Za-z\x80-\xff])(?:[\xb0-\xd7][\xa1-\xfe])+(?![A-Za-z\x80-\xff])")


def decode_text(data: bytes, line: int | None = None) -> str:
    """Decode a text in UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _say.error(
            "decoding.encoding",
            line=data.count(b"\n", 0, error.start) + 1 if line is None else line,
            way=f"iconv -f {'GB18030' if _CHINESE.search(data) else 'WINDOWS-1252'} -t UTF-8 FILE > NEW",
        ) from None


class Listed(list[Any]):
    """A list that stood in a cell of CSV, with the text of the cell."""

    def __init__(self, values: list[Any], text: str) -> None:
        super().__init__(values)
        self.text = text


# The start of a list, an array, or a tuple of verdicts; (2, 3) is a point, and (a) a choice.
_OPENING = re.compile(
    r"\s*(?:(?:np\.)?(?:array|tensor)\()?(?:\[|\((?:True|False|None|[01](?:\.0)?)\s*[,)])"
)


def read_lists(texts: Sequence[str | None]) -> list[Any]:
    """Return the cells of a CSV column: lists if every cell begins like one, else the texts.

    Examples:
        >>> read_lists(["[1, null]", None]), read_lists(["[1, 2]", "3"])
        ([[1, None], None], ['[1, 2]', '3'])
    """
    # One list among other texts is not a list of samples, but an answer such as the interval [0, 1].
    if not all(not isinstance(text, str) or _OPENING.match(text) for text in texts):
        return list(texts)
    return [read_list(text) for text in texts]


def spell_lists(cells: Iterable[Any]) -> list[Any]:
    """Return cells with the text in place of each list that was read from it."""
    return [cell.text if isinstance(cell, Listed) else cell for cell in cells]


def read_list(cell: Any) -> Any:
    """Return the list in a cell, or the cell if it holds a list neither of JSON nor of Python or NumPy."""
    values = cell
    if isinstance(cell, str) and _OPENING.match(cell):
        values = _load(cell)
    if isinstance(values, list) and values is not cell:
        return Listed(values, cell)
    return values


# A name that ends in a number, which may have a word before it: q1_0, HumanEval/0-1, p@2, q1-run0, q1 (0),
# and test_q1[1-4] of pytest-repeat.
_NUMBERED = re.compile(
    r"(.*?[^\W_])[\W_]+(?:(?:s|r|t|run|seed|sample|rollout|trial|attempt|try|rep|gen)[\W_]*)?(\d+)(?:-\d+(?=\]))?[)\]]?",
    re.IGNORECASE,
)


def split_number(name: str) -> tuple[str, str] | None:
    """Split a name that ends in a number: q1_0 into q1 and 0; None for others."""
    numbered = _NUMBERED.fullmatch(name)
    if numbered:
        return (numbered[1], numbered[2])
    return None


def read_fields(cell: Any) -> Any:
    """Return the object or list that a text spells, or the two parts of a name that ends in a number; or else the cell.

    Examples:
        >>> read_fields("{'ok': True}"), read_fields("q1_0"), read_fields("{1, 2}")
        ({'ok': True}, {'base': 'q1', 'number': '0'}, '{1, 2}')
    """
    if not isinstance(cell, str):
        return cell
    if cell.lstrip().startswith(("{", "[")):
        return _load(cell)
    numbered = split_number(cell)
    if numbered:
        return dict(zip(("base", "number"), numbered, strict=True))
    return cell


def _load(text: str) -> Any:
    """Return the value that a text spells in JSON, or as Python writes it; or else the text."""
    try:
        return parse(text)
    except json.JSONDecodeError:
        pass
    try:
        return parse(_rewrite(text))
    except (ValueError, IndexError, SyntaxError, TypeError):  # the last for 1j and …
        return text


# What Python and NumPy write in a list or an object: array( or np.float64(, dtype=float32, a text, a bracket, a value.
_TOKEN = re.compile(
    r"""\s*(?:(?P<call>(?:np\.\w+|array|tensor)\()|(?P<option>,?\s*(?:dtype|device)=[^()]*(?=\)))|(?P<opening>[\[({])|"""
    r"""(?P<closing>[\])}])|(?P<mark>[:,])|(?P<value>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+.\w]+))\s*""",
    re.DOTALL,
)

# Words of Python, and what JSON has for them.
_CONSTANTS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "np.True_": "true",
    "np.False_": "false",
} | {
    "nan": "NaN",
    "inf": "Infinity",
    "-inf": "-Infinity",
}


def _rewrite(text: str) -> str:
    """Write in JSON what Python wrote with `str`, such as ['a', None], [1. nan] or array([1, 0]).

    Raises:
        ValueError: if it is something else.
    """
    # Each value is evaluated by itself, so that nothing is nested.
    parts, closing, place = [" "], [""], 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or (
            token["opening"] == "(" and len(parts) > 1
        ):  # [(1)] is no list in a list
            raise ValueError(text)
        kind, word, place = token.lastgroup, token[token.lastgroup or 0], token.end()
        if kind in ("opening", "value") and parts[-1][-1] not in "[{:, ":
            parts.append(",")  # NumPy puts a space between values
        if kind in ("opening", "call"):
            closing.append({"(": "]", "[": "]", "{": "}"}[word] if kind == "opening" else "")
            parts += ["{" if word == "{" else "["] if kind == "opening" else []
        elif kind == "closing":
            if parts[-1] == ",":
                parts.pop()
            parts += filter(None, [closing.pop()])
        elif kind == "mark":
            parts.append(word)
        elif kind == "value":
            parts.append(_CONSTANTS.get(word) or json.dumps(literal_eval(word)))
    return "".join(parts)
