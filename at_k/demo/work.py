"""The work of the endpoints: plain values in and out, for `sandbox`. It runs without Gradio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import at_k
from at_k.analysis.claims import Share
from at_k.demo.comparing import compare
from at_k.demo.drawing import (
    Data,
    count_report,
    draw_message,
    draw_problems,
    draw_report,
    draw_sheet,
    list_read,
)
from at_k.demo.given import EXAMPLES, Given, read_example
from at_k.demo.limits import OFFERED, PLANNING
from at_k.demo.offers import join_mends, offer, question_zero, rewrite
from at_k.demo.scoring import (
    OPTIONS,
    read_options,
    score_given,
)
from at_k.demo.words import (
    make_error,
    name_choice,
    name_option,
    read_language,
    say,
)
from at_k.demo.writing import name_paths, write_plan, write_score
from at_k.errors import InputError
from at_k.readers.samples import ROLES
from at_k.report.report import write_script
from at_k.validation import list_parts
from at_k.values import Key

_FORMS = ("csv", "markdown", "latex", "html", "json")
# Each number up to 1,000 is simulated, which takes .03 to .3 s.
_PROBLEMS = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000)
_SAMPLES = (1, 2, 4, 8, 16, 32, 64, 128)

# Refusals of texts that are no results.
_UNKNOWN = ("plain.unknown", "tables.empty", "tables.form", "sources.foreign")

# The sentences of a plan, whose numbers the page fills in as its controls move.
_PLANNED = ("plan.known", "plan.simulated", "plan.formula")


def warm_up() -> None:
    """Import what requests need, and do each kind of work once."""
    rows = '{"answers": ["a", "b"], "reference": "a", "score": [1, 2], "group": "g"}\n' * 2
    run("score", {"data": rows})
    run("compare", {"a": rows, "b": rows})
    run("plan", {"data": rows})


def run(name: str, values: Mapping[str, Any]) -> Data:
    """Return what an endpoint answers, or why it cannot: `error`, `code` and `mends`, choices that would help."""
    language = read_language(values)
    try:
        return ENDPOINTS[name](values, language)
    except InputError as reason:
        message = draw_message(reason, language)
        side = reason.file.lower() if name == "compare" else "data"
        return {
            "error": message["text"],
            "code": message["code"],
            "side": side,
            "columns": _list_columns(values, side, reason),
            "mends": _offer(name, values, side, reason, language),
        }
    except (TypeError, ValueError) as reason:  # an option that the library refuses
        return {"error": str(reason)[:500], "code": "value", "mends": []}


def _take(values: Mapping[str, Any], side: str) -> tuple[Given, str]:
    """Take the results of a side, or the example that is named, and what they are called."""
    example = values.get("example") if side == "data" else None
    if example is not None:
        if example not in EXAMPLES:
            raise make_error("given.nothing")
        name = say(read_language(values), f"example.{example}")
        return Given.take(read_example(example)), name
    files = Given.take(values.get(side))
    return files, files.name


def _list_columns(values: Mapping[str, Any], side: str, reason: InputError) -> list[str]:
    """List the columns that a visitor may name, where no meaning of them is known."""
    if reason.code != "plain.unknown":
        return []
    files, _ = _take(values, side)
    return files.columns


def _offer(
    name: str, values: Mapping[str, Any], side: str, reason: InputError, language: str
) -> list[Data]:
    """Offer what mends a refusal, on the side that it belongs to."""
    is_unknown = reason.code in _UNKNOWN and not reason.readings
    rewritten = rewrite(values.get("data"), language, is_unknown=is_unknown)
    # What cannot be compared or planned was read well.
    if rewritten or reason.code.startswith(("compare.", "plan.")):
        return rewritten
    own = f"options_{side}" if name == "compare" else "options"
    try:
        files, _ = _take(values, side)
        options = read_options(values.get(own))
        return [{**each, "side": side} for each in offer(files, options, reason, language)]
    except ValueError:  # no results, or options that are refused themselves
        return []


def score(values: Mapping[str, Any], language: str) -> Data:
    """Score results: what the page Score draws, and the same in the words of the command and of Python."""
    files, name = _take(values, "data")
    options = read_options(values.get("options"))
    report, samples = score_given(files, options)
    if values.get("form") in _FORMS:
        return {"form": values["form"], "text": getattr(report, f"to_{values['form']}")()}
    if values.get("form") == "rows":
        return {
            "form": "rows",
            "text": "\n".join(file.content.decode("utf-8", "replace") for file in files.files),
        }
    if readings := question_zero(files, options, report, language):
        return {"error": say(language, "page.zero"), "code": "page.zero", "mends": readings}
    page = draw_report(report, language, name)
    roles = [
        {"role": role, "label": say(language, f"role.{role}"), "column": samples.roles.get(role)}
        for role in ROLES
    ]
    paths = name_paths(files, values.get("example"))
    page |= {
        "table": draw_sheet(report.sheet(), language),
        "fields": _draw_fields(options, language),
        "read": roles,
        "rewritten": list_read(files, report, language),
        "interval": say(
            language, "page.interval", level=Share(options.get("confidence_level") or 0.95)
        ),
        "columns": files.columns,
        "command": write_score(report, paths),
        "python": write_script(report, paths[0] if len(paths) == 1 else paths),
        "values": {str(key): value for key, value in report.values.items()},
    }
    for note in page["notes"]:
        note["mends"] = join_mends(files, options, note["mends"], language)
    page["notes"] += _note_copies(files, language)
    return page


def _draw_fields(options: Mapping[str, Any], language: str) -> list[Data]:
    """Write the fields of the page: k, τ, and when an answer is right."""
    fields = []
    for name in ("k", "thresholds", "check_correct_fn"):
        option, value = OPTIONS[name], options.get(name)
        text = "" if value is None else ", ".join(map(str, list_parts(value)))
        field: Data = {"name": name, "label": name_option(option, language), "value": text}
        if option.words:
            field["value"] = text or option.default
            field["choices"] = [
                [choice, name_choice(option, choice, language)] for choice, _ in option.words
            ]
        fields.append(field)
    return fields


def _note_copies(given: Given, language: str) -> list[Data]:
    """Note files that are copies of others, each with the choice to leave it out."""
    return [
        draw_message(make_error("given.copy", file=file, original=original), language)
        | {"mends": [{"label": say(language, "page.drop", file=file), "drop": file}]}
        for file, original in given.copies
    ]


def plan(values: Mapping[str, Any], language: str) -> Data:
    """Plan a measurement: a sentence, and tables of its numbers by problems × samples."""
    files, name = _take(values, "data")
    options = read_options(values.get("options"), (*OFFERED, *PLANNING))
    asked = {option: options.pop(option) for option in PLANNING if option in options}
    k = asked.get("k", 1)
    k = k[0] if isinstance(k, (list, tuple)) else k
    report, _ = score_given(files, options | {"groups": False})
    key = Key("pass@k", k)
    if asked.get("thresholds") is not None:
        key = Key("G-Pass@k", k, asked["thresholds"])
    typical = int(np.median(report.n))
    problems = sorted({*_PROBLEMS, max(2, len(report))})
    samples = sorted({size for size in (*_SAMPLES, typical) if size >= k})
    used = {"k": k, "thresholds": asked.get("thresholds"), "problems": problems, "samples": samples}
    planned = at_k.plan(report, **used)
    tables: dict[str, Any] = {"half": [], "detect": [], "chance": [], "here": []}
    if planned.can_tell:
        r = next(iter(planned.detectable))  # the cautious correlation, where none is known
        tables["half"], tables["detect"] = planned.half_width, planned.detectable[r]
        tables["chance"], tables["here"] = planned.chances[r], planned.chances_here[r]
    return {
        "name": name,
        "key": str(key),
        "rewritten": list_read(files, report, language),
        "can_tell": planned.can_tell,
        "sentences": [say(language, code) for code in _PLANNED],
        "problems": problems,
        "samples": samples,
        "simulated": planned.own[1],
        "start": [max(2, len(report)), max(k, typical)],
        **{name: _list_numbers(table) for name, table in tables.items()},
        "size": count_report(report, language),
        "k": list(report.k) or [1],
        "sheet": draw_sheet(planned.sheet(), language),
        "notes": [draw_message(note, language) for note in planned.notes],
        "command": write_plan(
            report, name_paths(files, values.get("example"), "pilot.jsonl"), used
        ),
    }


def _list_numbers(table: Any) -> list[Any]:
    """Round a table for JSON, which has no NaN."""
    rounded = np.round(table, 6)
    listed = rounded.astype(object)
    listed[np.isnan(rounded)] = None
    rows: list[Any] = listed.tolist()
    return rows


def play(values: Mapping[str, Any], language: str) -> Data:
    """List the problems of results for the pages that are played with, which compute every number themselves."""
    files, name = _take(values, "data")
    options = read_options(values.get("options")) | {"metrics": ["avg_at_n"], "groups": False}
    report, _ = score_given(files, options, spread=False)
    problems = draw_problems(report, whole=True)
    return {"name": name, "problems": problems, "rewritten": list_read(files, report, language)}


def measure(values: Mapping[str, Any], language: str) -> Data:
    """Compute one metric for its endpoint: the report as `to_dict` has it."""
    files, _ = _take(values, "data")
    options = read_options(values.get("options")) | {"metrics": [str(values.get("metric"))]}
    report, _ = score_given(files, options, spread=False)
    return {"report": report.to_dict()}


ENDPOINTS = {"score": score, "compare": compare, "plan": plan, "play": play, "measure": measure}
