"""The functions of at-k that the module beside this file needs where at-k itself is not installed.

`python -m tools.spaces` of at-k writes this file for the module, from the library: change it there.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import Any, NoReturn

import evaluate
import numpy as np
from numpy.typing import NDArray

from at_k.columns import is_whole, spell_answer
from at_k.combinatorics import Floats, Ints
from at_k.computation import POWERS, PUBLISHED, Default, choose_k
from at_k.errors import explain_name
from at_k.estimators.counts import (
    evaluate_tables,
    tabulate_g_pass,
    tabulate_majority,
    tabulate_mg_pass,
    tabulate_pass,
)
from at_k.estimators.selection import choose_highest, expect_highest
from at_k.estimators.votes import elect_by_plurality
from at_k.grading.pairs import NotGraded, call_function
from at_k.grading.zeros import are_tests
from at_k.lists import flatten, list_rows, to_floats, to_list
from at_k.samples import Ragged
from at_k.validation import (
    check_cut,
    check_flag,
    check_tau,
    describe,
    is_missing,
    require_same_problems,
    require_same_samples,
    shorten,
)
from at_k.values import Key

# The tool that writes this file fills these in for its module: the inputs, as the docstring has them, with a place for
# the examples; the columns; the options with their defaults; and the command that installs the library.
INPUTS = "{examples}"
COLUMNS = ("predictions", "references", "grades", "scores")
DEFAULTS: dict[str, Any] = {}
INSTALL = "pip install ."

# The options that have an effect without the library.
ALONE = ("k", "thresholds", "higher_is_better", "check_correct_fn", "correct_above")

Values = dict[Key, Floats]


@dataclass(frozen=True)
class Problems:
    """The columns of a module: one entry per sample of all problems, of which problem i has `n[i]`."""

    n: Ints
    answers: list[Any] | None
    references: list[tuple[str, ...]] | None
    grades: Floats | None
    scores: Floats | None


@dataclass(frozen=True)
class Verdicts:
    """Judged samples: their grades, which of them are correct, and how many of each problem are."""

    n: Ints
    c: Ints
    grades: Floats
    correct: NDArray[np.bool_]
    answers: list[Any] | None


class SampledMetric(evaluate.Metric, ABC):
    """Compute a metric of several samples per problem, with those options that need no library."""

    def __init__(
        self,
        config_name: str | None = None,
        *,
        num_process: int = 1,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        host = inspect.signature(evaluate.Metric).parameters.keys() - {"kwargs"}
        of_host = {name: options.pop(name) for name in host & options.keys()}
        if config_name not in (None, "default", "graded"):
            raise ValueError(
                f"`config_name` must be 'default' or 'graded'; got {shorten(config_name)}"
            )
        if num_process != 1:
            raise ValueError(f"`num_process` must be 1; got {shorten(num_process)}")
        super().__init__(config_name=config_name or "default", seed=seed, **of_host)
        self.simulation_seed = 0
        self._held: dict[str, list[Any]] = {}
        self._defaults = DEFAULTS | self._select(options)

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Compute the metric over the problems given here and those added before, and then remove the latter."""
        given = {"predictions": predictions, "references": references}
        given |= {name: kwargs.pop(name) for name in COLUMNS if name in kwargs}
        options = self._defaults | self._select(kwargs)
        problems = self._read(self._join(given))
        result = self._compute(problems, **options)
        self._held = {}
        return result

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add problems, with one entry per problem in every column."""
        given = {"predictions": predictions, "references": references, **kwargs}
        self._refuse_unknown(kwargs)
        held = self._join(given)
        self._read(held)
        self._held = held

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one problem: its samples, and its entries in the other columns."""
        row = {"predictions": prediction, "references": reference}
        row |= {name: value for name, value in kwargs.items() if value is not None}
        self.add_batch(**{name: [value] for name, value in row.items() if value is not None})

    def judge(self, problems: Problems, options: Mapping[str, Any]) -> Verdicts:
        """Judge samples by their grades, or, if there are none, by comparing their answers with references."""
        check = options["check_correct_fn"]
        answers, grades = problems.answers, problems.grades
        if answers is not None and (grades is not None or not callable(check)):
            answers = [answer if answer is None else answer.strip() for answer in answers]
        if grades is None:
            if not callable(check) and are_tests(problems.references or []):
                raise ImportError(
                    f"`references` that are test programs need the library at-k, which runs them. Run: {INSTALL}"
                )
            grades = grade_answers(answers or [], problems, check)
        correct = grades > check_cut(options["correct_above"])
        c = np.array([np.count_nonzero(row) for row in split(correct, problems.n)])
        is_compared = problems.grades is None and not callable(check)
        if is_compared and not c.any():
            warnings.warn(
                "No answer equals its reference, so that no sample is correct. Texts are compared as they are: give "
                "the answers alone, or a function as `check_correct_fn`, or install at-k, which finds answers in "
                f"texts: {INSTALL}",
                stacklevel=4,
            )
        return Verdicts(problems.n, c, grades, correct, answers)

    def report(
        self, values: Values, verdicts: Verdicts, options: Mapping[str, Any]
    ) -> dict[str, float]:
        """Report the means over problems."""
        return {str(key): fsum(column.tolist()) / len(verdicts.n) for key, column in values.items()}

    @abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """Describe the metric and its columns."""

    @abstractmethod
    def _compute(self, problems: Problems, **options: Any) -> dict[str, float]:
        """Compute the metric of checked columns."""

    def _select(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse the options that need the library. One that has its default asks for nothing."""
        self._refuse_unknown(options)
        for name, value in options.items():
            is_default = type(value) is type(DEFAULTS[name]) and value == DEFAULTS[name]
            is_alone = name in ALONE and (name != "check_correct_fn" or callable(value))
            if not is_default and not is_alone:
                raise ImportError(
                    f"`{name}={shorten(value)}` needs the library at-k, which is not installed here. Run: {INSTALL}"
                )
        return dict(options)

    def _refuse_unknown(self, names: Iterable[str]) -> None:
        """Raise for an option or a column that this module does not have."""
        for name in names:
            if name in DEFAULTS or name in COLUMNS:
                continue
            near = difflib.get_close_matches(name, [*COLUMNS, *DEFAULTS], 1)
            hint, other = ".", explain_name(name)
            if other:
                hint = f": {other}."
            elif near:
                hint = f"; did you mean `{near[0]}`?"
            taken = [*COLUMNS, *(option for option in DEFAULTS if option in ALONE)]
            listed = ", ".join(f"`{each}`" for each in taken)
            raise TypeError(
                f"`{name}` is no input of {self.name}{hint} Without the library at-k, it takes {listed}; "
                f"with it, all that its card lists. Run: {INSTALL}"
            )

    def _join(self, given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Join the columns that were added before and those given now."""
        joined = {name: [*rows] for name, rows in self._held.items()}
        for name, rows in given.items():
            if rows is not None:
                joined[name] = [*joined.get(name, []), *list_rows(rows, name)]
        return joined

    def _read(self, columns: Mapping[str, list[Any]]) -> Problems:
        """Check the columns."""
        if not columns.get("predictions"):
            raise ValueError("`predictions` must hold at least one problem; got none")
        is_graded = self.config_name == "graded"
        if is_graded and columns.keys() & {"references", "grades"}:
            raise ValueError(
                "`references` and `grades` must not be given in the configuration 'graded', whose predictions are "
                "grades"
            )
        if not is_graded and not columns.keys() & {"references", "grades"}:
            raise ValueError(
                "`references` or `grades` must be given in the configuration 'default'; predictions that are grades go "
                "to the configuration 'graded', as in evaluate.load(…, 'graded')"
            )
        flat, n = flatten(columns["predictions"], "predictions")
        scores = answers = grades = references = None
        if is_graded:
            grades = read_grades(flat, n, "predictions")
        else:
            answers = read_answers(flat, n, allow_missing="grades" in columns)
        if "grades" in columns:
            rows, lengths = flatten(columns["grades"], "grades")
            require_same_samples("predictions", n, "grades", lengths)
            grades = read_grades(rows, n, "grades")
        if "references" in columns:
            references = read_references(columns["references"])
            require_same_problems("predictions", len(n), "references", len(references))
        if "scores" in COLUMNS:
            if "scores" not in columns:
                raise ValueError(f"`scores` must be given: {self.name} chooses by them")
            rows, lengths = flatten(columns["scores"], "scores")
            require_same_samples("predictions", n, "scores", lengths)
            scores = read_scores(rows, n)
        return Problems(n, answers, references, grades, scores)


def split(flat: NDArray[Any], n: Ints) -> list[NDArray[Any]]:
    """Split an entry for every sample into rows, one per problem."""
    return np.split(flat, np.cumsum(n)[:-1])


def locate(n: Ints, sample: int) -> str:
    """Name the problem and the sample at an index of the flat list."""
    problem = int(np.searchsorted(np.cumsum(n), sample, side="right"))
    return f"problem {problem}, sample {sample - int(n[:problem].sum())}"


def read_references(rows: list[Any]) -> list[tuple[str, ...]]:
    """Read the acceptable answers of each problem: a text, or a list of texts."""
    if rows and all(map(is_whole, rows)):
        return [(spell_answer(number),) for number in rows]
    checked = []
    for problem, row in enumerate(rows):
        accepted = (row,) if isinstance(row, str) else to_list(row)
        if not isinstance(accepted, (list, tuple)) or not accepted:
            raise TypeError(
                f"`references` must hold strings or lists of strings; got {describe(row)} in problem {problem}"
            )
        for text in accepted:
            if not isinstance(text, str):
                raise TypeError(
                    f"`references` must hold strings or lists of strings; got {describe(text)} in problem {problem}"
                )
        checked.append(tuple(accepted))
    return checked


def refuse_missing(name: str, place: str) -> NoReturn:
    """Raise for a sample without an answer or a grade."""
    raise ValueError(
        f"`{name}` must have no missing sample; got None or NaN in {place}. To continue, set `missing`, for which at-k "
        f"has to be installed: {INSTALL}"
    )


def read_answers(flat: list[Any], n: Ints, *, allow_missing: bool) -> list[str | None]:
    """Read answers: texts, or whole numbers alone; where this is allowed, None for no answer."""
    are_whole = all(is_whole(answer) or is_missing(answer) for answer in flat)
    for sample, answer in enumerate(flat):
        absent = is_missing(answer)
        if absent and not allow_missing:
            refuse_missing("predictions", locate(n, sample))
        if not (are_whole or absent or isinstance(answer, str)):
            raise TypeError(
                f"`predictions` must hold strings; got {describe(answer)} in {locate(n, sample)}"
            )
    return [None if is_missing(answer) else spell_answer(answer) for answer in flat]


def read_grades(flat: list[Any], n: Ints, name: str) -> Floats:
    """Read grades in [0, 1]."""
    grades = to_floats(flat, name, partial(locate, n))
    absent = np.isnan(grades)
    if absent.any():
        refuse_missing(name, locate(n, int(np.argmax(absent))))
    wrong = ~((grades >= 0) & (grades <= 1))
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ValueError(
            f"`{name}` must hold grades in [0, 1]; got {grades[sample]} in {locate(n, sample)}"
        )
    return grades


def read_scores(flat: list[Any], n: Ints) -> Floats:
    """Read one finite score for each sample."""
    if any(isinstance(score, (list, tuple, np.ndarray)) for score in flat):
        raise ImportError(
            f"`scores` with several numbers for a sample need the library at-k. Run: {INSTALL}"
        )
    scores = to_floats(flat, "scores", partial(locate, n))
    wrong = ~np.isfinite(scores)
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ValueError(
            f"`scores` must be finite numbers; got {scores[sample]} in {locate(n, sample)}"
        )
    return scores


def grade_answers(answers: list[Any], problems: Problems, check: Any) -> Floats:
    """Grade every answer. Of several references the best grade counts, and each pair of texts is checked once."""
    known: dict[tuple[str, str], float] = {}
    grades = np.zeros(len(answers))
    owner = np.repeat(np.arange(len(problems.n)), problems.n).tolist()
    for sample, answer in enumerate(answers):
        for reference in (problems.references or [])[owner[sample]]:
            pair = answer, reference
            if pair not in known:
                known[pair] = grade_pair(pair, check, partial(locate, problems.n, sample))
            grades[sample] = max(grades[sample], known[pair])
    return grades


def grade_pair(pair: tuple[str, str], check: Any, place: Any) -> float:
    """Compare the texts, or call the function of the user."""
    if not callable(check):
        return float(pair[0].strip() == pair[1].strip())
    grade = call_function(check, pair, place)
    if isinstance(grade, NotGraded):
        raise RuntimeError(f"`check_correct_fn` did not grade {place()}: {grade.reason}")
    return grade


def count_votes(verdicts: Verdicts) -> tuple[Ints, Ints, Ints]:
    """Count the votes for each answer of each problem: the problem, the votes, and how many of them are correct."""
    rows = []
    ballots = np.array(verdicts.answers, dtype=object)
    votes, flags = split(ballots, verdicts.n), split(verdicts.correct, verdicts.n)
    for problem, row in enumerate(zip(votes, flags, strict=True)):
        tally: dict[str, list[int]] = {}
        for answer, is_correct in zip(*row, strict=True):
            if is_missing(answer):  # it has a grade, and casts no vote
                continue
            entry = tally.setdefault(answer, [0, 0])
            entry[0] += 1
            entry[1] += is_correct
        for answer, (count, right) in tally.items():
            if 0 < right < count:
                raise ValueError(
                    f"`grades` must agree on equal answers; got both verdicts on {shorten(answer)} in problem "
                    f"{problem}. To continue, set `on_conflict`, for which at-k has to be installed: {INSTALL}"
                )
            rows.append((problem, count, right))
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def compute_counts(
    verdicts: Verdicts,
    *,
    metric: str,
    table: Any,
    default: Default = POWERS,
    k: Any = None,
    **_: Any,
) -> Values:
    """Compute a metric that depends on n and c alone, given as a table."""
    draws = choose_k(k, verdicts.n, default)
    return evaluate_draws(verdicts, {Key(metric, size): table for size in draws})


def compute_pass(verdicts: Verdicts, *, k: Any = None, **_: Any) -> Values:
    """Compute pass@k."""
    return compute_counts(verdicts, metric="pass@k", table=tabulate_pass, k=k)


def compute_g_pass(
    verdicts: Verdicts, *, k: Any = None, thresholds: Any = (0.25, 0.5, 0.75, 1.0), **_: Any
) -> Values:
    """Compute G-Pass@k for every τ, and mG-Pass@k."""
    taus = check_tau(thresholds, "thresholds")
    draws = choose_k(k, verdicts.n, PUBLISHED)
    tables: dict[Key, Any] = {
        Key("G-Pass@k", size, tau): partial(tabulate_g_pass, tau=tau)
        for size in draws
        for tau in taus
    }
    tables |= {Key("mG-Pass@k", size): tabulate_mg_pass for size in draws}
    return evaluate_draws(verdicts, tables)


def compute_consensus(verdicts: Verdicts, *, k: Any = None, **_: Any) -> Values:
    """Compute cons@k: a vote among answers, or a majority of grades if there are none."""
    draws = choose_k(k, verdicts.n, POWERS)
    keys = [Key("cons@k", size) for size in draws]
    if verdicts.answers is None:
        return evaluate_draws(verdicts, dict.fromkeys(keys, tabulate_majority))
    problem, count, right = count_votes(verdicts)
    values = elect_by_plurality(problem, count, right > 0, verdicts.n, draws, share=True)
    return dict(zip(keys, values.T, strict=True))


def compute_average(verdicts: Verdicts, **_: Any) -> Values:
    """Compute avg@n, the share of correct samples, and the mean grade."""
    n = verdicts.n
    size = int(n[0]) if (n == n[0]).all() else None
    totals = np.array([fsum(row.tolist()) for row in split(verdicts.grades, n)])
    return {Key("avg@n", size): verdicts.c / n, Key("accuracy"): totals / n}


def compute_best(
    verdicts: Verdicts, *, scores: Floats, k: Any = None, higher_is_better: bool = True, **_: Any
) -> Values:
    """Compute best@k and max@k of one score for each sample."""
    draws = choose_k(k, verdicts.n, POWERS)
    sign = 1.0 if check_flag("higher_is_better", higher_is_better) else -1.0
    ranked = Ragged.of_lengths(sign * scores, verdicts.n)
    best = choose_highest(ranked, Ragged.of_lengths(verdicts.correct, verdicts.n), draws)
    highest = expect_highest(ranked, draws)
    if sign < 0:
        highest = 0 - highest  # no −0.0
    values = {Key("best@k", size): best[:, column] for column, size in enumerate(draws)}
    return values | {Key("max@k", size): highest[:, column] for column, size in enumerate(draws)}


def evaluate_draws(verdicts: Verdicts, tables: Mapping[Key, Any]) -> Values:
    """Evaluate a table for each key at the key's k."""
    pairs = [(table, key.draws or 1) for key, table in tables.items()]
    values = evaluate_tables(pairs, verdicts.n, verdicts.c)
    return dict(zip(tables, values.T, strict=True))


def describe_inputs(name: str, examples: str) -> str:
    """Describe the columns, options and outputs of a module, with examples below."""
    effective = ", ".join(f"`{option}`" for option in DEFAULTS if option in ALONE)
    needs = f"Options other than {effective} need the library at-k (`{INSTALL}`), and so do checkers by name."
    return f"\n{needs}\n{INPUTS.replace('{examples}', examples)}"
