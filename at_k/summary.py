"""From one value per problem to what is reported: means, groups, details, and the spelling of keys."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k import columns
from at_k.combinatorics import Floats
from at_k.validation import checked_choice

KEY_STYLES = ("standard", "plain")


def summarize(
    per_problem: Mapping[str, ArrayLike],
    /,
    *,
    groups: object = None,
    key_style: str = "standard",
    mcse: Mapping[str, ArrayLike] | None = None,
) -> dict[str, float]:
    """The mean of every column over the problems, of all and of each group.

    Args:
        per_problem: key → one value per problem.
        groups: one label per problem, a string or an integer. Adds `{group}/{key}` for every group, the label spelled
            as given.
        key_style: "standard" spells keys as papers do (`pass@8`, `G-Pass@8_0.5`); "plain" spells them in
            `[A-Za-z0-9_.]`, for trackers that refuse `@` (`pass_at_8`, `g_pass_at_8_0.5`).
        mcse: key → the standard error of each simulated value. Adds `{key}_mcse`, that of the mean, where it is not 0.

    Returns:
        key → mean, as Python floats; the sums are rounded once, so that the order of the problems does not matter.

    Raises:
        TypeError: if a label is neither a string nor an integer.
        ValueError: if there are no problems, or columns differ in length.

    Examples:
        >>> summarize({"pass@1": [1.0, 0.5, 0.0]}, groups=["easy", "easy", "hard"])
        {'pass@1': 0.5, 'easy/pass@1': 0.75, 'hard/pass@1': 0.0}
    """
    checked_choice("key_style", key_style, KEY_STYLES)
    values = {key: np.asarray(column, dtype=np.float64) for key, column in per_problem.items()}
    for key, column in values.items():
        if column.ndim != 1 or not column.size:
            raise ValueError(
                f"`per_problem` must hold one value per problem, at least one; got shape {column.shape} for {key!r}"
            )
        first = next(iter(values))
        columns.same_problems(first, len(values[first]), key, len(column))
    errors = {key: np.asarray(column, dtype=np.float64) for key, column in (mcse or {}).items()}
    result = _means(values, errors, key_style, "")
    if groups is not None:
        labels = columns.groups(groups)
        for column in values.values():
            columns.same_problems("groups", len(labels), "predictions", len(column))
        members: dict[str, list[int]] = {}
        for problem, label in enumerate(labels):
            members.setdefault(label, []).append(problem)
        for label, problems in members.items():
            part = np.array(problems)
            group_values = {key: column[part] for key, column in values.items()}
            group_errors = {key: column[part] for key, column in errors.items()}
            result |= _means(group_values, group_errors, key_style, f"{label}/")
    return result


def styled(key: str, key_style: str) -> str:
    """A key in the given style.

    Examples:
        >>> styled("mG-Pass@8", "plain"), styled("pass^8", "plain")
        ('mg_pass_at_8', 'pass_hat_8')
    """
    if key_style == "standard":
        return key
    return key.lower().replace("@", "_at_").replace("^", "_hat_").replace("-", "_")


def _means(values: Mapping[str, Floats], errors: Mapping[str, Floats], key_style: str, prefix: str) -> dict[str, float]:
    means = {}
    for key, column in values.items():
        name = prefix + styled(key, key_style)
        means[name] = fsum(column.tolist()) / len(column)
        error = errors.get(key)
        if error is not None and error.any():
            means[f"{name}_mcse"] = sqrt(fsum((error**2).tolist())) / len(column)
    return means


def details(
    per_problem: Mapping[str, ArrayLike],
    *,
    n: NDArray[np.int64],
    c: NDArray[np.int64],
    n_missing: int,
    signature: str,
    key_style: str = "standard",
) -> dict[str, Any]:
    """What stands behind the means, ready for `json.dumps`.

    `per_problem` maps "n", "c" and every key to a list with one value per problem, in input order.
    """
    table: dict[str, list[Any]] = {"n": n.tolist(), "c": c.tolist()}
    for key, column in per_problem.items():
        table[styled(key, key_style)] = np.asarray(column, dtype=np.float64).tolist()
    return {
        "n_problems": len(n),
        "n_samples": int(n.sum()),
        "n_missing": n_missing,
        "per_problem": table,
        "signature": signature,
    }


def signature(metric: str, **conditions: object) -> str:
    """One line that states what makes two numbers comparable.

    Examples:
        >>> signature("pass_at_k", k=(1, 8), n=8, missing="error")
        'pass_at_k|k:1,8|n:8|missing:error'
    """
    return "|".join([metric, *(f"{name}:{_listed(value)}" for name, value in conditions.items())])


def _listed(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
