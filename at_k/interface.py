"""The words that the modules share: configurations, columns, options."""

from __future__ import annotations

from collections.abc import Mapping

CONFIGS = ("default", "graded")

COLUMNS = ("predictions", "references", "scores")

OPTIONS = (
    "k",
    "thresholds",
    "threshold",
    "ties",
    "weights",
    "select",
    "score_weights",
    "higher_is_better",
    "check_correct_fn",
    "missing",
    "groups",
    "return_details",
    "key_style",
)
"""The options of all modules. Each module ignores those of its sisters, so that `evaluate.combine` can share them."""


def checked_config(config_name: object) -> str:
    """The configuration, "default" if None is named."""
    if config_name is None:
        return "default"
    if config_name not in CONFIGS:
        raise ValueError(f"`config_name` must be one of {', '.join(map(repr, CONFIGS))}; got {config_name!r:.60}")
    return str(config_name)


def refuse_unknown(given: Mapping[str, object], known: tuple[str, ...], what: str) -> None:
    """Raise for a keyword that no module has."""
    for name, value in given.items():
        if name not in known:
            raise TypeError(
                f"`{name}` is no {what} of any module; got {value!r:.60}; the {what}s are {', '.join(known)}"
            )
