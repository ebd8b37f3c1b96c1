import pickle
from decimal import Decimal
from itertools import permutations

import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from tallies import assert_same, make_data

import at_k

Tally = at_k.Tally


SAMPLES = st.tuples(st.sampled_from([0, 1, 0.3, 0.7]), st.sampled_from(["a", "b", "c", None]), st.integers(-5, 5))
FORMS = (
    lambda tally: tally,
    lambda tally: Tally.from_json(tally.to_json()),
    lambda tally: Tally.from_arrow(tally.to_arrow()),
)


def count(rows, kind, by_problem):
    """Count the problems of (name, samples): with answers, or with grades, and with scores or without."""
    rows = [(name, samples) for name, samples in rows if samples]
    if not rows:
        return Tally(by_problem=by_problem)
    grades, answers, scores = ([[sample[i] for sample in samples] for _, samples in rows] for i in range(3))
    data = {"problem": [name for name, _ in rows], "group": [name[0] for name, _ in rows]}
    data |= {"answers": answers, "references": ["a"] * len(rows)} if "answers" in kind else {"grades": grades}
    data |= {"scores": scores} if "scores" in kind else {}
    return Tally.of(data, missing="incorrect", by_problem=by_problem)


def add_up(parts, random):
    """Add tallies in a random order, two at a time, each of them in memory, or written and read."""
    while len(parts) > 1:
        random.shuffle(parts)
        one, other = (random.choice(FORMS)(parts.pop()) for _ in range(2))
        parts.append(one + other)
    return parts[0]


def assert_same_sums(tally, other):
    assert tally.sums.keys() == other.sums.keys()
    for cell, stratum in tally.sums.items():
        assert (stratum.problems, stratum.moments.keys()) == (
            other.sums[cell].problems,
            other.sums[cell].moments.keys(),
        )
        for key, moments in stratum.moments.items():
            assert moments == pytest.approx(other.sums[cell].moments[key], rel=1e-12, abs=1e-12)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.lists(SAMPLES, min_size=1, max_size=4)), min_size=1, max_size=8),
    st.sampled_from(["grades", "answers", "grades scores", "answers scores"]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_tallies_add_up_in_any_order(problems, kind, by_problem, random):
    """To the last bit for counts and votes, to 1e-12 for sums; through JSON and Arrow too."""
    rows = [(f"{'xy'[i % 2]}{i}", samples) for i, (_, samples) in enumerate(problems)]
    parts = [
        count([row for row, (part, _) in zip(rows, problems, strict=True) if part == own], kind, by_problem)
        for own in range(4)
    ]
    whole, merged = count(rows, kind, by_problem), add_up(parts, random)
    for name in ("by_problem", "counts", "votes", "names", "n_missing", "conditions", "options", "left_out"):
        assert getattr(merged, name) == getattr(whole, name), name
    assert {name: each[:4] for name, each in merged.problems.items()} == {
        name: each[:4] for name, each in whole.problems.items()
    }
    assert_same_sums(merged, whole)
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert len(whole) == len(problems)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), SAMPLES), min_size=1, max_size=6), min_size=1, max_size=5),
    st.sampled_from(["grades", "answers"]),
    st.randoms(use_true_random=False),
)
def test_problems_grow_in_any_order(problems, kind, random):
    """Samples of a problem that are on several days are added up as problems are."""

    def count_days(days):
        rows = [[sample for day, sample in samples if day in days] for samples in problems]
        return count([(f"{'xy'[i % 2]}{i}", samples) for i, samples in enumerate(rows)], kind, by_problem=True)

    whole, merged = count_days(range(4)), add_up([count_days([day]) for day in range(4)], random)
    for name in ("counts", "votes", "names", "n_missing", "left_out"):
        assert getattr(merged, name) == getattr(whole, name), name
    for name, problem in whole.problems.items():
        assert merged.problems[name][:4] == problem[:4]
    assert_same_sums(merged, whole)


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
