"""`at-k compare`: what is printed at which width, which models are compared, and what is refused."""

import json

import pytest
from rich.cells import cell_len

import at_k

NAMES = [f"q{i}" for i in range(12)]


@pytest.fixture
def files(write):
    """Three models: the first is better than the others, which are alike."""
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


def describe(done):
    return done.exit_code, " ".join((done.stdout + done.stderr).replace("│", "").split())


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
        assert "equivalent\npass@1       1.000" in done.stdout

    @pytest.mark.parametrize("columns", [60, 80, 120])
    def test_nothing_is_wider_than_the_terminal(self, run, files, columns):
        options = ("--margin", 0.02, "--extra-test", "wilcoxon", "--extra-test", "mcnemar", "--extra-test", "t")
        done = run("compare", files["good"], files["fair"], "--tau", "1/3,2/3,1", *options, columns=columns)
        assert done.exit_code == 0
        assert max(map(cell_len, done.stdout.splitlines())) <= columns
        found = at_k.compare(files["good"], files["fair"], thresholds=[1 / 3, 2 / 3, 1], margin=0.02)
        for key in found.comparisons:
            assert str(key).partition("_")[0] in done.stdout
        # The first sentence says it once more.
        better = 1 + sum("better" in str(found.verdict(k)) for k in found.comparisons)
        assert done.stdout.count("A is better") == better

    @pytest.mark.parametrize("columns", [60, 80])
    def test_long_and_wide_names_are_cut(self, run, write, columns):
        name = "第一题" * 30
        first, second = (
            write(*({"id": f"{i}{name}", "correct": [grade]} for i in range(8)), name=f"{letter * 90}.jsonl")
            for letter, grade in (("a", 1), ("b", 0))
        )
        done = run("compare", first, second, columns=columns)
        assert done.exit_code == 0
        assert max(map(cell_len, done.stdout.splitlines())) <= columns
        assert "第一题第一题" in done.stdout

    def test_names_cannot_move_the_cursor(self, run, write):
        first, second = (
            write(*({"id": f"\x1b[2J{i}", "correct": [c]} for i in range(8)), name=f"{c}.jsonl") for c in (0, 1)
        )
        done = run("compare", first, second)
        assert "\x1b" not in done.stdout
        assert "\\x1b[2J0" in done.stdout

    def test_a_name_that_is_in_the_verdict(self, run, write):
        """The name of the model is one of the words of "A is better"."""
        first, second = (
            write(*({"id": i, "correct": [c]} for i in range(8)), name=name) for name, c in (("A", 0), ("is", 1))
        )
        assert "B is better" in run("compare", first, second).stdout

    def test_json(self, run, files):
        done = run("compare", files["good"], files["fair"], "-m", "avg_at_n", "--format", "json", "--extra-test", "t")
        content = json.loads(done.stdout)
        assert content["names"] == ["good.jsonl", "fair.jsonl"]
        assert content["keys"]["avg@2"]["won"] == 11
        assert 0 < content["keys"]["avg@2"]["p_t"] < 0.001

    def test_markdown(self, run, files):
        done = run("compare", files["good"], files["fair"], "--format", "markdown")
        assert (
            done.stdout
            == f"{at_k.compare(*map(at_k.score, (files['good'], files['fair'])), names=('good.jsonl', 'fair.jsonl'))}\n"
        )

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
        at_k.score(files["fair"]).save(tmp_path / "fair.parquet")
        done = run("compare", tmp_path / "good.json", tmp_path / "fair.parquet", "--format", "json")
        expected = run("compare", files["good"], files["fair"], "--format", "json")
        assert done.stdout == expected.stdout.replace("good.jsonl", "good.json").replace("fair.jsonl", "fair.parquet")
        mixed = run("compare", tmp_path / "good.json", files["fair"], "-m", "avg_at_n", "--format", "json")
        assert list(json.loads(mixed.stdout)["keys"]) == ["avg@2", "accuracy"]
        status, said = describe(run("compare", tmp_path / "good.json", tmp_path / "fair.parquet", "-m", "avg_at_n"))
        assert status == 2
        assert "'--metric': A report that was saved has its numbers" in said

    def test_other_problems(self, run, files, write):
        fewer = write(*({"id": q, "correct": [1, 0]} for q in NAMES[1:]), name="fewer.jsonl")
        status, said = describe(run("compare", files["good"], fewer))
        assert status == 1
        assert "good.jsonl has 1, such as 'q0'" in said
        assert said.endswith("`--unmatched drop`.")
        assert run("compare", files["good"], fewer, "--unmatched", "drop").exit_code == 0
        assert "compared unpaired" not in run("compare", files["good"], fewer, "--unmatched", "unpaired").stdout
        assert "11 / 0" not in run("compare", files["good"], fewer, "--unmatched", "unpaired").stdout


class TestSeveral:
    @pytest.mark.parametrize("columns", [60, 80, 120])
    def test_ranks_and_pairs(self, run, files, columns):
        done = run("compare", *files.values(), "-m", "pass@k", "-k", "1", columns=columns)
        assert "pass@1  good.jsonl > fair.jsonl, same.jsonl\n" in done.stdout
        assert "  good.jsonl  1.000  rank 1\n  fair.jsonl  0.542  rank 2–3\n" in done.stdout
        models = {name: at_k.score(path) for name, path in files.items()}
        pair = at_k.rank(models, key="pass@1").pairs["good", "same"]
        said = f"good.jsonl − same.jsonl: +0.500 [{pair.low:+.3f}, {pair.high:+.3f}], p < 0.001"
        assert said in " ".join(done.stdout.split())
        assert max(map(cell_len, done.stdout.splitlines())) <= columns

    def test_json(self, run, files):
        content = json.loads(run("compare", *files.values(), "--format", "json").stdout)
        assert content["pass@1"]["order"] == "good.jsonl > fair.jsonl, same.jsonl"
        assert content["pass@1"]["ranks"]["same.jsonl"] == [2, 3]
        assert len(content["pass@1"]["pairs"]) == 3

    def test_no_number_in_common(self, run, files, tmp_path):
        at_k.score(files["good"], metrics="avg_at_n").save(tmp_path / "good.json")
        done = run("compare", tmp_path / "good.json", files["fair"], files["same"], "-m", "pass@k")
        assert describe(done)[0] == 1
        assert "no number in common: avg@2, accuracy; pass@1" in describe(done)[1]

    @pytest.mark.parametrize(
        "words", [("--margin", 0.1), ("--extra-test", "t"), ("--ci-method", "bounded"), ("--unmatched", "unpaired")]
    )
    def test_options_for_two_are_refused(self, run, files, words):
        status, said = describe(run("compare", *files.values(), *words))
        assert status == 2
        assert f"'{words[0]}'" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x.jsonl",), "'FILE': Give the files of at least two models"),
        (("x.jsonl", "--where", "model=a"), "'FILE': Give the files"),
        (("x", "--where", "m=a", "--where", "m=b", "--where", "n=a", "--where", "n=b"), "'FILE': Give the files"),
        (("x", "y", "--margin", 3), "`--margin` must lie between 0 and 1, both excluded; got 3.0"),
        (("x", "y", "--margin", "nan"), "`--margin`"),
        (("x", "y", "--ci", 95), "`--ci` must lie between 0 and 1, both excluded; got 95.0"),
        (("x", "y", "--extra-test", "z"), "`--extra-test` must be one of 't', 'wilcoxon', 'mcnemar'; got 'z'"),
        (("x", "y", "--unmatched", "z"), "'--unmatched'"),
        (("x", "y", "-k", 0), "'--k'"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(run, words, said):
    status, printed = describe(run("compare", *words))
    assert status == 2
    assert said in printed


def test_files_that_are_not_there(run, files):
    status, said = describe(run("compare", files["good"], "not-there.jsonl"))
    assert status == 1
    assert "not-there.jsonl" in said


def test_a_file_of_several_models(run, files, one_file):
    status, said = describe(run("compare", files["good"], one_file))
    assert status == 1
    assert "Column “model” has several values" in said


def test_lists_of_several_models(run, files, write):
    both = write(*({"sampler": m, "id": q, "grades": [1, 0]} for m in "ab" for q in NAMES))
    status, said = describe(run("compare", files["good"], both))
    assert status == 1
    assert "is also in line" in said
    assert "keep the rows of one model with `--where`" in said


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
    assert describe(run("compare", files["good"], "--against", files["fair"], "--margin", 0.1))[0] == 2
    assert describe(run("compare", files["good"], "--against", files["fair"], "--against", files["same"]))[0] == 2
