"""Audited numbers: a better judge's verdicts on some problems, from columns, files and sheets; and how they cover."""

import numpy as np
import pytest
from cases import for_each, refuses
from scipy import stats
from scipy.stats import betabinom, hypergeom

import at_k
from at_k.uncertainty.intervals import correct_by_audit

N, PROBLEMS = 8, 60


def make_results(seed=0, audited=40):
    """Make grades of a checker that passes 5 % of wrong samples, and the truth on some problems."""
    rng = np.random.default_rng(seed)
    truth = rng.random((PROBLEMS, N)) < rng.random((PROBLEMS, 1))
    observed = truth | (rng.random(truth.shape) < 0.05)
    chosen = set(rng.choice(PROBLEMS, audited, replace=False).tolist())
    gold = [truth[i].astype(int).tolist() if i in chosen else None for i in range(PROBLEMS)]
    return {
        "problem": [f"p{i}" for i in range(PROBLEMS)],
        "grades": observed.astype(int).tolist(),
        "gold": gold,
    }


def write_samples(data, path, name="gold"):
    rows = [
        f"{problem},{grade},{'' if gold is None else gold[i]}"
        for problem, grades, gold in zip(data["problem"], data["grades"], data["gold"], strict=True)
        for i, grade in enumerate(grades)
    ]
    path.write_text("\n".join([f"id,correct,{name}", *rows]), encoding="utf-8")
    return str(path)


def test_every_number_has_its_audited_value_in_every_form(tmp_path):
    data = make_results()
    report = at_k.score(data, audited="gold", metrics=["pass@1", "pass@8", "pass^8"])
    assert list(report.audited) == [f"{key}_audited" for key in report.values]
    observed, gold = np.array(data["grades"]), data["gold"]
    for key, reduce in (("pass@1", np.mean), ("pass@8", np.max), ("G-Pass@8_1.0", np.min)):
        audited = np.array([np.nan if row is None else reduce(row) for row in gold])
        value, bar = correct_by_audit(reduce(observed, axis=1), audited)
        assert report.audited[f"{key}_audited"] == pytest.approx(value, abs=1e-12)
        assert report.audited_intervals[f"{key}_audited"] == pytest.approx(bar, abs=1e-12)
    assert at_k.score(
        write_samples(data, tmp_path / "r.csv"), audited="gold", metrics=["pass@8"]
    ).audited == {"pass@8_audited": report.audited["pass@8_audited"]}
    assert "pass@8_audited" in report.to_csv()
    assert report.to_dict()["audited"] == report.audited
    assert "A better judge looked at 40 of 60 problems" in str(report)
    report.save(tmp_path / "r.json")
    assert at_k.Report.load(tmp_path / "r.json") == report


def test_a_vote_is_judged_by_the_audited_verdicts():
    answers = [["4", "4", "5"], ["7", "8", "7"]] * 20
    grades, gold = [[1, 1, 0], [1, 0, 1]] * 20, [[1, 1, 0], [0, 1, 0]] * 20
    report = at_k.score(
        {"answers": answers, "grades": grades, "gold": gold}, audited="gold", metrics="cons@3"
    )
    assert (report.values["cons@3"], report.audited["cons@3_audited"]) == (1.0, 0.5)


def test_a_sheet_is_drawn_filled_in_and_read(tmp_path, capsys):
    from at_k.cli.scoring import print_audit

    data = make_results()
    path = write_samples(data, tmp_path / "r.csv", "second")
    print_audit([path], 30, 1)
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "problem,sample,answer,audited"
    assert len(rows) == 30 * N
    filled = [f"{row}{int(i % N == 0)}" for i, row in enumerate(rows)]
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("\n".join([head, *filled]), encoding="utf-8")
    report = at_k.score(path, audited=str(sheet), metrics=["pass@1", "pass@8"])
    assert "30 of 60 problems" in str(report)
    print_audit([path], 20, 1)
    assert set(capsys.readouterr().out.splitlines()) < {
        head,
        *rows,
    }  # a larger draw holds a smaller one
    sheet.write_text("\n".join([head, *filled, filled[0]]), encoding="utf-8")
    refuses("audit.twice", at_k.score, path, audited=str(sheet))
    refuses("audit.same", at_k.score, path, audited="correct")
    assert report.audited["pass@8_audited"] >= report.audited["pass@1_audited"]


PARTIAL = [*make_results()["gold"][:-1], [1] * (N - 1) + [None]]


@for_each("change, options, code", [
    ({"gold": make_results(audited=29)["gold"]}, {}, "audit.few"), ({"gold": PARTIAL}, {}, "audit.partial"),
    ({"gold": [None] * PROBLEMS}, {}, "audit.few"), ({"gold": [[None] * N] * PROBLEMS}, {}, "audit.few"),
    ({}, {"clusters": [str(i % 9) for i in range(PROBLEMS)]}, "audit.intervals"),
    ({}, {"target": "problem_set"}, "audit.intervals"),
])  # fmt: skip
def test_impossible_audits_are_refused(change, options, code):
    refuses(code, at_k.score, make_results() | change, audited="gold", **options)


def test_counts_and_a_column_that_nobody_has_filled_in_cannot_be_audited(tmp_path):
    refused = refuses(
        "audit.few",
        at_k.score,
        write_samples(make_results(audited=0), tmp_path / "r.csv"),
        audited="gold",
    )
    assert refused.values["count"] == 0
    refuses("audit.counts", at_k.score, at_k.Tally.of({"grades": [[1, 0]]}), audited="gold")


def tabulate(k, tau):
    """Return P(at least max(1, ⌈τk⌉) of k are correct) where c = 0…64 of 64 are, by the hypergeometric tail."""
    return hypergeom.sf(max(1, int(np.ceil(tau * k))) - 1, 64, np.arange(65), k)


def assert_covered(draw, values, k, audited, runs=400):
    """Values of 200 problems by the checker and by the better judge are drawn; the truth is the mean over c."""
    rng = np.random.default_rng([k, audited])
    truth, covered = betabinom.pmf(np.arange(65), 64, 0.6, 0.6) @ values, 0
    for _ in range(runs):
        observed, better = draw(rng, 200)
        better[rng.permutation(200)[audited:]] = np.nan
        bar = correct_by_audit(observed, better)[1]
        covered += bar.low <= truth <= bar.high
    assert covered / runs >= 0.93


CELLS = [(k, audited) for k in (1, 8, 64) for audited in (40, 100)]


@for_each(
    "k, audited, tau", [(*cell, tau) for cell in CELLS for tau in (0.0, 0.5, 1.0)[: cell[0]]]
)  # one for k = 1
def test_audited_intervals_cover_where_false_passes_differ_by_problem(k, audited, tau):
    values = tabulate(k, tau)

    def draw(rng, problems):
        right = rng.binomial(64, rng.beta(0.6, 0.6, problems))
        passed = rng.binomial(64 - right, rng.beta(0.5, 9.5, problems))
        return values[right + passed], values[right]

    assert_covered(draw, values, k, audited)


@for_each("k, audited", CELLS)
def test_audited_votes_cover_where_the_checker_passes_a_wrong_answer(k, audited):
    """Each problem has a right answer and a wrong one, which the checker takes for right in every fifth problem."""
    votes = at_k.cons_at_k(
        [["r"] * c + ["w"] * (64 - c) for c in range(65)],
        [[1] * c + [0] * (64 - c) for c in range(65)],
        k=k,
    )

    def draw(rng, problems):
        value = votes[rng.binomial(64, rng.beta(0.6, 0.6, problems))]
        return np.where(rng.random(problems) < 0.2, 1.0, value), value.copy()

    assert_covered(draw, np.array(votes), k, audited)


def test_of_problems_that_are_all_audited_the_checker_says_nothing():
    """Neither does one that gives all problems the same value."""
    rng = np.random.default_rng(0)
    observed, truth = rng.random((2, 60))
    seen = np.where(np.arange(60) < 40, truth, np.nan)
    for checked, audited in ((observed, truth), (np.full(60, 0.5), seen)):
        known = audited[~np.isnan(audited)]
        value, bar = correct_by_audit(checked, audited)
        widened = stats.t.ppf(0.975, len(known) - 2) / stats.norm.ppf(0.975)
        assert value == pytest.approx(known.mean(), rel=1e-12)
        assert bar.stderr == pytest.approx(
            np.sqrt(known.var(ddof=1) / (len(known) - 2)) * widened, rel=1e-9
        )
