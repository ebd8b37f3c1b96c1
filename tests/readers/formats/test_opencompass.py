"""OpenCompass: details of each problem, and predictions that repeat the whole data set.

Beside the files of one run, the layouts are those of its writers, in github.com/open-compass/opencompass: `details` of
`BaseEvaluator.evaluate` in opencompass/openicl/icl_evaluator/icl_base_evaluator.py, details that are an object of
`format_details` in opencompass/tasks/openicl_eval.py, predictions of `GenInferencerOutputHandler.save_results` in
opencompass/openicl/icl_inferencer/icl_base_inferencer.py, whose order `concatenate_datasets([dataset] * n)` in
opencompass/datasets/base.py gives.
"""

import json
from pathlib import Path

import pytest
from readers.broken import check_variants

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

DETAILS = [
    {"example_abbr": f"AIME_2024_{i}", "pred": pred, "answer": [gold] * 4, "correct": [each == gold for each in pred]}
    for i, (gold, pred) in enumerate(
        [("7", ["7", "8", "7", "7"]), ("9", ["1", "2", "3", ""]), ("5", ["5", "5", "6", "6"]), ("4", ["4"] * 4)]
    )
]
RESULTS = {
    "accuracy (4 runs average)": 56.25,
    "AIME/G-Pass@4_1.0": 25.0,
    "G-Pass@4_1.0": 25.0,
    "mG-Pass@4": 37.5,
    "details": [{"G-Pass@4_1.0": 0.0, "mG-Pass@4": 0.5} | each for each in DETAILS],
}


def make_predictions(problems, n):
    """Make predictions for (prompt, gold) pairs, n times."""
    entries = [
        {"origin_prompt": [{"role": "HUMAN", "prompt": prompt}], "prediction": f"It is {prompt} {turn}.", "gold": gold}
        for turn in range(n)
        for prompt, gold in problems
    ]
    return {str(place): entry for place, entry in enumerate(entries)}


def write(path, document):
    path.write_text(json.dumps(document, indent=4), encoding="utf-8")
    return path


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results" / "toy-7b"
    folder.mkdir(parents=True)
    return write(folder / "AIME_2024.json", RESULTS)


@pytest.fixture
def predictions(tmp_path):
    folder = tmp_path / "predictions" / "toy-7b"
    folder.mkdir(parents=True)
    return write(folder / "AIME_2024.json", make_predictions([("a", "7"), ("b", "7"), ("c", "9")], 2))


def test_results(results):
    samples = read_samples(results)
    assert samples.origin.harness == "opencompass"
    assert samples.origin.subject == {"task": "AIME_2024", "model": "toy-7b"}
    assert samples.problems == [f"AIME_2024_{i}" for i in range(4)]
    assert samples.answers[:2] == [["7", "8", "7", "7"], ["1", "2", "3", None]]  # "" is no answer
    assert samples.grades == [[1, 0, 1, 1], [0] * 4, [1, 1, 0, 0], [1] * 4]
    assert samples.references == [["7"], ["9"], ["5"], ["4"]]
    report = at_k.score(results, k=[2, 4])
    assert report.values["pass@4"] == 0.75
    assert report.values["pass@2"] == pytest.approx((1 + 0 + 5 / 6 + 1) / 4, abs=1e-12)
    assert report.values["cons@4"] == pytest.approx((1 + 0 + 1 / 2 + 1) / 4, abs=1e-12)
    # It prints percent.
    assert 100 * report.values["G-Pass@4_1.0"] == RESULTS["G-Pass@4_1.0"]


def test_the_part_of_the_name_before_the_number_may_group(results):
    # OpenCompass cuts at the first "_", which would put AIME_2024 and AIME_2025 together.
    assert {*read_samples(results, columns={"group": "subdivision"}).group} == {"AIME_2024"}


@pytest.mark.parametrize("name", ["is_correct", "cascade_correct"])
def test_other_names_of_the_verdicts(tmp_path, name):
    details = [{"example_abbr": "a_0", "pred": ["x"], name: [True]}]
    samples = read_samples(write(tmp_path / "f", {"details": details}))
    assert (samples.grades, samples.references, samples.origin.roles["grades"]) == ([[1.0]], None, name)


def test_details_that_are_an_object(tmp_path):
    details = {
        str(place): {"prompt": prompt, "origin_prediction": "…", "predictions": answer, "references": "7"}
        for place, (prompt, answer) in enumerate([("p", "7"), ("q", "8"), ("p", "9"), ("q", "7")])
    }
    samples = read_samples(write(tmp_path / "f", {"accuracy": 50.0, "details": details, "type": "GEN"}))
    assert samples.origin.harness == "opencompass"
    assert samples.answers == [["7", "9"], ["8", "7"]]
    assert samples.grades is None
    ppl = {"0": {"origin_prediction": {"A": {"PPL": 1.5}}, "predictions": "A", "references": "B", "correct": False}}
    assert read_samples(write(tmp_path / "f", {"details": ppl, "type": "PPL"})).grades == [[0.0]]


def test_predictions(predictions):
    samples = read_samples(predictions)
    assert samples.origin.harness == "opencompass-predictions"
    assert samples.origin.subject == {"task": "AIME_2024", "model": "toy-7b"}
    assert samples.answers == [[f"It is {prompt} {turn}." for turn in range(2)] for prompt in "abc"]
    assert samples.references == [["7"], ["7"], ["9"]]
    assert samples.rows == [[1, 4], [2, 5], [3, 6]]
    assert [note.code for note in samples.origin.notes] == ["opencompass.texts"]


def test_a_folder_is_read_by_its_results(results, predictions, tmp_path):
    assert read_samples(tmp_path).origin.harness == "opencompass"
    assert read_samples(predictions.parent).origin.harness == "opencompass-predictions"


@pytest.mark.parametrize(
    ("prompts", "problems"),
    [
        ("abc", ["a", "b", "c"]),
        ("aaaa", ["aaaa"]),
        ("abaaba", ["aa", "bb", "aa"]),  # the same question twice in the data set
        ("aabb", ["aa", "bb"]),  # each problem repeated, as other writers do
    ],
)
def test_the_number_of_problems_is_found_by_the_prompts(tmp_path, prompts, problems):
    document = {str(i): {"origin_prompt": each, "prediction": each} for i, each in enumerate(prompts)}
    assert ["".join(each) for each in read_samples(write(tmp_path / "f", document)).answers] == problems


@pytest.mark.parametrize("prompts", ["abcab", "aab", "abba"])
def test_where_it_cannot_be_known_it_is_an_error(tmp_path, prompts):
    document = {str(i): {"origin_prompt": each, "prediction": each} for i, each in enumerate(prompts)}
    with pytest.raises(InputError, match=f"{len(prompts)} samples have {len({*prompts})} different prompts") as caught:
        read_samples(write(tmp_path / "f", document))
    assert caught.value.code == "opencompass.unknown_n"


def test_references_alone_do_not_tell_problems_apart(tmp_path):
    document = {str(i): {"prediction": "x", "gold": gold} for i, gold in enumerate("ABAB")}
    with pytest.raises(InputError) as caught:
        read_samples(write(tmp_path / "f", document))
    assert caught.value.code == "opencompass.unknown_n"


def test_predictions_that_are_lists_or_objects(tmp_path):
    document = {
        "0": {"origin_prompt": "p", "prediction": ["x", ""], "gold": ["a", "b"]},
        "1": {"origin_prompt": "q", "prediction": {"prediction": "z", "reasoning": "…"}},
    }
    samples = read_samples(write(tmp_path / "f", document))
    assert (samples.answers, samples.references) == ([["x", None], ["z"]], [["a", "b"], None])
    assert [note.code for note in samples.origin.notes] == ["opencompass.texts", "opencompass.lists"]


BAD = {
    "lengths": ({"details": [DETAILS[0] | {"pred": ["7"]}]}, "lists of the same length, .* .problem 1"),
    "no samples": (
        {"details": [{"example_abbr": "a", "pred": [], "correct": []}]},
        "with at least one sample .problem 1",
    ),
    "twice": ({"details": [DETAILS[0], DETAILS[0]]}, "“AIME_2024_0” is also in problem 1 .problem 2"),
    "nothing": ({"details": [{"example_abbr": "a"}]}, "neither answers nor grades"),
    "keys": ({"0": {"prediction": "x"}, "2": {"prediction": "y"}}, "from “0” to “1”, .* not so for “1”"),
    "no prediction": ({"0": {"prediction": "x"}, "1": {"gold": "y"}}, "the field “prediction”; .* not so for “1”"),
}


@pytest.mark.parametrize(("document", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(tmp_path, document, message):
    path = write(tmp_path / "f", document)
    with pytest.raises(InputError, match=message) as caught:
        read_samples(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("name", ["opencompass", "opencompass-predictions", "aisbench"])
@pytest.mark.parametrize("document", [[], [1], {}, {"details": []}, {"details": [1]}, {"details": {}}, {"0": 1}, 7])
def test_a_file_of_another_format(tmp_path, name, document):
    with pytest.raises(InputError):
        read_samples(write(tmp_path / "f", document), format=name)


def test_broken_results(results, tmp_path):
    check_variants(results, tmp_path, lambda document: [document["details"]])


def test_broken_predictions(predictions, tmp_path):
    check_variants(predictions, tmp_path, lambda document: [list(document.values())])


def test_a_real_run():
    """Its own numbers, in percent, are in the results file."""
    folder = Path(__file__).parents[2] / "data" / "harness" / "opencompass"
    file = folder / "results" / "toy-7b" / "toy.json"
    report = at_k.score(file, k=[2, 4])
    own = json.loads(file.read_text())
    for key in ("G-Pass@2_1.0", "mG-Pass@2", "G-Pass@4_0.5", "G-Pass@4_0.75", "mG-Pass@4"):
        assert report.values[key] == pytest.approx(own[key] / 100, abs=1e-12)  # sums in another order
    assert report.values["accuracy"] == pytest.approx(own["accuracy (4 runs average)"] / 100, abs=1e-12)
    assert read_samples(file).references == [["7"], ["2"], ["5"]]
    predictions = at_k.score(folder / "predictions" / "toy-7b" / "toy.json", k=[2, 4], missing="incorrect")
    assert predictions.values == report.values
