"""Knowledge of the first rows of a table, for those who doubt its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from at_k.readers.blocks import Rows
from at_k.readers.samples import Columns
from at_k.readers.tables.profile import Profile


@dataclass
class ColumnsKnown:
    """Knowledge of the first rows.

    Attributes:
        profile: the columns, with samples in lists where the shape of the rows is another one.
        asked: the columns as they are in the file.
        roles: the column of each role.
        given: the roles that a user gave.
        others: the columns without a role.
        listed: whether a row is a problem, with lists of samples.
        changed: whether the shape of the rows is another one.
        default: what names the problems where no column does.
        files: the files that hold a row each.
        rows: how the rows were found.
    """

    profile: Profile
    asked: Profile
    roles: Columns
    given: Columns
    others: Sequence[str]
    listed: bool
    changed: bool
    default: str
    files: Sequence[str]
    rows: Rows
