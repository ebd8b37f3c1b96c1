"""Tables and messages as HTML. Whatever a visitor gave is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from at_k.demo.scoring import Scored
from at_k.demo.words import say, translate
from at_k.errors import InputError, Message


def results(scored: Scored, language: str) -> str:
    """The table of a data set: a row for each key, a column for all problems and one for each group."""
    labels = [say(language, "score.all"), *scored.groups]
    columns = [scored.overall, *scored.groups.values()]
    sizes = [len(scored.problems), *(scored.sizes[label] for label in scored.groups)]
    head = "".join(
        f'<th scope="col">{escape(label)}<small>{_problems(size, language)}</small></th>'
        for label, size in zip(labels, sizes, strict=True)
    )
    bodies = "".join(
        f"<tbody>{''.join(_row(key, columns) for key in keys)}</tbody>"
        for keys in sorted(scored.metrics.values(), key=len)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{say(language, "score.table")}">'
        f'<table class="numbers"><thead><tr><th scope="col">{say(language, "score.metric")}</th>{head}</tr></thead>'
        f"{bodies}</table></div>{remarks(scored, language)}"
    )


def remarks(scored: Scored, language: str) -> str:
    """Below the table: what must be known of the numbers, and which metrics were left out, and why."""
    messages: list[Message | InputError] = [*scored.notes, *scored.left_out.values()]
    lines = [escape(translate(each, language)) for each in messages]
    return f'<ul class="remarks">{"".join(f"<li>{line}</li>" for line in lines)}</ul>' if lines else ""


def summary(scored: Scored, language: str) -> str:
    """One sentence on the data: problems, samples, and how many problems are never, sometimes and always solved."""
    n, share = scored.problems.n, scored.problems.share
    samples = str(n[0]) if min(n) == max(n) else f"{min(n)}–{max(n)}"
    never, always = share.count(0.0), share.count(1.0)
    text = say(
        language,
        "score.summary",
        problems=len(n),
        samples=samples,
        never=never,
        sometimes=len(n) - never - always,
        always=always,
    )
    return f'<p class="summary" role="status">{text}</p>'


def message(reason: Message | InputError | None, language: str) -> str:
    """Why something was refused, read out at once by a screen reader; nothing if it was not."""
    return "" if reason is None else f'<p class="refused" role="alert">{escape(translate(reason, language))}</p>'


def values(result: Mapping[str, float]) -> str:
    """A small table of keys and values."""
    rows = "".join(_row(key, [result]) for key in result)
    return f'<table class="numbers"><tbody>{rows}</tbody></table>'


def four_digits(value: float) -> str:
    """Four decimals; for scores, which may be of any size, four significant digits.

    Examples:
        >>> four_digits(1 / 3), four_digits(1.0), four_digits(1234.5), four_digits(-0.00001)
        ('0.3333', '1.0000', '1234', '-1e-05')
    """
    return f"{value + 0.0:.4f}" if 0 <= value <= 1 else f"{value:.4g}"  # + 0.0: no −0.0


def _problems(count: int, language: str) -> str:
    return say(language, "score.one_problem") if count == 1 else say(language, "score.problems", count=count)


def _row(key: str, columns: Iterable[Mapping[str, float]]) -> str:
    cells = (f'<td title="{column[key]!r}">{four_digits(column[key])}</td>' for column in columns)
    return f'<tr><th scope="row">{escape(key)}</th>{"".join(cells)}</tr>'
