"""`at-k compare`, `gate` and `plan`: their numbers are those of the library; what they print, write and refuse."""

import json
import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from cases import for_each, for_rows, make_pattern

import at_k
from at_k.results.sheet import Sheet
from at_k.results.writers import lay_out

NAMES = [f"q{i}" for i in range(12)]
PILOT = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]


def count(counts, **columns):
    """Make rows of problems with these numbers of four samples correct, and further columns."""
    more = [
        dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)
    ] or [{}] * len(counts)
    return [
        {"id": f"q{i}", "correct": [1] * c + [0] * (4 - c)} | more[i] for i, c in enumerate(counts)
    ]


TOPICS = [f"t{i // 5}" for i in range(40)]
FILES = {
    # The first is better than the others, which are equal.
    "good.jsonl": [{"id": q, "correct": [1, 1]} for q in NAMES],
    "fair.jsonl": [{"id": q, "correct": [1, int(q == "q11")]} for q in NAMES],
    "same.jsonl": [{"id": q, "correct": [0, 1]} for q in NAMES],
    "fewer.jsonl": [{"id": q, "correct": [1, 0]} for q in NAMES[1:]],
    # The first two in two texts; two models in one file, with a row for each sample.
    **{f"{name} texts.jsonl": [{"id": q, "text": i // 6, "correct": row} for i, q in enumerate(NAMES)]
       for name, row in (("good", [1, 1]), ("fair", [1, 0]))},
    "both.jsonl": [{"model": m, "id": q, "correct": c} for m, row in (("a", [1, 1]), ("b", [1, 0])) for q in NAMES
                   for c in row],
    **{name: [{"id": i, "correct": [c]} for i in range(8)] for name, c in (("A", 0), ("is", 1))},
    # Forty problems in eight topics: the first model is a little better.
    **{f"{name}{ending}": count([4, c, 3, 2, 4] * 8, topic=TOPICS)
       for name, c in (("new", 4), ("old", 3)) for ending in (".jsonl", "/results.jsonl")},
    "pilot.jsonl": count(PILOT, answers=[["7"] * c + ["8"] * (4 - c) for c in PILOT], reference=["7"] * 12),
    "other.jsonl": count([i // 4 for i in range(12)]),
    "alike.jsonl": [{"id": i, "correct": [1, 1]} for i in range(20)],
    "two.toml": '[new]\nrequire = ["pass@1 >= 0.7"]\n[old]\nrequire = ["pass@1 >= 0.99"]\nconfidence_level = 0.8\n',
    "half.toml": 'require = "pass@1 >= 0.7"\nconfidence_level = 0.5\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(make_folder):
    place = make_folder(FILES)
    for name, saved in (("good", "good.json"), ("fair", "fine.json")):
        at_k.score(place / f"{name}.jsonl").save(place / saved)
    return place


# What is typed after at-k, the exit status, and what is printed in this order, from the beginning.
PRINTED = {
    "one file with two models": (
        "compare both.jsonl --where model=a --where model=b -m pass@k -k 1", 0,
        "… A model=a B model=b … pass@1 1.000 0.500"),
    'a model whose name is a word of "A is better"': ("compare A is", 0, "… B is better"),
    "several models": (
        "compare good.jsonl fair.jsonl same.jsonl -m pass@k -k 1", 0,
        "… pass@1 good.jsonl > fair.jsonl, same.jsonl … good.jsonl 1.000 1 fair.jsonl 0.542 2–3"),
    "other problems": ("compare good.jsonl fewer.jsonl", 2, "… good.jsonl has 1, such as 'q0' … `--unmatched drop`."),
    "other problems left out": ("compare good.jsonl fewer.jsonl --unmatched drop", 0, ""),
    "two that hold": ("gate new.jsonl --require 'pass@1 >= 0.7' --require 'pass^4 >= 30 %'", 0, "PASS "),
    "one of two": ("gate new.jsonl --require 'pass@1 >= 0.7' --require 'pass^4 >= 0.9'", 1, "FAIL "),
    "one that is not settled": ("gate new.jsonl --require 'pass@1 >= 0.85'", 3, "INCONCLUSIVE "),
    "counts that hold": ("gate new.jsonl --each '2 of 4'", 0, "PASS "),
    "counts that do not": ("gate new.jsonl --each '3 of 4'", 1, "FAIL "),
    "a policy has a table for each data set": (
        "gate new.jsonl old.jsonl --policy two.toml", 1, "… PASS new: pass@1 >= 0.7 … FAIL old: pass@1 >= 0.99"),
    "a policy about more": ("gate new.jsonl --policy two.toml", 2, "… There are no results for old."),
    "a pilot that cannot tell": ("plan alike.jsonl", 0, "… This pilot cannot tell how much problems vary. Problems "
                                 "with another value than 1: 0 of 20."),
    "a prediction": ("plan pilot.jsonl --predict 8", 0,
                     "Pilot: 12 problems × 4 samples, pass@1 = … pass@8_predicted"),
}  # fmt: skip


@for_rows("typed, status, says", PRINTED)
def test_a_command_prints_its_answer(ask, typed, status, says):
    done = ask(typed)
    assert done.exit_code == status
    assert re.match(make_pattern(says), done.said)


@for_rows("typed, absent", {
    "a note on dropped problems": ("compare good.jsonl fewer.jsonl --unmatched unpaired", ["only one model has"]),
    "pairs of other problems": ("compare good.jsonl fewer.jsonl --unmatched unpaired", ["11 / 0"]),
    "a plan beside a prediction alone": ("plan pilot.jsonl --predict 8", ["problems  "]),
    "parts of a variance that is not known": ("plan alike.jsonl", ["of the variance"]),
    "needs of it": ("plan alike.jsonl --detect 0.05 --half-width 0.05", ["with n ="]),
})  # fmt: skip
def test_false_statements_are_not_printed(ask, typed, absent):
    done = ask(typed)
    assert done.exit_code == 0
    assert not [words for words in absent if words in done.stdout]


GOOD, FAIR, TEXTS = "good.jsonl", "fair.jsonl", ("good texts.jsonl", "fair texts.jsonl")
NAMED = {"names": (GOOD, FAIR)}

# What is typed after at-k, and the same call of the library.
CALLS = {
    f"compare {GOOD} {FAIR} -m pass@k -k 1 --margin 0.1": lambda: at_k.compare(
        GOOD, FAIR, metrics="pass_at_k", k=1, margin=0.1, **NAMED),
    f"compare {GOOD} {FAIR} -m avg_at_n --extra-tests t": lambda: at_k.compare(
        GOOD, FAIR, metrics="avg_at_n", extra_tests="t", **NAMED),
    f"compare {TEXTS[0]!r} {TEXTS[1]!r} -m pass@k -k 1 --clusters text": lambda: at_k.compare(
        *TEXTS, names=TEXTS, metrics="pass_at_k", k=1, clusters=[i // 6 for i in range(12)]),
    f"compare {GOOD} {FAIR} --against {FAIR} --against same.jsonl -m pass@k -k 1": lambda: at_k.compare_benchmarks(
        {GOOD: GOOD, FAIR: FAIR}, {GOOD: FAIR, FAIR: "same.jsonl"}, metrics="pass_at_k", k=1),
    "gate new.jsonl --require 'pass@1 >= 0.85' --against old.jsonl --margin 0.02 --metrics pass@2": lambda: at_k.gate(
        "new.jsonl", "old.jsonl", require="pass@1 >= 0.85", margin=0.02, metrics="pass@2"),
    "gate new.jsonl --against old.jsonl --margin 0.02 --clusters topic": lambda: at_k.gate(
        "new.jsonl", "old.jsonl", margin=0.02, clusters=TOPICS),
    "plan pilot.jsonl --samples 1,2,4,1024 --problems 12,48 --half-width 0.05 --detect 0.1": lambda: at_k.plan(
        "pilot.jsonl", samples=[1, 2, 4, 1024], problems=[12, 48], half_width=0.05, detect=0.1),
    "plan pilot.jsonl -k 3 --thresholds 2/3": lambda: at_k.plan("pilot.jsonl", k=3, thresholds=Fraction(2, 3)),
    "plan pilot.jsonl other.jsonl --detect 0.2 --ci 0.9": lambda: at_k.plan(
        "pilot.jsonl", "other.jsonl", detect=0.2, confidence_level=0.9),
    "plan alike.jsonl --detect 0.05": lambda: at_k.plan("alike.jsonl", detect=0.05),
}  # fmt: skip


@for_each("typed", CALLS)
def test_a_command_shows_and_writes_what_the_library_finds(ask, ask_json, typed):
    found = CALLS[typed]()
    said = ask(typed, columns=200).said
    lines = [
        "".join(text for text, _ in line)
        for line in lay_out(Sheet(found.sheet(short=True).parts), 200)
    ]
    assert [line for line in lines if " ".join(line.split()) not in said] == []
    assert len(lines) > 2 or "alike" in typed
    written = json.loads(found.to_json())
    assert {name: own for name, own in ask_json(typed).items() if name in written} == written


def test_a_prediction_is_written_where_it_is_asked_for(ask, ask_json):
    predicted = ask_json("plan pilot.jsonl --predict 8 --half-width 0.05")["predicted"]
    assert (predicted["k"], predicted["target"]) == ([8], "problem_set")
    assert "problems  " in ask("plan pilot.jsonl --predict 8 --samples 4").stdout


def test_saved_reports_are_compared(ask, ask_json):
    done = ask("compare good.json fine.json --format json")
    expected = ask("compare good.jsonl fair.jsonl --format json")
    assert done.stdout == expected.stdout.replace("good.jsonl", "good.json").replace(
        "fair.jsonl", "fine.json"
    )
    assert list(ask_json("compare good.json fair.jsonl -m avg_at_n")["keys"]) == [
        "avg@2",
        "accuracy",
    ]


def test_ranks_and_pairs_of_several_models(ask, ask_json):
    models = {name: at_k.score(f"{name}.jsonl") for name in ("good", "fair", "same")}
    pair = at_k.rank(models, metrics="pass@1").pairs["good", "same"]
    said = f"good.jsonl − same.jsonl +0.500 [{pair.low:+.3f}, {pair.high:+.3f}] < 0.001"
    assert said in ask("compare good.jsonl fair.jsonl same.jsonl -m pass@k -k 1").said
    content = ask_json("compare good.jsonl fair.jsonl same.jsonl")["pass@1"]
    assert content["order"] == "good.jsonl > fair.jsonl, same.jsonl"
    assert (content["ranks"]["same.jsonl"], len(content["pairs"])) == ([2, 3], 3)
    words = "'good texts.jsonl' 'fair texts.jsonl' 'fair texts.jsonl'"
    assert (
        " > " not in ask_json(f"compare {words} -m pass@k -k 1 --clusters text")["pass@1"]["order"]
    )


def test_every_form_of_a_gate_is_written(ask, tmp_path):
    paths = [tmp_path / f"gate{ending}" for ending in (".xml", ".md", ".json")]
    words = "gate new.jsonl --require 'pass@1 >= 0.85'"
    done = ask(f"{words} --format markdown {' '.join(f'--out {path}' for path in paths)}")
    assert done.exit_code == 3
    assert done.stdout == paths[1].read_text()
    assert ElementTree.parse(paths[0]).getroot()[0].get("errors") == "1"
    assert json.loads(paths[2].read_text())["decision"] == "INCONCLUSIVE"
    assert ask(f"{words} --format junit").stdout == paths[0].read_text()


def test_flags_override_the_policy_even_with_the_default(ask_json):
    low, default = (
        ask_json(f"gate new.jsonl --policy half.toml{more}")["checks"][0]["low"]
        for more in ("", " --ci 0.95")
    )
    assert low == at_k.gate("new.jsonl", policy="half.toml").checks[0].low
    assert default == at_k.gate("new.jsonl", require="pass@1 >= 0.7").checks[0].low < low


def test_files_of_one_name_are_told_apart_by_their_paths(ask_json):
    paths = [f"{name}/results.jsonl" for name in ("new", "old")]
    done = ask_json(f"gate {' '.join(paths)} --each '3 of 4'")
    assert {check["data"] for check in done["checks"]} == set(paths)
    assert [note.rpartition(" ")[2] for note in done["notes"]] == ["40."] * 2
