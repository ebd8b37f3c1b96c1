"""Rules about what the model does: what it solves, repeats, finds rarely, and votes for."""

from __future__ import annotations

from typing import Any

import numpy as np

from at_k.analysis.findings import FAR, Findings, exceeds, list_bar, quote, write_difference
from at_k.errors import Message
from at_k.estimators.consensus import count_votes
from at_k.values import Key

RARE = 0.25
"""A model finds an answer rarely if pass@k is above avg@n by more than this: one problem in four hangs on retries."""

AGREE = 2
"""So many samples with the same correct answer agree, and could have won the vote."""

REPEATED = 0.9
"""Where more than this share of samples repeats another one's answer, further samples hardly find other answers."""

LONG, COPIED = 100, 0.1
"""Two samples that write the same text of 100 characters or more are copies rather than a coincidence, as of a cache or
of greedy decoding. Copies of code occur without either, so a tenth of the samples may be."""

_EXAMPLES = 5
"""The problems that a sentence names at most."""


def count_solved(findings: Findings) -> None:
    """Count the problems that are always, sometimes and never solved."""
    never, always, total = int((findings.c == 0).sum()), int((findings.c == findings.n).sum()), len(findings.n)
    sometimes = total - never - always
    findings.figures["solved"] = {"always": always, "sometimes": sometimes, "never": never}
    findings.say(
        Message(
            "diagnosis.solved",
            "Problems of which all samples are correct: {always:,} of {total:,} ({always_share:.1%}); some: "
            "{sometimes:,} ({sometimes_share:.1%}); none: {never:,} ({never_share:.1%}).",
            total=total,
            always=always,
            always_share=always / total,
            sometimes=sometimes,
            sometimes_share=sometimes / total,
            never=never,
            never_share=never / total,
        )
    )
    several = int((findings.n > 1).sum())
    if not several:
        findings.say(
            Message(
                "diagnosis.one_sample",
                "Every problem has one sample. How much the samples of a problem differ, and whether retries or a "
                "vote would help, cannot be said: take several.",
            )
        )
    elif not ((findings.c > 0) & (findings.c < findings.n)).any() and always and never:
        findings.say(
            Message(
                "diagnosis.no_variation",
                "No problem has both correct and wrong samples, in {several:,} problems with several. Check that "
                "the samples are not copies of one, and that they were drawn at a temperature above 0.",
                several=several,
            )
        )


def look_for_copies(findings: Findings) -> None:
    """Find how many samples repeat the answer of another sample of their problem."""
    findings.figures["repeated"] = findings.figures["copied"] = None
    if findings.verdicts is None or findings.verdicts.answers is None:
        return
    answers = findings.verdicts.answers
    tally = count_votes(answers, findings.verdicts.correct.values, "majority", "grades")
    cast = np.bincount(tally.problem, weights=tally.count, minlength=len(findings.n))
    counted = cast[tally.problem] > 1
    lengths = np.array([len(str(text)) for text in answers.distinct], dtype=np.int64)
    long = counted & (lengths[answers.codes.values[tally.first_seen]] >= LONG)
    total, texts = int(tally.count[counted].sum()), int(tally.count[long].sum())
    again = tally.count > 1
    repeated, copied = int(tally.count[counted & again].sum()), int(tally.count[long & again].sum())
    findings.figures["repeated"] = repeated / total if total else None
    findings.figures["copied"] = copied / texts if texts else None
    if texts and copied / texts > COPIED:
        findings.say(
            Message(
                "diagnosis.copies",
                "Of {texts:,} samples with {long} characters or more, {copied:,} ({share:.1%}; the rule: more than "
                "{limit:.0%}) are equal to another sample of their problem. Texts of this length are rarely drawn "
                "twice: look for a cache, a fixed seed or a temperature of 0.",
                texts=texts, long=LONG, copied=copied, share=copied / texts, limit=COPIED,
            )
        )  # fmt: skip
    elif total and repeated / total > REPEATED:
        findings.say(
            Message(
                "diagnosis.repeated",
                "Samples that give the same answer as another sample of their problem: {share:.1%} (the rule: more "
                "than {limit:.0%}). More samples of these problems would hardly find other answers.",
                share=repeated / total,
                limit=REPEATED,
            )
        )


def weigh_retries(findings: Findings) -> None:
    """Compare pass@k with avg@n: does the model find what it rarely repeats?"""
    if not {"pass@k", "avg@n"} <= findings.keys.keys():
        return
    key, average = findings.keys["pass@k"], findings.keys["avg@n"]
    gap, low, high = findings.compare_keys(key, average)
    findings.figures["pass_minus_avg"] = list_bar(gap, low, high)
    if exceeds(gap, RARE):
        given: dict[str, Any] = {
            "key": str(key),
            "value": findings.write(key),
            "average": str(average),
            "mean": findings.write(average),
            "gap": write_difference(gap, low, high),
            "limit": RARE,
        }
        if low > RARE:
            findings.say(
                Message(
                    "diagnosis.rarely",
                    "The model finds correct answers that it rarely repeats: {key} is {value}, and {average} is "
                    "{mean}. The difference is {gap} (the rule: more than {limit}).",
                    **given,
                )
            )
        else:
            findings.say(
                Message(
                    "diagnosis.perhaps_rarely",
                    "The model may find correct answers that it rarely repeats: {key} is {value}, and {average} is "
                    "{mean}. The difference is {gap} (the rule: more than {limit}), whose interval reaches below "
                    "the rule.",
                    **given,
                )
            )


def weigh_vote(findings: Findings) -> None:
    """Compare cons@k with avg@n: is a vote better than a sample, and where is it wrong?"""
    if {"cons@k", "avg@n"} <= findings.keys.keys():
        key, average = findings.keys["cons@k"], findings.keys["avg@n"]
        gap, low, high = findings.compare_keys(key, average)
        findings.figures["cons_minus_avg"] = list_bar(gap, low, high)
        if exceeds(abs(gap), FAR):
            findings.say(_describe_vote(findings, key, average, gap, low, high))
    _find_wrong_majorities(findings)


def _describe_vote(findings: Findings, key: Key, average: Key, gap: float, low: float, high: float) -> Message:
    """Say what cons@k far from avg@n means, by its sign, by what votes, and by whether it is shown."""
    given: dict[str, Any] = {
        "key": str(key),
        "value": findings.write(key),
        "average": str(average),
        "mean": findings.write(average),
        "gap": write_difference(gap, low, high),
        "limit": FAR,
    }
    if low <= 0 <= high:
        return Message(
            "diagnosis.vote_unsettled",
            "Whether cons@k differs from avg@n is not shown: {key} is {value}, and {average} is {mean}. The "
            "difference is {gap} (the rule: more than {limit} either way), whose interval reaches across 0.",
            **given,
        )
    of_grades = any(note.code == "note.vote_of_grades" for note in findings.report.notes)
    if of_grades and gap > 0:
        return Message(
            "diagnosis.mostly_right",
            "More problems have most of their samples correct than the average suggests: {key} is {value}, and "
            "{average} is {mean}. The difference is {gap} (the rule: more than {limit}). Wrong samples are spread "
            "over problems that the model mostly solves.",
            **given,
        )
    if of_grades:
        return Message(
            "diagnosis.mostly_wrong",
            "Fewer problems have most of their samples correct than the average suggests: {key} is {value}, and "
            "{average} is {mean}. The difference is {gap} (the rule: less than −{limit}). Correct samples are "
            "spread over problems that the model mostly fails.",
            **given,
        )
    if gap > 0:
        return Message(
            "diagnosis.votes_right",
            "A vote is better than a single sample: {key} is {value}, and {average} is {mean}. The difference is "
            "{gap} (the rule: more than {limit}). Wrong answers scatter, and correct ones agree.",
            **given,
        )
    return Message(
        "diagnosis.votes_wrong",
        "A vote is worse than a single sample: {key} is {value}, and {average} is {mean}. The difference is {gap} "
        "(the rule: less than −{limit}). Wrong answers agree with each other.",
        **given,
    )


def _find_wrong_majorities(findings: Findings) -> None:
    """Find the problems whose leading answer is wrong, although correct answers agree."""
    findings.figures["wrong_majority"] = None
    if findings.tally is None:
        return
    tally, total = findings.tally, len(findings.n)
    right, wrong = (np.zeros(total, dtype=np.int64) for _ in range(2))
    np.maximum.at(right, tally.problem[tally.correct], tally.count[tally.correct])
    np.maximum.at(wrong, tally.problem[~tally.correct], tally.count[~tally.correct])
    lost = np.flatnonzero((right >= AGREE) & (wrong > right)).tolist()
    names = [findings.report.problems[problem] for problem in lost]
    findings.figures["wrong_majority"] = {"count": len(lost), "problems": names}
    if lost:
        findings.say(
            Message(
                "diagnosis.wrong_majority",
                "Problems whose most frequent answer is wrong, although {least} samples or more agree on a correct "
                "one: {count:,} of {total:,}, for instance {names}. There a vote loses what the model knows.",
                least=AGREE,
                count=len(lost),
                total=total,
                names=", ".join(map(quote, names[:_EXAMPLES])),
            )
        )
