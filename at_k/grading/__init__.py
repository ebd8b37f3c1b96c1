"""Is this sample right? From answers and references, or grades, to verdicts."""

from at_k.grading.checkers import CHECKERS, Check, checker_name
from at_k.grading.verdicts import Verdicts, judge_answers, judge_grades

__all__ = ["CHECKERS", "Check", "Verdicts", "checker_name", "judge_answers", "judge_grades"]
