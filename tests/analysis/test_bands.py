"""Bands over k: published figures, their words, what they are made of, and how often they hold all differences."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import for_each

import at_k
from at_k.analysis.bands import Band
from at_k.errors import InputError

DATA = Path(__file__).parents[1] / "data"


def make(counts, n):
    return {"problem": [f"q{i}" for i in range(len(counts))], "grades": [[1] * c + [0] * (n - c) for c in counts]}


@pytest.fixture(scope="module")
def published():
    """The example of passk-inference 0.3.1; see tests/data/deepscaler_counts.md."""
    counts = json.loads((DATA / "deepscaler_counts.json").read_text())
    models = (make(counts[name], counts["n"]) for name in ("rl", "base"))
    return at_k.compare(*models, names=("RL", "base"), metrics="pass_at_k", k=128, band=True)


def test_published_gains_and_losses(published):
    band = published.bands["pass@k"]
    assert band.spans == [("gain", 1, 10), ("open", 11, 60), ("loss", 61, 128)]
    assert band.first_loss == (11, 61)
    assert list(map(str, band.describe())) == [
        "For k = 1–10, RL is better in pass@k.",
        "For k = 11–60, no difference is shown in pass@k.",
        "For k = 61–128, base is better in pass@k.",
        "The first k at which RL is worse lies from 11 to 61.",
    ]
    # Its expected.json, by 4,000 normal multipliers. Quantiles of random signs differ from it in the third decimal.
    expected = [(0, 0.065466, 0.086450), (10, -0.000396, 0.018471), (127, -0.035923, -0.003699)]
    for place, low, high in expected:
        assert (band.low[place], band.high[place]) == pytest.approx((low, high), abs=1e-4)
    assert band.difference[0] == pytest.approx(published.comparisons["pass@128"].difference + 0.095769, abs=1e-5)


def test_a_band_without_limits_is_json():
    equal = [{"grades": [[1, 0]] * 3, "scores": [[1, top]] * 3} for top in (2, 3)]
    band = at_k.compare(*equal, metrics="best_at_k", k=[1, 2], band=True).to_dict()["bands"]["max@k"]
    assert (band["low"], band["high"]) == ([None, None], [None, None])
    json.dumps(band, allow_nan=False)


def test_json_and_markdown_have_them(published):
    assert published.to_dict()["bands"]["pass@k"]["first_loss"] == (11, 61)
    assert "- For k = 1–10, RL is better in pass@k. For k = 11–60" in published.to_markdown()


def make_band(low, high):
    k = tuple(range(1, len(low) + 1))
    return Band(k, (0.0,) * len(k), low, high, 0.95, ("A", "B"), at_k.Key("pass@k"))


@for_each(
    "low, high, spans, first_loss",
    [
        ((0.1, 0.2), (0.3, 0.4), [("gain", 1, 2)], None),
        ((0.1, -0.1), (0.3, 0.4), [("gain", 1, 1), ("open", 2, 2)], (2, None)),
        ((-0.3, -0.1), (-0.2, 0.4), [("loss", 1, 1), ("open", 2, 2)], (1, 1)),
        ((-0.1, 0.1, -0.5), (0.3, 0.3, -0.1), [("open", 1, 1), ("gain", 2, 2), ("loss", 3, 3)], (1, 3)),
    ],
)
def test_spans_and_the_first_loss(low, high, spans, first_loss):
    band = make_band(low, high)
    assert (band.spans, band.first_loss) == (spans, first_loss)


class TestWhatItIsMadeOf:
    RNG = np.random.default_rng(2)
    A, B = RNG.integers(0, 9, 40), RNG.integers(0, 9, 40)

    def test_all_metrics_have_one_and_a_saved_report_those_of_counts(self, tmp_path):
        answers = [["7"] * c + list(map(str, range(8 - c))) for c in self.A]
        data = {"answers": answers, "references": ["7"] * 40}
        report, other = at_k.score(data), at_k.score(make(self.B, 8) | {"problem": list(map(str, range(40)))})
        full = at_k.compare(report, other, band=True)
        assert {"pass@k", "G-Pass@k_1.0", "mG-Pass@k", "cons@k"} <= full.bands.keys()
        assert full.bands["cons@k"].k == tuple(range(1, 9))
        assert full.bands["mG-Pass@k"].k == (2, 4, 6, 8)  # at odd k it jumps
        report.save(tmp_path / "a.json")
        part = at_k.compare(tmp_path / "a.json", other, band=True)
        assert part.bands["pass@k"] == full.bands["pass@k"]
        for place, k in enumerate((1, 2, 4, 8)):
            assert part.bands["cons@k"].k[place] == k

    def test_where_few_problems_differ_the_limits_are_the_bounded_ones(self):
        a, b = [8] * 37 + [4, 5, 6], [8] * 40
        band = at_k.compare(make(a, 8), make(b, 8), band=True, metrics="pass_at_k").bands["pass@k"]
        assert band.difference[7] == 0
        assert band.low[7] < -0.05  # all 40 are solved by both, which is no certainty about others
        assert band.spans == [("open", 1, 8)]

    def test_values_of_some_keys_have_no_curve(self):
        values = {"pass@1": {"a": 0.5, "b": 1.0}}
        with pytest.raises(InputError, match="This needs reports or data"):
            at_k.compare(values, values, band=True)

    def test_clusters_make_it_wider(self):
        labels = [f"t{i // 4}" for i in range(40)]
        a = np.repeat(self.RNG.integers(0, 9, 10), 4)
        alone, together = (
            at_k.compare(make(a, 8), make(self.B, 8), band=True, metrics="pass_at_k", clusters=clusters).bands["pass@k"]
            for clusters in (None, labels)
        )
        assert together.high[0] - together.low[0] > alone.high[0] - alone.low[0]


def test_the_band_holds_all_differences():
    random, k, n, inside = np.random.default_rng(4), np.arange(1, 9), 8, 0
    skills = random.beta(0.6, 0.6, (50_000, 2)) * 0.3 + random.beta(0.6, 0.6, (50_000, 1)) * 0.7
    truth = ((1 - skills[:, 1, None]) ** k - (1 - skills[:, 0, None]) ** k).mean(axis=0)
    for _ in range(60):
        own = random.binomial(n, skills[random.integers(0, 50_000, 50)])
        band = at_k.compare(make(own[:, 0], n), make(own[:, 1], n), metrics="pass_at_k", k=8, band=True).bands["pass@k"]
        inside += all(low <= true <= high for low, true, high in zip(band.low, truth, band.high, strict=True))
    assert inside >= 51  # of 60 at 95 %, three standard errors are 5.1


@for_each(
    "a, b, clusters",
    [
        ([4] * 4 + [2] * 4, [4] * 4 + [2] * 4, None),
        ([4] * 5, [0] * 5, None),
        ([4] * 5 + [2], [0] * 5 + [2], None),
        ([4] * 25 + [2] * 75, [0] * 25 + [2] * 75, [str(place // 5) for place in range(100)]),
    ],
    ids=["equal", "too few problems", "few that differ", "few clusters that differ"],
)
def test_nothing_is_better_where_no_p_value_could_say_so(a, b, clusters):
    found = at_k.compare(make(a, 4), make(b, 4), clusters=clusters, band=True)
    assert str(found.verdict("pass@1")) == "no difference shown"
    assert found.bands["pass@k"].spans == [("open", 1, 4)]


def test_a_single_problem_that_differs_does_not_narrow_the_band():
    a = make([4] + [2] * 49, 4)
    band = at_k.compare(a, make([0] + [2] * 49, 4), band=True, k=[1, 2, 4]).bands["pass@k"]
    d = np.eye(50)[0]
    low, high = at_k.interval((1 + d.mean()) / 2, d.std(ddof=1) / np.sqrt(50) / 2, 50)  # of one k alone
    assert band.low[0] <= 2 * low - 1
    assert band.high[0] >= 2 * high - 1
