r"""Extract the answer from a text: what is boxed, the program, and what `statements.py` and expressions find."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from string import ascii_uppercase
from typing import Any

import numpy as np

from at_k.errors import InputError, Mention
from at_k.grading.programs import find_program
from at_k.grading.replies import find_boxed, remove_thoughts
from at_k.samples import Answers
from at_k.validation import describe, name_function, shorten, type_name

Extract = Callable[[str], str | None]  # from a text to its answer, or None

# The last line of a reference of GSM8K.
_GSM8K = re.compile(r"^####[ \t]*(\S[^\n]*?)[ \t]*\Z", re.MULTILINE)


def _find_statement(rule: str, text: str) -> str | None:
    """Apply a rule of `statements.py`, which is loaded when it is first used."""
    from at_k.grading import statements

    answer: str | None = getattr(statements, rule)(remove_thoughts(text))
    return answer


def _find_code(text: str) -> str | None:
    """Return the program in a text, or None for a blank one."""
    source = find_program(text).source
    return source if source.strip() else None


# The rules that have names.
EXTRACTIONS: dict[str, Extract] = {
    "text": lambda text: remove_thoughts(text).strip(),
    "boxed": find_boxed,
    "last_number": partial(_find_statement, "find_last_number"),
    "choice": partial(_find_statement, "find_letter"),
    "final_answer": partial(_find_statement, "find_final_answer"),
    "code": _find_code,
}


def _find_last(expression: re.Pattern[str], text: str) -> str | None:
    """Return what the last match has in the group `answer`, or in its only group. Nothing limits its time."""
    last = deque(expression.finditer(remove_thoughts(text)), maxlen=1)
    if last:
        return last[0]["answer" if "answer" in expression.groupindex else 1]
    return None


def find_extraction(rule: object, name: str = "extract_fn") -> Extract | None:
    r"""Return the function that extracts answers by a rule; None for no rule.

    Examples:
        >>> find_extraction(r"<answer>(.*?)</answer>")("<answer>7</answer> or <answer>8</answer>")
        '8'
    """
    if rule is None:
        return None
    if isinstance(rule, str) and rule in EXTRACTIONS:
        return EXTRACTIONS[rule]
    if isinstance(rule, str) or (isinstance(rule, re.Pattern) and isinstance(rule.pattern, str)):
        return partial(_find_last, _compile(rule, name))
    if not callable(rule):
        raise TypeError(
            f"`{name}` must be a function, the name of a rule, or a regular expression; got {shorten(rule)} of type "
            f"{type_name(rule)}"
        )
    return rule


def find_reference_extraction(rule: object) -> Extract | None:
    """Return the function that extracts the answers of references: `find_extraction`, and "index".

    Examples:
        >>> find_reference_extraction("index")("3")
        'D'
    """
    if isinstance(rule, str) and rule in REFERENCE_EXTRACTIONS:
        return REFERENCE_EXTRACTIONS[rule]
    return find_extraction(rule, "extract_reference")


def name_option(text: str) -> str | None:
    """Return the letter of an option whose number counts from 0, as HellaSwag has it; None for other texts."""
    number = text.strip()
    if re.fullmatch(r"1?\d|2[0-5]", number):
        return ascii_uppercase[int(number)]
    return None


REFERENCE_EXTRACTIONS = {"index": name_option}
"""Rules that are for references alone."""


def _compile(rule: Any, name: str) -> re.Pattern[str]:
    try:
        expression = re.compile(rule)
        if expression.groups == 1 or "answer" in expression.groupindex:
            return expression
        fault = f"{expression.groups} groups"
    except re.error as error:
        fault = str(error)
    near = get_close_matches(str(rule), EXTRACTIONS, 1)
    if near:
        raise InputError(
            "extract.near",
            "{given}: {rule} is neither a rule nor a regular expression with one group. Did you mean {near}?",
            given=Mention(name),
            rule=shorten(rule),
            near=near[0],
        )
    raise InputError(
        "extract.pattern",
        "{rule} is neither a rule nor a regular expression with one group, or one called `answer` ({fault}). "
        "{given} takes {names}, such an expression, or a function.",
        given=Mention(name),
        names=", ".join(map(repr, EXTRACTIONS)),
        rule=shorten(rule),
        fault=fault,
    )


def name_extraction(rule: object) -> str:
    """Return the name of a rule, for a signature."""
    if isinstance(rule, str) and rule in EXTRACTIONS | REFERENCE_EXTRACTIONS:
        return rule
    pattern = rule.pattern if isinstance(rule, re.Pattern) else rule
    if isinstance(pattern, str):
        return repr(pattern)
    return name_function(rule)


def extract(rule: Extract, text: str, name: str, place: Callable[[], str]) -> str | None:
    """Apply a rule to a text. An answer is stripped; an empty one is no answer."""
    try:
        answer = rule(text)
    except Exception as error:
        raise RuntimeError(
            f"`{name}` failed on the text {text!r:.200}, in {place()}: {type_name(error)}: {error}"
        ) from error
    if answer is None:
        return None
    if not isinstance(answer, str):
        raise TypeError(
            f"`{name}` must return a string, or None for no answer; got {describe(answer)} "
            f"for the text {text!r:.200}, in {place()}"
        )
    return str.__str__(answer).strip() or None


def extract_answers(answers: Answers, rule: Extract, name: str = "extract_fn") -> Answers:
    """Replace each text by the answer that it gives. A rule is applied once to each distinct text."""
    codes = answers.codes

    def place(code: int) -> str:
        return codes.place(int(np.argmax(codes.values == code)))

    return answers.rename(
        [
            extract(rule, text, name, partial(place, code))
            for code, text in enumerate(answers.distinct)
        ]
    )


def extract_references(
    references: Sequence[tuple[str, ...]], rule: Extract, name: str, *, keep: bool
) -> list[tuple[str, ...]]:
    """Replace each reference by the answer that it gives. A rule is applied once to each distinct reference."""
    # With `keep`, the rule is that of the answers: of a reference of GSM8K it reads what follows the "####", and a
    # reference in which it finds nothing stays as it is.
    if keep and rule is _find_code:  # a test program, which is no reply
        return [*references]
    extracted: dict[str, str] = {}
    found = []
    for problem, row in enumerate(references):
        for text in row:
            if text not in extracted:
                marked = None
                if keep:
                    marked = _GSM8K.search(text.rstrip())
                if marked:
                    parts = [marked[1], marked[0]]
                else:
                    parts = [text]
                place = partial("problem {}".format, problem)
                answer = next(
                    filter(None, (extract(rule, part, name, place) for part in parts)), None
                )
                if answer is None and not keep:
                    raise InputError(
                        "extract.reference",
                        "{given} must find an answer in every reference; it finds none in {text}, in problem "
                        "{problem}. Choose another rule for references, or None to leave a reference as it is where "
                        "the rule of the answers finds nothing.",
                        given=Mention(name),
                        text=f"{text!r:.200}",
                        problem=problem,
                    )
                extracted[text] = answer or parts[0]
        found.append(tuple(extracted[text] for text in row))
    return found
