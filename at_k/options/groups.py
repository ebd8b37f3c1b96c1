"""Which options go together: those of modules, of `at_k.score`, of models that are compared, and of pilots."""

from __future__ import annotations

from dataclasses import replace

from at_k.options.judging import JUDGING, ROWS
from at_k.options.numbers import GROUPS, INTERVALS, NUMBERS, SHOWN
from at_k.options.option import READ, Option, by_name, check_with
from at_k.options.reading import READING

SHARED = (*JUDGING, ROWS, GROUPS, *INTERVALS, *SHOWN)

OPTIONS = by_name(*NUMBERS[1:], *SHARED)
"""The options of all modules. A module ignores those of the other modules, so that `evaluate.combine` can pass the same
options to all of them."""

JUDGING_OPTIONS = tuple(option.name for option in JUDGING)
SHARED_OPTIONS = tuple(option.name for option in SHARED)
"""The options that all modules have. They say how samples are judged, and what is reported."""

SEED = Option("seed", "int", "the seed of simulations.", 0, check=check_with("at_k.validation:check_seed"))

LEVEL = replace(
    OPTIONS["confidence_level"],
    text="the level of the intervals.",
    default=0.95,
    flag="--ci",
    metavar="X",
    help="The confidence level.",
)

SCORING = by_name(
    *(option for option in NUMBERS if option.name != "weights"),
    *JUDGING,
    replace(
        GROUPS,
        type="list[str] | list[int] | bool",
        text="one label for each problem, or False for no groups; by default the column `group`.",
        flag="--by",
        metavar="FIELD",
        short=True,
        help="The column, or field of the metadata, whose values are the groups; none for no groups.",
        group=READ,
    ),
    replace(
        LEVEL,
        type="float | None",
        text="the level of the intervals; None for none.",
        metavar="LEVEL",
        help="The confidence level of the intervals, or none.",
    ),
    INTERVALS[1],
    replace(
        OPTIONS["clusters"],
        type="list[str] | list[int] | bool",
        text="one label for each problem, where problems come in groups that resemble each other; or True for the "
        "groups.",
        metavar="FIELD",
        help="The column, or field of the metadata, whose values say which problems resemble each other; group for "
        "the groups.",
    ),
    INTERVALS[3],
    *READING,
    SEED,
)
"""The options of `at_k.score`."""

_NOT_COMPARED = {"groups", "seed", *(option.name for option in INTERVALS)}
SCORED = {name: option for name, option in SCORING.items() if name not in _NOT_COMPARED}
"""Those that change the values of problems. They are for data that are not scored yet."""

PILOT = by_name(*JUDGING, *READING)
"""The options that say which counts a pilot has."""

_COUNTED = ("groups", "on_conflict", "select", "score_weights", "higher_is_better", "seed")
TALLYING = by_name(
    Option(
        "by_problem",
        "bool",
        "whether to keep problems by their names, so that samples can be added to them.",
        False,
        short=True,
        help="Keep problems by their names, so that samples of the same problems can be added.",
    ),
    *JUDGING,
    *(SCORING[name] for name in _COUNTED),
    *READING,
)
"""The options of `at_k.Tally.of`: those that act on samples, which a tally does not keep."""
