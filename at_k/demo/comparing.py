"""The page Compare: two models on the same problems, from what a visitor gives to the parts of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import ceil
from typing import Any

import at_k
from at_k.analysis.bands import Band
from at_k.analysis.compared import Compared, write_p_in_sentence
from at_k.analysis.gated import FAIL, INCONCLUSIVE, PASS, Gate
from at_k.demo import notices
from at_k.demo.asking import (
    COLUMNS,
    READING,
    Answer,
    Form,
    Results,
    read_columns,
    read_options,
    read_points,
    shorten_name,
    spell_defaults,
    write_points,
)
from at_k.demo.details import list_problems
from at_k.demo.examples import read_pair
from at_k.demo.figures import write_fold, write_picture
from at_k.demo.given import Given
from at_k.demo.notices import write_button
from at_k.demo.score_figures import LOG_FROM, choose_points, draw_line
from at_k.demo.scoring import (
    OPTIONS,
    Options,
    TooLateError,
    count_samples,
    interrupt_after,
    score,
    spread_draws,
)
from at_k.demo.tables import describe_size, head_row, sort_lines, write_grid, write_number
from at_k.demo.words import join_sentences, make_error, name_option, say, translate
from at_k.error_bars import is_bounded
from at_k.errors import Message
from at_k.family import OUTPUTS
from at_k.readers.samples import Samples
from at_k.report import Report
from at_k.report.grid import group_lines
from at_k.values import Key

PAIR = "codex_puzzles"
PAIR_COLUMN = "prompt"
PAIR_MODELS = ("long", "medium")

SCORED = ("k", "thresholds", "missing", "extract_fn", "check_correct_fn", "equivalence")
"""The options with which both are scored."""

CHOSEN = (*SCORED, "margin", "unmatched", *READING)
"""The options of the page, by the names of the registry."""

USUAL = {
    "example": PAIR,
    "by": "",
    "model_a": "",
    "model_b": "",
    "key": "",
    **COLUMNS,
    # The page goes on without the problems that only one model has, and says so.
    **spell_defaults(CHOSEN, thresholds="0.5, 1.0", margin="2", unmatched="drop"),
}
"""Field → its value where nothing was changed."""

_BAND_SECONDS = 2.0
"""CPU time after which models are compared without bands."""

_MOST_MODELS = 100
_MOST_SQUARES = 64
"""Samples of a problem up to which each is drawn."""

_MOST_SIGNS = 200_000
"""Samples of all problems up to which each is shown."""

_BAND = {"y": "difference", "low": "low", "high": "high"}

_VERDICTS = {PASS: "compare.pass", FAIL: "compare.fail", INCONCLUSIVE: "compare.inconclusive"}

_WARNINGS = ("compare.dropped", "compare.conditions", "compare.by_order", "compare.unpaired")
_SAID = "compare.adjusted"


@dataclass(frozen=True)
class Pair:
    """Two models, and how they compare.

    Attributes:
        names: what they are called.
        reports: their numbers.
        compared: how these compare.
        shown: the key that the page is about.
        gate: whether the first one is no worse than the second one there, but for the margin; None without one.
    """

    names: tuple[str, str]
    reports: tuple[Report, Report]
    compared: Compared
    shown: str
    gate: Gate | None


def answer(form: Form) -> Answer:
    """Compare what a visitor gives, and make the parts of the page."""
    pair, language = _compare(form), form.language
    return {
        "parts": {
            "head": _write_taken(pair, language) + _write_warnings(pair, language) + write_headline(pair, language),
            "curves": _write_curves(pair, language),
            "table": write_matrix(pair, language) + _write_notes(pair, language),
            "problems": _write_problems(pair, language),
            "code": _write_code(pair, form.fields, language),
        }
    }


def _take_sides(form: Form) -> list[Results]:
    """Find the two models in what was given, and offer the columns and models to choose from."""
    fields, language = form.fields, form.language
    example = fields["example"] == PAIR
    if example:
        fields["by"] = fields["by"] or PAIR_COLUMN
        files = [(Given(read_pair()), "")]
    else:
        files = [found for side in "ab" if (found := form.read_side(side)) is not None]
    if not files:
        raise make_error("compare.nothing")
    is_pair = example and fields["by"] == PAIR_COLUMN
    taken: list[Results] = []
    for letter, (given, name) in zip("AB" if len(files) > 1 else ("",), files, strict=True):
        with given.naming(letter):
            taken.append(form.choose(given, name, fields["by"]))
    guessed = taken[0].models[0] if taken[0].models else say(language, "score.no_column")
    columns = [[each, each] for each in taken[0].given.columns]
    form.choices["by"] = [["", say(language, "score.guessed", column=guessed)], *columns]
    sides = []
    for place, results in enumerate((taken[0], taken[-1])):
        models = PAIR_MODELS if is_pair else results.models[1][:_MOST_MODELS] if results.models else ()
        usual = models[0 if len(files) > 1 else min(place, len(models) - 1)] if models else ""
        wanted = fields[f"model_{'ab'[place]}"]
        chosen = wanted if wanted in models else usual
        form.choices[f"model_{'ab'[place]}"] = [["", usual], *([each, each] for each in models if each != usual)]
        name = say(language, f"compare.pair_{chosen}") if is_pair else chosen or results.name
        sides.append(replace(results.keep([chosen]), name=shorten_name(name) or "AB"[place]))
    if len(files) == 1 and sides[0].reading["where"] == sides[1].reading["where"]:
        raise make_error("compare.one_model" if taken[0].models is None else "compare.same_model")
    if sides[0].name == sides[1].name:
        return [replace(each, name=f"{each.name} ({letter})") for each, letter in zip(sides, "AB", strict=True)]
    return sides


def _compare(form: Form) -> Pair:
    fields, sides = form.fields, _take_sides(form)
    margin = read_points(fields["margin"], name_option(OPTIONS["margin"], form.language))
    options = Options(**read_options(form.fields, SCORED), groups=False)
    samples: list[Samples] = []
    for letter, side in zip("AB", sides, strict=True):
        with side.given.naming(letter):
            samples.append(side.read())
    if options.k is None:
        options = replace(
            options, k=spread_draws([n for each in samples for n in count_samples(each, options.missing)])
        )
    reports: list[Report] = []
    for letter, side, each in zip("AB", sides, samples, strict=True):
        with side.given.naming(letter):
            reports.append(score(each, options))
    a, b = reports
    names = (sides[0].name, sides[1].name)
    # At k = 1, what is compared at even k alone is 0 by its definition.
    asked = [key for key in a.values if key in b.values and not (key.k == 1 and OUTPUTS[key.metric].even_k)]
    unmatched: Any = read_options(form.fields, ["unmatched"])["unmatched"]
    asked_for: dict[str, Any] = {"names": names, "keys": asked or None, "margin": margin, "unmatched": unmatched}
    try:
        with interrupt_after(_BAND_SECONDS):
            compared = at_k.compare(a, b, **asked_for, band=unmatched != "unpaired")
    except TooLateError:  # a vote at every k
        compared = at_k.compare(a, b, **asked_for)
    key = fields["key"] if fields["key"] in compared.comparisons else compared.main_key
    gate = None
    if margin is not None and unmatched != "unpaired" and is_bounded(key):
        gate = at_k.gate(a, b, margin=margin, keys=[key], unmatched=unmatched)
    return Pair(names, (a, b), compared, key, gate)


# What the page shows


def _name(pair: Pair, place: int) -> str:
    return f'<span class="of-{"ab"[place]}">{escape(pair.names[place])}</span>'


def _write_taken(pair: Pair, language: str) -> str:
    parts = []
    for place, report in enumerate(pair.reports):
        size = describe_size(report, language)
        parts.append(f'<b class="of-{"ab"[place]}">{"AB"[place]}</b> {_name(pair, place)} <small>{size}</small>')
    swap = say(language, "compare.against")
    return f'<p class="taken">{f" {swap} ".join(parts)}</p>'


def _write_warnings(pair: Pair, language: str) -> str:
    warnings = [note for note in pair.compared.notes if note.code in _WARNINGS]
    html = "".join(notices.write_warning(escape(translate(note, language))) for note in warnings)
    only = pair.compared.unmatched
    if any(only) and not any(note.code == "compare.dropped" for note in warnings):
        html += notices.write_warning(say(language, "compare.unmatched", a=only[0], b=only[1]))
    return html + "".join(notices.write_warnings(report, language) for report in pair.reports)


def write_headline(pair: Pair, language: str) -> str:
    """Write what the comparison of the number that is shown says, as a sentence to repeat, and how sure that is."""
    said, *more = (translate(each, language) for each in pair.compared.describe(pair.shown))
    return f"<h1>{escape(said)}</h1>{_write_sub(pair, more, language)}"


def _write_sub(pair: Pair, lines: list[str], language: str) -> str:
    compared, key = pair.compared, pair.shown
    found = compared.comparisons[key]
    if found.won is not None:
        lines.append(say(language, "compare.problems_won", won=found.won, lost=found.lost, tied=found.tied))
    count = next((note.values["count"] for note in compared.notes if note.code == _SAID), 1)
    test = say(language, f"compare.{'mid_p' if found.method == 'mcnemar' else 'test' if found.paired else 'welch'}")
    if compared.verdict(key).code != "compare.equivalent":  # a sentence about equivalence has a p-value of its own
        lines.append(
            say(language, "compare.p_adjusted", test=test, count=count)
            if count > 1
            else say(language, "compare.p_alone", test=test)
        )
    if compared.verdict(key).code != "compare.better" and not found.low <= 0 <= found.high:
        lines.append(say(language, "compare.by_luck"))
    if key in compared.equivalence:
        same = compared.equivalence[key]
        kind = "compare.within" if same <= 1 - found.confidence_level else "compare.not_within"
        lines.append(say(language, kind, margin=f"{100 * (compared.margin or 0):g}", p=write_p_in_sentence(same)))
    sub = f'<p class="sub">{join_sentences(map(escape, lines), language)}</p>'
    return sub + (_write_gate(pair, pair.gate, language) if pair.gate else "")


def _write_gate(pair: Pair, gate: Gate, language: str) -> str:
    """Write what a gate in continuous integration would say of the first model, and what would settle it."""
    (check,) = gate.checks
    verdict = f"<strong>{say(language, _VERDICTS[gate.verdict])}</strong>"
    names = {"name": _name(pair, 0), "other": _name(pair, 1), "metric": escape(pair.shown)}
    said = say(language, "compare.gate", **names, margin=f"{100 * (pair.compared.margin or 0):g}", verdict=verdict)
    advice = [escape(translate(each, language)) for each in check.advice]
    return f'<p class="sub gate">{join_sentences([said, *advice], language)}</p>'


def write_matrix(pair: Pair, language: str) -> str:
    """Write the table of differences: a row for each metric, a column for each k; a click shows a number of it.

    Numbers that repeat pass@1 are left out, as are those of the mean grade that repeat avg@n.
    """
    comparisons = pair.compared.comparisons
    keys = _drop_repeats(pair.compared)
    lines = group_lines(keys)
    draws = sorted({k for found in lines.values() for k in found if k is not None})
    rows = []
    for line in sort_lines(keys):
        if None in lines[line]:
            cells = _write_cell(pair, lines[line][None], language, f' colspan="{len(draws) or 1}"')
        else:
            cells = "".join(
                _write_cell(pair, lines[line][k], language) if k in lines[line] else '<td class="none">–</td>'
                for k in draws
            )
        rows.append(f"<tr>{head_row(line, language)}{cells}</tr>")
    level = f"{100 * next(iter(comparisons.values())).confidence_level:g} %"
    said = say(language, "compare.table", a=_name(pair, 0), b=_name(pair, 1), level=level)
    heading = say(language, "compare.every")
    table = write_grid([f"k = {k}" for k in draws], rows, heading)
    return f'<h2>{escape(heading)}</h2><p class="text">{said}</p>{table}'


def _drop_repeats(compared: Compared) -> list[Key]:
    """Leave out the numbers that are another one under a second name: those of k = 1, and a mean of verdicts."""
    keys = [key for key in compared.comparisons if isinstance(key, Key)]
    seen: dict[tuple[float, ...], Key] = {}
    for key in sorted(keys, key=lambda key: key.metric != "pass@k"):
        if key.draws in (None, 1):
            found = compared.comparisons[key]
            seen.setdefault((round(found.a, 12), round(found.b, 12), round(found.low, 12)), key)
    return [key for key in keys if key.draws not in (None, 1) or key in seen.values()]


def _write_cell(pair: Pair, key: Key, language: str, more: str = "") -> str:
    found = pair.compared.comparisons[key]
    bounded = is_bounded(key)
    better = pair.compared.verdict(key).code == "compare.better"
    colour = f"of-{'a' if found.difference > 0 else 'b'}" if better else "unsure"

    def write(number: float) -> str:
        return write_points(number, sign=True) if bounded else f"{number:+.4g}".replace("-", "−")

    label = f'<b class="{colour}">{write(found.difference)}</b><small>{write(found.low)} … {write(found.high)}</small>'
    title = f"{write_number(found.a)} − {write_number(found.b)}; {write_p_in_sentence(pair.compared.adjusted[key])}"
    button = write_button(label, {"key": str(key)}, kind="cell", pressed=key == pair.shown)
    data = f'data-key="{escape(key)}" data-value="{found.difference!r}" title="{title}"'
    return f'<td class="{colour}" {data}{more}>{button}</td>'


def _write_notes(pair: Pair, language: str) -> str:
    notes: list[Message] = [note for note in pair.compared.notes if note.code not in (*_WARNINGS, _SAID)]
    for report in pair.reports:
        notes += report.left_out.values()
    said = dict.fromkeys(escape(translate(note, language)) for note in notes)
    return f'<ul class="remarks">{"".join(f"<li>{each}</li>" for each in said)}</ul>' if said else ""


def _write_problems(pair: Pair, language: str) -> str:
    """Write the problems: c/n of the one model against c/n of the other, and those that differ most."""
    rows = list_shared(pair.reports)
    if not rows or not pair.compared.flips:
        return ""
    places = {row["name"]: place for place, row in enumerate(rows)}
    key = pair.shown
    flips = "".join(
        f'<tr><td><button type="button" data-problem="{places[flip.problem]}">{escape(shorten_name(flip.problem))}'
        f"</button></td>{_write_strip(rows[places[flip.problem]]['a'], 'a', flip.a)}"
        f"{_write_strip(rows[places[flip.problem]]['b'], 'b', flip.b)}</tr>"
        for flip in pair.compared.flips.get(key, [])
    )
    table = (
        f'<table class="flips"><thead><tr><th scope="col">{say(language, "score.list_problem")}</th>'
        f'<th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>{flips}</tbody></table>'
        if flips
        else f'<p class="text">{say(language, "compare.no_flips", metric=escape(key))}</p>'
    )
    figure, points = describe_scatter(rows, pair.names, language)
    words = {name: say(language, f"compare.{name}") for name in ("chosen", "more")}
    short = [row | {"name": shorten_name(row["name"])} for row in rows]
    data = json.dumps({"points": points, "problems": short, "words": words}, ensure_ascii=False, separators=(",", ":"))
    return (
        f'<div class="pair"><div><h2>{say(language, "compare.each")}</h2>'
        f'<p class="text">{say(language, "compare.each_text")}</p>'
        f"{write_picture(figure, 'compare_scatter', language)}</div>"
        f"<div><h2>{say(language, 'compare.flips', metric=escape(key))}</h2>{table}"
        f'<div class="chosen" data-problems="{escape(data)}" aria-live="polite"></div></div></div>'
    )


def _write_strip(problem: Mapping[str, Any], model: str, value: float) -> str:
    """Write the samples of a model as squares, and its value."""
    signs = problem["samples"] if problem["n"] <= _MOST_SQUARES else ""
    kinds = {"1": "right", "0": "wrong", "?": "missing"}
    squares = "".join(f'<i class="{kinds[sign]}"></i>' for sign in signs)
    label = f'role="img" aria-label="{problem["c"]}/{problem["n"]}"'
    strip = f'<span class="squares" {label}>{squares}</span>' if signs else ""
    return f'<td class="of-{model}">{strip}{write_number(value)}</td>'


def list_shared(reports: tuple[Report, Report]) -> list[dict[str, Any]]:
    """List the problems that both have, in the order of A: `name`, and `a` and `b` with `c`, `n` and `samples`."""
    few = sum(map(sum, (report.n for report in reports))) <= _MOST_SIGNS
    listed = []
    for report in reports:
        signs = [row.get("samples", "") for row in list_problems(report)] if few else [""] * len(report)
        counts = zip(report.problems, report.c, report.n, signs, strict=True)
        listed.append({name: {"c": c, "n": n, "samples": sign} for name, c, n, sign in counts})
    a, b = listed
    return [{"name": name, "a": own, "b": b[name]} for name, own in a.items() if name in b]


def describe_scatter(
    rows: Sequence[Mapping[str, Any]], names: tuple[str, str], language: str
) -> tuple[dict[str, Any], list[list[int]]]:
    """Describe the picture of c/n against c/n. Return it with the places of the problems of each point."""
    places: dict[tuple[int, int, int, int], list[int]] = {}
    for place, row in enumerate(rows):
        a, b = row["a"], row["b"]
        places.setdefault((a["c"], a["n"], b["c"], b["n"]), []).append(place)
    points = []
    for number, ((c, n, d, m), found) in enumerate(places.items()):
        x, y = c / n, d / m
        title = say(language, "compare.point", count=len(found), a=f"{c}/{n}", b=f"{d}/{m}")
        colour = "a" if x > y else "b" if x < y else "neutral"
        points.append({"x": x, "y": y, "count": len(found), "name": str(number), "title": title, "color": colour})
    axis = {"min": 0, "max": 1}
    figure = {
        "kind": "scatter",
        "title": say(language, "compare.each"),
        "data": " · ".join(names),
        "name": "at-k-compare-problems",
        "x": axis | {"title": say(language, "compare.share_of", name=names[0])},
        "y": axis | {"title": say(language, "compare.share_of", name=names[1])},
        "points": points,
    }
    return figure, list(places.values())


def _write_curves(pair: Pair, language: str) -> str:
    """Write both models against k, and beside it their difference with its band, and what that says."""
    key = next(key for key in pair.compared.comparisons if key == pair.shown)
    shown = key.line if isinstance(key, Key) and key.draws is not None else Key("pass@k")
    curves = describe_curves(pair.reports, pair.names, shown, language)
    if curves is None:
        return ""
    heading = f"<h2>{escape(str(shown))}</h2>"
    text = (
        f'<p class="text">{say(language, "compare.curves_text")}</p>{write_picture(curves, "compare_curves", language)}'
    )
    band = pair.compared.bands.get(str(shown))
    if band is None:
        return heading + text
    said = join_sentences([escape(translate(each, language)) for each in band.describe()], language)
    level = f"{100 * band.confidence_level:g} %"
    figure = write_picture(describe_band(band, language), "compare_band", language)
    return (
        f'{heading}<p class="said">{said}</p><div class="pair even"><div>{text}</div>'
        f'<div><p class="text">{say(language, "compare.band_text", level=level)}</p>{figure}</div></div>'
    )


def describe_band(band: Band, language: str) -> dict[str, Any]:
    """Describe the difference of two models against k, in points, with the band that holds at all k at once."""
    a, b = band.names
    scale = 100 if is_bounded(band.line) else 1
    drawn = {name: [scale * each for each in getattr(band, of)] for name, of in _BAND.items()}
    ends = [band.k[0], band.k[-1]]
    return {
        "kind": "lines",
        "title": f"{band.line}: {a} − {b}",
        "data": f"{a} · {b}",
        "name": "at-k-compare-band",
        "x": {"title": say(language, "score.k"), "log": ends[1] > LOG_FROM, "min": ends[0], "max": ends[1]},
        "y": {"title": say(language, "plan.points") if scale == 100 else ""},
        "lines": [
            {"name": "A − B", "color": "neutral", "x": list(band.k)} | drawn,
            {"name": "0", "color": "neutral", "dashed": True, "x": ends, "y": [0, 0]},
        ],
    }


def describe_curves(
    reports: tuple[Report, Report], names: tuple[str, str], line: Key, language: str
) -> dict[str, Any] | None:
    """Describe one metric of both models against k, with bands; None if one of them has no such line."""
    lines = []
    last = 1
    for report, name, colour in zip(reports, names, "ab", strict=True):
        curves = report.curves
        if line not in curves.lines:
            return None
        points = choose_points(curves, line)
        drawn: dict[str, Any] = {"name": name, "color": colour} | draw_line(curves, line, points)
        lines.append(drawn)
        last = max(last, *drawn["x"])
    highest = max(max(each.get("high", each["y"])) for each in lines)
    top = {"min": 0, "max": min(1.0, ceil(4 * highest) / 4)} if is_bounded(line) else {}
    return {
        "kind": "lines",
        "title": str(line),
        "data": " · ".join(names),
        "name": "at-k-compare",
        "x": {"title": say(language, "score.k"), "log": last > LOG_FROM, "min": 1, "max": last},
        "y": {"title": ""} | top,
        "lines": lines,
    }


def _write_code(pair: Pair, fields: Mapping[str, str], language: str) -> str:
    margin = f", margin={pair.compared.margin:g}" if pair.compared.margin is not None else ""
    unmatched = f', unmatched="{fields["unmatched"]}"' if any(pair.compared.unmatched) else ""
    named = read_columns(fields, [column for column in fields.values() if column])
    columns = f", columns={named}" if named else ""
    code = (
        f'import at_k\n\na = at_k.score("a.jsonl"{columns})\nb = at_k.score("b.jsonl"{columns})\n'
        f"print(at_k.compare(a, b{margin}{unmatched}))"
    )
    return write_fold("compare.markdown", pair.compared.to_markdown(), language) + write_fold(
        "score.python", code, language
    )
