"""Write results files in a format for sharing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from at_k.cli.options import refuse

_SUBJECTS = {"--model": ("model",), "--dataset": ("dataset", "task", "evaluation", "benchmark")}
"""Option → what readers call its value."""


def convert_files(
    paths: Sequence[str], *, out: str, model: str | None = None, dataset: str | None = None, **options: Any
) -> None:
    """Score files, and write the records of Every Eval Ever below a folder.

    Args:
        paths: the files.
        out: the folder.
        model: the name of the model; by default what the files say.
        dataset: the name of the data set; by default what the files say.
        options: those of `make_report`.

    Raises:
        typer.BadParameter: if a name is neither given nor in the files.
    """
    from at_k.cli.output import say_written
    from at_k.cli.scoring import make_report

    report = make_report(paths, **options)
    subject = {} if report.origin is None else report.origin.subject
    names = {}
    for option, given in (("--model", model), ("--dataset", dataset)):
        name = given or next((subject[each] for each in _SUBJECTS[option] if subject.get(each)), None)
        if name is None:
            raise refuse(option, f"The files do not say which {option[2:]} they are of. Give its name.")
        names[option[2:]] = name
    say_written(str(report.to_every_eval_ever(out, **names)))
