"""Write the notes and legends of a report, and refuse numbers that would say nothing or take too long."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from at_k.combinatorics import Ints
from at_k.errors import InputError, Mention, Message, Mistake, Phrases
from at_k.family import OUTPUTS
from at_k.grading import Verdicts, find_checker
from at_k.grading.checkers.text import Choice, Numeric
from at_k.grading.pairs import Outcomes
from at_k.grading.verdicts import LENIENT
from at_k.grading.zeros import explain_zeros, quote, suggest_readings
from at_k.options.registry import SCORING
from at_k.readers.samples import BUILDER, Origin, Samples
from at_k.report.data import Judged
from at_k.report.naming import is_sum
from at_k.samples import Answers, Problems, Ragged, flag_above, to_float64
from at_k.summary import Confidence
from at_k.validation import K, check_k
from at_k.values import ErrorBar, Key

_say = Phrases(
    {
        "left_out.no_scores": "{title} is left out: it needs a score for every sample.",
        "note.unanswered": "Samples in which {option:extract_fn} found no answer: {count:,}. They "
        "count as wrong and are excluded from the vote.",
        "note.no_vote": "Samples in which {option:extract_fn} found no answer: {count:,}. They "
        "are excluded from the vote; the data have their verdicts.",
        "note.not_graded": "Samples that {option:check_correct_fn} did not grade: {count:,} "
        "(cause: {cause}; the first: {reason}). They are missing samples.",
        "note.not_compared": "Answers, or pairs of them, that could not be compared with others: "
        "{count:,} (cause: {cause}). They vote apart.",
        "note.drop": "Missing samples, left out: {count}. Their problems have a smaller n.",
        "note.incorrect": "Missing samples, counted as wrong: {count}. They are excluded from the "
        "vote.",
        "note.outcomes": "How the checks ended: {outcomes}.",
        "note.no_program": "{count:,} of {total:,} replies hold no program that compiles, such as "
        "{answer}.",
        "note.no_python": "Where a program is between marks of its own, a regular expression with "
        "a group, such as {pattern}, takes it from there. A completion needs its prompt: {prompt} "
        "joins the two.",
        "note.judge": "The judge was asked {requests:,} times, and {cached:,} replies came from "
        "its cache: {read:,} tokens read, {written:,} written. It agrees with quasi_exact on "
        "{share:.0%} of the answers.",
        "note.sandbox": "The programs ran in the sandbox “{name}”.",
        "note.boxes": "Answers in whose text the answer itself is boxed: {share:.0%}, such as "
        "{answer}. They count as whole texts; {rule} takes what is boxed.",
        "note.no_numbers": "{count:,} of {total:,} answers are no numbers, such as {answer}; "
        "{numeric} compares them as texts.",
        "note.many_numbers": "{rule} takes the last number of a text.",
        "note.no_letters": "{count:,} of {total:,} answers settle on no letter, such as {answer}.",
        "note.split_votes": "Equal texts vote together. {option:check_correct_fn} accepts each "
        "for the other in {count} of {total} pairs of answers that vote apart, such as {first} "
        "and {second}; {option:equivalence} can merge them.",
        "note.low_grades": "No sample is correct by {cut}: the highest grade is {highest:g}. If "
        "it means a correct sample: {lower}.",
        "note.partial_grades": "{count:,} of {total:,} grades are between 0 and 1, and {above:,} "
        "of them count as correct, by {cut}. To count full grades alone: {full}.",
        "note.partial_wrong": "{count:,} of {total:,} grades are between 0 and 1. They count as "
        "wrong, by {cut}.",
        "note.not_judged": "The data have verdicts, which count; {option:check_correct_fn} judged "
        "nothing. With {columns} it judges the answers.",
        "note.vote_of_grades": "cons@k is counted from grades: more than half of k samples must "
        "be correct. With the answers it would be a vote.",
        "note.scatter": "Hardly any two samples of a problem give the same answer ({repeats} of "
        "{chances} repeat an earlier one), so that cons@k is near pass@1. If the column holds "
        "whole texts or sample numbers, extract the answers, or name their column.",
        "note.namespaces": "The programs ran in namespaces of their own: without network, without "
        "other processes, and with read-only files.",
        "note.limits": "The programs ran with resource limits only. Do not run untrusted code "
        "this way: they shared the processes of this machine, and, where the kernel has neither "
        "seccomp nor Landlock, its network and its files.",
        "options.k_above_n": "{option:k} must be at most n, the number of samples of every "
        "problem; got k = {k}, but problem {problem} has n = {n} (problems with too few samples: "
        "{count:,} of {total:,}). Ask for {option:k} up to {n}.",
        "data.place": "problem index {problem}, sample index {sample} of `{column}`",
        "note.ci_method": "The intervals are made by the method {method}, which covers the true "
        "value less often if there are few problems or values near 0 and 1.",
        "note.upper_bound": "Some problems have no more samples than k = {k}. The intervals there "
        "are those for other problems, which are wider.",
        "note.upper_bound_of_sum": "The samples do not tell how much {keys} would differ for "
        "others: its interval is that for other problems, which is wider.",
        "note.skewed": "The values of the problems are very skewed for {keys}: their skewness "
        "exceeds 2. These intervals cover the true value too rarely, whatever the method.",
        "note.intervals_problem_set": "{level} % confidence intervals (for other samples of these "
        "problems).",
        "note.intervals": "{level} % confidence intervals (for similar problems, not only these).",
        "note.intervals_clusters": "{level} % confidence intervals (for similar problems, not "
        "only these). They come in clusters: {count:,}.",
        "note.one_cluster": "All problems are one cluster, so that nothing shows how much "
        "clusters differ: the intervals are those of a single problem.",
        "note.groups_of_one_cluster": "Groups that are one cluster: {count:,} of {total:,}, such "
        "as {group}. Nothing shows how much clusters differ there: the intervals are those of a "
        "single problem.",
        "note.odd_k": "As published, mG-Pass@k cannot reach 1 where k is odd: its largest value "
        "is (k − 1)/k. For k = 1 that is 0, which tables leave out.",
        "note.skipped": "Left out: {count:,}, with errors such as “{cause}”.",
        "left_out.scatter": "{title} is left out: hardly any two samples of a problem give the "
        "same answer ({repeats} of {chances} repeat an earlier one), so that a vote says nothing. "
        "The column may hold whole texts or sample numbers: extract the answers, or name their "
        "column.",
    }
)


# The least share of samples that repeat an earlier answer of their problem for a vote to mean anything. It is 0 for
# sample numbers and whole completions, a few per cent for free text, and 0.98 for the Qwen2.5-Math file.
_AGREEMENT = 0.02

# The problems that are checked together. A few per cent of a column suffice to see that it holds answers.
_LOOKED_AT = 1000

# With fewer samples that could repeat an answer, it is not decided whether the column holds answers.
_ENOUGH = 8


class LeftOutError(InputError):
    """The reason why the data do not allow a metric."""


class ConflictError(LeftOutError):
    """The reason why the data do not allow a vote: equal answers have two verdicts, which must be a mistake."""

    kind = Mistake


def ask_for_scores(title: str) -> InputError:
    """Return the error that a metric needs scores."""
    return _say.error("left_out.no_scores", LeftOutError, title=title)


def write_notes(judged: Judged, checker: object, *, voted: bool) -> Iterator[Message]:
    """Yield remarks on how samples were read and judged, the most important first; `checker` is the one asked for."""
    problems, verdicts = judged.problems, judged.verdicts
    yield from judged.notes
    judged_here = (
        problems.grades is None and verdicts.ballots is not None and problems.references is not None
    )
    outcomes = verdicts.outcomes
    zeros = list(explain_zeros(problems, verdicts))
    yield from zeros
    is_whole = str(verdicts.conditions["checker"]).startswith(_OF_WHOLE_TEXTS)
    if not zeros and is_whole and verdicts.ballots is not None:
        read = problems
        if "extract" in verdicts.conditions:
            read = replace(problems, answers=verdicts.ballots)
        yield from _note_whole_texts(read, verdicts.ballots, verdicts.conditions)
    if outcomes is not None:
        yield from _describe_outcomes(outcomes, problems.answers)
    if judged_here and verdicts.ballots is not None:
        yield from _note_unread(problems, verdicts.ballots, find_checker(checker))
    if verdicts.n_unanswered and judged_here:
        say = _say if verdicts.c.any() else _say.mistake
        yield say("note.unanswered", count=verdicts.n_unanswered)
    elif verdicts.n_unanswered:
        yield _say("note.no_vote", count=verdicts.n_unanswered)
    for cause, count in verdicts.not_graded.items():
        reason = quote(verdicts.first_faults.get(cause, cause))
        yield _say("note.not_graded", count=count, cause=cause, reason=reason)
    if (
        voted
        and judged_here
        and verdicts.merge is None
        and "equivalence" not in verdicts.conditions
    ):
        yield from _note_split_votes(verdicts, checker)
    for cause, count in verdicts.not_compared.items():
        yield _say("note.not_compared", count=count, cause=cause)
    gone = verdicts.n_missing
    if gone and verdicts.conditions["missing"] == "drop":
        yield _say("note.drop", count=gone)
    elif gone:
        yield _say("note.incorrect", count=gone)
    if problems.grades is not None:
        is_checked = checker != SCORING["check_correct_fn"].default
        yield from _describe_grades(problems.grades, verdicts, is_checked=is_checked)


def _describe_outcomes(outcomes: Outcomes, answers: Answers | None) -> Iterator[Message]:
    """Say how checks ended, what they cost, and how programs were kept apart."""
    counts = outcomes.count()
    ends = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    yield _say("note.outcomes", outcomes=ends)
    total = sum(counts.values())
    missed = counts.get("no program", 0)
    if missed and answers is not None:
        has_none = np.array([name == "no program" for name in outcomes.names])
        first = int(np.argmax(has_none[outcomes.which] & (outcomes.which >= 0)))
        answer = quote(answers.distinct[answers.codes.values[first]])
        yield _say("note.no_program", count=missed, total=total, answer=answer)
    if missed > total / 2:
        yield _say(
            "note.no_python",
            pattern=Mention(extract_fn="(?s)<code>(.*?)</code>"),
            prompt=Mention(prompt_column="prompt"),
        )
    if "judged" in outcomes.facts:
        facts = outcomes.facts
        yield _say(
            "note.judge",
            requests=facts["requests"],
            cached=facts["from_cache"],
            read=facts["tokens_read"],
            written=facts["tokens_written"],
            share=facts["agreeing"] / facts["judged"],
        )
    if "isolation" in outcomes.conditions:
        where = outcomes.conditions["isolation"]
        yield (
            _say(f"note.{where}")
            if where in ("namespaces", "limits")
            else _say("note.sandbox", name=where)
        )


# Checkers, and verdicts that the data have, beside which an answer is the whole text unless a rule extracts it.
_OF_WHOLE_TEXTS = ("exact_match", "quasi_exact", "numeric", "graded")

_BOX = "\\boxed{"

# From this share on, boxes in answers are a form of answering and not a slip.
_MANY_BOXES = 0.05


def _note_whole_texts(
    problems: Problems, answers: Answers, conditions: Mapping[str, object]
) -> Iterator[Message]:
    """Say what would let more answers be correct, or vote together, that are compared as whole texts."""
    share, answer = _weigh(answers, lambda text: _BOX in text)
    if share >= _MANY_BOXES and not any(
        _BOX in text for row in problems.references or () for text in row
    ):
        yield _say(
            "note.boxes", share=share, answer=quote(answer), rule=Mention(extract_fn="boxed")
        )
    elif conditions["checker"] == "exact_match":
        yield from suggest_readings(problems, LENIENT)


def _note_unread(problems: Problems, answers: Answers, check: object) -> Iterator[Message]:
    """Say how many answers are no numbers, or settle on no letter, beside references that are and do."""
    if not isinstance(check, (Numeric, Choice)):
        return
    is_numeric = isinstance(check, Numeric)

    def reads(form: Any) -> bool:
        if is_numeric:
            return not isinstance(form, str)
        return form.letter is not None

    codes = answers.codes.values
    texts = list(map(str, answers.distinct))
    is_unread = np.array([not reads(check.normalize(text)) for text in texts], dtype=bool)
    if not is_unread.any():
        return
    forms = [map(check.normalize_reference, row) for row in problems.references or ()]
    expected = [any(map(reads, row)) for row in forms]
    asked = np.array(expected)[answers.codes.problem] & (codes >= 0)
    missed = np.flatnonzero(asked & is_unread[codes])
    if not len(missed):
        return
    count = len(missed)
    total = int(asked.sum())
    told = {"count": count, "total": total, "answer": quote(texts[codes[missed[0]]])}
    if not is_numeric:
        yield _say("note.no_letters", **told)
        return
    yield _say("note.no_numbers", **told, numeric=Mention(check_correct_fn="numeric"))
    if count > total / 2:
        yield _say("note.many_numbers", rule=Mention(extract_fn="last_number"))


def _note_split_votes(verdicts: Verdicts, checker: object) -> Iterator[Message]:
    """Say that answers vote apart that the checker holds equal."""
    from at_k.grading.equivalence import find_split_votes

    split = None
    if verdicts.answers is not None:
        split = find_split_votes(verdicts.answers, find_checker(checker))
    if split is not None:
        count, looked, (first, second) = split
        yield _say(
            "note.split_votes", count=count, total=looked, first=quote(first), second=quote(second)
        )


def _weigh(answers: Answers, is_one: Callable[[str], bool]) -> tuple[float, str]:
    """Return the share of the answers that are of a kind, and the most frequent of these."""
    codes = answers.codes.values
    distinct = list(map(str, answers.distinct))
    if not distinct:
        return 0.0, ""
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    hits = counts * np.array(list(map(is_one, distinct)))
    return hits.sum() / max(counts.sum(), 1), distinct[int(np.argmax(hits))]


def _describe_grades(
    grades: Sequence[Ragged], verdicts: Verdicts, *, is_checked: bool
) -> Iterator[Message]:
    """Say that no grade is above the cut, if that is why no sample is correct, and what grades leave unused."""
    cut = Mention(correct_above=verdicts.conditions["correct_above"])
    highest = 0.0
    if not verdicts.c.any():
        highest = max(float(np.nanmax(to_float64(part.values), initial=0)) for part in grades)
    if highest:
        yield _say(
            "note.low_grades", cut=cut, highest=highest, lower=Mention(correct_above=f">={highest}")
        )
    partial = [part.values[(part.values > 0) & (part.values < 1)] for part in grades]
    if count := sum(map(len, partial)):
        total = sum(len(part.values) for part in grades)
        told: dict[str, Any] = {"count": count, "total": total, "cut": cut}
        if above := sum(int(flag_above(part, verdicts.cut).sum()) for part in partial):
            yield _say(
                "note.partial_grades", **told, above=above, full=Mention(correct_above=">=1")
            )
        else:
            yield _say("note.partial_wrong", **told)
    if is_checked:
        yield _say("note.not_judged", columns=Mention(columns={"grades": None}))


VOTE_OF_GRADES = _say("note.vote_of_grades")


def refuse_k_above_n(k: K, n: Ints, names: Sequence[str]) -> None:
    """Raise if a k exceeds the number of samples of a problem, and name that problem."""
    draws = max(check_k(k))
    if draws > n.min():
        raise _say.error(
            "options.k_above_n",
            k=draws,
            n=int(n.min()),
            problem=quote(names[int(n.argmin())]),
            count=int((n < draws).sum()),
            total=len(n),
        )


def place_sample(column: str, samples: Ragged, sample: int) -> Message:
    """Say where a sample is, given its position among all samples."""
    return _say("data.place", **samples.locate(sample), column=column)


def describe_reading(origin: Origin) -> Iterator[Message]:
    """Say what a reader of the numbers should know of how the files were read."""
    yield from origin.notes
    for cause, count in origin.skipped.items():
        yield _say("note.skipped", count=count, cause=cause)


def find_conditions(data: Any) -> dict[str, str]:
    """Find what was taken from the files that samples, or a data set of `at_k.read_results`, come from."""
    if isinstance(data, Samples):
        return data.origin.conditions()
    info: Any = getattr(data, "info", None)
    if getattr(info, "builder_name", None) != BUILDER:
        return {}
    return dict(json.loads(info.config_name))


def find_scatter(verdicts: Verdicts, times: Ints | None = None) -> tuple[int, int] | None:
    """Count the answers that repeat an earlier one, and those that could, if hardly any do; else None."""
    # `times` says how many problems each of these represents; None for one each.
    answers = verdicts.answers
    if answers is None:
        return None
    codes = answers.codes
    cast = codes.values >= 0
    many = np.ones(len(codes), dtype=np.int64) if times is None else times
    chances = int(np.maximum(codes.with_values(cast).sums() - 1, 0) @ many)
    if chances < _ENOUGH:
        return None
    repeats, problem = 0, codes.problem
    for start in range(
        0, len(codes), _LOOKED_AT
    ):  # a block at a time, since answers repeat within the first problems
        first = codes.offsets[start]
        last = codes.offsets[min(start + _LOOKED_AT, len(codes))]
        here = cast[first:last]
        pairs = problem[first:last][here] * len(answers.distinct) + codes.values[first:last][here]
        repeats += int(
            many[problem[first:last][here]].sum()
            - many[np.unique(pairs) // len(answers.distinct)].sum()
        )
        if repeats >= _AGREEMENT * chances:
            return None
    return repeats, chances


def refuse_scatter(verdicts: Verdicts, title: str, times: Ints | None = None) -> None:
    """Raise if hardly any two samples of a problem give the same answer, so that a vote would mean nothing."""
    scatter = find_scatter(verdicts, times)
    if scatter is not None:
        raise _say.error(
            "left_out.scatter", LeftOutError, title=title, repeats=scatter[0], chances=scatter[1]
        )


def note_scatter(verdicts: Verdicts, times: Ints | None = None) -> Iterator[Message]:
    """Say of a vote that was asked for that hardly any answers repeat."""
    scatter = find_scatter(verdicts, times)
    if scatter is not None:
        yield _say("note.scatter", repeats=scatter[0], chances=scatter[1])


def explain_intervals(
    bars: Mapping[Key, ErrorBar], confidence: Confidence, labels: list[str] | None
) -> Iterator[Message]:
    """Say what the intervals beside the values, and those of groups, are, if there are any."""
    if confidence.confidence_level is None or not bars:
        return
    level = f"{100 * confidence.confidence_level:.10g}"
    if confidence.target == "problem_set":
        yield _say.legend("note.intervals_problem_set", level=level)
    elif confidence.clusters is None:
        yield _say.legend("note.intervals", level=level)
    else:
        yield _say.legend(
            "note.intervals_clusters", level=level, count=len(set(confidence.clusters))
        )
        yield from _explain_lone_clusters(labels or (), confidence.clusters)
    if confidence.method != "beta":
        yield _say("note.ci_method", method=confidence.method)
    draws = sorted({key.k for key, bar in bars.items() if bar.is_upper_bound and key.k is not None})
    if draws:
        yield _say("note.upper_bound", k=", ".join(map(str, draws)))
    sums = [
        str(key)
        for key, bar in bars.items()
        if bar.is_upper_bound and key.k is None and is_sum(key)
    ]
    if sums:
        yield _say("note.upper_bound_of_sum", keys=", ".join(sums))
    skewed = [str(key) for key, bar in bars.items() if bar.is_skewed]
    if skewed:
        yield _say("note.skewed", keys=", ".join(skewed))


def _explain_lone_clusters(labels: Sequence[str], clusters: Sequence[str]) -> Iterator[Message]:
    """Say where all problems are one cluster, of which no spread can be seen."""
    if len(set(clusters)) == 1:
        yield _say("note.one_cluster")
        return
    within: dict[str, set[str]] = {}
    for label, cluster in zip(labels, clusters, strict=False):
        within.setdefault(label, set()).add(cluster)
    alone = [label for label, groups in within.items() if len(groups) == 1]
    if alone:
        yield _say(
            "note.groups_of_one_cluster", count=len(alone), total=len(within), group=quote(alone[0])
        )


def explain_odd_k(keys: Iterable[Key]) -> Iterator[Message]:
    """Say that mG-Pass@k cannot reach 1 where k is odd, if there is such a value."""
    if any(OUTPUTS[key.metric].even_k and key.k is not None and key.k % 2 for key in keys):
        yield _say("note.odd_k")
