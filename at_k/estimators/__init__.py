"""The named metrics, one value per problem.

Every value is the average, over all subsets of k of a problem's n samples, of what would have been reported had only
that subset been drawn: exact, without bias, and the same in whatever order the samples come.
"""

from at_k.estimators import scores

__all__ = ["scores"]
