"""The page Plan: how many problems and samples a measurement needs, from a pilot to the parts of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np

import at_k
from at_k.demo import examples
from at_k.demo.asking import (
    COLUMNS,
    READING,
    Answer,
    offer_columns,
    read_columns,
    read_fields,
    read_options,
    read_points,
    read_side,
    read_whole,
    refuse,
    spell_defaults,
    write_points,
    write_saves,
)
from at_k.demo.figures import write_figure
from at_k.demo.given import Given
from at_k.demo.notices import write_button
from at_k.demo.scoring import OPTIONS, Options, parse_taus, score
from at_k.demo.words import join_sentences, make_error, name_option, say, translate
from at_k.errors import InputError
from at_k.report import Report
from at_k.uncertainty.planning import Plan
from at_k.values import Key

SOURCES = ("results", "sliders")

START = "taubench_airline"

USUAL = {
    "example": START,
    "source": SOURCES[0],
    "mean": "50",
    "spread": "40",
    **COLUMNS,
    **spell_defaults((*READING, "problems", "samples", "tau", "half_width", "detect"), k="1"),
}
"""Field → its value where nothing was changed. Without numbers of problems and samples they are those of the pilot."""

PROBLEMS = (2, 20_000)
SAMPLES = (1, 1_024)
"""The numbers that can be planned for."""

_MADE = (200, 16)
"""Problems and samples of the pilot that is made from sliders, where none are asked for."""

_MOST_MADE = (500, 256)
"""The largest pilot that is made: its shape is what counts."""

_STEPS = (0.25, 0.5, 1, 2, 4)
"""What the table shows of the numbers that are planned for."""

_MOST_SAMPLES = 4_096
_FARTHEST = 10
"""Times n up to which pass@k is predicted: what the library allows without force."""


@dataclass(frozen=True)
class Planned:
    """A pilot, and what it tells about another measurement.

    Attributes:
        pilot: the report of the pilot.
        name: what it is called.
        key: what is measured.
        problems: how many problems are planned.
        samples: how many samples of each.
        plan: the library's plan, with these among its rows and columns.
    """

    pilot: Report
    name: str
    key: Key
    problems: int
    samples: int
    plan: Plan

    def half_width(self, problems: int, samples: int) -> float:
        """Return half of the width of the interval to be expected."""
        return float(self.plan.half_width[self.plan.problems.index(problems), self.plan.samples.index(samples)])

    def detectable(self, problems: int, samples: int) -> float:
        """Return the smallest difference that a paired comparison would find."""
        return float(self.plan.detectable[self.plan.problems.index(problems), self.plan.samples.index(samples)])


def answer(values: object, language: str) -> Answer:
    """Plan from what a visitor gives, and make the parts of the page.

    Args:
        values: field → text, and `given`: side → what was given; anything, as a program may send it.
        language: the language of the visitor.
    """
    fields = read_fields(values, USUAL)
    if fields == USUAL:
        return _answer_first(language)
    return _answer(fields, values, language)


@lru_cache(maxsize=2)
def _answer_first(language: str) -> Answer:
    return _answer(dict(USUAL), None, language)


def _answer(fields: Mapping[str, str], values: object, language: str) -> Answer:
    choices: dict[str, list[list[str]]] = {}
    try:
        planned = _plan(fields, values, language, choices)
    except InputError as reason:
        return refuse(reason, language, choices, fields, USUAL)
    table = _write_pictures(planned, language) + write_table(planned, language) if planned.plan.can_tell else ""
    parts = {
        "head": write_headline(planned, fields, language),
        "table": table,
        "prediction": _write_prediction(planned, language),
    }
    shown = {"problems": str(planned.problems), "samples": str(planned.samples)}
    return {"refused": None, "parts": parts, "choices": choices, "shown": shown}


def _plan(fields: Mapping[str, str], values: object, language: str, choices: dict[str, list[list[str]]]) -> Planned:
    k = read_whole(fields["k"] or "1", "k", (1, SAMPLES[1]))
    tau = parse_taus(fields["tau"])[0] if fields["tau"] else None
    wanted: dict[str, Any] = {
        name: read_points(fields[name], _name(name, language)) for name in ("half_width", "detect")
    }
    if fields["source"] == "sliders":
        pilot, name = _read_sliders(fields, language), say(language, "plan.made")
    else:
        pilot, name = _read_results(fields, values, language, choices)
    least = min(pilot.n)
    if k > least:
        raise make_error("plan.large_k", k=k, n=least)
    problems = read_whole(
        fields["problems"] or str(max(len(pilot), PROBLEMS[0])), _name("problems", language), PROBLEMS
    )
    usual = max(k, int(np.median(pilot.n)))
    samples = read_whole(fields["samples"] or str(usual), _name("samples", language), SAMPLES)
    if samples < k:
        raise make_error("plan.few_samples", k=k, samples=samples)
    rows = {*list_steps(problems, PROBLEMS[0]), *list_points(problems / 8, problems * 8, PROBLEMS[0])}
    columns = {*list_steps(samples, k), *list_points(k, min(32 * samples, _MOST_SAMPLES), k)}
    plan = at_k.plan(pilot, k=k, tau=tau, problems=sorted(rows), samples=sorted(columns), **wanted)
    return Planned(pilot, name, Key("pass@k" if tau is None else "G-Pass@k", k, tau), problems, samples, plan)


def list_steps(number: int, least: int) -> list[int]:
    """List the numbers of the table: a quarter, half, once, twice and four times a number.

    Examples:
        >>> list_steps(50, 2), list_steps(4, 4)
        ([12, 25, 50, 100, 200], [4, 8, 16])
    """
    return sorted({max(least, round(number * step)) for step in _STEPS})


def list_points(low: float, high: float, least: int) -> list[int]:
    """List whole numbers for a curve, evenly spread on a logarithmic axis.

    Examples:
        >>> list_points(1, 16, 1)
        [1, 2, 3, 4, 6, 8, 11, 16]
    """
    count = max(2, 1 + round(2 * np.log2(max(high, 2) / max(low, 1))))
    return sorted({max(least, int(each)) for each in np.geomspace(max(low, 1), max(high, 2), count).round()})


def _read_sliders(fields: Mapping[str, str], language: str) -> Report:
    problems = read_whole(fields["problems"] or str(_MADE[0]), _name("problems", language), PROBLEMS)
    samples = read_whole(fields["samples"] or str(_MADE[1]), _name("samples", language), SAMPLES)
    mean = read_whole(fields["mean"], say(language, "plan.mean"), (1, 99))
    spread = read_whole(fields["spread"], say(language, "plan.spread"), (0, 100))
    size = min(max(2, samples), _MOST_MADE[1])
    right = make_pilot(mean / 100, spread / 100, min(problems, _MOST_MADE[0]), size)
    grades = [[1] * c + [0] * (size - c) for c in right]
    return at_k.score({"grades": grades}, k=1)


def make_pilot(mean: float, spread: float, problems: int, samples: int) -> list[int]:
    """Make the counts of a pilot that is typical: the quantiles of a beta-binomial distribution.

    Args:
        mean: the share of samples that are right.
        spread: how much problems differ: 0 if all are equally hard, 1 if each is always or never right.
        problems: how many problems.
        samples: how many samples of each.

    Examples:
        >>> make_pilot(0.5, 1, 4, 8), make_pilot(0.5, 0, 4, 8)
        ([0, 0, 8, 8], [2, 4, 4, 6])
    """
    from scipy.stats import betabinom, binom

    places = (np.arange(problems) + 0.5) / problems
    if spread >= 1:
        counts = samples * (places > 1 - mean)
    elif spread <= 0:
        counts = binom.ppf(places, samples, mean)
    else:
        size = 1 / spread - 1
        counts = betabinom.ppf(places, samples, mean * size, (1 - mean) * size)
    return [int(each) for each in counts]


def _name(option: str, language: str) -> str:
    return name_option(OPTIONS[option], language)


def _read_results(
    fields: Mapping[str, str], values: object, language: str, choices: dict[str, list[list[str]]]
) -> tuple[Report, str]:
    name = fields["example"]
    if name in examples.EXAMPLES:
        given, label = Given(examples.read_example(name)), say(language, f"score.{name}")
    else:
        found = read_side(values, "results")
        if found is None:
            raise make_error("plan.nothing")
        given, label = found[0], found[1] or say(language, "score.pasted")
    try:
        named, reading = read_columns(fields, given.columns), read_options(fields, READING)
        choices |= offer_columns(given, named, language)
        models = given.find_models(named)
        if models and models[0] not in reading["pool"]:
            where = reading["where"] or {}
            reading["where"] = where | {models[0]: where.get(models[0], models[1][:1])}
            label = f"{label} · {', '.join(reading['where'][models[0]])}"
        return score(given.read(named, **reading), Options(groups=False)), label
    except InputError as reason:
        raise given.refuse(reason) from None


# What the page shows


def write_headline(planned: Planned, fields: Mapping[str, str], language: str) -> str:
    """Write what the planned measurement would tell, as a sentence that can be repeated."""
    plan, problems, samples = planned.plan, planned.problems, planned.samples
    said = say(
        language,
        "plan.sentence",
        problems=f"<b>{problems:,}</b>",
        samples=f"<b>{samples:,}</b>",
        metric=escape(planned.key),
        half=f'<span class="of-a">±\u00a0{write_points(planned.half_width(problems, samples))}</span>',
        detect=f'<span class="of-b">{write_points(planned.detectable(problems, samples))}</span>',
    )
    more, deeper = max(list_steps(problems, PROBLEMS[0])), max(list_steps(samples, planned.key.k or 1))
    lines = [
        say(
            language,
            "plan.more",
            problems=f"{more:,}",
            half_problems=write_points(planned.half_width(more, samples)),
            samples=f"{deeper:,}",
            half_samples=write_points(planned.half_width(problems, deeper)),
        )
    ]
    total = plan.between + plan.within
    if total:
        lines.append(say(language, "plan.parts", share=f"{plan.between / total:.0%}"))
    warnings = "".join(
        f'<div class="warning" role="note"><p>{escape(translate(note, language))}</p></div>' for note in plan.notes
    )
    pilot, n = planned.pilot, planned.pilot.n
    size = f"{min(n)}–{max(n)}" if min(n) < max(n) else str(n[0])
    taken = say(
        language,
        "plan.taken",
        name=escape(planned.name),
        problems=f"{len(pilot):,}",
        samples=size,
        metric=escape(planned.key),
        value=f"{plan.value:.3f}",
    )
    if not plan.can_tell:
        return f'<p class="taken">{taken}</p><h1>{say(language, "plan.cannot")}</h1>{warnings}'
    needs = "".join(f"<p>{each}</p>" for each in list_needs(planned, fields, language))
    below = join_sentences(lines, language)
    return f'<p class="taken">{taken}</p>{warnings}<h1>{said}</h1><p class="sub">{below}</p>{needs}'


def list_needs(planned: Planned, fields: Mapping[str, str], language: str) -> list[str]:
    """Say how many problems or samples reach what was asked for."""
    plan = planned.plan
    needs = []
    pilot = {"problems": f"{len(planned.pilot):,}", "samples": f"{int(np.median(planned.pilot.n)):,}"}
    if fields["half_width"]:
        half = escape(fields["half_width"])
        count = plan.needed_problems
        needs.append(
            say(language, "plan.need_problems", half=half, count=f"{count:,}", samples=pilot["samples"])
            if count is not None
            else say(language, "plan.no_problems", half=half)
        )
        count = plan.needed_samples
        needs.append(
            say(language, "plan.need_samples", count=f"{count:,}", problems=pilot["problems"])
            if count is not None
            else say(language, "plan.no_samples", problems=pilot["problems"])
        )
    if fields["detect"]:
        detect = escape(fields["detect"])
        count = plan.needed_to_detect
        needs.append(
            say(language, "plan.need_detect", detect=detect, count=f"{count:,}", samples=pilot["samples"])
            if count is not None
            else say(language, "plan.no_detect", detect=detect)
        )
    return needs


def write_table(planned: Planned, language: str) -> str:
    """Write the table of problems × samples: the interval and the smallest difference; a click plans for them."""
    rows = list_steps(planned.problems, PROBLEMS[0])
    columns = list_steps(planned.samples, planned.key.k or 1)
    head = "".join(f'<th scope="col">n = {n:,}</th>' for n in columns)
    body = []
    for m in rows:
        cells = []
        for n in columns:
            half, least = write_points(planned.half_width(m, n)), write_points(planned.detectable(m, n))
            label = f"<b>± {half}</b><small>{least}</small>"
            chosen = (m, n) == (planned.problems, planned.samples)
            button = write_button(label, {"problems": str(m), "samples": str(n)}, kind="cell", pressed=chosen)
            cells.append(f'<td data-problems-planned="{m}" data-samples-planned="{n}">{button}</td>')
        body.append(f'<tr><th scope="row">{say(language, "score.problems", count=f"{m:,}")}</th>{"".join(cells)}</tr>')
    heading = escape(say(language, "plan.table"))
    return (
        f'<h2>{heading}</h2><p class="text">{say(language, "plan.table_text")}</p>'
        f'<table class="matrix" aria-label="{heading}"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _write_pictures(planned: Planned, language: str) -> str:
    k = planned.key.k or 1
    rows = [m for m in planned.plan.problems if planned.problems / 8 <= m <= planned.problems * 8]
    columns = [n for n in planned.plan.samples if n >= k]
    along = {
        "problems": ([(m, planned.samples) for m in rows], rows, planned.problems),
        "samples": ([(planned.problems, n) for n in columns], columns, planned.samples),
    }
    pictures = []
    for name, (pairs, x, handle) in along.items():
        figure = _describe_widths(planned, name, pairs, x, handle, language)
        fixed = {"problems": f"n = {planned.samples:,}", "samples": f"M = {planned.problems:,}"}[name]
        heading = say(language, f"plan.more_{name}", fixed=fixed)
        element = f"plan_{name}"
        pictures.append(
            f"<div><h3>{heading}</h3>{write_figure(figure, id=element)}{write_saves(element, language)}</div>"
        )
    return f'<div class="pair even">{"".join(pictures)}</div>'


def _describe_widths(
    planned: Planned, name: str, pairs: Sequence[tuple[int, int]], x: Sequence[int], handle: int, language: str
) -> dict[str, Any]:
    kinds = (("interval", "a", planned.half_width), ("difference", "b", planned.detectable))
    lines = [
        {
            "name": say(language, f"plan.{kind}"),
            "color": colour,
            "x": list(x),
            "y": [float(f"{100 * find(*pair):.3g}") for pair in pairs],
        }
        for kind, colour, find in kinds
    ]
    return {
        "kind": "lines",
        "title": say(language, f"plan.axis_{name}"),
        "data": planned.name,
        "name": f"at-k-plan-{name}",
        "height": 260,
        "x": {"title": say(language, f"plan.axis_{name}"), "log": True, "min": x[0], "max": x[-1]},
        "y": {"title": say(language, "plan.points"), "min": 0},
        "lines": lines,
        "handle": handle,
    }


def _write_prediction(planned: Planned, language: str) -> str:
    heading = f"<h2>{say(language, 'plan.predicted')}</h2>"
    try:
        figure = describe_prediction(planned.pilot, planned.name, language)
    except InputError as reason:
        return f'{heading}<p class="text">{escape(translate(reason, language))}</p>'
    text = say(language, "plan.predicted_text", n=min(planned.pilot.n))
    return (
        f'{heading}<p class="text">{text}</p>{write_figure(figure, id="plan_prediction")}'
        f"{write_saves('plan_prediction', language)}"
    )


def describe_prediction(pilot: Report, name: str, language: str) -> dict[str, Any]:
    """Describe pass@k up to n with its band, and beyond n the prediction of two models, dashed.

    The prediction is the beta-binomial's. Its band reaches to the power law's, and is as much wider as the interval of
    pass@n is, from which both start.

    Raises:
        InputError: if the pilot supports no prediction.
    """
    n = min(pilot.n)
    beyond = [k for k in list_points(n, _FARTHEST * n, n) if k > n]
    predicted = at_k.predict_pass_at_k(pilot.n, pilot.c, k=beyond or [n + 1])
    curves, line = pilot.curves, Key("pass@k")
    known = [i for i, k in enumerate(curves.k) if k <= n]
    measured: dict[str, Any] = {
        "name": "pass@k",
        "words": say(language, "plan.measured"),
        "color": "pass",
        "x": [curves.k[i] for i in known],
        "y": [curves.lines[line][i] for i in known],
    }
    bands = [curves.bands[line][i] for i in known] if line in curves.bands else []
    if bands and all(each is not None for each in bands):
        measured |= {"low": [each[0] for each in bands if each], "high": [each[1] for each in bands if each]}
    value, power = predicted.value.tolist(), predicted.power_law.tolist()
    start = predicted.pass_at_n
    below = above = 0.0
    if "low" in measured and measured["x"][-1] == n:
        below, above = start - measured["low"][-1], measured["high"][-1] - start
    dashed = {
        "name": "pass@k_predicted",
        "words": say(language, "plan.prediction"),
        "color": "neutral",
        "dashed": True,
        "x": [n, *beyond],
        "y": [start, *value],
        "low": [max(0.0, each - below) for each in (start, *map(min, value, power))],
        "high": [min(1.0, each + above) for each in (start, *map(max, value, power))],
    }
    return {
        "kind": "lines",
        "title": say(language, "plan.predicted"),
        "data": name,
        "name": "at-k-prediction",
        "x": {"title": say(language, "score.k"), "log": True, "min": 1, "max": beyond[-1]},
        "y": {"title": "", "min": 0, "max": 1},
        "lines": [measured, dashed],
    }
