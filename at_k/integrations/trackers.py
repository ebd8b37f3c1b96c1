"""Log a report where experiments are tracked: every number in one flat mapping, and the table.

No tracker is imported: what a run can do says which one it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

from at_k.report.data import Numbers
from at_k.report.grid import list_blocks, list_rows
from at_k.summary import name_limits
from at_k.validation import type_name
from at_k.values import ErrorBar, Key, spell


def log_report(
    report: Numbers, run: Any, *, step: int | None = None, prefix: str = "at_k/"
) -> None:
    """Log every number to an experiment tracker, with its standard error and interval, and the table."""
    # The keys are plain, such as `at_k/pass_at_8` and `at_k/pass_at_8_ci_low`, with `at_k/{group}/` for groups.
    scalars = {
        clean_name(prefix + name): value for name, value in list_scalars(report, "plain").items()
    }
    table = clean_name(f"{prefix}table")
    if callable(getattr(run, "log_metrics", None)):
        run.log_metrics(scalars, step=step)
        if callable(getattr(run, "log_text", None)):
            run.log_text(report.to_markdown(), f"{table}.md")
    elif callable(getattr(run, "add_scalar", None)):
        for name, value in scalars.items():
            run.add_scalar(name, value, step)
        run.add_text(table, report.to_markdown(), step)
    elif callable(getattr(run, "log", None)):
        wandb: Any = sys.modules.get("wandb")
        table_of = list_rows({"": report})
        rows = {}
        if wandb:
            rows = {
                table: wandb.Table(columns=list(table_of.head), data=list(map(list, table_of.rows)))
            }
        run.log(scalars | rows, step=step)
    else:
        raise TypeError(
            "`run` must have a method log (Weights & Biases), log_metrics (the module mlflow, Comet) or add_scalar "
            f"(a SummaryWriter of TensorBoard); got {type_name(run)}"
        )


def clean_name(name: str) -> str:
    """Spell a name with the characters that every tracker accepts; any other one becomes its code.

    Examples:
        >>> clean_name("at_k/level 5/pass_at_8_ci_low"), clean_name("at_k/a|b/pass_at_8")
        ('at_k/level 5/pass_at_8_ci_low', 'at_k/a_7c_b/pass_at_8')
    """
    return re.sub(r"[^\w./ -]", lambda sign: f"_{ord(sign[0]):x}_", name)


def list_scalars(report: Numbers, key_style: str = "standard") -> dict[str, float]:
    """Return key → value, with its standard error and the limits of its interval."""
    # The keys are those of `compute`: `pass@8`, `pass@8_stderr`, `pass@8_ci_low`, `pass@8_ci_high`, and
    # `{group}/pass@8`.
    scalars: dict[str, float] = {}
    blocks: list[tuple[str, Mapping[Key, float], Mapping[Key, ErrorBar]]] = [
        ("", report.values, report.intervals)
    ]
    blocks += [(f"{block.label}/", block.values, block.bars) for block in list_blocks(report)[1:]]
    for prefix, values, bars in blocks:
        for key, value in values.items():
            name = prefix + spell(key, key_style)
            scalars[name] = value
            if key in bars:
                scalars |= name_limits(name, bars[key])
    return scalars
