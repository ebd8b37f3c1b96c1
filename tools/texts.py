"""Write the texts that repeat the registry: parts of the modules' docstrings, of their cards and of the README.

`python -m tools.texts` writes them in place; `python -m tools.texts --check` changes nothing, lists the files that are
stale, and fails if there are any. What is edited by hand inside such a part is overwritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap

import typer

from at_k.arguments import COLUMNS, OPTIONS, SHARED_OPTIONS, Argument
from at_k.family import FAMILY, Metric
from at_k.readers.formats import FORMATS
from at_k.readers.roles import NAMES
from at_k.summary import spell

ROOT = Path(__file__).resolve().parent.parent

_WIDTH = 120

_OUTPUTS = {
    "{group}/{key}": "with `groups`, the value of each key for each group. The label is spelled as given.",
    "details": "with `return_details`, a dict of `n_problems`, `n_samples`, `n_missing`, `n_unanswered` (the number of "
    "samples in which `extract_fn` found no answer), `not_graded` (the number of samples whose check took too long or "
    "failed, by cause), `per_problem` (a list with one entry per problem, in input order, for n, c and every key), "
    "with the checker `code` also `outcomes` (the number of samples by how their programs ended) and `reasons` (for "
    "each problem a list with a text for each sample), and "
    "`signature` (one line that states the conditions under which two numbers may be compared).",
}
"""The entries that the result of every module has if an option asks for them."""


def render_documents(root: Path = ROOT) -> dict[Path, str]:
    """Return every document that repeats the registry, as it should be."""
    readme = root / "README.md"
    documents = {readme: _fill_region(_read(readme), "metrics", list_metrics(), readme)}
    guide = root / "docs" / "modules.md"
    documents[guide] = _fill_region(_read(guide), "options", list_shared_options(), guide)
    guide = root / "docs" / "formats.md"
    text = _fill_region(_read(guide), "formats", list_formats(), guide)
    documents[guide] = _fill_region(text, "columns", list_columns(), guide)
    for metric in FAMILY.values():
        module, card = (root / "metrics" / metric.name / name for name in (f"{metric.name}.py", "README.md"))
        documents[module] = _fill_docstring(_read(module), metric, module)
        text = _fill_region(_read(card), "metrics", list_metrics(), card)
        text = _fill_list(text, "### Inputs", list_inputs(metric), card)
        documents[card] = _fill_list(text, "### Output Values", list_outputs(metric), card)
        chinese = card.with_name("README.zh.md")
        documents[chinese] = _fill_region(_read(chinese), "metrics", list_metrics_in_chinese(), chinese)
    return documents


def list_metrics() -> str:
    """Make the table that says which metric answers which question."""
    rows = [(f"`{metric.name}`", metric.question, metric.needs, metric.warning) for metric in FAMILY.values()]
    return _make_table(("metric", "question it answers", "needs", "watch out"), rows)


def list_metrics_in_chinese() -> str:
    """Make the same table in Chinese."""
    rows = [(f"`{metric.name}`", *metric.chinese) for metric in FAMILY.values()]
    return _make_table(("指标", "回答的问题", "需要", "注意"), rows)


def list_columns() -> str:
    """Make the table of the names by which columns of a table are recognised."""
    rows = [(role, ", ".join(f"`{name}`" for name in names.split())) for role, names in NAMES.items()]
    return _make_table(("what", "names of columns, the first that a table has"), rows)


def list_formats() -> str:
    """Make the table of the files that can be read."""
    rows = [(each.title, f"`{each.file}`", each.samples) for each in FORMATS.values()]
    return _make_table(("harness", "file", "how to get n samples"), rows)


def list_shared_options() -> str:
    """Make the table of k and of the options that all metrics share."""
    rows = []
    for name in ("k", *SHARED_OPTIONS):
        option = OPTIONS[name]
        default = "–" if option.default is None else f"`{_spell_value(option.default)}`"
        rows.append((f"`{name}`", _fill_in(option.text, FAMILY.values()), default))
    return _make_table(("option", "meaning", "default"), rows)


def list_inputs(metric: Metric) -> str:
    """Make the list of a card's columns and options."""
    return "\n".join(
        _wrap_item(f"- **{argument.name}** ({argument.type}): {describe_argument(argument, metric)}", "  ")
        for argument in _arguments(metric)
    )


def list_outputs(metric: Metric) -> str:
    """Make the list of what a module returns, as its card shows it."""
    outputs = {output.key: output.text for output in metric.outputs} | _OUTPUTS
    return "\n".join(_wrap_item(f"- **`{key}`**: {text}", "  ") for key, text in outputs.items())


def write_docstring(metric: Metric) -> str:
    """Make the parts `Args:` and `Returns:` of a module's docstring."""
    arguments = [
        f"    {argument.name} ({argument.type}): {describe_argument(argument, metric)}"
        for argument in _arguments(metric)
    ]
    outputs = {output.key: output.text for output in metric.outputs} | _OUTPUTS
    returned = [f"    {key}: {text}" for key, text in outputs.items()]
    lines = ["Args:", *(_wrap_item(each, " " * 8) for each in arguments)]
    return "\n".join([*lines, "Returns:", *(_wrap_item(each, " " * 8) for each in returned)])


def describe_argument(argument: Argument, metric: Metric) -> str:
    """Describe an argument as one metric takes it, with its default."""
    default = "" if argument.default is None else f" Default: `{_spell_value(argument.default)}`."
    return _fill_in(argument.text, [metric]) + default


def _arguments(metric: Metric) -> list[Argument]:
    return [(COLUMNS | OPTIONS)[name] for name in metric.arguments]


def _fill_in(text: str, metrics: Iterable[Metric]) -> str:
    """Replace the names in braces by what they stand for in some metrics."""
    some = list(metrics)
    return text.replace("{default_k}", _describe_default_k(some)).replace("{plain_keys}", _list_plain_keys(some))


def _describe_default_k(metrics: list[Metric]) -> str:
    """Describe the k that metrics take if they are given none; the metrics are named if they differ."""
    takers: dict[str, list[str]] = {}
    for metric in metrics:
        if metric.default_k is not None:
            takers.setdefault(metric.default_k.text, []).append(f"`{metric.name}`")
    if len(takers) <= 1:
        return next(iter(takers), "")
    return "; ".join(f"for {', '.join(names)} {text}" for text, names in takers.items())


def _list_plain_keys(metrics: list[Metric]) -> str:
    """List keys that look different in the plain spelling: those of the first metric, as examples."""
    keys = [output.key for output in metrics[0].outputs if output.of_module]
    named = [key.replace("{k}", "8").replace("{n}", "8").replace("{τ}", "0.5") for key in keys]
    return ", ".join(f"`{spell(key, 'plain')}`" for key in named if spell(key, "plain") != key)


def _spell_value(value: object) -> str:
    """Spell a default as JSON does, but True and False as Python does."""
    return str(value) if isinstance(value, bool) else json.dumps(value)


_BAR = r"\|"
"""A bar inside a cell."""


def _make_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', _BAR) for cell in row)} |" for row in (header, *rows)]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]])


def _wrap_item(text: str, indent: str) -> str:
    """Wrap an item of a list, so that no line but the first begins with a sign that would begin an item."""
    kept = re.sub(r" (?=([-+*=>#|]|\d+[.)]) )", "\0", text)
    lines = wrap(kept, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def _fill_region(text: str, name: str, content: str, path: Path) -> str:
    """Replace what stands between two comments."""
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


def _fill_docstring(text: str, metric: Metric, path: Path) -> str:
    pattern = r'(?<=\n_KWARGS_DESCRIPTION = """\n)Args:.*?(?=\nExamples:)'
    return _replace(text, pattern, write_docstring(metric), path, "_KWARGS_DESCRIPTION with `Args:` and `Examples:`")


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


def main(
    check: bool = typer.Option(
        False, "--check", help="Change nothing, list the stale files, and fail if there are any."
    ),
) -> None:
    """Write the texts that repeat the registry."""
    stale = {path: text for path, text in render_documents().items() if _read(path) != text}
    for path, text in stale.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
    if check and stale:
        print("`make texts` writes them anew")
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
