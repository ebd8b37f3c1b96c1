"""Buttons for results that were refused: every one was tried on these results, and says what it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from time import process_time
from typing import Any

from at_k.analysis.claims import Share, find_average
from at_k.demo.drawing import Data, count_report, draw_message, spell
from at_k.demo.given import Given, read_verdict
from at_k.demo.limits import OFFERED, TRY_SECONDS
from at_k.demo.scoring import read_options, score_given
from at_k.demo.words import say, translate
from at_k.errors import InputError, Offer
from at_k.options.registry import UNTIL_SUCCESS
from at_k.report import Report

_MOST_OFFERED = 5
_LONGEST = 20_000
_SAMPLE = '{"problem": "a", "correct": [1, 0, 1, 1]}\n{"problem": "b", "correct": [0, 0, 1, 0]}'


def offer(
    given: Given, options: Mapping[str, Any], reason: InputError, language: str
) -> list[Data]:
    """List the readings of results that were refused, with what each gives."""
    if reason.readings:  # tried by the library
        return [
            _write_reading(reading, language)
            for reading in reason.readings
            # Pages draw independent samples alone.
            if reading.options.get("sampling") != UNTIL_SUCCESS
        ]
    sets = [mend["set"] for mend in draw_message(reason, language)["mends"]]
    return list(try_options(given, options, sets, language))


def join_mends(
    given: Given, options: Mapping[str, Any], mends: list[Data], language: str
) -> list[Data]:
    """Join the options that a note names into one choice that was tried; alternatives stay as they are."""
    names = [name for mend in mends for name in mend["set"]]
    if len(names) < 2 or len({*names}) < len(names):
        return mends
    return list(try_options(given, options, [_join(mends)], language))


def _join(mends: list[Data]) -> Data:
    return {name: value for mend in mends for name, value in mend["set"].items()}


def _write_reading(reading: Offer, language: str) -> Data:
    words = spell(reading.options)
    if reading.meaning is not None:
        words = translate(reading.meaning, language)
    label = f"{words} → {translate(reading.outcome, language)}"
    return {"label": label, "set": dict(reading.options)}


def try_options(
    given: Given, options: Mapping[str, Any], sets: Iterable[Mapping[str, Any]], language: str
) -> Iterator[Data]:
    """Try options on results one after the other, and yield those that give a number of their own."""
    start, seen = process_time(), set[str]()
    for chosen in sets:
        if process_time() - start > TRY_SECONDS or len(seen) == _MOST_OFFERED:
            return
        if not chosen.keys() <= {*OFFERED}:
            continue
        try:
            tried = read_options(merge(options, chosen))
            report, _ = score_given(given, tried, spread=False)
            outcome = describe(report, language)
        except (TypeError, ValueError):  # another refusal: this button would be dead
            continue
        if outcome not in seen:
            seen.add(outcome)
            yield {"label": f"{spell(chosen)} → {outcome}", "set": dict(chosen)}


def describe(report: Report, language: str) -> str:
    """Say what a reading gives: how many problems and answers, and the share of right ones."""
    return f"{count_report(report, language)}, {Share(find_average(report))}"


def merge(options: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Merge options as the pages do: columns and conditions join those that are set."""
    merged = {**options, **more}
    for name in ("columns", "where"):
        if name in options and name in more:
            merged[name] = {**options[name], **more[name]}
    return merged


def rewrite(sent: object, language: str, *, is_unknown: bool) -> list[Data]:
    """Rewrite a column of verdicts in the two ways it can be meant, and offer a sample for an unknown text."""
    text = sent.get("text") if isinstance(sent, Mapping) else sent
    lines = text.split("\n") if isinstance(text, str) and len(text) < _LONGEST else []
    verdicts = [read_verdict(line) for line in lines if line.strip()]
    texts = {}
    if verdicts and None not in verdicts:
        texts["one_each"] = "\n".join(f'{{"correct": [{verdict}]}}' for verdict in verdicts)
        texts["all_one"] = f'{{"correct": {verdicts}}}'
    elif is_unknown and lines:
        texts["sample"] = _SAMPLE
    return [{"label": say(language, f"page.{name}"), "data": new} for name, new in texts.items()]


def question_zero(
    given: Given, options: Mapping[str, Any], report: Report, language: str
) -> list[Data]:
    """List the readings by which answers are right, where none is as they are written; empty where none helps."""
    if {"extract_fn", "check_correct_fn"} & options.keys() or find_average(report) > 0:
        return []
    sets: list[Data] = []
    for note in report.notes:
        mends = draw_message(note, language)["mends"]
        sets += [_join(mends), *(mend["set"] for mend in mends)]
    sets = [each for each in sets if {"extract_fn", "check_correct_fn"} & each.keys()]
    tried = [
        each
        for each in try_options(given, options, sets, language)
        if not each["label"].endswith(f" {Share(0)}")
    ]
    if not tried:
        return []
    kept = {"check_correct_fn": "exact_match"}
    return [*tried, {"label": f"{spell(kept)} → {describe(report, language)}", "set": kept}]
