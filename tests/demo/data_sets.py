"""Results of every kind that the page Score takes, small enough to be enumerated, and the numbers they must give.

A row is a problem: its "id", "answers" and "reference", "correct", "score" and "level", as far as it has them.
"""

import json
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import oracles

from at_k.demo.scoring import Options
from at_k.readers import read_bytes
from at_k.readers.format import Reading

ANSWERED = [
    {"id": "a", "answers": ["1", "2", "1 ", "3"], "reference": "1"},
    {"id": "b", "answers": ["x", "y", "y", "x"], "reference": ["y", "z"]},
    {"id": "c", "answers": ["0", "0", "0", "0"], "reference": "no"},
]
GRADED = [
    {"id": "a", "correct": [1, 0, 1, 1]},
    {"id": "b", "correct": [0, 0, 0, 0]},
    {"id": "c", "correct": [1, 1, 1, 1]},
    {"id": "d", "correct": [0, 1, 0, 0]},
]
BOTH = [
    {"id": "a", "answers": ["1", "2", "2", "3"], "correct": [1, 0, 0, 1]},
    {"id": "b", "answers": ["1", "2", "2", "3"], "correct": [0, 1, 1, 0]},  # the answers of "a", judged anew
    {"id": "c", "answers": ["", "x", "x", ""], "correct": [1, 0, 0, 1]},
]
SILENT = [
    {"id": "a", "answers": ["1", None, "2", "2"], "correct": [1, 1, 0, 0]},
    {"id": "b", "answers": [None, None, None, "x"], "correct": [0, 1, 1, 1]},
]
LEVELS = ["Level 10", "Level 2", "Level 2", "all"]
SCORES = [[0.5, 2.0, 2.0, -1.0], [0.25, 0.25, 0.25, 0.25], [1e3, 1e-7, 0.0, 1e3], [3.0, 1.0, 2.0, 2.0]]


def with_columns(rows, **columns):
    """The rows with more columns, of which longer ones are cut."""
    found = [dict(row) for row in rows]
    for name, column in columns.items():
        for row, cell in zip(found, column, strict=False):
            row[name] = cell
    return found


def without(rows, *places):
    """The rows with some samples missing: without a grade, or, where there are none, without an answer."""
    found = [dict(row) for row in rows]
    for problem, sample in places:
        name = "correct" if "correct" in rows[problem] else "answers"
        found[problem][name] = [None if i == sample else value for i, value in enumerate(found[problem][name])]
    return found


def cut(rows, *n):
    """The rows with the first n samples of each."""
    return [
        {name: cell[:size] if name in ("answers", "correct", "score") else cell for name, cell in row.items()}
        for row, size in zip(rows, n, strict=False)
    ]


FULL = with_columns(BOTH, score=SCORES, level=LEVELS)

KNOWN = ("gpassk", "pass_at_k", "cons_at_k", "avg_at_n", "best_at_k")
"""The metrics that are enumerated below."""

KINDS = {
    "answers": (ANSWERED, {}),
    "verdicts": (GRADED, {}),
    "answers and verdicts": (BOTH, {}),
    "soft grades": ([{"id": 1, "correct": [0.5, 0.51, 0.0, 1.0]}, {"id": 2, "correct": [0.7, 0.2, 0.5, 0.4]}], {}),
    "truth values": ([{"id": 1, "correct": [True, False, False]}, {"id": 2, "correct": [True, True, True]}], {}),
    "soft verdicts": ([{"id": 1, "answers": ["a", "b", "b"], "correct": [0.6, 0.4, 0.4]}], {}),
    "no answer, judged": (SILENT, {}),
    "scores": (with_columns(GRADED, score=SCORES), {}),
    "answers and scores": (with_columns(ANSWERED, score=SCORES), {}),
    "lower scores are better": (with_columns(ANSWERED, score=SCORES), {"higher_is_better": False}),
    "groups": (with_columns(GRADED, level=LEVELS), {}),
    "groups of answers": (with_columns(ANSWERED, level=LEVELS), {}),
    "everything": (FULL, {}),
    "groups off": (FULL, {"groups": False}),
    "ragged": (cut(FULL, 4, 2, 3), {}),
    "ragged answers": (cut(ANSWERED, 1, 4, 3), {}),
    "one problem": (FULL[:1], {}),
    "one sample": (cut(FULL[:1], 1), {}),
    "one sample each": (cut(GRADED, 1, 1, 1, 1), {}),
    "some k": (FULL, {"k": (4, 1, 3), "thresholds": (0.07, 1.0, 0.0)}),
    "some metrics": (SILENT, {"metrics": ["cons_at_k", "pass_at_k"]}),
    "ties, first": (FULL, {"ties": "first"}),
    "ties, strict": (ANSWERED, {"ties": "strict"}),
    "ties, incorrect": (SILENT, {"ties": "incorrect"}),
    "missing answers count": (without(ANSWERED, (0, 0), (2, 1), (2, 2)), {"missing": "incorrect"}),
    "missing answers are dropped": (without(ANSWERED, (0, 0), (2, 1), (2, 2)), {"missing": "drop"}),
    "missing verdicts count": (without(GRADED, (0, 0), (3, 1)), {"missing": "incorrect"}),
    "missing verdicts are dropped": (without(GRADED, (0, 0), (3, 1)), {"missing": "drop"}),
    "missing, with everything, count": (without(FULL, (0, 0), (1, 1), (2, 3)), {"missing": "incorrect"}),
    "missing, with everything, are dropped": (without(FULL, (0, 0), (1, 1), (2, 3)), {"missing": "drop"}),
    "missing and silent count": (without(SILENT, (0, 0), (1, 1)), {"missing": "incorrect", "ties": "first"}),
    "missing and silent are dropped": (without(SILENT, (0, 0), (1, 1)), {"missing": "drop", "ties": "first"}),
    "missing, of answers with scores": (
        without(with_columns(ANSWERED, score=SCORES), (0, 1), (1, 1)),
        {"missing": "drop", "higher_is_better": False},
    ),
}


def samples(rows):
    """Rows as the pages read them."""
    return read_bytes("", "\n".join(map(json.dumps, rows)).encode(), Reading())


def kind(name):
    """The rows, the samples and the options of a kind."""
    rows, options = KINDS[name]
    return rows, samples(rows), Options(**{"metrics": KNOWN} | options)


def by_hand(rows, options):
    """Every key's values, one for each problem, by enumeration."""
    problems = [_settled(row, options.missing) for row in rows]
    smallest = min(len(drawn["correct"]) for drawn in problems)
    powers = {*(2**power for power in range(11) if 2**power <= smallest), smallest}
    published = {k for k in (4, 8, 16) if k <= smallest} or {smallest}
    default = {name: published if name == "gpassk" else powers for name in options.metrics}
    found = defaultdict(list)
    for drawn in problems:
        for name in options.metrics:
            k = sorted(default[name]) if options.k is None else options.k
            for key, value in _of_problem(drawn, k, replace(options, metrics=[name])).items():
                found[key].append(value)
    n = {len(drawn["correct"]) for drawn in problems}
    if "avg_at_n" in options.metrics:
        found[f"avg@{n.pop() if len(n) == 1 else 'n'}"] = found.pop("avg")
    return dict(found)


def _settled(row, missing):
    """What is known of the samples of a problem once it is decided what a missing one is."""
    size = len(row.get("correct") or row["answers"])
    answers = list(row.get("answers") or [None] * size)
    grades = row.get("correct")
    gone = [value is None for value in (grades or answers)]
    if grades is None:
        accepted = row["reference"] if isinstance(row["reference"], list) else [row["reference"]]
        answers = [answer and answer.strip() for answer in answers]
        grades = [int(answer in accepted) for answer in answers]
    columns = {
        "answers": [None if absent else answer for answer, absent in zip(answers, gone, strict=True)],
        "grades": [0 if absent else grade for grade, absent in zip(grades, gone, strict=True)],
        "scores": row.get("score", [0] * size),
        "correct": [not absent and grade > 0.5 for grade, absent in zip(grades, gone, strict=True)],
    }
    if missing == "drop":
        columns = {
            name: [value for value, absent in zip(column, gone, strict=True) if not absent]
            for name, column in columns.items()
        }
    else:
        assert missing == "incorrect" or not any(gone)
    return columns | {"votes": "answers" in row, "chosen": "score" in row}


def _of_problem(drawn, k, options):
    correct, grades = drawn["correct"], drawn["grades"]
    n, c = len(correct), sum(correct)
    values = {}
    for draws in k:
        ways = oracles.correct_drawn(n, c, draws)
        if "pass_at_k" in options.metrics:
            values[f"pass@{draws}"] = oracles.tail(ways, 1)
        if "gpassk" in options.metrics:
            for tau in options.thresholds:
                values[f"G-Pass@{draws}_{tau}"] = oracles.tail(ways, oracles.needed(tau, draws))
            values[f"mG-Pass@{draws}"] = oracles.mg_pass(ways)
        if "cons_at_k" in options.metrics:
            vote = oracles.cons(drawn["answers"], correct, draws, options.ties) if drawn["votes"] else None
            values[f"cons@{draws}"] = oracles.majority(ways) if vote is None else vote
        if "best_at_k" in options.metrics and drawn["chosen"]:
            sign = 1 if options.higher_is_better else -1
            scores = [sign * score for score in drawn["scores"]]
            values[f"best@{draws}"] = oracles.best(scores, correct, draws)
            values[f"max@{draws}"] = sign * oracles.highest(scores, draws)
    if "avg_at_n" in options.metrics:
        values["avg"] = Fraction(c, n)
        values["accuracy"] = sum(map(Fraction, grades)) / n
    return values


def means(values):
    """The mean of each key's values."""
    return {key: sum(column) / len(column) for key, column in values.items()}
