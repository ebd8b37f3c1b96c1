"""The registry of the metrics: their names, needs, options, defaults and keys, and the functions that compute them.

The modules, the scorer, the report, the demo, the Spaces, the generated texts (`make texts`) and the tests read it. A
new metric needs a function from verdicts to values and an entry in `FAMILY`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from at_k import estimators
from at_k.columns import read_weights
from at_k.combinatorics import Floats, Ints
from at_k.estimators.consensus import CONFLICTS, TIES, elect
from at_k.estimators.selection import SELECT, choose_best, expect_highest, rank_scores
from at_k.grading import Verdicts, find_checker
from at_k.grading.verdicts import MISSING
from at_k.samples import Ragged
from at_k.validation import (
    K,
    Taus,
    check_choice,
    check_flag,
    check_k,
    check_tau,
    check_threshold,
    is_number,
    is_sequence,
    refuse_too_many_k,
    shorten,
    type_name,
)
from at_k.values import Column, Key, Values

CONFIGS = ("default", "graded")
"""The configurations of a module: in "default" its predictions are answers, in "graded" they are grades."""

KEY_STYLES = ("standard", "plain")


@dataclass(frozen=True)
class Argument:
    """A column or an option of a module, as its documentation shows it.

    Attributes:
        name: its name.
        type: its type, in Markdown.
        text: its meaning, in Markdown, beginning with a small letter and ending with a full stop. `make texts` fills in
            `{default_k}` and `{plain_keys}`, which differ from metric to metric.
        default: the value that it has if it is not given; None for an argument without a default.
        check: a function that raises if a value is wrong for every data set.
    """

    name: str
    type: str
    text: str
    default: object = None
    check: Callable[[Any], object] = lambda _: None


@dataclass(frozen=True)
class Output:
    """A number that a module returns.

    Attributes:
        key: its key as the documentation spells it: "G-Pass@{k}_{τ}".
        text: its meaning, in Markdown.
        bounded: whether it lies in [0, 1]; otherwise it has the unit of the scores.
        drawn: whether it is a line among the curves against k; False if it is not a share, or repeats another line.
        of_module: whether the module always returns it; False for a number that only some results have, such as the
            standard error of a simulation.
    """

    key: str
    text: str
    bounded: bool = True
    drawn: bool = True
    of_module: bool = True

    @property
    def metric(self) -> str:
        """Return the `Key.metric` of its keys: "G-Pass@k"."""
        return self.key.partition("_{τ}")[0].replace("{", "").replace("}", "")


@dataclass(frozen=True)
class Default:
    """The values of k that a module takes if it is given none, chosen by the smallest n, and their description."""

    choose: Callable[[int], tuple[int, ...]]
    text: str


@dataclass(frozen=True)
class Example:
    """A small calculation that shows what a metric does: columns as `at_k.score` takes them, and options."""

    columns: Mapping[str, Any]
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Metric:
    """The facts about a metric.

    Attributes:
        name: the name of its module.
        title: its name in papers.
        question: the question that it answers.
        needs: the columns that it needs, in words.
        warning: the most common mistake in reading it.
        arguments: the names of its columns and options, in the order of its signature.
        outputs: the numbers that it returns.
        compute: the function that turns verdicts and its own options into values.
        example: the calculation that its page starts with.
        default_k: the k that it takes if it is given none; None for a metric without k.
        votes: whether it compares the answers of a problem with each other.
    """

    name: str
    title: str
    question: str
    needs: str
    warning: str
    arguments: tuple[str, ...]
    outputs: tuple[Output, ...]
    compute: Callable[..., Values]
    example: Example
    default_k: Default | None = None
    votes: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """Return the names of its options."""
        return tuple(name for name in self.arguments if name in OPTIONS)

    @property
    def own_options(self) -> tuple[str, ...]:
        """Return the names of the options that `compute` takes; the others are about judging and reporting."""
        return tuple(name for name in self.options if name not in SHARED_OPTIONS)

    @property
    def needs_scores(self) -> bool:
        """Return whether it needs a score for each sample."""
        return "scores" in self.arguments

    def own(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Select from the options of all metrics those that `compute` takes."""
        return {name: options[name] for name in self.own_options if name in options}


def powers_of_two(smallest: int) -> tuple[int, ...]:
    """List the powers of two up to the smallest n, and the smallest n itself.

    Examples:
        >>> powers_of_two(6), powers_of_two(8)
        ((1, 2, 4, 6), (1, 2, 4, 8))
    """
    return tuple(sorted({smallest, *(2**power for power in range(smallest.bit_length()))}))


def published_k(smallest: int) -> tuple[int, ...]:
    """List those of 4, 8, 16 that do not exceed the smallest n; the smallest n if none fits.

    Examples:
        >>> published_k(9), published_k(3)
        ((4, 8), (3,))
    """
    return tuple(k for k in (4, 8, 16) if k <= smallest) or (smallest,)


_POWERS = Default(powers_of_two, "1, 2, 4, 8, … up to the smallest n, and the smallest n itself")
_PUBLISHED = Default(
    published_k, "those of 4, 8, 16 that do not exceed the smallest n, or, if none fits, the smallest n"
)


def choose_k(k: K | None, n: Ints, default: Default) -> tuple[int, ...]:
    """Return the k that were given, or, if none were given, those of the default.

    Raises:
        TypeError: if k is not an integer or a list of integers.
        ValueError: if a k is below 1, or some n is smaller than it.
    """
    if k is None:
        return default.choose(int(n.min()))
    draws = check_k(k)
    refuse_too_many_k(draws, n)
    return draws


def compute_pass(verdicts: Verdicts, *, k: K | None = None) -> Values:
    """Compute pass@k from judged samples."""
    draws = choose_k(k, verdicts.n, _POWERS)
    columns = _of_counts(verdicts, ((Key("pass@k", each), _at(estimators.pass_at_k, each)) for each in draws))
    return Values(columns, conditions={"k": draws})


def compute_g_pass(verdicts: Verdicts, *, k: K | None = None, thresholds: Taus = (0.25, 0.5, 0.75, 1.0)) -> Values:
    """Compute G-Pass@k for every τ, and mG-Pass@k, from judged samples."""
    taus = check_tau(thresholds, "thresholds")
    draws = choose_k(k, verdicts.n, _PUBLISHED)
    tables: list[tuple[Key, _Table]] = [
        (Key("G-Pass@k", each, tau), _at(estimators.g_pass_at_k, each, tau=tau)) for each in draws for tau in taus
    ]
    tables += [(Key("mG-Pass@k", each), _at(estimators.mg_pass_at_k, each)) for each in draws]
    return Values(_of_counts(verdicts, tables), conditions={"k": draws, "tau": taus})


def compute_consensus(
    verdicts: Verdicts,
    *,
    k: K | None = None,
    ties: str = "random",
    weights: object = None,
    on_conflict: str = "error",
    seed: int = 0,
) -> Values:
    """Compute cons@k from judged samples: a vote among their answers, or a majority of grades if there are none."""
    check_choice("ties", ties, TIES)
    check_choice("on_conflict", on_conflict, CONFLICTS)
    draws = choose_k(k, verdicts.n, _POWERS)
    keys = [Key("cons@k", each) for each in draws]
    if verdicts.answers is None:
        if weights is not None:
            raise ValueError(
                "`weights` must not be given without answers, as in the configuration 'graded': only answers can vote"
            )
        columns = _of_counts(
            verdicts, ((key, _at(estimators.majority_at_k, each)) for key, each in zip(keys, draws, strict=True))
        )
        return Values(columns, conditions={"k": draws, "ties": "majority of grades", "weighted": False})
    weighted = None if weights is None else verdicts.keep_samples("weights", read_weights(weights, missing=True))
    shares, errors = elect(
        verdicts.answers,
        verdicts.correct.values,
        draws,
        ties=ties,
        weights=weighted,
        seed=seed,
        on_conflict=on_conflict,
        name="grades",
    )
    conditions: dict[str, object] = {"k": draws, "ties": ties, "weighted": weighted is not None}
    if on_conflict != "error":
        conditions["on_conflict"] = on_conflict
    return Values(_by_key(keys, shares), _errors(keys, errors), conditions)


def compute_average(verdicts: Verdicts) -> Values:
    """Compute avg@n, the share of correct samples, and the mean grade from judged samples."""
    n, c, which = verdicts.counts
    same = (verdicts.n == verdicts.n[0]).all()
    average = Key("avg@n", int(verdicts.n[0]) if same else None)
    return Values({average: Column(c / n, which), Key("accuracy"): Column.of(verdicts.mean_grade)})


def compute_best(
    verdicts: Verdicts,
    *,
    scores: Ragged,
    k: K | None = None,
    select: str | None = None,
    score_weights: Sequence[float] | None = None,
    higher_is_better: bool = True,
    seed: int = 0,
) -> Values:
    """Compute best@k and max@k from judged samples and a score for each."""
    draws = choose_k(k, verdicts.n, _POWERS)
    ranked = rank_scores(
        verdicts.keep_samples("scores", scores),
        select=select,
        score_weights=score_weights,
        higher_is_better=higher_is_better,
    )
    best, errors = choose_best(ranked, verdicts.correct, draws, seed=seed)
    keys = [Key("best@k", each) for each in draws]
    columns = _by_key(keys, best)
    if select in (None, "weighted"):
        top = expect_highest(ranked, draws)
        columns |= _by_key([Key("max@k", each) for each in draws], top if higher_is_better else 0 - top)  # no −0.0
    conditions: dict[str, object] = {
        "k": draws,
        "select": select,
        "score_weights": None if score_weights is None else [float(weight) for weight in score_weights],
        "higher_is_better": higher_is_better,
    }
    return Values(columns, _errors(keys, errors), conditions)


_Table = Callable[[Ints, Ints], Floats]


def _at(estimator: Callable[..., Floats], k: int, **more: Any) -> _Table:
    return lambda n, c: estimator(n, c, k=k, **more)


def _of_counts(verdicts: Verdicts, tables: Iterable[tuple[Key, _Table]]) -> dict[Key, Column]:
    """Compute metrics of n and c, once for each distinct pair of them."""
    n, c, which = verdicts.counts
    return {key: Column(table(n, c), which) for key, table in tables}


def _by_key(keys: Sequence[Key], values: Floats) -> dict[Key, Column]:
    return {key: Column(values[:, i]) for i, key in enumerate(keys)}


def _errors(keys: Sequence[Key], errors: Floats) -> dict[Key, Floats]:
    return {key: errors[:, i] for i, key in enumerate(keys) if errors[:, i].any()}


def _optional(check: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda value: None if value is None else check(value)


def _check_score_weights(value: Any) -> None:
    if not is_sequence(value):
        raise TypeError(f"`score_weights` must be a list of numbers; got {shorten(value)} of type {type_name(value)}")
    for number in value:
        if not is_number(number):
            raise TypeError(f"`score_weights` must hold numbers; got {shorten(number)} of type {type_name(number)}")


def _check_tau(value: object) -> object:
    return check_tau(value, "thresholds")


COLUMNS = {
    argument.name: argument
    for argument in (
        Argument(
            "predictions",
            "`list[list[str]]`; graded: `list[list[float]]`",
            "the samples of each problem: a list of answers, or, in the configuration `graded`, a list of grades "
            "in [0, 1]. The number of samples n may differ from problem to problem.",
        ),
        Argument(
            "references",
            "`list[str]` or `list[list[str]]`",
            "the correct answer of each problem, or a list of acceptable ones. Not in the configuration `graded`. "
            "Optional beside `grades`.",
        ),
        Argument(
            "grades",
            "`list[list[float]]`",
            "a grade in [0, 1] for each sample, if the answers have been judged already. The grades then say which "
            "samples are correct, and `references` and `check_correct_fn` have no effect. A sample without a grade "
            "is missing. A sample with a grade and without an answer counts, but casts no vote. Not in the "
            "configuration `graded`. Optional.",
        ),
        Argument(
            "scores",
            "`list[list[float]]` or `list[list[list[float]]]`",
            "a finite number for each sample, or a list of d numbers for each sample. Needed in both configurations.",
        ),
    )
}
"""The columns that modules take."""

OPTIONS = {
    argument.name: argument
    for argument in (
        Argument(
            "k",
            "`int` or `list[int]`",
            "the number of draws, 1 ≤ k ≤ n, or a list of such numbers. If it is not given: {default_k}.",
            check=_optional(check_k),
        ),
        Argument(
            "thresholds",
            "`float`, `Fraction` or a list of them",
            "the share τ of the draws that must be correct, in [0, 1], or a list of such shares. A float stands "
            "for the decimal that it prints as; a `fractions.Fraction` is exact. Not to be confused with "
            "`threshold`.",
            (0.25, 0.5, 0.75, 1.0),
            _check_tau,
        ),
        Argument(
            "threshold",
            "`float`",
            "a sample is correct if its grade is above this number.",
            0.5,
            check_threshold,
        ),
        Argument(
            "ties",
            "`str`",
            'what happens if several answers have the most votes. `"random"`: each of them wins with the same '
            'chance, and the result is the expected value. `"first"`: the one that was drawn first wins; for k < n '
            'this gives the same number as `"random"`, and for k = n the given order decides. `"strict"`: the '
            'winner needs more than k/2 votes, else the draw counts as wrong. `"incorrect"`: a tie counts as '
            "wrong. If only grades are known, this option has no effect: more than half of the k samples must be "
            "correct.",
            "random",
            lambda value: check_choice("ties", value, TIES),
        ),
        Argument(
            "weights",
            "`list[list[float]]`",
            'a number ≥ 0 for each sample. The answer with the largest sum of weights wins; with `ties="strict"` '
            "it needs more than half of the weight that was drawn. Not in the configuration `graded`. Optional.",
        ),
        Argument(
            "on_conflict",
            "`str`",
            'what happens if equal answers of a problem have grades on both sides of `threshold`. `"error"`: an '
            'error names two such samples. `"majority"`: the answer is correct if more than half of its samples '
            "are.",
            "error",
            lambda value: check_choice("on_conflict", value, CONFLICTS),
        ),
        Argument(
            "select",
            "`str`",
            'how samples are compared that have d > 1 scores each; needed for such scores. `"weighted"`: by the '
            'sum of the scores, weighted by `score_weights`. `"lexicographic"`: by the first score; if it is '
            'equal, by the second, and so on. `"pareto"`: a sample beats another if it is at least as good in all '
            "scores and better in one; each drawn sample that no other drawn sample beats is chosen with the same "
            "chance.",
            check=_optional(lambda value: check_choice("select", value, SELECT)),
        ),
        Argument(
            "score_weights",
            "`list[float]`",
            'd numbers, the weights of the scores. Needed for `select="weighted"`, and only then.',
            check=_optional(_check_score_weights),
        ),
        Argument(
            "higher_is_better",
            "`bool`",
            "`False` for scores of which the lowest is the best, such as perplexity.",
            True,
            lambda value: check_flag("higher_is_better", value),
        ),
        Argument(
            "check_correct_fn",
            "`Callable[[str, str], bool | float]` or `str`",
            "a function that takes a prediction and a reference and returns a bool or a grade in [0, 1], or the "
            "name of a checker. The function is called once for each distinct answer of a problem and each of its "
            'references. `"exact_match"`: the texts are equal after white space is stripped from their ends.',
            "exact_match",
            find_checker,
        ),
        Argument(
            "missing",
            "`str`",
            'what happens to a missing sample (`None` or NaN). `"error"`: an error names it. `"incorrect"`: it '
            'counts as wrong. `"drop"`: it is removed, n becomes smaller, and a warning says so.',
            "error",
            lambda value: check_choice("missing", value, MISSING),
        ),
        Argument(
            "groups",
            "`list[str]` or `list[int]`",
            "one label for each problem. The result then also has the values of each group, under `{group}/{key}`. "
            "Optional.",
        ),
        Argument(
            "return_details",
            "`bool`",
            "whether the result has the entry `details`.",
            False,
            lambda value: check_flag("return_details", value),
        ),
        Argument(
            "key_style",
            "`str`",
            'the spelling of the keys. `"standard"`: as in papers. `"plain"`: for trackers that do not accept `@`, '
            "as in {plain_keys}.",
            "standard",
            lambda value: check_choice("key_style", value, KEY_STYLES),
        ),
    )
}
"""The options of all modules. A module ignores those of the other modules, so that `evaluate.combine` can pass the same
options to all of them."""

SHARED_OPTIONS = ("threshold", "check_correct_fn", "missing", "groups", "return_details", "key_style")
"""The options that all modules have. They say how samples are judged, and what is reported."""

_JUDGED = ("predictions", "references", "grades")
_SIMULATED = (
    "the standard error of the simulation (Monte Carlo standard error), if {cause} led to one. It measures how precise "
    "the computation is, not how certain the number is as a statement about the model."
)
_ANY = "answers and references, or grades"

FAMILY = {
    metric.name: metric
    for metric in (
        Metric(
            name="gpassk",
            title="G-Pass@k",
            question="How often is at least a share τ of k samples correct?",
            needs=_ANY,
            warning="small τ measures potential, τ = 1 reliability; always report τ with the number",
            arguments=(*_JUDGED, "k", "thresholds", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "G-Pass@{k}_{τ}",
                    "for every k and τ, the chance that at least max(1, ⌈τk⌉) of k samples are correct, averaged "
                    "over the problems. τ is written as Python prints it: `G-Pass@8_0.25`, `G-Pass@8_1.0`, and "
                    "`G-Pass@8_2/3` for `Fraction(2, 3)`.",
                ),
                Output(
                    "mG-Pass@{k}",
                    "for every k, (2/k) Σ P(at least i of k are correct) for i from ⌈k/2⌉ + 1 to k, averaged over "
                    "the problems: the mean over the thresholds above one half.",
                ),
            ),
            compute=compute_g_pass,
            example=Example(
                {
                    "answers": [["a", "b", "a", "a", "b", "a", "b", "c"], ["4", "4", "4", "4", "4", "4", "5", "4"]],
                    "references": ["a", "4"],
                },
                {"k": [2, 4], "thresholds": [0.25, 0.5, 0.75, 1.0]},
            ),
            default_k=_PUBLISHED,
        ),
        Metric(
            name="pass_at_k",
            title="pass@k",
            question="How often is at least one of k samples correct?",
            needs=_ANY,
            warning="someone must be able to tell which sample is correct; guessing raises the number",
            arguments=(*_JUDGED, "k", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "pass@{k}",
                    "for every k, the chance that at least one of k samples is correct, 1 − C(n−c, k)/C(n, k), "
                    "averaged over the problems.",
                ),
            ),
            compute=compute_pass,
            example=Example({"grades": [[1, 0, 0, 0, 0], [1, 1, 0, 1, 0]]}, {"k": [1, 2, 4]}),
            default_k=_POWERS,
        ),
        Metric(
            name="cons_at_k",
            title="cons@k",
            question="How often is the most frequent of k answers correct?",
            needs="answers, and references or grades; grades alone say less",
            warning="more votes lower it if a wrong answer is the most frequent",
            arguments=(*_JUDGED, "k", "ties", "weights", "on_conflict", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "cons@{k}",
                    "for every k, the chance that the winner of the vote is correct, averaged over the problems.",
                ),
                Output("cons@{k}_mcse", _SIMULATED.format(cause="`weights`"), of_module=False),
            ),
            compute=compute_consensus,
            example=Example(
                {
                    "answers": [["7", "9", "9", "7", "8"], ["12", "12", "15", "12", None]],
                    "references": ["7", "12"],
                },
                {"k": [1, 3, 5], "missing": "incorrect"},
            ),
            default_k=_POWERS,
            votes=True,
        ),
        Metric(
            name="avg_at_n",
            title="avg@n",
            question="How often is one sample correct?",
            needs=_ANY,
            warning="half right on every problem, and always right on half of the problems, give the same number",
            arguments=(*_JUDGED, *SHARED_OPTIONS),
            outputs=(
                Output(
                    "avg@{n}",
                    "the share of correct samples, averaged over the problems. The key is `avg@n`, with the "
                    "letter, if the problems have different numbers of samples.",
                ),
                Output("accuracy", "the mean grade of a problem's samples, averaged over the problems.", drawn=False),
            ),
            compute=compute_average,
            example=Example({"grades": [[1, 0, 0.6, 0.4], [1, 1, 0.9, 0]]}, {}),
        ),
        Metric(
            name="best_at_k",
            title="best@k",
            question="How often is the one of k samples with the highest score correct?",
            needs="answers and references, or grades; and a score for each sample",
            warning="it measures a model and a score together",
            arguments=(*_JUDGED, "scores", "k", "select", "score_weights", "higher_is_better", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "best@{k}",
                    "for every k, the chance that the chosen sample is correct, averaged over the problems.",
                ),
                Output(
                    "max@{k}",
                    "for every k, the expected highest score (with `higher_is_better=False`, the lowest), averaged "
                    "over the problems, in the unit of the scores. Only if a single number ranks the samples, so "
                    'not with `"lexicographic"` and `"pareto"`.',
                    bounded=False,
                    drawn=False,
                ),
                Output("best@{k}_mcse", _SIMULATED.format(cause='`select="pareto"`'), of_module=False),
            ),
            compute=compute_best,
            example=Example(
                {
                    "answers": [["a", "b", "a"], ["x", "y", "y"]],
                    "references": ["a", "y"],
                    "scores": [[0.75, 0.5, 0.25], [0.9, 0.2, 0.4]],
                },
                {"k": [1, 2, 3]},
            ),
            default_k=_POWERS,
        ),
    )
}
"""Every metric by the name of its module, in the order in which they are listed everywhere."""

METRICS = tuple(FAMILY)
"""The names of the modules."""


def find_metric(name: str) -> Metric:
    """Return the entry of a metric.

    Raises:
        ValueError: if there is no metric of this name.
    """
    if not isinstance(name, str) or name not in FAMILY:
        raise ValueError(f"`name` must be one of {', '.join(map(repr, METRICS))}; got {name!r:.60}")
    return FAMILY[name]


def check_config(config_name: object) -> str:
    """Return the name of a configuration; "default" for None."""
    if config_name is None:
        return "default"
    if config_name not in CONFIGS:
        raise ValueError(f"`config_name` must be one of {', '.join(map(repr, CONFIGS))}; got {config_name!r:.60}")
    return str(config_name)


def check_options(options: Mapping[str, Any]) -> None:
    """Raise for an option that no module has, and for a value that is wrong for every data set.

    The options of all modules are checked, so that `evaluate.combine` fails before one of its modules has computed.
    """
    for name, value in options.items():
        if name not in OPTIONS:
            raise TypeError(f"Unknown option `{name}`; got {shorten(value)}. The options are {', '.join(OPTIONS)}")
        OPTIONS[name].check(value)


def refuse_unknown_columns(given: Mapping[str, object]) -> None:
    """Raise for a column that no module has."""
    for name, value in given.items():
        if name not in COLUMNS:
            raise TypeError(f"Unknown column `{name}`; got {shorten(value)}. The columns are {', '.join(COLUMNS)}")
