"""Buttons for results that were refused: each was tried, says what it gives, and gives it on the page."""

import json
from pathlib import Path

import pytest
from cases import for_each

from at_k.demo import work

KINDS = Path(__file__).parents[1] / "data" / "cases" / "kinds.jsonl"
COUNTS = json.dumps(
    [{"name": name, "num_samples": 8, "num_correct": c} for name, c in (("a", 2), ("b", 5))]
)
BOXED = "\n".join(
    json.dumps({"id": i, "answers": ["so \\boxed{7}", "so \\boxed{8}"], "reference": "7"})
    for i in range(3)
)
OF_MODELS = "\n".join(
    json.dumps({"model": model, "id": i, "correct": [i % 2, 1]})
    for model in ("x", "y")
    for i in range(4)
)
MISSING = '{"id": "a", "correct": [1, null]}\n{"id": "b", "correct": [1, 1]}'


@for_each("data, outcomes", [
    ({"name": "counts.json", "text": COUNTS}, {"2 problems × 8 answers, 44\xa0%"}),
    (MISSING, {"2 problems × 2 answers, 75\xa0%", "2 problems × 1–2 answers, 100\xa0%"}),
    (OF_MODELS, {"4 problems × 2 answers, 75\xa0%", "4 problems × 4 answers, 75\xa0%"}),
    (BOXED, {"3 problems × 2 answers, 50\xa0%", "3 problems × 2 answers, 0\xa0%"}),
])  # fmt: skip
def test_no_button_is_dead_and_each_gives_what_it_says(data, outcomes):
    found = work.run("score", {"data": data})
    given = set()
    for mend in found["mends"]:
        page = work.run("score", {"data": data, "options": mend["set"]})
        shown = f"{page['size']}, {page['average']['text'].partition(':')[0]}"
        size = page["size"].replace("–", " to ").replace("answers", "samples")
        tried = f"→ {size}, pass@1 {100 * page['average']['value']:.1f} %"
        assert mend["label"].endswith((f"→ {shown}", tried))
        given.add(shown)
    assert given & outcomes


def test_answers_that_are_not_extracted_are_a_question_until_they_are_said_to_be_wrong():
    found = work.run("score", {"data": BOXED})
    assert found["code"] == "page.zero"
    assert found["mends"][0]["set"] == {"extract_fn": "boxed"}
    kept = work.run("score", {"data": BOXED, "options": found["mends"][-1]["set"]})
    assert kept["average"]["value"] == 0


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_button_of_a_comparison_mends_the_side_that_was_refused(side):
    fine = '{"id": "a", "correct": [1, 0]}\n{"id": "b", "correct": [1, 1]}'
    sides = {"a": fine, "b": fine} | {side: MISSING}
    found = work.run("compare", sides)
    assert found["error"].startswith(f"{side.upper()}: ")
    assert {mend["side"] for mend in found["mends"]} == {side}
    for mend in found["mends"]:
        assert "error" not in work.run("compare", sides | {f"options_{side}": mend["set"]})


def press(data, mend):
    """Return the page after a press of a button."""
    if mend.get("data"):
        return work.run("score", {"data": mend["data"]})
    return work.run("score", {"data": data, "options": mend["set"]})


def test_each_kind_of_data_is_read_or_has_buttons_that_work():
    """The one right number is shown, or given by the first button; each refusal has buttons, and all of them work."""
    kinds = [
        kind for kind in map(json.loads, KINDS.read_text().splitlines()) if kind["text"] is not None
    ]
    assert len(kinds) == 15
    dead, wrong = [], {}
    for kind in kinds:
        data = {"name": kind["file"], "text": kind["text"]}
        found = work.run("score", {"data": data})
        pressed = [press(data, mend) for mend in found.get("mends", [])]
        if "error" in found and (not pressed or any("error" in page for page in pressed)):
            dead.append(kind["kind"])
        page = pressed[0] if pressed else found
        if kind["right"] is not None and page["average"]["value"] != pytest.approx(kind["right"]):
            wrong[kind["kind"]] = page["average"]["value"]
    assert (dead, wrong) == ([], {})


def test_flags_of_failures_are_said_with_a_button_that_leaves_them_out():
    rows = [("a", 1, 0), ("a", 0, 1), ("b", 1, 0), ("b", 1, 0), ("c", 0, 1), ("c", 0, 0)]
    data = "\n".join(
        f'{{"task": "{task}", "passed": {ok}, "timed_out": {late}}}' for task, ok, late in rows
    )
    data = data.replace('": 1', '": true').replace('": 0', '": false')
    found = work.run("score", {"data": data})
    (note,) = (note for note in found["notes"] if note["code"] == "note.errors")
    (mend,) = note["mends"]
    assert mend["label"].endswith("→ 3 problems × 1–2 answers, 67\xa0%")
    assert press(data, mend)["average"]["value"] == pytest.approx(2 / 3)
