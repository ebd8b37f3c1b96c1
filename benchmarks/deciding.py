"""Is A better than B? Decisions beside other packages: `python -m benchmarks.deciding` writes docs/appendix.md.

Each package answers the questions that it can, on the same data, if it is installed: SciPy always is, and
passk-inference with the extra `bench`; statsmodels and evalstats are large, and are no dependency.
"""

from __future__ import annotations

import importlib
import json
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import typer
from scipy import stats

from at_k.estimators.counts import pass_at_k
from at_k.uncertainty.comparison import compare_values
from at_k.uncertainty.intervals import interval
from at_k.uncertainty.questions import Questions
from at_k.uncertainty.standard_errors import standard_error
from benchmarks.measure import medians

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "appendix.md"
MARKS = "<!-- peers -->", "<!-- /peers -->"
COUNTS = json.loads(
    (ROOT / "tests" / "data" / "deepscaler_counts.json").read_text(encoding="utf-8")
)
"""The data of passk-inference: 1,060 problems with 128 samples each of a model and its base."""

N_FLIPS = 9_999
Values = Any


def estimate(name: str, k: Any, problems: int = 1060) -> Values:
    """Return pass@k of one of the models in the first problems."""
    return np.asarray(pass_at_k(COUNTS["n"], np.array(COUNTS[name][:problems]), k=k))


def find_band(problems: int = 1060) -> tuple[float, int]:
    """Find the quantile of a band over all k, and the largest k up to which a gain is shown, of the first problems."""
    k = list(range(1, COUNTS["n"] + 1))
    difference = estimate("rl", k, problems) - estimate("base", k, problems)
    q = Questions(difference).find_quantile(0.95)
    low = difference.mean(axis=0) - q * standard_error(difference)[0]
    return q, int(np.argmin(low > 0))


def find_band_of_peer(problems: int = 1060) -> tuple[float, int]:
    """Let passk-inference find the same."""
    from passk_inference import compare

    base, rl = (np.array(COUNTS[name][:problems]) for name in ("base", "rl"))
    n = np.full(len(base), COUNTS["n"])
    found = compare(base, n, rl, n)
    return found["critical_value"], max(found["certified_positive_budgets"])


def flip_with_scipy(difference: Values) -> float:
    """Let SciPy flip the signs of differences."""
    found = stats.permutation_test(
        (difference,),
        np.mean,
        permutation_type="samples",
        n_resamples=N_FLIPS,
        vectorized=True,
        axis=-1,
        batch=1000,
        random_state=0,
    )
    return float(found.pvalue)


def ask_mean(values: Values) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ask for the interval of a mean."""
    yield "at-k", lambda: interval(float(values.mean()), *standard_error(values))
    yield (
        "scipy (BCa)",
        lambda: stats.bootstrap((values,), np.mean, random_state=0).confidence_interval,
    )
    yield (
        "statsmodels (t)",
        lambda: _import("statsmodels.stats.weightstats").DescrStatsW(values).tconfint_mean(),
    )
    yield (
        "evalstats",
        lambda: _limits(_import("evalstats").mean_ci(values, rng=0), "ci_low", "ci_high"),
    )


def ask_pair(a: Values, b: Values) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ask for the interval of a difference in pairs, and for its p-value."""
    yield "at-k", lambda: _limits(compare_values(a, b), "low", "high", "p_value")
    yield (
        "scipy (sign flips, BCa)",
        lambda: (
            *stats.bootstrap((a - b,), np.mean, random_state=0).confidence_interval,
            flip_with_scipy(a - b),
        ),
    )
    yield (
        "statsmodels (t)",
        lambda: _test_by_t(_import("statsmodels.stats.weightstats").DescrStatsW(a - b)),
    )
    yield "evalstats", lambda: _ask_evalstats(a, b)


def ask_zeros_and_ones(a: Values, b: Values) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ask the same of one sample of each problem."""
    yield "at-k (mid-p)", lambda: _limits(compare_values(a, b), "low", "high", "p_value")
    table = [[int(((a == x) & (b == y)).sum()) for y in (1, 0)] for x in (1, 0)]
    yield "scipy (exact)", lambda: (stats.binomtest(table[0][1], table[0][1] + table[1][0]).pvalue,)
    yield (
        "statsmodels (exact)",
        lambda: (_import("statsmodels.stats.contingency_tables").mcnemar(table).pvalue,),
    )
    yield "evalstats", lambda: _ask_evalstats(a, b)


def ask_clusters(
    a: Values, b: Values, clusters: list[int]
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ask the same of problems in clusters."""
    yield "at-k", lambda: _limits(compare_values(a, b, clusters=clusters), "low", "high", "p_value")

    def fit() -> Any:
        groups = {"groups": np.array(clusters)}
        fitted = (
            _import("statsmodels.api")
            .OLS(a - b, np.ones(len(a)))
            .fit(cov_type="cluster", cov_kwds=groups)
        )
        return (*fitted.conf_int()[0], fitted.pvalues[0])

    yield "statsmodels (robust)", fit


def ask_many(models: dict[str, Values]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Ask which pairs of several models differ, together: the largest p-value."""
    table, pairs = np.stack(list(models.values())), list(combinations(range(len(models)), 2))
    yield "at-k (max-T)", lambda: (max(Questions(table.T, pairs=pairs).adjusted),)

    def adjust() -> Any:
        own = [stats.ttest_rel(x, y).pvalue for x, y in combinations(table, 2)]
        return _import("statsmodels.stats.multitest").multipletests(own, method="holm")[1]

    yield "statsmodels (Holm, t)", lambda: (max(adjust()),)

    def rank() -> Any:
        return (
            _import("evalstats")
            .all_pairwise(table, list(models), rng=np.random.default_rng(0))
            .results.values()
        )

    yield "evalstats", lambda: (max(each.p_value for each in rank()),)


def list_questions() -> list[tuple[str, Iterator[tuple[str, Callable[[], Any]]]]]:
    """List what is asked, and of whom."""
    rl, base = (estimate(name, 8, 100) for name in ("rl", "base"))
    one = {
        name: (np.random.default_rng(1).random(100) < estimate(name, 1, 100)) * 1.0
        for name in ("rl", "base")
    }
    rng = np.random.default_rng(0)
    models = {
        f"model {i}": rng.binomial(16, estimate("rl", 1, 100) * (1 - 0.05 * i)) / 16
        for i in range(5)
    }
    return [
        ("interval of 15 of 15", ask_mean(np.ones(15))),
        ("pass@8 of 100 problems: interval", ask_mean(rl)),
        ("two models in pass@8: interval, p", ask_pair(rl, base)),
        ("one sample of each: interval, p", ask_zeros_and_ones(one["rl"], one["base"])),
        ("in 20 clusters: interval, p", ask_clusters(rl, base, [i // 5 for i in range(100)])),
        ("five models: largest adjusted p", ask_many(models)),
        (
            "band over 128 k: q, last gain",
            iter([("at-k", find_band), ("passk_inference", find_band_of_peer)]),
        ),
    ]


def tabulate() -> list[str]:
    """Ask all questions, and write one row for each answer."""
    asked = ("scipy", "statsmodels", "evalstats", "passk_inference")
    known = [name for name in asked if find_spec(name)]
    said = ", ".join(
        f"{name.replace('_', '-')} {version(name.replace('_', '-'))}" for name in known
    )
    rows = [
        f"Of at-k {version('at-k')}, {said}.",
        "",
        "| question | asked | answer | time |",
        "|---|---|--:|--:|",
    ]
    for question, answers in list_questions():
        for place, (name, answer) in enumerate(answers):
            if name.startswith("at-k") or name.partition(" ")[0] in known:
                with warnings.catch_warnings():
                    warnings.simplefilter(
                        "ignore"
                    )  # of data that are all equal, and of methods that are chosen
                    found, (seconds,) = answer(), medians(answer, rounds=3)
                shown = ", ".join(f"{float(each):.4g}" for each in found)
                asking = "" if place else question
                rows.append(
                    f"| {asking} | {name.replace('_', '-')} | {shown} | {seconds * 1000:,.1f} ms |"
                )
    return rows


def _import(name: str) -> Any:
    return importlib.import_module(name)


def _limits(found: Any, *names: str) -> tuple[float, ...]:
    return tuple(getattr(found, name) for name in names)


def _ask_evalstats(a: Values, b: Values) -> tuple[float, ...]:
    rng = np.random.default_rng(0)
    found = _import("evalstats").pairwise_differences(np.stack([a, b]), 0, 1, rng=rng)
    return _limits(found, "ci_low", "ci_high", "p_value")


def _test_by_t(found: Any) -> tuple[float, ...]:
    return (*found.tconfint_mean(), found.ttest_mean()[1])


def main() -> None:
    """Write the table into the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in MARKS)
    table = "\n".join(tabulate())
    DOCUMENT.write_text(f"{text[: start + len(MARKS[0])]}\n{table}\n{text[end:]}", encoding="utf-8")
    print(table)


if __name__ == "__main__":
    typer.run(main)
