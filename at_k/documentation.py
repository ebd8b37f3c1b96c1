"""What the documentation of a module says of its options and outputs, put together from the registry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from textwrap import wrap

from at_k.family import FAMILY, Metric
from at_k.options import COLUMNS, OPTIONS, SHARED_OPTIONS, Option
from at_k.summary import spell

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


def find_inputs(metric: Metric) -> list[Option]:
    """Return the columns and options that a module takes."""
    return [(COLUMNS | OPTIONS)[name] for name in metric.arguments]


def find_outputs(metric: Metric) -> dict[str, str]:
    """Return what a module returns: key → its meaning."""
    return {output.key: output.text for output in metric.outputs} | _OUTPUTS


def describe_inputs(name: str, examples: str) -> str:
    """Describe the columns, options and outputs of a module, as its docstring has them, with examples below."""
    metric = FAMILY[name]
    return write_docstring(find_inputs(metric), find_outputs(metric), examples, [metric])


def write_docstring(
    inputs: Iterable[Option], outputs: Mapping[str, str], examples: str, metrics: Iterable[Metric]
) -> str:
    """Write the docstring of a module that computes some metrics."""
    lines = [
        "Args:",
        *(f"    {each.name}{spell_types(each)}: {describe_option(each, metrics)}" for each in inputs),
        "Returns:",
        *(f"    {key}: {text}" for key, text in outputs.items()),
    ]
    return "\n".join(["", *(wrap_item(each, " " * 8) for each in lines), "Examples:", examples])


def list_inputs(inputs: Iterable[Option], metrics: Iterable[Metric]) -> str:
    """Make the list of the columns and options on a card, as some metrics take them."""
    return "\n".join(
        wrap_item(f"- **{each.name}**{spell_types(each)}: {describe_option(each, metrics)}", "  ") for each in inputs
    )


def list_outputs(outputs: Mapping[str, str]) -> str:
    """Make the list of what a module returns, as its card shows it."""
    return "\n".join(wrap_item(f"- **`{key}`**: {text}", "  ") for key, text in outputs.items())


def list_shared_options() -> list[tuple[str, str, str]]:
    """List k and the options that all metrics share: name, meaning and default."""
    rows = []
    for option in map(OPTIONS.__getitem__, ("k", *SHARED_OPTIONS)):
        default = "–" if option.default is None else f"`{spell_value(option.default)}`"
        rows.append((f"`{option.name}`", fill_in(option.text, FAMILY.values()), default))
    return rows


def wrap_item(text: str, indent: str) -> str:
    """Wrap an item of a list, so that no line but the first begins with a sign that would begin an item."""
    kept = re.sub(r" (?=([-+*=>#|]|\d+[.)]) )", "\0", text)
    lines = wrap(kept, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def spell_types(option: Option) -> str:
    """Spell the types that an option takes, in Markdown; nothing for one that stands for several options."""
    types = [f"`{each}`" for each in option.types if each]
    listed = " or ".join([", ".join(types[:-1]), types[-1]] if len(types) > 1 else types)
    return f" ({listed})" if listed else ""


def describe_option(option: Option, metrics: Iterable[Metric]) -> str:
    """Describe an option as some metrics take it, with its default."""
    default = "" if option.default is None else f" Default: `{spell_value(option.default)}`."
    return fill_in(option.text, metrics) + default


def fill_in(text: str, metrics: Iterable[Metric]) -> str:
    """Replace the names in braces by what they stand for in some metrics."""
    some = list(metrics)
    return text.replace("{default_k}", describe_default_k(some)).replace("{plain_keys}", list_plain_keys(some))


def describe_default_k(metrics: list[Metric]) -> str:
    """Describe the k that metrics take if they are given none; the metrics are named if they differ."""
    takers: dict[str, list[str]] = {}
    for metric in metrics:
        if metric.default_k is not None:
            takers.setdefault(metric.default_k.text, []).append(f"`{metric.name}`")
    if len(takers) <= 1:
        return next(iter(takers), "")
    return "; ".join(f"for {', '.join(names)} {text}" for text, names in takers.items())


def list_plain_keys(metrics: list[Metric]) -> str:
    """List keys that look different in the plain spelling: those of the first metric, as examples."""
    keys = [output.key for output in metrics[0].outputs if output.of_module]
    named = [key.replace("{k}", "8").replace("{n}", "8").replace("{τ}", "0.5") for key in keys]
    return ", ".join(f"`{spell(key, 'plain')}`" for key in named if spell(key, "plain") != key)


def spell_value(value: object) -> str:
    """Spell a default as JSON does, but True and False as Python does."""
    return str(value) if isinstance(value, bool) else json.dumps(value)
