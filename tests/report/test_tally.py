"""Tallies: the report of counts is that of samples; they add up in any order, and are written and read."""

import json
import operator
import pickle
from decimal import Decimal

import numpy as np
import pytest
from cases import for_each, refuses
from hypothesis import given, settings, strategies as st
from tallies import KINDS, assert_close, assert_same, make_data, options_of, split

import at_k
from at_k.report import states
from at_k.report.states import Problem
from at_k.report.tally_scoring import find_tally

Tally = at_k.Tally

# A grade beside each answer: one without an answer casts no vote, and equal answers may be graded differently.
CONFLICTING = {
    "problem": ["x", "y", "z"],
    "answers": [["7", "7", "7", None, "9"], ["a", "b", "b", "b", None], ["x"] * 5],
    "grades": [[1, 0, 1, 1, 0], [1, 0, 0, 1, 1], [0, 0, 0, 1, 1]],
}
UNIQUE = {
    "problem": [f"q{i}" for i in range(8)],
    "answers": [[f"{i}-{j}" for j in range(4)] for i in range(8)],
    "references": [f"{i}-0" for i in range(8)],
}
# The data, how they are judged when samples are counted, and options of each score
SAME = {
    **{
        f"{kind}, {target}": (make_data(kind), options_of(kind), *(
            {"target": target, **more} for more in ({}, {"k": [1, 3]}, {"groups": False},
                                                    {"metrics": "pass_at_k", "k": 2})
        ))
        for kind in KINDS for target in ("population", "problem_set")
    },
    # The interval of clusters needs how many problems of each cluster have which state.
    **{
        f"{kind}, clusters": (make_data(kind) | {"group": [f"text {i * i % 7}" for i in range(40)]}, options_of(kind),
                              {"clusters": True}, {"clusters": True, "groups": False})
        for kind in KINDS
    },
    "ties": (make_data("answers"), {"missing": "incorrect"},
             *({"ties": ties} for ties in ("random", "strict", "incorrect"))),
    "hard, above 1": (make_data("hard"), {"correct_above": ">=1"}, {"target": "problem_set"}),
    "conflicts": (CONFLICTING, {}, {}),
    "conflicts that are settled": (CONFLICTING, {"on_conflict": "majority"}, {}),
    "answers that never repeat": (UNIQUE, {}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_a_tally_gives_the_report_of_its_samples(name):
    data, judging, *scored = SAME[name]
    tally = sum(Tally.of(shard, **judging) for shard in split(data, 3)[::-1])
    for options in scored:
        found, report = at_k.score(tally, **options), at_k.score(data, **judging, **options)
        assert_same(found, report)
        assert found.left_out == report.left_out
        codes, others = (
            {note.code for note in each.notes if "cluster" in note.code} for each in (found, report)
        )
        assert codes == others


def of_days(*days):
    return sum(Tally.of({"problem": ["a"], **day}, by_problem=True) for day in days)


HARD, ANSWERED, GRADED = (
    Tally.of(data)
    for data in (
        make_data("hard", seed=1),
        {"problem": ["a"], "answers": [["7", "9"]], "grades": [[1, 0]]},
        {"problem": ["b"], "grades": [[1]]},
    )
)


@for_each("tally, options, metric, words", [
    (HARD + Tally.of(make_data("hard scores", seed=2)), {}, "best_at_k", "keeps no scores. Score the samples"),
    (ANSWERED + GRADED, {}, "cons_at_k", "have no answers"),
    (GRADED + ANSWERED, {}, "cons_at_k", "have no answers"),
    (of_days(*({"answers": [["7"]], "grades": [[grade]]} for grade in (0, 1))), {}, "cons_at_k", "another verdict"),
    (Tally.of(make_data("answers"), missing="incorrect"), {"ties": "first"}, "cons_at_k", "order of the samples"),
])  # fmt: skip
def test_what_cannot_be_computed_is_left_out(tally, options, metric, words):
    report = at_k.score(tally, **options)
    assert words in str(report.left_out[metric])
    assert not any(key.metric == metric.replace("_at_k", "@k") for key in report.values)


@pytest.mark.parametrize("by_problem", [False, True])
@pytest.mark.parametrize("kind", ["soft", "hard scores", "answers scores", "soft scores"])
def test_soft_grades_and_scores_leave_all_but_their_own_numbers(kind, by_problem):
    data, judging = make_data(kind), options_of(kind)
    parts = [Tally.of(shard, by_problem=by_problem, **judging) for shard in split(data, 3)]
    found, report = at_k.score(sum(parts)), at_k.score(data, **judging)
    lost = {key for key in report.values if key.metric in ("best@k", "max@k")}
    assert bool(lost) == ("scores" in kind)
    if "soft" in kind:
        lost.add("accuracy")
        refuses("InputError: at_k.score(data)", at_k.score, sum(parts), metrics="accuracy")
    if "scores" in kind:
        refuses("InputError: at_k.score(data)", at_k.score, sum(parts), metrics="best_at_k")
    kept = {key: value for key, value in report.values.items() if key not in lost}
    assert_close(dict(found.values), kept)


def count_rows(*rows):
    return lambda: Tally.from_rows([(4, 1, 1), *rows])


def score_rows(**options):
    return lambda: at_k.score(Tally.from_rows([(3, 1, 2), (6, 2, 2)]), **options)


def add(*options):
    return lambda: sum(
        Tally.of({"problem": [name], "grades": [[1, 0]]}, **own)
        for name, own in zip("ab", options, strict=True)
    )


@for_each("call, says", [
    *[(lambda ask=ask: ask(at_k.score(HARD)), "InputError: comes from a tally") for ask in (
        lambda report: report.per_problem, lambda report: at_k.compare(report, report), at_k.diagnose)],
    (score_rows(correct_above=0.3), "InputError: The options `correct_above` act when samples are counted"),
    (score_rows(groups=["a", "b"]), "InputError: `groups` act when"),
    (lambda: at_k.score(Tally.of({"grades": [[0, 1]]}, sampling="independent"), sampling="until_success"),
     "InputError: The options `sampling` act when samples are counted"),
    (score_rows(clusters=["a", "b", "c", "d"]), "InputError: `clusters` needs the value of each problem"),
    (score_rows(k=5), "InputError: got k = 5, but the smallest n is 3 (problems with too few samples: 2 of 4)"),
    (lambda: at_k.score(Tally()), "InputError: counts no problems"),
    *[(add(one, other), f"InputError: counted differently: {next(iter(one))} is") for one, other in (
        ({"correct_above": 0.3}, {}), ({"missing": "drop"}, {"missing": "incorrect"}),
        ({"on_conflict": "majority"}, {}), ({"groups": ["x"]}, {}))],
    (add({"by_problem": True}, {}), "ValueError: `by_problem` must be the same"),
    *[(lambda a=a, b=b: a + b, "TypeError: unsupported operand") for a, b in ((Tally(), 1), (1, Tally()))],
    (lambda: ANSWERED + ANSWERED, "InputError: both tallies have, by their names: 1."),
    (lambda: of_days(*({"group": [label], "grades": [[1]]} for label in "xy")),
     "ValueError: `groups` must put problem 'a' in one group"),
    (lambda: Tally.of({"grades": [[1]]}, by_problem=True),
     "ValueError: `by_problem` must be False for problems without names"),
    (count_rows((4, 5, 1)), "ValueError: 0 ≤ c ≤ n"),
    (count_rows((0, 0, 1)), "ValueError: n > 0"),
    (count_rows((4, 1, 0)), "ValueError: problems > 0"),
    (count_rows((4, 1.5, 1)), "TypeError: integers; got 1.5"),
    (count_rows((4, None, 1)), "TypeError: integers; got None"),
    (count_rows((4, 1)), "TypeError: (n, c, problems)"),
    (count_rows(7), "TypeError: in row 1"),
    (count_rows((4, 1, 1, "a")), "ValueError: `rows` must have a group in every row, or in none"),
])  # fmt: skip
def test_invalid_tallies_are_refused(call, says):
    refuses(says, call)


def test_tallies_without_names_or_problems():
    assert len(Tally.of({"grades": [[1]]}) + Tally.of({"grades": [[1]]})) == 2
    one = of_days({"grades": [[1]]})
    assert one + Tally(by_problem=True) == one
    assert "no table of problems" in " ".join(map(str, at_k.score(HARD).notes))


@pytest.mark.parametrize("target", ["population", "problem_set"])
@pytest.mark.parametrize("kind", KINDS)
def test_problems_by_their_names_have_all_that_their_samples_have(kind, target):
    """Every value of every problem, and what needs them one by one: a table, a selection, clusters."""
    data, judging = make_data(kind), options_of(kind)
    tally = sum(Tally.of(shard, by_problem=True, **judging) for shard in split(data, 3))
    report, other = at_k.score(data, target=target, **judging), at_k.score(tally, target=target)
    assert_same(other, report)
    assert_close(other.per_problem, report.per_problem)
    assert other.select("pass@2 > 0.5") == report.select("pass@2 > 0.5")
    if target == "population":
        options = {"clusters": [f"text {i % 7}" for i in range(40)]}
        assert_same(at_k.score(tally, **options), at_k.score(data, **judging, **options))


def test_a_billion_samples():
    """The counts are those of 10 million problems; they are never listed."""
    rows = [(100, c, 10_000_000 // 100 if c else 12_345_678) for c in range(101)]
    report = at_k.score(Tally.from_rows(rows), k=[1, 10])
    n, c, times = (np.array(column) for column in zip(*rows, strict=True))
    assert len(report) == times.sum()
    value = at_k.pass_at_k(n, c, k=10)
    mean = np.average(value, weights=times)
    assert report.values["pass@10"] == pytest.approx(mean, rel=1e-12)
    error = np.sqrt(np.average((value - mean) ** 2, weights=times) / (times.sum() - 1))
    assert report.intervals["pass@10"].stderr == pytest.approx(error, rel=1e-9)
    assert at_k.plan(at_k.score(Tally.from_rows([(4, 1, 30), (4, 3, 30)]))).value == 0.5


def test_files_of_tallies(tmp_path):
    data = make_data("answers")
    paths = [tmp_path / "folder" / f"part{i}.json" for i in range(3)]
    paths[0].parent.mkdir()
    for i, shard in enumerate(split(data, 3)):
        Tally.of(shard, missing="incorrect").save(paths[i])
        Tally.of(shard, missing="incorrect", by_problem=True).save(tmp_path / f"named{i}.json")
    report = at_k.score(paths)
    assert_same(report, at_k.score(data, missing="incorrect"))
    assert at_k.score([tmp_path / f"named{i}.json" for i in range(3)]).problems == data["problem"]
    assert report.source == list(map(str, paths))
    report.save(tmp_path / "saved.json")
    saved = at_k.Report.load(tmp_path / "saved.json")
    assert (saved.values, saved.times, len(saved)) == (report.values, report.times, 40)
    assert at_k.score(tmp_path / "named*.json").problems == data["problem"]
    assert at_k.score(tmp_path / "folder").values == report.values
    refuses("FileNotFoundError: No file matches … none*", at_k.score, tmp_path / "none*.json")
    (tmp_path / "report.json").write_text(json.dumps({"grades": [1]}))
    refuses(
        "InputError: report.json is not a tally that was saved",
        at_k.score,
        [*paths, tmp_path / "report.json"],
    )
    paths[0].write_text(paths[0].read_text()[:-20])
    refuses(
        "ValueError: part0.json' must be the JSON of a tally; it is not JSON", at_k.score, paths
    )
    assert find_tally(data) is None


SAMPLES = st.tuples(
    st.sampled_from([0, 1, 0.3, 0.7]), st.sampled_from(["a", "b", "c", None]), st.integers(-5, 5)
)
FORMS = (lambda tally: tally, lambda tally: Tally.from_json(tally.to_json()))


def count(rows, kind, by_problem):
    """Count the problems of (name, samples): with answers, or with grades, and with scores or without."""
    rows = [(name, samples) for name, samples in rows if samples]
    if not rows:
        return Tally(by_problem=by_problem)
    grades, answers, scores = (
        [[sample[i] for sample in samples] for _, samples in rows] for i in range(3)
    )
    data = {"problem": [name for name, _ in rows], "group": [name[0] for name, _ in rows]}
    data |= (
        {"answers": answers, "references": ["a"] * len(rows)}
        if "answers" in kind
        else {"grades": grades}
    )
    data |= {"scores": scores} if "scores" in kind else {}
    return Tally.of(data, missing="incorrect", by_problem=by_problem)


def add_up(parts, random):
    """Add tallies in a random order, two at a time, each of them in memory, or written and read."""
    while len(parts) > 1:
        random.shuffle(parts)
        one, other = (random.choice(FORMS)(parts.pop()) for _ in range(2))
        parts.append(one + other)
    return parts[0]


def assert_same_counts(tally, other):
    """To the last bit."""
    for name in (
        "by_problem",
        "counts",
        "votes",
        "hashes",
        "n_missing",
        "conditions",
        "options",
        "left_out",
    ):
        assert getattr(tally, name) == getattr(other, name), name
    assert tally.problems == other.problems


@settings(derandomize=True, max_examples=120, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), SAMPLES), min_size=1, max_size=6),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["grades", "answers", "grades scores", "answers scores"]),
    st.sampled_from(["counts", "problems", "days"]),
    st.randoms(use_true_random=False),
)
def test_tallies_add_up_in_any_order(problems, kind, parts, random):
    """Samples of a problem may be on several days, where problems are kept; scores of one problem do not add up."""
    if parts == "days":
        kind = kind.removesuffix(" scores")
    else:
        problems = [[(samples[0][0], sample) for _, sample in samples] for samples in problems]

    def count_days(days):
        rows = [[sample for day, sample in samples if day in days] for samples in problems]
        return count(
            [(f"{'xy'[i % 2]}{i}", samples) for i, samples in enumerate(rows)],
            kind,
            parts != "counts",
        )

    whole = count_days(range(4))
    assert_same_counts(add_up([count_days([day]) for day in range(4)], random), whole)
    assert pickle.loads(pickle.dumps(whole)) == Tally.from_json(whole.to_json()) == whole
    json.loads(whole.to_json(), parse_constant=pytest.fail)  # NaN is no JSON
    assert len(whole) == len(problems)


def test_one_problem_of_thousands_is_noticed():
    """Up to 50,000 problems each is noticed; above, tallies keep the smallest hashes. There are no false alarms."""

    def count(*numbers):
        return Tally.of(
            {"problem": [f"p{i}" for i in range(*numbers)], "grades": [[1]] * len(range(*numbers))}
        )

    for last in (3_000, 50_000):
        first, second = count(0, last), count(last - 1, 2 * last - 1)
        refuses("InputError: by their names: 1.", operator.add, first, second)
    halves = count(0, 120_000, 2), count(1, 120_000, 2)
    assert len(halves[0].hashes) == 8 * 51_250
    whole = sum(halves)
    assert len(whole) == 120_000
    assert whole.hashes == count(0, 120_000).hashes  # in any order, those of all
    refuses("InputError: by their names: ", lambda: halves[0] + count(119_960, 239_960, 2))
    assert Tally.from_json(whole.to_json()) == whole


def test_one_of_3000_is_noticed_beyond_50000_problems():
    """In 100 pairs of tallies with random hashes, as names have: a byte for each problem beyond 50,000."""
    problems, shared = 90_000, 30
    rng = np.random.default_rng(0)
    low = min(1, 1.5 * states.count_kept(problems) / problems)  # larger hashes are not kept

    def draw(size):
        return rng.integers(0, int(2**63 * low), rng.binomial(size, low), dtype=np.uint64)

    noticed = 0
    for _ in range(100):
        both = draw(shared)
        pair = [
            np.sort(np.append(draw(problems - shared), both))[: states.count_kept(problems)]
            for _ in range(2)
        ]
        assert 8 * len(pair[0]) <= 400_000 + max(0, problems - 50_000)
        noticed += states.count_shared(*(each.astype("<u8").tobytes() for each in pair)) > 0
    assert noticed >= 99


def test_rows_of_any_engine():
    data = {"grades": [[1, 0, 1]] * 3 + [[0, 0]] * 2, "group": ["a"] * 3 + ["b"] * 2}
    rows = [(3, 2, 1, "a"), (3, 2, 2, "a"), (2, 0, 2, "b")]
    assert Tally.from_rows(rows) == Tally.of(data)
    assert Tally.from_rows((3, Decimal(2), *rest) for _, _, *rest in rows[:2]) == Tally.from_rows(
        rows[:2]
    )  # of MySQL
    assert Tally.from_rows(iter([(3, 2, 3), (2, 0, 2)])) == Tally.of({"grades": data["grades"]})


@for_each("change, words", [
    *[({name: rows}, "it is damaged") for name, rows in (
        ("counts", [[None, 4, 5, 1]]), ("counts", [[None, 4, -1, 1]]), ("counts", [[None, 4, 1, 0]]),
        ("counts", [[None, 4, 1.5, 1]]), ("counts", [[7, 4, 1, 1]]), ("counts", [[None, 4, 1]]), ("counts", None),
        ("votes", [[None, 3, [1, -2], 1]]), ("votes", [[None, 3, [3, -2], 1]]), ("votes", [[None, 3, [2, -1], 2]]),
        ("hashes", 3),
    )],
    ({"conditions": ...}, "it is damaged"), ("{", "is not JSON"), ("[]", "something else"),
    ('{"format": "x"}', "something else"),
])  # fmt: skip
def test_other_and_damaged_texts_are_refused(change, words):
    if isinstance(change, dict):
        content = (
            json.loads(Tally.of({"answers": [["7", "7", "9"]], "references": ["7"]}).to_json())
            | change
        )
        change = json.dumps({name: rows for name, rows in content.items() if rows is not ...})
    refuses(f"ValueError: `text` must be … {words}", Tally.from_json, change)


def test_a_problem_grows():
    grown = Problem("a", 3, 2, {"7": (2, 2), "9": (1, 0)}).merge(Problem("a", 2, 0, {"9": (2, 0)}))
    assert grown == Problem("a", 5, 2, {"7": (2, 2), "9": (3, 0)})
    assert grown.shape == ("a", 5, (-3, 2))
    assert not grown.disagrees
    assert grown.merge(Problem("a", 1, 1, {"9": (1, 1)})).disagrees
    assert grown.merge(Problem("a", 1, 1, None)).votes is None


@pytest.mark.parametrize("kind", KINDS)
def test_tallies_by_problem_are_compared_as_their_samples_are(kind):
    one, other = make_data(kind, seed=1), make_data(kind, seed=2)
    other["problem"] = one["problem"]
    tallies = [
        sum(Tally.of(shard, by_problem=True, **options_of(kind)) for shard in split(each, 3))
        for each in (one, other)
    ]
    for options in (
        {"band": True},
        {"clusters": True},
        {"target": "problem_set"},
        {"margin": 0.1, "extra_tests": "t"},
    ):
        found = at_k.compare(*tallies, **options)
        assert_close(
            found.to_dict(), at_k.compare(one, other, **options_of(kind), **options).to_dict()
        )
        if options == {"band": True}:
            assert "pass@k" in found.bands
            assert [flip.problem for flip in found.flips["pass@3"]] != []
