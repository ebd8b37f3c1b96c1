"""Every word is there in both languages, with the same blanks, and is used; every key that is used has words."""

import ast
import re
from itertools import chain
from pathlib import Path
from string import Formatter

import pytest

from at_k.demo import words
from at_k.demo.words import LANGUAGES, WORDS, Refused, Said, language_of, say

DEMO = Path(words.__file__).parents[1]
LIBRARY = DEMO.parent

SOURCES = [path for path in LIBRARY.rglob("*.py") if Path(words.__file__).parent not in path.parents]
TREES = {str(path.relative_to(LIBRARY)): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
NODES = [node for tree in TREES.values() for node in ast.walk(tree)]
TEXTS = {node.value for node in NODES if isinstance(node, ast.Constant) and isinstance(node.value, str)}

CHINESE = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
"""Characters, and the punctuation between names that are the same in both languages."""

every_key = pytest.mark.parametrize("key", WORDS)


def blanks(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def called(node):
    """The name of what is called."""
    return getattr(node.func, "id", getattr(node.func, "attr", None))


def spoken():
    """For each call that says something: (the key, or the f-string that makes it, the call)."""
    place = {"t": 0, "say": 1, "Said": 0, "Refused": 0}
    for node in NODES:
        if isinstance(node, ast.Call) and called(node) in place and len(node.args) > place[called(node)]:
            yield node.args[place[called(node)]], node


def matching(pattern):
    """The keys that an f-string makes, its blanks being filled with texts that stand in the sources."""
    parts = [re.escape(part.value) if isinstance(part, ast.Constant) else "(.+)" for part in pattern.values]
    matches = [re.fullmatch("".join(parts), key) for key in WORDS]
    return {match[0] for match in matches if match and set(match.groups()) <= TEXTS}


SPOKEN = list(spoken())
PLAIN = [(key.value, call) for key, call in SPOKEN if isinstance(key, ast.Constant)]
MADE = [key for key, _ in SPOKEN if isinstance(key, ast.JoinedStr)]


@every_key
def test_both_languages_say_the_same(key):
    english, chinese = WORDS[key]
    assert english.strip() == english != ""
    assert chinese.strip() == chinese != ""
    assert blanks(english) == blanks(chinese)
    assert not CHINESE.search(english)
    assert CHINESE.search(chinese)


@every_key
def test_words_are_plain_text(key):
    for text in WORDS[key]:
        assert not re.search(r"[<>]|&\w+;", text)  # they are put into HTML as they are
        assert not re.search(r"[!！]", text)


def test_there_are_calls_to_look_at():
    assert len(PLAIN) > 100
    assert len(MADE) > 5


def test_what_is_said_has_words():
    assert {key for key, _ in PLAIN if key not in WORDS} == set()
    assert {ast.unparse(key) for key in MADE if not matching(key)} == set()
    literal = r"({})\.\w*[a-z]".format("|".join({key.partition(".")[0] for key in WORDS} - {"app"}))
    assert {text for text in TEXTS if re.fullmatch(literal, text)} - set(WORDS) == set()


def test_words_are_said():
    assert set(WORDS) - TEXTS - set(chain.from_iterable(map(matching, MADE))) == set()


def test_reasons_about_cells_have_words():
    reasons = [node.args[0].value for node in NODES if isinstance(node, ast.Call) and called(node) == "refused"
               and isinstance(node.args[0], ast.Constant)]  # fmt: skip
    reasons += [node.args[1].value for node in NODES if isinstance(node, ast.Call) and called(node) == "_text"
                and isinstance(node.args[1], ast.Constant)]  # fmt: skip
    assert len(reasons) > 10
    assert {reason for reason in reasons if f"roles.{reason}" not in WORDS} == set()


def test_blanks_are_filled_by_those_who_speak():
    for key, call in PLAIN:
        given = {keyword.arg for keyword in call.keywords}
        if called(call) == "t":
            assert not re.search(r"[{}]", "".join(WORDS[key])), key  # shown as it is
        elif None in given:
            assert given - {None} <= blanks(WORDS[key][0]), key
        else:
            assert given == blanks(WORDS[key][0]), key


def test_keys_stay_different_for_the_browser():
    assert len({key.replace(".", "_") for key in WORDS}) == len(WORDS)


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-US,en;q=0.9,zh-CN;q=0.8", "en"),
        ("ZH-hant-TW", "zh"),
        (" zh ;q=0.5", "zh"),
        ("fr, de;q=0.5", "en"),
        ("fr,zh;q=0.1", "en"),
        ("*", "en"),
        ("zho", "en"),
        ("english", "en"),
        (",;,-,;q=,zh", "en"),
        ("q=0.5;zh", "en"),
        ("\0\r\n<script>", "en"),
        ("a," * 100_000 + "zh", "en"),
    ],
)
def test_language_of(header, language):
    assert language_of(header) == language


def test_a_sentence_waits_for_the_language_of_its_reader():
    said = Said("scoring.dropped", count=3)
    assert said.text("en") == str(said) == say("en", "scoring.dropped", count=3)
    assert said.text("zh") == say("zh", "scoring.dropped", count=3) != str(said)
    assert {"3" in said.text(language) for language in LANGUAGES} == {True}


def test_a_refusal_is_a_value_error_and_says_what_a_visitor_gave_as_it_is():
    with pytest.raises(ValueError, match=re.escape("{n} %s {0}")) as caught:
        raise Refused("scoring.no_number", name="k", value="{n} %s {0}")
    assert "{n} %s {0}" in caught.value.text("zh")
