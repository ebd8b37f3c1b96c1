"""The pictures that shared links show, and what they cost whoever asks for many."""

from functools import partial
from io import BytesIO
from urllib.parse import urlencode

import httpx
import numpy as np
import pytest
from cases import for_each
from oracles import hypergeometric, tail
from PIL import Image, ImageColor

from at_k.demo import previews
from at_k.demo.document import find_pages
from at_k.demo.previews import SIZE, describe_preview, draw_preview, read_key
from at_k.demo.work import ANSWERING
from tools.driving import PATIENCE


def preview(page, **query):
    return describe_preview(read_key(page, query))


def test_the_sentence_and_the_curve_of_explore_follow_the_address():
    for k in (1, 4, 9, 16):
        found = preview("explore", draw=str(k))
        lines = {line["name"]: line["y"] for line in found.figure["lines"]}
        ways = hypergeometric(16, 8, k)
        assert lines == {
            "Steady": pytest.approx([0.5] * k, rel=1e-12),
            "Shaky": pytest.approx([float(tail(ways, m)) for m in range(1, k + 1)], rel=1e-12, abs=1e-15),
        }
        assert (f"Draw {k} of the 16" in found.text) == (k < 16)
    found = preview("explore", n="64", c="60", k="2")
    assert found.title.startswith("Of these 64 answers, 60 are right. Draw 2: at least one is right 99.7 % of the time")
    assert found.figure["lines"][0]["y"][1] == pytest.approx(float(tail(hypergeometric(64, 60, 2), 1)))


def test_the_sentence_and_the_curve_of_a_form_follow_the_address():
    math, airline = preview("score"), preview("score", example="taubench_airline")
    assert math.title.startswith("All 8 answers are right on 86 % of the problems")
    assert math.figure["lines"] != airline.figure["lines"]
    assert math.title != airline.title
    assert "at pass@1" in preview("compare").title
    assert "100 problems" in preview("plan", problems="100").title.replace("<b>", "")


@pytest.mark.parametrize("page", find_pages())
def test_every_page_has_a_picture_of_the_size_that_is_promised(page):
    picture = Image.open(BytesIO(draw_preview(read_key(page, {}))))
    assert picture.size == SIZE == (1200, 630)
    assert len(picture.convert("RGB").getcolors(1 << 20)) > 10


def test_the_curves_stand_where_their_values_are():
    """Of 16 answers, 8 right, pass@k rises from 1/2 to 1, and pass^k falls from 1/2 to 0."""
    picture = Image.open(BytesIO(draw_preview(read_key("explore", {"n": "16", "c": "8", "k": "4"})))).convert("RGB")
    pixels = np.asarray(picture).astype(int)[:, :880]  # without the names beside the ends
    found = {}
    for name in ("pass", "pass-hat"):
        colour = ImageColor.getrgb(previews._read_colours()[name])
        found[name] = np.argwhere(abs(pixels - colour).sum(axis=2) < 30)  # as 64 colours can tell
    highest, lowest = found["pass"][:, 0].min(), found["pass-hat"][:, 0].max()
    assert lowest - highest > 200
    for rows, columns in (each.T for each in found.values()):
        assert columns.max() - columns.min() > 700
        assert abs(rows[columns == columns.min()].mean() - (highest + lowest) / 2) < 4  # the width of a line


@for_each(
    "query",
    [
        {"draw": "0"}, {"draw": "999"}, {"draw": "٣"}, {"draw": "4.5"}, {"n": "1"}, {"n": "999", "c": "9", "k": "1"},
        {"n": "0"}, {"c": "17"}, {"k": "0"}, {"k": "999"}, {"n": "2", "c": "1", "k": "2"}, {"n": "9" * 5000},
    ],
)  # fmt: skip
def test_whatever_an_address_says_there_is_a_picture(query):
    found = preview("explore", **query)
    assert found is None or (found.title and all(line["y"] for line in found.figure["lines"]))


def test_what_nothing_can_be_said_of_has_the_first_picture():
    refused = [preview(page, example="none") for page in ANSWERING]
    assert refused == [None] * len(ANSWERING)
    assert draw_preview(read_key("score", {"example": "none"})) == draw_preview(read_key("explore", {}))


def test_an_address_that_is_long_or_says_other_things_costs_nothing_more():
    page = read_key("score", {})
    assert read_key("score", {"utm_source": "x", "lang": "zh", "theme": "dark"}) == page
    assert read_key("score", {"where": "x" * 2000}) == page
    assert read_key("score", {"k": "1, 2"}) == (*page, ("k", "1, 2"))


def test_the_app_serves_the_picture_that_the_document_names(server):
    query = urlencode({"page": "explore", "draw": "7"})
    client = partial(httpx.get, timeout=PATIENCE, verify=False)  # to read certificates takes longer than a request
    html = client(f"{server.url}/?{query}").text
    assert f"{server.url}/card.png?page=explore&amp;draw=7" in html
    found = client(f"{server.url}/card.png?{query}")
    assert (found.status_code, found.headers["content-type"]) == (200, "image/png")
    assert Image.open(BytesIO(found.content)).size == SIZE
    other = client(f"{server.url}/card.png?page=none&x=<script>")
    assert other.content == client(f"{server.url}/card.png").content
