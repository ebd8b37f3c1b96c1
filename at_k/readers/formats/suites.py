"""Functions of the formats of suites of benchmarks and services."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import isnan
from typing import Any

from at_k.errors import Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.fields import Chosen, Found, Row, list_in, list_names, list_whole
from at_k.readers.files.delimited import read_cells
from at_k.readers.files.sources import Source
from at_k.readers.format import (
    Choice,
    Reading,
    check_kinds,
    choose,
    has_fields,
    refuse_field,
    refuse_no_scorer,
)
from at_k.readers.harness import RowCollector
from at_k.readers.names import quote
from at_k.readers.samples import Samples
from at_k.readers.tables.table import read_plain

_say = Phrases(
    {
        "promptfoo.results": "There is no list of results in this file. Write it again: "
        "`promptfoo export eval latest -o out.json`.",
        "nemo_skills.repeated": "The problem of {first} occurs again ({place}), but NeMo-Skills writes a file for "
        "each sample. If this is a table, add {option:format=plain}.",
        "healthbench.below": "Scores below 0: {count:,}. Each counts as 0 here. HealthBench keeps them, and cuts the "
        "mean instead.",
        "hub.cut": "Cells of this page are cut off, as in row {row}. Ask for fewer rows at a time, or download the "
        "data set.",
        "every_eval_ever.is_correct": "The grades are “is_correct”, because the scores are not all from 0 to 1.",
        "every_eval_ever.verdicts": "The grades are the scores. For {count:,} samples “is_correct” says otherwise than "
        "a score above one half.",
    }
)


def name_problem(value: Any) -> Any:
    """Return the only value of an object as it is, and several as JSON."""
    only = value
    if isinstance(value, dict) and len(value) == 1:
        only = next(iter(value.values()))
    if only and isinstance(only, str):
        return only
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


# Statistics that say whether a sample is correct, the usual one first. Others, such as finish_reason_stop, do not.
_VERDICTS = (
    *(
        "exact_match",
        "quasi_exact_match",
        "prefix_exact_match",
        "quasi_prefix_exact_match",
        "math_equiv",
    ),
    *(
        "math_equiv_chain_of_thought",
        "final_number_exact_match",
        "test_avg",
        "code_eval_acc",
        "exact_set_match",
    ),
)


def list_means(source: Source) -> Iterator[Any]:
    """Yield the means of each instance, perturbation and trial; each class of metrics writes an entry of its own."""
    # As in `run_display.py` of HELM, a statistic that two entries have counts as the later one has it.
    merged: dict[str, dict[str, Any]] = {}
    for place, entry in enumerate(list_in(source.document)):
        if not has_fields(entry, "instance_id", "train_trial_index") or not isinstance(
            entry.get("stats"), list
        ):
            merged[f"broken {place}"] = entry
            continue
        key = json.dumps(
            [entry["instance_id"], entry["train_trial_index"], entry.get("perturbation")],
            sort_keys=True,
        )
        kept = merged.setdefault(key, {**entry, "problem": _name_instance(entry), "means": {}})
        for stat in entry["stats"]:
            name = find_field(stat, ["name", "name"])
            if isinstance(name, str):
                kept["means"][name] = find_field(stat, ["mean"])
    yield from merged.values()


def _name_instance(entry: Mapping[str, Any]) -> object:
    perturbation = find_field(entry, ["perturbation", "name"])
    if perturbation is None:
        return entry["instance_id"]
    return f"{entry['instance_id']} ({perturbation})"


def take_mean(row: Row, _: int, chosen: Chosen) -> object:
    """Return the mean of the statistic of HELM that was chosen."""
    return row["means"].get(chosen.scorer)


def list_statistics(entries: Sequence[Any], reading: Reading) -> list[str]:
    """List the statistics of HELM: those that are verdicts, unless the user names one."""
    names = list_names(entries, "means")
    verdicts = [name for name in _VERDICTS if name in names]
    refuse_no_scorer(reading.scorer, names, verdicts)
    return verdicts if reading.scorer is None else names


_SCORES = "sample_score.score.value"


def list_scores(rows: Sequence[Any], _: Reading) -> list[str]:
    """List the scores of evalscope, the main one first."""
    main = find_field(rows[0], ["sample_score", "score", "main_score_name"])
    return sorted(list_names(rows, _SCORES) or ["accuracy"], key=lambda name: name != main)


# Text behind each output in the header of CSV.
_STATUS = ("Status", "Score", "Named Scores")

# The `failureReason` of a sample that could not be made or judged; 1 is that of a wrong one.
_ERROR = 2


def _list_cells(source: Source) -> Iterator[object]:
    """Yield the samples of CSV, as they are in JSON: six cells for each provider follow those of the variables."""
    records = read_cells(source, ",")
    header = next(records)
    places = [place - 1 for place, name in enumerate(header) if name == _STATUS[0]]
    for record in records:
        for place in places:
            label, _, prompt = header[place].removeprefix("[").partition("] ")
            yield {
                "provider": {"label": label},
                "prompt": {"label": prompt},
                "vars": dict(zip(header[: places[0]], record, strict=False)),
                "success": record[place + 1] == "PASS",
                "failureReason": _ERROR if record[place + 1] == "ERROR" else 0,
                "response": {"output": record[place]},
            }


def list_results(source: Source) -> Iterable[object] | None:
    """List the rows of CSV or of a document, or return None for lines; a file of one line looks like a document."""
    if source.layout != "json":
        if source.layout == "csv":
            return _list_cells(source)
        return None
    listed = None
    if isinstance(source.document, dict):
        listed = source.document.get("results", [source.document])
    if isinstance(listed, dict):
        listed = listed.get("results")
    if not isinstance(listed, list):
        raise _say.error("promptfoo.results")
    return listed


def name_provider(row: Row) -> Row:
    """Return a row with its provider, by its label if it has one, and its prompt as fields of their own."""
    provider, prompt = (
        part if isinstance(part, dict) else {} for part in (row.get("provider"), row.get("prompt"))
    )
    label = provider.get("label") or provider.get("id")
    named = {name: row[name] for name in row if name not in ("provider", "prompt")}
    named |= {} if label is None else {"provider.label": str(label)}
    return named | {
        "prompt.label": str(prompt.get("label", "")),
        "problem": name_problem(row["vars"]) if isinstance(row["vars"], dict) else row["vars"],
        "output": _spell(find_field(row, ["response", "output"])),
        "failure": (row.get("error") or True) if row.get("failureReason") == _ERROR else None,
    }


def judge_result(row: Row, number: int, chosen: Chosen) -> object:
    """Return whether a sample of promptfoo passed."""
    if not has_fields(row.get("response"), "output"):
        raise chosen.collector.lack("response.output", number)
    return row["success"]


_SKILLS = ("symbolic_correct", "judgement", "is_correct", "is_correct-plus", "graded_list")
_JUDGEMENT = "Judgement:"


def find_lines(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the lines of NeMo-Skills."""
    names = [name for name in _SKILLS if name in source.first_row]
    unjudged = "grades" in reading.columns or not names
    if unjudged:
        choice = Choice(None)
    else:
        choice = choose("scorer", reading.scorer, names)
    scorer = choice.name
    roles = {
        "answers": "predicted_answer",
        "references": "expected_answer",
        "scores": "reward_model_score",
    }
    roles = {role: name for role, name in roles.items() if name in source.first_row}
    lines: dict[tuple[object, ...], int] = {}
    rows, questions = [], {}
    for line, row in collector.rows(
        source, [*([] if scorer is None else [scorer]), *roles.values()]
    ):
        with collector.faults:
            _refuse_repeated(row, line, lines, collector)
            verdict = (
                NOTHING
                if scorer is None
                else _read_verdict(scorer, row[scorer], collector.place(line))
            )
            rows.append((line, row | {"line": line, "verdict": verdict}))
            questions[str(line)] = str(row.get("problem", row.get("question", "")))
    # Problems are told apart by their lines alone, which another data set has too.
    known = {} if "problem" in reading.columns else questions
    return Found(rows, {**roles, "grades": scorer}, choice=choice, questions=known)


def _refuse_repeated(
    row: Row, line: int, lines: dict[tuple[object, ...], int], collector: RowCollector
) -> None:
    """Raise if two lines are of the same problem: then this is another file with columns of the same names."""
    key = tuple(str(row[name]) for name in ("id", "problem", "question") if name in row)
    first = lines.setdefault(key, line)
    if key and first != line:
        raise _say.error(
            "nemo_skills.repeated", place=collector.place(line), first=collector.place(first)
        )


def _read_verdict(scorer: str, value: object, place: Message) -> object:
    """Return the grade; None for a judgement that says neither yes nor no."""
    if scorer == "graded_list" and isinstance(value, list) and len(value) == 1:
        return value[0]
    if scorer == "judgement" and isinstance(value, str):
        _, mark, verdict = value.rpartition(_JUDGEMENT)
        word = ""
        if mark:
            word = verdict.strip().lower()
        if word.startswith("yes"):
            return True
        if word.startswith("no"):
            return False
        return None
    if scorer in ("graded_list", "judgement") and value is not None:
        raise refuse_field("NeMo-Skills", scorer, value, place)
    return value


_FEEDBACK = "/value"
_RATINGS = {"yes": 1, "no": 0}


def list_feedback(rows: Sequence[Any], _: Reading) -> list[str]:
    """List the scorers of MLflow."""
    return _list_before(_FEEDBACK, rows)


def _list_before(end: str, rows: Sequence[Any]) -> list[str]:
    """List what is before the end of the names that have it."""
    names = dict.fromkeys(chain.from_iterable(row for row in rows if isinstance(row, dict)))
    return [name.removesuffix(end) for name in names if name.endswith(end)]


def has_feedback(row: Mapping[str, Any]) -> bool:
    """Return whether a row of MLflow has feedback of a scorer."""
    is_judged = any(name.endswith(_FEEDBACK) for name in row) or bool(_spread(dict(row)))
    return isinstance(row["request"], dict) and is_judged


def _spell(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def list_traces(source: Source) -> list[Any]:
    """List the rows of MLflow. Assessments in one list become fields, as `evaluate` has them."""
    return [row | _spread(row) if isinstance(row, dict) else row for row in list_table(source)]


def _spread(row: Row) -> Row:
    """Return the feedback in the list of assessments of a trace."""
    found = {}
    for each in list_in(row.get("assessments")):
        name = find_field(each, ["assessment_name"]) or find_field(each, ["name"])
        if isinstance(name, str) and has_fields(each, "feedback"):
            found[name + _FEEDBACK] = find_field(each, ["feedback", "value"])
    return found


def list_table(source: Source) -> list[Any]:
    """List the rows of a table in CSV, in lines or in a document."""
    if source.layout == "csv":
        header, *records = read_cells(source, ",")
        return [dict(zip(header, record, strict=False)) for record in records]
    if source.layout == "jsonl":
        return [row for _, row in source.rows()]
    return list_in(source.document) or [source.document]


_SCORE = "/score"


def has_scores(row: Mapping[str, Any]) -> bool:
    """Return whether a row of Vertex AI has the score of a metric."""
    return any(name.endswith(_SCORE) for name in row)


def list_metric_scores(rows: Sequence[Any], _: Reading) -> list[str]:
    """List the metrics of Vertex AI, the one that compares with the reference first."""
    return sorted(_list_before(_SCORE, rows), key=lambda name: name != "exact_match")


def list_events(source: Source) -> Iterator[Any]:
    """Yield the events of OpenAI's evals that say whether a sample is right, and those of samples that raised."""
    for _, row in source.rows():
        kind = find_field(row, ["type"])
        if kind == "match" or (kind == "error" and isinstance(row.get("data"), dict)):
            yield row


def list_scored(row: Row) -> Row:
    """Return a row of Qwen2.5-Math with its samples."""
    scores, answers = row["score"], row["pred"]
    are_lists = isinstance(scores, list) and isinstance(answers, list)
    if not are_lists or len(scores) != len(answers):
        return row | {"samples": None}  # which is refused
    pairs = zip(scores, answers, strict=True)
    return row | {"samples": [{"verdict": right, "answer": answer} for right, answer in pairs]}


def name_request(row: Row) -> Row:
    """Return a row of MLflow with its request as the name of a problem."""
    return row | {"problem": name_problem(row["request"]), "response": _spell(row.get("response"))}


def judge_feedback(row: Row, _: int, chosen: Chosen) -> object:
    """Return the feedback of the scorer of MLflow that was chosen."""
    value = row.get(chosen.scorer + _FEEDBACK)
    if not isinstance(value, str):
        return value
    return _RATINGS.get(value.lower(), value if chosen.reading.words else None)


def list_cases(source: Source) -> Iterator[Any]:
    """Yield test cases with the verdict of each metric; one whose judge failed has none."""
    for case in list_in(source.document, "testCases"):
        held = [metric for metric in list_in(case, "metricsData") if isinstance(metric, dict)]
        verdicts = {
            str(metric.get("name")): None if metric.get("error") else metric.get("success")
            for metric in held
        }
        failed = any(metric.get("error") and not metric.get("flaky") for metric in held)
        whole = {"success": None if failed else find_field(case, ["success"])}
        yield case | {"verdicts": whole | verdicts} if isinstance(case, dict) else case


def list_case_metrics(rows: Sequence[Any], reading: Reading) -> list[str]:
    """List the verdict of a case of DeepEval and those of its metrics, unless that is the only one."""
    return list_whole("success", list_names(rows, "verdicts")[1:], reading)


_EXAMPLES = ("metadata", "example_level_metadata")


def find_examples(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the examples of HealthBench, with their scores cut at 0."""
    rows = list(
        collector.rows(list_in(source.document, *_EXAMPLES), ("prompt_id", "score"), dict.copy)
    )
    scores = [(row, row["score"]) for _, row in rows if reading.scale is None]
    below = [row for row, score in scores if isinstance(score, (int, float)) and score < 0]
    for row in below:
        row["score"] = 0
    note = _say("healthbench.below", count=len(below))
    return Found(rows, notes=[note] if below else [])


# Every Eval Ever, in its schema for instances.

_INSTANCE = ("model_id", "evaluation_name", "sample_id", "evaluation", "answer_attribution")
_OF_INSTANCE = ("model_id", "evaluation_name", "sample_id", "metadata", "error")
_KINDS_OF_INSTANCE = {
    "evaluation_name": (str,),
    "evaluation_result_id": (str, type(None)),
    "evaluation": (dict,),
    "evaluation.score": (int, float, bool, type(None)),
    "answer_attribution": (list, type(None)),
}


def find_instances(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the samples of one result for each evaluation: one that K metrics score has K lines, with K results."""
    rows: list[tuple[int, Row]] = []
    results: dict[str, dict[str, None]] = {}
    for line, row in collector.rows(source, _INSTANCE):
        with collector.faults:
            check_kinds("Every Eval Ever", row, _KINDS_OF_INSTANCE, collector.place(line))
            score, answer = (
                row["evaluation"],
                (row["answer_attribution"] or [{"extracted_value": None}])[-1],
            )
            for part, path in (
                (score, "evaluation.score"),
                (answer, "answer_attribution.extracted_value"),
            ):
                if not has_fields(part, path.partition(".")[2]):
                    raise collector.lack(path, line)
            result = str(row.get("evaluation_result_id"))
            results.setdefault(row["evaluation_name"], {})[result] = None
            if reading.columns:
                kept = row
            else:
                kept = {name: row[name] for name in _OF_INSTANCE if name in row}
            kept |= {
                "gold": find_field(row.get("input"), ["reference"]),
                "answer": answer["extracted_value"] or None,
            }
            rows.append(
                (
                    line,
                    kept
                    | {"result": result, "score": score["score"], "right": score.get("is_correct")},
                )
            )
    every, wanted = dict.fromkeys(chain.from_iterable(results.values())), reading.scorer
    choices = {
        name: choose("scorer", wanted, every if wanted else names)
        for name, names in results.items()
    }
    told = wanted or ", ".join(
        dict.fromkeys(name for choice in choices.values() for name in choice.told.values())
    )
    choice = Choice(
        None,
        {"scorer": told} if told else {},
        [note for one in choices.values() for note in one.notes],
    )
    rows = [
        (line, row) for line, row in rows if row["result"] == choices[row["evaluation_name"]].name
    ]
    graded = [row for _, row in rows if row.get("error") is None]
    # `score` may be of any size; `is_correct` means something for metrics of 0 and 1 alone.
    uses_score = all(
        row["score"] is None or isnan(row["score"]) or 0 <= row["score"] <= 1 for row in graded
    )
    evaluations = list(dict.fromkeys(row["evaluation_name"] for _, row in rows))
    for _, row in rows:
        row["verdict"] = row["score" if uses_score else "right"]
        row["group"] = row["evaluation_name"] if len(evaluations) > 1 else None
    roles = {"answers": "answer_attribution", "references": "input.reference"}
    roles |= {
        "grades": "evaluation.score" if uses_score else "evaluation.is_correct",
        "group": "evaluation_name",
    }
    notes = _note_verdicts(graded, uses_score=uses_score or "grades" in reading.columns)
    models = ", ".join(dict.fromkeys(str(row["model_id"]) for _, row in rows))
    return Found(
        rows, roles, notes, choice, {"model": models, "evaluation": ", ".join(evaluations)}
    )


def _note_verdicts(rows: list[Row], *, uses_score: bool) -> list[Message]:
    """Write the note, if one is due, that scores are not all grades, or that a score and its verdict disagree."""
    if not uses_score:
        return [_say("every_eval_ever.is_correct")]
    judged = [row for row in rows if isinstance(row["right"], bool) and row["score"] is not None]
    count = sum((row["score"] > 0.5) != row["right"] for row in judged)
    if count:
        return [_say("every_eval_ever.verdicts", count=count)]
    return []


# The Hub's data sets server: a page of a table.


def read_page(source: Source, reading: Reading) -> Samples:
    """Read a page of a table as the table."""
    rows = [
        row if isinstance(row, dict) else {"row": row} for row in list_in(source.document, "rows")
    ]
    cut = [row.get("row_idx") for row in rows if row.get("truncated_cells")]
    if cut:
        raise _say.error("hub.cut", row=quote(cut[0]))
    content = b"".join(json.dumps(row.get("row")).encode() + b"\n" for row in rows)
    return read_plain(Source(source.name, content, source.limits), reading)
