"""Write the records of Every Eval Ever 0.3: one of all numbers, with their uncertainty, and one of each sample."""

from __future__ import annotations

import hashlib
import json
import re
import time
import uuid
from collections.abc import Iterator
from math import isnan
from os import PathLike
from pathlib import Path
from typing import Any

import at_k
from at_k.errors import InputError
from at_k.report.data import Numbers
from at_k.report.grid import ALL, list_blocks
from at_k.results.saving import replace_file
from at_k.summary import is_bounded
from at_k.values import ErrorBar, Key

# The version of both schemas.
VERSION = "0.3.0"

# Relationships of evaluators to the developers of a model.
DEVELOPERS = ("first_party", "third_party", "collaborative", "other")


def write_record(
    report: Numbers, *, model: str, dataset: str, organization: str, relationship: str
) -> dict[str, Any]:
    """Write the record of a run, ready for `json.dumps`: see `save_records`."""
    if relationship not in DEVELOPERS:
        raise ValueError(
            f"`relationship` must be one of {', '.join(DEVELOPERS)}; got {relationship!r}"
        )
    now = str(int(time.time()))
    origin = report.origin
    harness = "at_k"
    version = str(at_k.__version__)
    if origin is not None:
        harness = origin.harness
        version = origin.version or "unknown"
    level = report.options.get("confidence_level", 0.95)
    results = []
    for block in list_blocks(report):
        name = dataset
        if block.label != ALL:
            name = f"{dataset}/{block.label}"
        for key, value in block.values.items():
            result = _write_result(key, value, block.bars.get(key), level)
            result["evaluation_result_id"] = f"{block.label}:{key}"
            result["evaluation_name"] = name
            result["source_data"] = {"dataset_name": dataset, "source_type": "other"}
            results.append(result)
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{dataset}/{model.replace('/', '_')}/{now}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": relationship,
        },
        "eval_library": {
            "name": harness,
            "version": version,
            "additional_details": {"at_k": at_k.__version__, **report.signatures},
        },
        "model_info": {
            "name": model.rpartition("/")[2],
            "id": model,
            "additional_details": _UNKNOWN,
        },
        "evaluation_results": results,
    }


_UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}


def _write_result(key: Key, value: float, bar: ErrorBar | None, level: float) -> dict[str, Any]:
    """Write what a record says of one value: its metric, itself, and how sure it is."""
    parameters: dict[str, float] = {}
    if key.k is not None:
        parameters["k"] = key.k
    if key.tau is not None:
        parameters["tau"] = float(key.tau)
    name = key.metric.lower().replace("@", "_at_").replace("^", "_hat_").replace("-", "_")
    config = {
        "metric_id": name,
        "metric_name": str(key),
        "metric_parameters": parameters,
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0 if is_bounded(key) else "-Infinity",
        "max_score": 1.0 if is_bounded(key) else "Infinity",
    }
    details: dict[str, Any] = {"score": value}
    if bar is not None:
        uncertainty: dict[str, Any] = {}
        if bar.stderr is not None:
            uncertainty["standard_error"] = {"value": bar.stderr, "method": "analytic"}
        interval = {"lower": bar.low, "upper": bar.high, "confidence_level": level}
        uncertainty["confidence_interval"] = interval
        details["uncertainty"] = uncertainty
    return {"metric_config": config, "score_details": details}


def list_instances(report: Numbers, record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the record of each sample, which belongs to the run of `record`."""
    # A sample without a verdict, which counts as wrong, has an `error`. `input.raw` is the name of the problem: results
    # files seldom hold what was asked.
    if report.scored is None:
        raise InputError(
            "instances.no_samples",
            "The samples are not in this report, which was loaded or comes from a tally. Score the results themselves.",
        )
    problems, verdicts = report.scored
    correct = verdicts.correct.listed()
    grades = [row for part in verdicts.graded for row in part.listed()]
    if verdicts.answers is None:
        answers = [[None] * len(row) for row in grades]
    else:
        answers = verdicts.answers.listed()
    references = problems.references or [()] * len(grades)
    average = [f"{ALL}:{key}" for key in report.values if key.metric == "avg@n"]
    shared = {
        "schema_version": VERSION,
        "evaluation_id": record["evaluation_id"],
        "model_id": record["model_info"]["id"],
        "evaluation_name": record["evaluation_results"][0]["evaluation_name"],
    }
    if average:
        shared["evaluation_result_id"] = average[0]
    for place, name in enumerate(report.problems):
        for answer, grade, right in zip(answers[place], grades[place], correct[place], strict=True):
            texts = [str(each) for each in (answer,) if each is not None]
            is_lost = isnan(grade)
            instance = {
                **shared,
                "sample_id": name,
                "interaction_type": "single_turn",
                "input": {"raw": name, "reference": list(references[place])},
                "output": {"raw": texts},
                "answer_attribution": [{**_ATTRIBUTION, "extracted_value": text} for text in texts],
                "evaluation": {
                    "score": 0.0 if is_lost else float(grade),
                    "is_correct": bool(right),
                },
            }
            if is_lost:
                instance["error"] = "no verdict"
            yield instance


_ATTRIBUTION = {
    "turn_idx": 0,
    "source": "output.raw",
    "extraction_method": "unknown",
    "is_terminal": True,
}


def save_records(
    report: Numbers,
    folder: str | PathLike[str],
    *,
    model: str,
    dataset: str,
    organization: str = "unknown",
    relationship: str = "third_party",
) -> Path:
    """Write the records of Every Eval Ever 0.3: each number with its uncertainty, and each sample with its verdict."""
    record = write_record(
        report, model=model, dataset=dataset, organization=organization, relationship=relationship
    )
    dataset, developer, model = (_name_folder(part) for part in (dataset, *_split_model(model)))
    place = Path("data", dataset, developer, model, str(uuid.uuid4()))
    target = Path(folder, place)
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(instance, ensure_ascii=False) + "\n"
        for instance in list_instances(report, record)
    ]
    text = "".join(lines).encode()
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": f"{place.as_posix()}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(text).hexdigest(),
        "total_rows": len(lines),
    }
    with replace_file(f"{target}_samples.jsonl") as part:
        part.write_bytes(text)
    with replace_file(f"{target}.json") as part:
        part.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return target.with_name(f"{target.name}.json")


def _split_model(model: str) -> tuple[str, str]:
    """Split the name of a model, such as "org/model", into its developer and its own."""
    developer, _, name = model.rpartition("/")
    return developer or "unknown", name


def _name_folder(name: str) -> str:
    """Spell a name so that it can be that of a folder."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "unknown"
