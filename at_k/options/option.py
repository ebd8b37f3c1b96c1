"""The declaration of an option, or a column, and the words that options take."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, get_args

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(module: str, name: str) -> dict[str, Any]:
    """Read the table of data beside a module, which gives its `__file__`."""
    table: dict[str, Any] = tomllib.loads(Path(module).with_name(name).read_text(encoding="utf-8"))
    return table


Config = Literal["default", "graded"]
# The configurations of a module: in "default" its predictions are answers, in "graded" they are grades.
CONFIGS: tuple[str, ...] = get_args(Config)

MISSING = ("error", "incorrect", "drop")

Ties = Literal["random", "first", "strict", "incorrect"]
TIES: tuple[str, ...] = get_args(Ties)

Conflicts = Literal["error", "majority"]
CONFLICTS: tuple[str, ...] = get_args(Conflicts)

Select = Literal["weighted", "lexicographic", "pareto"]
SELECT: tuple[str, ...] = get_args(Select)

# Relations that decide which answers are the same.
RELATIONS = ("checker", "exact", "numeric", "math", "quasi_exact", "choice")

# The seconds of CPU time that one check may take.
TIMEOUT = 5.0

KEY_STYLES = ("standard", "plain")

# Subjects of an interval: other problems like these, or other samples of these very problems.
TARGETS = ("population", "problem_set")

Method = Literal["beta", "t", "wald", "wilson", "clopper-pearson"]
# Methods that make an interval of a standard error.
METHODS: tuple[str, ...] = get_args(Method)

CI_METHODS = (*METHODS, "bootstrap")

DifferenceMethod = Literal["sign-flip", "bounded"]
# Methods that make the interval of a difference.
DIFFERENCE_METHODS: tuple[str, ...] = get_args(DifferenceMethod)

# Units of equal weight where several benchmarks are pooled.
POOL_BY = ("benchmark", "problem")

# Further tests of a paired comparison.
EXTRA_TESTS = ("t", "wilcoxon")

# Treatments of problems that not all models were measured on.
UNMATCHED_WORDS = ("error", "drop", "unpaired")

PROGRAM_TESTS = ("base", "plus")
ON_ERROR = ("raise", "skip")
SAMPLING = INDEPENDENT, UNTIL_SUCCESS = "independent", "until_success"

Baseline = Literal["leave_one_out", "subset"]
# Baselines that are subtracted from the weight of a sample, so that its variance is smaller.
BASELINES: tuple[str, ...] = get_args(Baseline)

Normalization = Literal["std", "batch_std"]
# Divisors of credits.
NORMALIZATIONS: tuple[str, ...] = get_args(Normalization)


# The part of the documentation with the options of reading.
READ = "What is read"


@dataclass(frozen=True)
class Option:
    """An option, or a column, of a function, a module or a command.

    Attributes:
        name: its name in Python.
        type: its type, without None.
        text: its meaning, in Markdown, beginning with a small letter and ending with a full stop. In the documentation
            of modules, `{default_k}` is filled in, which differs from metric to metric.
        default: the value that it has if it is not given; None for an option that may be left out.
        choices: the words that it takes.
        check: the path of a function that raises if a value is wrong for every data set: it takes `value` and `name`.
        find: the path of one that looks for what a value names. Its errors have a place for the option.
        flag: a short spelling on the command line, beside the name.
        long: the long spelling, where the name is taken.
        metavar: the placeholder of its value in the help of the command.
        help: its meaning on the command line; "" for that of `text`.
        short: whether `--help` shows it; `--help-all` shows all.
        label: what a form calls it. Here and below, pages have the Chinese in their catalogue.
        words: what a form calls each of the choices that it offers.
        group: the part of the documentation that lists it.
    """

    name: str
    type: str
    text: str
    default: Any = None
    choices: tuple[str, ...] = ()
    check: str = ""
    find: str = ""
    flag: str = ""
    long: str = ""
    metavar: str | None = None
    help: str = ""
    short: bool = False
    label: str = ""
    words: tuple[tuple[str, str], ...] = ()
    group: str = ""

    @property
    def flags(self) -> list[str]:
        """List the spellings on the command line."""
        return [self.long or f"--{self.name.replace('_', '-')}", *([self.flag] if self.flag else [])]

    @property
    def usage(self) -> str:
        """Return its meaning as the help of the command has it, without Markdown."""
        text = self.help or self.text.replace("`", "").replace('"', "")
        return text[0].upper() + text[1:]

    @property
    def spelling(self) -> str:
        """Return the spelling that sentences use: a short word, or else the name."""
        return self.flag if self.flag.startswith("--") else self.flags[0]

    @property
    def types(self) -> list[str]:
        """List the types that it takes."""
        return re.split(r" \| (?![^\[]*\])", self.type)

    @property
    def annotation(self) -> str:
        """Return its type as a signature has it, with the words that it takes one by one."""
        words = f"Literal[{', '.join(map(repr, self.choices))}]"
        types = [words if self.choices and kind == "str" else kind for kind in self.types]
        return " | ".join([*types, "None"] if self.default is None else types)

    @property
    def optional(self) -> bool:
        """Return whether it may be None."""
        return self.annotation.endswith(" | None")

    def refuse_wrong(self, value: Any, name: str = "") -> None:
        """Raise if a value is wrong for every data set. The error calls the option by a name, by default its own."""
        from at_k.validation import KINDS, check_choice, check_flag, check_kind

        if value is self.default or (value is None and self.optional):
            return
        if not self.choices and KINDS.keys() >= {*self.types}:
            check_kind(name or self.name, value, self.types)
        if self.check:
            resolve_name(self.check)(value=value, name=name or self.name)
        elif self.find:
            resolve_name(self.find)(value)
        elif self.choices:
            check_choice(name or self.name, value, self.choices)
        elif isinstance(self.default, bool):
            check_flag(name or self.name, value)


def check_tests(value: Any, name: str) -> None:
    """Raise for a name that is none of `EXTRA_TESTS`."""
    from at_k.validation import check_choice

    for word in [value] if isinstance(value, str) else value:
        check_choice(name, word, EXTRA_TESTS)
