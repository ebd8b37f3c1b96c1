"""`at-k compare`, `gate` and `plan`: their numbers are those of the library; what they print, write and refuse."""

import json
import re
from xml.etree import ElementTree

import pytest
from cases import for_rows, make_pattern

import at_k

NAMES = [f"q{i}" for i in range(12)]
PILOT = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4]


def count(counts, **columns):
    """Make rows of problems with these numbers of four samples correct, and further columns."""
    more = [dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)] or [{}] * len(counts)
    return [{"id": f"q{i}", "correct": [1] * c + [0] * (4 - c)} | more[i] for i, c in enumerate(counts)]


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
    "other problems": ("compare good.jsonl fewer.jsonl", 1, "… good.jsonl has 1, such as 'q0' … `--unmatched drop`."),
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


def test_a_comparison_has_the_numbers_of_the_library(ask, ask_json):
    done = ask("compare good.jsonl fair.jsonl -m pass@k -k 1 --margin 0.1", columns=120)
    found = at_k.compare("good.jsonl", "fair.jsonl", metrics="pass_at_k", k=1, margin=0.1)
    own = found.comparisons["pass@1"]
    row = next(line for line in done.stdout.splitlines() if line.startswith("pass@1"))
    numbers = row.replace("[", "").replace("]", "").replace(",", "").split()[1:6]
    assert list(map(float, numbers)) == pytest.approx([own.a, own.b, own.difference, own.low, own.high], abs=5e-4)
    assert row.endswith("< 0.001         11 / 0 / 1  A is better")
    assert "A  good.jsonl\nB  fair.jsonl\n" in done.stdout
    said = " ".join(map(str, found.describe("pass@1")))
    assert said.startswith("A is better at pass@1: +45.8 points [")
    assert said in done.said
    assert "equivalent\n  pass@1       1.000" in done.stdout
    content = ask_json("compare good.jsonl fair.jsonl -m avg_at_n --extra-tests t")
    assert content["names"] == ["good.jsonl", "fair.jsonl"]
    assert content["keys"]["avg@2"]["won"] == 11
    assert 0 < content["keys"]["avg@2"]["p_t"] < 0.001


def test_clusters_of_a_comparison(ask_json):
    words = "compare 'good texts.jsonl' 'fair texts.jsonl' -m pass@k -k 1"
    alone, together = (ask_json(f"{words}{more}")["keys"]["pass@1"] for more in ("", " --clusters text"))
    assert (alone["verdict"], together["verdict"]) == ("good texts.jsonl is better", "no difference shown")
    assert together["p_value"] >= 0.5
    ranked = ask_json(f"{words} --clusters text 'fair texts.jsonl'")
    assert " > " not in ranked["pass@1"]["order"]


def test_saved_reports_are_compared(ask, ask_json):
    done = ask("compare good.json fine.json --format json")
    expected = ask("compare good.jsonl fair.jsonl --format json")
    assert done.stdout == expected.stdout.replace("good.jsonl", "good.json").replace("fair.jsonl", "fine.json")
    assert list(ask_json("compare good.json fair.jsonl -m avg_at_n")["keys"]) == ["avg@2", "accuracy"]


def test_ranks_and_pairs_of_several_models(ask, ask_json):
    models = {name: at_k.score(f"{name}.jsonl") for name in ("good", "fair", "same")}
    pair = at_k.rank(models, metrics="pass@1").pairs["good", "same"]
    said = f"good.jsonl − same.jsonl +0.500 [{pair.low:+.3f}, {pair.high:+.3f}] < 0.001"
    assert said in ask("compare good.jsonl fair.jsonl same.jsonl -m pass@k -k 1").said
    content = ask_json("compare good.jsonl fair.jsonl same.jsonl")["pass@1"]
    assert content["order"] == "good.jsonl > fair.jsonl, same.jsonl"
    assert (content["ranks"]["same.jsonl"], len(content["pairs"])) == ([2, 3], 3)


def test_several_benchmarks_are_pooled(ask):
    done = ask("compare good.jsonl fair.jsonl --against fair.jsonl --against same.jsonl -m pass@k -k 1")
    a, b = ({f"{name}.jsonl": f"{own}.jsonl" for name, own in zip(("good", "fair"), row, strict=True)}
            for row in (("good", "fair"), ("fair", "same")))  # fmt: skip
    found = at_k.compare_benchmarks(a, b, metrics="pass_at_k", k=1)
    assert done.exit_code == 0
    assert all(str(sentence) in done.said for sentence in found.pooled.describe("pass@1"))
    assert "fair.jsonl" in done.said


def test_a_gate_has_the_numbers_of_the_library(ask, ask_json):
    done = ask("gate new.jsonl --require 'pass@1 >= 0.85' --against old.jsonl --margin 0.02 --metrics pass@2")
    found = at_k.gate("new.jsonl", "old.jsonl", require="pass@1 >= 0.85", margin=0.02, metrics="pass@2")
    for check in found.checks:
        assert f"{check.verdict} {check.requirement} {check.measured}" in done.said
    assert all(str(note) in done.said for note in found.remarks)
    (check,) = ask_json("gate new.jsonl --against old.jsonl --margin 0.02 --clusters topic")["checks"]
    own = at_k.gate("new.jsonl", "old.jsonl", margin=0.02, clusters=TOPICS).checks[0]
    assert (check["low"], check["high"]) == (own.low, own.high)


def test_every_form_of_a_gate_is_written(ask, tmp_path):
    paths = [tmp_path / f"gate{ending}" for ending in (".xml", ".md", ".json")]
    words = "gate new.jsonl --require 'pass@1 >= 0.85'"
    done = ask(f"{words} --format markdown {' '.join(f'--out {path}' for path in paths)}")
    assert done.exit_code == 3
    assert done.stdout == paths[1].read_text()
    assert ElementTree.parse(paths[0]).getroot()[0].get("errors") == "1"
    assert json.loads(paths[2].read_text())["verdict"] == "INCONCLUSIVE"
    assert ask(f"{words} --format junit").stdout == paths[0].read_text()


def test_flags_override_the_policy_even_with_the_default(ask_json):
    low, default = (ask_json(f"gate new.jsonl --policy half.toml{more}")["checks"][0]["low"]
                    for more in ("", " --ci 0.95"))  # fmt: skip
    assert low == at_k.gate("new.jsonl", policy="half.toml").checks[0].low
    assert default == at_k.gate("new.jsonl", require="pass@1 >= 0.7").checks[0].low < low


def test_files_of_one_name_are_told_apart_by_their_paths(ask_json):
    paths = [f"{name}/results.jsonl" for name in ("new", "old")]
    done = ask_json(f"gate {' '.join(paths)} --each '3 of 4'")
    assert {check["data"] for check in done["checks"]} == set(paths)
    assert [note.rpartition(" ")[2] for note in done["notes"]] == ["40."] * 2


def test_a_plan_prints_every_number(ask):
    samples = [1, 2, 4, 8, 16, 32, 64, 128, 1024]
    words = f"--samples {','.join(map(str, samples))} --problems 12,48 --half-width 0.05 --detect 0.1 --predict 8,16"
    done = ask(f"plan pilot.jsonl {words}")
    assert done.exit_code == 0
    found = at_k.plan("pilot.jsonl", samples=samples, problems=[12, 48], half_width=0.05, detect=0.1)
    for i, n in enumerate(samples):
        for shown in (f"n = {n:,}", f"{found.half_width[0, i]:.3f}", f"{found.detectable[0.5][1, i]:.3f}"):
            assert shown in done.said
    assert f"interval of ± 0.05, with n = 4: {found.needed_problems:,}." in done.said
    assert (
        f"find a difference of 0.1, with n = 4 and a correlation of 0.5: {found.needed_to_detect[0.5]:,}." in done.said
    )
    assert "pass@16_predicted" in done.said
    assert "problems  " in ask("plan pilot.jsonl --predict 8 --samples 4").stdout


def test_a_plan_as_json(ask_json):
    content = ask_json("plan pilot.jsonl --predict 8 --half-width 0.05 -k 2 --ci 0.9")
    found = at_k.plan("pilot.jsonl", k=2, half_width=0.05, confidence_level=0.9)
    assert (content["key"], content["value"]) == ("pass@2", found.value)
    assert content["half_width"] == found.half_width.tolist()
    assert content["needed_problems"] == found.needed_problems
    assert (content["predicted"]["k"], content["predicted"]["target"]) == ([8], "problem_set")
    assert "predicted" not in ask_json("plan pilot.jsonl")
    unknown = ask_json("plan alike.jsonl --detect 0.05")
    assert unknown["needed_to_detect"] == {}
    tables = [unknown["stderr"], *unknown["detectable"].values()]
    assert {cell for table in tables for row in table for cell in row} == {None}


def test_sentences_of_a_plan_have_its_numbers(ask):
    found = at_k.plan("pilot.jsonl")
    share = found.between / (found.between + found.within)
    assert f"{share:.0%} of the variance is between problems" in ask("plan pilot.jsonl").said
    value = at_k.plan("pilot.jsonl", k=3, tau=2 / 3).value
    assert f"G-Pass@3_2/3 = {value:.3f}" in ask("plan pilot.jsonl -k 3 --tau 2/3").stdout
    two = at_k.plan("pilot.jsonl", "other.jsonl", detect=0.2)
    done = ask("plan pilot.jsonl other.jsonl --detect 0.2")
    assert all(str(each) in done.said for each in two.describe_assumptions())
    assert str(next(two.list_needs())) in done.said
