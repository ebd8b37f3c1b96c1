"""Each Chinese card says what the English one beside it says: the same structure, code, formulas, numbers and names."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from cases import for_each

from at_k.family import COMPARISONS, METRICS, module_path
from tools.translations import find_english_parts

CARDS = {
    name: module_path(name) / "README.md"
    for name in (*METRICS, *COMPARISONS)
    if (module_path(name) / "README.zh.md").is_file()
}
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


def drop_comments(code):
    """Leave out the comments of a block, which are translated."""
    return re.sub(r"  # .*$", "", code, flags=re.MULTILINE)


ASPECTS = {
    "the kinds of parts": lambda section: [kind for kind, _ in section.parts],
    "the code": lambda section: list(map(drop_comments, section.of_kind("code"))),
    "the formulas": lambda section: section.of_kind("formula") + _FORMULA.findall(section.prose),
    "the links": lambda section: _LINK.findall(section.prose),
    "the shape of the tables": lambda section: [
        [row.count("|") for row in table.splitlines()] for table in section.of_kind("table")
    ],
    "the numbers": lambda section: re.findall(
        r"\d+(?:[.,]\d+)*|[½⅓⅔¼¾⁰¹²³⁴⁵⁶⁷⁸⁹]", strip(section.prose)
    ),
    # The order of the words differs from language to language.
    "the names": lambda section: Counter(
        [" ".join(name.split()) for name in _NAME.findall(section.prose)]
        + re.findall(r"\*\*([a-z_\d]+)\*\*", section.prose)
    ),
}


def compare(english, chinese):
    """List where two cards differ: the section and what differs."""
    here, there = split(english), split(chinese)
    levels = [
        [len(section.heading.split()[0]) for section in sections] for sections in (here, there)
    ]
    if levels[0] != levels[1]:
        return [f"the levels of the headings: {levels[0]}, and in Chinese {levels[1]}"]
    return [
        f"{first.heading} ({second.heading}): {aspect}: {read(first)}, and in Chinese {read(second)}"
        for first, second in zip(here, there, strict=True)
        for aspect, read in ASPECTS.items()
        if read(first) != read(second)
    ]


@every_card
def test_both_cards_agree(name):
    found = compare(read_english(name), read_chinese(name))
    if (
        name in COMPARISONS
    ):  # its inputs are written in English alone, and the release lists what they name
        found = [each for each in found if not re.match(r"## Inputs .*: the names: ", each)]
    assert found == []


@every_card
def test_each_card_links_to_the_other(name):
    assert read_english(name).splitlines().count(TO_CHINESE) == 1
    assert read_chinese(name).splitlines()[:3][1:] == ["", TO_ENGLISH]


def test_equal_english_parts_are_equal_in_chinese():
    translations = defaultdict(set)
    for name in CARDS.keys() - set(COMPARISONS):
        for here, there in zip(split(read_english(name)), split(read_chinese(name)), strict=True):
            translations[here.heading].add(there.heading)
            for (_, before), (_, after) in zip(here.parts, there.parts, strict=True):
                if _CHINESE.search(after):
                    translations[" ".join(before.split())].add(after)
    assert {before: found for before, found in translations.items() if len(found) > 1} == {}


@for_each("before, after, aspect", [
    *[("。", " 9。", "the numbers"), ("`code_eval`", "`eval`", "the names"), ("](", "](x", "the links")],
    *[("```python\n", "```python\n# more\n", "the code"), ("\\binom", "\\binomx", "the formulas")],
    *[(" |\n", " | |\n", "the shape of the tables"), ("\n- ", "\n", "the kinds of parts")],
    ("\n## ", "\n### ", "the levels of the headings"),
])  # fmt: skip
def test_a_difference_of_the_cards_is_noticed(before, after, aspect):
    chinese = read_chinese("pass_at_k")
    assert before in chinese
    assert any(
        aspect in each
        for each in compare(read_english("pass_at_k"), chinese.replace(before, after, 1))
    )


def test_parts_left_in_english_are_found():
    chinese = read_chinese("pass_at_k")
    before = find_english_parts(
        chinese
    )  # the inputs are written from the registry, which may have no Chinese
    untitled = re.sub(r"(?m)^## .*[\u4e00-\u9fff].*$", "## Inputs", chinese, count=1)
    assert [part for part in find_english_parts(untitled) if part not in before] == ["## Inputs"]
    left = chinese.replace("。", ": this text was left in English。", 1)
    (found,) = (part for part in find_english_parts(left) if part not in before)
    assert "this text was left" in found
