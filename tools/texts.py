"""Write the texts that repeat the registry: parts of the modules' docstrings, of their cards and of the pages.

`python -m tools.texts` writes them in place; `python -m tools.texts --check` changes nothing, lists the files that are
stale, and fails if there are any. What is edited by hand inside such a part is overwritten.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import typer

import at_k
from at_k.documentation import find_inputs, find_outputs, list_inputs, list_outputs, list_shared_options, wrap_item
from at_k.family import FAMILY, Metric
from at_k.options import Option
from at_k.readers.formats import FORMATS
from at_k.readers.roles import NAMES
from at_k.registration import COMPARISONS
from at_k.uncertainty.credits import METRICS

ROOT = Path(__file__).resolve().parent.parent


def render_documents(root: Path = ROOT) -> dict[Path, str]:
    """Return every document that repeats the registry, as it should be."""
    guide = root / "docs" / "which-metric.md"
    documents = {guide: fill_region(_read(guide), "metrics", list_metrics(), guide)}
    guide = root / "docs" / "zh" / "which-metric.md"
    documents[guide] = fill_region(_read(guide), "metrics", list_metrics_in_chinese(), guide)
    guide = root / "docs" / "modules.md"
    documents[guide] = fill_region(_read(guide), "options", list_options(), guide)
    guide = root / "docs" / "formats.md"
    text = fill_region(_read(guide), "formats", list_formats(), guide)
    documents[guide] = fill_region(text, "columns", list_columns(), guide)
    documents[root / "at_k" / "signatures.pyi"] = write_signatures()
    for metric in FAMILY.values():
        card = root / "metrics" / metric.name / "README.md"
        chinese = card.with_name("README.zh.md")
        text = fill_region(_read(chinese), "metrics", list_metrics_in_chinese(), chinese)
        documents[chinese] = fill_region(
            text, "training", mention_credit(metric, _TRAINING_IN_CHINESE, " 和 "), chinese
        )
        text = fill_region(_read(card), "metrics", list_metrics(), card)
        text = fill_region(text, "training", mention_credit(metric, _TRAINING, " and "), card)
        text = _fill_list(text, "### Inputs", list_inputs(find_inputs(metric), [metric]), card)
        documents[card] = _fill_list(text, "### Output Values", list_outputs(find_outputs(metric)), card)
    for name in COMPARISONS:
        card = root / "comparisons" / name / "README.md"
        module = runpy.run_path(str(ROOT / "comparisons" / name / f"{name}.py"))
        metrics = [FAMILY[each] for each in module["METRICS"]]
        text = _fill_list(_read(card), "## Inputs", list_inputs(module["INPUTS"], metrics), card)
        documents[card] = _fill_list(text, "## Output values", list_outputs(module["OUTPUTS"]), card)
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
from typing import Any, Literal, TypedDict

from typing_extensions import Unpack as Unpack

"""


def write_signatures() -> str:
    """Write a class for the options of each function that takes many, with the type and the meaning of each."""
    lines = [_HEADER.rstrip()]
    for name, function in _SIGNATURES.items():
        lines += ["", f"class {name}(TypedDict, total=False):"]
        lines += [f"    {each.name}: {_spell_type(each)}" for each in function.options.values()]
    return "\n".join(lines) + "\n"


def _spell_type(option: Option) -> str:
    """Spell what an option takes as a type, with any sequence or mapping for a list or a dict."""
    return option.annotation.replace("list[", "Sequence[").replace("dict[", "Mapping[").replace("'", '"')


def list_metrics() -> str:
    """Make the table that says which metric answers which question."""
    rows = [(f"`{metric.name}`", metric.question, metric.needs, metric.warning) for metric in FAMILY.values()]
    return make_table(("metric", "question it answers", "needs", "watch out"), rows)


def list_metrics_in_chinese() -> str:
    """Make the same table in Chinese."""
    rows = [(f"`{metric.name}`", *metric.chinese) for metric in FAMILY.values()]
    return make_table(("指标", "回答的问题", "需要", "注意"), rows)


_TRAINING = (
    "**Training.** `at_k.credit` says by how much each sample moved {names}: the weight of its log-probability in "
    "[training for it](../../docs/training.md)."
)
_TRAINING_IN_CHINESE = (
    "**训练。** `at_k.credit` 给出每个样本使 {names} 变动了多少，即"
    "[以它为目标训练](../../docs/training.md)时该样本对数概率的权重。"
)


def mention_credit(metric: Metric, sentence: str, conjunction: str) -> str:
    """Write the sentence about training, with the metrics of a card that can be trained for."""
    names = [output.key.replace("{k}", "k").replace("{n}", "n").replace("_{τ}", "") for output in metric.outputs]
    listed = [f"`{name}`" for name in names if name in METRICS]
    return wrap_item(sentence.format(names=conjunction.join(listed)), "")


def list_options() -> str:
    """Make the table of k and of the options that all metrics share."""
    return make_table(("option", "meaning", "default"), list_shared_options())


def list_columns() -> str:
    """Make the table of the names by which columns of a table are recognised."""
    rows = [(role, ", ".join(f"`{name}`" for name in names.split())) for role, names in NAMES.items()]
    return make_table(("what", "names of columns, the first that a table has"), rows)


def list_formats() -> str:
    """Make the table of the files that can be read."""
    rows = [(each.title, f"`{each.file}`", each.samples) for each in FORMATS.values()]
    return make_table(("harness", "file", "how to get n samples"), rows)


_BAR = r"\|"
"""A bar inside a cell."""


def make_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Make a table of Markdown."""
    lines = [f"| {' | '.join(cell.replace('|', _BAR) for cell in row)} |" for row in (header, *rows)]
    return "\n".join([lines[0], "|---" * len(header) + "|", *lines[1:]])


def fill_region(text: str, name: str, content: str, path: Path) -> str:
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
    documents = render_documents()
    stale = {path: text for path, text in documents.items() if not path.is_file() or _read(path) != text}
    for path, text in stale.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
    if check and stale:
        print("`make texts` writes them anew")
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
