"""The options that several commands share, the values that their texts mean, and the library's words as flags."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from math import nan
from pkgutil import resolve_name
from typing import Annotated, Any, Literal

import typer

import at_k
from at_k.errors import InputError, Message, Spelling
from at_k.options.registry import FLAGS, OF_PYTHON, READ, TARGETS, Option, write_flags

# Arguments of Python that are no options there → their flags.
_ARGUMENTS = {"base": "--against"}


class Flags(Spelling):
    """Spell options as flags. An option that the command does not have is spelled as in Python.

    Examples:
        >>> print(Flags().set({"where": {"model": "a b"}, "columns": {"answers": None}}))
        `--where 'model=a b' --columns answers=`
    """

    def name(self, option: str) -> str:
        """Spell the name of an option."""
        flag = FLAGS.get(option) or _ARGUMENTS.get(option)
        if flag is not None:
            return f"`{flag}`"
        return super().name(option)

    def set(self, settings: Mapping[str, Any]) -> str:
        """Spell options with their values."""
        flags = write_flags({name: value for name, value in settings.items() if name in FLAGS})
        others = {name: value for name, value in settings.items() if name not in FLAGS}
        return ", ".join([f"`{flags}`"] * bool(flags) + ([super().set(others)] if others else []))


def spell(sentence: str | Message | InputError) -> str:
    """Write a message as the command says it."""
    if isinstance(sentence, str):
        return sentence
    return sentence.render(Flags())


# The panel of the help for options of the command alone; the others are groups of options.
OUTPUT = "What is written"


FORMATS, CHECKERS = "at_k.readers.formats:FORMATS", "at_k.grading.checkers:checkers"


def written(*flags: str, **settings: Any) -> Any:
    """Declare an option of one command that says what is written."""
    return typer.Option(*flags, rich_help_panel=OUTPUT, **settings)


def out_file(text: str, metavar: str = "FILE") -> Any:
    """Declare the option that names what is written."""
    return written("--out", "-o", metavar=metavar, help=text)


def files(metavar: str, text: str) -> Any:
    """Declare the argument of the files that are read."""
    return typer.Argument(metavar=metavar, help=text, show_default=False)


Paths = Annotated[
    list[str],
    files(
        "PATH",
        "A results file, several, a folder, or a pattern such as 'runs/*.jsonl'. Several files hold more samples of "
        "the same problems. Or a report that --out has written as .json, or counts of at-k tally. - is standard input.",
    ),
]
Models = Annotated[
    bool,
    typer.Option(
        "--models",
        help="Each file is a model: a row for each, the best value of each number in bold. For several models in one "
        "file, give that file and --where for each: --where model=a --where model=b.",
        rich_help_panel=READ,
    ),
]


def print_version(wanted: bool) -> None:
    """Print the version, and exit."""
    if wanted:
        typer.echo(f"at-k {at_k.__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")]


FORM = written(
    "--format", help="The form of what is printed: table, json, csv, markdown, latex or html."
)
Form = Annotated[Literal["table", "json", "csv", "markdown", "latex", "html"], FORM]


def show_all(command: Any) -> None:
    """Let the help of a command show the options that `--help` leaves out."""
    for option in command.params:
        option.hidden = False


def print_all(ctx: typer.Context, wanted: bool) -> None:
    """Print the help with every option, and exit."""
    if wanted and not ctx.resilient_parsing:
        show_all(ctx.command)
        typer.echo(ctx.get_help())
        raise typer.Exit


HelpAll = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=print_all, help="Show all options.")
]


def offers(*groups: Mapping[str, Option]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command `--debug`, and the flags of these options. It gets their values, read and checked."""
    # Its `--help` shows those that are `short`, and `--help-all` shows all.
    options: dict[str, Option] = {}
    for group in groups:
        options |= {name: option for name, option in group.items() if name not in OF_PYTHON}

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        def run(*, debug: bool, version: bool, help_all: bool = False, **given: Any) -> None:
            read = {name: read_value(option, given[name]) for name, option in options.items()}
            command(**given | read)

        first, *own = _list_parameters(command)
        flags = [make_flag(option) for option in options.values()]
        always = [_make_switch("debug", Debug), _make_switch("version", Version)]
        if options:
            always.append(_make_switch("help_all", HelpAll))
        parameters = [first, *flags, *own, *always]
        run.__name__ = command.__name__
        run.__doc__ = command.__doc__
        run.__module__ = command.__module__
        run.__annotations__ = {param.name: param.annotation for param in parameters}
        # Typer reads the signature, and `failures` the options. A type checker knows no attributes of a function.
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.options = options  # type: ignore[attr-defined]
        return run

    return declare


def _list_parameters(command: Callable[..., None]) -> Iterator[inspect.Parameter]:
    """List the parameters that a command names, each of which is given by its name."""
    for param in inspect.signature(command, eval_str=True).parameters.values():
        if param.kind is not param.VAR_KEYWORD:
            yield param.replace(kind=param.KEYWORD_ONLY)


def _make_switch(name: str, kind: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)


def leave_out(options: Mapping[str, Option], *names: str) -> dict[str, Option]:
    """Return options without some of them."""
    return {name: option for name, option in options.items() if name not in names}


def make_flag(option: Option) -> inspect.Parameter:
    """Make the parameter of a command for an option: a number, a word, or a text that is read later."""
    kind: Any = _KINDS.get(option.name) or _PLAIN.get(option.type)
    if kind is None:
        kind = str
        if option.choices:
            kind = Literal[option.choices]
        elif re.search("list|dict", option.type):
            kind = list[str]
    default = None
    annotation = kind | None
    if isinstance(option.default, (str, int, float)):
        default = str(option.default) if kind is str else option.default
        annotation = kind
    settings = typer.Option(
        *option.flags,
        metavar=option.metavar,
        min=1 if kind is int else None,
        help=option.usage,
        hidden=not option.short,
        rich_help_panel=option.group,
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[annotation, settings],
    )


# Types of options that Typer reads.
_PLAIN = {"int": int, "float": float, "bool": bool}


def read_value(option: Option, given: Any) -> Any:
    """Read what was given for an option."""
    default = option.default
    if given is None or given == default or (default is not None and given == str(default)):
        return default
    read = _READERS.get(option.name)
    value = given
    if read is not None and isinstance(given, (str, list)):
        value = read(given)
    if value is None:
        return None if option.optional else default
    try:
        option.refuse_wrong(value, option.spelling)
    except (TypeError, ValueError) as error:
        way_on = ""
        if option.name in (*_SHARES, "confidence_level"):
            way_on = f". {_ASK}."
        raise typer.BadParameter(
            (spell(error) if isinstance(error, InputError) else str(error)) + way_on
        ) from None
    return value


def refuse(option: str, sentence: str) -> typer.BadParameter:
    """Make the error for an option whose value is wrong; Typer prints it, and exits with 2."""
    return typer.BadParameter(sentence, param_hint=f"'{option}'")


def read_metrics(texts: Sequence[str] | None) -> list[str] | None:
    """Read the names of metrics, as modules or papers spell them.

    Examples:
        >>> read_metrics(["pass@k,accuracy", "gpassk"])
        ['pass@k', 'accuracy', 'gpassk']
    """
    from at_k.report.naming import find_metrics

    try:
        if texts:
            return list(find_metrics(_split(texts)))
        return None
    except InputError as error:
        raise refuse("--metrics", spell(error)) from None


def read_numbers(option: str, texts: Sequence[str] | None) -> list[int] | None:
    """Read positive whole numbers.

    Examples:
        >>> read_numbers("--problems", ["100,300"]), read_numbers("--problems", None)
        ([100, 300], None)
    """
    numbers = _split(texts)
    for text in numbers:
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
            raise refuse(option, f"Give positive whole numbers, such as 1,4,16; got {text!r}.")
    return sorted(set(map(int, numbers))) or None


_ASK = "Give a share such as 0.05 or 5%"


def read_share(option: str, text: str, low: float = -1) -> float | Fraction:
    """Read a share, as a decimal, a fraction or in percent.

    Examples:
        >>> read_share("--half-width", "2%"), read_share("--detect", "0.05"), read_share("--thresholds", "2/3", 0)
        (0.02, 0.05, Fraction(2, 3))
    """
    number = text.strip().removesuffix("%").strip()
    try:
        share = Fraction(number) if number != text.strip() or "/" in number else float(number)
    except (ValueError, ZeroDivisionError):
        share = nan
    share = float(share / 100) if number != text.strip() else share
    if not low <= share <= 1:
        meant = f" Did you mean {text}%?" if 1 < share <= 100 else ""
        raise refuse(option, f"{_ASK}; got {text!r}.{meant}")
    return share


def read_cut(text: str) -> float | str:
    """Read the cut of grades, or a text such as ">=0.8".

    Examples:
        >>> read_cut("80%"), read_cut(">=0.8"), read_cut("≥ 4/5")
        (0.8, '>=0.8', '>=0.8')
    """
    number = re.sub(r"^\s*(>=|≥)", "", text)
    cut = float(read_share("--correct-above", number))
    if number == text:
        return cut
    return f">={cut}"


def _read_decimal(name: str, text: str) -> float:
    return float(read_share(FLAGS[name], text))


def read_taus(texts: str | Sequence[str]) -> float | Fraction | list[float | Fraction] | None:
    """Read the thresholds of G-Pass@k, or the one that a plan takes.

    Examples:
        >>> read_taus(["0.5,2/3", "1"]), read_taus("2/3")
        ([0.5, Fraction(2, 3), 1.0], Fraction(2, 3))
    """
    if isinstance(texts, str):
        return read_share("--thresholds", texts, 0)
    return (
        list(dict.fromkeys(read_share("--thresholds", text, 0) for text in _split(texts))) or None
    )


def read_scale(text: str) -> tuple[float, ...] | None:
    """Read the worst and the best grade.

    Examples:
        >>> read_scale("-1,1")
        (-1.0, 1.0)
    """
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        raise refuse("--scale", f"Give two numbers, such as -1,1 or 0,100; got {text!r}.") from None


def read_columns(texts: Sequence[str] | None) -> dict[str, str | None]:
    """Read role=column pairs. A comma separates two pairs only before a role, since columns may have commas.

    Examples:
        >>> read_columns(["problem=qid, grades=is, or not,right", "scores="])
        {'problem': 'qid', 'grades': 'is, or not,right', 'scores': None}
    """
    from at_k.readers.samples import COUNT_ROLES, FURTHER_ROLES, ROLES

    roles = (*ROLES, *COUNT_ROLES, *FURTHER_ROLES)
    pairs: dict[str, str | None] = {}
    for text in texts or ():
        for pair in re.split(rf",\s*(?=(?:{'|'.join(roles)})=)", text):
            role, sign, column = pair.partition("=")
            if not sign or role.strip() not in roles:
                if sign:
                    near = get_close_matches(role.strip(), roles, 1)
                else:
                    near = ["grades"]
                meant = ""
                if near:
                    meant = f" Did you mean {near[0]}={column or pair}?"
                raise refuse(
                    "--columns",
                    f"Give ROLE=COLUMN, with a role of {', '.join(roles)}; got {pair!r}.{meant}",
                )
            if column == "none" and role.strip() == "sample":
                pairs[role.strip()] = None
            else:
                pairs[role.strip()] = column or None
    return pairs


def read_where(texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Read column=value pairs; several of one column keep the rows with any of the values.

    Examples:
        >>> read_where(["model=a", "model=b", "split=test"])
        {'model': ['a', 'b'], 'split': ['test']}
        >>> read_where(["id!=Total"])
        {'id': {'!=': ['Total']}}
    """
    wanted: dict[str, Any] = {}
    unwanted: dict[str, list[str]] = {}
    for text in texts or ():
        match = re.fullmatch(r"(.+?)(!=| not in |=)(.*)", text, re.DOTALL)
        if match is None:
            raise refuse(
                "--where", f"Give COLUMN=VALUE, such as model=a, or COLUMN!=VALUE; got {text!r}."
            )
        if match[2] == " not in ":
            values = match[3].split(",")
        else:
            values = [match[3]]
        if match[2] == "=":
            wanted.setdefault(match[1], []).extend(values)
        else:
            unwanted.setdefault(match[1], []).extend(values)
    both = sorted(wanted.keys() & unwanted.keys())
    if both:
        raise refuse("--where", f"Give values of {both[0]!r} either to keep or to leave out.")
    return wanted | {column: {"!=": values} for column, values in unwanted.items()} or None


def read_conditions(texts: Sequence[str] | None) -> tuple[str, dict[str, Any] | None]:
    """Tell a condition on problems from the rows to read; several conditions hold together.

    Examples:
        >>> read_conditions(["model=a", "avg >= 0.5", "pass@4 < 1"])
        ('avg >= 0.5 and pass@4 < 1', {'model': ['a']})
    """
    conditions = [text for text in texts or () if not is_of_rows(text)]
    rows = [text for text in texts or () if is_of_rows(text)]
    return " and ".join(conditions), read_where(rows)


def is_of_rows(text: str) -> bool:
    """Return whether a text chooses rows by a column, and not problems by their numbers.

    Examples:
        >>> is_of_rows("model=a>b"), is_of_rows("id!=Total"), is_of_rows("cons@8 == 1"), is_of_rows("avg = 1")
        (True, True, False, False)
    """
    from at_k.report.naming import find_key

    match = re.match(r"([^<>=!]+?)(=(?!=)|!=| not in )", text)
    return match is not None and find_key(match[1].strip()) is None


def read_name(option: str, kind: str, path: str, name: str) -> str:
    """Return a name, after a check that there is something of this kind that is called so."""
    known = resolve_name(path)
    if name not in known and ".py" in name:
        raise refuse(
            option,
            "A function of your own is given in Python: at_k.score(path, check_correct_fn=check).",
        )
    if name not in known:
        near = get_close_matches(name.lower(), known, 1)
        meant = ""
        if near:
            meant = f"Did you mean {near[0]}? "
        raise refuse(
            option, f"There is no {kind} {name!r}. {meant}The {kind}s are: {', '.join(known)}."
        )
    return name


def _split(texts: Iterable[str] | None) -> list[str]:
    return [part.strip() for text in texts or () for part in text.split(",") if part.strip()]


# The options that are shares, which may be given in percent.
_SHARES = ("half_width", "detect", "margin", "expect")

# The types of the command, where they do not follow from those of Python.
_KINDS = {
    **dict.fromkeys((*_SHARES, "confidence_level"), str),
    "groups": str,
    "clusters": str,
    "exclude": str,
    "policy": str,
    "correct_above": str,
    "target": Literal[tuple(target.replace("_", "-") for target in TARGETS)],
}

# Option → what turns its text, or texts, into its value.
_READERS: dict[str, Callable[[Any], Any]] = {
    **{name: partial(_read_decimal, name) for name in _SHARES},
    "metrics": read_metrics,
    "correct_above": read_cut,
    "k": partial(read_numbers, "--k"),
    "thresholds": read_taus,
    "problems": partial(read_numbers, "--problems"),
    "samples": partial(read_numbers, "--samples"),
    "confidence_level": lambda text: (
        None if text == "none" else _read_decimal("confidence_level", text)
    ),
    "target": lambda text: text.replace("-", "_"),
    "columns": read_columns,
    "scale": read_scale,
    "where": read_where,
    "correct": _split,
    "wrong": _split,
    "unjudged": _split,
    "format": partial(read_name, "--input-format", "format", FORMATS),
    "check_correct_fn": partial(read_name, "--check", "checker", CHECKERS),
}
