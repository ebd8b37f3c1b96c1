"""The endpoints, called as a program calls them: plain values in, plain values or one sentence out."""

import asyncio
import json
from dataclasses import replace

import gradio as gr
import pytest
from demo.data_sets import FULL, GRADED, KINDS, by_hand, kind, means, with_columns
from hypothesis import given, strategies as st
from modules import CONS_AT_K, GPASSK, PASS_AT_K

from at_k.demo import api
from at_k.demo.api import explore
from at_k.demo.limits import LIMITS, MAX_EXPLORE_KEYS, MAX_EXPLORE_N
from at_k.demo.scoring import Options, score
from at_k.family import METRICS

# One worker starts the sandbox, which takes longer than all of these tests.
pytestmark = [pytest.mark.xdist_group("sandbox"), pytest.mark.filterwarnings("ignore:missing='drop' left out")]

NAN = float("nan")


def lines(rows):
    return "\n".join(map(json.dumps, rows))


def score_text(*arguments, **options):
    return asyncio.run(api.score(*arguments, **options))


def said(call, *arguments, **options):
    """The sentence with which a call is refused."""
    with pytest.raises(gr.Error) as caught:
        call(*arguments, **options)
    assert not caught.value.print_exception
    json.dumps(caught.value.message, ensure_ascii=False).encode()
    return caught.value.message


class TestExplore:
    @pytest.mark.parametrize("k", [[4], [1, 2, 16], 4])
    def test_numbers(self, k):
        answers = ["right"] * 8 + ["wrong"] * 5 + ["x", "y", "z"]
        columns = {"predictions": [answers], "references": ["right"], "k": k}
        computed = PASS_AT_K.load().compute(**columns) | CONS_AT_K.load().compute(**columns) | {"avg@16": 0.5}
        computed |= GPASSK.load().compute(**columns, thresholds=[0.5, 1.0])
        found = explore(16, 8, k, [0.5, 1.0], 5)
        assert {key: value for key, value in found.items() if not key.startswith("pass^")} == computed
        assert {value for key, value in found.items() if key.startswith("pass^")} == {
            value for key, value in computed.items() if key.endswith("_1.0")
        }

    def test_k_between_the_points_of_the_curve(self):
        found = explore(256, 100, [77, 201], [0.5])
        assert found["pass@201"] == PASS_AT_K.load("graded").compute(
            predictions=[[1] * 100 + [0] * 156], k=201
        )["pass@201"]  # fmt: skip
        assert json.loads(json.dumps(found, allow_nan=False)) == found

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ((0, 0, [1], [0.5]), "n must"),
            ((MAX_EXPLORE_N + 1, 1, [1], [0.5]), "256"),
            ((10**30, 1, [1], [0.5]), "n must"),
            ((16.0, 8, [1], [0.5]), "16.0"),
            ((NAN, 8, [1], [0.5]), "nan"),
            (("16", 8, [1], [0.5]), "n must"),
            ((None, 8, [1], [0.5]), "None"),
            (([16], 8, [1], [0.5]), "n must"),
            ((True, 1, [1], [0.5]), "True"),
            ((16, 17, [1], [0.5]), "c must"),
            ((16, -1, [1], [0.5]), "c must"),
            ((16, 8, [17], [0.5]), "k must be a whole number from 1 to n = 16; got 17"),
            ((16, 8, [0], [0.5]), "`k`"),
            ((16, 8, [], [0.5]), "`k`"),
            ((16, 8, ["4"], [0.5]), "`k`"),
            ((16, 8, [True], [0.5]), "`k`"),
            ((16, 8, [2.5], [0.5]), "`k`"),
            ((16, 8, None, [0.5]), "`k`"),
            ((16, 8, [[4]], [0.5]), "`k`"),
            ((16, 8, [10**30], [0.5]), "`k`"),
            ((16, 8, [1] * (MAX_EXPLORE_KEYS + 1), [0.5]), "`k` may hold up to 20 numbers"),
            ((16, 8, [1] * 1_000_000, [0.5]), "1,000,000"),
            ((16, 8, [1], [1.5]), "`taus`"),
            ((16, 8, [1], [NAN]), "`taus`"),
            ((16, 8, [1], []), "`taus`"),
            ((16, 8, [1], ["0.5"]), "`taus`"),
            ((16, 8, [1], [0.5] * (MAX_EXPLORE_KEYS + 1)), "`taus`"),
            ((16, 8, [1], [0.5], 9), "at most 8"),
            ((16, 8, [1], [0.5], -1), "at most 8"),
            ((16, 8, [1], [0.5], None), "at most 8"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_refused(self, arguments, words):
        assert words in said(explore, *arguments)

    @pytest.mark.parametrize("text", ["\ud800", "x" * 1_000_000, "<b>"])
    def test_what_is_said_back_is_short_and_can_be_sent(self, text):
        for arguments in ((text, 1, [1], [0.5]), (4, text, [1], [0.5]), (4, 1, [1], [0.5], text)):
            assert len(said(explore, *arguments)) < 1000

    @given(st.integers(1, 40), st.data())
    def test_any_problem_has_numbers(self, n, data):
        c = data.draw(st.integers(0, n))
        k = data.draw(st.lists(st.integers(1, n), min_size=1, max_size=MAX_EXPLORE_KEYS))
        taus = data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=MAX_EXPLORE_KEYS))
        found = explore(n, c, k, taus, data.draw(st.integers(0, n - c)))
        assert all(0 <= value <= 1 for value in found.values())
        assert found[f"avg@{n}"] == c / n


class TestScore:
    @pytest.mark.parametrize("name", KINDS)
    def test_numbers(self, name):
        rows, given_samples, options = kind(name)
        named = {name: getattr(options, name) for name in ("k", "ties", "missing", "higher_is_better")}
        named |= {
            "metrics": list(options.metrics),
            "taus": list(options.thresholds),
            "k": options.k and list(options.k),
        }
        found = score_text(lines(rows), **named)
        scored = score(given_samples, replace(options, groups=True))
        assert found["results"] == scored.values
        assert found["groups"] == scored.groups
        content = scored.to_dict()
        assert {name: found[name] for name in ("intervals", "group_intervals")} == {
            name: content[name] for name in ("intervals", "group_intervals")
        }
        assert set(found["left_out"]) == set(scored.left_out)
        assert found["n_problems"] == len(rows)
        assert found["signatures"] == scored.signatures
        assert found["notes"] == [str(note) for note in scored.notes]
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        exact = means(by_hand(rows, options))
        assert found["results"] == {key: pytest.approx(float(value), rel=1e-12, abs=1e-15)
                                    for key, value in exact.items()}  # fmt: skip

    def test_columns_may_be_named(self):
        text = lines({"q": row["id"], "right": row["correct"], "kind": "x"} for row in GRADED)
        assert "column" in said(score_text, text)
        found = score_text(text, columns={"problem": "q", "grades": "right", "group": "kind"})
        assert found["results"] == score_text(lines(GRADED))["results"]
        assert list(found["groups"]) == ["x"]

    def test_a_column_may_be_left_out(self):
        text = lines(FULL)
        assert score_text(text, columns={"group": None})["groups"] == {}
        without = score_text(text, columns={"answers": None})
        about = "Intervals: 95 %, for other problems like these."
        assert [note[:31] for note in without["notes"]] == [about[:31], "cons@k is counted from grades: "]
        assert score_text(text)["notes"] == [about]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"metrics": ["pas@k"]}, "pas@k"),
            ({"metrics": []}, "at least one metric"),
            ({"k": [0]}, "`k`"),
            ({"k": [5]}, "k = 5"),
            ({"k": []}, "`k`"),
            ({"k": ["1"]}, "`k`"),
            ({"taus": [2]}, "`taus`"),
            ({"taus": [NAN]}, "`taus`"),
            ({"ties": "coin"}, "ties"),
            ({"ties": "\ud800"}, "ties"),
            ({"missing": None}, "missing"),
            ({"missing": "x" * 1_000_000}, "missing"),
            ({"columns": {"problem": "nowhere"}}, "nowhere"),
            ({"columns": {"nothing": "id"}}, "nothing"),
            ({"columns": {"problem": ["id"]}}, "no column"),
            ({"columns": {"problem": 7}}, "no column"),
            ({"metrics": ["best_at_k"]}, "score"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_options_refused(self, options, words):
        message = said(score_text, lines(GRADED), **options)
        assert words in message
        assert len(message) < 1000

    @pytest.mark.parametrize(
        "options",
        [
            {"metrics": 7},
            {"columns": 7},
            {"columns": ["id"]},
            {"columns": "id"},
            {"where": 7},
            {"pool": 7},
            {"k": ["x" * 1_000_000]},
        ],
    )
    def test_options_of_another_kind(self, options):
        assert len(said(score_text, lines(GRADED), **options)) < 1000

    def test_what_makes_no_sense_for_a_choice_is_refused(self):
        rows = with_columns(GRADED, score=[[1, 2, 3, 4]] * 4)
        assert "`higher_is_better`" in said(score_text, lines(rows), higher_is_better="yes")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (None, "`text` must be a string; got NoneType"),
            (7, "int"),
            ([GRADED], "list"),
            (b"{}", "bytes"),
            ("", "no results here"),
            ("x" * (LIMITS.max_bytes + 1), "5,000,000"),
            ("[" * 100_000, "nested"),
            ('{"id": 1, "correct": [1, 2]}', "row 1, column “correct”, sample 2"),
            ('{"id": 1, "correct": [1, null]}', "row 1, column “correct”, sample 2"),
            ('{"a": 1}\n{"a": ', "line 2"),
            ("a,b\n1,2", "correct"),
            ("\ud800", "no"),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_text_refused(self, text, words):
        assert words in said(score_text, text)

    def test_rows_of_one_model(self):
        text = "model,id,correct\na,1,1\na,1,0\nb,1,1\nb,1,1\n"
        assert "Column “model” has several values: “a”, “b”" in said(score_text, text)
        assert score_text(text, where={"model": "a"})["results"]["avg@2"] == 0.5
        assert score_text(text, where={"model": ["b"]})["results"]["avg@2"] == 1.0
        assert score_text(text, pool=["model"])["results"]["avg@4"] == 0.75
        assert "“c”" in said(score_text, text, where={"model": "c"})
        for where in (["model"], "model"):
            assert "`where`" in said(score_text, text, where=where)

    def test_nothing_is_kept_between_calls(self):
        first = score_text(lines(FULL))
        said(score_text, lines(GRADED), k=[5])
        assert score_text(lines(FULL)) == first
        assert set(score_text(lines(GRADED))["results"]) < set(first["results"])


def test_defaults_are_those_of_the_page():
    text = lines(FULL)
    options = Options()
    assert score_text(text) == score_text(
        text, list(METRICS), None, list(options.thresholds), options.ties, options.missing, options.higher_is_better
    )
