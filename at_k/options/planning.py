"""The options of plans."""

from __future__ import annotations

from at_k.options.groups import LEVEL
from at_k.options.option import COMPUTED, Option, by_name, check_with, in_panel

PLANNING = by_name(
    *in_panel(
        COMPUTED,
        Option(
            "k",
            "int",
            "the number of draws; 1 for avg@n.",
            1,
            flag="--k, -k",
            metavar="K",
            short=True,
            help="The k of pass@k; pass@1 is avg@n.",
            label="Answers drawn, k",
        ),
        Option(
            "tau",
            "float | Fraction",
            "the threshold of G-Pass@k; pass@k if it is not given.",
            metavar="T",
            help="Plan for G-Pass@k with this threshold instead.",
            label="τ of G-Pass@k, empty for pass@k",
        ),
        Option(
            "problems",
            "list[int]",
            "numbers of problems to look at; by default a quarter, half, once, twice and four times the pilot's.",
            metavar="M,...",
            short=True,
            help="Numbers of problems in the table: 100,300.",
            label="Problems, M",
        ),
        Option(
            "samples",
            "list[int]",
            "numbers of samples to look at; by default k and powers of 2 above it.",
            metavar="N,...",
            short=True,
            help="Numbers of samples in the table: 4,16.",
            label="Samples of each, n",
        ),
        Option(
            "half_width",
            "float",
            "half of the width that the interval should have: how many problems, or samples, reach it?",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            help="Say how many problems, or samples, an interval of ± X needs.",
            label="Interval wished for, ± points",
        ),
        Option(
            "detect",
            "float",
            "a difference that a paired comparison of two models should find: how many problems does it take?",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            help="Say how many problems are needed to find a difference of X between two models.",
            label="Difference to find, in points",
        ),
        LEVEL,
        Option("power", "float", "the chance with which a comparison should find the difference.", 0.8),
        Option(
            "correlation",
            "float",
            "how much the difficulties of the problems for the two compared models agree, from 0 to 1. By default it "
            "is estimated from two pilots, or else assumed to be 0.8, with 0.5 beside it.",
        ),
    )
)
"""The options of `at_k.plan`, beside those of data that are not scored yet."""
