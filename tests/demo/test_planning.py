"""The page Plan shows what the library plans and predicts, for pilots that are given and for those that are made."""

import json
import re
from html import unescape

import numpy as np
import pytest

import at_k
from at_k.demo import work
from at_k.demo.examples import read_example
from at_k.demo.planning import USUAL, make_pilot
from at_k.demo.words import LANGUAGES

TAGS = re.compile(r"<[^>]+>")
CELL = re.compile(
    r'data-problems-planned="(\d+)" data-samples-planned="(\d+)">.*?<b>± ([\d.]+)</b><small>([\d.]+)</small>', re.DOTALL
)


def text_of(html):
    return " ".join(unescape(TAGS.sub(" ", html)).split())


def figures(html):
    return [json.loads(unescape(each)) for each in re.findall(r'data-figure="(.*?)"', html)]


def ask(language="en", **fields):
    return work.answer("plan", USUAL | fields, language)


def ask_of(grades, **fields):
    text = "\n".join(json.dumps({"task_id": i, "correct": row}) for i, row in enumerate(grades))
    return ask(example="", given={"results": {"text": text, "name": "pilot.jsonl"}}, **fields)


ROWS = [json.loads(line)["correct"] for line in read_example("taubench_airline").splitlines()]
COUNTS = ([4] * 50, [sum(row) for row in ROWS])


def test_every_cell_is_the_librarys():
    parts = ask()["parts"]
    cells = CELL.findall(parts["table"])
    assert len(cells) == 25
    plan = at_k.plan(COUNTS, problems=[12, 25, 50, 100, 200], samples=[1, 2, 4, 8, 16])
    for m, n, half, difference in cells:
        place = plan.problems.index(int(m)), plan.samples.index(int(n))
        assert float(half) == pytest.approx(100 * plan.half_width[place], abs=0.051)
        assert float(difference) == pytest.approx(100 * plan.detectable[place], abs=0.051)
    center = plan.half_width[2, 2], plan.detectable[2, 2]
    assert f"± {100 * center[0]:.1f} points" in text_of(parts["head"])
    assert f"difference of {100 * center[1]:.1f} points" in text_of(parts["head"])
    low, high = plan.between_share
    share = plan.between / (plan.between + plan.within)
    assert f"{share:.0%} [{low:.0%}, {high:.0%}] of the variance" in text_of(parts["head"])


def test_pictures_have_the_numbers_of_the_table():
    parts = ask(problems="100", samples="8")["parts"]
    table = {(int(m), int(n)): (half, difference) for m, n, half, difference in CELL.findall(parts["table"])}
    along = dict(zip(("problems", "samples"), figures(parts["table"]), strict=True))
    assert (along["problems"]["handle"], along["samples"]["handle"]) == (100, 8)
    for m in (25, 50, 100, 200, 400):
        for line, shown in zip(along["problems"]["lines"], table[m, 8], strict=True):
            assert line["y"][line["x"].index(m)] == pytest.approx(float(shown), abs=0.11)
    for n in (2, 4, 8, 16, 32):
        for line, shown in zip(along["samples"]["lines"], table[100, n], strict=True):
            assert line["y"][line["x"].index(n)] == pytest.approx(float(shown), abs=0.11)


@pytest.mark.parametrize("language", LANGUAGES)
def test_from_two_pilots_the_correlation_is_estimated(language):
    random = np.random.default_rng(3)
    chances = random.beta(2, 2, 60)[:, None]
    a, b = ((random.random((60, 8)) < chances).astype(int).tolist() for _ in "ab")
    plan = at_k.plan(*(at_k.score({"grades": grades}) for grades in (a, b)), problems=[60], samples=[8])
    sides = {
        side: {"text": "\n".join(json.dumps({"task_id": i, "correct": row}) for i, row in enumerate(grades))}
        for side, grades in (("results", a), ("other", b))
    }
    parts = ask(language, example="", given=sides)["parts"]
    shown = "{:.2f} [{:.2f}, {:.2f}]".format(*plan.estimated)
    assert shown in text_of(parts["head"])
    assert f"{plan.correlation:.2g}" in text_of(parts["table"])
    (least,) = [each for m, n, _, each in CELL.findall(parts["table"]) if (m, n) == ("60", "8")]
    assert float(least) == pytest.approx(100 * plan.detectable[0, 0], abs=0.051)
    other = ask(language, example="", given=sides | {"other": {"text": '{"task_id": "x", "correct": [1, 0]}'}})
    assert 'role="alert"' in other["refused"]


def test_columns_may_be_named():
    rows = [{"qid": i, "id": 7, "ok": row, "correct": [0] * 4} for i, row in enumerate(ROWS)]
    given = {"results": {"text": "\n".join(map(json.dumps, rows)), "name": "pilot.jsonl"}}
    found = ask(example="", given=given, column_problem="qid", column_grades="ok")
    assert found["parts"]["table"] == ask_of(ROWS)["parts"]["table"]
    assert ["ok", "ok"] in found["choices"]["column_grades"]


def test_the_wishes_are_answered_by_the_library():
    plan = at_k.plan(COUNTS, k=2, half_width=0.04, detect=0.05)
    head = text_of(ask(k="2", half_width="4", detect="5")["parts"]["head"])
    assert f"takes {plan.needed_problems:,} problems" in head
    assert f"difference of 5 points takes {plan.needed_to_detect:,} problems" in head
    assert plan.needed_samples is None
    assert "no number of samples reaches it" in head


def test_a_threshold_plans_for_g_pass():
    plan = at_k.plan(COUNTS, k=4, tau=1.0, problems=[50], samples=[4])
    head = text_of(ask(k="4", tau="1.0")["parts"]["head"])
    assert f"G-Pass@4_1.0 = {plan.value:.3f}" in head
    assert f"± {100 * plan.half_width[0, 0]:.1f} points" in head


def test_the_prediction_starts_where_the_measurement_ends_and_is_called_one():
    parts = ask()["parts"]
    (figure,) = figures(parts["prediction"])
    measured, predicted = figure["lines"]
    assert measured["y"] == pytest.approx([at_k.pass_at_k(*COUNTS, k=k).mean() for k in (1, 2, 3, 4)])
    assert predicted["dashed"]
    assert (predicted["x"][0], predicted["x"][-1]) == (4, 40)
    assert predicted["y"][0] == predicted["low"][0] == predicted["high"][0] == measured["y"][-1]
    library = at_k.predict_pass_at_k(*COUNTS, k=predicted["x"][1:])
    for name, expected in {"y": library.mean, "low": library.low, "high": library.high}.items():
        assert predicted[name][1:] == pytest.approx(expected.tolist())
    assert "prediction, not a measurement" in text_of(parts["prediction"])


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.93])
@pytest.mark.parametrize("spread", [0.0, 0.2, 0.7, 1.0])
def test_a_pilot_that_is_made_has_the_moments_asked_for(mean, spread):
    counts = np.array(make_pilot(mean, spread, 1000, 20)) / 20
    assert counts.mean() == pytest.approx(mean, abs=0.01)
    # The variance of a beta-binomial share with this intraclass correlation.
    expected = mean * (1 - mean) * (spread + (1 - spread) / 20)
    assert counts.var() == pytest.approx(expected, rel=0.06)


def test_sliders_plan_for_their_numbers():
    found = ask(source="sliders", mean="50", spread="0", problems="400", samples="1")
    head = text_of(found["parts"]["head"])
    assert found["shown"] == {"problems": "400", "samples": "1"}
    # Without differences between problems, 400 samples are a coin thrown 400 times: 1.96 · √(.25/400) = 4.9 points.
    assert float(re.search(r"± ([\d.]+) points", head)[1]) == pytest.approx(4.9, abs=0.3)
    farther = text_of(ask(source="sliders", mean="50", spread="100", problems="400", samples="64")["parts"]["head"])
    assert float(re.search(r"± ([\d.]+) points", farther)[1]) == pytest.approx(4.9, abs=0.3)


def test_a_pilot_that_does_not_tell_gets_no_table():
    parts = ask_of([[1, 1]] * 20 + [[0, 1]])["parts"]
    assert parts["table"] == ""
    assert 'class="warning"' in parts["head"]


def test_where_nothing_is_right_nothing_is_predicted():
    parts = ask_of([[0, 0]] * 20)["parts"]
    assert figures(parts["prediction"]) == []
    assert "No sample of any problem is correct" in text_of(parts["prediction"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "fields",
    [
        {"k": "5"},
        {"k": "x"},
        {"k": "1, 2"},
        {"tau": "7"},
        {"half_width": "0"},
        {"detect": "-3"},
        {"problems": "1"},
        {"problems": "999999999999"},
        {"samples": "0"},
        {"k": "4", "samples": "2"},
        {"example": ""},
        {"source": "sliders", "mean": "0"},
        {"source": "sliders", "spread": "101"},
        {"source": "sliders", "k": "300", "samples": "300"},
        {"example": "", "given": {"results": {"text": "{broken"}}},
        {"example": "", "given": {"results": {"text": "id,correct\n1,1\n2,0"}}},
        {"example": "", "given": {"results": {"text": "id,correct\n1,1\n1,0"}}},
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_sentence(fields, language):
    found = ask(language, **fields)
    assert 'role="alert"' in found["refused"]
    assert found["parts"] == {}


def test_a_name_is_no_markup():
    text = json.dumps([{"task_id": i, "correct": row} for i, row in enumerate(ROWS)])
    found = ask(example="", given={"results": {"text": text, "name": "<img src=x>"}})
    assert "<img" not in json.dumps(found)
