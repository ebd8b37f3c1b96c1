"""Write the texts that repeat the registry: parts of the modules' docstrings, of their cards and of the pages.

`python -m tools.texts` writes them in place; `python -m tools.texts --check` changes nothing, lists the files that are
stale, and fails if there are any. What is edited by hand inside such a part is overwritten.
"""

from __future__ import annotations

import inspect
import re
import runpy
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

import at_k
from at_k.computation import Metric
from at_k.family import COMPARISONS, FAMILY
from at_k.module import find_inputs, find_outputs, list_defaults
from at_k.options.registry import (
    COLUMNS,
    FIRST,
    FLAGS,
    OPTIONS,
    SHARED_OPTIONS,
    Option,
    describe_option,
    fill_in,
    spell_types,
    spell_value,
    wrap_item,
)
from at_k.readers.formats import FORMATS
from at_k.readers.names import ROLE
from tools.outputs import CHECK, update
from tools.prepared import render_prepared

ROOT = Path(__file__).resolve().parent.parent


def render_documents(root: Path = ROOT) -> dict[Path, str]:
    """Return every document that repeats the registry, as it should be."""
    guide = root / "docs" / "which-metric.md"
    documents = {guide: fill_region(_read(guide), "metrics", list_metrics(), guide)}
    guide = root / "docs" / "zh" / "which-metric.md"
    documents[guide] = fill_region(_read(guide), "metrics", list_metrics_in_chinese(), guide)
    guide = root / "docs" / "modules.md"
    text = fill_region(
        _read(guide), "columns", list_inputs(COLUMNS.values(), FAMILY.values()), guide
    )
    documents[guide] = fill_region(text, "outputs", list_outputs(SHARED_OUTPUTS), guide)
    guide = root / "docs" / "options.md"
    documents[guide] = fill_region(_read(guide), "options", list_options(), guide)
    guide = root / "docs" / "formats.md"
    text = fill_region(_read(guide), "formats", list_formats(), guide)
    documents[guide] = fill_region(text, "columns", list_columns(), guide)
    guide = root / "docs" / "checking.md"
    documents[guide] = fill_region(_read(guide), "checkers", list_checkers(), guide)
    documents[root / "at_k" / "signatures.pyi"] = write_signatures()
    documents |= {
        root / "at_k" / "demo" / "static" / path: text for path, text in render_prepared().items()
    }
    documents |= {
        root / "docs" / f"staircase{name}.svg": draw_staircase(*colours)
        for name, colours in _COLOURS.items()
    }
    for metric in FAMILY.values():
        card = root / "metrics" / metric.name / "README.md"
        documents[card] = _fill_list(_read(card), "### Inputs", list_card_inputs(metric), card)
        card = card.with_name("README.zh.md")
        if card.is_file():
            inputs = list_card_inputs_in_chinese(metric)
            documents[card] = _fill_list(_read(card), "### 输入", inputs, card)
    for name in COMPARISONS:
        card = root / "comparisons" / name / "README.md"
        module = runpy.run_path(str(ROOT / "comparisons" / name / f"{name}.py"))
        metrics = [FAMILY[each] for each in module["METRICS"]]
        text = _fill_list(_read(card), "## Inputs", list_inputs(module["INPUTS"], metrics), card)
        documents[card] = _fill_list(
            text, "## Output values", list_outputs(module["OUTPUTS"]), card
        )
    return documents


_SIGNATURES = {
    "ScoreOptions": at_k.score,
    "CompareOptions": at_k.compare,
    "RankOptions": at_k.rank,
    "PlanOptions": at_k.plan,
    "GateOptions": at_k.gate,
    "PoolOptions": at_k.compare_benchmarks,
    "TallyOptions": at_k.Tally.of,
    "ReadOptions": at_k.read_results,
}
"""The functions whose options have types that editors complete."""

_HEADER = """# The options of functions, for editors and type checkers. `make texts` writes this file.

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import Unpack as Unpack

"""


def write_signatures() -> str:
    """Write a class for the options of each function that takes many, with the type and the meaning of each."""
    lines = [
        _HEADER.rstrip(),
        "",
        f"Metrics: TypeAlias = {_spell_type(at_k.score.options['metrics'])}",
    ]
    for name, function in _SIGNATURES.items():
        lines += ["", f"class {name}(TypedDict, total=False):"]
        declared = inspect.signature(inspect.unwrap(function), follow_wrapped=False).parameters
        options = [each for each in function.options.values() if each.name not in declared]
        lines += [f"    {each.name}: {_spell_type(each)}" for each in options]
    return "\n".join(lines) + "\n"


def _spell_type(option: Option) -> str:
    """Spell what an option takes as a type, with any sequence or mapping for a list or a dict."""
    return (
        option.annotation.replace("list[", "Sequence[")
        .replace("dict[", "Mapping[")
        .replace("'", '"')
    )


def list_options() -> str:
    """Make the table of every option: its name, its flag, its meaning, its default, and who takes it."""
    functions = {function.__name__: function.options for function in _SIGNATURES.values()}
    functions["Tally.of"] = functions.pop("of")
    functions = {"modules": OPTIONS, **functions, "diagnose": at_k.diagnose.options}
    takers: dict[str, tuple[Option, list[str]]] = {}
    for taker, options in functions.items():
        for option in options.values():
            takers.setdefault(option.name, (option, []))[1].append(taker)
    defaults = list_defaults(FAMILY.values())
    rows = []
    for name, (option, names) in sorted(takers.items(), key=lambda item: _rank(item[0])):
        flag = f"`{FLAGS[name]}`" if name in FLAGS else "–"
        default = "–" if option.default is None else f"`{spell_value(option.default)}`"
        others = [taker for taker in functions if taker not in names]
        taken = f"all but {', '.join(others)}" if len(others) < 4 else ", ".join(names)
        rows.append((f"`{name}`", flag, fill_in(option.text, defaults), default, taken))
    return make_table(("option", "in the command", "meaning", "default", "taken by"), rows)


def _rank(name: str) -> tuple[int, str]:
    """Sort the options that people use first before the others."""
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def list_metrics() -> str:
    """Make the table that says which metric answers which question."""
    rows = [
        (f"`{metric.name}`", metric.question, metric.needs, metric.warning)
        for metric in FAMILY.values()
    ]
    header = ("metric", "question it answers", "needs", "watch out")
    return make_table(header, rows)


def list_metrics_in_chinese() -> str:
    """Make the same table in Chinese."""
    rows = [(f"`{metric.name}`", *metric.describe("zh")) for metric in FAMILY.values()]
    return make_table(("指标", "回答的问题", "需要", "注意"), rows)


def list_card_inputs(metric: Metric) -> str:
    """List every input on the card of a metric, with its types, its default and its meaning in a few words."""
    lines = []
    for option in _sort_for_card(metric):
        text = option.card[0]
        if option.name == "k" and metric.default_k is not None:
            text += f" Default: {metric.default_k.card[0]}."
        lines.append(f"- **{option.name}** ({_spell_short_type(option)}): {text}")
    return "\n".join(lines)


def list_card_inputs_in_chinese(metric: Metric) -> str:
    """Make the same list in Chinese."""
    lines = []
    for option in _sort_for_card(metric):
        text = option.card[-1]
        if option.name == "k" and metric.default_k is not None:
            text += f"默认值：{metric.default_k.card[-1]}。"
        lines.append(f"- **{option.name}**（{_spell_short_type(option)}）：{text}")
    return "\n".join(lines)


# What most calls need comes before what few do.
_FIRST = (*COLUMNS, "k")
_NEXT = ("check_correct_fn", "extract_fn", "correct_above", "missing", "confidence_level")


def _sort_for_card(metric: Metric) -> list[Option]:
    """List the inputs of a metric: columns, k, its own, those that many calls need, and the others."""
    inputs = {each.name: each for each in find_inputs(metric)}
    own = [name for name in inputs if name not in (*_FIRST, *SHARED_OPTIONS)]
    names = dict.fromkeys([*_FIRST, *own, *_NEXT, *inputs])
    return [inputs[name] for name in names if name in inputs]


def _spell_short_type(option: Option) -> str:
    """Spell the types that an option takes and its default, such as `float=0.5`, of functions without their types."""
    kinds = [re.sub(r"Callable\[.*", "Callable", kind) for kind in option.types]
    default = "" if option.default is None else f"={spell_value(option.default)}"
    return f"`{'|'.join(kinds)}{default}`"


SHARED_OUTPUTS = {
    key: text
    for key, text in find_outputs(FAMILY["gpassk"]).items()
    if all(key in find_outputs(metric) for metric in FAMILY.values())
}
"""Outputs of every module, if an option asks for them."""


def list_columns() -> str:
    """Make the table of the names by which columns of a table are recognised."""
    rows = [(role, ", ".join(f"`{name}`" for name in names)) for role, names in ROLE.items()]
    return make_table(("what", "names of columns, the first that a table has"), rows)


def list_checkers() -> str:
    """Make the table of the checkers, with the first sentence of each docstring."""
    rows = [
        (f"`{name}`", " ".join((checker.__doc__ or "").split("\n\n")[0].split()))
        for name, checker in at_k.checkers.items()
    ]
    return make_table(("checker", ""), rows)


def list_formats() -> str:
    """Make the table of the files that can be read."""
    rows = [(each.title, f"`{each.file}`", each.samples) for each in FORMATS.values()]
    return make_table(("harness", "file", "how to get n samples"), rows)


_COLOURS = {
    "": ("#15181c", "#59626c", "#1060c4", "#eaeef1", "#b34310"),
    "-dark": ("#e8eaed", "#a3adb8", "#6aa8ff", "#30363d", "#ff9d5c"),
}
"""Colours of the picture in light and in dark pages: text, small text, successes, the rest, the average."""

_AIRLINE = ROOT / "examples" / "data" / "taubench_airline.jsonl"
"""The file of the README's first command."""

_NAMES = {
    4: "pass^4, or G-Pass@4 with τ = 1",
    3: "G-Pass@4 with τ = 0.75",
    2: "G-Pass@4 with τ = 0.5",
    1: "pass@4",
}


def draw_staircase(text: str, small: str, full: str, empty: str, mark: str) -> str:
    """Draw the file of the README's first command: a row for each demand, a column for each task."""
    report = at_k.score(_AIRLINE, metrics=["pass_at_k", "gpassk"], k=[1, 4])
    average, tasks = report.values["pass@1"], len(report.n)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 262" font-family="system-ui, sans-serif" role="img">',
        f'<text y="26" font-size="23" font-weight="700" fill="{text}">GPT-4o: {average:.0%} of trials succeed. '
        f'All four of a task: <tspan fill="{full}">{report.values["G-Pass@4_1.0"]:.0%}</tspan>.</text>',
        f'<text y="52" font-size="13" fill="{small}">{tasks} airline tasks of τ-bench, four trials each. '
        "A column is a task; a row counts the tasks with enough successes.</text>",
    ]
    for row, (needed, name) in enumerate(_NAMES.items()):
        share, top = (
            report.values["pass@4" if needed == 1 else f"G-Pass@4_{needed / 4}"],
            70 + 42 * row,
        )
        demand = "all 4" if needed == 4 else f"at least {needed} of 4"
        for start, end, colour in (
            (0, round(share * tasks), full),
            (round(share * tasks), tasks, empty),
        ):
            columns = "".join(f"M{10 * column} {top}h9v30h-9z" for column in range(start, end))
            lines.append(f'<path fill="{colour}" d="{columns}"/>')
        lines += [
            f'<text x="514" y="{top + 13}" font-size="15" font-weight="700" fill="{full}">{share:.0%}'
            f'<tspan dx="8" font-size="13" font-weight="400" fill="{text}">{demand}</tspan></text>',
            f'<text x="514" y="{top + 29}" font-size="12" fill="{small}">{name}</text>',
        ]
    lines += [
        f'<path stroke="{mark}" stroke-width="3" d="M{10 * tasks * average:g} 66v164"/>',
        f'<text y="250" font-size="13" fill="{mark}">'
        f"{average:.0%} is the average, pass@1: every row of a steady model ends here</text>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


_BAR = r"\|"
"""A bar inside a cell."""


def make_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Make a table of Markdown."""
    lines = [
        f"| {' | '.join(cell.replace('|', _BAR) for cell in row)} |" for row in (header, *rows)
    ]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]])


def fill_region(text: str, name: str, content: str, path: Path) -> str:
    """Replace the text between two comments."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    return _replace(text, rf"(?<={start}\n).*?(?={end})", f"{content}\n", path, f"{start} … {end}")


def _fill_list(text: str, heading: str, content: str, path: Path) -> str:
    """Replace the list below a heading, or put it there. Paragraphs before and after the list stay."""
    section = _find(text, rf"^{heading}\n.*?(?=^#|\Z)", path, heading)
    found = re.search(r"^- .*?(?=\n\n|\Z)", section.rstrip(), re.MULTILINE | re.DOTALL)
    if found is None:
        filled = f"{section.rstrip()}\n\n{content}\n\n"
    else:
        filled = section[: found.start()] + content + section[found.end() :]
    return text.replace(section, filled)


def _find(text: str, pattern: str, path: Path, what: str) -> str:
    found = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        raise ValueError(f"{path} must contain {what} once; it contains it {len(found)} times")
    return str(found[0])


def _replace(text: str, pattern: str, content: str, path: Path, what: str) -> str:
    _find(text, pattern, path, what)
    return re.sub(pattern, lambda _: content, text, flags=re.MULTILINE | re.DOTALL)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main(check: bool = CHECK) -> None:
    """Write the texts that repeat the registry."""
    documents = render_documents().items()
    found = ((path, _read(path) if path.is_file() else "", text) for path, text in documents)
    update(found, ROOT, check=check)


def list_inputs(inputs: Iterable[Option], metrics: Iterable[Metric]) -> str:
    """Make the list of the columns and options on a card, as some metrics take them."""
    defaults = list_defaults(metrics)
    return "\n".join(
        wrap_item(f"- **{each.name}**{spell_types(each)}: {describe_option(each, defaults)}", "  ")
        for each in inputs
    )


def list_outputs(outputs: Mapping[str, str]) -> str:
    """Make the list of what a module returns, as its card shows it."""
    return "\n".join(wrap_item(f"- **`{key}`**: {text}", "  ") for key, text in outputs.items())


if __name__ == "__main__":
    typer.run(main)
