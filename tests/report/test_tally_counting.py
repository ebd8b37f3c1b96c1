import pytest

import at_k

Tally = at_k.Tally


def test_problems_without_names_cannot_grow():
    with pytest.raises(ValueError, match="`by_problem` must be False for problems without names"):
        Tally.of({"grades": [[1]]}, by_problem=True)
    assert len(Tally.of({"grades": [[1]]}) + Tally.of({"grades": [[1]]})) == 2


def test_answers_that_never_repeat_do_not_vote():
    data = {"answers": [[f"{i}-{j}" for j in range(4)] for i in range(8)], "references": [f"{i}-0" for i in range(8)]}
    assert at_k.score(Tally.of(data)).left_out == at_k.score(data).left_out


def test_scores_have_the_k_that_were_counted():
    data = {"grades": [[1, 0] * 50] * 2, "scores": [list(range(100))] * 2}
    report = at_k.score(Tally.of(data), k=[99])
    assert "for k = 1, 2" in str(report.left_out["best_at_k"])
    assert "best@99" not in report.values
    assert at_k.score(Tally.of(data)).values == at_k.score(data).values
