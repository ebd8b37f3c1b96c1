# The options of functions, for editors and type checkers. `make texts` writes this file.

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import Unpack as Unpack

Metrics: TypeAlias = str | Sequence[str] | Mapping[str, float] | None

class ScoreOptions(TypedDict, total=False):
    k: int | Sequence[int] | None
    groups: str | Sequence[str] | Sequence[int] | bool | None
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    confidence_level: float | None
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    thresholds: float | Fraction | Sequence[float | Fraction]
    ties: Literal["random", "first", "strict", "incorrect"]
    on_conflict: Literal["error", "majority"]
    select: Literal["weighted", "lexicographic", "pareto"] | None
    score_weights: Sequence[float] | None
    higher_is_better: bool
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    target: Literal["population", "problem_set"]
    clusters: str | Sequence[str] | Sequence[int] | bool | None
    ci_method: Literal["beta", "t", "wald", "wilson"]
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None
    seed: int
    audited: str | None

class CompareOptions(TypedDict, total=False):
    metrics: str | Sequence[str] | Mapping[str, float] | None
    k: int | Sequence[int] | None
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    confidence_level: float
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    names: tuple[str, str]
    target: Literal["population", "problem_set"]
    method: Literal["sign-flip", "bounded"]
    margin: float | None
    extra_tests: str | Sequence[str]
    band: bool
    unmatched: Literal["error", "drop", "unpaired"]
    looks: int
    clusters: Sequence[str] | Sequence[int] | Mapping[str, str] | bool | None
    audited: str | None
    seed: int
    thresholds: float | Fraction | Sequence[float | Fraction]
    ties: Literal["random", "first", "strict", "incorrect"]
    on_conflict: Literal["error", "majority"]
    select: Literal["weighted", "lexicographic", "pareto"] | None
    score_weights: Sequence[float] | None
    higher_is_better: bool
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None

class RankOptions(TypedDict, total=False):
    metrics: str | Sequence[str] | Mapping[str, float] | None
    k: int | Sequence[int] | None
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    confidence_level: float
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    unmatched: Literal["error", "drop"]
    clusters: Sequence[str] | Sequence[int] | Mapping[str, str] | bool | None
    looks: int
    seed: int
    thresholds: float | Fraction | Sequence[float | Fraction]
    ties: Literal["random", "first", "strict", "incorrect"]
    on_conflict: Literal["error", "majority"]
    select: Literal["weighted", "lexicographic", "pareto"] | None
    score_weights: Sequence[float] | None
    higher_is_better: bool
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None

class PlanOptions(TypedDict, total=False):
    k: int
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    confidence_level: float
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    thresholds: float | Fraction | None
    expect: float | None
    spread: float
    problems: Sequence[int] | None
    samples: int | Sequence[int] | None
    half_width: float | None
    detect: float | None
    looks: int
    power: float
    correlation: float | None
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None

class GateOptions(TypedDict, total=False):
    metrics: str | Sequence[str] | Mapping[str, float] | None
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    confidence_level: float
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    require: str | Sequence[str] | None
    each: str | None
    margin: float | None
    policy: str | Mapping[str, Any] | None
    data: str | None
    method: Literal["sign-flip", "bounded"]
    target: Literal["population", "problem_set"]
    audited: str | None
    looks: int
    unmatched: Literal["error", "drop"]
    clusters: Sequence[str] | Sequence[int] | Mapping[str, str] | bool | None
    seed: int
    ties: Literal["random", "first", "strict", "incorrect"]
    on_conflict: Literal["error", "majority"]
    select: Literal["weighted", "lexicographic", "pareto"] | None
    score_weights: Sequence[float] | None
    higher_is_better: bool
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None

class PoolOptions(TypedDict, total=False):
    metrics: str | Sequence[str] | Mapping[str, float] | None
    k: int | Sequence[int] | None
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    confidence_level: float
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    names: tuple[str, str]
    method: Literal["sign-flip", "bounded"]
    pool_by: Literal["benchmark", "problem"]
    unmatched: Literal["error", "drop"]
    clusters: Sequence[str] | Sequence[int] | Mapping[str, str] | bool | None
    looks: int
    seed: int
    thresholds: float | Fraction | Sequence[float | Fraction]
    ties: Literal["random", "first", "strict", "incorrect"]
    on_conflict: Literal["error", "majority"]
    select: Literal["weighted", "lexicographic", "pareto"] | None
    score_weights: Sequence[float] | None
    higher_is_better: bool
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None

class TallyOptions(TypedDict, total=False):
    groups: str | Sequence[str] | Sequence[int] | bool | None
    check_correct_fn: Callable[[str, str], bool | float] | str
    extract_fn: str | Callable[[str], str | None] | None
    correct_above: float | str
    missing: Literal["error", "incorrect", "drop"]
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    by_problem: bool
    extract_reference: str | Callable[[str], str | None] | None
    equivalence: Literal["checker", "exact", "numeric", "math", "quasi_exact", "choice"] | Callable[[str, str], bool]
    reduce: Literal["best", "mean", "vqa"]
    num_workers: int | None
    timeout: float
    on_conflict: Literal["error", "majority"]
    select: Literal["weighted", "lexicographic", "pareto"] | None
    score_weights: Sequence[float] | None
    higher_is_better: bool
    seed: int
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
    sampling: Literal["independent", "until_success"] | None

class ReadOptions(TypedDict, total=False):
    columns: Mapping[str, str | None] | None
    where: Mapping[str, Any] | None
    pool: str | Sequence[str]
    rows_at: str | None
    correct: Sequence[str]
    wrong: Sequence[str]
    unjudged: Sequence[str]
    exclude: str | Mapping[str, str | None] | None
    prompt_column: str | None
    concat: bool
    format: str | None
    scorer: str | None
    filter: str | None
    tests: str | None
    errors: Literal["raise", "skip"]
    scale: tuple[float, float] | None
