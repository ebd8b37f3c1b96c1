"""The numbers of a report as HTML: a matrix of metric × k, and a table of groups. A visitor's text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from at_k.demo.words import join_sentences, say
from at_k.error_bars import ErrorBar
from at_k.report import Report
from at_k.report.tables import group_lines, write_estimate
from at_k.values import Key

ALL = "G-Pass@k_1.0"
"""The line of G-Pass@k that has pass^k as its other name."""

_ORDER = ("G-Pass@k", "mG-Pass@k", "pass@k", "cons@k", "best@k")
"""The metrics that come first, the strict before the lenient; any others follow."""

_AVERAGES = ("avg@n", "accuracy")
_SCORES = ("max@k",)

_SAME = 1e-9
"""Two shares that differ by less are the same number, computed in two ways."""

_WIDE, _MANY = 8, 2
"""With more columns of numbers the cells of a row are laid out like words: on every screen, and on a phone."""


@dataclass(frozen=True)
class Block:
    """The values of all problems, of a group, or of a model."""

    label: str
    size: int
    values: Mapping[Key, float]
    bars: Mapping[Key, ErrorBar]


def list_groups(report: Report) -> list[Block]:
    """List the groups of a report."""
    return [
        Block(label, report.sizes[label], values, report.group_intervals.get(label, {}))
        for label, values in report.groups.items()
    ]


def write_matrix(report: Report, language: str) -> str:
    """Write the table of a data set: a row for each metric, a column for each k, and each interval below its value.

    Values at k = 1 that repeat avg@n, and a mean grade that does, are left out: avg@n has a row of its own.
    """
    values, bars = report.values, report.intervals
    lines = sort_lines(values)
    shares = [line for line in lines if line.metric not in (*_AVERAGES, *_SCORES)]
    averages = [key for key in values if key.metric in _AVERAGES]
    own = {line: found for line, found in group_lines(values).items() if line in shares}
    draws = sorted({k for found in own.values() for k in found if k is not None})
    average = next((values[key] for key in averages if key.metric == "avg@n"), None)
    if average is not None and draws[:1] == [1]:
        ones = [values[found[1]] for line, found in own.items() if 1 in found and line.metric != "mG-Pass@k"]
        if all(abs(each - average) < _SAME for each in ones):
            draws = draws[1:]
    if len(averages) == 2 and abs(values[averages[1]] - values[averages[0]]) < _SAME:
        averages = averages[:1]

    shares = [line for line in shares if any(k in own[line] for k in draws)]

    def cell(key: Key, k: int | None, more: str = "") -> str:
        return _write_cell(values[key], bars.get(key), key, "" if k is None else f"k = {k}", more)

    head = "".join(f'<th scope="col">k = {k}</th>' for k in draws)
    rows = [
        _write_row(line, [cell(own[line][k], k) if k in own[line] else _EMPTY for k in draws], language)
        for line in shares
    ]
    rows += [_write_row(key, [cell(key, None, f' colspan="{max(len(draws), 1)}"')], language) for key in averages]
    html = _write_table(head, rows, "matrix", len(draws), say(language, "score.table"))
    scores = [line for line in lines if line.metric in _SCORES]
    if scores:
        own = group_lines(values)
        draws = sorted(k for k in own[scores[0]] if k is not None)
        head = "".join(f'<th scope="col">k = {k}</th>' for k in draws)
        rows = [_write_row(line, [cell(own[line][k], k) for k in draws], language) for line in scores]
        html += f'<p class="apart">{escape(_say_unit(report, language))}</p>'
        html += _write_table(head, rows, "matrix", len(draws), say(language, "score.scores_table"))
    return html


def write_blocks(blocks: Sequence[Block], heading: str, language: str) -> str:
    """Write a table for each k, of which the page shows one: a row for each block, which can be sorted by any column.

    The heading says by what the blocks differ.
    """
    if not blocks:
        return ""
    lines = [line for line in sort_lines(blocks[0].values) if _is_main(line)]
    grouped = [group_lines(block.values) for block in blocks]
    draws = sorted({k for line in lines for k in grouped[0].get(line, {}) if k is not None})
    draws = [k for k in draws if k > 1] or draws
    chosen = draws[-1] if draws else None
    buttons = "".join(
        f'<button type="button" data-shows="{k}" aria-pressed="{str(k == chosen).lower()}">k = {k}</button>'
        for k in draws
    )
    size = say(language, "score.size")
    tables = []
    columns: list[int | None] = [*draws] or [None]
    for k in columns:
        shown = [line for line in lines if {k, None} & set(grouped[0][line])]
        head = f'<th scope="col" aria-sort="none">{_make_sorter(heading)}</th>'
        head += f'<th scope="col" aria-sort="none">{_make_sorter(size)}</th>'
        head += "".join(f'<th scope="col" aria-sort="none">{_make_sorter(_name_line(line, k))}</th>' for line in shown)
        rows = []
        for block, own in zip(blocks, grouped, strict=True):
            keys = [own[line].get(k, own[line].get(None)) for line in shown if line in own]
            cells = [
                _write_cell(block.values[key], block.bars.get(key), key, str(key)) if key else _EMPTY for key in keys
            ]
            name = escape(block.label)
            rows.append(
                f'<tr data-label="{name}"><th scope="row">{name}</th>'
                f'<td data-value="{block.size}" data-at="{escape(size)}">{block.size}</td>{"".join(cells)}</tr>'
            )
        hidden = "" if k == chosen else " hidden"
        tables.append(
            f'<div class="scroll" data-k="{k or ""}" tabindex="0" role="region" aria-label="{escape(heading)}"{hidden}>'
            f'<table class="numbers sortable many"><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )
    choice = f'<div class="choice" role="group" aria-label="k">{buttons}</div>' if len(draws) > 1 else ""
    title = f"<h2>{escape(say(language, 'score.by', what=heading))}</h2>"
    return f'<div class="blocks">{title}{choice}{"".join(tables)}</div>'


def _is_main(line: Key) -> bool:
    """Return whether a table of groups has room for a line."""
    return line.metric not in (*_SCORES, "mG-Pass@k", "accuracy") and (line.tau is None or line.tau in (0.5, 1))


def write_headline(report: Report, language: str) -> str:
    """Write the result as a sentence that can be repeated: how often all of k samples are right, and at least one."""
    if not any(report.c):
        return ""
    values = group_lines(report.values)
    every, some = values.get(Key("G-Pass@k", None, 1.0), {}), values.get(Key("pass@k"), {})
    draws = [k for k in every if k is not None and k > 1 and k in some]
    if not draws:
        return ""
    k = max(draws)
    names = {"all": ("pass-hat", every[k]), "some": ("pass", some[k])}
    shares = {
        name: f'<em class="{colour}">{write_share(report.values[key], language)}</em>'
        for name, (colour, key) in names.items()
    }
    exhausted = min(report.n) == max(report.n) == k
    gap = report.values[some[k]] - report.values[every[k]]
    if exhausted:
        why = say(language, "score.between" if gap >= 0.05 else "score.no_gap")
        text = join_sentences([say(language, "score.headline_n", k=k, **shares), why], language)
    else:
        text = say(language, "score.headline_k", k=k, **shares)
    return f'<h2 class="headline">{text}</h2>'


def write_share(value: float, language: str) -> str:
    """Write a share in per cent; never 100 % for what is not certain.

    Examples:
        >>> [write_share(value, "en") for value in (0, 0.0001, 0.86, 0.9625, 0.99999, 1)]
        ['0 %', 'less than 0.1 %', '86 %', '96.2 %', 'more than 99.9 %', '100 %']
    """
    if 0 < value < 0.001:
        return say(language, "score.less_than", share="0.1 %")
    if 0.999 < value < 1:
        return say(language, "score.more_than", share="99.9 %")
    return f"{100 * value:.1f}".removesuffix(".0") + " %"


def write_summary(report: Report, language: str) -> str:
    """Write one sentence on the data: problems, samples, how many problems are never, sometimes and always solved."""
    n, c = report.n, report.c
    samples = str(n[0]) if min(n) == max(n) else f"{min(n)}–{max(n)}"
    never = c.count(0)
    always = sum(right == size for right, size in zip(c, n, strict=True))
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


def write_values(values: Mapping[Any, float]) -> str:
    """Write a small table of keys and values."""
    rows = "".join(
        f'<tr><th scope="row">{escape(key)}</th><td title="{value!r}">{write_number(value)}</td></tr>'
        for key, value in values.items()
    )
    return f'<table class="numbers"><tbody>{rows}</tbody></table>'


def write_number(value: float) -> str:
    """Write four decimals; for scores, which may be of any size, four significant digits.

    Examples:
        >>> write_number(1 / 3), write_number(1.0), write_number(1234.5), write_number(-0.00001)
        ('0.3333', '1.0000', '1234', '-1e-05')
    """
    return f"{value + 0.0:.4f}" if 0 <= value <= 1 else f"{value:.4g}"  # + 0.0: no −0.0


_EMPTY = '<td class="none">–</td>'


def sort_lines(values: Iterable[Key]) -> list[Key]:
    """List the lines in the order of the page. pass^k is left out where G-Pass@k_1.0 is there, which is the same."""
    lines = list(group_lines(values))
    if Key("G-Pass@k", None, 1.0) in lines:
        lines = [line for line in lines if line.metric != "pass^k"]
    known: Mapping[str, int] = {metric: place for place, metric in enumerate(_ORDER)}

    def find_place(line: Key) -> tuple[bool, int, float]:
        return line.metric in _AVERAGES, known.get(line.metric, len(known)), -float(line.tau or 0)

    return sorted(lines, key=find_place)


def _write_row(line: Key, cells: list[str], language: str) -> str:
    name = "G-Pass@k" if line.metric == "pass^k" else line if line.metric == "avg@n" else line.metric
    return (
        f'<tr><th scope="row">{escape(name)}<small>{escape(describe_line(line, language))}</small></th>'
        f"{''.join(cells)}</tr>"
    )


def describe_line(line: Key, language: str) -> str:
    """Say in a few words what a metric means.

    Examples:
        >>> describe_line(Key("G-Pass@k", None, 0.5), "en"), describe_line(Key("pass@k"), "en")
        ('τ = 0.5: at least half right', 'at least one right')
    """
    if line.metric == "G-Pass@k" and line.tau is not None:
        tau = Fraction(line.tau).limit_denominator(1000)
        known = {Fraction(1): "score.means_all", Fraction(1, 2): "score.means_half", Fraction(0): "score.means_any"}
        if tau in known:
            words = say(language, known[tau])
        else:
            words = say(language, "score.means_share", share=write_share(float(line.tau), language))
        return f"τ = {'1' if tau == 1 else line.tau}: {words}" + (" (pass^k)" if tau == 1 else "")
    meanings = {
        "pass^k": "score.means_all",
        "mG-Pass@k": "score.means_mean",
        "pass@k": "score.means_any",
        "cons@k": "score.means_vote",
        "best@k": "score.means_choice",
        "avg@n": "score.means_one",
        "accuracy": "score.means_grade",
        "max@k": "score.means_highest",
    }
    return say(language, meanings[line.metric]) if line.metric in meanings else ""


def _say_unit(report: Report, language: str) -> str:
    column = None if report.origin is None else report.origin.roles.get("scores")
    return say(language, "score.unit", column=column) if column else say(language, "score.unit_unknown")


def _name_line(line: Key, k: int | None) -> str:
    if line.metric == "pass^k":
        return f"G-Pass@{k}_1.0"
    return str(Key(line.metric, k, line.tau)) if line.metric[-1] == "k" else str(line)


def _make_sorter(label: str) -> str:
    return f'<button type="button" class="sorter">{escape(label)}</button>'


def _write_table(head: str, rows: list[str], kind: str, width: int, name: str) -> str:
    wide = " wide" if width > _WIDE else " many" if width > _MANY else ""
    return (
        f'<table class="numbers {kind}{wide}" aria-label="{escape(name)}"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _write_cell(value: float, bar: ErrorBar | None, key: Key, label: str, more: str = "") -> str:
    """Write a value, in full as its title, with its interval below it if it has one.

    The label stands above it where there is no room for columns.
    """
    at = f' data-at="{escape(label)}"' if label else ""
    start = f'<td data-key="{escape(key)}" data-value="{value!r}"{at}{more} title="{value!r}'
    if bar is None:
        return f'{start}">{write_number(value)}</td>'
    shown, interval = write_estimate(value, bar)
    return f'{start} [{bar.low!r}, {bar.high!r}]">{shown} <small>{interval}</small></td>'
