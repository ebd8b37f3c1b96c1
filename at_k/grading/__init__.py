"""Judge samples: turn answers and references, or grades, into verdicts."""

from at_k.grading.checkers import find_checker
from at_k.grading.checkers.base import Checker, takes_row
from at_k.grading.equivalence import find_equivalence
from at_k.grading.extraction import find_extraction
from at_k.grading.verdicts import Verdicts, judge
from at_k.grading.workers import NotGradedError

__all__ = [
    "Checker",
    "NotGradedError",
    "Verdicts",
    "find_checker",
    "find_equivalence",
    "find_extraction",
    "judge",
    "takes_row",
]
