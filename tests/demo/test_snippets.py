"""The Python lines that the page shows run on the file that it offers, and give the numbers of the table."""

import contextlib
import io
import json

import pytest
from demo.data_sets import BOTH, FULL, GRADED, KINDS, kind, samples, with_columns

from at_k.choices import TIES
from at_k.demo import downloads, examples
from at_k.demo.scoring import Options, score

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")

HOSTILE = ['"]; raise SystemExit #', "'''\"\"\"", "\\", "{data}", "\n    raise SystemExit", "__import__('os')"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the shown lines beside their file, and return the report of the page and theirs."""
    monkeypatch.chdir(tmp_path)

    def ran(given_samples, options):
        report = score(given_samples, options)
        text = downloads.write_everything(given_samples, options, report)
        (tmp_path / "results.json").write_text(text, encoding="utf-8")
        found = {"__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(downloads.write_script(report), "shown", "exec"), found)
        assert output.getvalue().strip() == str(found["report"])
        return report, found["report"]

    return ran


def assert_same(report, found):
    assert found.values == report.values
    assert found.groups == report.groups
    assert found.by_problem == report.by_problem
    assert found.signatures == report.signatures
    assert set(found.left_out) == set(report.left_out)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind(name, run):
    _, given_samples, options = kind(name)
    assert_same(*run(given_samples, options))


@pytest.mark.parametrize("name", examples.EXAMPLES)
@pytest.mark.parametrize(
    "options", [{}, {"k": (4, 1), "thresholds": (0.3,), "ties": "first"}], ids=["default", "chosen"]
)
def test_examples(name, options, run):
    rows = list(map(json.loads, examples.read_example(name).splitlines()))
    assert_same(*run(samples(rows), Options(**options)))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("missing", ["error", "incorrect", "drop"])
def test_ties_and_missing(ties, missing, run):
    assert_same(*run(samples(FULL), Options(ties=ties, missing=missing)))


def test_what_was_left_out_is_not_computed(run):
    rows = with_columns(BOTH, correct=[[1, 0, 1, 1]])  # "2" is wrong and right
    report, found = run(samples(rows), Options())
    assert set(report.left_out) == {"cons_at_k", "best_at_k"}
    assert_same(report, found)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_only_data(text, run):
    rows = with_columns(FULL, id=[text, "b", "c"], level=[text, "b", "b"], answers=[[text, "2", "2", "3"]])
    report, found = run(samples(rows), Options())
    assert_same(report, found)
    harmless = score(samples(with_columns(FULL, level=["a", "b", "b"])), Options())
    assert downloads.write_script(report) == downloads.write_script(harmless)


def test_code_says_no_more_than_it_must():
    code = downloads.write_script(score(samples(GRADED), Options(metrics=["avg_at_n"])))
    assert code.count("at_k.score(") == 1
    for word in ("missing", "ties", "groups", "higher_is_better", "references", "k=", "limits"):
        assert word not in code.partition("at_k.score")[2]
