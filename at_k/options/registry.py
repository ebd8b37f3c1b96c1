"""Every option, read from `options.toml`, and the groups that functions take: checked, completed, and described.

A section of the file is a group. The group of an option is a part of the documentation: that of its section, or its
own. `like` names an option that it repeats but for what it says itself; `choices` names a tuple of this file.
From here come the signatures and docstrings of the functions in Python (`takes`), the flags of the command with their
help, the "Inputs" of the cards, the table of the README, and the types that editors complete (`make texts`).
"""

from __future__ import annotations

import difflib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from pkgutil import resolve_name
from textwrap import wrap
from typing import Any, Literal, TypeVar, cast, get_args

from at_k.errors import OTHER_NAMES, explain_absent, explain_name, quote_word, write_install

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

Method = Literal["beta", "t", "wald", "wilson"]
# Methods that make an interval of a standard error.
METHODS: tuple[str, ...] = get_args(Method)


DifferenceMethod = Literal["sign-flip", "bounded"]
# Methods that make the interval of a difference.
DIFFERENCE_METHODS: tuple[str, ...] = get_args(DifferenceMethod)

# Units of equal weight where several benchmarks are pooled.
POOL_BY = ("benchmark", "problem")

# Further tests of a paired comparison.
EXTRA_TESTS = ("t", "wilcoxon")

# Treatments of problems that not all models were measured on.
UNMATCHED_WORDS = ("error", "drop", "unpaired")

# How grades beside several references become one.
REDUCE = ("best", "mean", "vqa")

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
        card: its meaning in a few words, for the card of a metric, in English and in Chinese.
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
    card: tuple[str, ...] = ()

    @property
    def flags(self) -> list[str]:
        """List the spellings on the command line."""
        return [
            self.long or f"--{self.name.replace('_', '-')}",
            *([self.flag] if self.flag else []),
        ]

    @property
    def usage(self) -> str:
        """Return its meaning as the help of the command has it, without Markdown."""
        text = self.help or self.text.replace("`", "").replace('"', "")
        return text[0].upper() + text[1:]

    @property
    def spelling(self) -> str:
        """Return the spelling that sentences use: a short word, or else the name."""
        if self.flag.startswith("--"):
            return self.flag
        return self.flags[0]

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


def check_program_tests(value: Any, name: str) -> None:
    """Raise for what is neither a word nor a file."""
    if value not in PROGRAM_TESTS and not Path(value).is_file():
        words = ", ".join(map(repr, PROGRAM_TESTS))
        raise ValueError(f"`{name}` must be one of {words}, or the path of a file; got {value!r}")


_SECTIONS: dict[str, dict[str, Option]] = {}


def _declare(name: str, fields: dict[str, Any]) -> Option:
    """Make an option of its entry in the file."""
    for key, value in fields.items():
        if isinstance(value, str):  # where a text was wrapped, there is a space
            fields[key] = re.sub(
                r"\{install:(\w+)\}", lambda match: write_install(match[1]), " ".join(value.split())
            )
        elif isinstance(value, list):
            fields[key] = tuple(value)
    if isinstance(fields.get("choices"), str):
        fields["choices"] = globals()[fields["choices"]]
    if "words" in fields:
        fields["words"] = tuple(fields["words"].items())
    section, _, like = fields.pop("like", "").partition(".")
    if section:
        return replace(_SECTIONS[section][like], **fields)
    return Option(name, **fields)


for _section, _entries in read_toml(__file__, "options.toml").items():
    _group = _entries.pop("group", "")
    _SECTIONS[_section] = {
        name: _declare(name, fields if "like" in fields else {"group": _group, **fields})
        for name, fields in _entries.items()
    }

# The columns that modules take.
COLUMNS = _SECTIONS["columns"]

READING, JUDGING, NUMBERS = _SECTIONS["reading"], _SECTIONS["judging"], _SECTIONS["numbers"]
_SAMPLES = {**READING, **_SECTIONS["samples"]}

_SHARED = {**JUDGING, **_SECTIONS["problems"], **_SECTIONS["intervals"], **_SECTIONS["shown"]}
# The options that all modules have. They say how samples are judged, and what is reported.
SHARED_OPTIONS, JUDGING_OPTIONS = tuple(_SHARED), tuple(JUDGING)


def _leave_out(options: Mapping[str, Option], *names: str) -> dict[str, Option]:
    return {name: option for name, option in options.items() if name not in names}


# The options of all modules. In `evaluate.combine`, which passes the same options to all of its modules, each leaves
# out those of the others.
OPTIONS = _leave_out(NUMBERS, "metrics") | _SHARED

_OF_SCORE = _SECTIONS["scoring"]
_LAST = {name: _OF_SCORE[name] for name in ("seed", "audited")}
# The options of `at_k.score`.
SCORING = {
    **_leave_out(NUMBERS, "weights"),
    **JUDGING,
    **_leave_out(_OF_SCORE, *_LAST),
    **_SAMPLES,
    **_LAST,
}

# Options that change the values of problems. They are for data that are not scored yet.
SCORED = _leave_out(SCORING, "groups", "seed", "audited", *_SECTIONS["intervals"])

# Options that change the values of problems, without those that choose the values.
JUDGED = _leave_out(SCORED, "metrics", "k", "thresholds")

# The options that say which counts a pilot has.
PILOT = {**JUDGING, **_SAMPLES}

_COUNTED = ("groups", "on_conflict", "select", "score_weights", "higher_is_better", "seed")
# The options of `at_k.Tally.of`: those that act on samples, which a tally does not keep.
TALLYING = {
    **_SECTIONS["tallying"],
    **JUDGING,
    **{name: SCORING[name] for name in _COUNTED},
    **_SAMPLES,
}

# The options of `at_k.compare`, `rank`, `compare_benchmarks`, `gate` and `plan`, beside those of data.
COMPARING, RANKING, POOLING, GATING, PLANNING = (
    _SECTIONS[name] for name in ("comparing", "ranking", "pooling", "gating", "planning")
)

# Options that no command has, or that it takes in another form.
OF_PYTHON = {
    *(
        "select",
        "score_weights",
        "higher_is_better",
        "seed",
        "names",
        "data",
        "spread",
        "power",
        "correlation",
    ),
}

# Option of the library → its spelling in the command.
FLAGS = {
    option.name: option.spelling
    for options in (GATING, PLANNING, COMPARING, SCORING, TALLYING)
    for option in options.values()
    if option.name not in OF_PYTHON
}


def write_flags(settings: Mapping[str, Any]) -> str:
    """Write options with their values, as the command takes them.

    Examples:
        >>> print(write_flags({"where": {"model": "a b", "id": {"!=": 3}}, "k": [1, 4], "concat": True}))
        --where 'model=a b' --where 'id!=3' --k 1,4 --concat
        >>> print(write_flags({"where": {"thinks": [True, False]}}))
        --where thinks=true --where thinks=false
    """
    from at_k.validation import list_parts

    words = []
    for name, value in settings.items():
        texts = []
        if isinstance(value, Mapping):
            for key, wanted in value.items():
                if isinstance(wanted, Mapping):
                    sign = "!="
                    parts = wanted["!="]
                else:
                    sign, parts = "=", wanted
                texts += [f"{key}{sign}{_write_part(part)}" for part in list_parts(parts)]
            if name == "columns":
                texts = [",".join(texts)]
        elif name == "pool":
            texts = list_parts(value)
        elif value is not None and not isinstance(value, bool):
            text = ",".join(map(str, list_parts(value)))
            texts = [text.replace("_", "-") if name == "target" else text]
        words += [FLAGS[name]] * (value is True) + [
            f"{FLAGS[name]} {quote_word(text)}" for text in texts
        ]
    return " ".join(words)


def _write_part(part: object) -> str:
    """Write what a column is compared with, a truth value as JSON does: so it is read."""
    if part is None:
        return ""
    if isinstance(part, bool):
        return str(part).lower()
    return str(part)


Function = TypeVar("Function", bound=Callable[..., Any])


def takes(*groups: Mapping[str, Option]) -> Callable[[Function], Function]:
    """Give a function with `**options` a signature and a docstring that name every option of these groups."""
    options = {name: option for group in groups for name, option in group.items()}

    options = sort_options(options)
    words = {option.spelling.strip("-").replace("-", "_"): name for name, option in options.items()}

    def declare(function: Function) -> Function:
        @wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            try:
                return function(*args, **rename(given, words))
            except ModuleNotFoundError as error:
                raise explain_absent(error, f"`{function.__name__}`, of these data,") from None

        sign(call, options)
        return cast("Function", call)

    return declare


def rename(given: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """Call options, some of which may be called as in the command, by their names.

    Examples:
        >>> rename({"by": "level", "k": 1}, {"by": "groups"})
        {'groups': 'level', 'k': 1}
    """
    renamed: dict[str, Any] = {}
    for word, value in given.items():
        name = words.get(word, word)
        if word != name and name in given:
            raise TypeError(f"`{word}` and `{name}` are the same option; give one of them")
        renamed[name] = value
    return renamed


def sign(function: Any, options: Mapping[str, Option]) -> None:
    """Let the signature and the docstring of a function name every option that it takes as `**options`."""
    signature = inspect.signature(function)
    positional = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in options
    ]
    named = [
        inspect.Parameter(
            option.name,
            signature.parameters[option.name].kind
            if option.name in signature.parameters
            else inspect.Parameter.KEYWORD_ONLY,
            default=option.default,
            annotation=option.annotation,
        )
        for option in options.values()
    ]
    function.__signature__ = signature.replace(parameters=[*positional, *named])
    # Python 3.13 removes the indentation of docstrings, and earlier versions do not.
    described = inspect.cleandoc(function.__doc__ or "")
    function.__doc__ = described.replace(_PLACE, describe_options(options.values()), 1)
    function.options = options


# The line of a docstring that the descriptions of the options replace.
_PLACE = "    given: see below.\n"


# The options that people use first; signatures and docstrings begin with them.
FIRST = (
    *("metrics", "k", "groups", "check_correct_fn", "extract_fn", "correct_above", "missing"),
    *("confidence_level", "columns", "where"),
)


def sort_options(options: Mapping[str, Option]) -> dict[str, Option]:
    """Sort options: those that people use first, and then the others as they are."""
    first = {name: options[name] for name in FIRST if name in options}
    return {**first, **options}


def describe_options(options: Iterable[Option]) -> str:
    """Describe options as the "Args" of a docstring: those that people use first, and then the others by groups."""
    parts: dict[str, list[Option]] = {}
    for option in options:
        group = option.group or "How it is computed"
        parts.setdefault("" if option.name in FIRST else group, []).append(option)
    text = "".join(map(_describe, parts.pop("", [])))
    for group, listed in parts.items():
        text += f"\n{group}, further options:\n" + "".join(map(_describe, listed))
    return text


def _describe(option: Option) -> str:
    """Describe an option, with the word of the command that is taken as well."""
    word = option.spelling.strip("-").replace("-", "_")
    if word == option.name:
        also = ""
    else:
        also = f" (or `{word}`)"
    text = option.text.replace("{default_k}", "values that suit the metric")
    lines = wrap(
        f"{option.name}{also}: {text}", 108, initial_indent=" " * 4, subsequent_indent=" " * 8
    )
    return "".join(f"{line}\n" for line in lines)


def complete(options: Mapping[str, Any], function: Any, of: str = "") -> dict[str, Any]:
    """Return all options of a function that `takes` some: those that are given, and the defaults of the others."""
    known: Mapping[str, Option] = function.options
    check_options(options, known, of=of or function.__name__)
    return {name: options.get(name, option.default) for name, option in known.items()}


def check_options(
    given: Mapping[str, Any], known: Mapping[str, Option] = OPTIONS, *, of: str = ""
) -> None:
    """Raise for an option that is not known, and for a value that is wrong for every data set."""
    # By default the options of all modules are known, so that `evaluate.combine` fails before one of its modules has
    # computed.
    from at_k.validation import shorten

    for name, value in given.items():
        if of and name in ("answers", *COLUMNS):
            raise TypeError(
                f"`{name}` is a column of the data of `{of}`, and no option: give {{'{name}': …}}"
            )
        if name not in known:
            place = ""
            if of:
                place = f" of `{of}`"
            said = ""
            if OTHER_NAMES.get(name, "thresholds") in known:
                said = explain_name(name)
            if said:
                raise TypeError(f"Unknown option `{name}`{place}: {said}; got {shorten(value)}")
            near = difflib.get_close_matches(name, known, 1)
            guess = ""
            if near:
                guess = f"Did you mean `{near[0]}`? "
            listed = ", ".join(known)
            raise TypeError(
                f"Unknown option `{name}`{place}; got {shorten(value)}. {guess}The options are {listed}"
            )
        known[name].refuse_wrong(value)


def check_config(config_name: object) -> str:
    """Return the name of a configuration; "default" for None."""
    from at_k.validation import shorten

    if config_name is None:
        return "default"
    if config_name not in CONFIGS:
        known = ", ".join(map(repr, CONFIGS))
        raise ValueError(f"`config_name` must be one of {known}; got {shorten(config_name)}")
    return str(config_name)


def refuse_unknown_columns(given: Mapping[str, object]) -> None:
    """Raise for a column that no module has."""
    from at_k.validation import shorten

    for name, value in given.items():
        if name not in COLUMNS:
            raise TypeError(
                f"Unknown column `{name}`; got {shorten(value)}. The columns are {', '.join(COLUMNS)}"
            )


# Documents


def write_docstring(
    inputs: Iterable[Option], outputs: Mapping[str, str], examples: str, defaults: Mapping[str, str]
) -> str:
    """Write the docstring of a module; `defaults` says, metric by metric, which k are taken if none are given."""
    lines = [
        "Args:",
        *(
            f"    {option.name}{spell_types(option)}: {describe_option(option, defaults)}"
            for option in inputs
        ),
        "Returns:",
        *(f"    {key}: {text}" for key, text in outputs.items()),
    ]
    return "\n".join(["", *(wrap_item(line, " " * 8) for line in lines), "Examples:", examples])


def wrap_item(text: str, indent: str) -> str:
    """Wrap an item of a list, so that no line but the first begins with a sign that would begin an item."""
    kept = re.sub(r" (?=([-+*=>#|]|\d+[.)]) )", "\0", text)
    lines = wrap(
        kept, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace("\0", " ")


def spell_types(option: Option) -> str:
    """Spell the types that an option takes, in Markdown; nothing for one that comprises several options."""
    types = [f"`{kind}`" for kind in option.types if kind]
    listed = " or ".join([", ".join(types[:-1]), types[-1]] if len(types) > 1 else types)
    if listed:
        return f" ({listed})"
    return ""


def describe_option(option: Option, defaults: Mapping[str, str]) -> str:
    """Describe an option as some metrics take it, with its default."""
    default = ""
    if option.default is not None:
        default = f" Default: `{spell_value(option.default)}`."
    return fill_in(option.text, defaults) + default


def fill_in(text: str, defaults: Mapping[str, str]) -> str:
    """Replace `{default_k}` by the k that metrics take if they are given none. They are named where they differ."""
    takers: dict[str, list[str]] = {}
    for name, draws in defaults.items():
        takers.setdefault(draws, []).append(f"`{name}`")
    listed = [f"for {', '.join(names)} {draws}" for draws, names in takers.items()]
    return text.replace(
        "{default_k}", "; ".join(listed) if len(takers) > 1 else next(iter(takers), "")
    )


def spell_value(value: object) -> str:
    """Spell a default as JSON does, but True and False as Python does."""
    if isinstance(value, bool):
        return str(value)
    return json.dumps(value)
