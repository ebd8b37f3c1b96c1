"""One problem with n samples, c of them correct, in numbers for every k. Plain numbers in and out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import at_k
from at_k.combinatorics import Floats
from at_k.demo.limits import MAX_EXPLORE_N
from at_k.demo.words import make_error
from at_k.report import Curves, spread_k
from at_k.validation import is_integer
from at_k.values import Key

PASS, MEAN, EVERY = Key("pass@k"), Key("mG-Pass@k"), Key("pass^k")
VOTE, AVERAGE = Key("cons@k"), Key("avg@n")


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


@lru_cache(maxsize=256)
def draw_curves(setting: Setting, taus: tuple[float, ...] = (0.25, 0.5, 0.75), *others: int) -> Curves:
    """Compute every metric of one problem for each k of its curve, and for the `others`.

    Examples:
        >>> draw_curves(Setting(4, 2)).lines["pass@k"]
        (0.5, 0.8333333333333334, 1.0, 1.0)
    """
    n, c = setting.n, setting.c
    k = spread_k(n, *others)
    lines = {PASS: _tabulate(n, PASS, k)[c]}
    lines |= {Key("G-Pass@k", None, tau): _tabulate(n, tau, k)[c] for tau in sorted(taus)}
    lines |= {MEAN: _tabulate(n, MEAN, k)[c], EVERY: _tabulate(n, EVERY, k)[c]}
    lines |= {VOTE: count_votes(setting, k), AVERAGE: np.full(len(k), c / n)}
    return Curves(k, {key: tuple(line.tolist()) for key, line in lines.items()})


@lru_cache(maxsize=128)
def _tabulate(n: int, metric: Key | float, k: tuple[int, ...]) -> Floats:
    """Compute a metric that depends on n and c alone, or G-Pass@k at a τ: a row for each c = 0…n, a column for each k.

    A table holds all c at once, so that moving c costs nothing.
    """
    c = np.arange(n + 1)
    if isinstance(metric, float):
        return at_k.g_pass_at_k(n, c, k=k, tau=metric)
    estimators = {PASS: at_k.pass_at_k, EVERY: at_k.pass_hat_k, MEAN: at_k.mg_pass_at_k}
    return estimators[metric](n, c, k=k)


def count_votes(setting: Setting, k: tuple[int, ...]) -> Floats:
    """Compute how likely the vote of k answers is right, for each k.

    Examples:
        >>> count_votes(Setting(3, 2), (1, 3)).round(3).tolist()
        [0.667, 1.0]
    """
    alone = setting.n - setting.c - setting.together
    votes = ["right"] * setting.c + ["wrong"] * setting.together + [f"wrong {each}" for each in range(alone)]
    right = [vote == "right" for vote in votes]
    values: Floats = np.asarray(at_k.cons_at_k([votes], [right], k=k))
    return np.asarray(values[0])
