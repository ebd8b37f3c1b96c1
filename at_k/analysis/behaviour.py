"""Rules about what the model does: what it repeats, finds rarely, and votes for.

Where there is nothing to find, a rule speaks of at most one data set in twenty: `python -m benchmarks.false_alarms`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from at_k.analysis.findings import FAR, Findings, Rule, quote
from at_k.errors import Message, Phrases
from at_k.report.notes import VOTE_OF_GRADES
from at_k.values import ErrorBar

RARE = 1 / 3
"""A model rarely repeats the correct answers that it finds if fewer samples than this are correct on average, where one
is. With three samples or fewer, no model can do that."""

AGREE = 2
"""So many samples with the same correct answer agree, and could have won the vote."""

SCATTER = 0.5
"""Wrong answers scatter if two wrong samples of a problem give the same one less often than this, and agree if more."""

REPEATED = 0.9
"""Where more than this share of samples repeats another one's answer, further samples hardly find other answers."""

LONG, COPIED = 100, 0.1
"""Two samples that write the same text of 100 characters or more are copies rather than a coincidence, as of a cache or
of greedy decoding. Copies of code occur without either, so a tenth of the samples may be."""

_EXAMPLES = 5
"""The problems that a sentence names at most."""

HIGH, LOW = 0.8, 0.5
"""High is above 0.8 and low below 0.5 in the page of AISBench on accuracy metrics, which calls both hypothetical."""

MATRIX: dict[tuple[str | None, ...], str] = {
    ("high", "medium", "low"): "unstable",
    ("medium",) * 3: "even",
    ("low",) * 3: "ineffective",
}
"""The rows of the decision matrix of AISBench by the levels of pass@k, avg@n and cons@k. Its fourth row, with cons@k
above pass@k, would be a mistake."""

TARGETS = {
    "reliability": {"cons@k": 0.8, "pass@k": 0.9},
    "tolerance": {"pass@k": 0.8, "avg@n": 0.7},
    "balance": {"avg@n": 0.75},
}
"""What AISBench asks of three kinds of use: all of these values must be above these numbers."""

_NAMES = {"pass@k": "passed", "avg@n": "average", "cons@k": "cons"}

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
        "{passed}, {average} and {cons}: balanced, with room to improve. It advises to work on data and prompts alike.",
        "diagnosis.ineffective": "The decision matrix of AISBench (high: above {high}; low: below {low}) says of a low "
        "{passed}, {average} and {cons}: close to no effect. It advises to train again, or to take another model.",
        "diagnosis.reliability": "Where every answer must be reliable, AISBench asks for cons@k above {cons_target} "
        "and pass@k above {passed_target}. {verdict} Here: {cons}, {passed}.",
        "diagnosis.tolerance": "Where some of several tries may fail, AISBench asks for pass@k above {passed_target} "
        "and avg@n above {average_target}. {verdict} Here: {passed}, {average}.",
        "diagnosis.balance": "For a general assistant, AISBench asks for avg@n above {average_target}. {verdict} Here: "
        "{average}.",
        "diagnosis.met": "The target is met.",
        "diagnosis.missed": "The target is missed.",
        "diagnosis.not_settled": "The intervals do not settle whether the target is met.",
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
    repeated = np.bincount(counts.problem[again], weights=counts.count[again], minlength=len(findings.n))
    texts, copied = int(counts.count[long].sum()), int(counts.count[long & again].sum())
    findings.figures["copied"] = copied / texts if texts else None
    if several.any():
        share = findings.estimate(repeated / np.maximum(cast, 1), several)
        findings.figures["repeated"] = share._asdict()
    if texts and copied / texts > COPIED:
        yield _say("diagnosis.copies", texts=texts, long=LONG, copied=copied, share=copied / texts, limit=COPIED)
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
    if not {"cons@k", "avg@n"} <= findings.keys.keys() or VOTE_OF_GRADES in findings.report.notes:
        return
    key, average = findings.keys["cons@k"], findings.keys["avg@n"]
    gap = findings.compare_keys("cons@k", "avg@n")
    findings.figures["cons_minus_avg"] = gap._asdict()
    if gap.is_far:
        yield _say(
            "diagnosis.votes_right" if gap.value > 0 else "diagnosis.votes_wrong",
            key=str(key), value=findings.write(key), average=str(average), mean=findings.write(average),
            gap=gap.signed, limit=FAR,
        )  # fmt: skip


def weigh_wrong_answers(findings: Findings) -> Iterator[Message]:
    """Find whether two wrong samples of a problem give the same answer, in the problems with two or more."""
    if findings.counts is None:
        return
    counts, total = findings.counts, len(findings.n)
    of, count = counts.problem[~counts.correct], counts.count[~counts.correct]
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
    counts, total = findings.counts, len(findings.n)
    right, wrong = (np.zeros(total, dtype=np.int64) for _ in range(2))
    np.maximum.at(right, counts.problem[counts.correct], counts.count[counts.correct])
    np.maximum.at(wrong, counts.problem[~counts.correct], counts.count[~counts.correct])
    names = [findings.report.problems[problem] for problem in np.flatnonzero((right >= AGREE) & (wrong > right))]
    findings.figures["wrong_majority"] = {"count": len(names), "problems": names}
    if names:
        examples = ", ".join(map(quote, names[:_EXAMPLES]))
        yield _say("diagnosis.wrong_majority", least=AGREE, count=len(names), total=total, names=examples)


def place_in_matrix(findings: Findings) -> Iterator[Message]:
    """Find the row of the decision matrix of AISBench, if there is one for levels that the intervals settle."""
    if len(findings.keys) < 3 or findings.keys["pass@k"].k == 1:
        return  # for k = 1 the three are one value
    levels = {metric: find_level(findings.bars[findings.keys[metric]]) for metric in _NAMES}
    findings.figures["levels"] = levels
    row = MATRIX.get(tuple(levels.values()))
    if row is not None:
        written = {_NAMES[metric]: f"{key} {findings.write(key)}" for metric, key in findings.keys.items()}
        yield _say(f"diagnosis.{row}", high=HIGH, low=LOW, **written)


def find_level(bar: ErrorBar) -> str | None:
    """Find the level that a whole interval lies in; None if it reaches across a threshold."""
    if bar.low > HIGH:
        return "high"
    return "low" if bar.high < LOW else "medium" if bar.low >= LOW and bar.high <= HIGH else None


def check_targets(findings: Findings) -> Iterator[Message]:
    """Compare the values with what AISBench asks of three kinds of use."""
    findings.figures["targets"] = found = {}
    for use, asked in TARGETS.items():
        if asked.keys() <= findings.keys.keys():
            bars = [(findings.bars[findings.keys[metric]], least) for metric, least in asked.items()]
            missed = any(bar.high <= least for bar, least in bars)
            found[use] = "met" if all(bar.low > least for bar, least in bars) else "missed" if missed else "not settled"
            keys = {_NAMES[metric]: findings.keys[metric] for metric in asked}
            written = {name: f"{key} {findings.write(key)}" for name, key in keys.items()}
            targets = {f"{_NAMES[metric]}_target": least for metric, least in asked.items()}
            verdict = _say(f"diagnosis.{found[use].replace(' ', '_')}")
            yield _say(f"diagnosis.{use}", verdict=verdict, **written, **targets)


RULES: tuple[Rule, ...] = (
    look_for_copies, weigh_retries, weigh_vote, weigh_wrong_answers, find_wrong_majorities, place_in_matrix,
    check_targets,
)  # fmt: skip
