"""The library's sentences as the command says them."""

import shlex

import pytest

from at_k.cli.words import make_printable, quote_word, spell
from at_k.errors import InputError, Mention, Message


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"missing": "drop"}, "`--missing drop`"),
        ({"on_conflict": "majority"}, "`--on-conflict majority`"),
        ({"where": {"model": "a b"}}, "`--where 'model=a b'`"),
        ({"where": {"n": 3}}, "`--where n=3`"),
        ({"where": {"model": "a", "n": 3}}, "`--where model=a --where n=3`"),
        ({"columns": {"problem": "qid", "grades": "is_right"}}, "`--columns problem=qid,grades=is_right`"),
        ({"columns": {"answers": None}}, "`--columns answers=`"),
        ({"format": "plain", "pool": "file"}, "`--input-format plain`, `--pool file`"),
        ({"select": "pareto"}, '`select="pareto"`'),
    ],
)
def test_settings(settings, said):
    assert spell(Message("a.b", "{settings}", settings=Mention(**settings))) == said


def test_names():
    sentence = "{option:thresholds}, {option:confidence_level}: {option:tests=base}, {option:seed}; {names}"
    message = Message("a.b", sentence, names=Mention("k", "metrics"))
    assert spell(message) == "`--tau`, `--ci`: `--tests base`, `seed`; `--k`, `--metric`"
    assert str(message) == '`thresholds`, `confidence_level`: `tests="base"`, `seed`; `k`, `metrics`'
    assert spell(InputError("a.b", "{why}", why=message).in_file("x.csv")) == f"x.csv: {spell(message)}"


@pytest.mark.parametrize("word", ["a", "a b", "it's", "$HOME", "`x`", "a;b", "", "é=数", "(x)"])
def test_a_shell_reads_a_quoted_word_back(word):
    assert shlex.split(quote_word(word)) == [word]


def test_control_characters():
    assert make_printable("a\x1b[0m\t\u202e\ud800é数 ") == r"a\x1b[0m\t\u202e\ud800é数 "
