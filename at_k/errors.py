"""Messages for people: sentences that can be translated, with options as a surface spells them, and errors."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeVar, cast

# Argument, as other libraries call it → what it is called here.
OTHER_NAMES = {
    **dict.fromkeys(("tau", "taus"), "thresholds"),
    **dict.fromkeys(("cut", "cutoff", "correct_threshold"), "correct_above"),
    **dict.fromkeys(("ks", "at_k"), "k"),
    **dict.fromkeys(("metric", "metric_names"), "metrics"),
    **dict.fromkeys(("by", "group_by", "groupby"), "groups"),
    **dict.fromkeys(("check", "checker", "correct_fn", "grader"), "check_correct_fn"),
    **dict.fromkeys(("extract", "extractor", "answer_extractor"), "extract_fn"),
    **dict.fromkeys(("ci", "ci_level", "confidence"), "confidence_level"),
    **dict.fromkeys(("n_jobs", "num_proc", "workers", "processes"), "num_workers"),
    **dict.fromkeys(("random_state", "rng"), "seed"),
    "filter_by": "where",
}


def explain_name(name: str, spelling: Spelling | None = None) -> str:
    """Say what an argument is called here; "" for one that has no other name."""
    spell = (spelling or Spelling()).name
    if name == "threshold":
        cut = spell("correct_above")
        shares = spell("thresholds")
        return f"{cut} is the cut of soft grades; {shares} is τ of G-Pass@k"
    if name in OTHER_NAMES:
        return f"it is called {spell(OTHER_NAMES[name])} here"
    return ""


def refuse_other_names(function: str, names: Iterable[str]) -> None:
    """Raise for an argument that is called otherwise here."""
    for name in names:
        said = explain_name(name)
        if said:
            raise TypeError(f"`{function}` has no argument `{name}`: {said}")


# Packages that `pip install .` brings, and that the core can do without.
_OPTIONAL = (
    *(
        "array_api_compat",
        "datasets",
        "evaluate",
        "huggingface_hub",
        "narwhals",
        "pandas",
        "pebble",
    ),
    *("psutil", "pyarrow", "rich", "tomli", "typer"),
)


def explain_absent(error: ModuleNotFoundError, what: str) -> ImportError:
    """Say what installs a package that something needs and the core lacks; other errors stay as they are."""
    package = (error.name or "").partition(".")[0]
    if package not in _OPTIONAL:
        return error
    return ImportError(
        f"{what} needs {package}, and here is the core alone, of NumPy, SciPy and orjson. Run `{write_install()}` in a "
        "clone of at-k, without --no-deps",
        name=package,
    )


Call = TypeVar("Call", bound=Callable[..., Any])


def answer_other_names(function: Call) -> Call:
    """Let a function say what an argument is called here."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        refuse_other_names(function.__name__, given.keys() - known)
        return function(*args, **given)

    return cast("Call", call)


class Spelling:
    """The spelling of options on a surface; this is Python's. In a template it is called `option`.

    Examples:
        >>> print(f"{Spelling():where} and {Spelling():missing=drop}")
        `where` and `missing="drop"`
    """

    def name(self, option: str) -> str:
        """Spell the name of an option."""
        return f"`{option}`"

    def set(self, settings: Mapping[str, Any]) -> str:
        """Spell options with their values."""
        return f"`{Spelling.call(self, settings)}`"

    def call(self, settings: Mapping[str, Any]) -> str:
        """Spell options as they are given to what was called."""
        return ", ".join(f"{name}={write_value(value)}" for name, value in settings.items())

    def __format__(self, settings: str) -> str:
        name, sign, value = settings.partition("=")
        if sign:
            return self.set({name: value})
        return self.name(name)


class Mention:
    """Options that a message mentions: some by their names, others with the values that they should have.

    Examples:
        >>> print(Mention("scorer", "filter"), Mention(where={"model": "a"}), Mention(columns={"grades": None}))
        `scorer`, `filter` `where={"model": "a"}` `columns={"grades": None}`
    """

    def __init__(self, *names: str, **settings: Any) -> None:
        self.names = names
        self.settings = settings

    def render(self, spelling: Spelling) -> str:
        """Spell the options."""
        return ", ".join(
            [
                *map(spelling.name, self.names),
                *([spelling.set(self.settings)] if self.settings else []),
            ]
        )

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self.names, self.settings

    def __str__(self) -> str:
        return self.render(Spelling())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mention) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]  # its settings may be lists


def write_value(value: Any) -> str:
    """Write a value as Python does, with texts in the quotes of JSON."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{write_value(name)}: {write_value(item)}' for name, item in value.items())}}}"
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


# What `pip install` finds this package by: the folder of a clone, until the package is on an index. A Space has its own
# address here.
PACKAGE = "."


def write_install(extra: str = "") -> str:
    """Write the line that installs the package with an extra.

    Examples:
        >>> write_install("math")
        'pip install ".[math]"'
    """
    if not extra:
        return f"pip install {PACKAGE}"
    if PACKAGE == ".":
        return f'pip install ".[{extra}]"'
    return f'pip install "at-k[{extra}] @ {PACKAGE}"'


def quote_word(word: str) -> str:
    """Quote a word where a shell would not take it as it is.

    Examples:
        >>> quote_word("problem=qid"), quote_word("problem=Task ID"), quote_word("grades=é")
        ('problem=qid', "'problem=Task ID'", 'grades=é')
    """
    if re.fullmatch(r"[\w@%+=:,./^*-]+", word):
        return word
    return shlex.quote(word)


class Message:
    """A sentence in English, with a code by which a translator can find it.

    Args:
        code: a dotted name, such as "tables.fields"; no two sentences share one.
        sentence: a template for `str.format`. An option is written `{option:missing}` or `{option:missing=drop}`.
        values: what the template is filled in with. A value may be a message itself, or a `Mention` of options.

    Examples:
        >>> message = Message("k.too_large", "k = {k} is more than n = {n}.", k=8, n=4)
        >>> str(message), message.code, message.values["k"]
        ('k = 8 is more than n = 4.', 'k.too_large', 8)
    """

    def __init__(self, code: str, sentence: str, /, **values: Any) -> None:
        self.code = code
        self.sentence = sentence
        self.values = values

    def render(self, spelling: Spelling, *, brief: bool = False) -> str:
        """Write the sentence with options as a surface spells them; if brief, without the ways behind a line break."""
        values = {
            name: value.render(spelling) if isinstance(value, Mention) else value
            for name, value in self.values.items()
        }
        for name, value in self.values.items():
            if isinstance(value, Message):
                values[name] = value.render(spelling, brief=brief)
        if brief:
            template = self.sentence.partition("\n")[0]
        else:
            template = self.sentence.replace("\n", " ")
        return template.format(option=spelling, **values)

    def __str__(self) -> str:
        return self.render(Spelling())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.code, self.sentence, self.values) == (other.code, other.sentence, other.values)

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.code, self.sentence), self.values

    def __hash__(self) -> int:
        return hash((self.code, self.sentence))  # the values need not be hashable


class Phrases(dict[str, str]):
    """Sentences by their codes: a table from which messages and errors are made.

    A file calls its table `_say`: by this name, tests find what is said, and with which values.

    Examples:
        >>> say = Phrases({"k.too_large": "k = {k} is more than n = {n}."})
        >>> say("k.too_large", k=8, n=4)
        Message('k.too_large', 'k = 8 is more than n = 4.')
    """

    def __call__(self, code: str, /, **values: Any) -> Message:
        """Make the message of a code."""
        return Message(code, self[code], **values)

    def mistake(self, code: str, /, **values: Any) -> Mistake:
        """Make the message of a code about a mistake in the data."""
        return Mistake(code, self[code], **values)

    def legend(self, code: str, /, **values: Any) -> Legend:
        """Make the note of a code that says how to read the numbers."""
        return Legend(code, self[code], **values)

    def error(
        self, code: str, kind: type[InputError] | None = None, /, **values: Any
    ) -> InputError:
        """Make the error of a code, of this kind."""
        return (kind or InputError)(code, self[code], **values)


class Legend(Message):
    """A note that says how to read the numbers, such as what their intervals are about."""


class Mistake(Message):
    """A sentence about what must be a mistake in the data, the grader or the numbers."""


@dataclass(frozen=True)
class Offer:
    """Options that were tried on data that were refused, and what they give.

    Attributes:
        options: arguments of Python: `at_k.score(data, **offer.options)`.
        outcome: what they give, such as “7 problems × 5 samples, pass@1 45.7 %”.
        meaning: what they mean, such as “all rows are samples of one model”; None where the options say it.
    """

    options: Mapping[str, Any]
    outcome: Message
    meaning: Message | None = None


@dataclass(frozen=True)
class ColumnShown:
    """A column that a question shows: its name, how many values it has, and the first three of them."""

    name: str
    count: int
    examples: Sequence[str]


@dataclass(frozen=True)
class Question:
    """The columns of data that were refused, and the readings of them that were tried.

    Attributes:
        columns: the columns, at most twelve.
        readings: the readings that give a number, likeliest first, at most four.
        notes: what is to be said of how the rows were found.
    """

    columns: Sequence[ColumnShown] = ()
    readings: Sequence[Offer] = ()
    notes: Sequence[Message] = ()

    def list_lines(self, spelling: Spelling) -> list[str]:
        """Write a line for each column and, for each reading, one to copy and one with what it gives."""
        lines: list[str] = []
        wide = max((len(column.name) for column in self.columns), default=0)
        for column in self.columns:
            examples = ", ".join(column.examples)
            lines.append(f"  {column.name:{wide}}  {column.count:>5,} values: {examples}")
        lines += [f"  {note.render(spelling)}" for note in self.notes]
        if self.readings:
            lines.append("These read it:")
        for reading in self.readings:
            meaning = ""
            if reading.meaning is not None:
                meaning = f" ({reading.meaning})"
            lines.append(f"  {spelling.call(reading.options)}")
            lines.append(f"      {reading.outcome}{meaning}")
        return lines


class InputError(ValueError):
    """Input that cannot be used. The sentence says what is wrong, and then what to do.

    Where data can be read in several ways, `readings` lists those that were tried on them, each with its `options`, its
    `outcome` and its `meaning`, and `question` the columns, too. They are found when they are first asked for. A
    sentence that names ways has them behind a line break: they are left out where readings are listed below it.

    Args:
        code: as of `Message`.
        sentence: as of `Message`.
        values: as of `Message`.

    Examples:
        >>> error = InputError("k.too_large", "k = {k} is more than n = {n}.", k=8, n=4)
        >>> str(error), error.code, error.values
        ('k = 8 is more than n = 4.', 'k.too_large', {'k': 8, 'n': 4})
        >>> str(error.in_file("results.csv"))
        'results.csv: k = 8 is more than n = 4.'
    """

    kind: type[Message] = Message

    def __init__(self, code: str, sentence: str, /, **values: Any) -> None:
        self.message = self.kind(code, sentence, **values)
        self.file = ""
        self.ask: Callable[[], Question] | None = None  # finds the question, once
        self._question: Question | None = None
        super().__init__(str(self.message))

    @property
    def code(self) -> str:
        """The code of the message."""
        return self.message.code

    @property
    def values(self) -> dict[str, Any]:
        """The values of the message."""
        return self.message.values

    @property
    def question(self) -> Question:
        """The columns of the data and the readings that were tried; empty where the data are not rows."""
        if self._question is None:
            ask, self.ask = self.ask, None
            self._question = Question()
            with suppress(Exception):  # a refusal stays what it is, whatever happens here
                if ask is None:
                    self._question = Question()
                else:
                    self._question = ask()
        return self._question

    @property
    def readings(self) -> Sequence[Offer]:
        """The readings of the data that were tried and give a number, likeliest first."""
        return self.question.readings

    def with_message(self, message: Message) -> InputError:
        """Return an error of the same kind with another message."""
        error = type(self)(message.code, message.sentence, **message.values)
        error.ask, error._question = self.ask, self._question
        return error

    def in_file(self, file: str) -> InputError:
        """Return the same error with the name of the file that it is about."""
        error = self.with_message(self.message)
        error.file = file
        return error

    def render(self, spelling: Spelling) -> str:
        """Write the sentence with options as a surface spells them, after the name of the file."""
        return "\n".join(self.list_lines(spelling))

    def list_lines(self, spelling: Spelling) -> list[str]:
        """List the sentence, and the lines of the question."""
        text = self.message.render(spelling, brief=bool(self.readings))
        if self.file:
            text = f"{self.file}: {text}"
        return [text, *self.question.list_lines(spelling)]

    def __str__(self) -> str:
        return self.render(Spelling())

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is pickled as a call with its `args`, which are the finished sentence here.
        return (
            partial(type(self), self.code, self.message.sentence, **self.values),
            (),
            {**self.__dict__, "ask": None, "_question": self.question},
        )


class SeveralModelsError(InputError):
    """Results that seem to be of several models, where those of one are scored."""
