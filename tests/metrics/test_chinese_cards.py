"""Each Chinese card says what the English one beside it says: the same structure, code, formulas, numbers and names."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from cases import for_each

from at_k.family import COMPARISONS, METRICS, module_path

CARDS = {name: module_path(name) / "README.md" for name in (*METRICS, *COMPARISONS)}
TO_CHINESE, TO_ENGLISH = "[中文](README.zh.md)", "[English](README.md)"

every_card = for_each("name", CARDS)

_APART = re.compile(r"\A---\n.*?\n---\n|^<!-- .*? -->$", re.MULTILINE | re.DOTALL)
"""The front matter, which the English card alone has, and comments."""

_PART = re.compile(
    r"""
    (?P<code>^```[\s\S]*?^```$)
    | (?P<formula>^\$\$$[\s\S]*?^\$\$$)
    | (?P<heading>^\#+\ .*$)
    | (?P<table>(?:^\|.*\n?)+)
    | (?P<item>^-\ .*(?:\n\ \ .*)*)
    | (?P<paragraph>^\S.*(?:\n(?!-\ )\S.*)*)
    """,
    re.MULTILINE | re.VERBOSE,
)
_NAME = re.compile(r"`([^`]+)`")
_FORMULA = re.compile(r"\$([^$]+)\$")
_LINK = re.compile(r"(?<=\])\(([^)\s]+)\)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass
class Section:
    """A heading, and the parts below it, up to the next heading of any level."""

    heading: str
    parts: list[tuple[str, str]] = field(default_factory=list)

    def of_kind(self, *kinds):
        return [text for kind, text in self.parts if kind in kinds]

    @property
    def prose(self):
        return "\n\n".join(self.of_kind("paragraph", "item", "table"))


def read_english(name):
    return CARDS[name].read_text(encoding="utf-8")


def read_chinese(name):
    return CARDS[name].with_name("README.zh.md").read_text(encoding="utf-8")


def split(text):
    """Split a card into its sections."""
    sections = []
    for found in _PART.finditer(_APART.sub("", text)):
        kind, part = found.lastgroup, found[0].strip()
        if kind == "heading":
            sections.append(Section(part))
        elif part not in (TO_CHINESE, TO_ENGLISH):
            sections[-1].parts.append((kind, part))
    return sections


def strip(prose):
    """Take names, formulas and the targets of links out of a text."""
    return _LINK.sub("", _FORMULA.sub("", _NAME.sub("", prose)))


def find_words(prose):
    """Find what is to be translated: not the names of metrics, nor labels and quotations, which may be titles."""
    return re.sub(r"\S*[@^]\S*|\[[^\]]*\]|“[^”]*”", "", strip(prose))


ASPECTS = {
    "the kinds of parts": lambda section: [kind for kind, _ in section.parts],
    "the code": lambda section: section.of_kind("code"),
    "the formulas": lambda section: section.of_kind("formula") + _FORMULA.findall(section.prose),
    "the links": lambda section: _LINK.findall(section.prose),
    "the shape of the tables": lambda section: [
        [row.count("|") for row in table.splitlines()] for table in section.of_kind("table")
    ],
    "the numbers": lambda section: re.findall(r"\d+(?:[.,]\d+)*|[½⅓⅔¼¾⁰¹²³⁴⁵⁶⁷⁸⁹]", strip(section.prose)),
    # The order of the words differs from language to language.
    "the names": lambda section: Counter(
        [" ".join(name.split()) for name in _NAME.findall(section.prose)]
        + re.findall(r"\*\*([a-z_\d]+)\*\*", section.prose)
    ),
}


def compare(english, chinese):
    """List where two cards differ: the section and what differs."""
    here, there = split(english), split(chinese)
    levels = [[len(section.heading.split()[0]) for section in sections] for sections in (here, there)]
    if levels[0] != levels[1]:
        return [f"the levels of the headings: {levels[0]}, and in Chinese {levels[1]}"]
    return [
        f"{first.heading} ({second.heading}): {aspect}: {read(first)}, and in Chinese {read(second)}"
        for first, second in zip(here, there, strict=True)
        for aspect, read in ASPECTS.items()
        if read(first) != read(second)
    ]


def find_untranslated(english, chinese):
    """List the parts of a Chinese card that have words, but no Chinese ones, or five or more English ones in a row."""
    here, there = split(english), split(chinese)
    left = [section.heading for section in there if not _CHINESE.search(section.heading)]
    for first, second in zip(here, there, strict=True):
        for (kind, before), (_, after) in zip(first.parts, second.parts, strict=True):
            if kind in ("code", "formula") or not re.search("[A-Za-z]{2}", find_words(before)):
                continue
            if not _CHINESE.search(after) or re.search(r"(?:\b[A-Za-z]+[ ,]+){4}[A-Za-z]+", find_words(after)):
                left.append(f"{second.heading}: {after}")
    return left


def test_every_card_has_a_chinese_one():
    assert CARDS.keys() >= set(METRICS)
    assert [name for name, path in CARDS.items() if not path.with_name("README.zh.md").is_file()] == []


@every_card
def test_both_cards_agree(name):
    assert compare(read_english(name), read_chinese(name)) == []


@every_card
def test_all_is_translated(name):
    assert find_untranslated(read_english(name), read_chinese(name)) == []


@every_card
def test_each_card_links_to_the_other(name):
    assert read_english(name).splitlines().count(TO_CHINESE) == 1
    assert read_chinese(name).splitlines()[:3][1:] == ["", TO_ENGLISH]


def test_equal_english_parts_are_equal_in_chinese():
    translations = defaultdict(set)
    for name in METRICS:
        for here, there in zip(split(read_english(name)), split(read_chinese(name)), strict=True):
            translations[here.heading].add(there.heading)
            for (_, before), (_, after) in zip(here.parts, there.parts, strict=True):
                translations[" ".join(before.split())].add(after)
    assert {before: found for before, found in translations.items() if len(found) > 1} == {}


ENGLISH = """---
title: a card
---

# Metric Card

[中文](README.zh.md)

The value $c$ is 0.5 for `k` of [this table](https://a.org/1):

| k | value |
|---|---|
| 4 | 1,000 |

## Inputs

- **other**: text in 2 lines.

$$
c
$$

```python
compute()  # 3
```
"""
CHINESE = """# 指标卡片

[English](README.md)

[此表](https://a.org/1)中 `k` 的值 $c$ 是 0.5：

| k | 值 |
|---|---|
| 4 | 1,000 |

## 输入

- **other**：2 行文本。

$$
c
$$

```python
compute()  # 3
```
"""


@for_each(
    "before, after, heading, aspect",
    [
        *[("0.5", "0.6", "# ", "the numbers"), ("1,000", "10,00", "# ", "the numbers")],
        *[("`k`", "`n`", "# ", "the names"), ("**other**", "**others**", "## ", "the names")],
        *[("a.org/1", "a.org/2", "# ", "the links"), ("# 3", "# 4", "## ", "the code")],
        *[("$c$", "$n$", "# ", "the formulas"), ("$$\nc", "$$\nd", "## ", "the formulas")],
        ("| 4 | 1,000 |", "| 4 | 1,000 | |", "# ", "the shape of the tables"),
        ("- **other**", "**other**", "## ", "the kinds of parts"),
        ("## ", "### ", "the levels of the headings", ""),
        *[(before, after, "", "untranslated") for before, after in (
            ("输入", "Inputs"), ("2 行文本", "2"), ("行文本", "文本：this text has 2 lines, and was left in English"))],
    ],
)  # fmt: skip
def test_a_difference_is_noticed_and_its_section_named(before, after, heading, aspect):
    assert compare(ENGLISH, CHINESE) == find_untranslated(ENGLISH, CHINESE) == []
    assert CHINESE.count(before) == 1
    found = compare(ENGLISH, CHINESE.replace(before, after))
    if aspect == "untranslated":
        assert len(find_untranslated(ENGLISH, CHINESE.replace(before, after))) == 1
    else:
        assert any(each.startswith(heading) and aspect in each for each in found), found
