"""Judge samples: turn answers and references, or grades, into verdicts."""

from at_k.grading.checkers import CHECKERS, Check, checker_name, find_checker
from at_k.grading.verdicts import Verdicts, judge

__all__ = ["CHECKERS", "Check", "Verdicts", "checker_name", "find_checker", "judge"]
