"""The page Score: from what a visitor gives to the parts of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from at_k.analysis.diagnosis import diagnose
from at_k.demo import downloads, examples, notices, tables
from at_k.demo.asking import COLUMNS, READING, Answer, Form, Results, read_options, spell_defaults, spell_value
from at_k.demo.details import write_details
from at_k.demo.figures import write_fold, write_picture
from at_k.demo.given import Given
from at_k.demo.score_figures import describe_curves
from at_k.demo.scoring import OPTION_FIELDS, Options, count_samples, keep_long, parse_least, score, spread_draws
from at_k.demo.words import say
from at_k.errors import InputError
from at_k.readers.samples import Samples
from at_k.report import Report
from at_k.report.grid import Block, list_groups

START = "qwen25_math"

CHOSEN = tuple(name for name in OPTION_FIELDS if name != "least")
"""The options of the page, by the names of the registry; `least` is the page's own."""

USUAL = {"example": START, **COLUMNS, **spell_defaults((*CHOSEN, *READING)), "least": "1"}
"""Field → its value where nothing was changed."""

MOST_COMPARED = 6
"""Models that are scored for the table of models; the page Compare takes two of any number."""


def answer(form: Form) -> Answer:
    """Score what a visitor gives, and make the parts of the page."""
    given, name = form.take("results") or (Given(), "")
    with given.naming():
        results = form.choose(given, name)
        form.notice = _write_saved(given.saved_options, form)
        options = Options(**read_options(form.fields, CHOSEN), least=parse_least(form.fields["least"]))
        parts = make_parts(results, options, form)
    return {"parts": parts, "texts": {"results": given.text} if form.fields["example"] else {}}


def make_parts(results: Results, asked: Options, form: Form) -> dict[str, str]:
    """Score results, and make everything that the page shows of them.

    Raises:
        InputError: if they cannot be scored.
    """
    language, shown = form.language, ", ".join(results.shown)
    report, samples, options = score_samples(results.keep(results.shown).read(), asked)
    found = tables.write_headline(report, language) + tables.write_summary(report, language)
    head = _write_head(results, asked, samples, report, form) + found
    blocks = ""
    if results.models is not None:
        head = notices.write_models(*results.models, shown, language) + head
        blocks = tables.write_blocks(_score_models(results, options), results.models[0], language)
    title = " · ".join(filter(None, [results.name, shown])) or say(language, "score.pasted")
    groups = tables.write_blocks(list_groups(report), say(language, "score.group"), language)
    figure = describe_curves(report.curves, "at-k-curves", title, language)
    findings = f"<h2>{say(language, 'score.says')}</h2>"
    findings += notices.write_findings(diagnose(report).sentences, language)
    matrix = tables.write_matrix(report, language)
    return {
        "head": head,
        "table": blocks + matrix + groups + notices.write_remarks(report, language, USUAL),
        "links": f'<p class="downloads"><strong>{say(language, "score.downloads")}</strong> '
        f"{downloads.write_links(samples, options, report, title, found + matrix + findings, language)}</p>",
        "problems": write_details(report, options.extract_fn, language),
        "findings": findings,
        "curves": f"<h2>{say(language, 'score.against_k')}</h2><p>{say(language, 'score.bands')}</p>"
        + write_picture(figure, "score_curves", language),
        "code": write_fold("score.python", downloads.write_script(report), language),
    }


def score_samples(samples: Samples, options: Options) -> tuple[Report, Samples, Options]:
    """Score samples with the columns of k that the page shows. Return the samples and options that were used, too."""
    samples = keep_long(samples, options.least, options.missing)
    if options.k is None:
        options = replace(options, k=spread_draws(count_samples(samples, options.missing)))
    return score(samples, options), samples, options


def _score_models(results: Results, options: Options) -> list[Block]:
    """Score each of the first models by the same k; leave out those that cannot be."""
    blocks = []
    for model in results.models[1][:MOST_COMPARED] if results.models else ():
        try:
            report, _, _ = score_samples(results.keep([model]).read(), options)
        except InputError:
            continue
        blocks.append(Block(model, len(report), report.values, report.intervals))
    first = blocks[0].values.keys() if blocks else ()
    return [block for block in blocks if block.values.keys() == first]


def _write_head(results: Results, options: Options, samples: Samples, report: Report, form: Form) -> str:
    language = form.language
    chosen = {name: getattr(options, name) for name in ("extract_fn", "check_correct_fn", "equivalence")}
    taken = notices.write_taken(
        results.name,
        tables.describe_size(report, language),
        samples.roles,
        results.given.columns,
        samples.origin,
        notices.name_options(chosen, language),
        language,
        is_example=form.fields["example"] in examples.EXAMPLES,
    )
    return (
        taken
        + form.notice
        + notices.write_warnings(report, language, buttons=True)
        + notices.write_sizes(report.n, language, options.least)
    )


def _write_saved(options: Mapping[str, Any], form: Form) -> str:
    """Say that a report was opened again and, where its options are not those of the form, offer them."""
    sets = {name: spell_value(value) for name, value in options.items() if name in OPTION_FIELDS}
    if not sets:
        return ""
    said = say(form.language, "score.saved")
    changed = any(form.fields[name] != value for name, value in sets.items() if name != "k" or form.fields["k"])
    button = notices.write_button(say(form.language, "score.saved_options"), sets) if changed else ""
    return f'<p class="notice" role="note">{said} {button}</p>'
