"""The page Plan: how many problems and samples a measurement needs, from a pilot to the parts of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np

import at_k
from at_k.demo.asking import COLUMNS, READING, Answer, Form, read_points, read_whole, spell_defaults, write_points
from at_k.demo.figures import write_picture
from at_k.demo.given import Given
from at_k.demo.notices import write_button, write_warning
from at_k.demo.score_figures import draw_line
from at_k.demo.scoring import OPTIONS, Options, parse_taus, score
from at_k.demo.tables import write_grid, write_range
from at_k.demo.words import join_sentences, make_error, name_option, say, translate
from at_k.errors import InputError
from at_k.report import Report
from at_k.uncertainty.planning import Plan
from at_k.uncertainty.prediction import Prediction
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


_PREDICTED = {"y": "mean", "low": "low", "high": "high"}


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


def answer(form: Form) -> Answer:
    """Plan from what a visitor gives, and make the parts of the page."""
    planned, language = _plan(form), form.language
    table = _write_pictures(planned, language) + write_table(planned, language) if planned.plan.can_tell else ""
    parts = {
        "head": write_headline(planned, form.fields, language),
        "table": table,
        "prediction": _write_prediction(planned, language),
    }
    return {"parts": parts, "shown": {"problems": str(planned.problems), "samples": str(planned.samples)}}


def _plan(form: Form) -> Planned:
    fields = form.fields

    k = read_whole(fields["k"] or "1", "k", (1, SAMPLES[1]))
    tau = parse_taus(fields["tau"])[0] if fields["tau"] else None
    wanted: dict[str, Any] = {
        name: read_points(fields[name], _name(name, form.language)) for name in ("half_width", "detect")
    }
    pilot, name = _make_pilot(form) if fields["source"] == "sliders" else _read_pilot(form, form.take("results"))
    other = form.read_side("other")
    others = [_read_pilot(form, other)[0]] if other else []
    least = min(pilot.n)
    if k > least:
        raise make_error("plan.large_k", k=k, n=least)
    problems = _read_count(form, "problems", PROBLEMS, max(len(pilot), PROBLEMS[0]))
    samples = _read_count(form, "samples", SAMPLES, max(k, int(np.median(pilot.n))))
    if samples < k:
        raise make_error("plan.few_samples", k=k, samples=samples)
    rows = {*list_steps(problems, PROBLEMS[0]), *list_points(problems / 8, problems * 8, PROBLEMS[0])}
    columns = {*list_steps(samples, k), *list_points(k, min(32 * samples, _MOST_SAMPLES), k)}
    plan = at_k.plan(pilot, *others, k=k, tau=tau, problems=sorted(rows), samples=sorted(columns), **wanted)
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


def _read_count(form: Form, name: str, limits: tuple[int, int], usual: int | None = None) -> int:
    label = _name(name, form.language) if name in OPTIONS else say(form.language, f"plan.{name}")
    return read_whole(form.fields[name] or str(usual or ""), label, limits)


def _make_pilot(form: Form) -> tuple[Report, str]:
    problems = _read_count(form, "problems", PROBLEMS, _MADE[0])
    samples = _read_count(form, "samples", SAMPLES, _MADE[1])
    mean, spread = _read_count(form, "mean", (1, 99)), _read_count(form, "spread", (0, 100))
    size = min(max(2, samples), _MOST_MADE[1])
    right = make_pilot(mean / 100, spread / 100, min(problems, _MOST_MADE[0]), size)
    return at_k.score({"grades": [[1] * c + [0] * (size - c) for c in right]}, k=1), say(form.language, "plan.made")


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


def _read_pilot(form: Form, found: tuple[Given, str] | None) -> tuple[Report, str]:
    if found is None:
        raise make_error("plan.nothing")
    given, name = found
    with given.naming():
        results = form.choose(given, name or say(form.language, "score.pasted"))
        report = score(results.keep(results.shown).read(), Options(groups=False))
    return report, " · ".join([results.name, *results.shown])


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
        limits = "" if plan.between_share is None else " [{:.0%}, {:.0%}]".format(*plan.between_share)
        lines.append(say(language, "plan.parts", share=f"{plan.between / total:.0%}{limits}"))
    if plan.estimated is not None:
        value, low, high = (f"{each:.2f}" for each in plan.estimated)
        lines.append(say(language, "plan.correlation", value=value, low=low, high=high))
    warnings = "".join(write_warning(escape(translate(note, language))) for note in plan.notes)
    pilot = planned.pilot
    taken = say(
        language,
        "plan.taken",
        name=escape(planned.name),
        problems=f"{len(pilot):,}",
        samples=write_range(pilot.n),
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
    plan, pilot = planned.plan, planned.pilot

    def tell(kind: str, count: int | None, **values: str) -> str:
        if count is None:
            return say(language, f"plan.no_{kind}", **values)
        return say(language, f"plan.need_{kind}", count=f"{count:,}", **values)

    needs = []
    own = {"problems": f"{len(pilot):,}", "samples": f"{int(np.median(pilot.n)):,}"}
    if fields["half_width"]:
        needs.append(tell("problems", plan.needed_problems, half=escape(fields["half_width"]), **own))
        needs.append(tell("samples", plan.needed_samples, **own))
    if fields["detect"]:
        needs.append(tell("detect", plan.needed_to_detect, detect=escape(fields["detect"]), **own))
    return needs


def write_table(planned: Planned, language: str) -> str:
    """Write the table of problems × samples: the interval and the smallest difference; a click plans for them."""
    rows = list_steps(planned.problems, PROBLEMS[0])
    columns = list_steps(planned.samples, planned.key.k or 1)
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
    heading = say(language, "plan.table")
    text = say(language, "plan.table_text", correlation=f"{planned.plan.correlation:.2g}")
    table = write_grid([f"n = {n:,}" for n in columns], body, heading)
    return f'<h2>{escape(heading)}</h2><p class="text">{text}</p>{table}'


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
        pictures.append(f"<div><h2>{heading}</h2>{write_picture(figure, f'plan_{name}', language)}</div>")
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
    return f'{heading}<p class="text">{text}</p>{write_picture(figure, "plan_prediction", language)}'


@lru_cache(maxsize=32)
def _predict(n: tuple[int, ...], c: tuple[int, ...], k: tuple[int, ...]) -> Prediction:
    return at_k.predict_pass_at_k(n, c, k=k)  # the same for every number of problems and samples that is planned for


def describe_prediction(pilot: Report, name: str, language: str) -> dict[str, Any]:
    """Describe pass@k up to n with its band, and beyond n what the library predicts, dashed.

    Raises:
        InputError: if the pilot supports no prediction.
    """
    n = min(pilot.n)
    beyond = [k for k in list_points(n, _FARTHEST * n, n) if k > n]
    predicted = _predict(tuple(pilot.n), tuple(pilot.c), tuple(beyond or [n + 1]))
    curves, line = pilot.curves, Key("pass@k")
    measured = {"name": "pass@k", "words": say(language, "plan.measured"), "color": "pass"}
    measured |= draw_line(curves, line, [i for i, k in enumerate(curves.k) if k <= n])
    dashed = {
        "name": "pass@k_predicted",
        "words": say(language, "plan.prediction"),
        "color": "neutral",
        "dashed": True,
        "x": [n, *beyond],
        **{name: [predicted.pass_at_n, *getattr(predicted, of).tolist()] for name, of in _PREDICTED.items()},
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
