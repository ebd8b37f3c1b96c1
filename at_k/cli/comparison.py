"""Compare files: the table of differences, and the problems on which the models differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from at_k.cli.layout import cell_len, fit, list_sentences, measure_names, split_columns, wrap
from at_k.cli.options import refuse
from at_k.cli.output import dump, print_in_form
from at_k.cli.scoring import list_models, make_report
from at_k.cli.terminal import Line, make_console
from at_k.errors import InputError
from at_k.options import COMPARING, POOLING
from at_k.readers.paths import name_models

if TYPE_CHECKING:
    from at_k.analysis.compared import Compared
    from at_k.uncertainty.ranking import Ranking

_SHOWN_FLIPS = 5

_RANKS = "A > B where the data show it; models between commas may change places."


def compare_files(
    paths: Sequence[str],
    *,
    form: str,
    where: Mapping[str, list[str]] | None,
    against: Sequence[str],
    pool_by: str,
    **options: Any,
) -> None:
    """Compare two models, or rank several, and print what was found.

    Args:
        paths: a file for each model; or one file, where `where` has several values of a column.
        form: "table", "markdown" or "json".
        where: column → the values of the rows to read.
        against: the files of the second model, where each path is a benchmark of the first one.
        pool_by: what counts alike where benchmarks are pooled.
        options: those of `at_k.compare`.

    Raises:
        InputError: if a file cannot be used, or the models cannot be compared.
        OSError: if a file cannot be opened.
        typer.BadParameter: if an option is wrong, whatever the files hold.
    """
    from at_k.analysis.comparison import compare, rank

    if against:
        _compare_benchmarks(paths, against, form, {"pool_by": pool_by, "where": where, **options})
        return
    models = list_models(paths, where or {})
    comparing = {name: options[name] for name in COMPARING if name in options}
    if len(models) > 2:
        for name in ("margin", "extra_tests", "method", "band", "target"):
            if comparing[name] != COMPARING[name].default:
                sentence = "This is for two models. Several are ranked by the sign-flip test."
                raise refuse(COMPARING[name].flags[0], sentence)
        if comparing["unmatched"] == "unpaired":
            raise refuse("--unmatched", "Several models are ranked on the same problems only: error or drop.")
    field = comparing.pop("clusters")
    scoring = {name: value for name, value in options.items() if name not in COMPARING}
    scoring |= {"clusters": field, "groups": field or "none", "confidence_level": None}
    reports = {name: make_report([path], where=own, **scoring) for name, (path, own) in models.items()}
    if len(models) == 2:
        (a, first), (b, second) = reports.items()
        compared = compare(first, second, names=(a, b), **comparing)
        print_in_form(
            form,
            lambda width: lay_out_comparison(compared, width),
            json=lambda: dump(compared.to_dict()),
            markdown=compared.to_markdown,
        )
        return
    keys = [key for key in next(iter(reports.values())).values
            if all(key in report.values for report in reports.values())]  # fmt: skip
    if not keys:
        raise InputError(
            "compare.no_key",
            "The models have no number in common: {keys}. Ask for the same k.",
            keys="; ".join(", ".join(report.values) for report in reports.values()),
        )
    ranking = {name: comparing[name] for name in ("confidence_level", "unmatched")}
    rankings = {str(key): rank(reports, key=key, **ranking) for key in keys}
    lines = lay_out_rankings(rankings, make_console().width)
    print_in_form(
        form,
        lambda _: lines,
        json=lambda: dump({key: spell_ranking(ranking) for key, ranking in rankings.items()}),
        markdown=lambda: "\n".join("".join(text for text, _ in line) for line in lines),
    )


def _compare_benchmarks(paths: Sequence[str], against: Sequence[str], form: str, options: dict[str, Any]) -> None:
    """Compare two models on several benchmarks, and print the pooled verdict and that of each."""
    from at_k.analysis.pooled import compare_benchmarks

    if len(against) != len(paths):
        raise refuse("--against", f"Give one file for each of the {len(paths)} benchmarks; got {len(against)}.")
    for name in ("margin", "extra_tests", "band", "target"):
        if options[name] != COMPARING[name].default:
            raise refuse(COMPARING[name].flags[0], "This is for one benchmark.")
    pooling = {name: options[name] for name in POOLING if name in options}
    field = pooling.pop("clusters")
    scoring = {name: value for name, value in options.items() if name not in COMPARING and name != "pool_by"}
    scoring |= {"clusters": field, "groups": field or "none", "confidence_level": None}
    names = name_models(paths)
    first, second = ({name: make_report([path], **scoring) for name, path in zip(names, own, strict=True)}
                     for own in (paths, against))  # fmt: skip
    found = compare_benchmarks(first, second, **pooling)

    def lay_out(width: int) -> list[Line]:
        lines = lay_out_comparison(found.pooled, width)
        for name, each in found.benchmarks.items():
            lines += [[], [], [(name, "bold")], *lay_out_comparison(each, width)]
        return lines

    print_in_form(form, lay_out, json=lambda: dump(found.to_dict()), markdown=found.to_markdown)


def spell_ranking(ranking: Ranking) -> dict[str, Any]:
    """Return a ranking as plain data, ready for `json.dumps`."""
    return {
        "order": str(ranking),
        "values": ranking.values,
        "ranks": ranking.ranks,
        "pairs": [
            {
                "a": a,
                "b": b,
                "difference": found.difference,
                "low": found.low,
                "high": found.high,
                "p_value": found.p_value,
                "p_adjusted": ranking.p_values[a, b],
            }
            for (a, b), found in ranking.pairs.items()
        ],
        "notes": list(map(str, ranking.notes)),
    }


def lay_out_comparison(compared: Compared, width: int) -> list[Line]:
    """Lay out the comparison of two models for a terminal."""
    from at_k.analysis.compared import list_cells

    level = next(iter(compared.comparisons.values())).confidence_level
    names = [fit(name, width - 3).rstrip() for name in compared.names]
    lines: list[Line] = [[(f"{letter}  ", "bold"), (name, "")] for letter, name in zip("AB", names, strict=True)]
    short = replace(compared, names=("A", "B"))
    said = " ".join(map(str, short.describe(short.main_key)))
    lines += [[], *([(text, "bold")] for text in wrap(said, width))]
    bands = [" ".join(map(str, replace(band, names=("A", "B")).describe())) for band in compared.bands.values()]
    lines += [[], *list_sentences(bands, width, "")] if bands else []
    header = ["", "A", "B", f"A − B [{100 * level:g} %]", "p", "won / lost / tied", ""]
    cells = list_cells(short)
    lines += [[], *lay_out_cells([header, *cells], width)]
    lines += lay_out_tests(compared, width)
    key = compared.main_key
    flips = compared.flips.get(key, [])[:_SHOWN_FLIPS]
    if flips:
        room = measure_names(["problem", *(flip.problem for flip in flips)])
        lines += [[], [(f"Problems that differ most in {key}", "bold")]]
        lines.append([(f"  {'problem':{room}}      A      B", "cyan")])
        lines += [[(f"  {fit(flip.problem, room)}  {flip.a:.3f}  {flip.b:.3f}", "")] for flip in flips]
    notes = list_sentences(compared.notes, width, "yellow")
    return [*lines, *([[], *notes] if notes else [])]


def lay_out_tests(compared: Compared, width: int) -> list[Line]:
    """Lay out the p-values of equivalence and of further tests, if there are any."""
    from at_k.analysis.compared import write_p

    columns = {"equivalent": compared.equivalence} if compared.equivalence else {}
    columns |= compared.extra_tests
    if not any(columns.values()):
        return []
    rows = [
        [key, *("–" if key not in found else write_p(found[key]) for found in columns.values()), ""]
        for key in map(str, compared.comparisons)
    ]
    return [[], [("p of further tests", "bold")], *lay_out_cells([["", *columns, ""], *rows], width)]


def lay_out_cells(rows: Sequence[Sequence[str]], width: int) -> list[Line]:
    """Lay out a table with a header. Columns that do not fit stand below, and the last one is flush left."""
    widths: dict[int | None, int] = {i: max(len(row[i]) for row in rows) for i in range(len(rows[0]))}
    first, last = widths.pop(0), len(rows[0]) - 1
    parts = split_columns(widths, width - first)
    lines: list[Line] = []
    for number, row in enumerate(rows):
        for turn, part in enumerate(parts):
            pieces: Line = [((row[0] if not turn else "").ljust(first), "cyan" if not number else "")]
            for i in part:
                if i is not None and i != last:
                    pieces.append((f"  {row[i]:>{widths[i]}}", "cyan" if not number else ""))
                elif i is not None:
                    pieces.append((f"  {row[i]}", "bold"))
            if any(text.strip() for text, _ in pieces):
                pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
                lines.append(pieces)
    return lines


def lay_out_rankings(rankings: Mapping[str, Ranking], width: int) -> list[Line]:
    """Lay out the order of several models in every number, as far as the data tell it; its pairs, if there is one."""
    lines: list[Line] = list_sentences([_RANKS], width, "dim")
    for key, ranking in rankings.items():
        lines += [[], *([(text, "bold")] for text in wrap(f"{key}  {ranking}", width, rest="    "))]
        room = measure_names(ranking.names)
        for name in ranking.names:
            first, last = ranking.ranks[name]
            places = str(first) if first == last else f"{first}–{last}"
            lines.append([(f"  {fit(name, room)}  {ranking.values[name]:.3f}  rank {places}", "")])
        if len(rankings) == 1:
            lines += [[], *(line for pair in ranking.pairs for line in lay_out_pair(ranking, pair, width))]
    notes = dict.fromkeys(note for ranking in rankings.values() for note in ranking.notes)
    return [*lines, *([[], *list_sentences(notes, width, "yellow")] if notes else [])]


def lay_out_pair(ranking: Ranking, pair: tuple[str, str], width: int) -> list[Line]:
    """Lay out the comparison of two of several models, in two lines if it is too wide for one."""
    from at_k.analysis.compared import write_p

    found = ranking.pairs[pair]
    a, b = (fit(name, measure_names([name])) for name in pair)
    numbers = f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}], p {write_p(ranking.p_values[pair])}"
    if cell_len(f"  {a} − {b}: {numbers}") <= width:
        return [[(f"  {a} − {b}: ", "dim"), (numbers, "")]]
    return [[(text, "dim")] for text in wrap(f"{a} − {b}:", width, first="  ", rest="  ")] + [[(f"    {numbers}", "")]]
