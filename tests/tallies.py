"""Data sets of every kind that a tally counts, and what it means that two reports are the same."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import at_k


def make_data(kind, problems=40, seed=0):
    """Problems of 3 to 6 samples: with soft or hard grades, with answers, with scores, of two groups."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 7, problems)
    data = {
        "problem": [f"{seed}-{i}" for i in range(problems)],
        "group": [f"Level {i % 2}" for i in range(problems)],
    }
    if "answers" in kind:
        data["answers"] = [
            [rng.choice(["1", "2", "3", None], p=[0.4, 0.3, 0.2, 0.1]) for _ in range(n)]
            for n in sizes
        ]
        data["references"] = [str(rng.integers(1, 4)) for _ in sizes]
    else:
        data["grades"] = [
            (rng.random(n) if "soft" in kind else rng.integers(0, 2, n)).tolist() for n in sizes
        ]
    if "scores" in kind:
        data["scores"] = [rng.integers(-3, 9, n).tolist() for n in sizes]
    return data


def options_of(kind):
    return {"missing": "incorrect"} if "answers" in kind else {}


def list_samples(data):
    """A row for each sample, as a database has them, in an order in which problems are mixed."""
    sizes = map(len, data.get("answers") or data["grades"])
    places = sorted((sample, problem) for problem, n in enumerate(sizes) for sample in range(n))
    return pa.table(
        {
            name: [
                column[problem][sample]
                if name in ("answers", "grades", "scores")
                else column[problem]
                for sample, problem in places
            ]
            for name, column in data.items()
        }
    )


def split(data, parts):
    """Split a data set into shards of different problems."""
    size = -(-len(data["problem"]) // parts)
    starts = range(0, len(data["problem"]), size)
    return [
        {name: column[start : start + size] for name, column in data.items()} for start in starts
    ]


def assert_close(value, other, rel=1e-12):
    """Two values are the same at every depth, in the order of their keys too, up to the rounding of sums."""
    if isinstance(value, dict):
        assert list(value) == list(other)
        value, other = list(value.values()), list(other.values())
    if isinstance(value, (list, tuple)):
        for part, its in zip(value, other, strict=True):
            assert_close(part, its, rel)
    else:
        assert value == (
            pytest.approx(other, rel=rel, abs=1e-12) if isinstance(other, float) else other
        )


def assert_same(report, other):
    """Two reports say the same: keys, order, signatures, and numbers, up to the rounding of sums of their values."""
    for name in ("values", "errors", "groups"):
        assert_close(getattr(report, name), getattr(other, name))
    bars = [(report.intervals, other.intervals)]
    bars += [
        (report.group_intervals[label], other.group_intervals[label])
        for label in report.group_intervals
    ]
    for mine, its in bars:
        assert list(mine) == list(its)
        for key, bar in mine.items():
            assert (bar.stderr is None, bar.is_upper_bound) == (
                its[key].stderr is None,
                its[key].is_upper_bound,
            )
            low, high = its[key].low, its[key].high
            assert (bar.low, bar.high) == pytest.approx((low, high), rel=1e-11, abs=1e-12)
    assert len(report) == len(other)
    for name in ("signatures", "sizes", "n_samples", "n_missing"):
        assert getattr(report, name) == getattr(other, name)
    for name in ("k", "equal_n", "lines", "bands"):
        assert_close(getattr(report.curves, name), getattr(other.curves, name), 1e-11)


def run_recipes(engine, folder):
    """Run the blocks of docs/scale.md that need Ray or Spark, in a folder of shards: workers have one of their own."""
    data = make_data("hard")
    (folder / "shards").mkdir()
    pq.write_table(list_samples(data), folder / "shards" / "0.parquet")
    text = (Path(__file__).parent.parent / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    recipes = [block for block in blocks if f"{engine}." in block]
    assert recipes
    for recipe in recipes:
        names = {"at_k": at_k}
        exec(recipe.replace("shards/", f"{folder}/shards/"), names)
        assert_same(names["report"], at_k.score(data))


KINDS = ("hard", "answers")
