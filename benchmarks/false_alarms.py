"""False alarms of the rules of a diagnosis, where there is nothing to find: `python -m benchmarks.false_alarms`.

Each data set is drawn from a model of which the sentence is not true: plain ones, such as coin flips, and those at the
threshold of a rule, where it speaks most often. It writes the table in docs/diagnosis.md, in five minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from at_k.analysis.diagnosis import Diagnosis, diagnose
from at_k.errors import Message

DOCUMENT = Path(__file__).parents[1] / "docs" / "diagnosis.md"
MARKS = "<!-- false alarms -->", "<!-- /false alarms -->"

MOST = 0.05
"""No rule speaks more often than this."""

Data = dict[str, Any]
Draw = Callable[[np.random.Generator, int, int], Data]
"""From random numbers, how many problems there are and how many samples of each, to a data set."""


def draw_calibrated_scores(rng: np.random.Generator, problems: int, n: int) -> Data:
    scores = rng.random((problems, n))
    return {"grades": _list(rng.random((problems, n)) < scores), "scores": _list(scores)}


def draw_coins(rng: np.random.Generator, problems: int, n: int) -> Data:
    return {"grades": _list(rng.random((problems, n)) < 0.5)}


def draw_uniform(rng: np.random.Generator, problems: int, n: int) -> Data:
    """Draw problems whose difficulties are spread evenly, half of them above one half."""
    return {"grades": _list(rng.random((problems, n)) < rng.random((problems, 1)))}


def draw_yes_or_no(rng: np.random.Generator, problems: int, n: int) -> Data:
    right = rng.random((problems, n)) < rng.random((problems, 1))
    return {"answers": np.where(right, "yes", "no").tolist(), "references": ["yes"] * problems}


def draw_thirds(rng: np.random.Generator, problems: int, n: int) -> Data:
    """Draw problems in which a third of the samples are correct, if one is: n is a multiple of three."""
    right = np.arange(n) < n // 3 + rng.integers(-1, 2, (problems, 1))
    return {"grades": _list(rng.permuted(right, axis=1))}


def draw_two_wrong(rng: np.random.Generator, problems: int, n: int) -> Data:
    """Draw answers of which two wrong ones are equal half of the time."""
    answers = np.where(rng.random((problems, n)) < 0.5, "a", rng.choice(["b", "c"], (problems, n)))
    return {"answers": answers.tolist(), "references": ["a"] * problems}


def draw_new_answers(rng: np.random.Generator, problems: int, n: int) -> Data:
    """Draw answers of which every tenth is one that no other sample gives."""
    new = rng.random((problems, n)) < 0.1
    answers = [[f"new {i}" if each else "usual" for i, each in enumerate(row)] for row in new]
    return {"answers": answers, "references": ["usual"] * problems}


def draw_texts(rng: np.random.Generator, problems: int, n: int) -> Data:
    """Draw long texts, each for itself, which do not repeat."""
    answers = [
        ["".join(map(chr, rng.integers(97, 123, 120))) for _ in range(n)] for _ in range(problems)
    ]
    return {"answers": answers, "grades": _list(rng.random((problems, n)) < 0.5)}


def draw_sure(rng: np.random.Generator, problems: int, n: int) -> Data:
    """Draw problems of which one in twenty has samples that differ."""
    chances = np.where(rng.random((problems, 1)) < 0.06, 0.5, rng.random((problems, 1)) < 0.5)
    return {"grades": _list(rng.random((problems, n)) < chances)}


def draw_share(share: float) -> Draw:
    """Draw problems that are always solved, or never: pass@k, avg@n and cons@k are this share."""
    return lambda rng, problems, n: {
        "grades": _list(np.repeat(rng.random((problems, 1)) < share, n, axis=1))
    }


CASES: list[tuple[str, str, Draw, int]] = [
    ("diagnosis.overconfident", "calibrated scores", draw_calibrated_scores, 4),
    ("diagnosis.underconfident", "calibrated scores", draw_calibrated_scores, 4),
    ("diagnosis.rarely", "coin flips", draw_coins, 4),
    ("diagnosis.rarely", "coin flips", draw_coins, 16),
    ("diagnosis.rarely", "uniform difficulties", draw_uniform, 4),
    ("diagnosis.rarely", "a third correct on average", draw_thirds, 9),
    ("diagnosis.votes_right", "uniform difficulties, yes or no", draw_yes_or_no, 5),
    ("diagnosis.votes_wrong", "uniform difficulties, yes or no", draw_yes_or_no, 5),
    ("diagnosis.wrong_scatter", "two wrong answers, equally frequent", draw_two_wrong, 8),
    ("diagnosis.wrong_agree", "two wrong answers, equally frequent", draw_two_wrong, 8),
    ("diagnosis.repeated", "every tenth answer is new", draw_new_answers, 8),
    ("diagnosis.copies", "texts drawn one by one", draw_texts, 4),
    ("diagnosis.no_variation", "samples differ in 6 % of the problems", draw_sure, 8),
    ("diagnosis.runs_differ", "uniform difficulties", draw_uniform, 8),
    ("diagnosis.ineffective", "all three values are 0.5", draw_share(0.5), 4),
    ("diagnosis.even", "all three values are 0.801", draw_share(0.801), 4),
    ("diagnosis.even", "all three values are 0.499", draw_share(0.499), 4),
    ("diagnosis.unstable", "coin flips", draw_coins, 4),
]
"""The rule, where there is nothing to find, how that is drawn, and n."""


def _list(values: np.ndarray[Any, Any]) -> list[list[float]]:
    """List numbers, or truth values as numbers."""
    return [[float(each) for each in row] for row in values]


def list_codes(found: Diagnosis) -> set[str]:
    """List the rules that spoke, with those whose sentence is inside another one."""
    messages = list(found.sentences)
    messages += [
        each for own in found.sentences for each in own.values.values() if isinstance(each, Message)
    ]
    return {each.code for each in messages}


def count_alarms(
    draw: Draw, n: int, *, problems: int, repetitions: int, seed: int = 0
) -> Mapping[str, float]:
    """Return the share of data sets in which each rule spoke."""
    rng = np.random.default_rng(seed)
    counts: dict[str, int] = {}
    for _ in range(repetitions):
        for code in list_codes(diagnose(draw(rng, problems, n))):
            counts[code] = counts.get(code, 0) + 1
    return {code: count / repetitions for code, count in counts.items()}


def tabulate(repetitions: int) -> list[str]:
    """Write the table: for each rule, how often it spoke of 20 and of 100 problems."""
    measured = {
        (draw, n, problems): count_alarms(draw, n, problems=problems, repetitions=repetitions)
        for draw, n in {(draw, n): None for _, _, draw, n in CASES}
        for problems in (20, 100)
    }
    rows = ["| rule | nothing to find | n | 20 problems | 100 problems |", "|---|---|---|---|---|"]
    for code, where, draw, n in CASES:
        shares = [measured[draw, n, problems].get(code, 0.0) for problems in (20, 100)]
        rows.append(f"| `{code}` | {where} | {n} | {shares[0]:.1%} | {shares[1]:.1%} |")
    return rows


def main(repetitions: int = 400) -> None:
    """Write the table into the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in MARKS)
    table = "\n".join(tabulate(repetitions))
    DOCUMENT.write_text(f"{text[: start + len(MARKS[0])]}\n{table}\n{text[end:]}", encoding="utf-8")


if __name__ == "__main__":
    main()
