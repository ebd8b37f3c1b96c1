"""What a visitor gives on the page Score: results, columns, options. How they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from at_k.demo import examples
from at_k.demo.given import Given
from at_k.demo.notices import POOLED
from at_k.demo.scoring import Options, parse_k, parse_least, parse_taus
from at_k.demo.words import say
from at_k.family import METRICS
from at_k.readers.samples import ROLES

START = "qwen25_math"

GUESSED, NONE = "", "\0"
"""Choices of a column besides a name: the guessed one, and no column."""

CHOICES = ("scorer", "filter", "tests")
"""What a visitor may choose in the files of a harness, by the names of `Reading`."""

OPTIONS = (
    *("metrics", "k", "taus", "ties", "missing", "higher_is_better", "by_group"),
    *("extract_fn", "check_correct_fn", "equivalence", "least"),
)
"""The options of a visitor, by the names of `Options`."""

USUAL: dict[str, Any] = {
    "example": START,
    "model": "",
    **{f"column_{role}": GUESSED for role in ROLES},
    **dict.fromkeys(CHOICES, ""),
    "metrics": list(METRICS),
    "k": "",
    "taus": ", ".join(map(str, Options.taus)),
    **{name: getattr(Options, name) for name in OPTIONS[3:-1]},
    "least": "1",
}
"""The values of a page that nobody has changed, by the names of its parts."""


@dataclass(frozen=True)
class Asked:
    """What a visitor asks for.

    Attributes:
        results: what they gave.
        name: the name of the file or of the example; empty for a text that was pasted.
        is_example: whether it is an example of the page, as it is.
        chosen: role → column, `GUESSED` or `NONE`.
        choices: the choices in the files of a harness.
        model: the model whose rows are scored; empty for the first one, `POOLED` if all rows are of one.
        options: the other options; k is None where it was left open.
    """

    results: Given
    name: str
    is_example: bool
    chosen: Mapping[str, str]
    choices: Mapping[str, str | None]
    model: str
    options: Options

    @property
    def named(self) -> dict[str, str | None]:
        """The roles for which one of the columns, or none, was chosen."""
        return read_chosen(self.results.columns, self.chosen)


def read_values(values: Mapping[str, Any], results: Given, language: str) -> Asked:
    """Read the values of the parts of the page.

    Raises:
        InputError: if something that was typed cannot be read.
    """
    example = values.get("example") if values.get("example") in examples.EXAMPLES else ""
    if example and results.text != examples.read_example(example):
        example = ""  # the text was edited a moment ago
    values = USUAL | {name: value for name, value in values.items() if value is not None}
    typed = {
        "k": parse_k(values["k"]),
        "taus": parse_taus(values["taus"]),
        "least": parse_least(values["least"]),
    }
    return Asked(
        results,
        say(language, f"score.{example}") if example else str(values.get("name") or ""),
        bool(example),
        {role: values[f"column_{role}"] for role in ROLES},
        {name: values[name].strip() or None for name in CHOICES},
        values["model"],
        Options(**{name: values[name] for name in OPTIONS} | typed),
    )


def read_chosen(columns: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str | None]:
    r"""Return the roles for which a visitor chose one of these columns, or none.

    Examples:
        >>> read_chosen(["a"], {"answers": "a", "grades": "\0", "scores": "", "group": "gone"})
        {'answers': 'a', 'grades': None}
    """
    return {role: None if column == NONE else column for role, column in chosen.items() if column in (NONE, *columns)}


def list_columns(columns: Sequence[str], guess: str | None, language: str) -> list[tuple[str, str]]:
    """List the columns that may play a role, the guess first."""
    none = say(language, "score.no_column")
    guessed = say(language, "score.guessed", column=guess or none)
    return [(guessed, GUESSED), (none, NONE), *((column, column) for column in columns)]


def list_models(models: Sequence[str], language: str) -> list[tuple[str, str]]:
    """List the models of a file, to choose one."""
    if not models:
        return [(say(language, "score.all_rows"), "")]
    return [
        (say(language, "score.first_model"), ""),
        (say(language, "score.one_model"), POOLED),
        *((model, model) for model in models),
    ]
