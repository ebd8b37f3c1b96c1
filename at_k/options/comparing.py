"""The options of comparisons, rankings, gates and plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from at_k.options.groups import LEVEL, SCORED, SCORING, SEED
from at_k.options.numbers import INTERVALS
from at_k.options.option import (
    COMPUTED,
    DIFFERENCE_METHODS,
    EXTRA_TESTS,
    POOL_BY,
    READ,
    UNMATCHED_WORDS,
    Option,
    by_name,
    check_with,
    in_panel,
)


def _check_each(name: str, words: Any, known: tuple[str, ...]) -> None:
    from at_k.validation import check_choice

    for word in [words] if isinstance(words, str) else words:
        check_choice(name, word, known)


LOOKS = Option(
    "looks",
    "int",
    "how often the results are looked at while they arrive. Each look is judged at a stricter level, so that the error "
    "rate of all looks together is that of one.",
    1,
    check=check_with("at_k.uncertainty.checks:check_size"),
    metavar="L",
    group=COMPUTED,
)

UNMATCHED = Option(
    "unmatched",
    "str",
    'what happens to problems that not all models were measured on. `"drop"`: they are left out. `"unpaired"`: two '
    "models are compared as two samples of problems, which has far less power.",
    "error",
    UNMATCHED_WORDS,
    group=READ,
    label="Problems that only one has",
    words=(
        ("drop", "leave them out"),
        ("unpaired", "compare unpaired, all of them"),
        ("error", "refuse"),
    ),
)
PAIRED = replace(
    UNMATCHED,
    text='what happens to problems that not all models have: "error", or "drop" to leave them out.',
    choices=UNMATCHED_WORDS[:2],
)
CLUSTERS = replace(
    SCORING["clusters"],
    type="list[str] | list[int] | dict[str, str] | bool",
    text="one label per problem of the first model, or problem → label, where problems come in groups that resemble "
    "each other: whole clusters then flip their signs. True for the groups of the data, False for none; by default the "
    "clusters with which the reports were made, which must agree.",
)
FLIPS = replace(SEED, text="the seed of the sign flips, where there are too many to try all.")

COMPARING = by_name(
    *in_panel(
        COMPUTED,
        Option("names", "tuple[str, str]", "what the models are called.", ("A", "B")),
        LEVEL,
        replace(
            INTERVALS[1],
            text='what the difference is about. `"population"`: other problems like these. `"problem_set"`: these very '
            "problems, with other samples: would another run reverse it?",
            help="What the difference is about. population: other problems like these. problem-set: other samples of "
            "these problems: would another run reverse it?",
        ),
        Option(
            "method",
            "str",
            'how the interval of a difference is made. `"sign-flip"`: it inverts the sign-flip test, and is the '
            'bounded one where few problems differ. `"bounded"`: it also covers where differences are rare and large, '
            "at a cost in power.",
            DIFFERENCE_METHODS[0],
            DIFFERENCE_METHODS,
            long="--ci-method",
        ),
        Option(
            "margin",
            "float",
            "a difference that does not matter, between 0 and 1. The result then also has the p-value of a test of "
            "equivalence within it. Optional.",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            label="A difference that does not matter, in points",
        ),
        Option(
            "extra_tests",
            "str | list[str]",
            'further tests out of "t" and "wilcoxon"; the sign-flip test is always there.',
            (),
            check=lambda value, name: _check_each(name, value, EXTRA_TESTS),
            metavar="NAME",
        ),
        Option(
            "band",
            "bool",
            "whether the difference of each metric is also taken against every k, with a band that holds at all of "
            "them: for which k is which model better?",
            False,
        ),
    ),
    UNMATCHED,
    LOOKS,
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.compare`, beside those of data that are not scored yet."""

RANKING = by_name(
    replace(LEVEL, text="the level of all comparisons together."),
    PAIRED,
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.rank`, beside those of data that are not scored yet."""

POOLING = by_name(
    *(COMPARING[name] for name in ("names", "confidence_level", "method")),
    Option(
        "pool_by",
        "str",
        'what counts alike where benchmarks are pooled: `"benchmark"`, or `"problem"`, so that a benchmark counts by '
        "its number of problems.",
        POOL_BY[0],
        POOL_BY,
        group=COMPUTED,
    ),
    PAIRED,
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.compare_benchmarks`, beside those of data that are not scored yet."""


JUDGED = {name: option for name, option in SCORED.items() if name not in ("metrics", "k", "thresholds")}
"""Options that change the values of problems, without those that choose the values."""

GATING = by_name(
    *in_panel(
        COMPUTED,
        Option(
            "require",
            "str | list[str]",
            'what numbers must be at least: "pass^4 >= 0.8", or a list of such requirements.',
            metavar="TEXT",
            short=True,
        ),
        Option(
            "each",
            "str",
            'what every single problem must reach: "8 of 10" of its samples correct, as far as they are drawn; or '
            '"pass@1 >= 0.8", shown by the interval of the problem.',
            metavar="TEXT",
            short=True,
        ),
        replace(
            COMPARING["margin"],
            text="how much the candidate may be worse than the base, below 1; with 0 it must be better. Needed with a "
            "base.",
            check=check_with("at_k.uncertainty.checks:check_margin"),
        ),
        Option(
            "metrics",
            "str | list[str]",
            "the numbers in which the candidate may not be worse than the base; by default pass@1.",
            flag="-m",
            metavar="NAME",
        ),
        Option(
            "policy",
            "str | dict[str, Any]",
            "a TOML file, or a mapping, with `require`, `each`, `metrics`, `margin`, `confidence_level` and `method`, "
            "and a table of these for each data set. What is given beside it counts first.",
            metavar="FILE",
            short=True,
        ),
        Option("data", "str", "the name of the data set, by which its table of the policy is found."),
        LEVEL,
        COMPARING["method"],
    ),
    LOOKS,
    PAIRED,
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.gate`, beside those of data that are not scored yet."""


PLANNING = by_name(
    *in_panel(
        COMPUTED,
        Option(
            "k",
            "int",
            "the number of draws; 1 for avg@n.",
            1,
            flag="-k",
            metavar="K",
            short=True,
            label="Answers drawn, k",
        ),
        Option(
            "tau",
            "float | Fraction",
            "the threshold of G-Pass@k; pass@k if it is not given.",
            metavar="T",
            label="τ of G-Pass@k, empty for pass@k",
        ),
        Option(
            "expect",
            "float",
            "without a pilot, the share of correct samples that is expected.",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            label="Accuracy that is expected",
        ),
        Option(
            "spread",
            "float",
            "without a pilot, how much problems differ: the share of the variance of single samples that is between "
            "problems. In 40 real data sets it was 0.16 to 0.86.",
            0.5,
            check=check_with("at_k.uncertainty.checks:check_fraction"),
        ),
        Option(
            "problems",
            "list[int]",
            "numbers of problems to look at; by default a quarter, half, once, twice and four times the pilot's.",
            metavar="M,...",
            short=True,
            label="Problems, M",
        ),
        Option(
            "samples",
            "int | list[int]",
            "numbers of samples to look at; by default k and powers of 2 above it. Without a pilot, the first one "
            "is that of the needed numbers.",
            metavar="N,...",
            short=True,
            label="Samples of each, n",
        ),
        Option(
            "half_width",
            "float",
            "half of the width that the interval should have: how many problems, or samples, reach it?",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            label="Interval wished for, ± points",
        ),
        Option(
            "detect",
            "float",
            "a difference that a paired comparison of two models should find: how many problems does it take?",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            label="Difference to find, in points",
        ),
        LEVEL,
        LOOKS,
        Option("power", "float", "the chance with which a comparison should find the difference.", 0.8),
        Option(
            "correlation",
            "float",
            "how much the difficulties of the problems for the two compared models agree, from 0 to 1. By default it "
            "is estimated from two pilots, or else assumed to be 0.5, with 0.8 beside it.",
        ),
    )
)
"""The options of `at_k.plan`, beside those of data that are not scored yet."""
