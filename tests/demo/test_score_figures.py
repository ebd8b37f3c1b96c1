"""The curves of the page Score as data."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from demo.data_sets import FULL, KINDS, kind, samples

from at_k.demo.document import FOLDER
from at_k.demo.limits import MAX_EXPLORE_KEYS
from at_k.demo.score_figures import COLOURS, describe_curves
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


# How colours are seen, in linear RGB, without the cones for green and for red: G. M. Machado et al. (2009), severity 1,
# doi:10.1109/TVCG.2009.113.
EYES = {
    "all cones": np.eye(3),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def find_lab(colour, eyes):
    """CIELAB of a colour of the style sheet, as these eyes see it; CIE 15, D65."""
    values = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    parts = XYZ @ np.clip(eyes @ linear, 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(parts > 216 / 24389, np.cbrt(parts), (24389 / 27 * parts + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_lines_are_told_apart_by_the_colour_blind(eyes, scheme):
    """Every two colours that lines of a figure can have differ by 10 at least, of which one is just seen."""
    sheet = (FOLDER / "pages.css").read_text(encoding="utf-8")
    labs = {each: find_lab(re.findall(rf"--at-k-{each}: (#\w+)", sheet)[scheme], EYES[eyes]) for each in COLOURS}
    near = {pair: np.linalg.norm(labs[pair[0]] - labs[pair[1]]) for pair in combinations(labs, 2)}
    assert {pair: size for pair, size in near.items() if size < 10} == {}
    assert len(labs) >= 12
