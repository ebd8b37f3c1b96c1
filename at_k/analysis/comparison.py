"""Is A better than B? Two models on the same problems, or on several benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.apart import estimate_all, estimate_audited
from at_k.analysis.claims import Difference
from at_k.analysis.compared import Compared, Flip, find_bands
from at_k.analysis.matching import OF_MATCHING, Matched, match, write_range
from at_k.analysis.measurements import (
    choose_keys,
    find_variances,
    read_models,
    refuse_unknown_samples,
)
from at_k.combinatorics import Floats, Ints
from at_k.errors import Mention, Message, Phrases
from at_k.estimators.counts import evaluate_tables, tabulate_pass
from at_k.options.registry import COMPARING, POOLING, SCORED, complete, takes
from at_k.report.grid import note_twins
from at_k.report.measuring import spread_k
from at_k.results.sheet import Sheet
from at_k.results.writers import Shown
from at_k.summary import is_bounded
from at_k.uncertainty.checks import share_looks
from at_k.uncertainty.comparison import (
    WILCOXON_WARNING,
    compare_columns,
    compare_pooled,
    compare_reruns,
    compare_unpaired,
    make_audited,
    paired_t_p,
    wilcoxon_p,
)
from at_k.uncertainty.flips import ROUNDING
from at_k.uncertainty.questions import find_questions
from at_k.uncertainty.standard_errors import find_noise_floor
from at_k.uncertainty.verdicts import Comparison, subtract_columns
from at_k.validation import is_sequence, shorten, type_name
from at_k.values import Key

if TYPE_CHECKING:
    from at_k.signatures import CompareOptions, PoolOptions, Unpack

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
        "compare.in_bands": "Intervals, p-values and verdicts of a band hold at every k of its metric together, and "
        "not for several metrics.",
        "compare.of_keys": "{keys}: {note}",
        "compare.noise": "Noise floor: two runs of this size (n = {n}) of one model differ by up to {a:.1f} points in "
        "accuracy for {name}, and {b:.1f} for {other}, in 95 % of pairs.",
        "compare.no_pairs": "Equivalence and further tests are left out: they compare models on the same problems.",
        "pool.family": "Verdicts on single benchmarks are adjusted for {count} benchmarks.",
        "pool.weights": "Pooled over {count} benchmarks, each {weight} with equal weight.",
        "compare.unpaired_clusters": "Problems in {option:clusters} are compared on the same problems only. Take "
        "every problem alone with clusters=False, or leave out what only one model has.",
        "compare.unpaired_range": "Values without a range, such as those of {keys}, can be compared on the same "
        "problems only.",
        "compare.of_others": "With {option:target=problem_set}, leave out {names}: it is about other problems, and "
        "the target about other samples of these.",
        "compare.of_audit": "With {option:audited}, leave out {names}: an audited difference takes problems as "
        "independent, and is about other problems like these.",
        "compare.nothing_audited": "No number that is compared was audited for both models. Give data of which "
        "{option:audited} names a column of verdicts.",
        "pool.benchmarks": "Both models need the same benchmarks; only one has {names}.",
        "pool.no_key": "The benchmarks have no share in common. Ask for the same k on all of them.",
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
        >>> verdicts = {"a": [[1, 1]] * 7, "b": [[0, 1]] * 7}
        >>> found = compare({"grades": verdicts["a"]}, {"grades": verdicts["b"]}, metrics="pass_at_k", k=1)
        >>> found.comparisons["pass@1"].difference, found.comparisons["pass@1"].won, str(found.verdict("pass@1"))
        (0.5, 7, 'A is better')
    """
    return _compare(a, b, complete(given, compare), given)[1]


def _compare(
    a: Any, b: Any, given: Mapping[str, Any], scoring: Mapping[str, Any]
) -> tuple[Matched, Compared]:
    """Line up two models, and compare them."""
    options, looks = share_looks(given)
    names, margin, unmatched = (options[name] for name in ("names", "margin", "unmatched"))
    level = options["confidence_level"]
    if isinstance(names, str) or not is_sequence(names) or len(names) != 2:
        raise ValueError(f"`names` must hold two names, one of each model; got {shorten(names)}")
    called = (str(names[0]), str(names[1]))
    models = read_models({"a": a, "b": b}, scoring)
    keys = choose_keys(options["metrics"], models)
    # Reports keep what they were asked for.
    held = [model.report.options for model in models if model.report is not None]
    asked = next((options["metrics"] for options in held if "metrics" in options), None)
    if options["audited"] is not None:
        _refuse_beside_audit(options)
    matched = match(models, called, unmatched=unmatched, clusters=options["clusters"])
    if isinstance(options["extra_tests"], str):
        extra = [options["extra_tests"]]
    else:
        extra = list(options["extra_tests"])
    unpaired = unmatched == "unpaired" and any(matched.only)
    reruns = options["target"] == "problem_set"
    if reruns:
        _refuse_for_reruns(options, unpaired=unpaired)
        matched = replace(matched, labels=None)
    if options["audited"] is not None:
        compared = _compare_audited(matched, keys, options)
    elif unpaired:
        compared = Compared(called, _compare_unpaired(matched, keys, level), margin=margin)
    else:
        compared = _compare_paired(matched, keys, options, reruns=reruns, extra=extra)
    notes = [
        *looks,
        *(note for note in matched.note(keys) if not (unpaired and note.code in OF_MATCHING)),
        *_note_keys(keys, compared),
        *(_note_reruns(compared.comparisons) if reruns else []),
        *([WILCOXON_WARNING] if "wilcoxon" in extra and not unpaired else []),
        *_note_noise(matched, compared),
        *(
            [_say("compare.no_pairs")]
            if (extra or margin is not None or options["band"]) and unpaired
            else []
        ),
    ]
    return matched, replace(
        compared, unmatched=(matched.only[0], matched.only[1]), notes=notes, asked=asked
    )


def _compare_unpaired(matched: Matched, keys: Sequence[str], level: float) -> dict[str, Comparison]:
    if matched.labels is not None:
        raise _say.error("compare.unpaired_clusters")
    pairs = {
        key: [model.values[key] for model in matched.models] for key in keys if is_bounded(key)
    }
    if not pairs:
        raise _say.error("compare.unpaired_range", keys=", ".join(keys))
    asked, _ = find_questions(
        [np.concatenate(pair) for pair in pairs.values()], [True] * len(pairs)
    )
    return {
        key: compare_unpaired(a, b, confidence_level=level, questions=len(asked))
        for key, (a, b) in pairs.items()
    }


def _refuse_beside_audit(options: Mapping[str, Any]) -> None:
    """Raise for what an audited comparison cannot have."""
    asked = [name for name in ("extra_tests", "band") if options[name]]
    if options["clusters"] not in (None, False):
        asked.append("clusters")
    if options["target"] != "population":
        asked.append("target")
    if options["unmatched"] == "unpaired":
        asked.append("unmatched")
    if asked:
        raise _say.error("compare.of_audit", names=Mention(asked[0]))


def _compare_audited(matched: Matched, keys: Sequence[str], options: Mapping[str, Any]) -> Compared:
    """Compare by the verdicts of a better judge on some problems."""
    level = options["confidence_level"]
    margin = options["margin"]
    audits = [report.audit for report in matched.reports]
    asked = [key for key in keys if isinstance(key, Key) and all(key in audit for audit in audits)]
    if not asked:
        raise _say.error("compare.nothing_audited")
    found, own = estimate_all(matched, asked, level, estimate_audited)
    comparisons: dict[str, Comparison] = {}
    for key, estimated in found.items():
        a, b = matched.values(key)
        comparisons[key] = make_audited(
            a, b, estimated[:3], own, confidence_level=level, questions=len(asked), margin=margin
        )
    equivalence = {
        key: min(1.0, len(asked) * pair.p_equivalence)
        for key, pair in comparisons.items()
        if pair.p_equivalence is not None
    }
    return Compared(
        (matched.names[0], matched.names[1]),
        comparisons,
        equivalence=equivalence,
        margin=margin,
        questions=len(asked),
        unlike=matched.unlike_samples,
    )


def _compare_paired(
    matched: Matched,
    keys: Sequence[str],
    options: Mapping[str, Any],
    *,
    reruns: bool,
    extra: Sequence[str],
) -> Compared:
    pairs = {key: matched.values(key) for key in keys}
    level, margin, seed = (options[name] for name in ("confidence_level", "margin", "seed"))
    differences = {
        key: subtract_columns(a, b, bounded=is_bounded(key)) for key, (a, b) in pairs.items()
    }
    first, which = find_questions([*differences.values()], list(map(is_bounded, keys)))
    marks = dict(zip(keys, which, strict=True))
    count = len(first)
    compared = compare_columns(
        [(a, b) for a, b in pairs.values()],
        [is_bounded(key) for key in keys],
        confidence_level=level,
        method=options["method"],
        clusters=matched.labels,
        margin=margin,
        seed=seed,
        factor=matched.find_factor(),
    )
    comparisons = dict(zip(keys, compared, strict=True))
    on_these = _compare_reruns(
        matched, pairs, needed=reruns, confidence_level=level, margin=margin, questions=count
    )
    if reruns:
        comparisons |= on_these
    bands = {}
    if options["band"]:
        bands = find_bands(matched, confidence_level=level, seed=seed)
    of_bands: dict[str, Difference] = {
        Key(line.metric, at.k, line.tau): at for line, points in bands.items() for at in points
    }
    of_marks = {marks[key]: at for key, at in reversed(of_bands.items()) if key in marks}
    for key, pair in comparisons.items():  # others ask a question of a band too, such as avg@n
        at = of_bands.get(key) or of_marks.get(marks[key])
        if at is not None:
            fragility = None if at.verdict == "open" else pair.fragility
            comparisons[key] = replace(
                pair, low=at.low, high=at.high, p_adjusted=at.p_value, fragility=fragility
            )
    equivalence = {
        key: pair.p_equivalence
        for key, pair in comparisons.items()
        if pair.p_equivalence is not None
    }
    asked = len({marks[key] for key in equivalence})
    return Compared(
        (matched.names[0], matched.names[1]),
        comparisons,
        equivalence={key: min(1.0, asked * p_value) for key, p_value in equivalence.items()},
        extra_tests={
            test: {key: _TESTS[test](column) for key, column in differences.items()}
            for test in extra
        },
        flips={
            key: _find_flips(matched.problems, pairs[key], column)
            for key, column in differences.items()
        },
        margin=margin,
        bands=bands,
        questions=count,
        same=matched.are_same([a for a, _ in pairs.values()], [*differences.values()]),
        unlike=matched.unlike_samples,
        noise=_measure_noise(matched),
        reruns=on_these,
        target=options["target"],
        turn=_find_turn(matched, keys),
    )


_TESTS = {"t": paired_t_p, "wilcoxon": wilcoxon_p}


def _measure_noise(matched: Matched) -> tuple[float, float] | None:
    if matched.counts is None:
        return None
    a, b = (find_noise_floor(n, c, single=False) for n, c in matched.counts)
    if np.isnan(a + b):
        return None
    return a, b


def _refuse_for_reruns(options: Mapping[str, Any], *, unpaired: bool) -> None:
    """Raise for what is about other problems, where the problem set is the target."""
    asked = [
        name
        for name in ("clusters", "extra_tests", "band")
        if options[name] not in (None, False, (), [])
    ]
    if unpaired:
        asked.append("unmatched")
    if asked:
        raise _say.error("compare.of_others", names=Mention(asked[0]))


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


def _compare_reruns(
    matched: Matched, pairs: Mapping[str, Sequence[Floats]], *, needed: bool, **options: Any
) -> dict[str, Comparison]:
    """Compare for other samples of these problems; not where all n samples are drawn, which says nothing of others."""
    are_known = all(model.report is not None for model in matched.models)
    if not needed and (not are_known or matched.counts is None):
        return {}
    reports = matched.reports
    sizes = matched.line_up([np.array(report.n) for report in reports])
    draws = {key: key.draws or 1 for key in reports[0].by_problem if key in pairs}
    known = [key for key in draws if all((size > draws[key]).all() for size in sizes)]
    variances = [find_variances(report, known) for report in reports]
    if needed:
        for found, name in zip(variances, matched.names, strict=True):
            refuse_unknown_samples(known, found, name)
    compared: dict[str, Comparison] = {}
    for key in known:
        if any(key not in found for found in variances):
            continue
        a, b = matched.line_up([table[key] for table in variances])
        units = float(min((size // draws[key]).sum() for size in sizes))
        compared[key] = compare_reruns(
            pairs[key][0], pairs[key][1], (a, b), units, bounded=is_bounded(key), **options
        )
    return compared


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


@dataclass(frozen=True, eq=False, repr=False)
class Pooled(Shown):
    """Hold how two models compare on several benchmarks.

    Attributes:
        benchmarks: benchmark → how they compare on it.
        pooled: how they compare over all of them, in the numbers that all have.
    """

    benchmarks: dict[str, Compared]
    pooled: Compared

    def sheet(self, *, short: bool = False) -> Sheet:
        """Show the pooled comparison, and then that of each benchmark."""
        pooled = self.pooled.sheet(short=short)
        parts = {name: pair.sheet(short=short) for name, pair in self.benchmarks.items()}
        return Sheet(
            [*pooled.parts, *(replace(part, title=name) for name, part in parts.items())],
            data=lambda: {
                "pooled": pooled.data(),
                "benchmarks": {name: part.data() for name, part in parts.items()},
            },
        )


@takes(POOLING, SCORED)
def compare_benchmarks(
    a: Mapping[str, Any], b: Mapping[str, Any], /, **given: Unpack[PoolOptions]
) -> Pooled:
    """Compare two models on several benchmarks: on each, and over all of them in one verdict.

    Args:
        a: benchmark → a report, a file or a data set, as of `compare`.
        b: the other model, in any of these forms.
        given: see below.

    Returns:
        The comparison on each benchmark, and the pooled one. Its p-values are adjusted for the numbers that are pooled,
        but not for the benchmarks, which it takes together.

    Raises:
        InputError: as `compare`; also if the two do not have the same benchmarks, or these no number in common.
        TypeError: if a or b is not a mapping, or an option is of the wrong kind.
        ValueError: if an option is out of its range.

    Examples:
        >>> a = {"easy": {"grades": [[1, 1]] * 6}, "hard": {"grades": [[1, 0]] * 9}}
        >>> b = {"easy": {"grades": [[1, 0]] * 6}, "hard": {"grades": [[0, 0]] * 8 + [[1, 0]]}}
        >>> found = compare_benchmarks(a, b, metrics="pass@1")
        >>> str(found.pooled.verdict("pass@1")), round(found.pooled.comparisons["pass@1"].difference, 3)
        ('A is better', 0.472)
    """
    options, looks = share_looks(complete(given, compare_benchmarks))
    for name, models in (("a", a), ("b", b)):
        if not isinstance(models, Mapping) or not models:
            raise TypeError(
                f"`{name}` must map benchmarks to reports, files or data sets; got {shorten(models)} of type "
                f"{type_name(models)}"
            )
    a, b = ({str(name): data for name, data in models.items()} for models in (a, b))
    if a.keys() != b.keys():
        raise _say.error("pool.benchmarks", names=", ".join(sorted(a.keys() ^ b.keys())))
    comparing = complete(
        {name: value for name, value in given.items() if name in COMPARING}, compare
    )
    shared = 1 - (1 - comparing["confidence_level"]) / len(a)
    comparing["confidence_level"] = shared
    found = {name: _compare(a[name], b[name], comparing, given) for name in a}
    single = {
        name: _adjust_for_benchmarks(compared, len(a), options["confidence_level"])
        for name, (_, compared) in found.items()
    }
    keys = [
        key
        for key in next(iter(single.values())).comparisons
        if is_bounded(key) and all(key in pair.comparisons for pair in single.values())
    ]
    if not keys:
        raise _say.error("pool.no_key")
    values = {name: _list_values(matched, keys) for name, (matched, _) in found.items()}
    pooled_keys = compare_pooled(
        values,
        {name: matched.codes for name, (matched, _) in found.items()},
        factor=min(matched.find_factor() for matched, _ in found.values()),
        pool_by=options["pool_by"],
        confidence_level=options["confidence_level"],
        seed=options["seed"],
    )
    first = next(iter(single.values()))
    note = _say("pool.weights", count=len(single), weight=options["pool_by"])
    pooled = Compared(
        first.names,
        dict(zip(keys, pooled_keys, strict=True)),
        notes=[*looks, note, _say("pool.family", count=len(single))],
        same=all(pair.same for pair in single.values()),
        unlike=next((pair.unlike for pair in single.values() if pair.unlike is not None), None),
    )
    return Pooled(single, pooled)


def _list_values(matched: Matched, keys: Sequence[str]) -> list[tuple[Floats, Floats]]:
    return [(a, b) for a, b in map(matched.values, keys)]


def _adjust_for_benchmarks(found: Compared, count: int, confidence_level: float) -> Compared:
    """Adjust the verdicts on one of several benchmarks, whose intervals share the level."""

    def adjust(pair: Comparison) -> Comparison:
        p_adjusted = min(1.0, count * pair.p_adjusted)
        return replace(pair, p_adjusted=p_adjusted, confidence_level=confidence_level)

    comparisons = {key: adjust(pair) for key, pair in found.comparisons.items()}
    reruns = {key: adjust(pair) for key, pair in found.reruns.items()}
    equivalence = {key: min(1.0, count * p_value) for key, p_value in found.equivalence.items()}
    return replace(found, comparisons=comparisons, reruns=reruns, equivalence=equivalence)
