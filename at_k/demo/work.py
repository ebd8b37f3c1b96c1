"""The work of the endpoints: plain values in and out, for `sandbox`. It runs without Gradio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import NoneType
from typing import Any

import numpy as np

import at_k
from at_k.analysis.claims import Share, make_verdicts
from at_k.analysis.compared import Compared
from at_k.demo.drawing import (
    Data,
    draw_message,
    draw_problems,
    draw_report,
    draw_sheet,
    find_label,
    name_line,
)
from at_k.demo.given import EXAMPLES, Given, read_example
from at_k.demo.limits import BAND_SECONDS, COMPARING, OFFERED, PLANNING
from at_k.demo.offers import offer, question_zero, rewrite
from at_k.demo.scoring import (
    OPTIONS,
    TooLateError,
    interrupt_after,
    read_options,
    score_given,
)
from at_k.demo.words import (
    LANGUAGES,
    SENTENCES,
    make_error,
    name_choice,
    name_option,
    say,
    translate,
)
from at_k.errors import InputError
from at_k.options.registry import PILOT
from at_k.readers.samples import ROLES
from at_k.report import Report
from at_k.report.report import write_command, write_lines, write_script
from at_k.validation import list_parts
from at_k.values import Key

# Notes about p-values and single numbers, which the page does not show: its verdicts are those of the bands.
_OF_TABLE = ("compare.adjusted", "compare.of_keys", "report.twins", "report.no_other")

_FORMS = ("csv", "markdown", "latex", "html", "json")
_PROBLEMS = (
    10,
    15,
    20,
    30,
    40,
    50,
    70,
    100,
    150,
    200,
    300,
    400,
    500,
    700,
    1000,
    1500,
    2000,
    3000,
    5000,
    10000,
)
_SAMPLES = (1, 2, 4, 8, 16, 32, 64, 128)

# The lines that the page Compare offers.
_LINES = ("G-Pass@k_1.0", "pass^k", "G-Pass@k_0.5", "cons@k", "best@k", "pass@k", "avg@n")


def warm_up() -> None:
    """Import what requests need, and do each kind of work once."""
    rows = '{"answers": ["a", "b"], "reference": "a", "score": [1, 2], "group": "g"}\n' * 2
    run("score", {"data": rows})
    run("compare", {"a": rows, "b": rows})
    run("plan", {"data": rows})


def run(name: str, values: Mapping[str, Any]) -> Data:
    """Return what an endpoint answers, or why it cannot: `error`, `code` and `mends`, choices that would help."""
    language = values.get("language") if values.get("language") in LANGUAGES else LANGUAGES[0]
    try:
        return ENDPOINTS[name](values, str(language))
    except InputError as reason:
        message = draw_message(reason, str(language))
        return {
            "error": message["text"],
            "code": message["code"],
            "mends": _offer(name, values, reason, str(language)),
        }
    except (TypeError, ValueError) as reason:  # an option that the library refuses
        return {"error": str(reason)[:500], "code": "value", "mends": []}


def _take(values: Mapping[str, Any], side: str) -> tuple[Given, str]:
    """Take the results of a side, or the example that is named, and what they are called."""
    example = values.get("example") if side == "data" else None
    if example is not None:
        if example not in EXAMPLES:
            raise make_error("given.nothing")
        language = values.get("language") if values.get("language") in LANGUAGES else LANGUAGES[0]
        return Given.take(read_example(example)), say(str(language), f"example.{example}")
    files = Given.take(values.get(side))
    return files, files.name


def _offer(name: str, values: Mapping[str, Any], reason: InputError, language: str) -> list[Data]:
    """Offer what mends a refusal, on the side that it belongs to."""
    rewritten = rewrite(values.get("data"), language)
    # What cannot be compared or planned was read well.
    if rewritten or reason.code.startswith(("compare.", "plan.")):
        return rewritten
    side = reason.file.lower() if name == "compare" else "data"
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
    paths = _name_paths(files, values.get("example"))
    page |= {
        "table": draw_sheet(report.sheet(), language),
        "fields": _draw_fields(options, language),
        "read": roles,
        "rewritten": _list_rewritten(files, language),
        "interval": say(
            language, "page.interval", level=Share(options.get("confidence_level") or 0.95)
        ),
        "columns": files.columns,
        "command": write_score(report, paths),
        "python": write_script(report, paths[0] if len(paths) == 1 else paths),
        "values": {str(key): value for key, value in report.values.items()},
    }
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


def _list_rewritten(given: Given, language: str) -> list[str]:
    """Say what was read as what in texts that were rewritten."""
    notes = [
        (file.name, translate(note, language)) for file in given.files for note in file.rewritten
    ]
    return [f"{name}: {text}" if name and len(given.files) > 1 else text for name, text in notes]


def _name_paths(files: Given, example: object, default: str = "results.jsonl") -> list[str]:
    """Name the files as the machine of a visitor has them."""
    if example is not None:
        return [f"examples/data/{EXAMPLES[str(example)]}"]
    return [file.name or default for file in files.files]


def compare(values: Mapping[str, Any], language: str) -> Data:
    """Compare two models: both staircases, and for each line the differences over k with their one verdict."""
    reports: list[Report] = []
    names: list[str] = []
    rewritten: list[str] = []
    sides: list[Given] = []
    shared = read_options(values.get("options"), (*OFFERED, *COMPARING))
    comparing = {name: shared.pop(name) for name in COMPARING if name in shared}
    for side in "ab":
        files, name = _take(values, side)
        options = shared | read_options(values.get(f"options_{side}"))
        try:
            report, _ = score_given(files, {"groups": False, **options})
        except InputError as reason:
            raise reason.in_file(side.upper()) from None
        reports.append(report)
        sides.append(files)
        rewritten += [
            f"{side.upper()}: {sentence}" for sentence in _list_rewritten(files, language)
        ]
        chosen = [
            choice
            for value in (options.get("where") or {}).values()
            for choice in list_parts(value)
        ]
        label = ", ".join(str(choice) for choice in chosen if choice is not None)
        names.append(str(values.get(f"name_{side}") or label or name or side.upper())[:60])
    if names[0] == names[1]:
        names = [f"{name} ({letter})" for name, letter in zip(names, "AB", strict=True)]
    if comparing.get("margin"):
        comparing["margin"] = float(comparing["margin"])
    compared, used = _compare(reports, (names[0], names[1]), {"unmatched": "drop", **comparing})
    lines: dict[str, Data] = {}
    for line, differences in compared.list_differences().items():
        if line not in _LINES or (line.metric == "avg@n" and lines):
            continue
        claims = make_verdicts(differences, name_line(line), compared.names)
        keys = [key for key in compared.comparisons if isinstance(key, Key) and key.line == line]
        lines[str(line)] = {
            "label": f"{find_label(line, language)} · {name_line(line)}",
            "said_at": {
                str(key.draws or 1): [translate(each, language) for each in compared.describe(key)]
                for key in keys
            },
            "said": [draw_message(claim, language) for claim in claims],
            "at": [
                [
                    at.k,
                    *(round(end, 5) if np.isfinite(end) else None for end in at[1:4]),
                    at.verdict,
                ]
                for at in differences
            ],
        }
    k = min(max(report.k, default=1) for report in reports)
    return {
        "names": names,
        "models": [
            draw_report(report, language, name) for report, name in zip(reports, names, strict=True)
        ],
        "k": k,
        "rewritten": rewritten,
        "lines": lines,
        "notes": [
            draw_message(note, language) for note in compared.notes if note.code not in _OF_TABLE
        ],
        "command": write_comparison(reports, _name_sides(*sides), used),
        "data": compared.to_dict() if values.get("full") else None,
    }


def _name_sides(a: Given, b: Given) -> list[list[str]]:
    """Name the files of both models: one name for the same file, and folders for others of one name."""
    if a.files == b.files:
        return [_name_paths(a, None)] * 2
    paths = [
        _name_paths(given, None, f"{side}.jsonl") for side, given in zip("ab", (a, b), strict=True)
    ]
    if {*paths[0]} & {*paths[1]}:
        return [
            [f"{side}/{path}" for path in named] for side, named in zip("ab", paths, strict=True)
        ]
    return paths


def _compare(
    reports: list[Report], names: tuple[str, str], own: dict[str, Any]
) -> tuple[Compared, dict[str, Any]]:
    """Compare two reports, and return the options of the comparison too."""
    banded = own | {"band": own["unmatched"] != "unpaired"}
    try:
        with interrupt_after(BAND_SECONDS):
            return at_k.compare(*reports, names=names, **banded), banded
    except TooLateError:  # a vote at every k
        return at_k.compare(*reports, names=names, **own), own


def plan(values: Mapping[str, Any], language: str) -> Data:
    """Plan a measurement: a sentence, and tables of its numbers by problems × samples."""
    files, name = _take(values, "data")
    options = read_options(values.get("options"), (*OFFERED, *PLANNING))
    asked = {option: options.pop(option) for option in PLANNING if option in options}
    k = asked.get("k", 1)
    k = k[0] if isinstance(k, (list, tuple)) else k
    report, _ = score_given(files, options | {"groups": False})
    key = (
        Key("pass@k", k)
        if asked.get("thresholds") is None
        else Key("G-Pass@k", k, asked["thresholds"])
    )
    typical = int(np.median(report.n))
    problems = sorted({*_PROBLEMS, max(2, len(report))})
    samples = sorted({size for size in (*_SAMPLES, typical) if size >= k})
    used = {"k": k, "thresholds": asked.get("thresholds"), "problems": problems, "samples": samples}
    planned = at_k.plan(report, **used)
    tables: dict[str, Any] = {"half": [], "detect": []}
    if planned.can_tell:
        tables = {"half": planned.half_width, "detect": next(iter(planned.detectable.values()))}
    return {
        "name": name,
        "key": str(key),
        "rewritten": _list_rewritten(files, language),
        "can_tell": planned.can_tell,
        "sentence": SENTENCES["claims.plan"][LANGUAGES.index(language)],
        "problems": problems,
        "samples": samples,
        "start": [max(2, len(report)), max(k, typical)],
        **{table: np.round(rows, 6).tolist() for table, rows in tables.items()},
        "pilot": draw_report(replace(report, groups={}), language, name),
        "sheet": draw_sheet(planned.sheet(), language),
        "notes": [draw_message(note, language) for note in planned.notes],
        "command": write_plan(
            report, _name_paths(files, values.get("example"), "pilot.jsonl"), used
        ),
    }


def play(values: Mapping[str, Any], language: str) -> Data:
    """List the problems of results for the pages that are played with, which compute every number themselves."""
    files, name = _take(values, "data")
    options = read_options(values.get("options")) | {"metrics": ["avg_at_n"], "groups": False}
    report, _ = score_given(files, options, spread=False)
    problems = draw_problems(report, whole=True)
    return {"name": name, "problems": problems, "rewritten": _list_rewritten(files, language)}


def measure(values: Mapping[str, Any], language: str) -> Data:
    """Compute one metric for its endpoint: the report as `to_dict` has it."""
    files, _ = _take(values, "data")
    options = read_options(values.get("options")) | {"metrics": [str(values.get("metric"))]}
    report, _ = score_given(files, options, spread=False)
    return {"report": report.to_dict()}


# What a visitor types on a machine of their own for the numbers of a page.


def write_score(report: Report, paths: Sequence[str]) -> str | None:
    """Write the command that scores the same, with groups if the report has some."""
    options = dict(report.options)
    if not isinstance(options.pop("groups", None), (bool, NoneType)):
        return None  # labels, and no column
    if report.groups:
        columns = dict(options.pop("columns", None) or {})
        options["groups"] = columns.pop("group", None) or "group"
        options |= {"columns": columns} if columns else {}
    return write_command("score", paths, options)


def write_comparison(
    reports: Sequence[Report], paths: Sequence[Sequence[str]], options: Mapping[str, Any]
) -> str:
    """Write the command that compares the same, or Python lines where the models are scored in different ways."""
    (first, second), k = (dict(report.options) for report in reports), [each.k for each in reports]
    for own in (first, second):
        for name in (
            "groups",
            "confidence_level",
            "target",
            "k",
        ):  # those of the comparison are others
            own.pop(name, None)
    files = [*dict.fromkeys((*paths[0], *paths[1]))]
    one_each = len(paths[0]) == len(paths[1]) == 1
    if one_each and len(files) == 1 and first.get("where") != second.get("where"):
        chosen = [
            {name: list_parts(value) for name, value in (own.pop("where", None) or {}).items()}
            for own in (first, second)
        ]
        differ = [name for name in chosen[0] if chosen[0][name] != chosen[1].get(name)]
        one_each = chosen[0].keys() == chosen[1].keys() and len(differ) == 1
        one_each = one_each and all(
            len(own[differ[0]]) == 1 and isinstance(own[differ[0]][0], str) for own in chosen
        )
        if one_each:
            first["where"] = second["where"] = {
                **chosen[0],
                differ[0]: [own[differ[0]][0] for own in chosen],
            }
    else:
        files = [path for side in paths for path in side]
    if one_each and first == second:
        common = {"k": [each for each in k[0] if each in k[1]]}
        command = write_command("compare", files, {**first, **common, **options})
        if command is not None:
            return command
    return _write_use(
        "compared",
        "compare",
        dict(zip("ab", zip(reports, paths, strict=True), strict=True)),
        options,
    )


def write_plan(report: Report, paths: Sequence[str], options: Mapping[str, Any]) -> str:
    """Write the command that plans the same, or Python lines where several files are one pilot."""
    own = {name: value for name, value in report.options.items() if name in PILOT}
    command = write_command("plan", paths, {**options, **own}) if len(paths) == 1 else None
    return command or _write_use("plan", "plan", {"pilot": (report, paths)}, options)


def _write_use(
    name: str,
    function: str,
    reports: Mapping[str, tuple[Report, Sequence[str]]],
    options: Mapping[str, Any],
) -> str:
    arguments = [
        *reports,
        *(f"{option}={value!r}" for option, value in options.items() if value is not None),
    ]
    sources = {
        called: (report, paths[0] if len(paths) == 1 else list(paths))
        for called, (report, paths) in reports.items()
    }
    return write_lines(sources, f"{name} = at_k.{function}({', '.join(arguments)})\nprint({name})")


ENDPOINTS = {"score": score, "compare": compare, "plan": plan, "play": play, "measure": measure}
