"""What programs call: the endpoints /explore and /score, plain values in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from at_k.demo import curves
from at_k.demo.curves import Setting
from at_k.demo.limits import LIMITS
from at_k.demo.scoring import Options, Scored, score_table
from at_k.demo.words import make_error
from at_k.family import METRICS
from at_k.readers.tables import read_table
from at_k.validation import check_k, check_tau, type_name


def explore(n: int, c: int, k: list[int], taus: list[float], together: int = 0) -> dict[str, float]:
    """Every metric of one problem with n samples, c of them correct, for each k.

    `together` of the wrong samples give the same wrong answer, the others all differ.
    """
    with _refusals():
        setting = Setting(n, c, together)
        options = Options(k=check_k(k), taus=tuple(map(float, check_tau(taus, "taus"))))
        draws = options.k or ()
        if max(draws) > n:
            raise make_error("explore.bad_k", k=max(draws), n=n)
        found = curves.curves(setting, options.taus, *draws)
        return {key: value for each in draws for key, value in found.at(each).items()}


def score_text(
    text: str,
    metrics: list[str] | None = None,
    k: list[int] | None = None,
    taus: list[float] | None = None,
    ties: str = "random",
    missing: str = "error",
    higher_is_better: bool = True,
    columns: dict[str, str] | None = None,
    where: dict[str, Any] | None = None,
    pool: list[str] | None = None,
) -> dict[str, Any]:
    """Every metric that results allow.

    `text` is JSON, JSONL or CSV. `columns` says which column is the problem, the answers, references, grades, scores
    and group, where their names do not. `where` keeps some rows of a file with several models, such as {"model": "a"};
    `pool` names such columns whose rows are samples of one model after all.
    """
    with _refusals():
        if not isinstance(text, str):
            raise TypeError(f"`text` must be a string; got {type_name(text)}")
        options = Options(
            metrics=METRICS if metrics is None else metrics,
            k=None if k is None else check_k(k),
            taus=Options.taus if taus is None else tuple(map(float, check_tau(taus, "taus"))),
            ties=ties,
            missing=missing,
            higher_is_better=higher_is_better,
        )
        table = read_table(text, limits=LIMITS)
        return reported(score_table(table, columns or {}, options, where=where, pool=pool or ())[1])


@contextmanager
def _refusals() -> Iterator[None]:
    """What is wrong with the input reaches the caller as a sentence that is short and can be sent."""
    try:
        yield
    except (TypeError, ValueError) as reason:
        raise gr.Error(str(reason)[:500].encode("utf-8", "replace").decode(), print_exception=False) from None


def reported(scored: Scored) -> dict[str, Any]:
    """What a program gets of scored results."""
    return {
        "results": scored.overall,
        "groups": scored.groups,
        "left_out": {name: str(reason) for name, reason in scored.left_out.items()},
        "notes": list(map(str, scored.notes)),
        "n_problems": len(scored.problems),
        "signatures": scored.signatures,
    }
