"""Is A better than B? Two models on the same problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.apart import compare_audited, compare_reruns, refuse_apart
from at_k.analysis.bands import find_bands
from at_k.analysis.claims import Difference
from at_k.analysis.compared import Compared, Flip
from at_k.analysis.matching import OF_MATCHING, Matched, match, write_range
from at_k.analysis.measurements import choose_keys, read_models, refuse_one_model
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message, Phrases
from at_k.estimators.counts import evaluate_tables, tabulate_pass
from at_k.options.registry import COMPARING, SCORED, complete, takes
from at_k.report.grid import note_twins
from at_k.report.measuring import spread_k
from at_k.summary import is_bounded
from at_k.uncertainty.checks import share_looks
from at_k.uncertainty.comparison import compare_columns
from at_k.uncertainty.decisions import Comparison, subtract_columns
from at_k.uncertainty.flips import ROUNDING
from at_k.uncertainty.further_tests import (
    WILCOXON_WARNING,
    compare_unpaired,
    paired_t_p,
    wilcoxon_p,
)
from at_k.uncertainty.questions import find_questions
from at_k.uncertainty.standard_errors import find_noise_floor
from at_k.validation import is_sequence, shorten
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import CompareOptions, Unpack

_say = Phrases(
    {
        "compare.reruns": "The differences are about other samples of these very problems.",
        "compare.upper_bound": "All samples are drawn for {keys}, so that they do not show how others would differ. "
        "The interval is that for other problems, which is wider.",
        "compare.no_range": "Left out, since values without a range are compared on the same problems only: {keys}.",
        "compare.adjusted": "Adjusted for {count} comparisons. For one metric only, pass {option:metrics=pass@1} "
        "(narrower intervals).",
        "compare.unbounded": "{keys}: values without a range. The test sees only the losses that are in the sample, "
        "and errs too often with few problems and skewed scores (.09 instead of .05 with 12 problems).",
        "compare.in_bands": "Intervals, p-values and decisions of a band hold at every k of its metric together, and "
        "not for several metrics.",
        "compare.of_keys": "{keys}: {note}",
        "compare.noise": "Noise floor: two runs of this size (n = {n}) of one model differ by up to {a:.1f} points in "
        "accuracy for {name}, and {b:.1f} for {other}, in 95 % of pairs.",
        "compare.no_pairs": "Equivalence and further tests are left out: they compare models on the same problems.",
        "compare.unpaired_clusters": "Problems in {option:clusters} are compared on the same problems only. Take "
        "every problem alone with clusters=False, or leave out what only one model has.",
        "compare.unpaired_range": "Values without a range, such as those of {keys}, can be compared on the same "
        "problems only.",
    }
)

# Problems that are listed, of those whose values differ most.
_FLIPS = 10


@takes(COMPARING, SCORED)
def compare(a: Any, b: Any = None, /, **given: Unpack[CompareOptions]) -> Compared:
    """Compare two models on the same problems, in every number that both have.

    Problems are matched by their names. If the data have none, they are matched by their order.

    Args:
        a: a report, the file of one that was saved, a results file or data set as `at_k.score` takes them, a tally by
            problem, or key → problem → value. Two models in one file are two reports of it:
            `at_k.score(path, where={"model": "a"})`.
        b: the other model, in any of these forms.
        given: see below.

    Returns:
        For each key both values, the paired difference a − b with its interval and p-value, and the problems won, lost
        and tied.

    Raises:
        InputError: if the two have no key in common, or different problems, or cannot be scored.
        TypeError: if a or b is none of these, or an option is unknown or of the wrong kind.
        ValueError: if an option is out of its range.

    Examples:
        >>> grades = {"a": [[1, 1]] * 7, "b": [[0, 1]] * 7}
        >>> found = compare({"grades": grades["a"]}, {"grades": grades["b"]}, metrics="pass_at_k", k=1)
        >>> found.comparisons["pass@1"].difference, found.comparisons["pass@1"].won, str(found.decision("pass@1"))
        (0.5, 7, 'A is better')
    """
    options = complete(given, compare)
    if b is None:
        refuse_one_model(a, given)
    return compare_matched(a, b, options, given)[1]


def compare_matched(
    a: Any, b: Any, given: Mapping[str, Any], scoring: Mapping[str, Any]
) -> tuple[Matched, Compared]:
    """Line up two models, and compare them."""
    options, looks = share_looks(given)
    names = options["names"]
    unmatched = options["unmatched"]
    if isinstance(names, str) or not is_sequence(names) or len(names) != 2:
        raise ValueError(f"`names` must hold two names, one of each model; got {shorten(names)}")
    called = (str(names[0]), str(names[1]))
    models = read_models({"a": a, "b": b}, scoring)
    keys = choose_keys(options["metrics"], models)
    # Reports keep what they were asked for.
    held = [model.report.options for model in models if model.report is not None]
    asked = next((options["metrics"] for options in held if "metrics" in options), None)
    refuse_apart(options)
    matched = match(models, called, unmatched=unmatched, clusters=options["clusters"])
    if isinstance(options["extra_tests"], str):
        extra = [options["extra_tests"]]
    else:
        extra = list(options["extra_tests"])
    unpaired = unmatched == "unpaired" and any(matched.only)
    if unpaired:
        refuse_apart(options, unpaired=True)
    reruns = options["target"] == "problem_set"
    if reruns:
        matched = replace(matched, labels=None)
    if options["audited"] is not None:
        compared = compare_audited(matched, keys, options)
    elif unpaired:
        compared = Compared(
            called,
            _compare_unpaired(matched, keys, options["confidence_level"]),
            margin=options["margin"],
        )
    else:
        compared = _compare_paired(matched, keys, options, reruns=reruns, extra=extra)
    left_out = OF_MATCHING if unpaired else ()
    notes = looks + [note for note in matched.note(keys) if note.code not in left_out]
    notes += _note_keys(keys, compared)
    if reruns:
        notes += _note_reruns(compared.comparisons)
    if "wilcoxon" in extra and not unpaired:
        notes.append(WILCOXON_WARNING)
    notes += _note_noise(matched, compared)
    needs_pairs = extra or options["margin"] is not None or options["band"]
    if needs_pairs and unpaired:
        notes.append(_say("compare.no_pairs"))
    return matched, replace(
        compared, unmatched=(matched.only[0], matched.only[1]), notes=notes, asked=asked
    )


def _compare_unpaired(matched: Matched, keys: Sequence[str], level: float) -> dict[str, Comparison]:
    if matched.labels is not None:
        raise _say.error("compare.unpaired_clusters")
    a, b = (model.values for model in matched.models)
    pairs = {key: (a[key], b[key]) for key in keys if is_bounded(key)}
    if not pairs:
        raise _say.error("compare.unpaired_range", keys=", ".join(keys))
    asked, _ = find_questions(
        [np.concatenate(pair) for pair in pairs.values()], [True] * len(pairs)
    )
    return {
        key: compare_unpaired(*pair, confidence_level=level, questions=len(asked))
        for key, pair in pairs.items()
    }


def _compare_paired(
    matched: Matched,
    keys: Sequence[str],
    options: Mapping[str, Any],
    *,
    reruns: bool,
    extra: Sequence[str],
) -> Compared:
    pairs = {key: matched.values(key) for key in keys}
    level = options["confidence_level"]
    margin = options["margin"]
    seed = options["seed"]
    bounded = list(map(is_bounded, keys))
    differences = {
        key: subtract_columns(a, b, bounded=is_bounded(key)) for key, (a, b) in pairs.items()
    }
    first, which = find_questions([*differences.values()], bounded)
    marks = dict(zip(keys, which, strict=True))
    count = len(first)
    compared = compare_columns(
        [(a, b) for a, b in pairs.values()],
        bounded,
        confidence_level=level,
        method=options["method"],
        clusters=matched.labels,
        margin=margin,
        seed=seed,
        factor=matched.find_factor(),
    )
    comparisons = dict(zip(keys, compared, strict=True))
    on_these = compare_reruns(
        matched, pairs, needed=reruns, confidence_level=level, margin=margin, questions=count
    )
    others: dict[str, Comparison] = {}
    if reruns:
        others = {key: comparisons[key] for key in on_these}
        comparisons |= on_these
    bands = {}
    if options["band"]:
        bands = find_bands(matched, confidence_level=level, seed=seed)
        comparisons = _take_bands(comparisons, bands, marks)
    equivalence = {
        key: pair.p_equivalence
        for key, pair in comparisons.items()
        if pair.p_equivalence is not None
    }
    asked = len({marks[key] for key in equivalence})
    extra_tests = {}
    for test in extra:
        run = _TESTS[test]
        extra_tests[test] = {key: run(column) for key, column in differences.items()}
    flips = {}
    for key, column in differences.items():
        flips[key] = _find_flips(matched.problems, pairs[key], column)
    return Compared(
        (matched.names[0], matched.names[1]),
        comparisons,
        equivalence={key: min(1.0, asked * p_value) for key, p_value in equivalence.items()},
        extra_tests=extra_tests,
        flips=flips,
        margin=margin,
        bands=bands,
        questions=count,
        same=matched.are_same([a for a, _ in pairs.values()], [*differences.values()]),
        unlike=matched.unlike_samples,
        noise=_measure_noise(matched),
        reruns=on_these,
        others=others,
        target=options["target"],
        turn=_find_turn(matched, keys),
    )


_TESTS = {"t": paired_t_p, "wilcoxon": wilcoxon_p}


def _take_bands(
    comparisons: Mapping[str, Comparison],
    bands: Mapping[Key, Sequence[Difference]],
    marks: Mapping[str, int],
) -> dict[str, Comparison]:
    """Return the comparisons with the limits of bands, where these ask the same question at a k."""
    points: dict[str, Difference] = {}
    for line, of_line in bands.items():
        for point in of_line:
            points[Key(line.metric, point.k, line.tau)] = point
    # Others ask a question of a band too, such as avg@n.
    of_marks = {marks[key]: at for key, at in reversed(points.items()) if key in marks}
    taken: dict[str, Comparison] = {}
    for key, pair in comparisons.items():
        at = points.get(key) or of_marks.get(marks[key])
        if at is None:
            taken[key] = pair
            continue
        fragility = None if at.better is None else pair.fragility
        taken[key] = replace(
            pair, low=at.low, high=at.high, p_adjusted=at.p_value, fragility=fragility
        )
    return taken


def _measure_noise(matched: Matched) -> tuple[float, float] | None:
    if matched.counts is None:
        return None
    a, b = (find_noise_floor(n, c, single=False) for n, c in matched.counts)
    if np.isnan(a + b):
        return None
    return a, b


def _find_turn(matched: Matched, keys: Sequence[str]) -> int | None:
    """Return the first k at which the difference of pass@k has the other sign than at k = 1; None without one."""
    draws = [key.k or 1 for key in keys if isinstance(key, Key) and key.metric == "pass@k"]
    if matched.counts is None or len(draws) < 2:
        return None
    smallest = min(int(n.min()) for n, _ in matched.counts)
    grid = [k for k in spread_k(smallest) if k <= max(draws)]
    a, b = (evaluate_curve(n, c, grid) for n, c in matched.counts)
    signs = np.sign(np.where(np.abs(a - b) > ROUNDING, a - b, 0.0))
    turned = np.flatnonzero(signs * signs[0] < 0)
    return grid[turned[0]] if len(turned) else None


def evaluate_curve(n: Ints, c: Ints, k: Sequence[int]) -> Floats:
    """Return pass@k of the data set at each k."""
    return np.asarray(evaluate_tables([(tabulate_pass, each) for each in k], n, c).mean(axis=0))


def _note_reruns(comparisons: Mapping[str, Comparison]) -> Iterator[Message]:
    """Say what the differences are about, and for which keys the samples do not tell it."""
    yield _say("compare.reruns")
    others = [key for key, pair in comparisons.items() if pair.method != "rerun"]
    if others:
        yield _say("compare.upper_bound", keys=", ".join(others))


def _find_flips(problems: Sequence[str], pair: Sequence[Floats], difference: Floats) -> list[Flip]:
    order = np.argsort(-np.abs(difference), kind="stable")[:_FLIPS]
    return [Flip(problems[i], float(pair[0][i]), float(pair[1][i])) for i in order if difference[i]]


def _note_keys(chosen: Sequence[str], found: Compared) -> Iterator[Message]:
    """Say what must be known of all keys, and of some."""
    left_out = [key for key in chosen if key not in found.comparisons]
    if left_out:
        yield _say("compare.no_range", keys=", ".join(left_out))
    if found.bands:
        yield _say("compare.in_bands")
    elif found.questions > 1:
        yield _say("compare.adjusted", count=found.questions)
    if not found.same:
        yield from note_twins(found.numbers)
    unbounded = [key for key in found.comparisons if not is_bounded(key)]
    if unbounded and not found.same:
        yield _say("compare.unbounded", keys=", ".join(unbounded))
    about: dict[Message, list[str]] = {}
    for key, pair in found.comparisons.items():
        for note in pair.notes:
            about.setdefault(note, []).append(key)
    for note, keys in about.items():
        of_all = len(keys) == len(found.comparisons)
        yield note if of_all else _say("compare.of_keys", keys=", ".join(keys), note=note)


def _note_noise(matched: Matched, found: Compared) -> Iterator[Message]:
    if found.noise is not None and not found.same:
        a, b = (100 * floor for floor in found.noise)
        names = {"name": found.names[0], "other": found.names[1]}
        n = np.concatenate([sizes for sizes, _ in matched.counts or ()])
        yield _say("compare.noise", n=write_range(n), a=a, b=b, **names)
