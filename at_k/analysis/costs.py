"""What correct samples cost, where the data say what each sample costs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from at_k.analysis.findings import Findings
from at_k.analysis.measurements import to_json_number
from at_k.columns import Rows
from at_k.combinatorics import Floats, Ints
from at_k.errors import Message
from at_k.uncertainty.costs import cost_per_success
from at_k.validation import is_number

_COST = re.compile("cost|tokens", re.IGNORECASE)
"""What the names of costs hold, such as agent_cost and num_output_tokens."""


def weigh_costs(findings: Findings) -> Iterator[Message]:
    """Give the cost of each correct sample, and what k samples of each problem cost and solve."""
    report, found = findings.report, {}
    for name in [] if report.rows is None else [each for each in report.rows[0] if _COST.search(each)]:
        costs = None if report.rows is None else _read_costs(report.rows, name, findings.n)
        if costs is None:
            continue
        each = cost_per_success(costs, findings.c, clusters=report.clusters, confidence_level=findings.confidence_level)
        once, total = float((costs / findings.n).sum()), float(costs.sum())
        found[name] = {
            "total": total,
            "per_sample": total / int(findings.n.sum()),
            "per_success": {part: to_json_number(value) for part, value in each._asdict().items()},
            "coverage": [
                {"k": key.k, "cost": key.k * once, "solved": value * len(findings.n)}
                for key, value in report.values.items() if key.metric == "pass@k" and key.k is not None
            ],
        }  # fmt: skip
        if np.isfinite(each.value):
            limits = f" [{each.low:.4g}, {each.high:.4g}]" if np.isfinite(each.high) else ""
            yield Message(
                    "diagnosis.cost",
                    "A correct sample takes {value} of {name}, with all samples that were drawn for it; a sample alone "
                    "takes {mean:.4g}.",
                    value=f"{each.value:.4g}{limits}", name=name, mean=found[name]["per_sample"],
                )  # fmt: skip
    findings.figures["costs"] = found or None


def _read_costs(rows: Rows, name: str, n: Ints) -> Floats | None:
    """Return what the samples of each problem cost; None unless every sample has a cost, and one of them is not 0."""
    found = []
    for row, samples in zip(rows, n, strict=True):
        costs = row.get(name)
        # Samples without a verdict may be dropped, but have a cost. Fewer costs than samples are not those of all.
        if not isinstance(costs, list) or len(costs) < samples:
            return None
        if not all(is_number(cost) and 0 <= cost < np.inf for cost in costs):
            return None
        found.append(sum(costs))
    return np.array(found, dtype=np.float64) if any(found) else None
