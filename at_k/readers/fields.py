"""Harnesses that write one object for each sample: a declaration of where they write what, and what reads by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.format import find_path, name_subject
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source


@dataclass(frozen=True)
class Fields:
    """Where a harness writes what, as paths with dots into the object of a sample.

    Attributes:
        harness: the name of its format.
        problem: the name of the problem; it must be there.
        grades: whether the sample is correct. None, or nothing there, stands for a sample that was not judged.
        number: what the file calls the sample.
        answers: its answer.
        references: the correct answer.
        group: a label of the problem.
        model: of which model the samples are, a field of its own, by which the collector tells several apart.
        failed: what is there, and not None, for a sample that was not judged.
        meta: what else is kept of each sample, such as its cost; its name is the last one of the path.
    """

    harness: str
    problem: str
    grades: str
    number: str | None = None
    answers: str | None = None
    references: str | None = None
    group: str | None = None
    model: str | None = None
    failed: str | None = None
    meta: Sequence[str] = ()

    def collect(
        self,
        rows: Iterable[tuple[int, Mapping[str, Any]]],
        *,
        collector: Collector,
        subject: Mapping[str, str] | None = None,
        **said: Any,
    ) -> Samples:
        """Collect the samples.

        Args:
            rows: the objects, each with its number, as the collector yields them.
            collector: what takes the samples.
            subject: what the results are of.
            said: what is to be said of the origin: `chosen`, `notes`.

        Raises:
            InputError: if a sample is broken.
        """
        models: dict[object, None] = {}
        names = {path.partition(".")[0] for path in (self.answers, self.references, self.group) if path is not None}
        if names:  # one that some rows have is needed in all
            rows = list(rows)
            names = {name for name in names if any(name in row for _, row in rows)}
        for number, row in rows:
            with collector.faults:
                if not names <= row.keys():
                    raise collector.lack(min(names - row.keys()), number)
                problem = find_path(row, self.problem.split("."))
                if problem is None:
                    raise collector.lack(self.problem, number)
                failed = self.failed is not None and find_path(row, self.failed.split(".")) is not None
                collector.add(
                    number,
                    problem,
                    number=self._find(row, self.number),
                    answer=self._find(row, self.answers),
                    grade=None if failed else find_path(row, self.grades.split(".")),
                    references=self._find(row, self.references) or NOTHING,
                    group=self._find(row, self.group),
                    details={path.rpartition(".")[2]: find_path(row, path.split(".")) for path in self.meta},
                    fields=row,
                )
            models[row.get(self.model or "")] = None
        roles = {"problem": self.problem, "answers": self.answers, "references": self.references}
        model = next(iter(models), None) if len(models) == 1 else None
        origin = Origin(
            self.harness,
            subject={**(subject or {}), **name_subject(model=None if model is None else str(model))},
            roles={**roles, "grades": self.grades, "group": self.group},
            **said,
        )
        return collector.finish(origin)

    @staticmethod
    def _find(row: Mapping[str, Any], path: str | None) -> Any:
        return NOTHING if path is None else find_path(row, path.split("."))


def list_documents(source: Source) -> Iterator[tuple[int, Any, Path]]:
    """Yield the documents of a file, or of those that it stands for, each with its number and its path."""
    if source.files:
        for number, document in source.rows():
            yield number, document, Path(source.files[number - 1])
    else:
        yield 1, source.document, Path(*reversed(source.folders), source.name)
