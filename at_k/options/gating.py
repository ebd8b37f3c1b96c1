"""The options of a gate."""

from __future__ import annotations

from dataclasses import replace

from at_k import choices
from at_k.options.comparing import CLUSTERS, COMPARING, FLIPS, UNMATCHED
from at_k.options.groups import LEVEL, SCORED
from at_k.options.option import COMPUTED, Option, by_name, check_with, in_panel

JUDGED = {name: option for name, option in SCORED.items() if name not in ("metrics", "k", "thresholds")}
"""Those that change the values of problems, but for those that say which values."""

GATING = by_name(
    *in_panel(
        COMPUTED,
        Option(
            "require",
            "str | list[str]",
            'what numbers must be at least: "pass^4 >= 0.8", or a list of such requirements.',
            metavar="TEXT",
            short=True,
            help="What a number must be at least: 'pass^4 >= 0.8'. Give the option once for each number.",
        ),
        Option(
            "each",
            "str",
            'what every single problem must reach: "8 of 10" of its samples correct, as far as they are drawn; or '
            '"pass@1 >= 0.8", shown by the interval of the problem.',
            metavar="TEXT",
            short=True,
            help="What every single problem must reach: '8 of 10' of its samples, or 'pass@1 >= 0.8', shown by its "
            "interval.",
        ),
        replace(
            COMPARING["margin"],
            text="how much the candidate may be worse than the base, below 1; with 0 it must be better. Needed with a "
            "base.",
            check=check_with("at_k.uncertainty.checks:check_margin"),
            help="How much the candidate may be worse than the base, such as 0.02; with 0 it must be better. Needed "
            "with --against.",
        ),
        Option(
            "keys",
            "str | list[str]",
            "the numbers in which the candidate may not be worse than the base; by default pass@1.",
            flag="--key",
            metavar="KEY",
            help="The number in which the candidate may not be worse than the base; pass@1 if none is given.",
        ),
        Option(
            "policy",
            "str | dict[str, Any]",
            "a TOML file, or a mapping, with `require`, `each`, `keys`, `margin`, `confidence_level` and `method`, and "
            "a table of these for each data set. What is given beside it counts first.",
            metavar="FILE",
            short=True,
            help="A TOML file with require, each, keys, margin, confidence_level and method, and a table of these for "
            "each data set.",
        ),
        Option("data", "str", "the name of the data set, by which its table of the policy is found."),
        LEVEL,
        COMPARING["method"],
    ),
    replace(
        UNMATCHED,
        text='what happens to problems that only one of the two has: "error", or "drop" to leave them out.',
        choices=choices.UNMATCHED[:2],
        help="Problems that only one of the two has are an error, or are dropped.",
    ),
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.gate`, beside those of data that are not scored yet."""
