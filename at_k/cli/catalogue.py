"""Print the formats of results files that can be read."""

from __future__ import annotations

import re

from at_k.cli import options
from at_k.cli.layout import wrap
from at_k.cli.options import read_name
from at_k.cli.terminal import Line, make_console, print_lines
from at_k.cli.words import quote_word
from at_k.readers.formats import FORMATS
from at_k.readers.roles import NAMES


def print_formats() -> None:
    """Print every format: its name, its harness, the usual name of its files, and how to get n samples."""
    console = make_console()
    lines: list[Line] = []
    for each in FORMATS.values():
        lines.append([(each.name, "bold"), (f" · {each.title} · {each.file}", "")])
        lines += _wrap(f"n samples: {each.samples}", console.width, "  ")
    lines += [[], *_wrap(_FOOT, console.width, "")]
    print_lines(lines, console)


_FOOT = (
    "A file is recognised by its content, and --input-format NAME overrides that. `at-k formats NAME` shows one format."
)


def print_format(name: str) -> None:
    """Print one format, with a line to copy."""
    each, console = FORMATS[read_name("NAME", "format", options.FORMATS, name)], make_console()
    example = quote_word(re.sub(r"\{\w+\}", "*", each.file.split(", ")[0]))
    lines: list[Line] = [[(each.name, "bold"), (f" · {each.title}", "")]]
    facts = {"file": each.file, "samples": each.samples}
    for fact, text in facts.items():
        first, *rest = _wrap(text, console.width, " " * 11)
        lines += [[(f"  {fact:9}", "dim"), (first[0][0].strip(), "")], *rest]
    for role, names in (NAMES if name == "plain" else {}).items():
        first, *rest = _wrap(names.replace(" ", ", "), console.width, " " * 13)
        lines += [[(f"  {role:11}", "dim"), (first[0][0].strip(), "")], *rest]
    lines += [[("  score    ", "dim"), (f"at-k score {example}", "bold")]]
    print_lines(lines, console)


def _wrap(text: str, width: int, indent: str) -> list[Line]:
    return [[(line, "")] for line in wrap(text, width, first=indent, rest=indent, whole=True)]
