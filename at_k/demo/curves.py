"""The page Explore in numbers: one problem with n samples, c of them correct, for every k. Plain numbers in and out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import at_k
from at_k.combinatorics import Floats
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.words import make_error
from at_k.validation import is_integer

TAUS = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The thresholds on offer; τ → 0 is pass@k and τ = 1 is pass^k, which are always drawn."""

MAP_TAUS = tuple(step / 20 for step in range(21))

_POINTS = 64
"""Up to this n every k is a point of a curve."""


@dataclass(frozen=True)
class Setting:
    """One problem: n samples, of which c are correct, and `together` of the wrong ones give the same wrong answer.

    The other wrong answers all differ.

    Raises:
        InputError: unless 1 ≤ n ≤ 256, 0 ≤ c ≤ n and 0 ≤ together ≤ n − c.
    """

    n: int
    c: int
    together: int = 0

    def __post_init__(self) -> None:
        if not is_integer(self.n) or not 1 <= self.n <= MAX_EXPLORE_N:
            raise make_error("explore.bad_n", n=self.n, limit=MAX_EXPLORE_N)
        if not is_integer(self.c) or not 0 <= self.c <= self.n:
            raise make_error("explore.bad_c", c=self.c, n=self.n)
        if not is_integer(self.together) or not 0 <= self.together <= self.n - self.c:
            raise make_error("explore.bad_together", together=self.together, wrong=self.n - self.c)


@dataclass(frozen=True)
class Curves:
    """Values against k: key, with the letter k in it, → one value for each k, None where there is none."""

    k: tuple[int, ...]
    lines: Mapping[str, Sequence[float | None]]

    def at(self, k: int) -> dict[str, float]:
        """The values of one k, under the keys that `compute` gives them."""
        place, n = self.k.index(k), self.k[-1]
        found = {key.replace("k", str(k)).replace("@n", f"@{n}"): line[place] for key, line in self.lines.items()}
        return {key: value for key, value in found.items() if value is not None}


def drawn_k(n: int, *others: int) -> tuple[int, ...]:
    """The k of a curve up to n: all of them, or for large n those that are evenly spread on a logarithmic axis."""
    if n <= _POINTS:
        return tuple(range(1, n + 1))
    spread = np.geomspace(1, n, _POINTS).round().astype(int).tolist()
    return tuple(sorted({*spread, *others}))


@lru_cache(maxsize=256)
def curves(setting: Setting, taus: tuple[float, ...] = (0.25, 0.5, 0.75), *others: int) -> Curves:
    """Every metric of one problem against k, and at the `others` too.

    Examples:
        >>> curves(Setting(4, 2)).lines["pass@k"]
        (0.5, 0.8333333333333334, 1.0, 1.0)
    """
    n, c = setting.n, setting.c
    k = drawn_k(n, *others)
    lines = {"pass@k": _counted(n, "pass@k", k)[c]}
    lines |= {f"G-Pass@k_{tau}": _counted(n, tau, k)[c] for tau in sorted(taus)}
    lines |= {"mG-Pass@k": _counted(n, "mG-Pass@k", k)[c], "pass^k": _counted(n, "pass^k", k)[c]}
    lines |= {"cons@k": _vote(setting, k), "avg@n": np.full(len(k), c / n)}
    return Curves(k, {key: tuple(line.tolist()) for key, line in lines.items()})


def steady(setting: Setting, k: tuple[int, ...]) -> dict[str, tuple[float, ...]]:
    """Pass@k and pass^k of a model that is always right on a share c/n of the problems, and never on the others."""
    share = setting.c / setting.n
    return {key: (share,) * len(k) for key in ("pass@k", "pass^k")}


@lru_cache(maxsize=256)
def tau_map(setting: Setting) -> tuple[tuple[int, ...], tuple[tuple[float, ...], ...]]:
    """G-Pass@k of one problem: the k, and a row of values for each of `MAP_TAUS`."""
    k = tuple(sorted(set(np.geomspace(1, setting.n, 24).round().astype(int).tolist())))
    rows = _mapped(setting.n, k)[setting.c]
    return k, tuple(map(tuple, rows.T.tolist()))


@lru_cache(maxsize=128)
def _counted(n: int, metric: str | float, k: tuple[int, ...]) -> Floats:
    """A metric that depends on n and c alone, or G-Pass@k at a τ: one row for each c = 0…n, one column for each k.

    A table holds all c at once, so that moving c costs nothing.
    """
    c = np.arange(n + 1)
    if isinstance(metric, float):
        return at_k.g_pass_at_k(n, c, k=k, tau=metric)
    estimators = {"pass@k": at_k.pass_at_k, "pass^k": at_k.pass_hat_k, "mG-Pass@k": at_k.mg_pass_at_k}
    return estimators[metric](n, c, k=k)


@lru_cache(maxsize=32)
def _mapped(n: int, k: tuple[int, ...]) -> Floats:
    """G-Pass@k: one row for each c = 0…n, then one for each k, one column for each of `MAP_TAUS`."""
    return at_k.g_pass_at_k(n, np.arange(n + 1), k=k, tau=MAP_TAUS)


def _vote(setting: Setting, k: tuple[int, ...]) -> Floats:
    alone = setting.n - setting.c - setting.together
    votes = ["right"] * setting.c + ["wrong"] * setting.together + [f"wrong {each}" for each in range(alone)]
    right = [vote == "right" for vote in votes]
    values: Floats = np.asarray(at_k.cons_at_k([votes], [right], k=k))
    return np.asarray(values[0])
