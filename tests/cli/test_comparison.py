"""`at-k compare`: what is printed at which width, which models are compared, and what is refused."""

import json

import pytest

import at_k

NAMES = [f"q{i}" for i in range(12)]


@pytest.fixture
def files(write):
    """Three models: the first is better than the others, which are equal."""
    grades = {"good": [[1, 1]] * 12, "fair": [[1, 0]] * 11 + [[1, 1]], "same": [[0, 1]] * 12}
    return {
        name: write(*({"id": q, "correct": row} for q, row in zip(NAMES, rows, strict=True)), name=f"{name}.jsonl")
        for name, rows in grades.items()
    }


@pytest.fixture
def one_file(write):
    """Two models in one file, with a row for each sample."""
    grades = {"a": [1, 1], "b": [1, 0]}
    return write(*({"model": m, "id": q, "correct": c} for m, row in grades.items() for q in NAMES for c in row))


class TestTwo:
    def test_the_numbers_are_those_of_the_library(self, run, files):
        done = run("compare", files["good"], files["fair"], "-m", "pass@k", "-k", "1", "--margin", 0.1, columns=120)
        assert done.exit_code == 0
        found = at_k.compare(files["good"], files["fair"], metrics="pass_at_k", k=1, margin=0.1)
        own = found.comparisons["pass@1"]
        row = next(line for line in done.stdout.splitlines() if line.startswith("pass@1"))
        numbers = row.replace("[", "").replace("]", "").replace(",", "").split()[1:6]
        assert list(map(float, numbers)) == pytest.approx([own.a, own.b, own.difference, own.low, own.high], abs=5e-4)
        assert row.endswith("< 0.001         11 / 0 / 1  A is better")
        assert "A  good.jsonl\nB  fair.jsonl\n" in done.stdout
        said = " ".join(map(str, found.describe("pass@1")))
        assert said.startswith("A is better at pass@1: +45.8 points [")
        assert said in " ".join(done.stdout.split())
        assert "equivalent\n  pass@1       1.000" in done.stdout

    def test_a_name_that_is_in_the_verdict(self, run, write):
        """The name of the model is one of the words of "A is better"."""
        first, second = (
            write(*({"id": i, "correct": [c]} for i in range(8)), name=name) for name, c in (("A", 0), ("is", 1))
        )
        assert "B is better" in run("compare", first, second).stdout

    def test_json(self, run, files):
        done = run("compare", files["good"], files["fair"], "-m", "avg_at_n", "--format", "json", "--extra-tests", "t")
        content = json.loads(done.stdout)
        assert content["names"] == ["good.jsonl", "fair.jsonl"]
        assert content["keys"]["avg@2"]["won"] == 11
        assert 0 < content["keys"]["avg@2"]["p_t"] < 0.001

    def test_models_of_one_file(self, run, one_file):
        done = run("compare", one_file, "--where", "model=a", "--where", "model=b", "-m", "pass@k", "-k", 1)
        assert done.exit_code == 0
        assert "A  model=a\nB  model=b\n" in done.stdout
        assert "pass@1  1.000  0.500" in done.stdout

    def test_clusters(self, run, write):
        first, second = (
            write(*({"id": q, "text": i // 6, "correct": row} for i, q in enumerate(NAMES)), name=f"{name}.jsonl")
            for name, row in (("good", [1, 1]), ("fair", [1, 0]))
        )
        options = ("-m", "pass@k", "-k", 1, "--format", "json")
        alone, together = (
            json.loads(run("compare", first, second, *options, *more).stdout)["keys"]["pass@1"]
            for more in ((), ("--clusters", "text"))
        )
        assert (alone["verdict"], together["verdict"]) == ("good.jsonl is better", "no difference shown")
        assert together["p_value"] >= 0.5
        ranked = json.loads(run("compare", first, second, second, *options, "--clusters", "text").stdout)
        assert " > " not in ranked["pass@1"]["order"]

    def test_saved_reports(self, run, files, tmp_path):
        at_k.score(files["good"]).save(tmp_path / "good.json")
        at_k.score(files["fair"]).save(tmp_path / "fine.json")
        done = run("compare", tmp_path / "good.json", tmp_path / "fine.json", "--format", "json")
        expected = run("compare", files["good"], files["fair"], "--format", "json")
        assert done.stdout == expected.stdout.replace("good.jsonl", "good.json").replace("fair.jsonl", "fine.json")
        mixed = run("compare", tmp_path / "good.json", files["fair"], "-m", "avg_at_n", "--format", "json")
        assert list(json.loads(mixed.stdout)["keys"]) == ["avg@2", "accuracy"]

    def test_other_problems(self, run, files, write):
        fewer = write(*({"id": q, "correct": [1, 0]} for q in NAMES[1:]), name="fewer.jsonl")
        done = run("compare", files["good"], fewer)
        assert done.exit_code == 1
        assert "good.jsonl has 1, such as 'q0'" in done.said
        assert done.said.endswith("`--unmatched drop`.")
        assert run("compare", files["good"], fewer, "--unmatched", "drop").exit_code == 0
        assert "compared unpaired" not in run("compare", files["good"], fewer, "--unmatched", "unpaired").stdout
        assert "11 / 0" not in run("compare", files["good"], fewer, "--unmatched", "unpaired").stdout


class TestSeveral:
    def test_ranks_and_pairs(self, run, files):
        done = run("compare", *files.values(), "-m", "pass@k", "-k", "1")
        assert "pass@1  good.jsonl > fair.jsonl, same.jsonl\n" in done.stdout
        assert "good.jsonl  1.000     1\nfair.jsonl  0.542   2–3\n" in done.stdout
        models = {name: at_k.score(path) for name, path in files.items()}
        pair = at_k.rank(models, metrics="pass@1").pairs["good", "same"]
        said = f"good.jsonl − same.jsonl +0.500 [{pair.low:+.3f}, {pair.high:+.3f}] < 0.001"
        assert said in " ".join(done.stdout.split())

    def test_json(self, run, files):
        content = json.loads(run("compare", *files.values(), "--format", "json").stdout)
        assert content["pass@1"]["order"] == "good.jsonl > fair.jsonl, same.jsonl"
        assert content["pass@1"]["ranks"]["same.jsonl"] == [2, 3]
        assert len(content["pass@1"]["pairs"]) == 3


def test_several_benchmarks_are_pooled(run, files):
    words = ("-m", "pass@k", "-k", "1")
    done = run("compare", files["good"], files["fair"], "--against", files["fair"], "--against", files["same"], *words)
    found = at_k.compare_benchmarks(
        {"good.jsonl": files["good"], "fair.jsonl": files["fair"]},
        {"good.jsonl": files["fair"], "fair.jsonl": files["same"]},
        metrics="pass_at_k",
        k=1,
    )
    assert done.exit_code == 0
    said = " ".join(done.stdout.split())
    assert all(str(sentence) in said for sentence in found.pooled.describe("pass@1"))
    assert "fair.jsonl" in said
