"""The document around the pages: its head, its header, its language, and the files that a browser keeps."""

import gzip
import re
from html.parser import HTMLParser
from itertools import product

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from at_k.demo import document
from at_k.demo.words import LANGUAGES, WORDS
from at_k.demo.work import ANSWERING

PAGES = tuple(document.find_pages())


@pytest.fixture
def visitor():
    shown = document.Document()

    async def answer(request):
        return shown.answer(request)

    routes = [
        Route("/", answer, methods=["GET", "HEAD"]),
        Mount(f"/assets-at-k/{document.hash_assets()}", document.Assets()),
    ]
    return TestClient(Starlette(routes=routes), base_url="https://at-k.example", headers={"accept-language": "fr"})


class Parts(HTMLParser):
    """What a program that follows a link reads: the title, and the properties of the page."""

    def __init__(self, text):
        super().__init__()
        self.metas, self.language, self.title, self._inside = [], None, "", False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self._inside = tag == "title"
        if tag == "html":
            self.language = attrs["lang"]
        if tag == "meta":
            self.metas.append((attrs.get("property") or attrs.get("name"), attrs.get("content")))

    def handle_data(self, data):
        if self._inside:
            self.title += data

    def handle_endtag(self, tag):
        self._inside = False


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_has_a_title_a_description_and_a_picture(visitor, page, language):
    found = visitor.get(f"/?page={page}&lang={language}&n=64")
    parts = Parts(found.text)
    names = [name for name, _ in parts.metas]
    assert len(names) == len(set(names))
    metas = dict(parts.metas)
    place = LANGUAGES.index(language)
    assert parts.language == language
    assert parts.title == metas["og:title"] == f"at-k · {WORDS[f'{page}.title'][place]}"
    assert metas["og:description"] == metas["description"] == WORDS["app.description"][place]
    assert "Gradio" not in found.text
    query = f"page={page}" if page in ANSWERING else "page=explore&n=64"
    assert metas["og:image"] == metas["twitter:image"] == f"https://at-k.example/card.png?{query}"
    assert f'data-page="{page}" aria-current=page' in found.text


@pytest.mark.parametrize("page", PAGES)
def test_one_section_is_open_and_no_style_sheet_knows_a_page_by_name(visitor, page):
    sections = dict(re.findall(r'<div data-section="(\w+)"( hidden)?>', visitor.get(f"/?page={page}").text))
    assert tuple(sections) == PAGES
    assert [name for name, hidden in sections.items() if not hidden] == [page]
    for sheet in document.FOLDER.glob("*.css"):
        assert "data-page=" not in sheet.read_text(encoding="utf-8")


def test_headings_are_in_order(visitor):
    """As they are written; what comes with answers begins below the first."""
    for section in re.split(r"<div data-section=", visitor.get("/").text)[1:]:
        levels = [int(level) for level in re.findall(r"<h(\d)", section)]
        assert all(after <= before + 1 for before, after in zip([1, *levels], levels, strict=False)), section[:20]


def test_an_unknown_page_is_the_first(visitor):
    for query in ("", "?page=", "?page=<script>", "?page=%00", "?n=1"):
        assert 'data-page="explore" aria-current=page' in visitor.get(f"/{query}").text


@pytest.mark.parametrize(
    ("query", "cookie", "accepted", "language"),
    [
        ("", "", "zh-CN,en;q=0.5", "zh"),
        ("?lang=en", "at-k-language=zh", "zh", "en"),
        ("?lang=fr", "at-k-language=zh", "en", "zh"),
        ("", "a=b; at-k-language=zh; c", "en", "zh"),
        ("", "at-k-language=<b>", "zh", "zh"),
        ("", "\x01=;;=", "fr", "en"),
    ],
)
def test_the_language_of_the_server_is_that_of_the_page(visitor, query, cookie, accepted, language):
    headers = {"accept-language": accepted, "cookie": cookie}
    assert Parts(visitor.get(f"/{query}", headers=headers).text).language == language


@pytest.mark.parametrize("host", ['"><script>', "[", "a b", "", "[::1]", "x@y", "\xe9"])
def test_a_host_without_a_proper_name_is_not_repeated(visitor, host):
    found = visitor.get("/", headers={"host": host.encode("latin-1")})
    assert found.status_code == 200
    assert dict(Parts(found.text).metas)["og:image"] == "card.png?page=explore"


def test_the_document_is_sent_compressed_and_whole(visitor):
    found = visitor.get("/", headers={"accept-encoding": "gzip"})
    assert found.headers["content-encoding"] == "gzip"
    plain = visitor.get("/", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == found.text
    assert int(found.headers["content-length"]) == len(gzip.compress(plain.content)) < len(plain.content)
    head = visitor.head("/", headers={"accept-encoding": "identity"})
    assert (head.content, head.headers["content-length"]) == (b"", plain.headers["content-length"])


def test_every_visitor_gets_their_own_document(visitor):
    """Documents are kept: whoever comes second gets the same, and whoever asks for something else does not."""
    asked = list(product(PAGES[:2], LANGUAGES, ["a.example", "b.example"], ["gzip", "identity"]))
    for page, language, host, coding in asked * 2:
        found = visitor.get(f"/?page={page}&lang={language}", headers={"host": host, "accept-encoding": coding})
        parts = Parts(found.text)
        title = WORDS[f"{page}.title"][LANGUAGES.index(language)]
        assert (parts.language, parts.title) == (language, f"at-k · {title}")
        assert (
            dict(parts.metas)["og:image"] == f"https://{host}/card.png?page={page if page in ANSWERING else 'explore'}"
        )
        assert found.headers.get("content-encoding", "identity") == coding


def test_files_are_kept_by_browsers_for_as_long_as_they_are_the_same(visitor):
    for path in document.FOLDER.iterdir():
        found = visitor.get("/" + document.address_of(path.name))
        assert (found.status_code, found.headers["cache-control"]) == (200, document.CACHED)
        assert found.content == path.read_bytes()
    assert visitor.get(f"/assets-at-k/{'0' * 12}/figures.js").status_code == 404
    assert visitor.get("/" + document.address_of("..%2fdocument.py")).status_code == 404


def test_modules_import_what_there_is():
    for path in document.FOLDER.glob("*.js"):
        for name in re.findall(r'from "\./([^"]+)"', path.read_text(encoding="utf-8")):
            assert (document.FOLDER / name).is_file(), path


def test_every_page_links_to_the_project_the_paper_and_the_package(monkeypatch):
    assert "project" not in document.find_links()
    monkeypatch.setenv("SPACE_ID", "somebody/at-k")
    found = document.write_document("score", "explore", "en", "somebody.hf.space")
    for link in ("https://huggingface.co/spaces/somebody/at-k/tree/main", "https://arxiv.org/abs/2412.13147"):
        assert f'href="{link}"' in found
    assert f'href="{document.find_links()["package"]}"' in found
