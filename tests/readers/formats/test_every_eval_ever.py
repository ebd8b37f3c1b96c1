"""Every Eval Ever: a line for each sample and metric; rows as the schema for instances, 0.3.0, wants them."""

import json

import pytest
from readers.broken import check_variants

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples


def row(sample="q1", score=1.0, *, value="7", result="m", evaluation="gsm8k", **fields):
    """A line with every field that the schema requires."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "gsm8k/acme_toy/1",
        "model_id": "acme/toy",
        "evaluation_name": evaluation,
        "evaluation_result_id": result,
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": "…", "reference": ["7", "seven"]},
        "output": {"raw": [f"It is {value}."]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": value,
                "extraction_method": "regex",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": score, "is_correct": score > 0.5},
        "token_usage": {"input_tokens": 12, "output_tokens": 5, "total_tokens": 17},
        "error": None,
        "metadata": {"level": "easy"},
    } | fields


def write(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


SAMPLES = [
    row("q1", 1.0),
    row("q2", 0.0, value="8"),
    row("q1", 0.0, value=""),
    row("q2", 1.0),
    row("q1", 1.0),
    row("q2", 0.0, value="8"),
]


def test_what_is_read(tmp_path):
    samples = read_samples(write(tmp_path / "f", *SAMPLES))
    assert samples.origin.harness == "every-eval-ever"
    assert samples.origin.subject == {"model": "acme/toy", "evaluation": "gsm8k"}
    assert samples.problems == ["q1", "q2"]
    assert samples.answers == [["7", None, "7"], ["8", "7", "8"]]
    assert samples.grades == [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    assert samples.references == [["7", "seven"]] * 2
    assert samples.rows == [[1, 3, 5], [2, 4, 6]]
    report = at_k.score(write(tmp_path / "f", *SAMPLES), k=3, columns={"group": "level"})
    assert report.labels == ["easy", "easy"]
    assert (report.values["pass@3"], report.values["cons@3"]) == (1.0, 0.5)


def test_a_sample_that_several_metrics_score_has_several_lines(tmp_path):
    rows = [each | {"evaluation_result_id": metric} for each in SAMPLES for metric in ("strict", "lax")]
    for each in rows[1::2]:
        each["evaluation"] = {"score": 1.0, "is_correct": True}
    path = write(tmp_path / "f", *rows)
    samples = read_samples(path)
    assert (samples.grades, samples.origin.chosen) == ([[1, 0, 1], [0, 1, 0]], {"scorer": "strict"})
    assert [str(note) for note in samples.origin.notes] == [
        'The scorer is “strict”. The file also has “lax”: `scorer="lax"`.'
    ]
    lax = read_samples(path, scorer="lax")
    assert (lax.grades, lax.origin.chosen, lax.origin.notes) == ([[1, 1, 1]] * 2, {"scorer": "lax"}, [])
    with pytest.raises(InputError, match="It has: “strict”, “lax”"):
        read_samples(path, scorer="other")


def test_an_error_is_missing(tmp_path):
    path = write(tmp_path / "f", row(), row(score=0.0, error="timeout", answer_attribution=[]))
    samples = read_samples(path)
    assert (samples.grades, samples.answers) == ([[1.0, None]], [["7", None]])


def test_several_models(tmp_path):
    path = write(tmp_path / "f", row(), row(score=0.0, model_id="acme/other"))
    with pytest.raises(InputError, match=r'“model_id” has several values.*where=\{"model_id": "acme/toy"\}') as caught:
        read_samples(path)
    assert caught.value.code == "models.several"
    assert read_samples(path, where={"model_id": "acme/other"}).grades == [[0.0]]
    assert read_samples(path, pool="model_id").grades == [[1.0, 0.0]]


def test_several_evaluations_are_groups(tmp_path):
    path = write(tmp_path / "f", row(), row(score=0.0, evaluation="aime"))
    samples = read_samples(path)
    assert (samples.problems, samples.group) == (["gsm8k: q1", "aime: q1"], ["gsm8k", "aime"])
    assert read_samples(path, where={"evaluation_name": "aime"}).problems == ["q1"]


def test_files_of_two_models_or_evaluations(tmp_path):
    one = write(tmp_path / "one", row())
    for fields in ({"model_id": "b"}, {"evaluation": "b"}):
        with pytest.raises(InputError, match=r"not of the same (model|evaluation)"):
            read_samples([one, write(tmp_path / "other", row(**fields))])
    assert read_samples([one, write(tmp_path / "other", row(score=0.0))]).grades == [[1.0, 0.0]]


class TestScores:
    def test_scores_of_any_size(self, tmp_path):
        rows = [row(score=80.0), row() | {"evaluation": {"score": 20.0, "is_correct": False}}]
        samples = read_samples(write(tmp_path / "f", *rows))
        assert samples.grades == [[1.0, 0.0]]
        assert [note.code for note in samples.origin.notes] == ["every_eval_ever.is_correct"]

    def test_a_verdict_that_differs_from_the_score_is_counted(self, tmp_path):
        rows = [row(score=0.9), row(score=0.2)]
        rows[0]["evaluation"]["is_correct"] = False
        samples = read_samples(write(tmp_path / "f", *rows))
        assert samples.grades == [[0.9, 0.2]]
        assert [note.values for note in samples.origin.notes] == [{"count": 1}]


@pytest.mark.parametrize(
    "fields",
    [
        *({"evaluation": each} for each in (None, {}, {"score": "high"}, {"score": [1]})),
        *({"answer_attribution": each} for each in ("7", ["7"], [{}], {"extracted_value": "7"})),
        {"evaluation_name": 1},
        {"evaluation_result_id": 1},
        {"sample_id": None},
    ],
)
def test_faults(tmp_path, fields):
    path = write(tmp_path / "f", row(), row() | fields)
    with pytest.raises(InputError, match="line 2"):
        read_samples(path)
    assert read_samples(path, errors="skip").grades == [[1.0]]


def test_broken(tmp_path):
    check_variants(write(tmp_path / "whole.jsonl", *SAMPLES), tmp_path)
