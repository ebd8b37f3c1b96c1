"""Checkers: small objects that compare one answer with one reference."""

from at_k.grading.checkers.base import Check, Checker, Explained, Row, takes_row
from at_k.grading.checkers.exact_match import ExactMatch
from at_k.grading.checkers.numeric import Numeric
from at_k.grading.checkers.registry import Checkers, checkers, find_checker, name_checker

__all__ = [
    "Check",
    "Checker",
    "Checkers",
    "ExactMatch",
    "Explained",
    "Numeric",
    "Row",
    "checkers",
    "find_checker",
    "name_checker",
    "takes_row",
]
