"""The options of comparisons and of rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from at_k import choices
from at_k.options.groups import LEVEL, SCORING, SEED
from at_k.options.numbers import INTERVALS
from at_k.options.option import COMPUTED, READ, Option, by_name, check_with, in_panel


def _check_each(name: str, words: Any, known: tuple[str, ...]) -> None:
    from at_k.validation import check_choice

    for word in [words] if isinstance(words, str) else words:
        check_choice(name, word, known)


UNMATCHED = Option(
    "unmatched",
    "str",
    'what happens to problems that not all models were measured on. `"drop"`: they are left out. `"unpaired"`: two '
    "models are compared as two samples of problems, which has far less power.",
    "error",
    choices.UNMATCHED,
    help="What to do with problems that some models lack. error: stop. drop: leave them out. unpaired: compare without "
    "pairs of problems, which has far less power.",
    group=READ,
    label="Problems that only one has",
    words=(
        ("drop", "leave them out"),
        ("unpaired", "compare unpaired, all of them"),
        ("error", "refuse"),
    ),
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
        Option("keys", "str | list[str]", 'the keys to compare, such as "pass@1"; by default all that both have.'),
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
            choices.DIFFERENCE_METHODS[0],
            choices.DIFFERENCE_METHODS,
            flag="--ci-method",
            help="How intervals are made. bounded covers the true value where large differences are rare, too, and "
            "finds fewer differences.",
        ),
        Option(
            "margin",
            "float",
            "a difference that does not matter, between 0 and 1. The result then also has the p-value of a test of "
            "equivalence within it. Optional.",
            check=check_with("at_k.uncertainty.checks:check_fraction"),
            metavar="X",
            short=True,
            help="Test whether the models are equivalent: whether they differ by less than X, such as 0.02.",
            label="A difference that does not matter, in points",
        ),
        Option(
            "extra_tests",
            "str | list[str]",
            'further tests out of "t", "wilcoxon" and "mcnemar"; the sign-flip test is always there.',
            (),
            check=lambda value, name: _check_each(name, value, choices.EXTRA_TESTS),
            flag="--extra-test",
            metavar="NAME",
            help="A further test beside the sign-flip test: t, wilcoxon or mcnemar.",
        ),
        Option(
            "band",
            "bool",
            "whether the difference of each metric is also taken against every k, with a band that holds at all of "
            "them: for which k is which model better?",
            False,
            flag="--band",
            help="Say for which k which model is better, by a band that holds at every k.",
        ),
    ),
    UNMATCHED,
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.compare`, beside those of data that are not scored yet."""

RANKING = by_name(
    Option("key", "str", "the number to rank by.", "pass@1"),
    replace(LEVEL, text="the level of all comparisons together."),
    replace(
        UNMATCHED,
        text='"error", or "drop" to use the problems that all models have.',
        choices=choices.UNMATCHED[:2],
    ),
    CLUSTERS,
    FLIPS,
)
"""The options of `at_k.rank`, beside those of data that are not scored yet."""

POOLING = by_name(
    *(COMPARING[name] for name in ("names", "keys", "confidence_level", "method")),
    Option(
        "pool_by",
        "str",
        'what counts alike where benchmarks are pooled: `"benchmark"`, or `"problem"`, so that a benchmark counts by '
        "its number of problems.",
        choices.POOL_BY[0],
        choices.POOL_BY,
        help="What counts alike where benchmarks are pooled: every benchmark, or every problem.",
        group=COMPUTED,
    ),
    replace(UNMATCHED, text='"error", or "drop" to leave out problems that only one model has.',
            choices=choices.UNMATCHED[:2]),
    CLUSTERS,
    FLIPS,
)  # fmt: skip
"""The options of `at_k.compare_benchmarks`, beside those of data that are not scored yet."""
