"""From a results file to the standard columns: problem, answers, references, grades, scores and group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from at_k.errors import InputError
from at_k.limits import UNLIMITED, Limits
from at_k.readers.plain import collect_samples
from at_k.readers.standard import ROLES, Samples
from at_k.readers.tables import read_table, refuse_large

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["ROLES", "Samples", "read_results", "read_samples"]


def read_results(
    path: str | PathLike[str],
    *,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    limits: Limits = UNLIMITED,
) -> Dataset:
    r"""Read a results file into a data set with one row per problem.

    The file is JSON, JSONL, CSV or TSV in UTF-8, with one row per problem and lists of samples, or one row per sample.

    Args:
        path: the file.
        columns: role → column, or None for no column, where the guess is not right: `{"grades": "is_right"}`. The roles
            are problem, answers, references, grades, scores and group.
        where: column → the value, or list of values, of the rows to keep: `{"model": "a"}`.
        pool: columns such as "model" whose rows are samples of one model after all.
        limits: the most that is accepted; without limit if not given.

    Returns:
        A data set with those of the standard columns that the file has: `problem` (a string), `answers` (a list of
        strings; null where a sample has none), `references` (a list of strings, each of them correct), `grades` (a list
        of numbers from 0 to 1), `scores` (a list of numbers), `group` (a string). Its description says which columns
        they were; `read_samples` returns the same as an object.

    Raises:
        InputError: if the file cannot be used. The sentence names the file, and the row and column at fault.
        OSError: if the file cannot be opened.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "results.csv"
        ...     _ = path.write_text("task_id,passed,seed\na,True,0\na,False,1\nb,True,0\nb,True,1\n")
        ...     data = read_results(path)
        >>> data["problem"][:], data["grades"][:]
        (['a', 'b'], [[1.0, 0.0], [1.0, 1.0]])
        >>> data.info.description
        'Read from results.csv: problem from column “task_id”, grades from column “passed”.'
    """
    from datasets import Dataset, DatasetInfo, Features, Value

    samples = read_samples(path, columns=columns, where=where, pool=pool, limits=limits)
    text, texts, numbers = Value("string"), [Value("string")], [Value("float64")]
    types = {
        "problem": text,
        "answers": texts,
        "references": texts,
        "grades": numbers,
        "scores": numbers,
        "group": text,
    }
    found = samples.columns()
    features = Features({name: types[name] for name in found})
    origin = ", ".join(f"{role} from column “{column}”" for role, column in samples.roles.items() if column is not None)
    info = DatasetInfo(description=f"Read from {Path(path).name}: {origin}.", features=features)
    return Dataset.from_dict(found, features=features, info=info)


def read_samples(
    path: str | PathLike[str],
    *,
    columns: Mapping[str, str | None] | None = None,
    where: Mapping[str, object] | None = None,
    pool: str | Sequence[str] = (),
    limits: Limits = UNLIMITED,
) -> Samples:
    """Read a results file as `read_results` does, into lists; `roles` says which column was taken for what.

    Args:
        path: as of `read_results`.
        columns: as of `read_results`.
        where: as of `read_results`.
        pool: as of `read_results`.
        limits: as of `read_results`.

    Raises:
        InputError: as `read_results` does.
        OSError: as `read_results` does.
    """
    try:
        table = read_table(_read_text(Path(path), limits), limits=limits)
        return collect_samples(table, columns=columns, where=where, pool=pool, limits=limits)
    except InputError as error:
        raise error.in_file(str(path)) from None


def _read_text(path: Path, limits: Limits) -> str:
    """Return the text of a file."""
    try:
        if limits.max_bytes is not None:
            refuse_large(path.stat().st_size, limits)
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path} in {Path.cwd()}") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder; give the path of one results file") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "readers.encoding",
            "This is not a text file in UTF-8: byte {position:,} does not fit. Save it as JSON, JSONL, CSV or TSV in "
            "UTF-8.",
            position=error.start + 1,
        ) from None
