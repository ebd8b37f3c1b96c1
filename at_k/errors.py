"""Sentences that can be translated, and the error that carries one."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any


class Message:
    """A sentence in English, with a code by which a translator can find it.

    Args:
        code: a dotted name, such as "tables.fields"; no two sentences share one.
        sentence: a template for `str.format`.
        values: what the template is filled in with. A value may be a message itself.

    Examples:
        >>> message = Message("k.too_large", "k = {k} is more than n = {n}.", k=8, n=4)
        >>> str(message), message.code, message.values["k"]
        ('k = 8 is more than n = 4.', 'k.too_large', 8)
    """

    def __init__(self, code: str, sentence: str, /, **values: Any) -> None:
        self.code = code
        self.sentence = sentence
        self.values = values

    def __str__(self) -> str:
        return self.sentence.format(**self.values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.code, self.sentence, self.values) == (other.code, other.sentence, other.values)

    def __hash__(self) -> int:
        return hash((self.code, self.sentence))  # the values need not be hashable


class InputError(ValueError):
    """Input that cannot be used. The sentence says what is wrong, and then what to do.

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

    def __init__(self, code: str, sentence: str, /, **values: Any) -> None:
        self.message = Message(code, sentence, **values)
        self.file = ""
        super().__init__(str(self.message))

    @property
    def code(self) -> str:
        """The code of the message."""
        return self.message.code

    @property
    def values(self) -> dict[str, Any]:
        """The values of the message."""
        return self.message.values

    def in_file(self, file: str) -> InputError:
        """Return the same error with the name of the file that it is about."""
        error = type(self)(self.code, self.message.sentence, **self.values)
        error.file = file
        return error

    def __str__(self) -> str:
        return f"{self.file}: {self.message}" if self.file else str(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is pickled as a call with its `args`, which are the finished sentence here.
        return partial(type(self), self.code, self.message.sentence, **self.values), (), self.__dict__


def spell_for_output(text: str) -> str:
    """Write the signs that standard output cannot show as escapes, as pandas does: `print` must not fail over them."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
