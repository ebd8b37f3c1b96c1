"""Many cases in one test, and what an error says."""

import functools
import inspect
import re

import pytest

from at_k.validation import shorten


def for_each(names, cases, ids=None):
    """Run a test on every case, as `pytest.mark.parametrize` does, but as one test, which names all cases that fail."""
    names = names.split(", ")
    cases = [case if len(names) > 1 else (case,) for case in cases]
    assert cases, "a table without cases tests nothing"

    def decorate(test):
        signature = inspect.signature(test)

        @functools.wraps(test)
        def try_all(*args, **kwargs):
            failures = []
            for case, label in zip(cases, ids or [None] * len(cases), strict=True):
                try:
                    test(*args, **kwargs, **dict(zip(names, case, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001, PERF203 - the test fails, then
                    failures.append((label or ", ".join(map(shorten, case)), failure))
            if failures:
                said = "\n".join(
                    f"{label}: {type(failure).__name__}: {failure}" for label, failure in failures
                )
                raise AssertionError(
                    f"{len(failures)} of {len(cases)} cases fail:\n{said}"
                ) from failures[0][1]

        others = [each for each in signature.parameters.values() if each.name not in names]
        try_all.__signature__ = signature.replace(
            parameters=others
        )  # by which pytest knows the fixtures
        return try_all

    return decorate


def for_rows(names, table):
    """Run a test on every row of a table, label → case."""
    return for_each(names, table.values(), ids=table)


def make_pattern(words):
    """The pattern of words in their order, with anything in place of each "…"."""
    return ".*".join(re.escape(piece.strip()) for piece in words.split("…"))


def refuses(error, call, *args, **kwargs):
    """Assert that a call fails as "TypeError: `k` … got 'a'" says: a kind, and words in their order; return the error.

    A kind with a dot, such as "scores.no_token", is the code of the message.
    """
    kind, _, words = error.partition(": ")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its kind and words are compared below
        call(*args, **kwargs)
    raised = caught.value
    assert kind in {each.__name__ for each in type(raised).__mro__} | {
        getattr(raised, "code", "")
    }, repr(raised)
    assert re.search(make_pattern(words), str(raised), re.DOTALL), (
        f"{str(raised)!r} does not say {words!r}"
    )
    return raised
