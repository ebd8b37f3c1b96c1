"""Every option, declared once: what it is called, what it takes, what it means, and how the command spells it.

From here come the signatures and docstrings of the functions in Python (`takes`), the flags of the command with their
help, the "Inputs" of the cards, the table of the README, and the types that editors complete (`make texts`). Checks are
named by their path, so that the help of the command loads none of what they need.
"""

from at_k.options.comparing import COMPARING, GATING, JUDGED, PLANNING, POOLING, RANKING
from at_k.options.groups import (
    JUDGING_OPTIONS,
    OPTIONS,
    PILOT,
    SCORED,
    SCORING,
    SHARED_OPTIONS,
    TALLYING,
    check_config,
    check_options,
    complete,
    refuse_unknown_columns,
    sign,
    takes,
)
from at_k.options.judging import JUDGING
from at_k.options.option import Option, by_name
from at_k.options.reading import COLUMNS, READING

__all__ = [
    "COLUMNS",
    "COMPARING",
    "GATING",
    "JUDGED",
    "JUDGING",
    "JUDGING_OPTIONS",
    "OPTIONS",
    "PILOT",
    "PLANNING",
    "POOLING",
    "RANKING",
    "READING",
    "SCORED",
    "SCORING",
    "SHARED_OPTIONS",
    "TALLYING",
    "Option",
    "by_name",
    "check_config",
    "check_options",
    "complete",
    "refuse_unknown_columns",
    "sign",
    "takes",
]
