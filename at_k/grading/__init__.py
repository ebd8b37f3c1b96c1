"""Is this sample right? From answers and references, or grades, to verdicts."""

from at_k.grading.checkers import CHECKERS, Check, checker_name, find_checker
from at_k.grading.verdicts import Verdicts, judge

__all__ = ["CHECKERS", "Check", "Verdicts", "checker_name", "find_checker", "judge"]
