"""The page Score: from what a visitor gives to the parts of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import Any

from at_k.analysis.diagnosis import diagnose
from at_k.demo import downloads, examples, notices, tables
from at_k.demo.asking import (
    COLUMNS,
    READING,
    Answer,
    offer_columns,
    read_columns,
    read_fields,
    read_options,
    read_side,
    refuse,
    spell_defaults,
    write_saves,
)
from at_k.demo.details import write_details
from at_k.demo.figures import write_figure
from at_k.demo.given import Given
from at_k.demo.score_figures import describe_curves
from at_k.demo.scoring import (
    OPTION_FIELDS,
    Options,
    count_samples,
    keep_long,
    parse_least,
    score,
    spread_draws,
)
from at_k.demo.words import say
from at_k.errors import InputError
from at_k.readers.samples import Samples
from at_k.report import Report
from at_k.report.grid import Block, describe_size, list_groups

START = "qwen25_math"

CHOSEN = tuple(name for name in OPTION_FIELDS if name != "least")
"""The options of the page, by the names of the registry; `least` is the page's own."""

USUAL = {"example": START, **COLUMNS, **spell_defaults((*CHOSEN, *READING)), "least": "1"}
"""Field → its value where nothing was changed."""

MOST_COMPARED = 6
"""Models that are scored for the table of models; the page Compare takes two of any number."""


@dataclass(frozen=True)
class Asked:
    """What a visitor asks for.

    Attributes:
        results: what they gave.
        name: the name of the file or of the example; empty for a text that was pasted.
        is_example: whether it is an example of the page, as it is.
        named: role → column, where one was chosen, or none.
        reading: the other arguments of `Given.read`.
        options: the other options; k is None where it was left open.
    """

    results: Given
    name: str
    is_example: bool
    named: Mapping[str, str | None]
    reading: Mapping[str, Any]
    options: Options

    def read(self, **more: Any) -> Samples:
        """Read the samples; `more` takes the place of arguments."""
        return self.results.read(self.named, **{**self.reading, **more})


def answer(values: object, language: str) -> Answer:
    """Score what a visitor gives, and make the parts of the page.

    Args:
        values: field → text, and `given`: side → what was given; anything, as a program may send it.
        language: the language of the visitor.
    """
    fields = read_fields(values, USUAL)
    if fields == USUAL:
        return make_first(language)
    return _answer(fields, values, language)


@lru_cache(maxsize=2)
def make_first(language: str) -> Answer:
    """Make the page that a visitor finds first."""
    return _answer(dict(USUAL), None, language)


def _answer(fields: dict[str, str], values: object, language: str) -> Answer:
    results = Given()
    choices: dict[str, list[list[str]]] = {}
    try:
        results, name = _take(fields["example"], values, language)
        named = read_columns(fields, results.columns)
        choices = offer_columns(results, named, language)
        reading = read_options(fields, READING)
        options = Options(**read_options(fields, CHOSEN), least=parse_least(fields["least"]))
        asked = Asked(results, name, fields["example"] in examples.EXAMPLES, named, reading, options)
        parts = make_parts(asked, language)
    except InputError as reason:
        return refuse(results.refuse(reason), language, choices, fields, USUAL)
    texts = {"results": results.text} if fields["example"] else {}
    return {"refused": None, "parts": parts, "choices": choices, "texts": texts}


def _take(example: str, values: object, language: str) -> tuple[Given, str]:
    """Take an example, or what a visitor gave, and its name."""
    harness = example.removeprefix(examples.HARNESS)
    if example in examples.EXAMPLES:
        return Given(examples.read_example(example)), say(language, f"score.{example}")
    if harness != example and harness in examples.HARNESSES:
        name, content = examples.read_harness(harness)
        is_text = name.endswith((".json", ".jsonl"))
        return (Given(content.decode()) if is_text else Given(packed=content)), name
    return read_side(values, "results") or (Given(), "")


def make_parts(asked: Asked, language: str) -> dict[str, str]:
    """Score what a visitor asks for, and make everything that the page shows of it.

    Raises:
        InputError: if it cannot be scored.
    """
    models = asked.results.find_models(asked.named)
    where = asked.reading["where"] or {}
    if models is not None and models[0] in asked.reading["pool"]:
        models = None
    shown = ""
    if models is not None:
        column, names = models
        chosen = where.get(column, names[:1])
        shown = ", ".join(chosen)
        asked = replace(asked, reading={**asked.reading, "where": where | {column: chosen}})
    report, samples, options = score_samples(asked.read(), asked.options)
    head = _write_head(asked, samples, report, language)
    blocks = ""
    if models is not None:
        head = notices.write_models(*models, shown, language) + head
        blocks = tables.write_blocks(_score_models(asked, *models, options), models[0], language)
    title = " · ".join(filter(None, [asked.name, shown]))
    groups = tables.write_blocks(list_groups(report), say(language, "score.group"), language)
    figure = describe_curves(report.curves, "at-k-curves", title or say(language, "score.pasted"), language)
    return {
        "head": head,
        "table": blocks
        + tables.write_matrix(report, language)
        + groups
        + notices.write_remarks(report, language, USUAL),
        "links": f'<p class="downloads"><strong>{say(language, "score.downloads")}</strong> '
        f"{downloads.write_links(samples, options, report, language)}</p>",
        "problems": write_details(report, options.extract_fn, language),
        "findings": f"<h2>{say(language, 'score.says')}</h2>"
        + notices.write_findings(diagnose(report).sentences, language),
        "curves": f"<h2>{say(language, 'score.against_k')}</h2><p>{say(language, 'score.bands')}</p>"
        f"{write_figure(figure, id='score_curves')}{write_saves('score_curves', language)}",
        "code": f"<details><summary>{say(language, 'score.python')}</summary>"
        f"<pre tabindex=0>{escape(downloads.write_script(report))}</pre></details>",
    }


def score_samples(samples: Samples, options: Options) -> tuple[Report, Samples, Options]:
    """Score samples with the columns of k that the page shows. Return the samples and options that were used, too."""
    samples = keep_long(samples, options.least, options.missing)
    if options.k is None:
        options = replace(options, k=spread_draws(count_samples(samples, options.missing)))
    return score(samples, options), samples, options


def _score_models(asked: Asked, column: str, models: list[str], options: Options) -> list[Block]:
    """Score each of the first models by the same k; leave out those that cannot be."""
    blocks = []
    for model in models[:MOST_COMPARED]:
        try:
            where = (asked.reading["where"] or {}) | {column: [model]}
            report, _, _ = score_samples(asked.read(where=where), options)
        except InputError:
            continue
        blocks.append(Block(model, len(report), report.values, report.intervals))
    first = blocks[0].values.keys() if blocks else ()
    return [block for block in blocks if block.values.keys() == first]


def _write_head(asked: Asked, samples: Samples, report: Report, language: str) -> str:
    chosen = {name: getattr(asked.options, name) for name in ("extract_fn", "check_correct_fn", "equivalence")}
    size = describe_size(report) if language == "en" else _describe_size(report)
    taken = notices.write_taken(
        asked.name,
        size,
        samples.roles,
        asked.results.columns,
        samples.origin,
        notices.name_options(chosen, language),
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
