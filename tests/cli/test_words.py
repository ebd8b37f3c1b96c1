"""The library's sentences as the command says them."""

import shlex

import pytest

from at_k.cli.words import make_printable, name_options, quote_word


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ('Pass missing="drop", or missing="incorrect".', "Pass `--missing drop`, or `--missing incorrect`."),
        ('`on_conflict="majority"` lets most decide.', "`--on-conflict majority` lets most decide."),
        ('where={"model": "a b"}', "`--where 'model=a b'`"),
        ('where={"n": 3}', "`--where n=3`"),
        ('columns={"grades": "passed"}', "`--columns grades=passed`"),
        ('`columns={"problem": "qid", "grades": "is_right"}`', "`--columns problem=qid,grades=is_right`"),
        ('columns={"answers": None}', "`--columns answers=`"),
        ('where={"model": "a", "n": 3}', "`--where model=a --where n=3`"),
        ("`confidence_level` must lie between", "`--ci` must lie between"),
        ('Leave them out: `unmatched="drop"`.', "Leave them out: `--unmatched drop`."),
        ('With format="plain" every column can be named.', "With `--input-format plain` every column can be named."),
        ('pool="file".', "`--pool file`."),
        ('Leave them out: unmatched="drop".', "Leave them out: `--unmatched drop`."),
        ("`thresholds` must be in [0, 1]", "`--tau` must be in [0, 1]"),
        ("`grades` and `answers` stay, as k = 3 does", "`grades` and `answers` stay, as k = 3 does"),
    ],
)
def test_options(sentence, said):
    assert name_options(sentence) == said


@pytest.mark.parametrize("word", ["a", "a b", "it's", "$HOME", "`x`", "a;b", "", "é=数", "(x)"])
def test_a_shell_reads_a_quoted_word_back(word):
    assert shlex.split(quote_word(word)) == [word]


def test_control_characters():
    assert make_printable("a\x1b[0m\t\u202e\ud800é数 ") == r"a\x1b[0m\t\u202e\ud800é数 "
