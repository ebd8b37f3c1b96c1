"""The words that options take, each list once: for the functions that act by them, and for all that offer them."""

from __future__ import annotations

CONFIGS = ("default", "graded")
"""The configurations of a module: in "default" its predictions are answers, in "graded" they are grades."""

MISSING = ("error", "incorrect", "drop")
TIES = ("random", "first", "strict", "incorrect")
CONFLICTS = ("error", "majority")
SELECT = ("weighted", "lexicographic", "pareto")
RELATIONS = ("exact", "numeric", "math", "quasi_exact", "choice")
"""Which answers are the same."""

TIMEOUT = 5.0
"""The seconds of CPU time that one check may take."""

KEY_STYLES = ("standard", "plain")

TARGETS = ("population", "problem_set")
"""What an interval is about: other problems like these, or other samples of these very problems."""

METHODS = ("beta", "t", "wald", "wilson", "clopper-pearson")
"""How an interval is made of a standard error."""

CI_METHODS = (*METHODS, "bootstrap")

DIFFERENCE_METHODS = ("sign-flip", "bounded")
"""How the interval of a difference is made."""

POOL_BY = ("benchmark", "problem")
"""What counts alike where several benchmarks are pooled."""

EXTRA_TESTS = ("t", "wilcoxon", "mcnemar")
"""Further tests of a paired comparison."""

UNMATCHED = ("error", "drop", "unpaired")
"""What happens to problems that not all models were measured on."""

PROGRAM_TESTS = ("base", "plus")
ON_ERROR = ("raise", "skip")

BASELINES = ("leave_one_out", "subset")
"""What is subtracted from the weight of a sample, so that its variance is smaller."""

NORMALIZATIONS = ("std", "batch_std")
"""What credits are divided by."""
