"""The page Compare shows the numbers of the library, warns where they mislead, and refuses in a sentence."""

import json
import re
from html import unescape

import numpy as np
import pytest

import at_k
from at_k.demo import work
from at_k.demo.comparing import USUAL
from at_k.demo.examples import read_pair
from at_k.demo.words import LANGUAGES

CELL = re.compile(r'<td class="([^"]*)" data-key="([^"]*)" data-value="([^"]*)"')
TAGS = re.compile(r"<[^>]+>")


def text_of(html):
    return " ".join(unescape(TAGS.sub(" ", html)).split())


def ask(a, b="", language="en", **fields):
    sides = {"a": {"name": "x.jsonl", "text": a}} | ({"b": {"name": "y.jsonl", "text": b}} if b else {})
    return work.answer("compare", USUAL | {"example": "", "given": sides} | fields, language)


def write(grades, model=None, start=0):
    rows = [
        {"task_id": f"p{start + i}", "correct": row} | ({"model": model} if model else {})
        for i, row in enumerate(grades)
    ]
    return "\n".join(map(json.dumps, rows))


def draw(seed, chance, problems=30, samples=4):
    random = np.random.default_rng(seed)
    chances = random.beta(2 * chance, 2 * (1 - chance), problems)
    return (random.random((problems, samples)) < chances[:, None]).astype(int).tolist()


A, B = draw(1, 0.8), draw(2, 0.3)


def figures(html):
    return [json.loads(unescape(each)) for each in re.findall(r'data-figure="(.*?)"', html)]


def test_every_number_of_the_table_is_the_librarys():
    parts = ask(write(A), write(B))["parts"]
    options = {"k": [1, 2, 4], "thresholds": [0.5, 1.0]}
    compared = at_k.compare(at_k.score({"grades": A}, **options), at_k.score({"grades": B}, **options), margin=0.02)
    cells = {key: (colour, float(value)) for colour, key, value in CELL.findall(parts["table"])}
    assert {"pass@1", "pass@2", "pass@4", "G-Pass@2_0.5", "G-Pass@4_1.0", "mG-Pass@4", "cons@4"} <= set(cells)
    for key, (_, value) in cells.items():
        assert value == pytest.approx(compared.comparisons[key].difference, abs=1e-12)
    hidden = set(compared.comparisons) - set(cells)
    shown = {round(compared.comparisons[key].difference, 12) for key in cells}
    assert all(round(compared.comparisons[key].difference, 12) in shown | {0.0} for key in hidden)
    found = compared.comparisons["pass@1"]
    assert cells["pass@1"][0] == "of-a"
    head = text_of(parts["head"])
    assert f"{100 * found.difference:+.1f} points [{100 * found.low:+.1f}, {100 * found.high:+.1f}]" in head
    assert " ".join(map(str, compared.describe("pass@1"))).replace("A is better at", "x.jsonl is better at") in head
    assert f"A is better on {found.won}, B on {found.lost}, and {found.tied} are tied" in head


def test_the_better_one_is_named_first_whichever_side_it_is_on():
    there, back = (text_of(ask(write(a), write(b))["parts"]["head"]) for a, b in ((A, B), (B, A)))
    sentence = re.compile(r"(\S+) is better at pass@1: (.*? points \[.*?\], p [=<] 0\.\d+)\.")
    assert (sentence.search(there)[1], sentence.search(back)[1]) == ("x.jsonl", "y.jsonl")
    assert sentence.search(there)[2] == sentence.search(back)[2]


@pytest.mark.parametrize(("language", "sign"), [("en", ", "), ("zh", "，")])
@pytest.mark.parametrize("seed", [2, 5])
def test_the_headline_has_the_p_value_and_never_its_complement(seed, language, sign):
    """Whoever reads 1 − p as the probability that A is better is misled, so that it is not printed."""
    chance = {2: 0.3, 5: 0.78}[seed]
    b = draw(seed, chance)
    html = ask(write(A), write(b), language, k="1", thresholds="1.0")["parts"]["head"]
    compared = at_k.compare(at_k.score({"grades": A}, k=1), at_k.score({"grades": b}, k=1), keys=["pass@1"])
    p = compared.comparisons["pass@1"].p_value
    shown = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    headline = text_of(re.search(r"<h1>(.*?)</h1>", html)[1])
    assert f"]{sign}{shown}" in headline
    assert not re.search("confidence|置信度|%", headline)


def test_equal_models_are_not_called_different():
    head = text_of(ask(write(A), write(A), margin="50")["parts"]["head"])
    assert "is better at" not in head
    assert "within 0.5" in head


def test_the_problems_of_a_point_are_those_with_its_counts():
    parts = ask(write(A), write(B))["parts"]
    data = json.loads(unescape(re.search(r'data-problems="(.*?)"', parts["problems"])[1]))
    (figure,) = figures(parts["problems"])
    assert sorted(place for places in data["points"] for place in places) == list(range(30))
    for point in figure["points"]:
        places = data["points"][int(point["name"])]
        assert point["count"] == len(places)
        for place in places:
            row = data["problems"][place]
            number = int(row["name"][1:])
            assert row["a"]["samples"] == "".join(map(str, A[number]))
            assert (point["x"], point["y"]) == (sum(A[number]) / 4, sum(B[number]) / 4)


def test_both_curves_are_those_of_the_reports():
    figure, _ = figures(ask(write(A), write(B), key="pass@2")["parts"]["curves"])
    assert [line["color"] for line in figure["lines"]] == ["a", "b"]
    for line, grades in zip(figure["lines"], (A, B), strict=True):
        c = [sum(row) for row in grades]
        assert line["x"] == [1, 2, 3, 4]
        assert line["y"] == pytest.approx([at_k.pass_at_k([4] * 30, c, k=k).mean() for k in line["x"]])
        assert all(low <= y <= high for low, y, high in zip(line["low"], line["y"], line["high"], strict=True))


@pytest.mark.parametrize("key", ["pass@4", "G-Pass@4_1.0", "mG-Pass@2", "avg@4"])
def test_a_number_is_shown_when_it_is_chosen(key):
    parts = ask(write(A), write(B), key=key)["parts"]
    assert f"at {key}" in text_of(parts["head"])
    assert len(figures(parts["curves"])) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_band_over_k_is_the_librarys_and_is_said(language):
    parts = ask(write(A), write(B), language, key="pass@2")["parts"]
    assert list(parts)[:2] == ["head", "curves"]
    options = {"k": [1, 2, 4], "thresholds": [0.5, 1.0]}
    reports = [at_k.score({"grades": grades}, **options) for grades in (A, B)]
    band = at_k.compare(*reports, names=("x.jsonl", "y.jsonl"), band=True).bands["pass@k"]
    line, zero = figures(parts["curves"])[1]["lines"]
    assert line["x"] == list(band.k)
    for name, expected in {"y": band.difference, "low": band.low, "high": band.high}.items():
        assert line[name] == pytest.approx([100 * each for each in expected])
    assert zero["y"] == [0, 0]
    said = text_of(re.search(r'<p class="said">(.*?)</p>', parts["curves"])[1])
    assert said == (" ".join(map(str, band.describe())) if language == "en" else said)
    assert "1–4" in said
    assert "x.jsonl" in said


@pytest.mark.parametrize(
    ("b", "verdict"), [(B, "PASS"), (draw(7, 0.8), "INCONCLUSIVE"), (np.ones((30, 4), int).tolist(), "FAIL")]
)
def test_the_gate_is_the_librarys(b, verdict):
    found = at_k.gate(at_k.score({"grades": A}), at_k.score({"grades": b}), margin=0.02)
    assert found.verdict == verdict
    head = text_of(ask(write(A), write(b))["parts"]["head"])
    assert f"As a gate: x.jsonl may be worse than y.jsonl by up to 2 points at pass@1: {verdict} ." in head
    assert all(str(each) in head for each in found.checks[0].advice)
    assert "As a gate" not in text_of(ask(write(A), write(b), margin="")["parts"]["head"])


def test_flips_are_drawn_sample_by_sample():
    html = ask(write(A), write(B))["parts"]["problems"]
    flips = at_k.compare(at_k.score({"grades": A}), at_k.score({"grades": B})).flips["pass@1"]
    rows = re.findall(r"<tr><td><button[^>]*>p(\d+)</button></td>(.*?)</tr>", html)
    assert [int(name) for name, _ in rows] == [int(flip.problem) for flip in flips]
    signs = {"right": 1, "wrong": 0}
    for name, cells in rows:
        drawn = [[signs[each] for each in re.findall(r"<i class=\"(\w+)\"", cell)] for cell in cells.split("<td")[1:]]
        assert drawn == [A[int(name)], B[int(name)]]


def test_two_models_in_one_file_are_found_and_can_be_exchanged():
    text = f"{write(A, 'big')}\n{write(B, 'small')}\n{write(B, 'third')}"
    found = ask(text)
    assert "big is better at pass@1" in text_of(found["parts"]["head"])
    assert [value for value, _ in found["choices"]["model_b"]] == ["", "big", "third"]
    turned = ask(text, model_a="small", model_b="big")["parts"]
    assert "big is better at pass@1" in text_of(turned["head"])
    assert CELL.findall(turned["table"])[0][0] in ("of-b", "unsure")
    assert (
        "is the same model" in ask(text, model_b="big")["refused"]
        or "same model" in ask(text, model_b="big")["refused"]
    )
    named = ask(text.replace("model", "temperature"), by="temperature")
    assert "big is better at pass@1" in text_of(named["parts"]["head"])


def test_columns_may_be_named_for_the_files_that_have_them():
    a = "\n".join(json.dumps({"qid": i, "id": 7, "ok": row, "correct": [0] * 4}) for i, row in enumerate(A))
    b = "\n".join(json.dumps({"qid": i, "correct": row}) for i, row in enumerate(B))
    expected = ask(write(A), write(B))["parts"]["table"]
    found = ask(a, b, column_problem="qid", column_grades="ok")
    assert CELL.findall(found["parts"]["table"]) == CELL.findall(expected)
    assert CELL.findall(ask(a, b)["parts"].get("table", "")) != CELL.findall(expected)


def test_the_bundled_pair_is_two_prompts_on_the_same_problems():
    rows = [json.loads(line) for line in read_pair().splitlines()]
    grades = {prompt: [row["correct"] for row in rows if row["prompt"] == prompt] for prompt in ("long", "medium")}
    won = sum(sum(a) > sum(b) for a, b in zip(*grades.values(), strict=True))
    head = text_of(work.answer("compare", USUAL, "en")["parts"]["head"])
    assert f"A is better on {won}" in head


def test_problem_sets_that_differ_are_said_and_can_be_refused():
    b = write(B[:20], start=10)
    found = ask(write(A), b)
    assert 'class="warning"' in found["parts"]["head"]
    warning = re.search(r'<div class="warning".*?</div>', found["parts"]["head"])[0]
    assert text_of(warning) == "Problems that only one model has, left out: 10."
    data = json.loads(unescape(re.search(r'data-problems="(.*?)"', found["parts"]["problems"])[1]))
    assert len(data["problems"]) == 20
    assert "20" in ask(write(A), b, unmatched="error")["refused"]
    unpaired = ask(write(A), b, unmatched="unpaired")["parts"]
    assert "10 problems are in A alone, 0 in B alone" in text_of(unpaired["head"])
    assert unpaired["problems"] == ""


def test_other_conditions_are_said():
    answers = "\n".join(json.dumps({"task_id": f"p{i}", "answers": ["1", "2"], "reference": "1"}) for i in range(30))
    found = ask(write([row[:2] for row in A]), answers)
    assert found["refused"] is None
    assert "condition" in text_of(found["parts"]["head"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("a", "b", "fields", "said"),
    [
        ("", "", {}, ""),
        (write(A), "", {}, ""),
        (write(A), "x", {}, "B"),
        ("{broken", write(B), {}, "A"),
        (write(A), write(B), {"k": "99"}, "99"),
        (write(A), write(B), {"k": "0"}, "0"),
        (write(A), write(B), {"thresholds": "2"}, "2"),
        (write(A), write(B), {"margin": "<b>"}, "&lt;b&gt;"),
        (write(A), '{"task_id": "q", "correct": [1, 0]}', {}, ""),
        (write(A), '{"task_id": "p0", "correct": [1, null]}', {}, "B"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(a, b, fields, said, language):
    found = ask(a, b, language, **fields)
    assert 'role="alert"' in found["refused"]
    assert said in found["refused"]
    assert found["parts"] == {}


def test_names_are_no_markup():
    text = f"{write(A, '<img src=x>')}\n{write(B, '<script>')}".replace("p0", "<i>&")
    found = ask(text)
    assert not re.search(r"<(img|script|i>)", json.dumps(found["parts"]))  # choices are put in as text
    assert "&lt;img src=x&gt;" in found["parts"]["head"]
