"""Numbers that others have published, from the samples that they published; notes beside the data say where from."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import oracles
import pytest
from cases import for_each
from numpy.testing import assert_allclose, assert_array_equal

from at_k import avg_at_n, best_at_k, cons_at_k, g_pass_at_k, pass_at_k, pass_hat_k, summarize

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parent.parent / "examples" / "data"


def read(name, folder=DATA):
    return [
        json.loads(line)
        for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def mean(values):
    return summarize({"value": values})["value"]


CODEX = read("p3_codex_cushman_n1000")


@pytest.mark.parametrize("experiment", CODEX, ids=[row["experiment"] for row in CODEX])
class TestCodexOnPuzzles:
    """397 puzzles, n = 1000."""

    def test_pass_at_k_puzzles_solved_and_solutions(self, experiment):
        k, published = zip(*experiment["published_pass_at_k"], strict=True)
        values = pass_at_k(experiment["n"], experiment["c"], k=k)
        # Both are sums of 397 floats, each rounded: one unit in the last place of 1.
        assert_allclose(np.mean(values, axis=0), published, rtol=0, atol=2.3e-16)
        solved = pass_at_k(experiment["n"], experiment["c"], k=1000)
        assert solved.sum() == experiment["published_tot_solved"]
        assert set(solved) == {0, 1}


TAU = read("taubench_gpt4o_airline")


def test_tau_bench():
    """pass^1 to pass^4 of the leaderboard, which has three decimals."""
    c = [sum(row["correct"]) for row in TAU]
    values = pass_hat_k(4, c, k=[1, 2, 3, 4]).mean(axis=0)
    assert_array_equal(values.round(3), [0.420, 0.273, 0.220, 0.200])
    assert_array_equal(g_pass_at_k(4, c, k=[1, 2, 3, 4], thresholds=1.0).mean(axis=0), values)


GAME24 = read("tot_game24_cot")


class TestTreeOfThoughts:
    """The chain-of-thought baseline on the Game of 24: 100 puzzles, n = 100."""

    answers = tuple(row["answers"] for row in GAME24)
    correct = tuple(row["correct"] for row in GAME24)

    def test_table_2(self):
        """4.0 % on average, 49 % of all 100, and 9.0 % by vote, the winner of a tie being the answer seen first."""
        assert mean(avg_at_n(self.correct)) == 0.0403
        assert mean(pass_at_k(100, np.sum(self.correct, axis=1), k=100)) == 0.49
        assert mean(cons_at_k(self.answers, self.correct, k=100, ties="first")) == 0.09

    def test_the_vote_with_shared_ties(self):
        won = 0
        for answers, correct in zip(self.answers, self.correct, strict=True):
            ballots = [
                (answer, bool(right), 1) for answer, right in zip(answers, correct, strict=True)
            ]
            right, of = oracles.vote(ballots, "random", whole=True)
            won += right / of
        assert won == pytest.approx(8.8333, abs=5e-5)  # ten puzzles have tied winners
        assert 100 * mean(cons_at_k(self.answers, self.correct, k=100)) == pytest.approx(
            won, rel=1e-14
        )


class TestScorio:
    """80 samples of one problem: the majority is wrong, and the majority weighted by a verifier's scores is right."""

    sample = read("scorio_aime25_q06_n80")[0]

    @for_each("winner, options", [("271", {}), ("821", {"weights": [sample["scores"]]})])
    def test_the_winner(self, winner, options):
        """Whichever answer is called correct: only the published winner wins."""
        for answer in set(self.sample["answers"]):
            correct = [[other == answer for other in self.sample["answers"]]]
            for ties in oracles.TIES[:2]:
                won = cons_at_k([self.sample["answers"]], correct, k=80, ties=ties, **options)
                assert won[0] == (answer == winner)

    def test_the_labels(self):
        counts = Counter(self.sample["answers"])
        assert (counts["271"], counts["821"]) == (34, 32)
        assert avg_at_n([self.sample["correct"]])[0] == 32 / 80


QWEN = read("qwen25_math", EXAMPLES)


class TestQwenMath:
    """100 problems, n = 8, with the scores of a reward model."""

    answers = tuple(row["answers"] for row in QWEN)
    correct = tuple(row["correct"] for row in QWEN)
    scores = tuple(row["rm_score"] for row in QWEN)

    def test_the_sides_the_vote_and_the_highest_score(self):
        assert avg_at_n(self.correct).sum() == 91
        assert pass_at_k(8, np.sum(self.correct, axis=1), k=8).sum() == 96
        assert cons_at_k(self.answers, self.correct, k=8, ties="first").sum() == 93
        assert best_at_k(self.scores, self.correct, k=8).sum() == 94

    @for_each("wrong_first, won", [(True, 91), (False, 94)])
    def test_the_vote_under_other_orders(self, wrong_first, won):
        """The order of the samples decides four ties."""
        order = [
            np.argsort(correct if wrong_first else np.negative(correct), kind="stable")
            for correct in self.correct
        ]
        answers = [np.array(row)[index] for row, index in zip(self.answers, order, strict=True)]
        correct = [np.array(row)[index] for row, index in zip(self.correct, order, strict=True)]
        assert cons_at_k(answers, correct, k=8, ties="first").sum() == won
        assert_array_equal(
            cons_at_k(answers, correct, k=8), cons_at_k(self.answers, self.correct, k=8)
        )

    def test_the_vote_weighted_by_the_scores(self):
        """A weight may not be negative: the scores of each problem are moved up to 0."""
        weights = [[score - min(row) for score in row] for row in self.scores]
        values = cons_at_k(self.answers, self.correct, k=8, weights=weights)
        exact = [
            float(oracles.cons(*row[:2], 8, "random", row[2]))
            for row in zip(self.answers, self.correct, weights, strict=True)
        ]
        assert_allclose(values, exact, rtol=1e-15)
