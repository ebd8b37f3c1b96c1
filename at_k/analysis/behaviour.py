"""Rules about how a model behaves: what it repeats, finds rarely and votes for, how runs differ, and calibration.

Where there is nothing to find, a rule speaks of at most one data set in twenty: `python -m benchmarks.false_alarms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.analysis.findings import FAR, Findings, Rule, quote
from at_k.combinatorics import Floats
from at_k.errors import Message, Phrases
from at_k.estimators.consensus import VoteCounts
from at_k.report.notes import VOTE_OF_GRADES
from at_k.uncertainty.prediction import predict_cons_at_infinity
from at_k.uncertainty.standard_errors import find_noise_floor, find_within_variance, standard_error
from at_k.values import ErrorBar

# A model rarely repeats the correct answers that it finds if fewer samples than this are correct on average, where
# one is. With three samples or fewer, no model can do that.
RARE = 1 / 3

# The number of samples with the same correct answer that agree, and could have won the vote.
AGREE = 2

# Wrong answers scatter if two wrong samples of a problem give the same one less often than this, and agree if more.
SCATTER = 0.5

# The share of samples that repeat another one's answer above which further samples hardly find other answers.
REPEATED = 0.9

# Two samples that write the same text of 100 characters or more are copies rather than a coincidence, as of a cache
# or of greedy decoding. Copies of code occur without either, so a tenth of the samples may be.
LONG, COPIED = 100, 0.1

# The problems that a sentence names at most.
_EXAMPLES = 5

# High is above 0.8 and low below 0.5 in the page of AISBench on accuracy metrics, which calls both hypothetical.
HIGH, LOW = 0.8, 0.5

# The rows of the decision matrix of AISBench by the levels of pass@k, avg@n and cons@k. Its fourth row, with cons@k
# above pass@k, would be a mistake.
MATRIX: dict[tuple[str | None, ...], str] = {
    ("high", "medium", "low"): "unstable",
    ("medium",) * 3: "even",
    ("low",) * 3: "ineffective",
}

_NAMES = {"pass@k": "passed", "avg@n": "average", "cons@k": "cons"}

# Runs differ if samples without an order would differ as much with at most this probability. It is small, since the
# test is made for every data set.
CHANCE = 0.001

# The calibrated votes that are drawn to see how large their calibration error is by chance.
_DRAWS = 200

_say = Phrases(
    {
        "diagnosis.copies": "Of {texts:,} samples with {long} characters or more, {copied:,} ({share:.1%}; the rule: "
        "more than {limit:.0%}) are equal to another sample of their problem. Texts of this length are rarely drawn "
        "twice: look for a cache, a fixed seed or a temperature of 0.",
        "diagnosis.repeated": "Samples that give the same answer as another sample of their problem: {share} (the "
        "rule: more than {limit}). Further samples would hardly find other answers.",
        "diagnosis.rarely": "The model finds correct answers that it rarely repeats: in the {solved:,} problems with a "
        "correct sample, the share of correct samples is {share} on average (the rule: less than {limit:.3f}).",
        "diagnosis.votes_right": "A vote is better than a single sample: {key} is {value}, and {average} is {mean}. "
        "The difference is {gap} (the rule: more than {limit}).",
        "diagnosis.votes_wrong": "A vote is worse than a single sample: {key} is {value}, and {average} is {mean}. The "
        "difference is {gap} (the rule: less than −{limit}).",
        "diagnosis.wrong_scatter": "Wrong answers scatter: where a problem has several, two of them are equal with "
        "probability {share} (the rule: less than {limit}; such problems: {problems:,}).",
        "diagnosis.wrong_agree": "Wrong answers agree: where a problem has several, two of them are equal with "
        "probability {share} (the rule: more than {limit}; such problems: {problems:,}).",
        "diagnosis.wrong_majority": "Problems whose most frequent answer is wrong, although {least} samples or more "
        "agree on a correct one: {count:,} of {total:,}, for instance {names}.",
        "diagnosis.unstable": "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a high "
        "{passed}, a medium {average} and a low {cons}: much potential, little stability. It advises to make answers "
        "more consistent, by the temperature or by a vote.",
        "diagnosis.even": "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a medium "
        "{passed}, {average} and {cons}: balanced, with room to improve. It advises to work on both data and prompts.",
        "diagnosis.ineffective": "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a low "
        "{passed}, {average} and {cons}: close to no effect. It advises to train again, or to take another model.",
        "diagnosis.stability": "Two samples of a problem differ in their verdict with probability {flip:.3f}. Two "
        "single runs of this model differ by up to {floor:.3f} in accuracy, in 95 % of pairs.",
        "diagnosis.runs": "If sample i of every problem is of run i, the accuracy of the {runs} runs lies between "
        "{least:.3f} and {most:.3f}, with a standard deviation of {sd:.4f}.",
        "diagnosis.runs_differ": "These runs differ more than samples of one model do: run {least} has "
        "{least_accuracy:.3f}, and run {most} has {most_accuracy:.3f} (Cochran's Q, p = {p_value:.1g}; the rule: below "
        "{limit}). Either the runs were made under different conditions, or the samples are sorted.",
        "diagnosis.clusters": "Clusters of problems: {count:,}. The share of correct samples varies {design:.2f} times "
        "as much as that of the same number of unrelated problems; its interval counts them as {units:.1f}.",
        "diagnosis.vote_confidence": "The share of a vote as a confidence: the share of the leading answer has the "
        "expected calibration error {ece:.3f} ({chance:.3f} on average if every share were the chance to be correct); "
        "the Brier score is {brier:.3f}.",
        "diagnosis.score_confidence": "The scores lie in [0, 1], and may be confidences: they are {said:.3f} on "
        "average, and {right:.3f} of the samples are correct. {bias} The expected calibration error is {ece:.3f}; "
        "the Brier score is {brier:.3f}.",
        "diagnosis.overconfident": "It promises too much, by {gap} (the rule: more than {limit}).",
        "diagnosis.underconfident": "It promises too little: the difference is {gap} (the rule: less than −{limit}).",
        "diagnosis.no_bias": "A bias of more than {limit} is not shown: the difference is {gap}.",
    }
)


def look_for_copies(findings: Findings) -> Iterator[Message]:
    """Find how many samples repeat the answer of another sample of their problem."""
    answers, counts = findings.answers, findings.all_votes
    if answers is None or counts is None:
        return
    cast = np.bincount(counts.problem, weights=counts.count, minlength=len(findings.n))
    several = cast > 1
    lengths = np.array([len(str(text)) for text in answers.distinct], dtype=np.int64)
    long = several[counts.problem] & (lengths[answers.codes.values[counts.first_seen]] >= LONG)
    again = counts.count > 1
    repeated = np.bincount(
        counts.problem[again], weights=counts.count[again], minlength=len(findings.n)
    )
    texts = int(counts.count[long].sum())
    copied = int(counts.count[long & again].sum())
    if texts:
        findings.figures["copied"] = copied / texts
    if several.any():
        share = findings.estimate(repeated / np.maximum(cast, 1), several)
        findings.figures["repeated"] = share._asdict()
    if texts and copied / texts > COPIED:
        yield _say(
            "diagnosis.copies",
            texts=texts,
            long=LONG,
            copied=copied,
            share=copied / texts,
            limit=COPIED,
        )
    elif several.any() and share.low > REPEATED:
        yield _say("diagnosis.repeated", share=str(share), limit=REPEATED)


def weigh_retries(findings: Findings) -> Iterator[Message]:
    """Find whether correct answers are rare in the problems that have one."""
    if {"pass@k", "avg@n"} <= findings.keys.keys():
        findings.figures["pass_minus_avg"] = findings.compare_keys("pass@k", "avg@n")._asdict()
    solved = findings.c > 0
    if not solved.any():
        return
    share = findings.estimate(findings.c / findings.n, solved)
    findings.figures["correct_where_solved"] = share._asdict()
    if share.high < RARE:
        yield _say("diagnosis.rarely", solved=int(solved.sum()), share=str(share), limit=RARE)


def weigh_vote(findings: Findings) -> Iterator[Message]:
    """Compare cons@k with avg@n: is a vote better than a sample? Grades alone do not vote."""
    if not {"cons@k", "avg@n"} <= findings.keys.keys():
        return
    key = findings.keys["cons@k"]
    average = findings.keys["avg@n"]
    if key not in findings.report.values or VOTE_OF_GRADES in findings.report.notes:
        return
    gap = findings.compare_keys("cons@k", "avg@n")
    findings.figures["cons_minus_avg"] = gap._asdict()
    if findings.counts is not None:
        limit = predict_cons_at_infinity(list_votes(findings.counts))
        findings.figures["cons_at_infinity"] = limit._asdict()
    if gap.is_far:
        yield _say(
            "diagnosis.votes_right" if gap.value > 0 else "diagnosis.votes_wrong",
            key=str(key),
            value=findings.write(key),
            average=str(average),
            mean=findings.write(average),
            gap=gap.signed,
            limit=FAR,
        )


def list_votes(counts: VoteCounts) -> list[tuple[list[int], list[bool]]]:
    """List the votes for each answer of each problem, and whether it is correct."""
    order = np.argsort(counts.problem, kind="stable")
    bounds = np.searchsorted(counts.problem[order], np.arange(len(counts.n) + 1)).tolist()
    votes = counts.count[order].tolist()
    correct = counts.correct[order].tolist()
    return [(votes[i:j], correct[i:j]) for i, j in pairwise(bounds)]


def weigh_wrong_answers(findings: Findings) -> Iterator[Message]:
    """Find whether two wrong samples of a problem give the same answer, in the problems with two or more."""
    if findings.counts is None:
        return
    counts = findings.counts
    total = len(findings.n)
    of = counts.problem[~counts.correct]
    count = counts.count[~counts.correct]
    wrong = np.bincount(of, weights=count, minlength=total)
    pairs = wrong * (wrong - 1)
    several = pairs > 0
    if not several.any():
        return
    equal = np.bincount(of, weights=count * (count - 1), minlength=total)
    share = findings.estimate(equal / np.maximum(pairs, 1), several)
    findings.figures["wrong_agreement"] = share._asdict()
    if share.high < SCATTER or share.low > SCATTER:
        rule = "diagnosis.wrong_scatter" if share.high < SCATTER else "diagnosis.wrong_agree"
        yield _say(rule, problems=int(several.sum()), share=str(share), limit=SCATTER)


def find_wrong_majorities(findings: Findings) -> Iterator[Message]:
    """Find the problems whose leading answer is wrong, although correct answers agree."""
    if findings.counts is None:
        return
    counts = findings.counts
    total = len(findings.n)
    right, wrong = (np.zeros(total, dtype=np.int64) for _ in range(2))
    np.maximum.at(right, counts.problem[counts.correct], counts.count[counts.correct])
    np.maximum.at(wrong, counts.problem[~counts.correct], counts.count[~counts.correct])
    names = [
        findings.report.problems[problem]
        for problem in np.flatnonzero((right >= AGREE) & (wrong > right))
    ]
    findings.figures["wrong_majority"] = {"count": len(names), "problems": names}
    if names:
        examples = ", ".join(map(quote, names[:_EXAMPLES]))
        yield _say(
            "diagnosis.wrong_majority", least=AGREE, count=len(names), total=total, names=examples
        )


def place_in_matrix(findings: Findings) -> Iterator[Message]:
    """Find the row of the decision matrix of AISBench, if there is one for levels that the intervals settle."""
    if len(findings.keys) < 3 or findings.keys["pass@k"].k == 1:
        return  # for k = 1 the three are one value
    levels = {metric: find_level(findings.bars[findings.keys[metric]]) for metric in _NAMES}
    findings.figures["levels"] = levels
    row = MATRIX.get(tuple(levels.values()))
    if row is not None:
        written = {
            _NAMES[metric]: f"{key} {findings.write(key)}" for metric, key in findings.keys.items()
        }
        yield _say(f"diagnosis.{row}", high=HIGH, low=LOW, **written)


def find_level(bar: ErrorBar) -> str | None:
    """Find the level that a whole interval lies in; None if it reaches across a threshold."""
    if bar.low > HIGH:
        return "high"
    if bar.high < LOW:
        return "low"
    return "medium" if bar.low >= LOW and bar.high <= HIGH else None


def describe_stability(findings: Findings) -> Iterator[Message]:
    """Describe how much the samples of a problem differ, and whether the runs differ more than samples do."""
    within = find_within_variance(findings.n, findings.c)
    runs = np.zeros(0)
    if np.isnan(within):
        return
    # Without the samples, or after some were dropped, samples at the same place are not of the same run.
    if (
        findings.verdicts is not None
        and findings.verdicts.kept is None
        and findings.verdicts.correct.width is not None
    ):
        correct = findings.verdicts.correct
        runs = correct.values.reshape(len(correct), -1).mean(axis=0)
    spread = None
    if len(runs) > 1:
        spread = float(runs.std(ddof=1))
    findings.figures["stability"] = figures = {
        "noise_floor": find_noise_floor(findings.n, findings.c),
        "within_variance": within,
        "flip_rate": 2 * within,
        "run_accuracy": runs.tolist(),
        "run_sd": spread,
    }
    if within:
        yield _say("diagnosis.stability", flip=2 * within, floor=figures["noise_floor"])
    if spread is None:
        return
    least = int(runs.argmin())
    most = int(runs.argmax())
    yield _say(
        "diagnosis.runs",
        runs=len(runs),
        least=float(runs[least]),
        most=float(runs[most]),
        sd=spread,
    )
    p_value = figures["run_p"] = find_run_p(len(findings.n), len(runs), spread, within)
    if p_value is not None and p_value < CHANCE:
        yield _say(
            "diagnosis.runs_differ",
            least=least + 1,
            least_accuracy=float(runs[least]),
            most=most + 1,
            most_accuracy=float(runs[most]),
            p_value=p_value,
            limit=CHANCE,
        )


def find_run_p(problems: int, runs: int, sd: float, within: float) -> float | None:
    """Compute the p-value of Cochran's Q test: do runs differ? None if no problem has two verdicts."""
    # (runs − 1)·M·sd²/within is χ² for many problems: W. Cochran, Biometrika 37, 1950.
    from scipy.stats import chi2

    if within:
        return float(chi2.sf((runs - 1) * problems * sd**2 / within, runs - 1))
    return None


def describe_clusters(findings: Findings) -> Iterator[Message]:
    """Say how much clusters widen the interval, where intervals are made with clusters."""
    clusters = findings.report.clusters
    shares = findings.c / findings.n
    if clusters is None or len(set(clusters)) == 1:
        return
    (together, units), (alone, _) = (
        standard_error(shares, clusters=clusters),
        standard_error(shares),
    )
    if not alone > 0:
        return
    design = float(together / alone) ** 2
    findings.figures |= {"design_effect": design, "independent_problems": float(units)}
    yield _say("diagnosis.clusters", count=len(set(clusters)), design=design, units=float(units))


def measure_calibration(
    confidence: Floats, correct: Floats, /, *, bins: int = 10
) -> dict[str, Any]:
    """Compute the expected calibration error Σ_b (n_b/N)·|accuracy_b − confidence_b|, and the Brier score (f − y)²."""
    # The reliability curve has the mean confidence, the share of correct ones, and how many each bin holds. No bin that
    # holds some is skipped: C. Guo et al., https://arxiv.org/abs/1706.04599.
    index = find_bins(confidence, bins)
    count = np.bincount(index)
    held = np.flatnonzero(count)
    count = count[held]
    promised, right = (
        np.bincount(index, weights=column)[held] / count for column in (confidence, correct)
    )
    # A chance y to be correct has the expected square (f − 1)²·y + f²·(1 − y).
    brier = float(np.mean(confidence**2 - 2 * confidence * correct + correct))
    ece = float(count / len(confidence) @ np.abs(promised - right))
    curve = {"confidence": promised.tolist(), "accuracy": right.tolist(), "count": count.tolist()}
    return {"ece": ece, "brier": brier, **curve}


_ERRORS = ("ece", "brier")


def find_bins(confidence: Floats, bins: int = 10) -> NDArray[np.intp]:
    """Return the bin of each confidence."""
    return np.searchsorted((np.arange(bins + 1) / bins)[1:-1], confidence, side="left")


def list_confidences(findings: Findings) -> dict[str, tuple[Floats, Floats]]:
    """List the share of each problem's leading answer and the score of each sample, with what is correct."""
    signals = {}
    if findings.counts is not None:
        signals = {"vote": measure_vote_shares(findings.counts)}
    if findings.problems is None or findings.verdicts is None or findings.problems.scores is None:
        return signals
    scores, kept = findings.problems.scores.values, findings.verdicts.kept
    if scores.ndim > 1 or findings.report.options.get("higher_is_better") is False:
        return signals
    if kept is not None:
        scores = scores[kept]
    if ((scores >= 0) & (scores <= 1)).all():
        signals["score"] = scores, findings.verdicts.correct.values.astype(np.float64)
    return signals


def measure_vote_shares(counts: VoteCounts) -> tuple[Floats, Floats]:
    """Compute the share of each problem's leading answer, and whether it is correct; of tied ones, the mean of both."""
    total = len(counts.n)
    most = np.zeros(total, dtype=np.int64)
    np.maximum.at(most, counts.problem, counts.count)
    leads = counts.count == most[counts.problem]
    leaders = np.bincount(counts.problem[leads], minlength=total)
    right = np.bincount(counts.problem[leads & counts.correct], minlength=total)
    return most / counts.n, right / np.maximum(leaders, 1)


def describe_calibration(findings: Findings) -> Iterator[Message]:
    """Describe how well the share of a vote, or scores in [0, 1], agree with what is correct."""
    pairs = list_confidences(findings)
    findings.figures["calibration"] = figures = {
        name: measure_calibration(*pair) for name, pair in pairs.items()
    }
    if "vote" in pairs and (findings.n > 1).all():
        chance = figures["vote"]["ece_if_calibrated"] = find_chance_error(pairs["vote"][0])
        yield _say(
            "diagnosis.vote_confidence",
            chance=chance,
            **{part: figures["vote"][part] for part in _ERRORS},
        )
    if "score" in pairs and findings.verdicts is not None:
        scores, right = pairs["score"]
        put, n = findings.verdicts.correct.with_values, findings.verdicts.n
        gap = findings.compare(put(scores).sums() / n, put(right).sums() / n)
        figures["score"]["overconfidence"] = gap._asdict()
        rule = "no_bias"
        if gap.is_far:
            rule = "overconfident" if gap.value > 0 else "underconfident"
        yield _say(
            "diagnosis.score_confidence",
            said=float(scores.mean()),
            right=float(right.mean()),
            bias=_say(f"diagnosis.{rule}", gap=gap.signed, limit=FAR),
            **{part: figures["score"][part] for part in _ERRORS},
        )


def find_chance_error(said: Floats) -> float:
    """Compute the mean expected calibration error of answers that are correct exactly as often as they promise."""
    # The bins depend on what is promised alone
    random = np.random.default_rng(0)
    place = find_bins(said)
    gaps = (np.bincount(place, (random.random(len(said)) < said) - said) for _ in range(_DRAWS))
    return float(np.mean([np.abs(gap).sum() for gap in gaps])) / len(said)


RULES: tuple[Rule, ...] = (
    look_for_copies,
    weigh_retries,
    weigh_vote,
    weigh_wrong_answers,
    find_wrong_majorities,
    place_in_matrix,
    describe_stability,
    describe_clusters,
    describe_calibration,
)
