import pickle
from decimal import Decimal
from itertools import permutations

import pytest
from cases import for_each
from tallies import KINDS, assert_same, make_data, options_of, split

import at_k

Tally = at_k.Tally


@for_each("kind", KINDS)
def test_the_order_of_tallies_does_not_matter(kind):
    parts = [Tally.of(shard, **options_of(kind)) for shard in split(make_data(kind), 3)]
    whole = Tally.of(make_data(kind), **options_of(kind))
    for a, b, c in permutations(parts):
        for merged in ((a + b) + c, a + (b + c)):
            assert (merged.counts, merged.votes, merged.names) == (whole.counts, whole.votes, whole.names)
            for cell, stratum in merged.sums.items():
                assert stratum.problems == whole.sums[cell].problems
                for key, moments in stratum.moments.items():
                    assert moments == pytest.approx(whole.sums[cell].moments[key], rel=1e-12, nan_ok=True)
    assert sum(parts) == sum(parts, Tally())
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert len(whole) == 40


def test_soft_grades_of_one_part():
    """Mean grades that are shares of correct samples follow from the counts, where the other part has soft ones."""
    hard, soft = make_data("hard", seed=1), make_data("soft", seed=2)
    whole = {name: hard[name] + soft[name] for name in hard}
    for tally in (Tally.of(hard) + Tally.of(soft), Tally.of(soft) + Tally.of(hard)):
        assert_same(at_k.score(tally, target="problem_set"), at_k.score(whole, target="problem_set"))


def test_scores_of_one_part_are_left_out():
    tally = Tally.of(make_data("hard", seed=1)) + Tally.of(make_data("hard scores", seed=2))
    assert "needs a score" in str(at_k.score(tally).left_out["best_at_k"])


def test_answers_of_one_part():
    one = Tally.of({"problem": ["a"], "answers": [["7", "9"]], "grades": [[1, 0]]})
    other = Tally.of({"problem": ["b"], "grades": [[1, 0]]})
    for tally in (one + other, other + one):
        assert "have no answers" in str(at_k.score(tally).left_out["cons_at_k"])


def test_samples_of_the_same_problems():
    """A day more of samples is what all samples would have been, if problems are kept by their names."""
    monday = {"problem": ["a", "b"], "answers": [["7", "9", "9"], ["1", "2", "2"]], "references": ["7", "2"]}
    tuesday = {"problem": ["b", "c"], "answers": [["2", "3"], ["5", "5"]], "references": ["2", "5"]}
    both = {
        "problem": ["a", "b", "c"],
        "answers": [["7", "9", "9"], ["1", "2", "2", "2", "3"], ["5", "5"]],
        "references": ["7", "2", "5"],
    }
    with pytest.raises(at_k.InputError, match="problems in common, such as 'b'"):
        Tally.of(monday) + Tally.of(tuesday)
    one, other = Tally.of(monday, by_problem=True), Tally.of(tuesday, by_problem=True)
    for tally in (one + other, other + one):
        assert_same(at_k.score(tally), at_k.score(both))
        assert tally.problems == Tally.of(both, by_problem=True).problems
    assert one + Tally(by_problem=True) == one
    with pytest.raises(ValueError, match="`by_problem` must be the same"):
        one + Tally.of(tuesday)


def test_soft_grades_of_a_problem_grow():
    """The mean grade and its variance follow from those of both days: from soft grades, hard ones, and a single one."""
    days = [
        {"problem": ["a", "b", "c"], "grades": [[0.6, 0, 0.1], [1, 0], [0.25]]},
        {"problem": ["c", "b", "a"], "grades": [[0.5, 1], [0.7, 0, 0, 1], [1]]},
        {"problem": ["a", "d"], "grades": [[1, 1], [0, 1, 0]]},
    ]
    both = {
        "problem": list("abcd"),
        "grades": [[0.6, 0, 0.1, 1, 1, 1], [1, 0, 0.7, 0, 0, 1], [0.25, 0.5, 1], [0, 1, 0]],
    }
    for order in permutations(days):
        tally = sum(Tally.of(day, by_problem=True) for day in order)
        for target in ("population", "problem_set"):
            assert_same(at_k.score(tally, target=target), at_k.score(both, target=target))


def test_scores_of_a_problem_do_not_grow():
    days = [{"problem": [name], "grades": [[1, 0]], "scores": [[2, 3]]} for name in "ab"]
    one, other = (Tally.of(day, by_problem=True) for day in days)
    assert "best@2" in at_k.score(one + other).values
    for tally in (one + one + other, other + one + one, one + (other + one)):
        report = at_k.score(tally)
        assert "best@2" not in report.values
        assert "does not keep scores one by one" in str(report.left_out["best_at_k"])


def test_a_conflict_between_days():
    days = [Tally.of({"problem": ["a"], "answers": [["7"]], "grades": [[grade]]}, by_problem=True) for grade in (0, 1)]
    assert "another verdict" in str(at_k.score(sum(days)).left_out["cons_at_k"])


def test_a_problem_is_in_one_group():
    days = [Tally.of({"problem": ["a"], "group": [label], "grades": [[1]]}, by_problem=True) for label in "xy"]
    with pytest.raises(ValueError, match="`groups` must put problem 'a' in one group"):
        sum(days)


@for_each(
    "name, options, others",
    [
        ("threshold", {"threshold": 0.3}, {}),
        ("missing", {"missing": "drop"}, {"missing": "incorrect"}),
        ("on_conflict", {"on_conflict": "majority"}, {}),
        ("groups", {"groups": ["x"]}, {}),
    ],
)
def test_tallies_with_other_conditions(name, options, others):
    with pytest.raises(at_k.InputError, match=f"counted differently: {name} is"):
        Tally.of({"grades": [[1, 0]]}, **options) + Tally.of({"grades": [[1, 0]]}, **others)


def test_only_tallies_are_added():
    with pytest.raises(TypeError, match="unsupported operand"):
        Tally() + 1
    with pytest.raises(TypeError, match="unsupported operand"):
        1 + Tally()


def test_rows_of_any_engine():
    data = {"grades": [[1, 0, 1]] * 3 + [[0, 0]] * 2, "group": ["a"] * 3 + ["b"] * 2}
    rows = [(3, 2, 1, "a"), (3, 2, 2, "a"), (2, 0, 2, "b")]
    assert Tally.from_rows(rows) == Tally.of(data)
    assert Tally.from_rows((3, Decimal(2), *rest) for _, _, *rest in rows[:2]) == Tally.from_rows(rows[:2])  # of MySQL
    assert Tally.from_rows(iter([(3, 2, 3), (2, 0, 2)])) == Tally.of({"grades": data["grades"]})


@for_each(
    "row, kind, sentence",
    [
        ((4, 5, 1), ValueError, "0 ≤ c ≤ n"),
        ((0, 0, 1), ValueError, "n > 0"),
        ((4, 1, 0), ValueError, "problems > 0"),
        ((4, 1.5, 1), TypeError, "integers; got 1.5"),
        ((4, None, 1), TypeError, "integers; got None"),
        ((4, 1), TypeError, r"\(n, c, problems\)"),
        (7, TypeError, "in row 1"),
    ],
)
def test_wrong_rows(row, kind, sentence):
    with pytest.raises(kind, match=sentence):
        Tally.from_rows([(4, 1, 1), row])


def test_rows_are_all_in_groups_or_none_is():
    with pytest.raises(ValueError, match="`rows` must have a group in every row, or in none"):
        Tally.from_rows([(4, 1, 1), (4, 1, 1, "a")])
