"""The report: every number of a data set; problems that a condition selects, and the lines that compute it again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from keyword import iskeyword
from os import PathLike, fspath
from typing import Any

import numpy as np

from at_k.combinatorics import Floats
from at_k.errors import Mention, Phrases, quote_word
from at_k.grading import Checker
from at_k.options.registry import OF_PYTHON, write_flags
from at_k.readers import is_paths
from at_k.report.data import Numbers, holds_report
from at_k.report.grid import show_report
from at_k.report.naming import choose_numbers, find_number
from at_k.report.states import TALLY
from at_k.results.saving import holds
from at_k.results.sheet import Sheet
from at_k.validation import describe, list_parts, shorten
from at_k.values import Key

_say = Phrases(
    {
        "compare.scored": "The options {names} say how data are scored, but these values are "
        "there already. Leave them out, or give the data.",
        "data.saved": "This is a report that was saved, with numbers and without samples: {path}. "
        "Read it by `at_k.Report.load`, or score the results that it was made from.",
        "tally.saved": "This is a tally that was saved, with counts and without samples: {path}. "
        "What needs samples cannot be computed from it; `at_k.score` computes the rest.",
        "select.condition": "A condition compares a value with numbers, such as {first} or "
        "{second}; got {text}. Write 50% as 0.5. Comparisons are joined by “and” alone: for "
        "others, select twice and join the names.",
        "select.no_key": "There is no value {key} here. There are {keys}. Score with another k "
        "for others.",
    }
)


class Report(Numbers):
    """Hold every number of a data set, and write them in many forms.

    Its attributes are those of `Numbers`.
    """

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show metrics down, k across and groups below, with the notes; as rows for programs, a row for each value."""
        return show_report(self, short=short)

    drawn_by = "at_k.plots:draw_curves"

    def select(self, where: str) -> list[str]:
        """Select problems by their values, such as those that are neither too easy nor too hard to train on.

        Args:
            where: what holds for their values: comparisons of a key of the report with numbers, joined by "and":
                "0.1 <= avg <= 0.9", "pass@4 >= 0.5 and maj@8 == 1". `avg` is avg@n, whatever n is.

        Returns:
            The names of the problems.

        Raises:
            InputError: if the condition cannot be read, the report has no such value, or it is that of a tally.

        Examples:
            >>> from at_k import score
            >>> report = score({"problem": ["easy", "fair"], "grades": [[1, 1, 1, 1], [1, 0, 0, 1]]})
            >>> report.select("avg <= 0.9")
            ['fair']
        """
        self.require_problems("A selection")
        chosen = np.ones(len(self), dtype=bool)
        for bound in read_condition(where):
            chosen &= _SIGNS[bound.sign](_find_values(self, bound.key), bound.number)
        return [self.problems[place] for place in np.flatnonzero(chosen)]


def find_report(data: object) -> Report | None:
    """Return the report, if data are one or the path of one that was saved; None for other data."""
    if isinstance(data, (str, PathLike)) and holds_report(data):
        return Report.load(data)
    return data if isinstance(data, Report) else None


def refuse_scoring_options(options: Mapping[str, Any]) -> None:
    """Raise for options that say how data are scored, where they are scored already."""
    if options:
        raise _say.error("compare.scored", names=Mention(*options))


def refuse_report(data: Any) -> None:
    """Raise if data to be scored are a report, or the file of one: its samples are gone, and it has its numbers."""
    if isinstance(data, Report):
        raise TypeError(
            "`data` must be a data set or the path of a file; got a report, which is scored already"
        )
    for path in [data] if isinstance(data, (str, PathLike)) else data if is_paths(data) else []:
        if holds_report(path):
            raise _say.error("data.saved", path=fspath(path))
        if holds(path, TALLY):
            raise _say.error("tally.saved", path=fspath(path))


_SIGNS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# Of other languages than that of conditions
_OTHER = re.compile(r"\b(?:and|or|not)\b|[%&|()]", re.IGNORECASE)


@dataclass(frozen=True)
class Bound:
    """A bound on the values of a key.

    Attributes:
        key: the number.
        sign: how a value compares with `number`.
        number: the bound.
    """

    key: Key
    sign: str
    number: float


def read_condition(text: str) -> list[Bound]:
    """Read a condition: comparisons of a key with numbers, joined by "and".

    Examples:
        >>> read_condition("0.1 <= avg <= 0.9")
        [Bound(key='avg@n', sign='>=', number=0.1), Bound(key='avg@n', sign='<=', number=0.9)]
        >>> read_condition("pass@4 > 0 and maj@8 == 1")
        [Bound(key='pass@4', sign='>', number=0.0), Bound(key='cons@8', sign='==', number=1.0)]
    """
    if not isinstance(text, str):
        raise TypeError(f"`where` must be a string; got {describe(text)}")
    bounds = []
    for part in re.split(r"\s+and\s+", text.strip().replace("≤", "<=").replace("≥", ">=")):
        words = []
        if not _OTHER.search(part):
            words = re.split(r"\s*(<=|>=|==|<|>)\s*", part)
        for left, sign, right in zip(words[:-2:2], words[1:-1:2], words[2::2], strict=True):
            if _NUMBER.fullmatch(right) and not _NUMBER.fullmatch(left):
                bounds.append(Bound(find_number(left), sign, float(right)))
            elif _NUMBER.fullmatch(left) and not _NUMBER.fullmatch(right):
                bounds.append(Bound(find_number(right), _TURNED[sign], float(left)))
            else:
                words = []
        if len(words) not in (3, 5) or not all(words):
            raise _say.error(
                "select.condition",
                first="0.1 <= avg <= 0.9",
                second="pass@4 >= 0.5 and cons@8 == 1",
                text=shorten(text),
            )
    return bounds


def _find_values(report: Numbers, wanted: Key) -> Floats:
    held = [
        key for key in choose_numbers({wanted: wanted}, report.columns) if wanted.k in (None, key.k)
    ]
    if not held:
        raise _say.error(
            "select.no_key",
            key=shorten(wanted),
            keys=", ".join(["avg", *map(str, report.by_problem)]),
        )
    return report.columns[held[0]].expand()


# The lines that compute the same again


def write_script(report: Numbers, source: str | list[str] | None = None) -> str:
    """Write the Python lines that give the same numbers."""
    return write_lines(
        {"report": (report, report.source if source is None else source)}, "print(report)"
    )


def write_lines(reports: Mapping[str, tuple[Numbers, str | list[str] | None]], last: str) -> str:
    """Write the lines that score each report under its name, and the line that uses them."""
    lines = ["import at_k"]
    options = {
        name: value for report, _ in reports.values() for name, value in report.options.items()
    }
    for kind, line in ((Fraction, "from fractions import Fraction"), (re.Pattern, "import re")):
        if any(isinstance(part, kind) for value in options.values() for part in list_parts(value)):
            lines = [line, "", *lines]
    functions = {
        name: name_function(value, name) for name, value in options.items() if _is_function(value)
    }
    lines.append("")
    lines += [
        f"# `{function}` is the function that was given as `{name}`"
        for name, function in functions.items()
    ]
    if any(source is None for _, source in reports.values()):
        lines.append("# `data` is the data set that the report was made from")
    for called, (report, source) in reports.items():
        arguments = [repr(source) if source is not None else "data"]
        arguments += [
            f"{name}={functions.get(name) or repr(value)}" for name, value in report.options.items()
        ]
        call = f"{called} = at_k.score({', '.join(arguments)})"
        if len(call) > 100:
            call = (
                f"{called} = at_k.score(\n"
                + "".join(f"    {argument},\n" for argument in arguments)
                + ")"
            )
        lines.append(call)
    return "\n".join([*lines, last]) + "\n"


def write_command(name: str, paths: Sequence[str], options: Mapping[str, Any]) -> str | None:
    """Write the command with these options; None if the command does not have one of them.

    Examples:
        >>> print(write_command("score", ["my file.csv"], {"k": [1, 4], "columns": {"grades": "ok"}, "concat": True}))
        at-k score 'my file.csv' --k 1,4 --columns grades=ok --concat
    """
    if any(option in OF_PYTHON or _is_function(value) for option, value in options.items()):
        return None
    return " ".join(["at-k", name, *map(quote_word, paths), *filter(None, [write_flags(options)])])


def _is_function(value: Any) -> bool:
    """Return whether a value is a function, which has no spelling. A checker has one."""
    return callable(value) and not isinstance(value, Checker)


def name_function(function: Any, option: str) -> str:
    """Name a function as the script can: a lambda, which has no name, by the option."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return name if name.isidentifier() and not iskeyword(name) else option
