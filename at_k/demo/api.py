"""The endpoints that programs call, /explore and /score: plain values in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from at_k.demo import work
from at_k.demo.curves import Setting, draw_curves
from at_k.demo.limits import MAX_EXPLORE_KEYS
from at_k.demo.scoring import CHECKERS, NO_RULE, RELATIONS
from at_k.demo.turns import in_turn
from at_k.demo.words import make_error
from at_k.validation import check_k, check_tau


def explore(n: int, c: int, k: list[int], taus: list[float], together: int = 0) -> dict[str, float]:
    """Compute every metric of one problem with n samples, c of them correct, for each k.

    `together` of the wrong samples give the same wrong answer; the others all differ.
    """
    with _refuse():
        setting = Setting(n, c, together)
        draws, thresholds = check_k(k), tuple(map(float, check_tau(taus, "taus")))
        for name, numbers in {"k": draws, "taus": thresholds}.items():
            if len(numbers) > MAX_EXPLORE_KEYS:
                raise make_error("explore.too_many", name=name, count=len(numbers), limit=MAX_EXPLORE_KEYS)
        if max(draws) > n:
            raise make_error("explore.bad_k", k=max(draws), n=n)
        curves = draw_curves(setting, thresholds, *draws)
        return {str(key): value for each in draws for key, value in curves.at(each).items()}


async def score_text(
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
    scorer: str | None = None,
    filter: str | None = None,
    tests: str | None = None,
    extract_fn: str = NO_RULE,
    check_correct_fn: str = CHECKERS[0],
    equivalence: str = RELATIONS[0],
    request: gr.Request | None = None,
) -> dict[str, Any]:
    """Compute every metric that the results allow.

    `text` is JSON, JSONL or CSV of up to 5 MB: what a harness wrote, or a table with columns of any names. Other files,
    such as Parquet or the .eval of inspect_ai, can be opened on the page Score.

    `missing` says what a missing sample counts as: "error", "incorrect" or "drop". `columns` says which column is the
    problem, the answers, references, grades, scores and group, where their names do not. `where` keeps some rows of a
    file with several models, such as {"model": "a"}; `pool` names such columns whose rows are of one model after all.
    `scorer`, `filter` and `tests` choose one of several in a harness's file. `extract_fn`, `check_correct_fn` and
    `equivalence` are names of rules, checkers and relations of the library that the page Score offers.
    """
    options = {
        "metrics": metrics,
        "k": k,
        "taus": taus,
        "ties": ties,
        "missing": missing,
        "higher_is_better": higher_is_better,
        "extract_fn": extract_fn,
        "check_correct_fn": check_correct_fn,
        "equivalence": equivalence,
    }
    choices = {"scorer": scorer, "filter": filter, "tests": tests}
    reading = {"columns": columns or {}, "where": where, "pool": pool or (), **choices}
    with _refuse():
        found: dict[str, Any] = await in_turn(request, work.score_text, text, options, reading)
        if "error" in found:
            raise ValueError(found["error"])
        return found


@contextmanager
def _refuse() -> Iterator[None]:
    """Tell the caller what is wrong with the input, in a sentence that is short and can be sent."""
    try:
        yield
    except (TypeError, ValueError) as reason:
        raise gr.Error(str(reason)[:500].encode("utf-8", "replace").decode(), print_exception=False) from None
