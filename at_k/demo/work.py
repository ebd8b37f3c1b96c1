"""The work of the endpoint /score and of the demos beside the cards: plain values in and out, for `sandbox`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from at_k.demo import notices, tables
from at_k.demo.given import Given
from at_k.demo.scoring import Options, parse_k, parse_taus, score
from at_k.errors import InputError
from at_k.report import Report
from at_k.validation import check_tau, type_name

_OPEN = ("metrics", "k", "taus")
"""Options that have their default where they are None."""


def score_text(text: str, options: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """Score a text that a program sent. Return what it gets, or the sentence that refuses it as `error`.

    Args:
        text: the results.
        options: the fields of `Options`; those of `_OPEN` may be None.
        reading: the arguments of `Given.read`.
    """
    try:
        for name, value in {"text": text, **{each: reading[each] for each in ("scorer", "filter", "tests")}}.items():
            if not isinstance(value, str) and (name == "text" or value is not None):
                raise TypeError(f"`{name}` must be a string; got {type_name(value)}")
        chosen = {name: value for name, value in options.items() if value is not None or name not in _OPEN}
        if "taus" in chosen:
            chosen["taus"] = tuple(map(float, check_tau(chosen["taus"], "taus")))
        return list_results(score(Given(text).read(**reading), Options(**chosen)))
    except (TypeError, ValueError) as reason:
        return {"error": str(reason)}


def list_results(report: Report) -> dict[str, Any]:
    """Return what a program gets of a report."""
    content = report.to_dict()
    names = ("intervals", "groups", "group_intervals", "left_out", "notes", "n_problems", "signatures")
    return {"results": content["values"], **{name: content[name] for name in names}}


def show_metric(name: str, given: Mapping[str, Any], language: str) -> str:
    """Write the values of one metric, or why there are none."""
    try:
        report = compute_metric(name, given)
    except InputError as reason:
        return notices.write_refusal(reason, language)
    return notices.write_warnings(report, language) + tables.write_values(report.values)


def compute_metric(name: str, given: Mapping[str, Any]) -> Report:
    """Compute one metric from what the inputs of its demo say. A missing sample counts as wrong."""
    options = Options(
        metrics=[name],
        k=parse_k(given["k"]),
        taus=parse_taus(given["taus"]),
        ties=given["ties"],
        missing="incorrect",
        higher_is_better=given["higher"],
    )
    return score(Given(given["text"]).read({}), options)
