"""From samples to every number that they allow, by the `evaluate` modules themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import monotonic
from typing import Any

import evaluate

from at_k.demo.curves import Curves, drawn_k
from at_k.demo.limits import LIMITS
from at_k.demo.problems import Problems
from at_k.demo.words import make_error, make_message
from at_k.errors import InputError, Message
from at_k.estimators.consensus import TIES
from at_k.family import METRICS
from at_k.grading.verdicts import MISSING
from at_k.readers.plain import collect_samples
from at_k.readers.quoting import shorten
from at_k.readers.standard import Samples, find_missing
from at_k.readers.tables import Table
from at_k.registration import module_path

_MAX_KEYS = LIMITS.max_keys or 0
_MAX_TABLES = LIMITS.max_tables or 0
_MAX_VALUES = LIMITS.max_values or 0
_SECONDS = LIMITS.seconds or 0.0
_VOTE_SECONDS = LIMITS.vote_seconds or 0.0


@dataclass(frozen=True)
class Options:
    """What a visitor chooses.

    `k` is None for the default: powers of two that every problem has the samples for.
    """

    metrics: Sequence[str] = METRICS
    k: tuple[int, ...] | None = None
    taus: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0)
    ties: str = "random"
    missing: str = "error"
    higher_is_better: bool = True
    by_group: bool = True

    def __post_init__(self) -> None:
        for name in self.metrics:
            if name not in METRICS:
                raise make_error(
                    "scoring.bad_choice", name="metrics", value=shorten(str(name)), choices=", ".join(METRICS)
                )
        for name, value, choices in (("ties", self.ties, TIES), ("missing", self.missing, MISSING)):
            if value not in choices:
                raise make_error("scoring.bad_choice", name=name, value=shorten(str(value)), choices=", ".join(choices))
        if not self.metrics:
            raise make_error("scoring.no_metric")
        if self.k is not None and len(self.k) > _MAX_KEYS:
            raise make_error("scoring.too_many", name="k", count=len(self.k), limit=_MAX_KEYS)
        if not 1 <= len(self.taus) <= _MAX_KEYS:
            raise make_error("scoring.too_many", name="τ", count=len(self.taus), limit=_MAX_KEYS)
        if self.k is not None and (not self.k or min(self.k) < 1):
            raise make_error("scoring.bad_k", value=min(self.k, default="–"))
        if not all(0 <= tau <= 1 for tau in self.taus):
            raise make_error("scoring.bad_tau", value=next(tau for tau in self.taus if not 0 <= tau <= 1))


def score_table(
    table: Table,
    columns: Mapping[str, str | None],
    options: Options,
    *,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
) -> tuple[Samples, Scored]:
    """Score the samples of a table. `columns` says which column has which role, where that is not guessed."""
    samples = collect_samples(table, columns=columns, where=where, pool=pool, limits=LIMITS)
    if samples.answers is not None:  # as the checker reads them, so that " 7" and "7" are one vote
        answers = [[answer and answer.strip() for answer in row] for row in samples.answers]
        samples = replace(samples, answers=answers)
    return samples, score(samples, options)


@dataclass(frozen=True)
class Scored:
    """Every number of a data set.

    Attributes:
        metrics: those that the data allow, in the order of `METRICS`, each with its keys.
        overall: key → value.
        groups: label → key → value.
        sizes: label → number of problems.
        left_out: metric → why it is not there.
        notes: what a reader of the numbers must know.
        k: the k of the table.
        curves: the same metrics against k, None where a vote would take too long.
        problems: the counts of each problem.
        per_problem: key → a value for each problem.
        signatures: metric → what makes its numbers comparable.
    """

    metrics: dict[str, list[str]]
    overall: dict[str, float]
    groups: dict[str, dict[str, float]]
    sizes: dict[str, int]
    left_out: dict[str, InputError]
    notes: list[Message]
    k: tuple[int, ...]
    curves: Curves
    problems: Problems
    per_problem: dict[str, list[float]]
    signatures: dict[str, str]


def numbers(text: str, name: str, kind: Callable[[str], Any]) -> tuple[Any, ...]:
    """The numbers of a list that a visitor typed: "1, 2 4" or "1，2、4".

    Examples:
        >>> numbers("1, 2 4", "k", int)
        (1, 2, 4)
    """
    found = []
    for part in re.split(r"[\s,;，、；]+", text.strip()[:2000]):
        if part:
            try:
                found.append(kind(part if len(part) <= 20 else ""))  # the beginning of a number is another number
            except ValueError:
                if kind is int:
                    raise make_error("scoring.no_whole_number", name=name, value=shorten(part)) from None
                raise make_error("scoring.no_number", name=name, value=shorten(part)) from None
    return tuple(dict.fromkeys(found))


def score(samples: Samples, options: Options) -> Scored:
    """Every metric that the samples allow and the options ask for.

    Raises:
        InputError: if a value or an option does not fit the samples, or the work is more than a public page can do.
    """
    started = monotonic()
    given = samples
    samples, notes = settled(given, options.missing)
    n = [len(row) for row in _rows(samples)]
    k = _fitting(options.k, n, samples.problems)
    _bounded(n, k, options.taus)
    grid = _grid(n, k, options.taus)
    labels = samples.group if options.by_group else None
    left_out: dict[str, InputError] = {}
    tables: dict[str, dict[str, Any]] = {}
    lines: dict[str, tuple[float | None, ...]] = {}
    for name in [name for name in METRICS if name in options.metrics]:
        if monotonic() - started > _SECONDS:
            raise make_error("scoring.too_long", seconds=round(_SECONDS))
        try:
            columns = _columns(name, samples, given, options, max(k))
        except InputError as reason:
            left_out[name] = reason
            continue
        tables[name] = _computed(name, columns, k, groups=labels, return_details=True)
        drawn = _affordable(samples, grid) if name == "cons_at_k" else grid
        lines |= _lines(_computed(name, columns, drawn), grid)
    if not tables:
        raise next(iter(left_out.values()))
    if "cons_at_k" in tables and samples.answers is None:
        notes.append(make_message("scoring.vote_of_grades"))
    # In a vote a correct sample without an answer is not counted: n and c are those of the average.
    counts = _computed("avg_at_n", _columns("avg_at_n", samples, given, options, 1), k, return_details=True)["details"]
    problems = Problems(samples.problems, counts["per_problem"]["n"], counts["per_problem"]["c"])
    return _gathered(problems, labels, tables, k, Curves(grid, lines), left_out, notes)


def settled(samples: Samples, missing: str) -> tuple[Samples, list[Message]]:
    """The samples once it is decided what a missing one is, and a note on those that were missing."""
    if not samples.n_missing:
        return samples, []
    absent = find_missing(samples.answers, samples.grades)
    if missing == "error":
        problem = next(i for i, row in enumerate(absent) if any(row))
        raise make_error(
            "scoring.missing", place=samples.place(problem, absent[problem].index(True)), count=samples.n_missing
        )
    if missing == "incorrect":
        note = make_message("scoring.counted_wrong", count=samples.n_missing)
        if samples.grades is None:
            return samples, [note]
        grades: list[list[float | None]] = [
            [0.0 if grade is None else grade for grade in row] for row in samples.grades
        ]
        answers = samples.answers and [
            [None if gone else answer for answer, gone in zip(*pair, strict=True)]
            for pair in zip(samples.answers, absent, strict=True)
        ]
        return replace(samples, grades=grades, answers=answers), [note]
    if any(all(row) for row in absent):
        problem = next(i for i, row in enumerate(absent) if all(row))
        raise make_error("scoring.nothing_left", problem=samples.problems[problem])
    columns: dict[str, Any] = {"answers": samples.answers, "grades": samples.grades, "scores": samples.scores}
    kept: dict[str, Any] = {
        name: [
            [value for value, gone in zip(*pair, strict=True) if not gone] for pair in zip(rows, absent, strict=True)
        ]
        for name, rows in columns.items()
        if rows is not None
    }
    return replace(samples, **kept, n_missing=0), [make_message("scoring.dropped", count=samples.n_missing)]


def grades_by_answer(samples: Samples) -> dict[tuple[str, str], float]:
    """(answer, number of the problem) → grade, for a vote of answers that come with verdicts.

    Raises:
        InputError: if a problem has an answer with two different grades.
    """
    found: dict[tuple[str, str], float] = {}
    for problem, (answers, grades) in enumerate(zip(samples.answers or [], samples.grades or [], strict=True)):
        for sample, (answer, grade) in enumerate(zip(answers, grades, strict=True)):
            if answer is not None and grade is not None and found.setdefault((answer, str(problem)), grade) != grade:
                raise make_error("scoring.two_verdicts", answer=answer[:40], place=samples.place(problem, sample))
    return found


def _columns(name: str, samples: Samples, given: Samples, options: Options, most: int) -> dict[str, Any]:
    """What one module takes of the samples and options, besides k; `most` is the largest k of the table.

    The samples are `given`, settled.

    Raises:
        InputError: if the samples do not have what the metric needs.
    """
    taken: dict[str, Any] = {"missing": options.missing}
    if name == "cons_at_k" and samples.answers is not None:
        if most > _longest_vote(samples):
            raise make_error("scoring.vote_too_long", k=most)
        taken |= {"predictions": samples.answers, "references": samples.references, "ties": options.ties}
        if samples.grades is not None:
            verdicts = grades_by_answer(given)
            taken["references"] = [str(problem) for problem in range(len(samples.problems))]

            def verdict_in_the_file(answer: str, problem: str) -> float:
                return verdicts[answer, problem]

            verdict_in_the_file.__qualname__ = verdict_in_the_file.__name__  # so that a signature can name it
            taken["check_correct_fn"] = verdict_in_the_file
            taken["missing"] = "incorrect"  # judged, but without an answer to vote for
    elif samples.grades is not None:
        taken["predictions"] = samples.grades
    else:
        taken |= {"predictions": samples.answers, "references": samples.references}
    if name == "best_at_k":
        if samples.scores is None:
            raise make_error("scoring.no_scores")
        for problem, scores in enumerate(samples.scores):
            if None in scores:
                raise make_error("scoring.no_score", problem=shorten(samples.problems[problem]))
        taken |= {"scores": samples.scores, "higher_is_better": options.higher_is_better}
    if name == "gpassk":
        taken["thresholds"] = list(options.taus)
    return taken


def _computed(name: str, columns: dict[str, Any], k: Sequence[int], **asked: Any) -> dict[str, Any]:
    """The result of one module."""
    config = "default" if "references" in columns else "graded"
    draws = {} if name == "avg_at_n" else {"k": list(k)}
    result: dict[str, Any] = _module(name)(config_name=config).compute(**columns, **draws, **asked)
    return result


@cache
def _module(name: str) -> type:
    """The class of a module. Instances hold samples, so that every request makes its own."""
    return type(evaluate.load(str(module_path(name))))


def _rows(samples: Samples) -> list[list[Any]]:
    """Something for each sample of each problem."""
    rows: list[list[Any]] = (samples.grades if samples.grades is not None else samples.answers) or []
    return rows


def _fitting(k: tuple[int, ...] | None, n: list[int], names: list[str]) -> tuple[int, ...]:
    smallest = min(n)
    if k is None:
        powers = [2**power for power in range(11) if 2**power <= smallest]
        return tuple(sorted({*powers, smallest}))
    if max(k) > smallest:
        raise make_error("scoring.k_above_n", k=max(k), n=smallest, problem=names[n.index(smallest)][:60])
    return k


def _bounded(n: list[int], k: tuple[int, ...], taus: tuple[float, ...]) -> None:
    """Raise if the table alone is too much work, or the page that holds the values of each problem too large.

    The work is a row of probabilities for each distinct n, k and metric.
    """
    keys = len(k) * (len(taus) + 4)
    if len(n) * keys > _MAX_VALUES:
        raise make_error("scoring.too_many_values", problems=len(n), limit=_MAX_VALUES // keys)
    if len(set(n)) * keys > _MAX_TABLES:
        raise make_error("scoring.too_ragged", sizes=len(set(n)), limit=_MAX_TABLES // keys)


def _grid(n: list[int], k: tuple[int, ...], taus: tuple[float, ...]) -> tuple[int, ...]:
    """The k of the curves, thinned where many different n make each of them costly."""
    grid = drawn_k(min(n))
    room = max(1, _MAX_TABLES // (len(set(n)) * (len(taus) + 4)) - len(k))
    every = -(-len(grid) // room)
    return tuple(sorted({*grid[::every], *k}))


def _affordable(samples: Samples, grid: tuple[int, ...]) -> tuple[int, ...]:
    """Those of a grid up to which the exact vote fits into `_VOTE_SECONDS`, 1 at least."""
    if samples.answers is None:
        return grid
    longest = _longest_vote(samples)
    return tuple(k for k in grid if k <= longest)


def _longest_vote(samples: Samples) -> float:
    """The largest k, at least 1, up to which the exact vote fits into `_VOTE_SECONDS`, as measured on two cores.

    To set an answer that may win against its rivals takes a time that grows with n²·k, and each distinct n one that
    grows with n·(k + 20).
    """
    rows = samples.answers or []
    squares = sum(len(row) ** 2 * _right_sizes(samples, problem) for problem, row in enumerate(rows))
    sizes = sum({len(row) for row in rows})
    left = _VOTE_SECONDS - 5e-5 * len(rows) - 2e-5 * sizes
    return max(1.0, left / (6e-10 * squares + 1e-6 * sizes))


def _right_sizes(samples: Samples, problem: int) -> int:
    """How many different numbers of votes the right answers of a problem have: those with as many are one work."""
    answers = (samples.answers or [])[problem]
    right: set[str | None]
    if samples.grades is None:
        answers = [answer and answer.strip() for answer in answers]
        right = {text.strip() for text in (samples.references or [])[problem]}
    else:
        right = {answer for answer, grade in zip(answers, samples.grades[problem], strict=True) if (grade or 0) > 0.5}
    votes = Counter(answers)
    return len({votes[answer] for answer in right if answer in votes})


def _gathered(
    problems: Problems,
    labels: list[str] | None,
    tables: dict[str, dict[str, Any]],
    k: tuple[int, ...],
    curves: Curves,
    left_out: dict[str, InputError],
    notes: list[Message],
) -> Scored:
    metrics, overall, per_problem, signatures = {}, {}, {}, {}
    groups: dict[str, dict[str, float]] = {label: {} for label in sorted(set(labels or []), key=_natural)}
    for name, result in tables.items():
        details = result.pop("details")
        counts = details["per_problem"]
        metrics[name] = [key for key in counts if key not in ("n", "c")]
        for key in metrics[name]:
            overall[key] = result[key]
            per_problem[key] = counts[key]
            for label, values in groups.items():
                values[key] = result[f"{label}/{key}"]
        signatures[name] = details["signature"]
    return Scored(
        metrics=metrics,
        overall=overall,
        groups=groups,
        sizes=dict(Counter(labels or [])),
        left_out=left_out,
        notes=notes,
        k=k,
        curves=curves,
        problems=problems,
        per_problem=per_problem,
        signatures=signatures,
    )


def _draws(key: str) -> int | None:
    """The k in a key; None where there is none."""
    match = re.match(r"(?:pass|G-Pass|mG-Pass|cons|best|max)@(\d+)", key)
    return int(match[1]) if match else None


def _lines(result: dict[str, float], grid: tuple[int, ...]) -> dict[str, tuple[float | None, ...]]:
    """The keys of a result as lines against k; those that are no share of anything are left out."""
    lines: dict[str, tuple[float | None, ...]] = {}
    for key, value in result.items():
        if key.startswith("max@") or key == "accuracy":
            continue
        if _draws(key) is None:
            lines["avg@n"] = (value,) * len(grid)
            continue
        name, tail = key.split("@")[0], key.partition("_")[2]
        line = f"{name}@k_{tail}" if tail else f"{name}@k"
        if line not in lines:
            keys = [f"{name}@{k}_{tail}" if tail else f"{name}@{k}" for k in grid]
            lines[line] = tuple(result.get(each) for each in keys)
    return lines


def _natural(label: str) -> list[tuple[int, int | str]]:
    """Labels in the order in which people count: Level 2 before Level 10."""
    return [(0, int(part)) if i % 2 else (1, part) for i, part in enumerate(re.split(r"(\d{1,15})", label))]
