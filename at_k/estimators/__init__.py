"""The named metrics, one value per problem.

Every value is the average, over all subsets of k of a problem's n samples, of what would have been reported had only
that subset been drawn: exact, without bias, and the same in whatever order the samples come.
"""

from at_k.estimators import scores
from at_k.estimators.consensus import cons_at_k
from at_k.estimators.counts import avg_at_n, g_pass_at_k, majority_at_k, mg_pass_at_k, pass_at_k, pass_hat_k
from at_k.estimators.selection import best_at_k, max_at_k

__all__ = [
    "avg_at_n",
    "best_at_k",
    "cons_at_k",
    "g_pass_at_k",
    "majority_at_k",
    "max_at_k",
    "mg_pass_at_k",
    "pass_at_k",
    "pass_hat_k",
    "scores",
]
