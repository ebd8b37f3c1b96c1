"""The pictures that shared links show: the sentence and the curve of what an address says, as a PNG."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import unescape
from io import BytesIO
from math import floor, log
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from starlette.requests import Request
from starlette.responses import Response

import at_k
from at_k.demo.curves import Setting
from at_k.demo.limits import BUSY_SECONDS
from at_k.demo.sentences import DRAWN_FROM, MODELS, say_setting, say_story
from at_k.demo.turns import BusyError, find_address, in_turn
from at_k.demo.words import say
from at_k.demo.work import ANSWERING, answer
from at_k.errors import InputError

SIZE = (1200, 630)

_EXPLORE = ("draw", "n", "c", "k")
"""The fields of Explore, which has no form, on which its picture depends."""

_SCALE = 2
"""Pictures are drawn at this size and made smaller, so that lines are smooth."""

_PLAIN = str.maketrans({"−": "-", "–": "-", "×": "x", "±": "+/-", "τ": "tau", "½": "1/2", "\xa0": " "})
"""Signs that the font of Pillow does not have, which is there wherever Pillow is."""

_LONGEST, _MOST_KEPT = 1000, 64
"""Characters of an address, and pictures of some 30 kB that are kept."""

Key = tuple[tuple[str, str], ...]
"""What an address says, as far as its picture depends on it: the page, and fields that are not as usual."""


class Preview(NamedTuple):
    """What a picture shows: a title, a sentence, and lines as `figures.write_figure` takes them."""

    title: str
    text: str
    figure: Mapping[str, Any]


def read_key(page: str, query: Mapping[str, str]) -> Key:
    """Read what the picture of an address depends on; one that is too long has the picture of its page.

    Examples:
        >>> read_key("explore", {"page": "explore", "draw": "7", "lang": "zh"})
        (('page', 'explore'), ('draw', '7'))
    """
    page = page if page in ANSWERING else "explore"
    usual = ANSWERING[page].USUAL if page in ANSWERING else dict.fromkeys(_EXPLORE, "")
    key = (("page", page), *((name, query[name]) for name in usual if query.get(name, usual[name]) != usual[name]))
    return key if len(urlencode(key)) <= _LONGEST else key[:1]


async def answer_preview(request: Request) -> Response:
    """Answer with the picture of an address, which is drawn in the turn of whoever asks for it first."""
    key = read_key(request.query_params.get("page", ""), request.query_params)
    if key not in _kept:
        try:
            picture = await in_turn(find_address(request), "", encode_preview, key)
        except BusyError:
            return Response(status_code=503, headers={"Retry-After": str(BUSY_SECONDS)})
        except InputError:
            return Response(status_code=400)
        if len(_kept) >= _MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = b64decode(picture)
    return Response(_kept[key], media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})


_kept: dict[Key, bytes] = {}


def encode_preview(key: Key) -> str:
    """Draw the picture of an address as text, which is what comes out of the sandbox."""
    return b64encode(draw_preview(key)).decode()


def draw_preview(key: Key) -> bytes:
    r"""Draw the picture of an address; of one that nothing can be said of, the first picture of Explore.

    Examples:
        >>> draw_preview((("page", "explore"),))[:4]
        b'\x89PNG'
    """
    return _draw(describe_preview(key) or _describe_story(4))


def describe_preview(key: Key) -> Preview | None:
    """Describe the picture of an address: what its page says first; None if it says nothing.

    Examples:
        >>> describe_preview((("page", "explore"), ("n", "16"), ("c", "8"), ("k", "4"))).title
        'Of these 16 answers, 8 are right. Draw 4: at least one is right 96.2 % of the time, all are right 3.8 %.'
    """
    (_, page), *rest = key
    fields = dict(rest)
    if page == "explore":
        numbers = {name: int(text) for name, text in fields.items() if re.fullmatch("[0-9]{1,3}", text)}
        if numbers.keys() & {"n", "c", "k"}:
            return _describe_setting(numbers)
        return _describe_story(min(DRAWN_FROM, max(1, numbers.get("draw", 4))))
    parts = answer(page, ANSWERING[page].USUAL | fields, "en")["parts"]
    html = "".join(parts.values())
    title = re.search(r'<h1>(.*?)</h1>|class="headline">(.*?)</h2>', html)
    figure = re.search(r'data-figure="([^"]*&quot;lines&quot;[^"]*)"', html)
    if not title or not figure:
        return None
    return Preview(unescape(re.sub("<[^>]*>", "", title[1] or title[2])), "", json.loads(unescape(figure[1])))


def _describe_story(k: int) -> Preview:
    demands = range(1, k + 1)
    taus = [floor(1e4 * m / k) / 1e4 for m in demands]  # with which ⌈τk⌉ is m
    lines = [
        {
            "name": say("en", f"explore.{name}"),
            "color": colour,
            "x": list(demands),
            "y": [float(np.mean(at_k.g_pass_at_k(DRAWN_FROM, MODELS[name], k=k, tau=tau))) for tau in taus],
        }
        for name, colour in {"steady": "a", "shaky": "b"}.items()
    ]
    axis = {"title": say("en", "explore.demand_x", k=k)}
    return Preview(say("en", "explore.finding"), say_story(k, "en"), {"x": axis, "lines": lines})


def _describe_setting(numbers: Mapping[str, int]) -> Preview | None:
    n, c, k = (numbers.get(name, usual) for name, usual in {"n": 16, "c": 8, "k": 4}.items())
    try:
        Setting(n, c)
    except InputError:
        return None
    every = list(range(1, n + 1))
    estimates = {"pass": at_k.pass_at_k, "hat": at_k.pass_hat_k}
    lines = [
        {
            "name": say("en", f"explore.line_{name}"),
            "color": colour,
            "x": every,
            "y": estimates[name](n, c, k=every).tolist(),
        }
        for name, colour in {"pass": "pass", "hat": "pass-hat"}.items()
    ]
    title = say_setting(n, c, min(n, max(1, k)), "en")
    return Preview(title, "", {"x": {"title": say("en", "explore.x")}, "lines": lines})


@cache
def _read_colours() -> dict[str, str]:
    """Read the colours of the style sheet, those on white."""
    sheet = Path(__file__).with_name("assets").joinpath("pages.css").read_text(encoding="utf-8")
    return dict(reversed(re.findall(r"--at-k-([\w-]+): (#\w+)", sheet)))


def _draw(preview: Preview) -> bytes:
    colours = _read_colours()
    picture = Image.new("RGB", (SIZE[0] * _SCALE, SIZE[1] * _SCALE), colours["ground"])
    pen = ImageDraw.Draw(picture)

    def write(x: float, y: float, text: str, size: int, colour: str, *, bold: bool = False, anchor: str = "la") -> None:
        font = ImageFont.load_default(size * _SCALE)
        ink = colours.get(colour, colours["neutral"])
        place = (x * _SCALE, y * _SCALE)
        pen.text(place, text.translate(_PLAIN), fill=ink, font=font, anchor=anchor, stroke_width=_SCALE * bold)

    def draw(points: Sequence[tuple[float, float]], colour: str, width: float) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        pen.line(scaled, fill=colours.get(colour, colours["neutral"]), width=round(width * _SCALE), joint="curve")

    write(64, 36, "at-k", 26, "ink", bold=True)
    y = 88.0
    for text, size, colour in ((preview.title, 42, "ink"), (preview.text, 25, "quiet")):
        for line in _wrap(text, SIZE[0] - 128, size):
            write(64, y, line, size, colour, bold=colour == "ink")
            y += 1.25 * size
        y += 8
    _draw_figure(preview.figure, y + 12, write, draw)
    file = BytesIO()
    picture.resize(SIZE, Image.Resampling.LANCZOS).quantize(64).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_figure(figure: Mapping[str, Any], top: float, write: Callable[..., None], draw: Callable[..., None]) -> None:
    """Draw the lines of a figure below the text, each with its name at its end."""
    lines = [line for line in figure["lines"] if not line.get("hidden")]
    left, right, bottom = 130.0, 880.0, SIZE[1] - 76.0
    x = sorted({x for line in lines for x in line["x"]})
    values = [y for line in lines for y in line["y"] if y is not None]
    axis = figure.get("y", {})
    low, high = axis.get("min", 0), axis.get("max", max(1.0, *values))
    scale: Callable[[float], float] = log if figure["x"].get("log") else float
    wide = scale(x[-1]) - scale(x[0]) or 1.0

    def place(point: tuple[float, float]) -> tuple[float, float]:
        across = (scale(point[0]) - scale(x[0])) / wide
        return left + (right - left) * across, bottom - (bottom - top) * (point[1] - low) / (high - low)

    for tick in np.linspace(low, high, 3):
        _, level = place((x[0], tick))
        draw([(left, level), (right, level)], "rule", 1)
        said = f"{100 * tick:.0f} %" if high <= 1 else f"{tick:.3g}"
        write(left - 12, level, said, 18, "quiet", anchor="rm")
    for tick in (x[0], x[-1]):
        write(place((tick, low))[0], bottom + 10, str(tick), 18, "quiet", anchor="ma")
    write((left + right) / 2, bottom + 34, figure["x"]["title"], 18, "quiet", anchor="ma")
    ends = []
    for line in lines:
        points = [place(point) for point in zip(line["x"], line["y"], strict=True) if point[1] is not None]
        draw(points, line["color"], 4)
        ends.append((points[-1][1], line.get("words") or line["name"], line["color"]))
    level = top - 27
    for i, (end, name, colour) in enumerate(sorted(ends)):
        level = max(level + 27, min(end, bottom - 27 * (len(ends) - 1 - i)))
        write(right + 18, level, _wrap(name, 300, 20)[0], 20, colour, anchor="lm")


def _wrap(text: str, width: float, size: int) -> list[str]:
    """Break a text into lines that are no wider than this many pixels, four at most."""
    font = ImageFont.load_default(size)
    lines = [""]
    for word in text.translate(_PLAIN).split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines[:4]
