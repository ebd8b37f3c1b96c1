import json
import shutil

import numpy as np
import pytest
from cases import for_each
from tallies import KINDS, assert_same, make_data, options_of, split

import at_k
from at_k.report.tally_scoring import find_tally

Tally = at_k.Tally


@pytest.mark.parametrize("target", ["population", "problem_set"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_tally_gives_the_report_of_its_samples(kind, target):
    data, judging = make_data(kind), options_of(kind)
    tally = sum(Tally.of(shard, **judging) for shard in split(data, 3))
    for options in ({}, {"k": [1, 3]}, {"groups": False}, {"metrics": "pass_at_k", "k": 2}):
        report = at_k.score(data, target=target, **judging, **options)
        assert_same(at_k.score(tally, target=target, **options), report)


@pytest.mark.parametrize("target", ["population", "problem_set"])
@pytest.mark.parametrize("kind", KINDS)
def test_problems_by_their_names_have_all_that_their_samples_have(kind, target):
    """Every value of every problem, and what needs them one by one: a table, a selection, clusters, the bootstrap."""
    data, judging = make_data(kind), options_of(kind)
    tally = sum(Tally.of(shard, by_problem=True, **judging) for shard in split(data, 3))
    report, other = at_k.score(data, target=target, **judging), at_k.score(tally, target=target)
    assert_same(other, report)
    for name, column in report.per_problem.items():
        assert other.per_problem[name] == (
            pytest.approx(column, rel=1e-12) if name not in ("problem", "group") else column
        )
    assert other.select("pass@2 > 0.5") == report.select("pass@2 > 0.5")
    for options in ({"clusters": [f"text {i % 7}" for i in range(40)]}, {"ci_method": "bootstrap"}):
        if target == "population":
            assert_same(at_k.score(tally, **options), at_k.score(data, **judging, **options))


@for_each("kind", KINDS)
def test_groups_are_clusters(kind):
    """The interval of clusters needs how many problems of each cluster have which state."""
    data = make_data(kind) | {"group": [f"text {i * i % 7}" for i in range(40)]}
    tally = sum(Tally.of(shard, **options_of(kind)) for shard in split(data, 3))
    for options in ({"clusters": True}, {"clusters": True, "groups": False}):
        found, expected = at_k.score(tally, **options), at_k.score(data, **options_of(kind), **options)
        assert_same(found, expected)
        codes = [{note.code for note in each.notes if "cluster" in note.code} for each in (found, expected)]
        assert codes[0] == codes[1] >= {"note.intervals_clusters"}


def test_clusters_need_groups():
    with pytest.raises(at_k.InputError, match=r"clusters. are the groups, but the data have none"):
        at_k.score(Tally.from_rows([(4, 1, 2)]), clusters=True)


@for_each("ties", ["random", "strict", "incorrect"])
def test_ties_are_decided_when_a_tally_is_scored(ties):
    data = make_data("answers")
    tally = Tally.of(data, missing="incorrect")
    assert_same(at_k.score(tally, ties=ties), at_k.score(data, missing="incorrect", ties=ties))


@for_each("kind, threshold", [("hard", 1.0), ("soft", 0.0), ("soft scores", 0.9)])
def test_a_mean_grade_is_not_the_share_of_correct_samples(kind, threshold):
    data = make_data(kind)
    tally = sum(Tally.of(shard, threshold=threshold) for shard in split(data, 2))
    report = at_k.score(data, threshold=threshold, target="problem_set")
    assert_same(at_k.score(tally, target="problem_set"), report)


def test_the_order_of_samples_is_not_kept():
    report = at_k.score(Tally.of(make_data("answers"), missing="incorrect"), ties="first")
    assert "order of the samples" in str(report.left_out["cons_at_k"])
    assert not any(key.metric == "cons@k" for key in report.values)


def test_conflicts_and_samples_without_a_vote():
    """A grade beside each answer: one without an answer casts no vote, and equal answers may be graded differently."""
    data = {
        "answers": [["7", "7", "7", None, "9"], ["a", "b", "b", "b", None], ["x"] * 5],
        "grades": [[1, 0, 1, 1, 0], [1, 0, 0, 1, 1], [0, 0, 0, 1, 1]],
    }
    majority = Tally.of(data, on_conflict="majority")
    assert_same(at_k.score(majority), at_k.score(data, on_conflict="majority"))
    refused = at_k.score(Tally.of(data))
    assert refused.left_out == at_k.score(data).left_out
    assert_same(refused, at_k.score(data))


def test_choices_that_are_simulated(monkeypatch):
    monkeypatch.setattr("at_k.combinatorics.MAX_SUBSETS", 5)
    rng = np.random.default_rng(0)
    data = {"grades": rng.integers(0, 2, (4, 6)).tolist(), "scores": rng.random((4, 6, 2)).tolist()}
    report = at_k.score(data, select="pareto")
    assert report.errors["best@2"] > 0
    assert_same(at_k.score(Tally.of(data, select="pareto")), report)


def test_scores_that_are_equal_have_no_interval():
    data = {"grades": [[1, 0]] * 6, "scores": [[0.1, 0.1]] * 6}
    tally = Tally.of({name: column[:2] for name, column in data.items()}) + Tally.of(
        {name: column[2:] for name, column in data.items()}
    )
    assert_same(at_k.score(tally), at_k.score(data))


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


def test_what_needs_samples_is_refused():
    tally = Tally.of(make_data("hard"))
    report = at_k.score(tally)
    assert "no table of problems" in " ".join(map(str, report.notes))
    for ask in (lambda: report.per_problem, lambda: at_k.compare(report, report), lambda: at_k.diagnose(report)):
        with pytest.raises(at_k.InputError, match="comes from a tally"):
            ask()


@for_each(
    "options, sentence",
    [
        ({"threshold": 0.3}, "The options `threshold` act when samples are counted"),
        ({"groups": ["a", "b"]}, "`groups` act when"),
        ({"clusters": ["a", "b", "c", "d"]}, "`clusters` needs the value of each problem"),
        ({"ci_method": "bootstrap"}, "`ci_method` needs the value"),
        ({"k": 5}, "got k = 5, but the smallest n is 3 .problems with too few samples: 2 of 4"),
    ],
)
def test_options_that_come_too_late(options, sentence):
    tally = Tally.from_rows([(3, 1, 2), (6, 2, 2)])
    with pytest.raises(at_k.InputError, match=sentence):
        at_k.score(tally, **options)


def test_a_tally_of_no_problems():
    with pytest.raises(at_k.InputError, match="counts no problems"):
        at_k.score(Tally())


def test_files_of_tallies(tmp_path):
    data = make_data("answers")
    paths = []
    for i, shard in enumerate(split(data, 3)):
        paths.append(tmp_path / f"part{i}.json")
        Tally.of(shard, missing="incorrect").save(paths[-1])
        Tally.of(shard, missing="incorrect", by_problem=True).save(tmp_path / f"named{i}.json")
    report = at_k.score(paths)
    assert_same(report, at_k.score(data, missing="incorrect"))
    assert at_k.score([tmp_path / f"named{i}.json" for i in range(3)]).problems == data["problem"]
    assert report.source == list(map(str, paths))
    assert at_k.score(tmp_path / "named*.json").problems == data["problem"]
    (tmp_path / "folder").mkdir()
    for path in paths:
        shutil.copy(path, tmp_path / "folder")
    assert at_k.score(tmp_path / "folder").values == report.values
    with pytest.raises(FileNotFoundError, match=r"No file matches .*none\*"):
        at_k.score(tmp_path / "none*.json")
    (tmp_path / "report.json").write_text(json.dumps({"grades": [1]}))
    with pytest.raises(at_k.InputError, match=r"report.json is not a tally that was saved"):
        at_k.score([*paths, tmp_path / "report.json"])
    assert find_tally(data) is None


def test_a_report_of_a_tally_can_be_saved(tmp_path):
    report = at_k.score(Tally.of(make_data("hard")))
    report.save(tmp_path / "report.json")
    again = at_k.Report.load(tmp_path / "report.json")
    assert again.values == report.values
    assert len(again) == len(report) == 40
    assert again.times == report.times
    with pytest.raises(at_k.InputError, match="comes from a tally"):
        report.save(tmp_path / "report.parquet")
