"""Join the rows of samples with those of their problems, which data sets of programs ship in a file of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from at_k.errors import Phrases
from at_k.readers.files.documents import open_rows
from at_k.readers.files.sources import Source
from at_k.readers.names import quote_all
from at_k.readers.tables.prompts import find_tests
from at_k.validation import Limits

_say = Phrases(
    {
        "problems.no_id": "No column of {file} names problems of {problems} for every sample. The columns are "
        "{columns}, and {others}. Give both a column with the same ids.",
        "problems.empty": "{file} has no rows.",
        "problems.unsampled": "Problems of {problems} without a sample: {count:,} of {total:,}. They are left out.",
    }
)


class Problems:
    """The rows of a file of problems, such as HumanEval.jsonl, which say how samples are judged."""

    def __init__(self, file: Path, limits: Limits) -> None:
        self.file = file
        self.rows = _list_rows(Source(file.name, file, limits))
        self.tests = find_tests(list(self.rows[0])) if self.rows else []
        self.used = set[int]()

    def join(self, source: Source) -> Source:
        """Return the rows of samples, each with the columns of its problem that it does not have itself."""
        samples = _list_rows(source)
        sample_id, problem_id = self._find_ids(samples, source.name)
        places = {str(row[problem_id]): place for place, row in enumerate(self.rows)}
        lines: list[str] = []
        for sample in samples:
            place = places[str(sample[sample_id])]
            self.used.add(place)
            told = {name: cell for name, cell in sample.items() if cell is not None}
            problem = self.rows[place]
            tests = {name: problem[name] for name in self.tests}
            lines.append(json.dumps({**problem, **told, **tests}, default=str))
        name = f"{source.name.partition('.')[0]}.jsonl"
        return Source(name, "\n".join(lines).encode(), source.limits)

    def _find_ids(self, samples: list[dict[str, Any]], name: str) -> tuple[str, str]:
        """Return the columns by which each sample finds one problem, those of one name first."""
        if not samples or not self.rows:
            raise _say.error("problems.empty", file=self.file.name if samples else name)
        ours = {column: _list_ids(samples, column) for column in samples[0]}
        theirs = {column: _list_ids(self.rows, column) for column in self.rows[0]}
        pairs = [(one, other) for one in ours for other in theirs]
        for one, other in sorted(pairs, key=lambda pair: pair[0] != pair[1]):
            is_unique = len(set(theirs[other])) == len(self.rows)
            if is_unique and len(ours[one]) == len(samples) and {*ours[one]} <= {*theirs[other]}:
                return one, other
        raise _say.error(
            "problems.no_id",
            file=name,
            problems=self.file.name,
            columns=quote_all(list(ours)),
            others=quote_all(list(theirs)),
        )

    def list_notes(self) -> list[Any]:
        """Say how many problems have no sample."""
        left = len(self.rows) - len(self.used)
        values = {"problems": self.file.name, "count": left, "total": len(self.rows)}
        if left:
            return [_say("problems.unsampled", **values)]
        return []


def _list_rows(source: Source) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for block in open_rows(source).read(None):
        cells = [block[name] for name in block.names]
        rows += [dict(zip(block.names, row, strict=True)) for row in zip(*cells, strict=True)]
    return rows


def _list_ids(rows: list[dict[str, Any]], column: str) -> list[str]:
    """Return the ids in a column, which are texts or whole numbers."""
    cells = [row.get(column) for row in rows]
    return [str(cell) for cell in cells if isinstance(cell, (str, int)) and cell is not True]
