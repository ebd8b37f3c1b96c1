"""AISBench: verdicts that its writer puts to the wrong problems, and predictions without failed requests.

No file of a run is at hand. The layouts are those of its writers, in github.com/AISBench/benchmark: `details` of
`BaseEvaluator.evaluate` in ais_bench/benchmark/openicl/icl_evaluator/icl_base_evaluator.py, for n = 1 `format_details`
in ais_bench/benchmark/tasks/openicl_eval.py, predictions of `run_cache_consumer` in
ais_bench/benchmark/openicl/icl_inferencer/output_handler/base_handler.py.
"""

import json
from pathlib import Path
from random import Random

import pytest
from readers.broken import check_variants

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

PROBLEMS = [("7", ["7", "7"]), ("9", ["1", "2"]), ("5", ["5", "6"])]
"""The reference of each problem, and its answers."""


def write_as_aisbench(problems):
    """Make the details as the writer does: all first samples, then all second ones, cut into runs of n."""
    n = len(problems[0][1])
    judged = [
        {"pred": answers[turn], "answer": gold, "correct": answers[turn] == gold}
        for turn in range(n)
        for gold, answers in problems
    ]
    details = []
    for place in range(len(problems)):
        own = judged[place * n : place * n + n]
        c = sum(each["correct"] for each in own)
        details.append(
            {
                "example_abbr": f"aime_{place}",
                f"avg@{n}": c / n,
                f"pass@{n}": float(c > 0),
                f"cons@{n}": float(c > n / 2),
            }
            | {name: [each[name] for each in own] for name in own[0]}
        )
    whole = {f"pass@{n}": 100 * sum(each[f"pass@{n}"] for each in details) / len(details)}
    return {f"accuracy ({n} runs average)": 50.0, **whole, "details": details}


def write(path, document):
    path.write_text(json.dumps(document, indent=4), encoding="utf-8")
    return path


def write_lines(path, *rows):
    whole = {"data_abbr": "aime", "success": True, "origin_prompt": "?", "gold": "7", "input_tokens": 1}
    lines = [whole | {"uuid": f"u{place}", "prediction": "7"} | row for place, row in enumerate(rows)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def list_codes(samples):
    return [note.code for note in samples.origin.notes]


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "results" / "toy-7b"
    folder.mkdir(parents=True)
    return write(folder / "aime.json", write_as_aisbench(PROBLEMS))


@pytest.fixture
def predictions(tmp_path):
    folder = tmp_path / "predictions" / "toy-7b"
    folder.mkdir(parents=True)
    rows = [
        {"id": place, "gold": gold, "prediction": f"{text}!"}
        for place, (gold, own) in enumerate(PROBLEMS)
        for text in own
    ]
    Random(0).shuffle(rows)
    return write_lines(folder / "aime.jsonl", *rows)


def test_verdicts_return_to_their_problems(results):
    samples = read_samples(results)
    assert samples.origin.harness == "aisbench"
    assert samples.origin.subject == {"task": "aime", "model": "toy-7b"}
    assert samples.references == [[gold] for gold, _ in PROBLEMS]
    assert samples.answers == [answers for _, answers in PROBLEMS]
    assert samples.grades == [[1, 1], [0, 0], [1, 0]]
    assert list_codes(samples) == ["aisbench.regrouped"]
    report = at_k.score(results, k=2)
    assert report.values["pass@2"] == pytest.approx(2 / 3, abs=1e-12)


def test_two_problems_one_always_right_and_one_never(tmp_path):
    path = write(tmp_path / "f", write_as_aisbench([("7", ["7", "7"]), ("9", ["1", "1"])]))
    assert json.loads(path.read_text())["pass@2"] == 100.0  # as AISBench has it
    report = at_k.score(path, k=2)
    assert (report.values["pass@2"], report.values["cons@2"]) == (0.5, 0.5)


def test_a_writer_that_groups_rightly_is_believed(tmp_path):
    document = write_as_aisbench(PROBLEMS)
    for detail, (gold, answers) in zip(document["details"], PROBLEMS, strict=True):
        detail |= {"pred": answers, "answer": [gold] * 2, "correct": [each == gold for each in answers]}
    samples = read_samples(write(tmp_path / "f", document))
    assert samples.grades == [[1, 1], [0, 0], [1, 0]]
    assert samples.origin.notes == []


def test_where_the_references_do_not_tell_there_is_a_warning(tmp_path):
    document = write_as_aisbench([("A", ["A", "A"]), ("A", ["B", "B"])])
    samples = read_samples(write(tmp_path / "f", document))
    assert samples.grades == [[1, 0], [1, 0]]  # as the file has it
    assert list_codes(samples) == ["aisbench.unsure"]
    for detail in document["details"]:
        del detail["answer"]
    assert list_codes(read_samples(write(tmp_path / "f", document))) == ["aisbench.unsure"]


def test_samples_that_are_mixed_in_another_way(tmp_path):
    document = write_as_aisbench(PROBLEMS)
    document["details"][0]["answer"].reverse()
    with pytest.raises(InputError) as caught:
        read_samples(write(tmp_path / "f", document))
    assert caught.value.code == "aisbench.mixed"


def test_one_sample(tmp_path):
    details = {
        str(place): {
            "prompt": f"p{place}",
            "origin_prediction": "…",
            "predictions": [answers[0]],
            "references": [gold],
            "correct": [answers[0] == gold],
        }
        for place, (gold, answers) in enumerate(PROBLEMS)
    }
    samples = read_samples(write(tmp_path / "f", {"accuracy": 66.7, "details": details, "type": "GEN"}))
    assert samples.origin.harness == "aisbench"
    assert (samples.answers, samples.grades) == ([["7"], ["1"], ["5"]], [[1], [0], [1]])


def test_predictions(predictions):
    samples = read_samples(predictions)
    assert samples.origin.harness == "aisbench-predictions"
    assert samples.origin.subject == {"task": "aime", "model": "toy-7b"}
    assert {name: sorted(own) for name, own in zip(samples.problems, samples.answers, strict=True)} == {
        str(place): sorted(f"{text}!" for text in own) for place, (_, own) in enumerate(PROBLEMS)
    }
    assert samples.grades is None  # success is no verdict
    assert list_codes(samples) == ["opencompass.texts"]


def test_failed_requests(tmp_path):
    rows = [{"id": 0}, {"id": 0, "success": False, "prediction": "half"}, {"id": 0, "prediction": ""}, {"id": 1}]
    samples = read_samples(write_lines(tmp_path / "f", *rows))
    assert samples.answers == [["7", None, None], ["7"]]
    note = samples.origin.notes[1]
    assert (note.code, note.values) == ("aisbench.failed", {"most": 3, "failed": 2})


BAD = {
    "twice": ([{"id": 0, "uuid": "u"}, {"id": 0, "uuid": "u"}], "Sample “u” of problem 0 is there twice"),
    "data sets": ([{"id": 0}, {"id": 0, "data_abbr": "gsm8k"}], r"“aime” and “gsm8k” \(line 2\)"),
    "success": ([{"id": 0, "success": "yes"}], "“success” in line 1"),
    "references": ([{"id": 0}, {"id": 0, "gold": "8"}], "must have the same reference"),
}


@pytest.mark.parametrize(("rows", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_said(tmp_path, rows, message):
    path = write_lines(tmp_path / "f", *rows)
    with pytest.raises(InputError, match=message) as caught:
        read_samples(path)
    assert str(caught.value).startswith(str(path))


def test_broken_results(results, tmp_path):
    # The order of the problems is what undoes the fault, so that a swap is refused.
    check_variants(results, tmp_path, lambda document: [document["details"]], refused=["swap"])


def test_problems_that_changed_places_are_refused(results, tmp_path):
    document = json.loads(results.read_text())
    document["details"].reverse()
    with pytest.raises(InputError, match="Score the predictions file instead"):
        read_samples(write(tmp_path / "f", document))


def test_broken_predictions(predictions, tmp_path):
    check_variants(predictions, tmp_path, missing="incorrect")


def test_a_real_result_whose_samples_are_of_other_problems():
    """Of a, b and c, 3, 2 and 1 of four are right; the writer put samples of all three under each name."""
    file = Path(__file__).parents[2] / "data" / "harness" / "aisbench" / "results" / "toy-7b" / "toy.json"
    samples = read_samples(file)
    assert sorted(zip(map(str, samples.references), map(sum, samples.grades), strict=True)) == [
        ("['2']", 2),
        ("['5']", 1),
        ("['7']", 3),
    ]
    report = at_k.score(file, k=[2, 4])
    assert report.values["pass@2"] == pytest.approx((1 + 5 / 6 + 1 / 2) / 3, abs=1e-12)  # sums in another order
    assert report.values["cons@4"] == pytest.approx(2 / 3, abs=1e-12)  # 7 and 2 win, 6 beats 5
