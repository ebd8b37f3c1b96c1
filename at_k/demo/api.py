"""The endpoints that programs call: plain values in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from at_k.demo import work
from at_k.demo.curves import Setting, draw_curves
from at_k.demo.guard import BUSY
from at_k.demo.limits import MAX_EXPLORE_KEYS
from at_k.demo.scoring import NO_RULE, OPTIONS
from at_k.demo.turns import BusyError, find_address, in_turn
from at_k.demo.words import language_of, make_error, say
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


async def score(
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
    check_correct_fn: str = OPTIONS["check_correct_fn"].default,
    equivalence: str = OPTIONS["equivalence"].default,
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
        "thresholds": taus,
        "ties": ties,
        "missing": missing,
        "higher_is_better": higher_is_better,
        "extract_fn": extract_fn,
        "check_correct_fn": check_correct_fn,
        "equivalence": equivalence,
    }
    reading = {"columns": columns or {}, "where": where, "pool": pool or ()}
    return await _ask(
        request, work.score_text, text, options, reading | {"scorer": scorer, "filter": filter, "tests": tests}
    )


async def compare(
    a: str,
    b: str,
    k: list[int] | None = None,
    taus: list[float] | None = None,
    missing: str = "error",
    unmatched: str = "error",
    margin: float | None = None,
    columns: dict[str, str] | None = None,
    extract_fn: str = NO_RULE,
    check_correct_fn: str = OPTIONS["check_correct_fn"].default,
    request: gr.Request | None = None,
) -> dict[str, Any]:
    """Compare two models on the same problems: each difference with its interval and p-value, as `at_k.compare`.

    `a` and `b` are texts, as of /score. `unmatched` says what becomes of problems that only one has: "error", "drop" or
    "unpaired". `margin` is a difference that does not matter, between 0 and 1.
    """
    options: dict[str, Any] = {"k": k, "thresholds": taus, "missing": missing}
    options |= {"extract_fn": extract_fn, "check_correct_fn": check_correct_fn, "groups": False}
    compared = {"margin": margin, "unmatched": unmatched}
    return await _ask(request, work.compare_texts, [a, b], options, {"columns": columns or {}}, compared)


async def plan(
    text: str,
    k: int = 1,
    tau: float | None = None,
    problems: list[int] | None = None,
    samples: list[int] | None = None,
    half_width: float | None = None,
    detect: float | None = None,
    missing: str = "error",
    columns: dict[str, str] | None = None,
    request: gr.Request | None = None,
) -> dict[str, Any]:
    """Plan a measurement from the results of a pilot, as `at_k.plan`.

    `text` is a text as of /score. The answer has, for numbers of `problems` (rows) and `samples` (columns), half of the
    width of the interval to be expected, and the smallest difference between two models that would be found; and how
    many problems reach the half width, or find the difference, that is asked for.
    """
    planned = {"k": k, "tau": tau, "problems": problems, "samples": samples}
    planned |= {"half_width": half_width, "detect": detect}
    options = {"missing": missing, "groups": False}
    return await _ask(request, work.plan_text, text, options, {"columns": columns or {}}, planned)


ENDPOINTS: tuple[Callable[..., Any], ...] = (explore, score, compare, plan)


async def _ask(request: gr.Request | None, function: Callable[..., dict[str, Any]], *args: Any) -> dict[str, Any]:
    """Have work done in the turn of whoever asks."""
    address, session = ("", "") if request is None else (find_address(request), str(request.session_hash or ""))
    with _refuse(request):
        found: dict[str, Any] = await in_turn(address, session, work.call, function, *args)
        if "error" in found:
            raise ValueError(found["error"])
        return found


@contextmanager
def _refuse(request: gr.Request | None = None) -> Iterator[None]:
    """Tell the caller what is wrong with the input, in a sentence that is short and can be sent."""
    try:
        yield
    except (TypeError, ValueError) as reason:
        raise gr.Error(str(reason)[:500].encode("utf-8", "replace").decode(), print_exception=False) from None
    except BusyError:
        language = None
        if request is not None and request.request is not None:
            request.request.scope[BUSY] = True
            language = request.headers.get("accept-language")
        raise gr.Error(say(language_of(language), "serving.busy"), print_exception=False) from None
