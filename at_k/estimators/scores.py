"""Scores of samples from the log-probabilities of their tokens, for `best_at_k` and for weighted votes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum, isfinite, log
from typing import Any

from at_k.errors import InputError
from at_k.validation import describe, is_number, shorten

__all__ = ["mean_logprob", "perplexity", "self_certainty"]

# A log-probability may be this much above 0: engines compute in single precision.
_ROUNDING = 1e-6


def mean_logprob(logprobs: Any, /) -> list[list[float]]:
    """Return the mean log-probability of each sample's tokens. Higher is better.

    Examples:
        >>> mean_logprob([[[-0.5, -1.5], [-2.0]]])
        [[-1.0, -2.0]]
    """
    return _score(logprobs, "logprobs", _average)


def perplexity(logprobs: Any, /) -> list[list[float]]:
    """Return the perplexity of each sample, exp(−mean log-probability). Lower is better: use `higher_is_better=False`.

    Examples:
        >>> [[round(score, 4) for score in row] for row in perplexity([[[-0.5, -1.5], [-2.0]]])]
        [[2.7183, 7.3891]]
    """
    return _score(
        logprobs, "logprobs", lambda tokens, place: _exponentiate(-_average(tokens, place), place)
    )


def self_certainty(top_logprobs: Any, /) -> list[list[float]]:
    """Return the self-certainty of each sample: how far its tokens are from a uniform choice. Higher is better.

    Examples:
        >>> from math import log
        >>> even, sure = [log(0.5), log(0.5)], [log(0.9), log(0.1)]
        >>> [[round(score, 4) for score in row] for row in self_certainty([[[even, even], [sure, even]]])]
        [[0.0, 0.2554]]
    """
    # For one token with the probabilities p₁ … p_k of its k most likely alternatives it is −(1/k) Σ log(k·p_j), and for
    # a sample the mean over its tokens. If k is the size of the vocabulary, this is the published measure, the
    # divergence of the uniform distribution from the model's (Kang et al. 2025, https://arxiv.org/abs/2502.18581). For
    # the few alternatives that engines return it is that sum over these alone, with the probabilities as they are.
    # Compare samples only if k is the same.
    sizes: dict[int, str] = {}

    def score(tokens: list[Any], place: str) -> float:
        means = []
        for i, alternatives in enumerate(tokens):
            row = _to_list(alternatives, "top_logprobs", f"{place}, token {i}")
            first = sizes.setdefault(len(row), f"{place}, token {i}")
            if len(sizes) > 1:
                (size, where), *_ = sizes.items()
                raise InputError(
                    "scores.alternatives",
                    "`top_logprobs` must have the same number of alternatives for every token; got {size} in {where}, "
                    "and {other} in {place}. Ask the engine for a fixed number, and cut longer lists.",
                    size=size,
                    where=where,
                    other=len(row),
                    place=first,
                )
            means.append(-_average(row, f"{place}, token {i}", "top_logprobs") - log(len(row)))
        return _mean(means)

    return _score(top_logprobs, "top_logprobs", score)


def _score(rows: Any, name: str, score: Any) -> list[list[float]]:
    scores = []
    for problem, row in enumerate(_to_list(rows, name, "the column")):
        scored = []
        for sample, tokens in enumerate(_to_list(row, name, f"problem {problem}")):
            place = f"problem {problem}, sample {sample}"
            listed = _to_list(tokens, name, place)
            _refuse_empty(listed, name, place)
            scored.append(score(listed, place))
        scores.append(scored)
    return scores


def _to_list(value: Any, name: str, place: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, Iterable)):
        raise TypeError(f"`{name}` must hold lists; got {describe(value)} in {place}")
    return list(value)


def _refuse_empty(tokens: list[Any], name: str, place: str) -> None:
    if not tokens:
        raise InputError(
            "scores.no_token",
            "`{name}` must hold at least one token for every sample; got none in {place}. Remove the sample, or give "
            "it the log-probability of its end token.",
            name=name,
            place=place,
        )


def _average(numbers: list[Any], place: str, name: str = "logprobs") -> float:
    _refuse_empty(numbers, name, place)
    for number in numbers:
        if not is_number(number):
            raise TypeError(f"`{name}` must hold numbers; got {describe(number)} in {place}")
        if number > _ROUNDING or not _is_finite(number):
            raise InputError(
                "scores.logprob",
                "`{name}` must hold finite numbers of at most 0, which are natural logarithms of probabilities; got "
                "{value} in {place}.",
                name=name,
                value=shorten(number),
                place=place,
            )
    return _mean(numbers)


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:  # an integer beyond all floats
        return False


def _mean(numbers: list[Any]) -> float:
    try:
        return fsum(numbers) / len(numbers)
    except OverflowError:  # the mean itself fits in a float
        return fsum(number / len(numbers) for number in numbers)


def _exponentiate(number: float, place: str) -> float:
    try:
        return exp(number)
    except OverflowError:
        raise InputError(
            "scores.perplexity",
            "The perplexity of {place} does not fit in a float. Use `mean_logprob`, which orders samples the same way.",
            place=place,
        ) from None
