"""Every Eval Ever: a line for each sample and metric; rows as the schema for instances, 0.3.0, wants them."""

from readers.broken import check_variants
from readers.reading import found, over, put, refused

import at_k

SCORED = {"score": 1.0, "is_correct": True}


def row(sample="q1", score=1.0, *, value="7", result="m", evaluation="gsm8k", **more):
    """A line with every field that the schema requires."""
    said = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": value,
        "extraction_method": "regex",
    }
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
        "answer_attribution": [said | {"is_terminal": True}],
        "evaluation": {"score": score, "is_correct": score > 0.5},
        "token_usage": {"input_tokens": 12, "output_tokens": 5, "total_tokens": 17},
        "error": None,
        "metadata": {"level": "easy"},
    } | more


SAMPLES = [
    *(row("q1", 1.0), row("q2", 0.0, value="8"), row("q1", 0.0, value="")),
    *(row("q2", 1.0), row("q1", 1.0), row("q2", 0.0, value="8")),
]
METRICS = [
    each | {"evaluation_result_id": metric} | ({"evaluation": SCORED} if metric == "lax" else {})
    for each in SAMPLES
    for metric in ("strict", "lax")
]
MODELS = [row(), row(score=0.0, model_id="acme/other")]


def fault(code, **more):
    skip = ({"errors": "skip"}, found([[1]]))
    return ([row(), row() | more], refused(code, place="line 2"), skip)


test_every_eval_ever = over(
    {
        "what is read": (
            SAMPLES,
            found(
                {"q1": [1, 0, 1], "q2": [0, 1, 0]},
                answers=[["7", None, "7"], ["8", "7", "8"]],
                references=[["7", "seven"]] * 2,
                rows=[[1, 3, 5], [2, 4, 6]],
                harness="every-eval-ever",
                subject={"model": "acme/toy", "evaluation": "gsm8k"},
            ),
        ),
        "several metrics": (
            METRICS,
            found([[1, 0, 1], [0, 1, 0]], chosen={"scorer": "strict"}, notes=["collector.choice"]),
            ({"scorer": "lax"}, found([[1, 1, 1]] * 2, chosen={"scorer": "lax"}, notes=[])),
            ({"scorer": "other"}, refused("format.no_choice", found="“strict”, “lax”")),
        ),
        "an error": (
            [row(), row(score=0.0, error="timeout", answer_attribution=[])],
            found([[1, None]], answers=[["7", None]], reasons={"timeout": 1}),
        ),
        "several models": (
            MODELS,
            refused("models.several", column="model_id"),
            ({"where": {"model_id": "acme/other"}}, found([[0]])),
            ({"pool": "model_id"}, found([[1, 0]])),
        ),
        "several evaluations are groups": (
            [row(), row(score=0.0, evaluation="aime")],
            found(problems=["q1 (gsm8k)", "q1 (aime)"], group=["gsm8k", "aime"]),
            ({"scorer": "m"}, found([[1], [0]], chosen={"scorer": "m"})),
            ({"where": {"evaluation_name": "aime"}}, found(problems=["q1"])),
        ),
        "files of two models": (
            {"one.jsonl": [row()], "other.jsonl": [row(model_id="b")]},
            refused("merging.models"),
        ),
        "files of two evaluations": (
            {"one.jsonl": [row()], "other.jsonl": [row(evaluation="b")]},
            refused("merging.subject"),
        ),
        "files of one model": (
            {"run1.jsonl": [row()], "run2.jsonl": [row(score=0.0)]},
            found([[1, 0]]),
        ),
        "scores of any size": (
            [row(score=80.0), row() | {"evaluation": {"score": 20.0, "is_correct": False}}],
            found([[1, 0]], notes=["every_eval_ever.is_correct"]),
        ),
        "a verdict that differs from the score": (
            [row() | {"evaluation": {"score": 0.9, "is_correct": False}}, row(score=0.2)],
            found([[0.9, 0.2]], notes=["every_eval_ever.verdicts"], told=[{"count": 1}]),
        ),
        "no evaluation": fault("collector.field", evaluation=None),
        "an evaluation without a score": fault("collector.lack", evaluation={}),
        "a score in words": fault("collector.field", evaluation={"score": "high"}),
        "a score in a list": fault("collector.field", evaluation={"score": [1]}),
        "an attribution that is text": fault("collector.field", answer_attribution="7"),
        "an attribution that is a list of texts": fault("collector.lack", answer_attribution=["7"]),
        "an attribution without a value": fault("collector.lack", answer_attribution=[{}]),
        "an attribution that is an object": fault(
            "collector.field", answer_attribution={"extracted_value": "7"}
        ),
        "an evaluation whose name is a number": fault("collector.field", evaluation_name=1),
        "a result whose name is a number": fault("collector.field", evaluation_result_id=1),
        "no name": fault("collector.lack", sample_id=None),
    }
)


def test_fields_of_the_metadata_may_group(tmp_path):
    report = at_k.score(put(tmp_path / "f", SAMPLES), k=3, columns={"group": "level"})
    assert report.labels == ["easy", "easy"]
    assert (report.values["pass@3"], report.values["cons@3"]) == (1.0, 0.5)


def test_broken(tmp_path):
    check_variants(put(tmp_path / "whole.jsonl", SAMPLES), tmp_path)
