"""From one value per problem to what is reported: means, groups, details, and the spelling of keys."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from at_k import columns
from at_k.combinatorics import Floats
from at_k.validation import check_choice, check_flag, type_name

KEY_STYLES = ("standard", "plain")

OPTIONS = ("groups", "key_style", "return_details")


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
    values = _checked("per_problem", per_problem)
    if not values:
        raise ValueError("`per_problem` must hold at least one column; got none")
    first, n_problems = next((key, column.size) for key, column in values.items())
    errors = _checked("mcse", mcse or {})
    for key, column in values.items():
        columns.same_problems(first, n_problems, key, len(column))
    for key, column in errors.items():
        if key not in values:
            raise ValueError(f"`mcse` must have keys of `per_problem`; got {key!r}")
        columns.same_problems(key, n_problems, f"mcse[{key!r}]", len(column))
    check_choice("key_style", key_style, KEY_STYLES)
    spelled = {styled(key, key_style): key for key in values}
    for key in values:
        if spelled[styled(key, key_style)] != key:
            raise ValueError(
                f"`key_style` {key_style!r} must not spell two keys alike; it does {key!r} and another one"
            )

    result = {}
    for prefix, problems in {"": np.arange(n_problems), **_members(groups, n_problems)}.items():
        for key, column in values.items():
            name = prefix + styled(key, key_style)
            result[name] = _mean(column[problems])
            if key in errors and errors[key][problems].any():
                result[f"{name}_mcse"] = sqrt(fsum((errors[key][problems] ** 2).tolist())) / len(problems)
    return result


def check_options(
    n_problems: int, *, groups: object = None, key_style: object = "standard", return_details: object = False
) -> None:
    """Raise unless what is asked of the result fits this many problems."""
    _members(groups, n_problems)
    check_choice("key_style", key_style, KEY_STYLES)
    check_flag("return_details", return_details)


def _checked(name: str, per_problem: object) -> dict[str, Floats]:
    if not isinstance(per_problem, Mapping):
        raise TypeError(f"`{name}` must map keys to columns; got {per_problem!r:.60} of type {type_name(per_problem)}")
    values = {}
    for key, given in per_problem.items():
        column = np.asarray(given)
        if not isinstance(key, str) or column.dtype.kind not in "biuf":
            raise TypeError(f"`{name}` must map strings to numbers; got {column.dtype} for {key!r}")
        if column.ndim != 1 or not column.size:
            raise ValueError(
                f"`{name}` must hold one value per problem, at least one; got shape {column.shape} for {key!r}"
            )
        if not np.isfinite(column).all():
            problem = int(np.argmin(np.isfinite(column)))
            raise ValueError(
                f"`{name}` must hold finite numbers; got {column[problem]} for {key!r} in problem {problem}"
            )
        values[key] = column.astype(np.float64, copy=False)
    return values


def _mean(column: Floats) -> float:
    try:
        return fsum(column.tolist()) / len(column)
    except OverflowError:  # the sum is too large for a float; the mean is not
        return fsum((column / len(column)).tolist())


def styled(key: str, key_style: str) -> str:
    """A key in the given style.

    Examples:
        >>> styled("mG-Pass@8", "plain"), styled("pass^8", "plain")
        ('mg_pass_at_8', 'pass_hat_8')
    """
    if key_style == "standard":
        return key
    return key.lower().replace("@", "_at_").replace("^", "_hat_").replace("-", "_")


def _members(groups: object, n_problems: int) -> dict[str, NDArray[np.intp]]:
    """The problems of each group, in the order in which the groups are met, by the prefix of their keys."""
    if groups is None:
        return {}
    labels = columns.groups(groups)
    columns.same_problems("groups", len(labels), "predictions", n_problems)
    members: dict[str, list[int]] = {}
    for problem, label in enumerate(labels):
        members.setdefault(f"{label}/", []).append(problem)
    return {prefix: np.array(problems) for prefix, problems in members.items()}


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
