"""Score a tally: compute what its samples would give, from one problem for all that are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from at_k.combinatorics import Ints
from at_k.computation import Metric
from at_k.errors import Mention, Message, Phrases
from at_k.estimators.consensus import CountedAnswers, VoteCounts
from at_k.grading import Verdicts
from at_k.options.registry import TALLYING, UNTIL_SUCCESS
from at_k.readers import is_paths
from at_k.readers.files.paths import find_files, is_folder_or_glob
from at_k.report.data import Judged
from at_k.report.judging import read_clusters, refuse_undefined, settle_sampling
from at_k.report.measuring import Measurement, compute_all, gather, make_left_out
from at_k.report.report import Report
from at_k.report.states import ACCURACY, TALLY, read_state
from at_k.report.tally import Tally
from at_k.results.saving import holds
from at_k.samples import Answers, Problems, Ragged
from at_k.summary import Confidence
from at_k.validation import K, check_k

_say = Phrases(
    {
        "tally.other_file": "Tallies and other files cannot be scored together: {path} is not a "
        "tally that was saved, and {tally} is.",
        "note.tally": "Counts have no table of problems, no comparison of problems and no "
        "diagnosis.",
        "tally.ties": "cons@k is left out: a tally does not keep the order of the samples, by "
        "which {option:ties=first} decides where k is n. Ask for smaller {option:k}, which give the "
        "same, or add {option:ties=random}, which differs only there.",
        "tally.late": "The options {names} act when samples are counted, and this is a tally of "
        "samples that were. Give them to `at_k.Tally.of`, or to at-k tally.",
        "tally.empty": "This tally counts no problems. Add tallies of some samples to it.",
        "tally.no_samples": "The option {name} needs the value of each problem. Count with "
        "{option:by_problem}, or leave it out; clusters can be the groups.",
        "tally.k_above_n": "{option:k} must be at most n, the number of samples of every problem; "
        "got k = {k}, but the smallest n is {n} (problems with too few samples: {count:,} of "
        "{total:,}).",
    }
)


def find_tally(data: Any) -> Tally | None:
    """Return the tally, if data are one, or paths of some that were saved, whose sum it is; None for other data."""
    if isinstance(data, Tally):
        return data
    if isinstance(data, (str, PathLike)):
        places = [data]
    else:
        places = []
        if is_paths(data):
            places = list(data)
    paths = [
        path
        for place in places
        for path in (find_files(place)[0] if is_folder_or_glob(place) else [place])
    ]
    held = [holds(path, TALLY) for path in paths]
    if not any(held):
        return None
    if not all(held):
        raise _say.error(
            "tally.other_file",
            path=fspath(paths[held.index(False)]),
            tally=fspath(paths[held.index(True)]),
        )
    states = (read_state(Path(path).read_bytes(), f"The file {fspath(path)!r}") for path in paths)
    return sum((Tally(**state) for state in states), Tally())


def score_tally(
    tally: Tally,
    options: Mapping[str, Any],
    changed: Mapping[str, Any],
    wanted: Sequence[Metric],
    confidence: Confidence,
    source: str | list[str] | None,
    notes: Sequence[Message] = (),
) -> Report:
    """Compute the report of a tally. `notes` say how its samples were read."""
    sampling = tally.options.get("sampling")
    if sampling and options["sampling"] not in (None, sampling):
        raise _say.error("tally.late", names=Mention("sampling"))
    options = {**options, **tally.options, "sampling": sampling or options["sampling"]}
    _refuse_options(tally, options, confidence)

    def measure(judged: Judged, times: Ints | None) -> Measurement:
        return Measurement(judged, options, replace(confidence, clusters=judged.clusters), times)

    counted = measure(*_list_counts(tally, options))
    voted = measure(*_list_votes(tally, options))
    if counted.judged.verdicts.stopped:
        refuse_undefined(counted.judged.verdicts, options["k"], confidence.target)

    def choose(metric: Metric) -> Measurement | Message:
        if metric.name in tally.left_out:
            return tally.left_out[metric.name]
        if not metric.votes or tally.votes is None:
            return counted
        if options["ties"] == "first" and not _draws_fewer(tally, options["k"]):
            return _say("tally.ties")
        return voted

    left_out = compute_all(wanted, choose)
    _leave_out_accuracy(tally, counted, left_out)
    numbers = gather([counted, voted]) | {"source": source}
    if not numbers["values"]:  # the mean grade was asked for alone, and the tally does not have it
        raise make_left_out(left_out)
    numbers["notes"] = [*notes, *numbers["notes"]]
    stopped = {"sampling": UNTIL_SUCCESS} if counted.judged.verdicts.stopped else {}
    return Report(**numbers, left_out=left_out, options={**changed, **stopped})


def _draws_fewer(tally: Tally, k: K | None) -> bool:
    """Return whether k is below the n of every problem: what comes first is random, then."""
    return k is not None and max(check_k(k)) < min(n for _, n, _ in tally.counts)


def refuse_late_options(changed: Mapping[str, Any]) -> None:
    """Raise if options that are not the defaults act when samples are counted, and they were."""
    late = [
        name
        for name in changed
        if name in TALLYING and name not in ("seed", "sampling") and changed[name] != {}
    ]
    late = [name for name in late if name != "groups" or changed[name] not in (True, False)]
    if late:
        raise _say.error("tally.late", names=Mention(*late))


def _refuse_options(tally: Tally, options: Mapping[str, Any], confidence: Confidence) -> None:
    """Raise if there are no problems, or an option needs the samples."""
    if not len(tally):
        raise _say.error("tally.empty")
    needs_problems = options["clusters"] not in (None, False, True)
    if needs_problems and not tally.by_problem:
        raise _say.error("tally.no_samples", name=Mention("clusters"))
    draws = [] if options["k"] is None else check_k(options["k"])
    few = {n: times for (_, n, _), times in tally.counts.items()}
    if draws and max(draws) > min(few) and options["sampling"] != UNTIL_SUCCESS:
        raise _say.error(
            "tally.k_above_n",
            k=max(draws),
            n=min(few),
            count=sum(times for (_, n, _), times in tally.counts.items() if n < max(draws)),
            total=len(tally),
        )


# One problem for all that are equal, and how many these are; None for one each.
_States = tuple[Judged, Ints | None]


def _list_counts(tally: Tally, options: Mapping[str, Any]) -> _States:
    """List one problem for each group, n and c; or every problem, if the tally keeps them."""
    states = [(problem.group, problem.n, problem.c) for problem in tally.problems.values()]
    times = None
    if not tally.by_problem:
        states = sorted(tally.counts)
        times = np.array([tally.counts[state] for state in states], dtype=np.int64)
    groups, n, c = zip(*states, strict=True)
    runs = np.stack([np.subtract(n, c), c], axis=1).ravel()
    flags = Ragged.of_lengths(np.repeat(np.tile([False, True], len(states)), runs), np.array(n))
    judged = _judge(tally, options, groups, flags)
    verdicts = settle_sampling(judged.verdicts, options["sampling"], times=times)
    return replace(judged, verdicts=verdicts), times


def _list_shapes(tally: Tally) -> tuple[list[str | None], Ints, Ints, Ints, Ints | None]:
    """List the shapes of problems: groups, n, how many answers have votes, these, and how many problems have each."""
    if tally.by_problem and tally.votes is not None:
        shapes = [problem.shape for problem in tally.problems.values()]
        n, size = np.array([(n, len(votes)) for _, n, votes in shapes], dtype=np.int64).T
        signed = np.fromiter(chain.from_iterable(votes for *_, votes in shapes), np.int64)
        return [group for group, *_ in shapes], n, size, signed, None
    held = {} if tally.votes is None else tally.votes.cells
    groups: list[str | None] = []
    none = np.zeros(0, dtype=np.int64)
    lengths, sizes, told, repeats = [none], [none], [none], [none]
    for cell in sorted(held):
        group, here = cell
        rows, problems = held[cell]
        groups += [group] * len(rows)
        lengths.append(np.full(len(rows), here))
        sizes.append(np.count_nonzero(rows, axis=1))
        told.append(rows[rows != 0])
        repeats.append(problems)
    n, size, signed, times = map(np.concatenate, (lengths, sizes, told, repeats))
    return groups, n, size, signed, times


def _list_votes(tally: Tally, options: Mapping[str, Any]) -> _States:
    """List one problem for each group, n and votes; or every problem, if the tally keeps them."""
    groups, n, size, signed, times = _list_shapes(tally)
    problem = np.repeat(np.arange(len(n)), size)
    count = np.abs(signed)
    counts = VoteCounts(n, problem, count, np.maximum(signed, 0), np.zeros_like(count))
    # Each problem has a run of samples for each answer, and one for those that cast no vote.
    ends = np.cumsum(size)
    cast = np.bincount(problem, weights=count, minlength=len(n)).astype(np.int64)
    runs = np.insert(count, ends, n - cast)
    codes = np.insert(np.arange(len(count)) - (ends - size)[problem], ends, -1).astype(np.int32)
    ballots = Ragged.of_lengths(np.repeat(codes, runs), n)
    flags = ballots.with_values(np.repeat(np.insert(signed > 0, ends, values=False), runs))
    answers = CountedAnswers(ballots, range(int(size.max(initial=0))), counts)
    return _judge(tally, options, groups, flags, answers), times


def _judge(
    tally: Tally,
    options: Mapping[str, Any],
    groups: Sequence[str | None],
    flags: Ragged,
    answers: Answers | None = None,
) -> Judged:
    """Return samples that were judged as those of the tally were."""
    verdicts = Verdicts(
        (flags,), 0.5, flags.n, tally.n_missing, ballots=answers, conditions=dict(tally.conditions)
    )
    verdicts = replace(verdicts, stopped=options["sampling"] == UNTIL_SUCCESS)
    labels = [group for group in groups if group is not None] or None
    clusters = None
    if groups:
        clusters = read_clusters(options["clusters"], labels, None, len(groups))
    shown = None if options["groups"] is False else labels
    notes = []
    if not tally.by_problem:
        notes = [_say("note.tally")]
    return Judged(
        Problems(), verdicts, list(tally.problems), shown, clusters, notes, dict(tally.reading)
    )


def _leave_out_accuracy(tally: Tally, counted: Measurement, left_out: dict[str, Message]) -> None:
    """Leave out the mean grade, where it is not the share of correct samples."""
    if ACCURACY not in tally.left_out:
        return
    for name, values in counted.found.items():
        if ACCURACY in values.columns:
            kept = {key: column for key, column in values.columns.items() if key != ACCURACY}
            counted.found[name] = replace(values, columns=kept)
            left_out[ACCURACY] = tally.left_out[ACCURACY]
