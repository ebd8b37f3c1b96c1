"""The curves of the page Score as data."""

import json
import re

import pytest
from demo.data_sets import FULL, KINDS, kind, samples

from at_k.demo.document import FOLDER
from at_k.demo.limits import MAX_EXPLORE_KEYS
from at_k.demo.score_figures import describe_curves
from at_k.demo.scoring import Options, score
from at_k.demo.words import LANGUAGES

pytestmark = pytest.mark.filterwarnings("ignore:missing='drop' left out")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_hold_the_values_and_their_bands(name, language):
    _, given_samples, options = kind(name)
    curves = score(given_samples, options).curves
    figure = describe_curves(curves, "name", "data", language)
    json.dumps(figure, allow_nan=False)
    low, high = figure["y"]["min"], figure["y"]["max"]
    for line in figure["lines"]:
        values = dict(zip(curves.k, curves.lines[line["name"]], strict=True))
        assert [values[k] for k in line["x"]] == line["y"]
        assert line["words"]
        if not line["hidden"]:
            assert all(low <= value <= high for value in line["y"])
        if "low" in line:
            bands = dict(zip(curves.k, curves.bands[line["name"]], strict=True))
            assert [bands[k] for k in line["x"]] == list(zip(line["low"], line["high"], strict=True))


def test_no_two_lines_share_a_colour_and_each_is_smooth():
    taus = (0.5, 0.75, 1.0, *(0.26 + tau / 1000 for tau in range(MAX_EXPLORE_KEYS - 3)))
    figure = describe_curves(score(samples(FULL), Options(thresholds=taus)).curves, "name", "data", "en")
    looks = [(line["color"], line["dashed"]) for line in figure["lines"]]
    assert len(set(looks)) == len(looks) >= MAX_EXPLORE_KEYS + 5
    lines = {line["name"]: line for line in figure["lines"]}
    for colour, _ in looks:
        assert len(re.findall(f"--at-k-{colour}: #", (FOLDER / "pages.css").read_text(encoding="utf-8"))) == 2
    assert lines["G-Pass@k_0.5"]["x"] == [1, 2, 4]
    assert lines["mG-Pass@k"]["x"] == [2, 4]
    assert not lines["G-Pass@k_1.0"]["hidden"]
