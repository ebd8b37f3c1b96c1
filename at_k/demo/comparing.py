"""The page Compare: two models on the same problems, with both decisions about each line of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import at_k
from at_k.analysis.claims import Difference, Points, say_differences
from at_k.analysis.compared import Compared, write_p_in_sentence
from at_k.demo.drawing import Data, draw_message, draw_model, find_label, list_read, name_line
from at_k.demo.given import Given
from at_k.demo.limits import BAND_SECONDS, COMPARING, OFFERED
from at_k.demo.scoring import TooLateError, interrupt_after, read_options, score_given
from at_k.demo.words import say, translate
from at_k.demo.writing import name_sides, write_comparison
from at_k.errors import InputError
from at_k.report import Report
from at_k.uncertainty.decisions import Comparison
from at_k.validation import list_parts
from at_k.values import Key

# Notes about p-values and single numbers, which the page does not show: its decisions are those of the bands.
_OF_TABLE = ("compare.adjusted", "compare.of_keys", "report.twins", "report.no_other")

# The lines that the page offers.
_LINES = ("G-Pass@k_1.0", "pass^k", "G-Pass@k_0.5", "cons@k", "best@k", "pass@k", "avg@n")

# Claims that are decisions of a whole line. The others say where it is open, and how large it is at one k.
_DECISIONS = ("claims.better", "claims.better_for", "claims.no_difference")


def compare(values: Mapping[str, Any], language: str) -> Data:
    """Compare two models: both staircases, and for each line the differences over k with both decisions."""
    shared = read_options(values.get("options"), (*OFFERED, *COMPARING))
    comparing = {name: shared.pop(name) for name in COMPARING if name in shared}
    if comparing.get("margin"):
        comparing["margin"] = float(comparing["margin"])
    sides: list[Given] = []
    reports: list[Report] = []
    names: list[str] = []
    rewritten: list[str] = []
    for side in "ab":
        files = Given.take(values.get(side))
        options = shared | read_options(values.get(f"options_{side}"))
        try:
            report, _ = score_given(files, {"groups": False, **options})
        except InputError as reason:
            raise reason.in_file(side.upper()) from None
        sides.append(files)
        reports.append(report)
        chosen = ", ".join(_list_choices(options))
        name = values.get(f"name_{side}") or chosen or files.name or side.upper()
        names.append(str(name)[:60])
        rewritten += [f"{side.upper()}: {note}" for note in list_read(files, report, language)]
    if names[0] == names[1]:
        names = [f"{name} ({letter})" for name, letter in zip(names, "AB", strict=True)]
    compared, used = _compare(reports, (names[0], names[1]), {"unmatched": "drop", **comparing})
    notes = [note for note in compared.notes if note.code not in _OF_TABLE]
    return {
        "names": names,
        "models": [draw_model(report, language) for report in reports],
        "rewritten": rewritten,
        "lines": dict(_draw_lines(compared, language)),
        "notes": [draw_message(note, language) for note in notes],
        "command": write_comparison(reports, name_sides(*sides), used),
        "data": compared.to_dict() if values.get("full") else None,
    }


def _list_choices(options: Mapping[str, Any]) -> Iterator[str]:
    """List the values that `where` chooses, which name a model."""
    for value in (options.get("where") or {}).values():
        yield from (str(choice) for choice in list_parts(value) if choice is not None)


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


# A line: a metric against k


def _draw_lines(compared: Compared, language: str) -> Iterator[tuple[str, Data]]:
    """Draw each line that the page offers: avg@n has one only where it is alone."""
    listed = compared.list_differences()
    lines = [line for line in listed if line in _LINES and line.metric != "avg@n"]
    for line in lines or [line for line in listed if line in _LINES]:
        yield str(line), _draw_line(compared, line, listed[line], language)


def _draw_line(compared: Compared, line: Key, differences: list[Difference], language: str) -> Data:
    keys = [key for key in compared.comparisons if isinstance(key, Key) and key.line == line]
    claims = say_differences(differences, name_line(line), compared.names)
    decided = [claim for claim in claims if claim.code in _DECISIONS]
    others = [translate(claim, language) for claim in decided]
    others += _say_turn(differences, compared.names, language)
    decisions = [[say(language, "compare.others"), _join(others, language)]]
    here = _say_here(compared, line, keys, language)
    if here:
        problems = f"{compared.comparisons[keys[0]].problems[0]:,}"
        about = say(language, "compare.here", problems=problems)
        decisions.insert(0, [about, _join(here, language)])
    said_at = {}
    for key in keys:
        sentences = compared.describe(key)
        said_at[str(key.draws or 1)] = [translate(each, language) for each in sentences]
    return {
        "label": f"{find_label(line, language)} · {name_line(line)}",
        "decisions": decisions,
        "said": [draw_message(claim, language) for claim in claims if claim not in decided],
        "said_at": said_at,
        "at": [_draw_difference(difference) for difference in differences],
        "table": _draw_table(compared, keys, language),
    }


def _join(sentences: Sequence[str], language: str) -> str:
    return ("" if language == "zh" else " ").join(sentences)


def _draw_difference(at: Difference) -> list[Any]:
    ends = [round(end, 5) if np.isfinite(end) else None for end in (at.value, at.low, at.high)]
    return [at.k, *ends, at.better or "open"]


def _say_turn(
    differences: Sequence[Difference], names: tuple[str, str], language: str
) -> Iterator[str]:
    """Say from which k on the other model is ahead, unless the decisions say it already."""
    ahead = [(at.k, at.value > 0) for at in differences if at.value]
    is_said = {"a", "b"} <= {at.better for at in differences}
    if is_said or not ahead or ahead[0][1] == ahead[-1][1]:
        return
    last = max(k for k, is_a in ahead if is_a == ahead[0][1])
    turn = min(k for k, _ in ahead if k > last)
    yield say(language, "compare.turn", k=turn, name=names[not ahead[-1][1]])


def _say_here(compared: Compared, line: Key, keys: Sequence[Key], language: str) -> list[str]:
    """Say for which k which model is better on these very problems; nothing where no k tells it."""
    places: dict[str | None, list[str]] = {}
    for key in keys:
        if key in compared.reruns:
            places.setdefault(compared.find_better_here(key), []).append(str(key.k or 1))
    said = []
    for name in (*compared.names, None):
        if name in places:
            code = "compare.k_open" if name is None else "compare.k_better"
            k = ", ".join(places[name])
            said.append(say(language, code, name=name, line=name_line(line), k=k))
    return said


def _draw_table(compared: Compared, keys: Sequence[Key], language: str) -> Data:
    """Draw a row for each k: both values, and the difference with its interval by both decisions."""
    rows = []
    for key in keys:
        pair = compared.comparisons[key]
        values = [{"text": f"{100 * value:.1f}"} for value in (pair.a, pair.b)]
        decisions = [_draw_decision(compared.reruns.get(key)), _draw_decision(pair)]
        rows.append([{"text": str(key)}, *values, *decisions])
    problems = f"{compared.comparisons[keys[0]].problems[0]:,}" if keys else ""
    head = [say(language, "compare.here", problems=problems), say(language, "compare.others")]
    return {"caption": "", "head": ["", "A", "B", *head], "left": 1, "rows": rows}


def _draw_decision(pair: Comparison | None) -> Data:
    """Draw a difference; a dash where other samples of these problems are not known: n is k."""
    if pair is None:
        return {"text": "–"}
    p = write_p_in_sentence(pair.p_adjusted)
    interval = f"[{Points(pair.low):+}, {Points(pair.high):+}], {p}"
    style = "" if pair.better is None else "best"
    return {"text": f"{Points(pair.difference):+}", "interval": interval, "style": style}
