"""From samples to a `datasets.Dataset`, which says in its description what was read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from at_k.readers.samples import BUILDER, STANDARD, Samples, list_types

if TYPE_CHECKING:
    from datasets import Dataset


def make_dataset(samples: Samples, path: str | PathLike[str] | Sequence[Any]) -> Dataset:
    """Make a data set with all of the standard columns; those that the file does not have are null."""
    import pyarrow as pa
    from datasets import Dataset, DatasetInfo, Features

    types = list_types()
    table = samples.table
    columns = {
        name: table[name].cast(types[name]) if name in table.column_names else pa.nulls(len(table), types[name])
        for name in STANDARD
    }
    whole = pa.table(columns)
    origin = samples.origin
    info = DatasetInfo(
        description=describe(samples, path),
        features=Features.from_arrow_schema(whole.schema),
        builder_name=BUILDER,
        dataset_name=origin.harness,
        config_name=json.dumps(origin.conditions(), ensure_ascii=False),
    )
    # Without a fingerprint, all data are pickled and hashed.
    return Dataset(whole, info=info, fingerprint=token_hex(8))


def describe(samples: Samples, path: str | PathLike[str] | Sequence[Any]) -> str:
    """Say in a few sentences what was read: the harness, the column of each role, and the notes."""
    origin = samples.origin
    name = Path(path).name if isinstance(path, (str, PathLike)) else f"{len(path):,} files"
    what = "" if origin.harness == "plain" else f" ({' '.join(filter(None, [origin.harness, origin.version]))})"
    roles = ", ".join(f"{role} from column “{column}”" for role, column in origin.roles.items() if column is not None)
    choices = "".join(f" {option.capitalize()}: {value}." for option, value in origin.chosen.items())
    notes = "".join(f" {note}" for note in origin.notes)
    skipped = "".join(
        f" Left out: {count:,}, with errors such as “{cause}”." for cause, count in origin.skipped.items()
    )
    return f"Read from {fspath(name)}{what}: {roles}.{choices}{notes}{skipped}"
