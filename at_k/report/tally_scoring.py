"""Score a tally: compute what its samples would give, from one problem for all that are equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from at_k.combinatorics import Ints
from at_k.computation import Metric, choose_k
from at_k.errors import Mention, Message, Phrases
from at_k.estimators.consensus import CountedAnswers, VoteCounts
from at_k.family import FAMILY
from at_k.grading import Verdicts
from at_k.options.registry import TALLYING, UNTIL_SUCCESS
from at_k.readers import is_paths
from at_k.readers.files.paths import find_files, is_folder_or_glob
from at_k.report.data import Judged
from at_k.report.judging import read_clusters, refuse_undefined, settle_sampling
from at_k.report.measuring import Measurement, compute_all, gather, make_left_out
from at_k.report.notes import LeftOutError, ask_for_scores
from at_k.report.report import Report
from at_k.report.states import ACCURACY, TALLY, Measures, Moments, list_values, read_state
from at_k.report.tally import Tally
from at_k.results.saving import holds
from at_k.samples import Answers, Problems, Ragged
from at_k.summary import Confidence
from at_k.validation import check_k
from at_k.values import Column, Key, Values

_say = Phrases(
    {
        "tally.other_file": "Tallies and other files cannot be scored together: {path} is not a tally that was saved, "
        "and {tally} is.",
        "note.tally": "Scored from a tally, which counts problems and does not keep them: there is no table of "
        "problems, no comparison of problems and no diagnosis. Intervals of max@k are those of Student's t.",
        "tally.ties": "cons@k is left out: a tally does not keep the order of the samples, by which "
        "{option:ties=first} decides. {option:ties=random} differs only where k is n.",
        "tally.late": "The options {names} act when samples are counted, and this is a tally of samples that were. "
        "Give them to `at_k.Tally.of`, or to at-k tally.",
        "tally.empty": "This tally counts no problems. Add tallies of some samples to it.",
        "tally.no_samples": "The option {name} needs the value of each problem. Count with {option:by_problem}, or "
        "leave it out; clusters can be the groups.",
        "tally.k_above_n": "{option:k} must be at most n, the number of samples of every problem; got k = {k}, but "
        "the smallest n is {n} (problems with too few samples: {count:,} of {total:,}).",
        "tally.no_k": "{title} is left out: the tally has it for k = {held} alone.",
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

    counted, voted = measure(*_list_counts(tally, options)), measure(*_list_votes(tally, options))
    if counted.judged.verdicts.stopped:
        refuse_undefined(counted.judged.verdicts, options["k"], confidence.target)
    states, listed = _list_moments(tally, options)
    measured = _Listed(**vars(measure(*states)), listed=listed)

    def choose(metric: Metric) -> Measurement | Message:
        part = (
            measured
            if metric.needs_scores
            else voted
            if metric.votes and tally.votes is not None
            else counted
        )
        no_order = _say("tally.ties") if part is voted and options["ties"] == "first" else None
        return tally.left_out.get(metric.name) or no_order or part

    left_out = compute_all(wanted, choose)
    _move_accuracy(tally, counted, measured, left_out)
    numbers = gather([counted, voted, measured]) | {"source": source}
    if not numbers["values"]:  # the mean grade was asked for alone, and the tally does not have it
        raise make_left_out(left_out)
    numbers["notes"] = [*notes, *numbers["notes"]]
    stopped = {"sampling": UNTIL_SUCCESS} if counted.judged.verdicts.stopped else {}
    return Report(**numbers, left_out=left_out, options={**changed, **stopped})


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


def _list_votes(tally: Tally, options: Mapping[str, Any]) -> _States:
    """List one problem for each group, n and votes; or every problem, if the tally keeps them."""
    if tally.by_problem and tally.votes is not None:
        shapes = [problem.shape for problem in tally.problems.values()]
        groups, times = [group for group, *_ in shapes], None
        n, size = np.array([(n, len(votes)) for _, n, votes in shapes], dtype=np.int64).T
        signed = np.fromiter(chain.from_iterable(votes for *_, votes in shapes), np.int64)
    else:
        held = {} if tally.votes is None else tally.votes.cells
        groups = []
        none = np.zeros(0, dtype=np.int64)
        sizes, told, repeats, lengths = [none], [none], [none], [none]
        for cell in sorted(held):
            (group, here), (rows, problems) = cell, held[cell]
            groups += [group] * len(rows)
            lengths.append(np.full(len(rows), here))
            sizes.append(np.count_nonzero(rows, axis=1))
            told.append(rows[rows != 0])
            repeats.append(problems)
        n, size, signed, times = map(np.concatenate, (lengths, sizes, told, repeats))
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


def _list_moments(
    tally: Tally, options: Mapping[str, Any]
) -> tuple[_States, Mapping[Key, Measures]]:
    """List two problems for each group and n, one of them for all but one; or every problem. And their values."""
    # Of M problems, one has the value v + d, and M − 1 have v − d/(M − 1). With d = √(S (M − 1)/M), they have the mean
    # v and the sum S of squared deviations from it. Of their jackknife variances the first is the largest.
    cells, times = [(problem.group, problem.n) for problem in tally.problems.values()], None
    values = list_values(tally.problems.values())
    if not tally.by_problem:
        held = sorted(tally.sums)
        cells = [cell for cell in held for _ in range(2)]
        strata = [tally.sums[cell] for cell in held]
        size = np.array([stratum.problems for stratum in strata])
        times = np.stack([np.ones_like(size), size - 1], axis=1).ravel()
        keys = strata[0].moments if strata else ()
        values = {key: _spread([stratum.moments[key] for stratum in strata], size) for key in keys}
    n = np.array([n for _, n in cells], dtype=np.int64)
    flags = Ragged.of_lengths(np.zeros(n.sum(), dtype=bool), n)
    return (_judge(tally, options, [group for group, _ in cells], flags), times), values


def _spread(moments: Sequence[Moments], size: Ints) -> Measures:
    """Return the values, jackknife variances and errors of two problems that have the moments of `size` problems."""
    mean, squares, variance, largest, error = np.array(moments).T
    others = np.maximum(size - 1, 1)
    deviation = np.sqrt(squares * ((size - 1) / size))
    infinite = np.full(len(size), np.inf)
    rest = np.subtract(variance, largest, out=infinite, where=np.isfinite(largest))
    pairs = (mean + deviation, mean - deviation / others), (largest, np.maximum(rest, 0) / others)
    value, spread = (np.stack(pair, axis=1).ravel() for pair in pairs)
    return value, spread, np.repeat(np.sqrt(error / size), 2)


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


@dataclass(frozen=True)
class _Listed(Measurement):
    """Take the values of metrics from lists of them.

    Attributes:
        listed: key → its values, and their variances and errors.
    """

    listed: Mapping[Key, Measures] = field(default_factory=dict)

    def compute(self, metric: Metric, **changes: Any) -> Values:
        """Take the values of a metric, for the k that there are."""
        keys = [key for key in self.listed if key.metric in metric.metrics]
        if not keys:
            raise ask_for_scores(metric.title)
        conditions: dict[str, object] = {}
        if metric.default_k is not None:
            held = {key.k for key in keys}
            draws = choose_k(
                changes.get("k", self.options["k"]), self.judged.verdicts.n, metric.default_k
            )
            if not changes and self.options["k"] is not None and not held.issuperset(draws):
                raise _say.error(
                    "tally.no_k",
                    LeftOutError,
                    title=metric.title,
                    held=", ".join(map(str, sorted(place for place in held if place is not None))),
                )
            draws = tuple(draw for draw in draws if draw in held)
            keys = [key for key in keys if key.k in draws]
            conditions = {**metric.own(self.options), "k": draws}
        variances = {key: Column(self.listed[key][1]) for key in keys}
        errors = {key: self.listed[key][2] for key in keys if self.listed[key][2].any()}
        return Values(
            {key: Column(self.listed[key][0]) for key in keys},
            errors,
            conditions,
            lambda: variances,
        )


def _move_accuracy(
    tally: Tally, counted: Measurement, measured: Measurement, left_out: dict[str, Message]
) -> None:
    """Take mean grades from moments, where they are not the shares of correct samples, or leave them out."""
    name = next(
        (name for name, values in counted.found.items() if ACCURACY in values.columns), None
    )
    soft = any(ACCURACY in stratum.moments for stratum in tally.sums.values())
    if name is None or not (soft or ACCURACY in tally.left_out):
        return
    shares = counted.found[name]
    counted.found[name] = replace(
        shares, columns={key: column for key, column in shares.columns.items() if key != ACCURACY}
    )
    if not soft:
        left_out[ACCURACY] = tally.left_out[ACCURACY]
        return
    computed = measured.compute(FAMILY[name])
    assert shares.vary is not None and computed.vary is not None  # noqa: PT018 - for the type checker
    levels = computed.vary()[ACCURACY].levels
    worst = shares.vary()[ACCURACY].levels
    # No grades in [0, 1] vary more than the verdicts of the worst c.
    variances = {ACCURACY: Column(np.append(levels, worst), np.arange(len(levels)))}
    measured.found[name] = replace(computed, vary=lambda: variances)
