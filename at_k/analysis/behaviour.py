"""Rules about what the model does: what it solves, repeats, finds rarely, and votes for.

Where there is nothing to find, a rule speaks of at most one data set in twenty: `python -m benchmarks.false_alarms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from at_k.analysis.findings import FAR, Findings, quote
from at_k.errors import Message
from at_k.estimators.consensus import count_votes
from at_k.estimators.counts import majority_at_k
from at_k.report.notes import VOTE_OF_GRADES
from at_k.values import Key

RARE = 1 / 3
"""A model rarely repeats the correct answers that it finds if fewer samples than this are correct on average, where one
is. With three samples or fewer, no model can do that."""

AGREE = 2
"""So many samples with the same correct answer agree, and could have won the vote."""

SCATTER = 0.5
"""Wrong answers scatter if two wrong samples of a problem give the same one less often than this, and agree if more."""

UNVARIED = 60
"""So many problems without a difference between their samples are needed to suspect copies. If in every twentieth
problem samples differ, all of 60 are without one in 5 % of such data sets."""

REPEATED = 0.9
"""Where more than this share of samples repeats another one's answer, further samples hardly find other answers."""

LONG, COPIED = 100, 0.1
"""Two samples that write the same text of 100 characters or more are copies rather than a coincidence, as of a cache or
of greedy decoding. Copies of code occur without either, so a tenth of the samples may be."""

_EXAMPLES = 5
"""The problems that a sentence names at most."""


def count_solved(findings: Findings) -> Iterator[Message]:
    """Count the problems that are always, sometimes and never solved."""
    never, always, total = int((findings.c == 0).sum()), int((findings.c == findings.n).sum()), len(findings.n)
    sometimes = total - never - always
    findings.figures["solved"] = {"always": always, "sometimes": sometimes, "never": never}
    yield Message(
        "diagnosis.solved",
        "Problems with all samples correct: {always:,} of {total:,} ({always_share:.1%}); some: "
        "{sometimes:,} ({sometimes_share:.1%}); none: {never:,} ({never_share:.1%}).",
        total=total,
        always=always,
        always_share=always / total,
        sometimes=sometimes,
        sometimes_share=sometimes / total,
        never=never,
        never_share=never / total,
    )
    several = int((findings.n > 1).sum())
    if not several:
        yield Message(
            "diagnosis.one_sample",
            "Every problem has one sample. How much the samples of a problem differ, and whether retries or a "
            "vote would help, cannot be said: take several.",
        )
    elif several >= UNVARIED and sometimes == 0 and always and never:
        yield Message(
            "diagnosis.no_variation",
            "No problem has both correct and wrong samples, in {several:,} problems with several. Check that "
            "the samples are not copies of one, and that they were drawn at a temperature above 0.",
            several=several,
        )


def look_for_copies(findings: Findings) -> Iterator[Message]:
    """Find how many samples repeat the answer of another sample of their problem."""
    findings.figures["repeated"] = findings.figures["copied"] = None
    if findings.verdicts is None or findings.verdicts.answers is None:
        return
    answers = findings.verdicts.answers
    counts = count_votes(answers, findings.verdicts.correct.values, "majority", "grades")
    cast = np.bincount(counts.problem, weights=counts.count, minlength=len(findings.n))
    several = cast > 1
    counted = several[counts.problem]
    lengths = np.array([len(str(text)) for text in answers.distinct], dtype=np.int64)
    long = counted & (lengths[answers.codes.values[counts.first_seen]] >= LONG)
    again = counts.count > 1
    repeated = np.bincount(counts.problem[again], weights=counts.count[again], minlength=len(findings.n))
    texts, copied = int(counts.count[long].sum()), int(counts.count[long & again].sum())
    findings.figures["copied"] = copied / texts if texts else None
    if several.any():
        share = findings.estimate(repeated / np.maximum(cast, 1), several)
        findings.figures["repeated"] = share._asdict()
    if texts and copied / texts > COPIED:
        yield Message(
                "diagnosis.copies",
                "Of {texts:,} samples with {long} characters or more, {copied:,} ({share:.1%}; the rule: more than "
                "{limit:.0%}) are equal to another sample of their problem. Texts of this length are rarely drawn "
                "twice: look for a cache, a fixed seed or a temperature of 0.",
                texts=texts, long=LONG, copied=copied, share=copied / texts, limit=COPIED,
            )  # fmt: skip
    elif several.any() and share.low > REPEATED:
        yield Message(
            "diagnosis.repeated",
            "Samples that give the same answer as another sample of their problem: {share} (the rule: more than "
            "{limit}). Further samples would hardly find other answers.",
            share=str(share),
            limit=REPEATED,
        )


def weigh_retries(findings: Findings) -> Iterator[Message]:
    """Find whether correct answers are rare in the problems that have one."""
    if {"pass@k", "avg@n"} <= findings.keys.keys():
        passed, average = (findings.list_values(findings.keys[metric]) for metric in ("pass@k", "avg@n"))
        findings.figures["pass_minus_avg"] = findings.compare(passed, average)._asdict()
    solved = findings.c > 0
    if not solved.any():
        return
    share = findings.estimate(findings.c / findings.n, solved)
    findings.figures["correct_where_solved"] = share._asdict()
    if share.high < RARE:
        yield Message(
            "diagnosis.rarely",
            "The model finds correct answers that it rarely repeats: in the {solved:,} problems with a correct "
            "sample, the share of correct samples is {share} on average (the rule: less than {limit:.3f}).",
            solved=int(solved.sum()),
            share=str(share),
            limit=RARE,
        )


def weigh_vote(findings: Findings) -> Iterator[Message]:
    """Compare cons@k with avg@n: is a vote better than a sample, and where is it wrong?"""
    if {"cons@k", "avg@n"} <= findings.keys.keys():
        key, average = findings.keys["cons@k"], findings.keys["avg@n"]
        of_grades = VOTE_OF_GRADES in findings.report.notes
        value, values = findings.write(key), findings.list_values(key)
        if of_grades and key.k is not None and key.k % 2 == 0:
            # Exactly half is not most, so that at even k half of the coin flips that tie would count as a finding.
            # Where ties count ½, cons@k is cons@(k − 1).
            odd = key.k - 1
            key, values = Key("cons@k", odd), majority_at_k(findings.n, findings.c, k=odd)
            value = str(findings.estimate(values))
        gap = findings.compare(values, findings.list_values(average))
        findings.figures["cons_minus_avg"] = gap._asdict()
        if gap.is_far:
            given = {
                "key": str(key),
                "value": value,
                "average": str(average),
                "mean": findings.write(average),
                "gap": gap.signed,
                "limit": FAR,
            }
            yield describe_vote(given, of_grades=of_grades, better=gap.value > 0)
    yield from weigh_wrong_answers(findings)
    yield from find_wrong_majorities(findings)


def describe_vote(given: dict[str, Any], *, of_grades: bool, better: bool) -> Message:
    """Say what cons@k far from avg@n means, by its sign and by what votes."""
    if of_grades and better:
        return Message(
            "diagnosis.mostly_right",
            "More problems have most of their samples correct than the average suggests: {key} is {value}, and "
            "{average} is {mean}. The difference is {gap} (the rule: more than {limit}).",
            **given,
        )
    if of_grades:
        return Message(
            "diagnosis.mostly_wrong",
            "Fewer problems have most of their samples correct than the average suggests: {key} is {value}, and "
            "{average} is {mean}. The difference is {gap} (the rule: less than −{limit}).",
            **given,
        )
    if better:
        return Message(
            "diagnosis.votes_right",
            "A vote is better than a single sample: {key} is {value}, and {average} is {mean}. The difference is "
            "{gap} (the rule: more than {limit}).",
            **given,
        )
    return Message(
        "diagnosis.votes_wrong",
        "A vote is worse than a single sample: {key} is {value}, and {average} is {mean}. The difference is {gap} "
        "(the rule: less than −{limit}).",
        **given,
    )


def weigh_wrong_answers(findings: Findings) -> Iterator[Message]:
    """Find whether two wrong samples of a problem give the same answer, in the problems with two or more."""
    findings.figures["wrong_agreement"] = None
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
    given: dict[str, Any] = {
        "problems": int(several.sum()),
        "share": str(share),
        "limit": SCATTER,
    }
    if share.high < SCATTER:
        yield Message(
            "diagnosis.wrong_scatter",
            "Wrong answers scatter: where a problem has several, two of them are equal with probability {share} "
            "(the rule: less than {limit}; such problems: {problems:,}).",
            **given,
        )
    elif share.low > SCATTER:
        yield Message(
            "diagnosis.wrong_agree",
            "Wrong answers agree: where a problem has several, two of them are equal with probability {share} (the "
            "rule: more than {limit}; such problems: {problems:,}).",
            **given,
        )


def find_wrong_majorities(findings: Findings) -> Iterator[Message]:
    """Find the problems whose leading answer is wrong, although correct answers agree."""
    findings.figures["wrong_majority"] = None
    if findings.counts is None:
        return
    counts, total = findings.counts, len(findings.n)
    right, wrong = (np.zeros(total, dtype=np.int64) for _ in range(2))
    np.maximum.at(right, counts.problem[counts.correct], counts.count[counts.correct])
    np.maximum.at(wrong, counts.problem[~counts.correct], counts.count[~counts.correct])
    lost = np.flatnonzero((right >= AGREE) & (wrong > right)).tolist()
    names = [findings.report.problems[problem] for problem in lost]
    findings.figures["wrong_majority"] = {"count": len(lost), "problems": names}
    if lost:
        yield Message(
            "diagnosis.wrong_majority",
            "Problems whose most frequent answer is wrong, although {least} samples or more agree on a correct "
            "one: {count:,} of {total:,}, for instance {names}.",
            least=AGREE,
            count=len(lost),
            total=total,
            names=", ".join(map(quote, names[:_EXAMPLES])),
        )
