r"""Extract the answer from a text: what is boxed, the last number, the option letter, the program, the final answer."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from at_k.errors import InputError, Mention
from at_k.grading.fences import find_program
from at_k.grading.marks import remove_thoughts
from at_k.grading.numbers import find_last_number
from at_k.samples import Answers
from at_k.validation import shorten, type_name

Extract = Callable[[str], str | None]
"""A function from a text to the answer that it gives; None if it gives none."""

_BRACES = re.compile(r"\\\\*(?:boxed|fbox)\s*\{|\\[{}\\]|[{}]")
"""A box, with more than one backslash where a text was escaped twice, and all braces."""


def find_boxed(text: str) -> str | None:
    r"""Return the content of the last complete \boxed{…}, with its nested braces.

    An empty one counts only if there is no other.

    Examples:
        >>> find_boxed(r"So \boxed{1}, or rather \boxed{\frac{1}{2}}.")
        '\\frac{1}{2}'
    """
    text = remove_thoughts(text)
    opened: list[tuple[int, bool]] = []
    last, content = -1, None
    for match in _BRACES.finditer(text):
        token = match[0]
        if token == "}":
            start, boxed = opened.pop() if opened else (-1, False)
            if boxed and start > last and (content is None or text[start : match.start()].strip()):
                last, content = start, text[start : match.start()]
        elif token[-1] == "{" and token != r"\{":
            opened.append((match.end(), len(token) > 1))
    return content


def find_final_answer(text: str) -> str | None:
    r"""Return the answer that a text announces last, up to the end of the sentence; None if it announces none.

    Announced is what stands in `<answer>`, after "####", below a heading "Answer", and after "The answer is", "The
    answer to the question is", "Answer:" or "Result:", also in other languages (Respuesta:, 答案是, 정답:). What
    was announced and is no answer is passed over, such as an empty formula, a question, or a clause; if the last
    announcement says that something is not the answer, there is none.

    Examples:
        >>> find_final_answer("6 * 3 = 18\n#### 18"), find_final_answer("The answer is $x = 2.5$. I hope so.")
        ('18', '$x = 2.5$')
        >>> find_final_answer("<answer>\n42\n</answer>"), find_final_answer("**Final Answer**\n\n$$42$$")
        ('42', '42')
        >>> print(find_final_answer("The answer is not clear."))
        None
    """
    from at_k.grading.announced import list_tagged, read_value

    text = remove_thoughts(text)
    for content in list_tagged(text):
        found = _find_announced(content) or ("\n" not in content and read_value(content, "tag"))
        if "boxed" in content or found:
            return find_boxed(content) or found or None
    return _find_announced(text)


def _find_announced(text: str) -> str | None:
    """Return what the last mark that has an answer announces."""
    from at_k.grading.announced import list_announced, read_value

    for rest, kind in list_announced(text):
        answer = (find_boxed(rest) or "").strip() if "boxed" in rest else read_value(rest, kind)
        if answer:
            return answer
    return None


def find_choice(text: str) -> str | None:
    """Return the letter of the option that a text settles on; None if it settles on none.

    Examples:
        >>> find_choice("It is not A. So the answer is (B).")
        'B'
    """
    from at_k.grading.letters import find_letter

    return find_letter(text)


EXTRACTIONS: dict[str, Extract] = {
    "text": lambda text: remove_thoughts(text).strip(),
    "boxed": find_boxed,
    "last_number": find_last_number,
    "choice": find_choice,
    "final_answer": find_final_answer,
    "code": find_program,
}
"""The rules that have names. Long expressions are imported by the rules that use them: they take 20 ms to compile."""


@dataclass(frozen=True)
class Pattern:
    """Extract what the last match of a regular expression has in its group `answer`, or in its only group.

    Nothing limits the time of a match. The expression is the caller's, and must not be one that backtracks without end,
    as `(a+)+$` does.
    """

    expression: re.Pattern[str]

    def __call__(self, text: str) -> str | None:
        """Return what the group matches; None if the expression matches nowhere."""
        found = deque(self.expression.finditer(remove_thoughts(text)), maxlen=1)
        return None if not found else found[0]["answer" if "answer" in self.expression.groupindex else 1]


def find_extraction(rule: object, name: str = "extract_fn") -> Extract | None:
    r"""Return the function that extracts answers by a rule; None for no rule.

    Args:
        rule: None; a name out of `EXTRACTIONS`; a regular expression, compiled or as a string, with one group or a
            group called "answer"; or a function. A string that is not a name is a regular expression, and needs a
            group: this is how a misspelled name is noticed. Its matches have no limit of time: take care that it does
            not repeat what it repeats, as in `(a+)+$`, and accept none from strangers.
        name: the name of the option, for error messages.

    Raises:
        InputError: if a string is neither a name nor a regular expression with such a group.
        TypeError: if the rule is none of these.

    Examples:
        >>> find_extraction(r"<answer>(.*?)</answer>")("<answer>7</answer> or <answer>8</answer>")
        '8'
    """
    if rule is None:
        return None
    if isinstance(rule, str) and rule in EXTRACTIONS:
        return EXTRACTIONS[rule]
    if isinstance(rule, (str, re.Pattern)):
        return Pattern(_compile(rule, name))
    if not callable(rule):
        raise TypeError(
            f"`{name}` must be a function, the name of a rule, or a regular expression; got {shorten(rule)} of type "
            f"{type_name(rule)}"
        )
    return rule


def _compile(rule: str | re.Pattern[str], name: str) -> re.Pattern[str]:
    names = ", ".join(map(repr, EXTRACTIONS))
    try:
        expression = re.compile(rule)
    except re.error as fault:
        raise InputError(
            "extract.pattern",
            "{given} must be one of {names}, a regular expression, or a function; got {rule}, which is no regular "
            "expression: {fault}.",
            given=Mention(name), names=names, rule=shorten(rule), fault=str(fault),
        ) from None  # fmt: skip
    if not isinstance(expression.pattern, str):
        raise TypeError(f"`{name}` must be a regular expression of text; got one of bytes, {shorten(rule)}")
    if expression.groups != 1 and "answer" not in expression.groupindex:
        raise InputError(
            "extract.groups",
            "{given} must be one of {names}, a regular expression with one group or with a group called `answer`, or "
            "a function; got {rule}, which has {count} groups.",
            given=Mention(name), names=names, rule=shorten(rule), count=expression.groups,
        )  # fmt: skip
    return expression


def name_extraction(rule: object) -> str:
    """Return the name of a rule, for a signature."""
    if isinstance(rule, str) and rule in EXTRACTIONS:
        return rule
    if isinstance(rule, (str, re.Pattern)):
        return repr(rule if isinstance(rule, str) else rule.pattern)
    return f"{getattr(rule, '__module__', None)}.{getattr(rule, '__qualname__', type_name(rule))}"


def extract(rule: Extract, text: str, name: str, place: Callable[[], str]) -> str | None:
    """Apply a rule to a text. An answer is stripped; an empty one is no answer.

    Args:
        rule: the rule.
        text: the text.
        name: the name of the option, for error messages.
        place: says where the text is, for error messages.

    Raises:
        RuntimeError: if the rule raises.
        TypeError: if it returns neither a string nor None.
    """
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
            f"`{name}` must return a string, or None for no answer; got {shorten(answer)} of type {type_name(answer)} "
            f"for the text {text!r:.200}, in {place()}"
        )
    return str.__str__(answer).strip() or None


def extract_answers(answers: Answers, rule: Extract, name: str = "extract_fn") -> Answers:
    """Replace each text by the answer that it gives. A rule is applied once to each distinct text."""
    codes = answers.codes

    def place(code: int) -> str:
        return codes.place(int(np.argmax(codes.values == code)))

    return answers.rename(
        [extract(rule, text, name, partial(place, code)) for code, text in enumerate(answers.distinct)]
    )


def extract_references(
    references: Sequence[tuple[str, ...]], rule: Extract, name: str, *, keep: bool
) -> list[tuple[str, ...]]:
    """Replace each reference by the answer that it gives. A rule is applied once to each distinct reference.

    Args:
        references: the acceptable answers of each problem.
        rule: the rule.
        name: the name of the option, for error messages.
        keep: whether a reference in which the rule finds no answer stays as it is. If not, it is an error.
    """
    found: dict[str, str] = {}
    for problem, row in enumerate(references):
        for text in row:
            if text not in found:
                answer = extract(rule, text, name, partial("problem {}".format, problem))
                if answer is None and not keep:
                    raise InputError(
                        "extract.reference",
                        "{given} must find an answer in every reference; it finds none in {text}, in problem "
                        "{problem}. Choose another rule for references, or None to leave a reference as it is where "
                        "the rule of the answers finds nothing.",
                        given=Mention(name), text=f"{text!r:.200}", problem=problem,
                    )  # fmt: skip
                found[text] = text if answer is None else answer
    return [tuple(found[text] for text in row) for row in references]
