"""The work that visitors and programs ask for: plain values in and out, for `sandbox`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from types import ModuleType
from typing import Any

import at_k
from at_k.demo import comparing, metric_demo, planning, score_results
from at_k.demo.asking import Answer, Form, read_fields, refuse
from at_k.demo.given import Given
from at_k.demo.scoring import Options, score
from at_k.demo.words import LANGUAGES
from at_k.errors import InputError
from at_k.report import Report
from at_k.validation import check_tau, type_name

ANSWERING: dict[str, ModuleType] = {
    "score": score_results,
    "compare": comparing,
    "plan": planning,
    "metrics": metric_demo,
}
"""Page → the module that answers its form. It has `USUAL`, field → its value where nothing was changed, and `answer`,
which takes a `Form` and returns what an `Answer` has beside `refused` and `choices`."""

_OPEN = ("metrics", "k", "thresholds")
"""Options that have their default where they are None."""


def answer(page: str, values: object, language: str) -> Answer:
    """Answer the form of a page: make the parts of the page, or say why they cannot be made.

    Args:
        page: the name of the page.
        values: field → text, and `given`: side → what was given; anything, as a program may send it.
        language: the language of the visitor.
    """
    fields = read_fields(values, ANSWERING[page].USUAL)
    if fields["example"]:
        return _answer_example(page, tuple(fields.items()), language)
    return _answer(page, Form(fields, values.get("given") if isinstance(values, Mapping) else None, language))


@lru_cache(maxsize=64)
def _answer_example(page: str, fields: tuple[tuple[str, str], ...], language: str) -> Answer:
    return _answer(page, Form(dict(fields), None, language))


def _answer(page: str, form: Form) -> Answer:
    module = ANSWERING[page]
    try:
        found = module.answer(form)
    except InputError as reason:
        return refuse(reason, form, module.USUAL)
    return {"refused": None, "choices": form.choices, **found}


def warm_up() -> None:
    """Make what the pages show first."""
    for page, language in product(ANSWERING, LANGUAGES):
        answer(page, ANSWERING[page].USUAL, language)


def call(endpoint: Callable[..., dict[str, Any]], *args: Any) -> dict[str, Any]:
    """Do what a program asks an endpoint for. Return what it gets, or the sentence that refuses it as `error`."""
    try:
        return endpoint(*args)
    except (TypeError, ValueError) as reason:
        return {"error": str(reason)}


def score_text(text: str, options: Mapping[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """Score a text.

    Args:
        text: the results.
        options: the fields of `Options`; those of `_OPEN` may be None.
        reading: the arguments of `Given.read`.
    """
    content = _score(text, "text", options, reading).to_dict()
    names = ("intervals", "groups", "group_intervals", "left_out", "notes", "n_problems", "signatures")
    return {"results": content["values"], **{name: content[name] for name in names}}


def compare_texts(
    texts: Sequence[str], options: Mapping[str, Any], reading: Mapping[str, Any], comparing: Mapping[str, Any]
) -> dict[str, Any]:
    """Compare two texts, each as of `score_text`; `comparing` has the other options of `at_k.compare`."""
    reports = [_score(text, name, options, reading) for name, text in zip("ab", texts, strict=True)]
    return at_k.compare(*reports, **comparing).to_dict()


def plan_text(
    text: str, options: Mapping[str, Any], reading: Mapping[str, Any], planned: Mapping[str, Any]
) -> dict[str, Any]:
    """Plan from a text, as of `score_text`; `planned` has the other options of `at_k.plan`."""
    found = at_k.plan(_score(text, "text", options, reading), **planned)
    numbers = {name: getattr(found, name).tolist() for name in ("stderr", "half_width", "detectable")}
    plain = ("value", "between", "within", "problems", "samples")
    needed = ("needed_problems", "needed_samples", "needed_to_detect")
    return {name: getattr(found, name) for name in (*plain, *needed)} | numbers | {"notes": list(map(str, found.notes))}


def _score(text: Any, name: str, options: Mapping[str, Any], reading: Mapping[str, Any]) -> Report:
    chosen = {"scorer", "filter", "tests"} & reading.keys()
    for each, value in {name: text, **{each: reading[each] for each in chosen}}.items():
        if not isinstance(value, str) and (each == name or value is not None):
            raise TypeError(f"`{each}` must be a string; got {type_name(value)}")
    given = {each: value for each, value in options.items() if value is not None or each not in _OPEN}
    if "thresholds" in given:
        given["thresholds"] = tuple(map(float, check_tau(given["thresholds"], "taus")))
    return score(Given(text).read(**reading), Options(**given))
