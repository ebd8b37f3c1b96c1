"""The numbers of a report as HTML: a matrix of metric × k, and a table of groups. A visitor's text is escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from at_k.demo.words import LANGUAGES, join_sentences, say
from at_k.error_bars import is_bounded
from at_k.family import OUTPUTS, Threshold, find_style, leave_out_twins
from at_k.report import Report, grid
from at_k.report.grid import Block, group_lines, list_blocks, write_estimate
from at_k.values import Key

_SAME = 1e-9
"""Two shares that differ by less are the same number, computed in two ways."""

_WIDE, _MANY = 8, 2
"""With more columns of numbers the cells of a row are laid out like words: on every screen, and on a phone."""


def write_matrix(report: Report, language: str) -> str:
    """Write the table of a data set: a row for each metric, a column for each k, and each interval below its value.

    The lines that few ask for, such as the other thresholds, unfold below.
    """
    whole, lines = list_blocks(report)[0], group_lines(find_shown(report))

    def write(chosen: Sequence[Key], label: str) -> str:
        draws = sorted({k for line in chosen for k in lines[line] if k is not None})
        kind = "matrix wide" if len(draws) > _WIDE else "matrix many" if len(draws) > _MANY else "matrix"
        rows = [_write_row(whole, line, lines[line], draws, language) for line in chosen]
        return write_grid([f"k = {k}" for k in draws], rows, label, f"numbers {kind}")

    shares, scores = [line for line in lines if is_bounded(line)], [line for line in lines if not is_bounded(line)]
    folded = [line for line in shares if not _is_main(line)]
    heading = say(language, "score.table")
    html = write([line for line in shares if _is_main(line)], heading)
    if folded:
        html += f"<details><summary>{say(language, 'score.folded')}</summary>{write(folded, heading)}</details>"
    if scores:
        html += f'<p class="apart">{escape(_say_unit(report, language))}</p>'
        html += write(scores, say(language, "score.scores_table"))
    return html


def write_grid(heads: Iterable[str], rows: Iterable[str], label: str, kind: str = "matrix") -> str:
    """Write a table with a head above each column of numbers, and a label for those who cannot see it.

    The heads and the rows, each of which begins with its own head, are HTML.
    """
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    return (
        f'<table class="{kind}" aria-label="{escape(label)}"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def find_shown(report: Report) -> list[Key]:
    """List the numbers that the table has: all but those that are another one under a second name.

    These are a mean grade that is avg@n, and every k = 1 where there is no other k.
    """
    values = report.values
    averages, drawn = ([key for key in values if (key.draws is None) == is_average] for is_average in (True, False))
    if len(averages) == 2 and abs(values[averages[1]] - values[averages[0]]) < _SAME:
        del averages[1]
    if averages and all(key.k == 1 for key in drawn if is_bounded(key)):
        drawn = [key for key in drawn if not is_bounded(key) or abs(values[key] - values[averages[0]]) >= _SAME]
    lines = group_lines([*averages, *drawn])
    return [key for line in sort_lines(values) for key in lines.get(line, {}).values()]


def find_main(report: Report) -> list[Key]:
    """List the numbers that are in sight without unfolding anything."""
    return [key for key in find_shown(report) if _is_main(key.line) or not is_bounded(key)]


def write_blocks(blocks: Sequence[Block], heading: str, language: str) -> str:
    """Write a table for each k, of which the page shows one: a row for each block, which can be sorted by any column.

    The heading says by what the blocks differ.
    """
    if not blocks:
        return ""
    lines = [line for line in sort_lines(blocks[0].values) if _is_main(line)]
    draws = sorted({k for line in lines for k in blocks[0].lines[line] if k is not None})
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
        shown = [line for line in lines if {k, None} & set(blocks[0].lines[line])]
        head = f'<th scope="col" aria-sort="none">{_make_sorter(heading)}</th>'
        head += f'<th scope="col" aria-sort="none">{_make_sorter(size)}</th>'
        head += "".join(f'<th scope="col" aria-sort="none">{_make_sorter(_name_line(line, k))}</th>' for line in shown)
        rows = []
        for block in blocks:
            own = [block.lines[line] for line in shown if line in block.lines]
            keys = [found.get(k, found.get(None)) for found in own]
            cells = [_write_cell(block, key, str(key)) if key else _EMPTY for key in keys]
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
    style = find_style(line)
    return style is not None and (not style.waits or line.metric[-1] != "k")


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
    never = c.count(0)
    always = sum(right == size for right, size in zip(c, n, strict=True))
    text = say(
        language,
        "score.summary",
        problems=len(n),
        samples=write_range(n),
        never=never,
        sometimes=len(n) - never - always,
        always=always,
    )
    return f'<p class="summary" role="status">{text}</p>'


def write_range(numbers: Sequence[int]) -> str:
    """Write the least and the largest of some whole numbers, which may be one.

    Examples:
        >>> write_range([8, 8]), write_range([1200, 4])
        ('8', '4–1,200')
    """
    fewest, most = min(numbers), max(numbers)
    return f"{most:,}" if fewest == most else f"{fewest:,}–{most:,}"


def describe_size(report: Report, language: str) -> str:
    """Say how many problems and samples a report is about."""
    if language == "en":
        return grid.describe_size(report)
    n = write_range(report.n)
    return f"{say(language, 'score.problems', count=len(report))} × {say(language, 'score.samples', count=n)}"


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


def sort_lines(values: Collection[Key]) -> list[Key]:
    """List the lines in the order of the registry, the strict before the lenient and the averages last."""
    places = list(OUTPUTS)

    def find_place(line: Key) -> tuple[bool, int, float]:
        return line.metric[-1] != "k", places.index(line.metric), -float(line.tau or 0)

    return sorted(leave_out_twins(group_lines(values)), key=find_place)


def _write_row(block: Block, line: Key, keys: Mapping[int | None, Key], draws: Sequence[int], language: str) -> str:
    """Write the row of a line: its name, its meaning, and a cell for each k; an average is what k = 1 is."""
    if None in keys:
        spans = 1 if draws[:1] == [1] else max(len(draws), 1)
        cell = _write_cell(block, keys[None], "", f' colspan="{spans}"' if spans > 1 else "")
        cells = [cell, *[_EMPTY] * (len(draws) - spans)]
    else:
        cells = [_write_cell(block, keys[k], f"k = {k}") if k in keys else _EMPTY for k in draws]
    return f"<tr>{head_row(line, language)}{''.join(cells)}</tr>"


def head_row(line: Key, language: str) -> str:
    """Write the head of a line's row: its name, without the threshold, and what it means."""
    name = line.metric if line.metric[-1] == "k" else str(line)
    return f'<th scope="row">{escape(name)}<small>{escape(describe_line(line, language))}</small></th>'


def describe_line(line: Key, language: str) -> str:
    """Say in a few words what a metric means.

    Examples:
        >>> describe_line(Key("G-Pass@k", None, 0.5), "en"), describe_line(Key("pass@k"), "en")
        ('τ = 0.5: at least half right', 'at least one right')
    """
    output, place = OUTPUTS[line.metric], LANGUAGES.index(language)
    if line.tau is None:
        return output.label[place]
    own = output.thresholds.get(float(line.tau), Threshold())
    words = (own.label or output.label)[place].format(share=write_share(float(line.tau), language))
    tau = "1" if line.tau == 1 else str(line.tau)
    if language == "zh":
        return f"τ = {tau}：{words}{f'（{own.twin}）' if own.twin else ''}"
    return f"τ = {tau}: {words}{f' ({own.twin})' if own.twin else ''}"


def _say_unit(report: Report, language: str) -> str:
    column = None if report.origin is None else report.origin.roles.get("scores")
    return say(language, "score.unit", column=column) if column else say(language, "score.unit_unknown")


def _name_line(line: Key, k: int | None) -> str:
    return str(Key(line.metric, k, line.tau)) if line.metric[-1] == "k" else str(line)


def _make_sorter(label: str) -> str:
    return f'<button type="button" class="sorter">{escape(label)}</button>'


def _write_cell(block: Block, key: Key, label: str, more: str = "") -> str:
    """Write a value, in full as its title, with its interval below it if it has one.

    The label stands above it where there is no room for columns.
    """
    value, bar = block.values[key], block.bars.get(key)
    at = f' data-at="{escape(label)}"' if label else ""
    start = f'<td data-key="{escape(key)}" data-value="{value!r}"{at}{more} title="{value!r}'
    if bar is None:
        return f'{start}">{write_number(value)}</td>'
    shown, interval = write_estimate(value, bar)
    return f'{start} [{bar.low!r}, {bar.high!r}]">{shown} <small>{interval}</small></td>'
