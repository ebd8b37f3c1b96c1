"""Texts that people paste and that are no file: Markdown tables, literals of Python, matrices of verdicts.

Each is recognised by its whole structure, and rewritten as JSON lines or CSV for the reader of files, with notes that
say what was read as what.
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Sequence
from io import StringIO
from typing import Any, NamedTuple

from at_k.demo.words import make_error
from at_k.errors import Message
from at_k.readers.cells import read_spelled

_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_NUMBERED = re.compile(r"(\D*)(\d+)")
_VERDICTS = re.compile("result|correct|verdict|pass|grade|outcome|bits|结果|判定", re.IGNORECASE)
# Characters up to which a text is looked at: what is longer was written by a program.
_LONGEST = 1_000_000


class Tidied(NamedTuple):
    """A text for the reader of files, and what was read as what, if it was rewritten."""

    text: str
    notes: tuple[Message, ...] = ()


def tidy_text(text: str) -> Tidied:
    r"""Rewrite a text that was pasted; one that needs nothing is returned as it is.

    Examples:
        >>> tidy_text("| task | ok |\n|---|---|\n| a | 1 |").text
        'task,ok\na,1\n'
        >>> text, (note,) = tidy_text("1 0\n1 1")
        >>> text
        '{"problem": 1, "correct": [1, 0]}\n{"problem": 2, "correct": [1, 1]}'
        >>> print(note)
        Read as a matrix: 2 rows are problems, and 2 columns are answers.
        >>> tidy_text("[[True, False]]").text, tidy_text("task,s1,s2\na,1,0").text
        ('[[true, false]]', '{"task": "a", "correct": [1, 0]}')
    """
    if len(text) > _LONGEST or not text.strip():
        return Tidied(text)
    lines = [line.strip() for line in text.strip().lstrip("\ufeff").splitlines() if line.strip()]
    if text.lstrip()[0] in "[{(":
        return _rewrite_python(text, lines)
    table = _read_markdown(lines)
    matrix = _rewrite_matrix(table or _split(lines))
    if table is None:
        return matrix or Tidied(text)
    text, notes = matrix or Tidied(_write_csv(table))
    return Tidied(text, (_note("markdown", columns=", ".join(table[0])), *notes))


def read_verdict(cell: str) -> int | None:
    """Read a verdict as 1 or 0; None for any other text."""
    value = read_spelled(cell)
    return int(value) if isinstance(value, (bool, float)) and value in (0, 1) else None


def _note(name: str, **values: object) -> Message:
    return make_error(f"paste.{name}", **values).message


def _rewrite_python(text: str, lines: Sequence[str]) -> Tidied:
    """Rewrite literals of Python as JSON: the whole text, or each line."""
    for parts in ([text.strip()], lines):
        try:
            json.loads(parts[0])
            return Tidied(text)
        except (ValueError, RecursionError):
            pass
        try:
            rewritten = "\n".join(json.dumps(ast.literal_eval(part), allow_nan=False) for part in parts)
            return Tidied(rewritten, (_note("python"),))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
    return Tidied(text)


def _read_markdown(lines: Sequence[str]) -> list[list[str]] | None:
    """Read a Markdown table; None for any other text."""
    if len(lines) < 3 or "|" not in lines[0] or not _RULE.fullmatch(lines[1]) or "|" not in lines[1]:
        return None
    rows = [re.split(r"(?<!\\)\|", line.strip("|")) for line in (lines[0], *lines[2:])]
    return [[cell.strip().replace(r"\|", "|") for cell in row] for row in rows]


def _split(lines: Sequence[str]) -> list[list[str]]:
    """Split lines at the sign that gives all of them equally many cells; blanks come last."""
    for sign in "\t,;| ":
        rows = [line.split(sign) if sign != " " else line.split() for line in lines]
        if len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            return [[cell.strip().strip('"') for cell in row] for row in rows]
    return []


def _rewrite_matrix(rows: Sequence[Sequence[str]]) -> Tidied | None:
    """Rewrite rows of verdicts, with or without names, and with or without a header that numbers the samples."""
    if not rows:
        return None
    whole = [i for i in range(len(rows[0])) if all(read_verdict(row[i]) is not None for row in rows)]
    if len(whole) == len(rows[0]) or (len(whole) > 1 and whole == list(range(1, len(rows[0])))):
        named = len(whole) < len(rows[0])
        note = _note("named_matrix" if named else "matrix", rows=len(rows), columns=len(whole))
        return _write_rows([{"problem": row[0] if named else i + 1} for i, row in enumerate(rows)], rows, whole, note)
    head, *body = rows
    numbered = [(i, match) for i, name in enumerate(head) if (match := _NUMBERED.fullmatch(name))]
    numbers = [int(match[2]) for _, match in numbered]
    places = [i for i, _ in numbered]
    is_counted = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    same = len({match[1] for _, match in numbered}) == 1
    if not (body and is_counted and same) or any(read_verdict(row[i]) is None for row in body for i in places):
        return _rewrite_bits(head, body)
    others = [i for i in range(len(head)) if i not in places]
    about: list[dict[str, Any]] = [
        {head[i]: row[i] for i in others} or {"problem": n + 1} for n, row in enumerate(body)
    ]
    return _write_rows(about, body, places, _note("numbered", first=head[places[0]], last=head[places[-1]]))


def _rewrite_bits(head: Sequence[str], body: Sequence[Sequence[str]]) -> Tidied | None:
    """Rewrite a column of verdicts whose cells are strings of 0 and 1, all equally long."""
    bits = [i for i in range(len(head)) if body and all(re.fullmatch("[01]{2,}", row[i]) for row in body)]
    if len(bits) != 1 or len({len(row[bits[0]]) for row in body}) != 1 or not _VERDICTS.search(head[bits[0]]):
        return None
    about: list[dict[str, Any]] = [{name: row[i] for i, name in enumerate(head) if i not in bits} for row in body]
    verdicts = [list(row[bits[0]]) for row in body]
    return _write_rows(about, verdicts, range(len(verdicts[0])), _note("digits", column=head[bits[0]]))


def _write_rows(
    about: Sequence[dict[str, Any]], rows: Sequence[Sequence[str]], places: Sequence[int], note: Message
) -> Tidied:
    lines = (
        {**fields, "correct": [read_verdict(row[i]) for i in places]} for fields, row in zip(about, rows, strict=True)
    )
    return Tidied("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), (note,))


def _write_csv(rows: Sequence[Sequence[str]]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
