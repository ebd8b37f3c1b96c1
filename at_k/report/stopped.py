"""Sampling that stopped at the first success: recognise it, and keep of it what is defined.

T is the place of a problem's first correct sample, and K the cap, the most samples of any problem. The share of
problems with T ≤ k is pass@k, for k ≤ K. All other numbers take samples for independent, which these are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from at_k.combinatorics import Ints
from at_k.errors import Phrases
from at_k.grading import Verdicts
from at_k.options.option import INDEPENDENT, UNTIL_SUCCESS
from at_k.readers.names import quote
from at_k.validation import K, check_k

_say = Phrases(
    {
        "stopped.missing": "Where sampling stopped at the first success, no sample can be missing; {count:,} are. "
        "Leave the problems that have them out of the file, or name them in one: {option:exclude=names.txt}.",
        "stopped.unlike": "Where sampling stopped at the first success, the last sample of a problem is its only "
        "correct one, or none of {cap:,} is correct. In problem {problem}, {c:,} of {n:,} samples are correct. If "
        "samples were drawn independently, say so: {option:sampling=independent}.",
        "stopped.k_above_cap": "Sampling stopped after {cap:,} samples, which show pass@k for k up to {cap:,}; got "
        "{option:k} = {k}.",
        "stopped.target": "{option:target=problem_set} asks how other samples of these problems would do, which "
        "samples that stopped at the first success do not show. Leave it out.",
        "stopped.unsaid": "Sampling stopped at the first success: each problem has at most one correct sample, its "
        "last one, and those without have {cap:,} samples. The share of problems solved within k samples is all that "
        "is defined: {values}. Ask for it: {option:sampling=until_success}. If the samples were drawn independently "
        "all the same, say so: {option:sampling=independent}.",
    }
)


def settle_sampling(
    verdicts: Verdicts, sampling: str | None, names: Sequence[str] = (), times: Ints | None = None
) -> Verdicts:
    """Mark samples as stopped if the caller says that they are, and raise if they look so and nobody says anything."""
    # `times` says how many problems each of these represents; None for one each.
    if sampling == INDEPENDENT:
        return verdicts
    n, c = verdicts.n, verdicts.c
    cap = int(n.max())
    few = (len(n) if times is None else times.sum()) < 3
    if sampling is None and (few or n.min() == cap or c.max() != 1 or verdicts.n_missing):
        return verdicts
    last = verdicts.correct.values[np.cumsum(n) - 1]
    unlike = ~np.where(c == 1, last, (c == 0) & (n == cap))
    if sampling is None:
        if not unlike.any() and n[c == 1].max() > 1:  # something was tried again
            _refuse_unsaid(verdicts, cap, times)
        return verdicts
    if verdicts.n_missing:
        raise _say.error("stopped.missing", count=verdicts.n_missing)
    if unlike.any():
        place = int(np.argmax(unlike))
        raise _say.error(
            "stopped.unlike", cap=cap, problem=quote(names[place]) if names else place, c=int(c[place]), n=int(n[place])
        )
    return replace(verdicts, stopped=True, conditions={**verdicts.conditions, "sampling": UNTIL_SUCCESS})


def refuse_undefined(verdicts: Verdicts, k: K | None, target: str) -> None:
    """Raise if samples that stopped are asked for more than they show."""
    cap = int(verdicts.n.max())
    if verdicts.stopped and k is not None and max(check_k(k)) > cap:
        raise _say.error("stopped.k_above_cap", cap=cap, k=max(check_k(k)))
    if verdicts.stopped and target == "problem_set":
        raise _say.error("stopped.target")


def _refuse_unsaid(verdicts: Verdicts, cap: int, times: Ints | None) -> None:
    firsts = np.where(verdicts.c == 1, verdicts.n, cap + 1)
    shown = sorted({k for k in (1, 2, 4, 8) if k < cap} | {cap})
    raise _say.error(
        "stopped.unsaid",
        cap=cap,
        values=", ".join(f"pass@{k} {np.average(firsts <= k, weights=times):.3f}" for k in shown),
    )
