"""The page Metrics: one metric of results that a visitor edits, and its card."""

from __future__ import annotations

import json

from at_k.demo import cards, notices, tables
from at_k.demo.asking import Answer, Form, read_options, spell_defaults, spell_value
from at_k.demo.given import Given
from at_k.demo.scoring import Options, score
from at_k.demo.words import say
from at_k.family import FAMILY, METRICS, Metric

OWN = ("k", "thresholds", "ties", "higher_is_better")
"""The options of the page. A metric has some of them."""

USUAL = {"metric": METRICS[0], "example": METRICS[0], **spell_defaults(OWN)}
"""Field → its value where nothing was changed."""


def answer(form: Form) -> Answer:
    """Compute one metric of what a visitor gives, and make the parts of the page."""
    language = form.language
    metric = FAMILY.get(form.fields["metric"]) or FAMILY[USUAL["metric"]]
    example = form.fields["example"]
    given = Given(write_example(metric)[1]) if example == metric.name else (form.read_side("data") or (Given(), ""))[0]
    with given.naming():
        # A missing sample counts as wrong here.
        options = Options(metrics=[metric.name], missing="incorrect", **read_options(form.fields, OWN))
        report = score(given.read({}), options)
    parts = {
        "result": notices.write_warnings(report, language) + tables.write_values(report.values),
        "card": f"<details><summary>{say(language, 'metrics.card', title=metric.title)}</summary>"
        f'<div class="card">{cards.write_markdown(cards.read_card(metric.name, language))}</div></details>',
    }
    hidden = [name for name in OWN if name not in metric.own_options]
    return {"parts": parts, "texts": {"data": given.text} if example else {}, "hidden": hidden}


def write_example(metric: Metric) -> tuple[dict[str, str], str]:
    """Write the example of a metric: the values of the fields, and the text.

    Examples:
        >>> write_example(FAMILY["avg_at_n"])[1].splitlines()[0]
        '{"grades": [1, 0, 0.6, 0.4]}'
    """
    columns, options = metric.example.columns, dict(metric.example.options)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    fields = {"metric": metric.name, "example": metric.name}
    fields |= {name: spell_value(options[name]) for name in OWN if name in options}
    return fields, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
