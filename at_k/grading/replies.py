r"""Read replies of models before any rule does: remove their reasoning, and find what is boxed."""

from __future__ import annotations

import re

from at_k.grading.programs import THOUGHT

# A box, with more than one backslash where a text was escaped twice, and all braces. A number or a letter may be boxed
# without braces, as in `\\boxed 5`.
_BRACES = re.compile(
    r"\\\\*(?:boxed|fbox)\s*(?:\{|(?P<bare>[+-]?\d(?:[\d,./]*\d)?%?|[A-Za-z])(?![A-Za-z\d]))|\\[{}\\]|[{}]"
)


def remove_thoughts(text: str) -> str:
    """Remove reasoning between `<think>` and `</think>` (or `<thinking>`), which is a draft.

    Examples:
        >>> remove_thoughts("<think>4, or 5?</think>It is 5."), remove_thoughts("4, or 5?</think>It is 5.")
        ('It is 5.', 'It is 5.')
        >>> remove_thoughts("<think>4, or")
        ''
    """
    # Where only the end is marked, the prompt has opened it, and all that precedes is removed. Where only the beginning
    # is, the text was cut off, and the rest is removed.
    if "<think" not in text and "</think" not in text:
        return text
    return re.split("</think(?:ing)?>", THOUGHT.sub(" ", text).removeprefix(" "))[-1]


def find_boxed(text: str) -> str | None:
    r"""Return the content of the last complete \boxed{…}, with its nested braces.

    Examples:
        >>> find_boxed(r"So \boxed{1}, or rather \boxed{\frac{1}{2}}.")
        '\\frac{1}{2}'
    """
    # An empty one counts only if there is no other.
    text = remove_thoughts(text)
    opened: list[tuple[int, bool]] = []
    last, content = -1, None
    for match in _BRACES.finditer(text):
        token = match[0]
        if match["bare"]:
            last = match.start()
            content = match["bare"]
        elif token == "}":
            if opened:
                start, boxed = opened.pop()
            else:
                start, boxed = -1, False
            if boxed and start > last and (content is None or text[start : match.start()].strip()):
                last = start
                content = text[start : match.start()]
        elif token[-1] == "{" and token != r"\{":
            opened.append((match.end(), len(token) > 1))
    return content
