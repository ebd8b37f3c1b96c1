"""HTML, parsed as a browser does, and texts that try to be more than text."""

from html.parser import HTMLParser

import pytest

HOSTILE = [
    "<script>alert(1)</script>",
    "</td></tr></table><h1>x",
    '" onmouseover="alert(1)',
    "' onfocus='x' autofocus",
    "<!-- --><![CDATA[x]]>",
    "&lt;b&gt; &amp; &#60;",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{0} {count} %s",
    "$\\frac12$",
    "a\nb\tc",
]


class Page(HTMLParser):
    """Elements in order, each with its attributes and its own text; fails where tags do not match."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "attributes": dict(attributes), "text": ""}
        self.elements.append(element)
        self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        self.open[-1]["text"] += data

    def unexpected(self, *_):
        pytest.fail("only tags and text are expected")

    handle_startendtag = handle_comment = handle_decl = handle_pi = unknown_decl = unexpected

    def texts(self, tag):
        return [element["text"] for element in self.elements if element["tag"] == tag]

    def tags(self):
        return {element["tag"] for element in self.elements}
