"""Rules about samples: problems that are solved and that flake, missing samples, and what correct samples cost."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite, log
from typing import TYPE_CHECKING

import numpy as np

from at_k.analysis.findings import Findings, Rule, quote
from at_k.errors import Message, Phrases
from at_k.uncertainty.standard_errors import cost_per_success, read_costs

if TYPE_CHECKING:
    pass

# The problems that a sentence names at most, and the failed attempts of each.
_EXAMPLES, _ATTEMPTS = 5, 8

# The least number of problems, none with differing samples, from which copies are suspected. If in every twentieth
# problem samples differ, all of 60 are without one in 5 % of such data sets.
UNVARIED = 60

# With fewer problems, dear failures may not have been seen.
_FEW = 15

# The rate of an event for which the samples are counted that would show it, and the chance that they do not.
_RATE, _ALPHA = 0.01, 0.05

_say = Phrases(
    {
        "diagnosis.solved": "Problems with all samples correct: {always:,} of {total:,} ({always_share:.1%}); some: "
        "{sometimes:,} ({sometimes_share:.1%}); none: {never:,} ({never_share:.1%}).",
        "diagnosis.one_sample": "Every problem has one sample. How much the samples of a problem differ, and whether "
        "retries or a vote would help, cannot be said: take several.",
        "diagnosis.no_variation": "No problem has both correct and wrong samples, in {several:,} problems with "
        "several. Check that the samples are not copies of one, and that they were drawn at a temperature above 0.",
        "diagnosis.flaky": "Problems that flake, with correct and with wrong samples: {count:,} of {total:,}. Wrong "
        "samples, counted from 0, of those with the fewest: {examples}.",
        "diagnosis.missing": "Missing samples: {missing:,} of {total:,}. Accuracy: {of_all:.1%} of all samples, "
        "{of_present:.1%} of graded samples.",
        "diagnosis.cost": "Cost per success, in {name}: {value} (failures included). Cost per sample: {mean:.4g}.",
        "diagnosis.dear": "Failures that are rare and dear may not be among these {problems:,} problems: the cost per "
        "success of others may be higher.",
        "diagnosis.all_solved": "No sample is wrong in {total:,} problems: with 95 % confidence, at most {bound:.1%} "
        "of other problems like these have a wrong one. {samples:,} samples of a problem show failures of 1 % with "
        "95 %.",
        "diagnosis.none_solved": "No sample is correct in {total:,} problems: with 95 % confidence, at most "
        "{bound:.1%} of other problems like these have a correct one. {samples:,} samples of a problem show successes "
        "of 1 % with 95 %.",
    }
)


def count_solved(findings: Findings) -> Iterator[Message]:
    """Count the problems that are always, sometimes and never solved."""
    never = int((findings.c == 0).sum())
    always = int((findings.c == findings.n).sum())
    total = len(findings.n)
    findings.figures["solved"] = solved = {
        "always": always,
        "sometimes": total - never - always,
        "never": never,
    }
    shares = {f"{name}_share": count / total for name, count in solved.items()}
    yield _say("diagnosis.solved", total=total, **solved, **shares)
    several = int((findings.n > 1).sum())
    if not several:
        yield _say("diagnosis.one_sample")
    elif several >= UNVARIED and solved["sometimes"] == 0 and always and never:
        yield _say("diagnosis.no_variation", several=several)


def note_no_event(findings: Findings) -> Iterator[Message]:
    """Say what can be known of an event that did not occur: a failure, or a success."""
    if findings.c.any() and (findings.c < findings.n).any():
        return
    total = len(findings.n)
    bound = float(1 - _ALPHA ** (1 / total))
    samples = ceil(log(_ALPHA) / log(1 - _RATE))
    findings.figures["no_event"] = {"bound": bound, "rate": _RATE, "samples": samples}
    code = "diagnosis.all_solved" if findings.c.any() else "diagnosis.none_solved"
    yield _say(code, total=total, bound=bound, samples=samples)


def find_flaky(findings: Findings) -> Iterator[Message]:
    """Name the problems of which some samples are correct and some are wrong, with the samples that failed."""
    if findings.verdicts is None:
        return
    verdicts, names = findings.verdicts, findings.report.problems
    if verdicts.kept is None:
        places = np.arange(verdicts.given.sum())
    else:
        places = np.flatnonzero(verdicts.kept)
    starts = np.cumsum(verdicts.given) - verdicts.given
    correct = verdicts.correct.values > 0
    offsets = verdicts.correct.offsets
    failed = {}
    for problem in np.flatnonzero((findings.c > 0) & (findings.c < findings.n)).tolist():
        here = slice(offsets[problem], offsets[problem + 1])
        failed[names[problem]] = (places[here][~correct[here]] - starts[problem]).tolist()
    findings.figures["flaky"] = failed
    if failed:
        fewest = sorted(failed.items(), key=lambda item: len(item[1]))[:_EXAMPLES]
        examples = "; ".join(f"{quote(name)} {list_attempts(places)}" for name, places in fewest)
        yield _say("diagnosis.flaky", count=len(failed), total=len(findings.n), examples=examples)


def list_attempts(failed: list[int]) -> str:
    """List the first samples that failed."""
    return ", ".join([*map(str, failed[:_ATTEMPTS]), *(["…"] if len(failed) > _ATTEMPTS else [])])


def weigh_missing(findings: Findings) -> Iterator[Message]:
    """Give the share of correct samples by both denominators, where samples are missing."""
    if findings.verdicts is None:
        return
    missing = findings.verdicts.n_missing
    total = int(findings.verdicts.given.sum())
    right = int(findings.c.sum())
    if missing and total > missing:
        shares = {"of_all": right / total, "of_present": right / (total - missing)}
        findings.figures |= {f"correct_{name}": share for name, share in shares.items()}
        yield _say("diagnosis.missing", missing=missing, total=total, **shares)


def weigh_costs(findings: Findings) -> Iterator[Message]:
    """Give the cost of each correct sample, and what k samples of each problem cost and solve."""
    report, priced = findings.report, {}
    for name, costs in read_costs(report.rows, findings.n).items():
        cost = cost_per_success(
            costs,
            findings.c,
            findings.n,
            clusters=report.clusters,
            confidence_level=findings.confidence_level,
        )
        once = float((costs / findings.n).sum())
        mean = float(costs.sum()) / int(findings.n.sum())
        priced[name] = {
            "total": float(costs.sum()),
            "per_sample": mean,
            "per_success": {
                part: value if isfinite(value) else None for part, value in cost._asdict().items()
            },
            "coverage": [
                {"k": key.k, "cost": key.k * once, "solved": value * len(findings.n)}
                for key, value in report.values.items()
                if key.metric == "pass@k" and key.k is not None
            ],
        }
        if isfinite(cost.value):
            limits = ""
            if isfinite(cost.high):
                limits = f" [{cost.low:.4g}, {cost.high:.4g}]"
            yield _say("diagnosis.cost", value=f"{cost.value:.4g}{limits}", name=name, mean=mean)
            if len(costs) < _FEW or (findings.c == findings.n).all():
                yield _say("diagnosis.dear", problems=len(costs))
    findings.figures["costs"] = priced or None


RULES: tuple[Rule, ...] = (count_solved, note_no_event, find_flaky, weigh_missing, weigh_costs)
