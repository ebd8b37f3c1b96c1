"""The sentences of Explore as the browser writes them: for the page as it opens, and for pictures of shared links."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np

import at_k
from at_k.demo.words import say

DRAWN_FROM = 16
MODELS = {"shaky": np.full(12, DRAWN_FROM // 2), "steady": np.repeat([0, DRAWN_FROM], 6)}
"""Two models of the same average: how many of 16 answers to each problem are right."""


def say_setting(n: int, c: int, k: int, language: str) -> str:
    """Say what follows from a draw of k of n answers, of which c are right.

    Examples:
        >>> say_setting(16, 8, 4, "en")
        'Of these 16 answers, 8 are right. Draw 4: at least one is right 96.2 % of the time, all are right 3.8 %.'
        >>> say_setting(16, 1, 1, "en")
        'Of these 16 answers, 1 is right. Draw 1: it is right 6.3 % of the time.'
    """

    def word(name: str, **values: object) -> str:
        return say(language, f"explore.{name}", **values)

    one, every = float(at_k.pass_at_k(n, c, k=k)), float(at_k.pass_hat_k(n, c, k=k))
    shares = {
        "one": write_chance(one, language, certain=c == 0 or k > n - c),
        "all": write_chance(every, language, certain=c == n or k > c),
    }
    if k == n:
        what = word("of_all")
    elif k == 1:
        what = word("of_one", value=shares["one"])
    else:
        what = word("of_some", **{name: word(name, value=share) for name, share in shares.items()})
    right = word("none_right" if c == 0 else "one_right" if c == 1 else "some_right", c=c)
    return word("sentence", n=n, c=right, k=word("draw_all" if k == n else "draw_some", k=k), what=what)


def write_chance(value: float, language: str, *, certain: bool) -> str:
    """Write a chance; 100 % and 0 % only of what is certain, which a number close to them does not tell.

    Examples:
        >>> write_chance(1.0, "en", certain=True), write_chance(1.0, "en", certain=False)
        ('100 %', 'more than 99.9 %')
        >>> write_chance(0.0625, "en", certain=False), write_chance(0.0001, "en", certain=False)
        ('6.3 %', 'less than 0.1 %')
    """
    if certain:
        return f"{100 * value:.0f} %"
    if value >= 0.9995:
        return say(language, "explore.more_than", value="99.9 %")
    if value < 0.0005:
        return say(language, "explore.less_than", value="0.1 %")
    return f"{Decimal(100 * value).quantize(Decimal('0.1'), ROUND_HALF_UP)} %"  # as browsers round


def say_story(k: int, language: str, shown: str = "{k}") -> str:
    """Say what a draw of k answers tells of the two models; `shown` stands where k does.

    Examples:
        >>> say_story(1, "en").partition("answers to a ")[2]
        'problem. It is right: Shaky 50 %, Steady 50 %. One answer cannot tell them apart.'
    """
    said = {}
    for name, c in MODELS.items():
        for demand, find in {"one": at_k.pass_at_k, "all": at_k.pass_hat_k}.items():
            share = round_share(float(np.mean(find(DRAWN_FROM, c, k=k))))
            said[f"{name}_{demand}"] = f"{say(language, f'explore.{name}')} {share}"
    kind = "lead_all" if k == DRAWN_FROM else "lead_one" if k == 1 else "lead"
    return say(language, f"explore.{kind}", k=shown.format(k=k), **said)


def round_share(value: float) -> str:
    """Round a share to whole per cent; certain only if it is.

    Examples:
        >>> [round_share(value) for value in (0.5, 0.999, 0.0001, 1)]
        ['50 %', '> 99 %', '< 1 %', '100 %']
    """
    percent = int(100 * value + 0.5)
    return "> 99 %" if value < 1 and percent == 100 else "< 1 %" if value > 0 and percent == 0 else f"{percent} %"
