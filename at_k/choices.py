"""The words that options take, each list once: for the functions that act by them, and for all that offer them."""

from __future__ import annotations

from typing import Literal, get_args

Config = Literal["default", "graded"]
CONFIGS: tuple[str, ...] = get_args(Config)
"""The configurations of a module: in "default" its predictions are answers, in "graded" they are grades."""

MISSING = ("error", "incorrect", "drop")

Ties = Literal["random", "first", "strict", "incorrect"]
TIES: tuple[str, ...] = get_args(Ties)

Conflicts = Literal["error", "majority"]
CONFLICTS: tuple[str, ...] = get_args(Conflicts)

Select = Literal["weighted", "lexicographic", "pareto"]
SELECT: tuple[str, ...] = get_args(Select)

RELATIONS = ("exact", "numeric", "math", "quasi_exact", "choice")
"""Which answers are the same."""

TIMEOUT = 5.0
"""The seconds of CPU time that one check may take."""

KEY_STYLES = ("standard", "plain")

TARGETS = ("population", "problem_set")
"""What an interval is about: other problems like these, or other samples of these very problems."""

Method = Literal["beta", "t", "wald", "wilson", "clopper-pearson"]
METHODS: tuple[str, ...] = get_args(Method)
"""How an interval is made of a standard error."""

CI_METHODS = (*METHODS, "bootstrap")

DifferenceMethod = Literal["sign-flip", "bounded"]
DIFFERENCE_METHODS: tuple[str, ...] = get_args(DifferenceMethod)
"""How the interval of a difference is made."""

POOL_BY = ("benchmark", "problem")
"""What counts alike where several benchmarks are pooled."""

EXTRA_TESTS = ("t", "wilcoxon", "mcnemar")
"""Further tests of a paired comparison."""

UNMATCHED = ("error", "drop", "unpaired")
"""What happens to problems that not all models were measured on."""

PROGRAM_TESTS = ("base", "plus")
ON_ERROR = ("raise", "skip")

Baseline = Literal["leave_one_out", "subset"]
BASELINES: tuple[str, ...] = get_args(Baseline)
"""What is subtracted from the weight of a sample, so that its variance is smaller."""

Normalization = Literal["std", "batch_std"]
NORMALIZATIONS: tuple[str, ...] = get_args(Normalization)
"""What credits are divided by."""
