"""Say what the intervals beside the values of a report are, and where they cover too rarely."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from at_k.errors import Legend, Message, Phrases
from at_k.family import OUTPUTS
from at_k.report.naming import is_sum
from at_k.report.notes import quote
from at_k.summary import Confidence
from at_k.values import ErrorBar, Key

_say = Phrases(
    {
        "note.ci_method": "The intervals are made by the method {method}, which covers the true value less often if "
        "there are few problems or values near 0 and 1.",
        "note.upper_bound": "Some problems have no more samples than k = {k}. The intervals there are those for other "
        "problems, which are wider.",
        "note.upper_bound_of_sum": "The samples do not tell how much {keys} would differ for others: its interval is "
        "that for other problems, which is wider.",
        "note.skewed": "The values of the problems are very skewed for {keys}: their skewness exceeds 2. These "
        "intervals cover the true value too rarely, whatever the method.",
        "note.intervals_problem_set": "Intervals: {level} %, for other samples of these problems.",
        "note.intervals": "Intervals: {level} %, for other problems like these.",
        "note.intervals_clusters": "Intervals: {level} %, for other problems like these. They come in clusters: "
        "{count:,}.",
        "note.one_cluster": "All problems are one cluster, so that nothing shows how much clusters differ: the "
        "intervals are those of a single problem.",
        "note.groups_of_one_cluster": "Groups that are one cluster: {count:,} of {total:,}, such as {group}. Nothing "
        "shows how much clusters differ there: the intervals are those of a single problem.",
        "note.odd_k": "As published, mG-Pass@k cannot reach 1 where k is odd: its largest value is (k − 1)/k. For k = "
        "1 that is 0, which tables leave out.",
    }
)


def explain_intervals(
    bars: Mapping[Key, ErrorBar], confidence: Confidence, labels: list[str] | None
) -> Iterator[Message]:
    """Say what the intervals beside the values, and those of groups, are, if there are any."""
    if confidence.confidence_level is None or not bars:
        return
    yield _name_target(f"{100 * confidence.confidence_level:.10g}", confidence)
    if confidence.clusters is not None:
        yield from _explain_lone_clusters(labels or (), confidence.clusters)
    if confidence.method != "beta":
        yield _say("note.ci_method", method=confidence.method)
    draws = sorted({key.k for key, bar in bars.items() if bar.is_upper_bound and key.k is not None})
    if draws:
        yield _say("note.upper_bound", k=", ".join(map(str, draws)))
    sums = [str(key) for key, bar in bars.items() if bar.is_upper_bound and key.k is None and is_sum(key)]
    if sums:
        yield _say("note.upper_bound_of_sum", keys=", ".join(sums))
    skewed = [str(key) for key, bar in bars.items() if bar.is_skewed]
    if skewed:
        yield _say("note.skewed", keys=", ".join(skewed))


def _name_target(level: str, confidence: Confidence) -> Legend:
    if confidence.target == "problem_set":
        return _say.legend("note.intervals_problem_set", level=level)
    if confidence.clusters is None:
        return _say.legend("note.intervals", level=level)
    return _say.legend("note.intervals_clusters", level=level, count=len(set(confidence.clusters)))


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
        yield _say("note.groups_of_one_cluster", count=len(alone), total=len(within), group=quote(alone[0]))


def explain_odd_k(keys: Iterable[Key]) -> Iterator[Message]:
    """Say that mG-Pass@k cannot reach 1 where k is odd, if there is such a value."""
    if any(OUTPUTS[key.metric].even_k and key.k is not None and key.k % 2 for key in keys):
        yield _say("note.odd_k")
