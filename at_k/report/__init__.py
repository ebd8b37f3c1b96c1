"""From a data set to every number that it allows: `at_k.score` makes a `Report`."""

from at_k.report.report import Curves, Report
from at_k.report.scoring import score, spread_k

__all__ = ["Curves", "Report", "score", "spread_k"]
