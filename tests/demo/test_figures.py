"""Figures are written so that the browser reads them as they are, whatever a name holds."""

import json
from html.parser import HTMLParser

import pytest

from at_k.demo.figures import write_figure

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>",
    "link": '<a href="javascript:alert(1)">x</a>',
    "bold": "<b>x</b><br><i>",
    "extra": "<extra>x</extra>",
    "template": "%{x} %{customdata[1]} %{y:.2f}",
    "latex": r"$\frac{1}{2}$ $$x$$",
    "entities": "&lt;b&gt; &amp; &#60; &#x3c; &nbsp; &constructor;",
    "half an entity": "&lt",
    "replacement": "$& $1 $` \\1",
    "lines": "a\nb\r\nc\rd\te",
    "quotes": "'\"`",
    "characters": "题目 😀 \0 \u202e \ufffe",
    "braces": "{{name}} ${x} {0}",
}


def test_a_description_comes_through_html_whole():
    class Attributes(HTMLParser):
        def handle_starttag(self, tag, attrs):
            self.tag, self.attrs = tag, dict(attrs)

    figure = {"kind": "squares", "title": "x", "rows": [{"name": name, "samples": "10"} for name in HOSTILE.values()]}
    read = Attributes()
    read.feed(write_figure(figure, id="a"))
    assert (read.tag, read.attrs["id"], read.attrs["class"]) == ("div", "a", "figure")
    assert json.loads(read.attrs["data-figure"]) == figure


def test_a_description_has_no_numbers_that_are_none():
    with pytest.raises(ValueError, match="JSON"):
        write_figure({"kind": "scatter", "title": "x", "points": [{"x": 0, "y": float("nan")}]})
