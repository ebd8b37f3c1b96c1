"""Claims are true: each is computed anew from the counts of random files, by enumeration and in fractions."""

import random
from fractions import Fraction
from itertools import combinations
from math import ceil, comb

import pytest
from cases import for_each

import at_k
from at_k.analysis.claims import (
    Difference,
    Points,
    Share,
    list_steps,
    make_claims,
    make_headline,
    say_differences,
)
from at_k.values import Key


def draw_file(seed):
    """Draw rows of answers, verdicts and scores: few problems and samples, ragged at times, or verdicts alone."""
    rng = random.Random(seed)
    n, ragged, answered, scored = (
        rng.randint(1, 6),
        rng.random() < 0.3,
        rng.random() < 0.6,
        rng.random() < 0.4,
    )
    rows = []
    for i in range(rng.randint(1, 12)):
        size = rng.randint(n, 6) if ragged else n
        hard = rng.choice([0, 0.2, 0.5, 0.9, 1])
        right = [rng.random() < hard for _ in range(size)]
        row = {"problem": f"p{i}", "grades": [int(each) for each in right]}
        if answered:
            row["answers"] = ["r" if each else rng.choice("xyz") for each in right]
        if scored:
            row["scores"] = [rng.randint(0, 3) for _ in range(size)]
        rows.append(row)
    return rows


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def enumerate_draws(row, k, judge):
    """The share of all draws of k samples that a rule says are right."""
    draws = list(combinations(range(len(row["grades"])), k))
    return mean(Fraction(judge([row["grades"][i] for i in draw], draw, row)) for draw in draws)


def choose_by_score(grades, draw, row):
    best = max(row["scores"][i] for i in draw)
    return mean(Fraction(row["grades"][i]) for i in draw if row["scores"][i] == best)


def vote(grades, draw, row):
    votes = [row["answers"][i] for i in draw]
    most = max(map(votes.count, votes))
    winners = {each for each in votes if votes.count(each) == most}
    return Fraction("r" in winners, len(winners))


@pytest.mark.parametrize("block", range(5))
def test_claims_on_250_random_files(block):
    for seed in range(50 * block, 50 * block + 50):
        rows = draw_file(seed)
        smallest = min(len(row["grades"]) for row in rows)
        report = at_k.score(rows, k=list(range(1, smallest + 1)))
        average = mean(Fraction(sum(row["grades"]), len(row["grades"])) for row in rows)
        for k in range(1, smallest + 1):
            check_claims(report, rows, k, average)


def check_claims(report, rows, k, average):
    n, c = zip(*((len(row["grades"]), sum(row["grades"])) for row in rows), strict=True)
    title = make_headline(report, k)
    assert title.values["average"] == pytest.approx(float(average))
    if k > 1:
        every = mean(Fraction(comb(own, k), comb(all_, k)) for all_, own in zip(n, c, strict=True))
        assert title.values["every"] == pytest.approx(float(every))
        assert (title.code == "claims.every") == ({*n} == {k})
    said = {claim.code: claim.values for claim in make_claims(report, k)}
    if max(n) > 1:
        always = sum(all_ == own for all_, own in zip(n, c, strict=True))
        never = c.count(0)
        assert said["claims.solved"] == {
            "always": always,
            "never": never,
            "sometimes": len(n) - always - never,
        }
    if k > 1:
        most = said["claims.choice"]["gain"]
        any_right = mean(enumerate_draws(row, k, lambda grades, *_: max(grades)) for row in rows)
        assert most == pytest.approx(float(any_right - average))
        gains = {
            "scores": ("scores" in rows[0], choose_by_score),
            "vote": ("answers" in rows[0], vote),
        }
        for name, (there, choose) in gains.items():
            if choice := said.get(f"claims.choice_{name}"):
                found = mean(enumerate_draws(row, k, choose) for row in rows)
                assert there
                assert choice["gain"] == pytest.approx(float(found - average))
                assert choice["gain"] <= most + 1e-12
    if "claims.known" in said:
        bar = next(bar for key, bar in report.intervals.items() if key.metric == "avg@n")
        known = said["claims.known"]
        assert (known["low"] + average, known["high"] + average) == pytest.approx(
            (bar.low, bar.high)
        )
        assert known["low"] <= 0 <= known["high"]


@pytest.mark.parametrize("seed", range(40))
def test_the_staircase_counts_what_it_says(seed):
    rows = draw_file(seed)
    smallest = min(len(row["grades"]) for row in rows)
    report = at_k.score(rows, k=list(range(1, smallest + 1)))
    for k in range(1, smallest + 1):
        steps = list_steps(report, k)
        assert [step.needed for step in steps] == sorted(
            {1} | {max(1, ceil(k * i / 4)) for i in (1, 2, 3, 4)}
        )[::-1]
        for needed, key, label in steps:
            share = mean(
                enumerate_draws(row, k, lambda grades, *_, need=needed: sum(grades) >= need)
                for row in rows
            )
            assert report.values[key] == pytest.approx(float(share))
            assert str(needed) in str(label) or k in (1, needed)


@for_each("value, said", [
    (0, "0 %"), (1, "100 %"), (0.005, "1 %"), (0.0049, "< 1 %"), (0.995, "> 99 %"), (0.9949, "99 %"), (0.5, "50 %"),
])  # fmt: skip
def test_certain_is_only_what_is_certain(value, said):
    assert f"{Share(value)}".replace("\u00a0", " ") == said


def test_points_have_a_sign_where_it_is_asked_for():
    assert [f"{Points(value):+}" for value in (0.05, -0.05, 0.0)] == ["+5.0", "−5.0", "+0.0"]
    assert f"{Points(-1e-12)}" == "0.0"


def draw_pair(seed):
    rng = random.Random(seed)
    n = rng.choice([1, 2, 3, 4, 8])
    pair = []
    for shift in (0, rng.choice([0, 0.1, 0.3, -0.2])):
        rows = []
        # Of 11 problems all 2,047 subsets are taken, which is fast; of 15 and more 9,999 random ones.
        for i in range(rng.choice([11, 11, rng.randint(15, 40)]) if not pair else len(pair[0])):
            hard = min(1, max(0, random.Random(f"{seed}{i}").random() + shift))
            rows.append(
                {"problem": f"p{i}", "grades": [int(rng.random() < hard) for _ in range(n)]}
            )
        pair.append(rows)
    return pair


@pytest.mark.parametrize("block", range(5))
def test_sentence_colour_and_limits_are_one_decision(block):
    """On 250 random pairs as reports, 50 in each block, and on 500 differences drawn at random."""
    for seed in range(50 * block, 50 * block + 50):
        reports = [
            at_k.score(rows, confidence_level=None, metrics=["pass@k", "pass^k"])
            for rows in draw_pair(seed)
        ]
        compared = at_k.compare(*reports, names=("x", "y"), band=True)
        for line, differences in compared.list_differences().items():
            check_differences(differences, line)
    rng = random.Random(block)
    for _ in range(100):
        check_differences(draw_differences(rng), Key("pass@k"))


def test_without_a_band_a_line_has_every_k_that_is_compared():
    a, b = ({"grades": [[1, 1, 0]] * own + [[0, 1, 0]] * (9 - own)} for own in (7, 2))
    compared = at_k.compare(a, b, metrics="pass_at_k", k=[1, 2])
    (line,) = compared.list_differences()
    found = [compared.comparisons[f"pass@{k}"] for k in (1, 2)]
    expected = [
        (k, own.difference, own.low, own.high) for k, own in zip((1, 2), found, strict=True)
    ]
    assert [each[:4] for each in compared.list_differences()[line]] == expected


def draw_differences(rng):
    drawn = []
    for k in sorted(rng.sample(range(1, 40), rng.randint(1, 12))):
        value, width = rng.uniform(-0.3, 0.3), rng.uniform(0, 0.3)
        low, high = value - width, value + width
        drawn.append(Difference(k, value, low, high, "a" if low > 0 else "b" if high < 0 else None))
    return drawn


def check_differences(differences, line):
    said = say_differences(differences, line, ("x", "y"))
    codes = [each.code for each in said]
    for name, better in (("x", "a"), ("y", "b")):
        claimed = {each.values.get("k", "all") for each in said if each.values.get("name") == name}
        k = read_ranges(claimed.pop(), differences) if claimed else set()
        assert k == {each.k for each in differences if each.better == better}
        assert all(
            (each.low > 0 or each.high < 0) and (each.value > 0) == (better == "a")
            for each in differences
            if each.k in k
        )
    open_ = {each.k for each in differences if each.better is None}
    assert ("claims.no_difference" in codes) == (len(open_) == len(differences))
    if "claims.open" in codes:
        text = next(each.values["k"] for each in said if each.code == "claims.open")
        assert read_ranges(text, differences) == open_


def read_ranges(text, differences):
    if text == "all":
        return {each.k for each in differences}
    found = set()
    for part in text.split(", "):
        low, _, high = part.partition("–")
        found |= {each.k for each in differences if int(low) <= each.k <= int(high or low)}
    return found
