"""What the page Score shows of results: the parts of the page, made from what a visitor asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from at_k.analysis.diagnosis import diagnose
from at_k.demo import downloads, examples, notices, tables
from at_k.demo.details import write_details
from at_k.demo.figures import write_figure
from at_k.demo.given import Given
from at_k.demo.score_figures import describe_curves
from at_k.demo.score_inputs import START, USUAL, Asked, list_columns, list_models, read_values
from at_k.demo.scoring import Options, count_samples, keep_long, score, spread_draws
from at_k.demo.words import say
from at_k.errors import InputError
from at_k.readers.samples import ROLES, Samples
from at_k.report import Report
from at_k.report.grid import Block, describe_size, list_groups

ABOUT_OPTIONS = ("options", "typed")
"""Refusals with codes that begin so are shown at the options; others above the choice of columns."""

MOST_COMPARED = 6
"""Models that are scored for the table of models; the page Compare takes two of any number."""

SHOWN = ("top", "table", "findings", "problems", "curves", "links", "code")


def make_page(values: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Score results, and return the parts of the page that change, by name: HTML, or the properties of a component.

    What was refused leaves the results as they are: the page shows them grey, beside the reason.

    Args:
        values: the values of the parts of the page.
        language: the language of the visitor.
    """
    results = Given()
    try:
        results = Given.take(str(values.get("text") or ""), values.get("opened"))
        asked = read_values(values, results, language)
        return make_parts(asked, language)
    except InputError as reason:
        return write_refusals(results.refuse(reason), language) | _offer_columns(results, values, language)


def write_refusals(reason: InputError, language: str) -> dict[str, Any]:
    """Write the reason why there is nothing to show where it belongs."""
    about_options = reason.code.partition(".")[0] in ABOUT_OPTIONS
    return {
        "refused_data": notices.write_refusal(None if about_options else reason, language),
        "refused_options": notices.write_refusal(reason if about_options else None, language),
    }


@lru_cache(maxsize=2)
def make_first(language: str) -> dict[str, Any]:
    """Make the page that a visitor finds first."""
    return make_page({"text": examples.read_example(START), "example": START}, language)


def make_parts(asked: Asked, language: str) -> dict[str, Any]:
    """Score what a visitor asks for, and make everything that the page shows of it.

    Raises:
        InputError: if it cannot be scored.
    """
    named, options = asked.named, asked.options
    found = asked.results.find_models(named)
    shown = ""
    pooled = found is not None and asked.model == notices.POOLED
    if found is not None and not pooled:
        shown = asked.model if asked.model in found[1] else found[1][0]
    samples = _read(asked, found[0] if found else "", shown, pooled)
    report, samples, options = score_samples(samples, options)
    curves = report.curves
    top = _write_top(asked, samples, report, language)
    blocks = ""
    if found is not None and not pooled:
        column, models = found
        top = notices.write_models(column, models, shown, language) + top
        blocks = tables.write_blocks(_score_models(asked, column, models, options), column, language)
    title = " · ".join(filter(None, [asked.name, shown]))
    groups = tables.write_blocks(list_groups(report), say(language, "score.group"), language)
    figure = describe_curves(curves, "at-k-curves", title or say(language, "score.pasted"), language)
    parts = {
        "refused_data": "",
        "refused_options": "",
        "top": top,
        "table": blocks + tables.write_matrix(report, language) + groups + notices.write_remarks(report, language),
        "findings": f"<h2>{say(language, 'score.says')}</h2>"
        + notices.write_findings(diagnose(report).sentences, language),
        "problems": write_details(report, options.extract_fn, language),
        "curves": _write_curves(figure, language),
        "links": f'<p class="downloads"><strong>{say(language, "score.downloads")}</strong> '
        f"{downloads.write_links(samples, options, report, language)}</p>",
        "code": downloads.write_script(report),
    }
    guessed = asked.results.guess(named) if named else samples.roles  # a harness's file is read once
    return parts | _update_columns(asked, guessed, found[1] if found else [], language)


def score_samples(samples: Samples, options: Options) -> tuple[Report, Samples, Options]:
    """Score samples with the columns of k that the page shows. Return the samples and options that were used, too."""
    samples = keep_long(samples, options.least, options.missing)
    if options.k is None:
        options = replace(options, k=spread_draws(count_samples(samples, options.missing)))
    return score(samples, options), samples, options


def _read(asked: Asked, column: str, shown: str, pooled: bool) -> Samples:
    where = {column: shown} if shown else None
    return asked.results.read(asked.named, where=where, pool=[column] if pooled else (), **asked.choices)


def _score_models(asked: Asked, column: str, models: list[str], options: Options) -> list[Block]:
    """Score each of the first models by the same k; leave out those that cannot be."""
    blocks = []
    for model in models[:MOST_COMPARED]:
        try:
            report, _, _ = score_samples(_read(asked, column, model, pooled=False), options)
        except InputError:
            continue
        blocks.append(Block(model, len(report), report.values, report.intervals))
    first = blocks[0].values.keys() if blocks else ()
    return [block for block in blocks if block.values.keys() == first]


def _write_top(asked: Asked, samples: Samples, report: Report, language: str) -> str:
    rule, checker, relation = asked.options.extract_fn, asked.options.check_correct_fn, asked.options.equivalence
    said = {
        "extract_fn": f"{say(language, 'score.rule')} {say(language, f'score.rule_{rule}')}",
        "check_correct_fn": f"{say(language, 'score.check')} {say(language, f'score.check_{checker}')}",
        "equivalence": f"{say(language, 'score.same')} {say(language, f'score.same_{relation}')}",
    }
    options = {name: text for name, text in said.items() if getattr(asked.options, name) != getattr(Options, name)}
    size = describe_size(report) if language == "en" else _describe_size(report)
    taken = notices.write_taken(
        asked.name,
        size,
        samples.roles,
        asked.results.columns,
        samples.origin,
        options,
        language,
        is_example=asked.is_example,
    )
    return (
        taken
        + notices.write_warnings(report, language, buttons=True)
        + notices.write_sizes(report.n, language, asked.options.least)
        + tables.write_headline(report, language)
        + tables.write_summary(report, language)
    )


def _describe_size(report: Report) -> str:
    fewest, most = min(report.n), max(report.n)
    samples = str(most) if fewest == most else f"{fewest}–{most}"
    return f"{say('zh', 'score.problems', count=len(report))} × {say('zh', 'score.samples', count=samples)}"


def _write_curves(figure: Mapping[str, Any], language: str) -> str:
    buttons = " ".join(
        f'<button type="button" class="act" data-save="{kind}" data-of="#score_curves">'
        f"{say(language, f'score.save_{kind}')}</button>"
        for kind in ("svg", "png")
    )
    return (
        f"<h2>{say(language, 'score.against_k')}</h2><p>{say(language, 'score.bands')}</p>"
        f'{write_figure(figure)}<p class="saves">{buttons}</p>'
    )


def _offer_columns(results: Given, values: Mapping[str, Any], language: str) -> dict[str, Any]:
    """List the columns where results were refused: another choice of columns may help."""
    try:
        asked = read_values(dict(values) | {"k": "", "taus": USUAL["taus"], "least": "1"}, results, language)
        guessed = results.guess(asked.named)
        found = results.find_models(asked.named)
    except InputError:
        return {}
    return _update_columns(asked, guessed, found[1] if found else [], language)


def _update_columns(
    asked: Asked, guessed: Mapping[str, str | None], models: list[str], language: str
) -> dict[str, Any]:
    columns = asked.results.columns
    updates: dict[str, Any] = {
        f"column_{role}": {
            "value": asked.chosen[role] if asked.chosen[role] in ("", "\0", *columns) else "",
            "choices": list_columns(columns, guessed[role], language),
        }
        for role in ROLES
    }
    model = asked.model if asked.model in (notices.POOLED, *models) and models else ""
    return updates | {"model": {"value": model, "choices": list_models(models, language)}}
