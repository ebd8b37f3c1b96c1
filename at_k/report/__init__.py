"""From a data set to every number that it allows: `at_k.score` makes a `Report`."""

from at_k.report.curves import Curves, spread_k
from at_k.report.report import Report
from at_k.report.scoring import score

__all__ = ["Curves", "Report", "score", "spread_k"]
