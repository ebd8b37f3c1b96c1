"""The options that several commands share, and the values that their texts stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import typer

from at_k.cli.words import name_options

READING, JUDGING, NUMBERS, OUTPUT = "What is read", "What is correct", "What is computed", "What is written"
"""The panels of the help."""


def complete_metrics(incomplete: str) -> list[str]:
    """List the metrics whose names begin like this, for the shell."""
    from at_k.family import METRICS

    return [name for name in METRICS if name.startswith(incomplete)]


def complete_formats(incomplete: str) -> list[str]:
    """List the formats whose names begin like this, for the shell."""
    from at_k.readers.formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def complete_checkers(incomplete: str) -> list[str]:
    """List the checkers whose names begin like this, for the shell."""
    from at_k.grading.checkers import checkers

    return [name for name in checkers if name.startswith(incomplete)]


def check_checker(name: str) -> str:
    """Return the name of a checker, after a check that there is such a checker."""
    from at_k.grading.checkers import checkers

    if name not in checkers:
        raise typer.BadParameter(f"There is no checker {name!r}. The checkers are: {', '.join(checkers)}.")
    return name


def check_share(value: float | None) -> float | None:
    """Return a number between 0 and 1, both excluded, such as a confidence level; None if it is not given."""
    if value is not None and not 0 < value < 1:
        raise typer.BadParameter(f"Give a number between 0 and 1; got {value:g}.")
    return value


def check_tests(names: list[str] | None) -> list[str]:
    """Return the names of further tests of a comparison."""
    from at_k.analysis.comparison import EXTRA_TESTS

    for name in names or ():
        if name not in EXTRA_TESTS:
            raise typer.BadParameter(f"There is no test {name!r}. The tests are: {', '.join(EXTRA_TESTS)}.")
    return names or []


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="A results file, several, a folder, or a pattern such as 'runs/*.jsonl'. Several files hold more samples "
        "of the same problems. Or a report that --save has written. - is standard input.",
        show_default=False,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=COLUMN,...",
        help="What columns are called: problem=qid,grades=ok. An empty name is for no column: scores=",
        rich_help_panel=READING,
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        help="Keep only the rows with this value. Given again for the same column, the rows with any of the values.",
        rich_help_panel=READING,
    ),
]
Pool = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column, such as run or model, whose rows are all samples of one model; file if each file is a run.",
        rich_help_panel=READING,
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="The column, or field of the metadata, whose values are the groups; none for no groups.",
        rich_help_panel=READING,
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The format of the files, if their content does not show it; at-k formats lists all.",
        autocompletion=complete_formats,
        rich_help_panel=READING,
    ),
]
Scorer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Whose grades to take, where a harness wrote several; a note says what was taken.",
        rich_help_panel=READING,
    ),
]
Filter = Annotated[
    str | None,
    typer.Option(
        "--filter",
        metavar="NAME",
        help="Whose answers to take, where a harness wrote several; a note says what was taken.",
        rich_help_panel=READING,
    ),
]
Tests = Annotated[
    Literal["base", "plus"] | None,
    typer.Option(help="Which tests of EvalPlus a program must pass.", rich_help_panel=READING),
]
Errors = Annotated[
    Literal["raise", "skip"],
    typer.Option(
        help="raise stops at what is broken in a file, skip leaves it out and counts it.", rich_help_panel=READING
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="gpassk, pass_at_k, cons_at_k, avg_at_n or best_at_k, or as papers write them, such as pass@k. By default "
        "all that the data allow.",
        autocompletion=complete_metrics,
        rich_help_panel=NUMBERS,
    ),
]
Draws = Annotated[
    list[str] | None,
    typer.Option(
        "--k",
        "-k",
        metavar="K,...",
        help="How many of the n samples are drawn: 1,4,16. By default powers of 2 up to n; for G-Pass@k 4, 8 and 16.",
        rich_help_panel=NUMBERS,
    ),
]
Taus = Annotated[
    list[str] | None,
    typer.Option(
        metavar="T,...",
        help="Thresholds of G-Pass@k, the share of the k draws that must be correct: 0.5,2/3,1.",
        rich_help_panel=NUMBERS,
    ),
]
Missing = Annotated[
    Literal["error", "incorrect", "drop"],
    typer.Option(
        metavar="RULE",
        help="What happens to a sample that is missing. error: nothing is computed. incorrect: it counts as wrong. "
        "drop: it is left out.",
        rich_help_panel=JUDGING,
    ),
]
Ties = Annotated[
    Literal["random", "first", "strict", "incorrect"],
    typer.Option(
        metavar="RULE",
        help="Which answer wins if several have the most votes. random: each with the same chance. first: at k "
        "= n the one that was given first, else as random. strict: none with half of the votes or fewer. incorrect: "
        "none in a tie.",
        rich_help_panel=NUMBERS,
    ),
]
Conflict = Annotated[
    Literal["error", "majority"],
    typer.Option(
        help="Equal answers of a problem with different grades: error leaves out cons@k and says so, majority lets "
        "most of them decide.",
        rich_help_panel=NUMBERS,
    ),
]
Threshold = Annotated[
    float,
    typer.Option(metavar="X", help="A sample is correct if its grade is above X.", rich_help_panel=JUDGING),
]
Extract = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="How an answer is found in each sample: boxed, last_number, choice, final_answer, or a regular expression "
        "with a group.",
        rich_help_panel=JUDGING,
    ),
]
ExtractReference = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="How an answer is found in each reference; by default as in samples. text: the whole reference.",
        rich_help_panel=JUDGING,
    ),
]
Check = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        callback=check_checker,
        help="What decides whether an answer is correct: exact_match, numeric, choice, math, code (which runs "
        "programs) or another checker; a wrong name lists all.",
        autocompletion=complete_checkers,
        rich_help_panel=JUDGING,
    ),
]
Equivalence = Annotated[
    Literal["exact", "numeric", "math", "quasi_exact", "choice"],
    typer.Option(
        metavar="NAME",
        help="Which answers are the same, and vote together: exact, numeric, math, quasi_exact or choice.",
        rich_help_panel=JUDGING,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Processes for slow checkers; by default one for each core.", rich_help_panel=JUDGING
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="S",
        help="Seconds of CPU time for one check of a slow checker, or one program.",
        rich_help_panel=JUDGING,
    ),
]
TIMEOUT = 5.0
"""The default of `--timeout`. It is that of the library, which is not imported for the help."""

Confidence = Annotated[
    float,
    typer.Option("--ci", metavar="X", callback=check_share, help="The confidence level.", rich_help_panel=NUMBERS),
]
Level = Annotated[
    str,
    typer.Option(
        "--ci", metavar="LEVEL", help="The confidence level of the intervals, or none.", rich_help_panel=NUMBERS
    ),
]
Target = Annotated[
    Literal["population", "problem-set"],
    typer.Option(
        metavar="TARGET",
        help="What the intervals are about. population: other problems like these. problem-set: other samples of these "
        "problems.",
        rich_help_panel=NUMBERS,
    ),
]
Clusters = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD",
        help="The column, or field of the metadata, whose values say which problems resemble each other; group for the "
        "groups.",
        rich_help_panel=NUMBERS,
    ),
]
CiMethod = Annotated[
    Literal["beta", "t", "wald", "wilson", "clopper-pearson", "bootstrap"],
    typer.Option(
        metavar="METHOD",
        help="How intervals are made. beta holds the truth as often as --ci says; t, wald, wilson, clopper-pearson and "
        "bootstrap do not always, and are for comparison.",
        rich_help_panel=NUMBERS,
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]

_OF_JUDGING = {"missing", "threshold", "extract", "extract_reference", "check", "equivalence", "num_workers", "timeout"}
_OF_READING = {"columns", "where", "pool", "input_format", "scorer", "filter_name", "tests", "errors"}
_OF_SAMPLES = _OF_JUDGING | _OF_READING
OF_SCORING = {
    "score": _OF_SAMPLES | {"metric", "k", "tau", "ties", "on_conflict", "ci", "target", "clusters", "ci_method", "by"},
    "plot": _OF_SAMPLES | {"metric", "tau", "ties", "on_conflict"},
    "compare": _OF_SAMPLES | {"metric", "k", "tau", "ties", "on_conflict", "clusters"},
    "plan": _OF_SAMPLES | {"adaptive"},
    "diagnose": _OF_SAMPLES | {"k", "ties", "on_conflict"},
}
"""Command → its options that need samples, and mean nothing for a report that was saved."""


def refuse(option: str, sentence: str) -> typer.BadParameter:
    """Make the error for an option whose value is wrong; Typer prints it, and exits with 2."""
    return typer.BadParameter(sentence, param_hint=f"'{option}'")


def read_metrics(texts: Sequence[str] | None) -> list[str] | None:
    """Read the names of metrics, as modules or papers spell them.

    Examples:
        >>> read_metrics(["pass@k,accuracy", "gpassk"])
        ['pass_at_k', 'avg_at_n', 'gpassk']
    """
    from at_k.family import FAMILY

    known = {name: name for name in FAMILY}
    for metric in FAMILY.values():
        known |= {output.metric.lower(): metric.name for output in metric.outputs} | {metric.title.lower(): metric.name}
    found = _split(texts)
    for name in found:
        if name.lower() not in known:
            raise refuse("--metric", f"There is no metric {name!r}. The metrics are: {', '.join(FAMILY)}.")
    return list(dict.fromkeys(known[name.lower()] for name in found)) or None


def read_numbers(option: str, texts: Sequence[str] | None) -> list[int] | None:
    """Read positive whole numbers.

    Examples:
        >>> read_numbers("--problems", ["100,300"]), read_numbers("--problems", None)
        ([100, 300], None)
    """
    found = _split(texts)
    for text in found:
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
            raise refuse(option, f"Give positive whole numbers, such as 1,4,16; got {text!r}.")
    return sorted(set(map(int, found))) or None


def read_draws(texts: Sequence[str] | None) -> list[int] | None:
    """Read the k.

    Examples:
        >>> read_draws(["1,4", "16"]), read_draws(None)
        ([1, 4, 16], None)
    """
    return read_numbers("--k", texts)


def read_taus(texts: Sequence[str] | None) -> list[float | Fraction] | None:
    """Read the thresholds of G-Pass@k.

    Examples:
        >>> read_taus(["0.5,2/3", "1"])
        [0.5, Fraction(2, 3), 1.0]
    """
    taus: list[float | Fraction] = []
    for text in _split(texts):
        try:
            tau: float | Fraction = Fraction(text) if "/" in text else float(text)
        except (ValueError, ZeroDivisionError):
            tau = -1.0
        if not 0 <= tau <= 1:
            raise refuse("--tau", f"Give numbers from 0 to 1, such as 0.5,1; got {text!r}.")
        taus.append(tau)
    return list(dict.fromkeys(taus)) or None


def read_level(text: str) -> float | None:
    """Read the level of the intervals.

    Examples:
        >>> read_level("0.9"), read_level("none")
        (0.9, None)
    """
    if text == "none":
        return None
    try:
        level = float(text)
    except ValueError:
        level = -1.0
    if not 0 < level < 1:
        raise refuse("--ci", f"Give a number between 0 and 1, such as 0.95, or none; got {text!r}.")
    return level


def read_tau(text: str | None) -> float | Fraction | None:
    """Read one threshold of G-Pass@k.

    Examples:
        >>> read_tau("2/3"), read_tau(None)
        (Fraction(2, 3), None)
    """
    taus = read_taus(None if text is None else [text]) or []
    if len(taus) > 1:
        raise refuse("--tau", f"Give one number from 0 to 1, such as 0.5; got {text!r}.")
    return taus[0] if taus else None


def read_columns(texts: Sequence[str] | None) -> dict[str, str | None]:
    """Read role=column pairs. A comma separates two pairs only before a role, since columns may have commas.

    Examples:
        >>> read_columns(["problem=qid, grades=is, or not,right", "scores="])
        {'problem': 'qid', 'grades': 'is, or not,right', 'scores': None}
    """
    from at_k.readers import ROLES

    pairs: dict[str, str | None] = {}
    for text in texts or ():
        for pair in re.split(rf",\s*(?=(?:{'|'.join(ROLES)})=)", text):
            role, sign, column = pair.partition("=")
            if not sign or role.strip() not in ROLES:
                raise refuse("--columns", f"Give ROLE=COLUMN, with a role of {', '.join(ROLES)}; got {pair!r}.")
            pairs[role.strip()] = column or None
    return pairs


def read_where(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Read column=value pairs; several of one column keep the rows with any of the values.

    Examples:
        >>> read_where(["model=a", "model=b", "split=test"])
        {'model': ['a', 'b'], 'split': ['test']}
    """
    wanted: dict[str, list[str]] = {}
    for text in texts or ():
        column, sign, value = text.partition("=")
        if not sign or not column:
            raise refuse("--where", f"Give COLUMN=VALUE, such as model=a; got {text!r}.")
        wanted.setdefault(column, []).append(value)
    return wanted or None


def check_format(name: str | None) -> str | None:
    """Return the name of a format, after a check that there is such a format."""
    from at_k.readers.formats import FORMATS

    if name is not None and name not in FORMATS:
        raise refuse("--input-format", f"There is no format {name!r}. The formats are: {', '.join(FORMATS)}.")
    return name


def check_numbers(options: Mapping[str, object]) -> None:
    """Raise for options that are wrong for all data, before any are read."""
    from at_k.arguments import check_options

    try:
        check_options({name: value for name, value in options.items() if value is not None})
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(name_options(str(error))) from None


def _split(texts: Iterable[str] | None) -> list[str]:
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]
