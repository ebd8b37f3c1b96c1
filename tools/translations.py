"""List what has no Chinese yet: `python -m tools.translations`. `make release` prints the same list.

Nobody who changes something needs to translate it: what has no Chinese is shown in English.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from at_k.demo.scoring import OPTIONS
from at_k.demo.words import read_catalogue
from at_k.family import COMPARISONS, FAMILY, METRICS, OUTPUTS, module_path
from at_k.options.registry import COLUMNS

ROOT = Path(__file__).resolve().parent.parent

_FENCED = re.DOTALL | re.MULTILINE
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_NAME = re.compile(r"`(\w+)`")
_FIVE_WORDS = re.compile(r"(?:\b[A-Za-z]+[ ,]+){4}[A-Za-z]+")
# Code, formulas, targets and texts of links, and quotations, which may be titles.
_NAMES = re.compile(r"`[^`]*`|\$[^$]*\$|\([^)]*\)|\[[^\]]*\]|“[^”]*”|\S*[@^]\S*")


def list_missing() -> list[str]:
    """List what is shown in English to readers of Chinese."""
    return [*list_registry(), *list_sentences(), *list_cards()]


def list_registry() -> Iterator[str]:
    """List the metrics, outputs and options whose entry has no Chinese."""
    for name, metric in FAMILY.items():
        if not metric.chinese:
            yield f"at_k/family.py: `chinese` of {name}"
    for name, output in OUTPUTS.items():
        if output.label[0] and not output.label[1]:
            yield f"at_k/family.py: the label of {name}"
    for option in (*COLUMNS.values(), *OPTIONS.values()):
        if len(option.card) == 1:
            yield f"at_k/options/options.toml: the `card` of {option.name}"


def list_sentences() -> Iterator[str]:
    """List the sentences that have no entry in a catalogue, or an entry for another English text."""
    pages, library = read_catalogue("pages"), read_catalogue("library")
    for code, (_, chinese) in {**pages, **library}.items():
        if not chinese:
            yield f"the Chinese of {code}"
    for name, catalogue, sentences in (
        ("library.po", library, list_messages(ROOT / "at_k")),
        ("pages.po", pages, list_labels()),
    ):
        for code, english in sentences:
            if code not in catalogue:
                yield f"{name}: {code}"
            elif catalogue[code][0] != english:
                yield f"{name}: {code}, whose English is now “{english}”"


@cache
def list_messages(folder: Path) -> tuple[tuple[str, str], ...]:
    """List the messages below a folder, without those of the pages: code and sentence."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        if "demo" in path.parts or path.name == "errors.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found |= read_message(node)
    return tuple(found.items())


def read_message(call: ast.Call) -> dict[str, str]:
    """Read the sentences of one call by their codes: those of a table, or of one message or error."""
    called = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if called == "Phrases":
        return dict(ast.literal_eval(call.args[0]))
    texts = [node.value for node in call.args if isinstance(node, ast.Constant)]
    is_message = called in ("Message", "Legend", "Mistake") or called.endswith("Error")
    if is_message and len(texts) == len(call.args) == 2:
        code, sentence = map(str, texts)
        return {code: sentence}
    return {}


def list_labels() -> Iterator[tuple[str, str]]:
    """List what forms call options and their choices: key and English."""
    for name, option in OPTIONS.items():
        if option.label:
            yield f"option.{name}", option.label
        for choice, said in option.words:
            yield f"option.{name}.{choice}", said


def list_cards() -> Iterator[str]:
    """List the modules without a Chinese card, and the parts of Chinese cards that are in English."""
    for name in (*METRICS, *COMPARISONS):
        card = module_path(name) / "README.zh.md"
        place = card.relative_to(ROOT).as_posix()
        if not card.is_file():
            yield place
            continue
        text = card.read_text(encoding="utf-8")
        for part in find_english_parts(text):
            yield f"{place}: {part[:60]}"
        english = card.with_name("README.md").read_text(encoding="utf-8")
        new = dict.fromkeys(each for each in _NAME.findall(english) if each not in text)
        if new:
            yield f"{place}: what is said of {', '.join(new)}"


def find_english_parts(card: str) -> list[str]:
    """Find the paragraphs, items and headings of a Chinese card that are in English."""
    prose = re.sub(r"\A---\n.*?\n---\n|^```.*?^```$", "", card, flags=_FENCED)
    parts = [" ".join(part.split()) for part in re.split(r"\n\n|\n(?=- )", prose)]
    found = []
    for part in parts:
        words = _NAMES.sub("", part)
        is_sentence = _FIVE_WORDS.search(words)
        if is_sentence or (part.startswith("#") and not _CHINESE.search(part)):
            found.append(part)
    return found


def main() -> None:
    """Print the list."""
    print(*list_missing(), sep="\n")


if __name__ == "__main__":
    main()
