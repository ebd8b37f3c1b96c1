"""The Python that the page shows is run, on the file that it offers, and prints the numbers of the table."""

import ast
import contextlib
import io
import json

import pytest
from demo.data_sets import BOTH, FULL, GRADED, KINDS, kind, samples, with_columns

from at_k.demo import downloads, examples, snippets
from at_k.demo.scoring import Options, score
from at_k.estimators.consensus import TIES

HOSTILE = ['"]; raise SystemExit #', "'''\"\"\"", "\\", "{data}", "\n    raise SystemExit", "__import__('os')"]


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """What the shown code prints beside its file: one dictionary a metric."""
    monkeypatch.chdir(tmp_path)

    def run(given_samples, options):
        scored = score(given_samples, options)
        text = downloads.everything_json(given_samples, options, scored)
        (tmp_path / "results.json").write_text(text, encoding="utf-8")
        code = compile(snippets.python(given_samples, options, scored), "shown", "exec")
        dropped = options.missing == "drop" and given_samples.n_missing
        with contextlib.redirect_stdout(io.StringIO()) as output:
            if dropped:
                with pytest.warns(UserWarning, match="missing='drop' left out"):
                    exec(code, {"__name__": "__main__"})
            else:
                exec(code, {"__name__": "__main__"})
        results = list(map(ast.literal_eval, output.getvalue().splitlines()))
        for result, keys in zip(results, scored.metrics.values(), strict=True):
            assert list(result)[: len(keys)] == keys
        return scored, {key: value for result in results for key, value in result.items()}

    return run


def table(scored):
    groups = {f"{label}/{key}": value for label, own in scored.groups.items() for key, value in own.items()}
    return scored.overall | groups


@pytest.mark.parametrize("name", KINDS)
def test_every_kind(name, printed):
    _, given_samples, options = kind(name)
    scored, results = printed(given_samples, options)
    assert results == table(scored)


@pytest.mark.parametrize("name", examples.EXAMPLES)
@pytest.mark.parametrize("options", [{}, {"k": (4, 1), "taus": (0.3,), "ties": "first"}], ids=["default", "chosen"])
def test_examples(name, options, printed):
    rows = list(map(json.loads, examples.text(name).splitlines()))
    scored, results = printed(samples(rows), Options(**options))
    assert results == table(scored)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("missing", ["error", "incorrect", "drop"])
def test_ties_and_missing(ties, missing, printed):
    scored, results = printed(samples(FULL), Options(ties=ties, missing=missing))
    assert results == table(scored)


def test_what_was_left_out_is_not_computed(printed):
    rows = with_columns(BOTH, correct=[[1, 0, 1, 1]])  # "2" is wrong and right
    scored, results = printed(samples(rows), Options())
    assert set(scored.left_out) == {"cons_at_k", "best_at_k"}
    assert results == table(scored)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_only_data(text, printed):
    rows = with_columns(FULL, id=[text, "b", "c"], level=[text, "b", "b"], answers=[[text, "2", "2", "3"]])
    scored, results = printed(samples(rows), Options())
    assert results == table(scored)
    harmless = with_columns(FULL, level=["a", "b", "b"])
    assert snippets.python(samples(rows), Options(), scored) == snippets.python(
        samples(harmless), Options(), score(samples(harmless), Options())
    )


def test_code_says_no_more_than_it_must():
    scored = score(samples(GRADED), Options(metrics=["avg_at_n"]))
    code = snippets.python(samples(GRADED), Options(metrics=["avg_at_n"]), scored)
    assert code.count("evaluate.load") == 1
    for word in ("missing", "ties", "groups", "higher_is_better", "references", "k="):
        assert word not in code.partition("evaluate.load")[2]
