"""Is A better than B? Two models, or several, on the same problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from at_k.analysis.bands import find_bands
from at_k.analysis.compared import Compared, Flip
from at_k.analysis.measurements import (
    Measured,
    choose_keys,
    find_clusters,
    find_differing_conditions,
    find_too_large,
    find_variances,
    match_problems,
    read_models,
    require_reports,
    say_too_large,
)
from at_k.combinatorics import Floats, Ints
from at_k.error_bars import is_bounded
from at_k.errors import InputError, Mention, Message
from at_k.options import COMPARING, RANKING, SCORED, complete, takes
from at_k.report import Pairs
from at_k.report.models import map_models
from at_k.uncertainty.comparison import compare_columns, mark_question
from at_k.uncertainty.questions import Comparison
from at_k.uncertainty.ranking import Ranking, rank_values
from at_k.uncertainty.reruns import compare_reruns
from at_k.uncertainty.significance import WILCOXON_WARNING, holm, mcnemar_p, paired_t_p, subtract, wilcoxon_p
from at_k.uncertainty.unpaired import compare_unpaired
from at_k.validation import is_sequence, shorten

if TYPE_CHECKING:
    from at_k.signatures import CompareOptions, RankOptions, Unpack

_FLIPS = 10
"""Problems that are listed, of those whose values differ most."""


@takes(COMPARING, SCORED)
def compare(a: Any, b: Any = None, /, **given: Unpack[CompareOptions]) -> Compared:
    """Compare two models on the same problems, in every number that both have.

    Problems are matched by their names. If the data have none, they are matched by their order.

    Args:
        a: a report, the file of one that was saved, a results file or data set as `at_k.score` takes them, a tally by
            problem, or key → problem → value. Two models in one file are two reports of it:
            `at_k.score(path, where={"model": "a"})`. Or pairs of counts, which hold both models.
        b: the same of the other model; not given beside pairs.
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
    options = complete(given, compare)
    names, margin, method, unmatched = (options[name] for name in ("names", "margin", "method", "unmatched"))
    level, seed = options["confidence_level"], options["seed"]
    extra = [options["extra_tests"]] if isinstance(options["extra_tests"], str) else list(options["extra_tests"])
    if isinstance(names, str) or not is_sequence(names) or len(names) != 2:
        raise ValueError(f"`names` must hold two names, one of each model; got {shorten(names)}")
    called = (str(names[0]), str(names[1]))
    a, b, times = _split_pairs(a, b, options)
    models = read_models({"a": a, "b": b}, given)
    chosen = choose_keys(options["keys"], models)
    problems, only = match_problems(models, unmatched, names)
    unpaired = unmatched == "unpaired" and any(only)
    together = find_clusters(options["clusters"], models, names, problems)
    reruns = options["target"] == "problem_set"
    if reruns:
        together = _refuse_for_reruns(options, together, unpaired=unpaired)
    bounded = {key: is_bounded(key) for key in chosen}
    further: dict[str, dict[str, float]] = {test: {} for test in extra}
    flips: dict[str, list[Flip]] = {}
    equivalence: dict[str, float] = {}
    if unpaired:
        if together is not None:
            raise InputError(
                "compare.unpaired_clusters",
                "Problems in {option:clusters} are compared on the same problems only. Take every problem alone with "
                "clusters=False, or leave out what only one model has.",
            )
        pairs = {key: (models[0].values[key], models[1].values[key]) for key in chosen if bounded[key]}
        comparisons = {key: compare_unpaired(*pair, confidence_level=level) for key, pair in pairs.items()}
        questions = {key: mark_question(np.concatenate(pair)) for key, pair in pairs.items()}
        adjusted = adjust_for_questions({key: found.p_value for key, found in comparisons.items()}, questions)
    else:
        one_by_one = times is None
        if times is not None and (reruns or extra):  # these do not count problems that are alike
            problems, times = np.repeat(problems, times).tolist(), None
        pairs = {key: (models[0].line_up(key, problems), models[1].line_up(key, problems)) for key in chosen}
        found, p_values = compare_columns(
            list(pairs.values()),
            list(bounded.values()),
            confidence_level=level, method=method, clusters=together, margin=margin, seed=seed, times=times,
        )  # fmt: skip
        comparisons, adjusted = dict(zip(chosen, found, strict=True)), dict(zip(chosen, p_values, strict=True))
        if reruns:
            comparisons |= _compare_reruns(models, called, pairs, problems, confidence_level=level, margin=margin)
        questions = {key: mark_question(x - y) for key, (x, y) in pairs.items()}
        if reruns:
            adjusted = adjust_for_questions({key: each.p_value for key, each in comparisons.items()}, questions)
        equivalence = {key: each.p_equivalence for key, each in comparisons.items() if each.p_equivalence is not None}
        flips = {key: _find_flips(problems, *pair) for key, pair in pairs.items()} if one_by_one else {}
        for key, (x, y) in pairs.items():
            for test in extra:
                p_value = _run_test(test, x, y)
                if p_value is not None:
                    further[test][key] = p_value
    if not comparisons:
        raise InputError(
            "compare.unpaired_range",
            "Values without a range, such as those of {keys}, can be compared on the same problems only.",
            keys=", ".join(chosen),
        )
    return Compared(
        names=called,
        comparisons=comparisons,
        adjusted=adjusted,
        equivalence=adjust_for_questions(equivalence, questions),
        extra_tests=further,
        flips=flips,
        margin=margin,
        unmatched=(only[0], only[1]),
        notes=[
            *([] if unpaired else note_matching(models, only)),  # unpaired, each comparison says so
            *note_conditions(models, chosen),
            *([say_too_large(large)] if (large := find_too_large(models)) else []),
            *note_keys(chosen, comparisons, len(set(questions.values()))),
            *_note_clusters(together),
            *(_note_reruns(comparisons) if reruns else []),
            *([WILCOXON_WARNING] if "wilcoxon" in extra and not unpaired else []),
            *note_mcnemar(comparisons, further),
            *([_NO_PAIRS] if (extra or margin is not None or options["band"]) and unpaired else []),
        ],
        bands=find_bands(models, called, problems, together, confidence_level=level, seed=seed, times=times)
        if options["band"] and not unpaired
        else {},
    )


def _split_pairs(a: Any, b: Any, options: Mapping[str, Any]) -> tuple[Any, Any, Ints | None]:
    """Return both models, and how many problems each of their problems stands for, of pairs; else None."""
    if not isinstance(a, Pairs):
        return a, b, None
    if b is not None or options["clusters"] not in (None, False):
        raise InputError(
            "compare.pairs",
            "Pairs hold both models, and do not know problems one by one. Leave out b, and {option:clusters}.",
        )
    return a.split()


def _refuse_for_reruns(options: Mapping[str, Any], clusters: list[str] | None, *, unpaired: bool) -> list[str] | None:
    """Raise for what is about other problems, where the problem set is the target. Reports' own clusters are left."""
    asked = [name for name in ("clusters", "extra_tests", "band") if options[name] not in (None, False, (), [])]
    if unpaired:
        asked.append("unmatched")
    if asked:
        raise InputError(
            "compare.of_others",
            "With {option:target=problem_set}, leave out {names}: it is about other problems, and the target about "
            "other samples of these.",
            names=Mention(asked[0]),
        )
    return None


def _compare_reruns(
    models: Sequence[Measured],
    names: Sequence[str],
    pairs: Mapping[str, tuple[Floats, Floats]],
    problems: Sequence[str],
    *,
    confidence_level: float,
    margin: float | None,
) -> dict[str, Comparison]:
    """Compare for other samples of these problems; not where all n samples are drawn, which says nothing of others."""
    reports = require_reports(models, names)
    rows = [[model.places[problem] for problem in problems] for model in models]
    sizes = [np.array(report.n)[own] for report, own in zip(reports, rows, strict=True)]
    draws = {key: key.draws or 1 for key in reports[0].by_problem if key in pairs}
    known = [key for key in draws if all((each > draws[key]).all() for each in sizes)]
    variances = [find_variances(report, name, known) for report, name in zip(reports, names, strict=True)]
    return {
        key: compare_reruns(
            *pairs[key],
            (variances[0][key][rows[0]], variances[1][key][rows[1]]),
            float(min((each // draws[key]).sum() for each in sizes)),
            bounded=is_bounded(key),
            confidence_level=confidence_level,
            margin=margin,
        )
        for key in known
    }


def _note_reruns(comparisons: Mapping[str, Comparison]) -> Iterator[Message]:
    """Say what the differences are about, and for which keys the samples do not tell it."""
    yield Message("compare.reruns", "The differences are about other samples of these very problems.")
    others = [key for key, found in comparisons.items() if found.method != "rerun"]
    if others:
        yield Message(
            "compare.upper_bound",
            "All samples are drawn for {keys}, so that they do not show how others would differ. The interval is that "
            "for other problems, which is wider.",
            keys=", ".join(others),
        )


@takes(RANKING, SCORED)
def rank(models: Any, /, **given: Unpack[RankOptions]) -> Ranking:
    """Rank several models on the same problems by one number, as far as the data allow.

    Args:
        models: name → a report, a file, a data set, or key → problem → value, as of `compare`; or a list of paths,
            which name the models.
        given: see below.

    Returns:
        The models in order, all pairs with p-values adjusted for each other (step-down max-T), and the ranks that are
        possible.

    Raises:
        InputError: as `compare`.
        ValueError: as `compare`; also if there are fewer than two models.

    Examples:
        >>> models = {"x": {"grades": [[1, 1]] * 9}, "y": {"grades": [[0, 1]] * 9}, "z": {"grades": [[0, 0]] * 9}}
        >>> str(rank(models, metrics="pass_at_k", k=1))
        'x > y > z'
    """
    options = complete(given, rank)
    models = map_models(models)
    if len(models) < 2:
        raise ValueError(f"`models` must hold at least two models; got {len(models)}")
    found = read_models({f"models[{name!r}]": data for name, data in models.items()}, given)
    (own,) = choose_keys(options["key"], found)
    problems, _ = match_problems(found, options["unmatched"], tuple(map(str, models)))
    values = {str(name): model.line_up(own, problems) for name, model in zip(models, found, strict=True)}
    together = find_clusters(options["clusters"], found, list(map(str, models)), problems)
    ranking = rank_values(
        values,
        confidence_level=options["confidence_level"],
        bounded=is_bounded(own),
        clusters=together,
        seed=options["seed"],
    )
    return replace(ranking, notes=(*note_conditions(found, [own]), *_note_clusters(together)))


def _run_test(test: str, x: Floats, y: Floats) -> float | None:
    if test == "t":
        return paired_t_p(subtract(x, y, bounded=False))
    if test == "wilcoxon":
        return wilcoxon_p(subtract(x, y, bounded=False))
    return mcnemar_p(x, y) if np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all() else None


def _find_flips(problems: Sequence[str], x: Floats, y: Floats) -> list[Flip]:
    difference = np.abs(subtract(x, y, bounded=False))
    order = np.argsort(-difference, kind="stable")[:_FLIPS]
    return [Flip(problems[i], float(x[i]), float(y[i])) for i in order if difference[i]]


def adjust_for_questions(p_values: Mapping[str, float], questions: Mapping[str, bytes]) -> dict[str, float]:
    """Adjust p-values for the number of different questions that are asked.

    Keys that differ alike in every problem, as pass@1 and avg@n do, ask one question.
    """
    found: dict[bytes, float] = {}
    for key, p_value in p_values.items():
        found.setdefault(questions[key], p_value)
    adjusted = dict(zip(found, holm(list(found.values())).tolist(), strict=True))
    return {key: adjusted[questions[key]] for key in p_values}


def note_matching(models: Sequence[Measured], only: Sequence[int]) -> Iterator[Message]:
    """Say how problems were matched, unless all have names and are the same."""
    if any(only):
        yield Message("compare.dropped", "Problems that only one model has, left out: {count:,}.", count=sum(only))
    elif not any(model.named for model in models):
        yield Message("compare.by_order", "The problems have no names and were matched by their order.")


def note_conditions(models: Sequence[Measured], keys: Sequence[str]) -> Iterator[Message]:
    """Warn if the models were measured under different conditions: a difference may then come from these."""
    differing = find_differing_conditions(models, keys)
    if differing:
        yield Message(
            "compare.conditions",
            "The models were measured under different conditions, and these may make the difference: {conditions}.",
            conditions="; ".join(f"{name} ({', '.join(values)})" for name, values in differing.items()),
        )


def note_keys(chosen: Sequence[str], comparisons: Mapping[str, Comparison], questions: int) -> Iterator[Message]:
    """Say what must be known of all keys, and of some."""
    left_out = [key for key in chosen if key not in comparisons]
    if left_out:
        yield Message(
            "compare.no_range",
            "Left out, since values without a range are compared on the same problems only: {keys}.",
            keys=", ".join(left_out),
        )
    if questions > 1:
        yield Message(
            "compare.adjusted",
            "The p-values, and so the verdicts, are adjusted for the {count} different questions that these numbers "
            "ask; the intervals are not.",
            count=questions,
        )
    about: dict[Message, list[str]] = {}
    for key, found in comparisons.items():
        for note in found.notes:
            about.setdefault(note, []).append(key)
    for note, keys in about.items():
        of_all = len(keys) == len(comparisons)
        yield note if of_all else Message("compare.of_keys", "{keys}: {note}", keys=", ".join(keys), note=note)


def _note_clusters(clusters: Sequence[str] | None) -> Iterator[Message]:
    if clusters is not None:
        yield Message(
            "compare.in_clusters",
            "Problems come in clusters: {count:,}. Whole clusters flip their signs.",
            count=len(set(clusters)),
        )


def note_mcnemar(
    comparisons: Mapping[str, Comparison], further: Mapping[str, Mapping[str, float]]
) -> Iterator[Message]:
    """Say why McNemar's test is left out for some keys."""
    left_out = [key for key in comparisons if key not in further["mcnemar"]] if "mcnemar" in further else []
    if left_out and all(comparisons[key].paired for key in left_out):
        yield Message(
            "compare.mcnemar",
            "McNemar's test is left out for {keys}: it counts problems, whose values must all be 0 or 1, as with one "
            "sample of each, or at k = n.",
            keys=", ".join(left_out),
        )


_NO_PAIRS = Message(
    "compare.no_pairs", "Equivalence and further tests are left out: they compare models on the same problems."
)
