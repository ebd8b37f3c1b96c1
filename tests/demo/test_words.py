"""Every sentence exists in both languages, with the same blanks, and is used; every key in use has words."""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from string import Formatter
from types import SimpleNamespace

import pytest
from tree import list_nodes

from at_k.demo import words
from at_k.demo.drawing import draw_message
from at_k.demo.given import find_folder
from at_k.demo.scoring import OPTIONS
from at_k.demo.words import LANGUAGES, WORDS, make_error, say, translate
from at_k.errors import InputError, Mention, Message
from at_k.family import FAMILY, OUTPUTS
from tools import translations
from tools.translations import list_labels, list_messages as list_messages_of_tool

pytestmark = pytest.mark.xdist_group("sources")  # one worker parses all files

DEMO = Path(words.__file__).parent
CHINESE_OF = {code: chinese for code, (_, chinese) in words.SENTENCES.items()}
LIBRARY = DEMO.parent
PREPARED = LIBRARY.parent / "tools" / "prepared.py"
BELOW = [
    path
    for path in LIBRARY.rglob("*.py")
    if DEMO not in path.parents and path != LIBRARY / "errors.py"
]
STATIC = DEMO / "static"
SCRIPTS = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js")) if path.stem != "words"
)
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.html")))

CHINESE = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
"""Characters, and the punctuation between names that are the same in both languages."""


def blanks(text):
    return {name for name, _ in filled(text)} - {"option"}  # which every message has


def filled(text):
    """The blanks of a template, each with its format."""
    return {(name, form) for _, name, form, _ in Formatter().parse(text) if name is not None}


RAISED = {"Message", "Legend", "Mistake"} | {
    f"{name}Error" for name in ("Input", "TooLarge", "Conflict", "LeftOut", "SeveralModels", "MissingSamples",
                                "NothingToScore", "VoteConflict")
}  # fmt: skip


def called(node):
    """The name of what is called."""
    return getattr(node.func, "id", getattr(node.func, "attr", None))


@pytest.fixture(scope="module")
def sources():
    """Read what the sources say, once, and not at import: all files are parsed for it."""
    nodes = [node for path in (*DEMO.rglob("*.py"), PREPARED) for node in list_nodes(path)]
    below = [node for path in BELOW for node in list_nodes(path)]
    texts = {
        node.value
        for node in (*nodes, *below)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    place = {"say": 1, "make_error": 0}
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and len(node.args) > place.get(called(node), 99)
    ]
    keys = [
        (node.args[place[called(node)]], node) for node in calls
    ]  # a key, or the f-string that makes it
    said = list(list_messages(below))
    return SimpleNamespace(
        texts=texts,
        said=said,
        sentences={code: sentence for code, sentence, _ in said},
        plain=[(key.value, call) for key, call in keys if isinstance(key, ast.Constant)],
        made=[key for key, _ in keys if isinstance(key, ast.JoinedStr)],
    )


def matching(pattern, texts):
    """The keys that an f-string makes, with its blanks filled by texts of the sources."""
    parts = [
        re.escape(part.value) if isinstance(part, ast.Constant) else "(.+)"
        for part in pattern.values
    ]
    matches = [re.fullmatch("".join(parts), key) for key in WORDS]
    return {match[0] for match in matches if match and set(match.groups()) <= texts}


LABELS = {output.metric: output.label for output in OUTPUTS.values() if any(output.label)} | {
    f"{output.metric}_{tau}": threshold.label
    for output in OUTPUTS.values() for tau, threshold in output.thresholds.items() if threshold.label
}  # fmt: skip


def leave_out_missing(pairs):
    """Leave out what is not translated, which `make release` lists."""
    return {key: pair for key, pair in pairs.items() if pair[1]}


def are_alike(english, chinese):
    """Return whether two texts have the same blanks and signs."""
    whole = all(text.strip() == text != "" for text in (english, chinese))
    return (
        filled(english) == filled(chinese)
        and whole
        and not CHINESE.search(english)
        and CHINESE.search(chinese)
    )


def test_both_languages_say_the_same_in_plain_text():
    markup = re.compile(r"[<>!！]|&\w+;")  # they are put into HTML as they are
    pairs = leave_out_missing({**WORDS, **LABELS})
    assert len(pairs) > 100
    assert [key for key, pair in pairs.items() if not are_alike(*pair)] == []
    assert [key for key, pair in pairs.items() if markup.search("".join(pair))] == []


def test_there_are_calls_and_messages_to_look_at(sources):
    assert (len(sources.plain) > 20, len(sources.made) > 5, len(sources.sentences) > 40) == (
        True,
        True,
        True,
    )
    assert "tables.fields" in sources.sentences


def test_every_message_has_words(sources):
    assert {key for key, _ in sources.plain if key not in WORDS} == set()
    assert {ast.unparse(key) for key in sources.made if not matching(key, sources.texts)} == set()
    literal = r"({})\.\w*[a-z]".format("|".join({key.partition(".")[0] for key in WORDS} - {"app"}))
    keys = {
        text
        for text in sources.texts
        if re.fullmatch(literal, text) and not (STATIC / text).exists()
    }
    assert keys - set(WORDS) - set(CHINESE_OF) == set()


def test_controls_with_chinese_words_are_in_use():
    english = {
        *re.findall(r'say\("((?:[^"\\]|\\.)*)"', SCRIPTS),
        *re.findall(
            r">([^<>]+)</\w+>", "".join(re.findall(r"<[^<>]*data-say>[^<>]*</\w+>", PAGES))
        ),
    }
    english |= {text for text in CONTROLS if f'"{text}"' in SCRIPTS}
    assert set(CONTROLS) - english == set()
    marks = {
        text: [set(re.findall(r"{\w+}", each)) for each in (text, chinese)]
        for text, chinese in CONTROLS.items()
    }
    assert [text for text, (here, there) in marks.items() if here != there] == []


CONTROLS = dict(
    re.findall(
        r'"((?:[^"\\]|\\.)*)": "((?:[^"\\]|\\.)*)"',
        (STATIC / "words.js").read_text(encoding="utf-8"),
    )
)


def test_words_are_said(sources):
    said = sources.texts.union(*(matching(key, sources.texts) for key in sources.made))
    published = (find_folder() / "published.jsonl").read_text(encoding="utf-8").splitlines()
    said |= {f"example.{json.loads(line)['name']}" for line in published}
    # The pages that are played with say what their scripts name.
    names = set(re.findall(r"\w+", SCRIPTS))
    names |= {text.replace("lead", "hint") for text in sources.texts}  # each lead has a hint
    said |= {key for key in WORDS if key.removeprefix("play.").removeprefix("title_") in names}
    assert {key for key in set(WORDS) - said if not key.startswith("option.")} == set()


def check_blanks(code, sentence, names):
    """Assert that the values of a message fill its blanks: all of them, unless some are not written out."""
    assert names - {None} <= blanks(sentence), code
    assert None in names or names == blanks(sentence), code


def test_blanks_are_filled(sources):
    for key, call in sources.plain:
        check_blanks(key, WORDS[key][0], {keyword.arg for keyword in call.keywords})
    for code, sentence, names in sources.said:
        if names or not code.startswith(
            "diagnosis."
        ):  # else the rows of AISBench, filled when they are said
            check_blanks(code, sentence, names)


def test_catalogues_are_gettexts_and_whole():
    for name in ("pages", "library"):
        text = (words._FOLDER / f"{name}.po").read_text(encoding="utf-8")
        contexts = re.findall(r'^msgctxt "(.*)"$', text, re.MULTILINE)
        assert len(contexts) == len(set(contexts)) == len(words.read_catalogue(name))
        lines = re.findall(r"^(?:msgctxt|msgid|msgstr) \".*\"$|^\".*\"$|^$", text, re.MULTILINE)
        assert len(lines) == text.count("\n") + 1


def test_the_list_of_translations_finds_all_sentences_of_registry_and_library(sources):
    assert dict(list_messages_of_tool(LIBRARY)) == sources.sentences
    labels = {f"option.{name}": option.label for name, option in OPTIONS.items() if option.label}
    for name, option in OPTIONS.items():
        labels |= {f"option.{name}.{choice}": said for choice, said in option.words}
    assert dict(list_labels()) == labels
    assert {key for key in WORDS if key.startswith("option.")} - set(labels) == set()


def test_a_sentence_waits_for_the_language_of_its_reader_and_says_what_was_given_as_it_is():
    said = Message("page.problems", WORDS["page.problems"][0], count=3)
    assert translate(said, "en") == str(said) == say("en", "page.problems", count=3)
    assert translate(said, "zh") == say("zh", "page.problems", count=3) != str(said)
    assert {"3" in translate(said, language) for language in LANGUAGES} == {True}
    with pytest.raises(ValueError, match=re.escape("{n} %s {0}")) as caught:
        raise make_error("typed.no_number", name="k", value="{n} %s {0}")
    assert "{n} %s {0}" in translate(caught.value, "zh")


def list_messages(nodes):
    """(code, sentence, names of the values, with None where some are not written out) of each message and error."""
    for node in nodes:
        if isinstance(node, ast.Call) and called(node) in RAISED and node.args:
            if not all(isinstance(each, ast.Constant) for each in node.args):
                continue  # a message that is made again from its parts
            code, sentence = map(ast.literal_eval, node.args)
            yield code, sentence, {keyword.arg for keyword in node.keywords}
    for path in BELOW:
        calls = [node for node in list_nodes(path) if isinstance(node, ast.Call) and node.args]
        tables = [ast.literal_eval(node.args[0]) for node in calls if called(node) == "Phrases"]
        for code, sentence in [item for table in tables for item in table.items()]:
            own = [
                node
                for node in calls
                if ast.unparse(node.func).partition(".")[0] == "_say"
                and ast.unparse(node.args[0]) == repr(code)
            ]
            for node in own:
                yield code, sentence, {keyword.arg for keyword in node.keywords}
            if not own:  # said by a code that is looked up
                yield code, sentence, {None}


def test_translations_agree_with_their_sentences_and_none_is_left_over(sources):
    assert list(CHINESE_OF) == sorted(CHINESE_OF)
    assert set(CHINESE_OF) - set(sources.sentences) == set()
    assert not set(CHINESE_OF) & set(WORDS)
    assert {(code, sentence) for code, sentence, _ in sources.said} == set(
        sources.sentences.items()
    )  # a code belongs to one sentence
    assert len(set(sources.sentences.values())) == len(sources.sentences)
    assert [
        code
        for code, (english, chinese) in leave_out_missing(words.SENTENCES).items()
        if not are_alike(english, chinese)
    ] == []


PARTS = {
    *(f"claims.{name}" for name in ("all", "least", "mean", "single")),
    *(f"diagnosis.{name}" for name in ("balance", "reliability", "tolerance")),
    *(
        f"compare.{name}"
        for name in ("better", "equivalent", "in_points", "of_keys", "open", "same_short", "unlike")
    ),
    *(f"engine.{name}" for name in ("note", "outcome")),
    *(f"plan.{name}" for name in ("expected", "no_number", "on_pilot", "unreached")),
    *(f"predict.{name}" for name in ("population", "problem_set")),
    "models.note",
}
"""Cells of a table, and labels before a sentence."""

OFFERS = ("meaning.", "question.")
"""Parts of the line of a reading that was tried."""


def test_messages_are_plain_sentences(sources):
    # An error of a module ends in what it got, as do those of NumPy; a message of its own is a sentence.
    begins = r"^[A-Z].*\.$|^[A-Z].*\?$|^(`|\{option:|cons@k|\{(title|name|a|given)\})|^(1|±|pass@1|\{[^}]*\}).*\.$"
    whole = {
        code: text.strip().replace("\n", " ")
        for code, text in sources.sentences.items()
        if not (code.endswith("place") or code in PARTS or code.startswith(OFFERS))
    }
    assert [code for code, text in whole.items() if not re.search(begins, text)] == []
    ends = {code: text.endswith((".", "?")) for code, text in whole.items()}
    chinese = {code: CHINESE_OF[code] for code in whole if CHINESE_OF.get(code)}
    assert {code: text.endswith(("。", "？")) for code, text in chinese.items()} == {
        code: ends[code] for code in chinese
    }


def test_a_sentence_without_a_translation_is_shown_in_english():
    known = Message("cells.place", words.SENTENCES["cells.place"][0], row=2, column="id")
    changed = Message("cells.place", "at row {row}, “{column}”", row=2, column="id")
    unknown = Message("cells.unknown", "row {row}", row=2)
    assert translate(known, "zh") == "第 2 行，列 “id”"
    assert translate(changed, "zh") == "at row 2, “id”"
    assert translate(unknown, "zh") == "row 2"


def test_what_has_no_chinese_is_listed(monkeypatch):
    before = set(translations.list_sentences())
    code, other = sorted(words.SENTENCES)[:2]
    library = {**words.SENTENCES, other: ("Another sentence.", "另一句。")}
    del library[code]
    monkeypatch.setattr(translations, "read_catalogue", {"library": library, "pages": WORDS}.get)
    found = set(translations.list_sentences())
    assert f"library.po: {code}" in found - before
    assert any(each.startswith(f"library.po: {other}, whose English is now") for each in found)
    untranslated = replace(FAMILY["gpassk"], chinese=None)
    monkeypatch.setitem(FAMILY, "gpassk", untranslated)
    assert untranslated.describe("zh")[0] == untranslated.question
    assert "at_k/family.py: `chinese` of gpassk" in list(translations.list_registry())


def test_messages_inside_a_message_are_translated_too():
    place = Message("cells.place", "row {row}, column “{column}”", row=2, column="id")
    english, _ = words.SENTENCES["cells.answer"]
    error = InputError("cells.answer", english, value="[…]", place=place)
    assert translate(error, "zh") == "答案必须是文本或数字；得到 […]（第 2 行，列 “id”）。"
    assert translate(error, "en") == (
        "An answer must be text or a number; got […] (row 2, column “id”)."
    )
    without = Message("caller.own", "A {word}.", word="word")  # a translation
    assert translate(without, "zh") == "A word."


def test_options_that_a_message_sets_become_choices():
    message = Message(
        "x.y", "Say {option:missing=drop}, or {mend}.", mend=Mention(columns={"grades": None})
    )
    found = draw_message(message, "en")
    assert [mend["set"] for mend in found["mends"]] == [
        {"columns": {"grades": None}},
        {"missing": "drop"},
    ]
    assert found["text"] == "Say `missing = drop`, or `columns = grades=`."
