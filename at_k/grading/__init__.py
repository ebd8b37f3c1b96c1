"""Judge samples: turn answers and references, or grades, into verdicts."""

from at_k.grading.checkers import find_checker, name_checker
from at_k.grading.checkers.base import Check, Checker, Row, takes_row
from at_k.grading.equivalence import find_equivalence
from at_k.grading.extraction import Extract, find_extraction
from at_k.grading.verdicts import Verdicts, judge
from at_k.grading.workers import NotGradedError

__all__ = [
    "Check",
    "Checker",
    "Extract",
    "NotGradedError",
    "Row",
    "Verdicts",
    "find_checker",
    "find_equivalence",
    "find_extraction",
    "judge",
    "name_checker",
    "takes_row",
]
