"""Compute every number that a data set allows: `at_k.score` returns a `Report`."""

from at_k.report.data import Curves
from at_k.report.measuring import spread_k
from at_k.report.report import Report
from at_k.report.scoring import score
from at_k.report.tally import Tally

__all__ = ["Curves", "Report", "Tally", "score", "spread_k"]
