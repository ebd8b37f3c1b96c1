"""What stands around the pages: the head of the document, the header with its links, and the files of the browser.

Gradio writes the document; `Shell` changes it on its way out: a title, description and picture of its own for those who
follow a link, the words of the visitor's language, and the header, which is there before Gradio's scripts are.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from at_k.demo.translating import Texts, translate_document
from at_k.demo.words import LANGUAGES, WORDS, language_of, say

FOLDER = Path(__file__).with_name("assets")

CACHED = "public, max-age=31536000, immutable"

_COOKIE = re.compile(r"(?:^|;\s*)at-k-language=(\w+)\s*(?:;|$)", re.ASCII)
"""The language that was chosen on a page, as `assets/address.js` keeps it."""

MODULES = ("address", "figures", "counts", "formulas", "explore", "asking")
"""What every page starts, in this order."""

STYLES = ("at-k", "score-page", "asking")

_SPOKEN = ("app", "explore")
"""The files of words whose words the browser puts into the page by itself."""

_HASHED = re.compile(r"/assets/(?:[\w-]+/)*[\w.-]+-[\w-]{8}\.\w+$", re.ASCII)
"""Gradio's own files with a hash in their names."""

_GRADIO_CARD = re.compile(r'\s*<meta\s+(?:property="og:|name="twitter:)[^>]*>')


_MOST_KEPT = 16
"""Documents that are kept: most visitors get the same few, as Gradio writes them alike for all."""


@cache
def hash_assets() -> str:
    """Return the hash of all files of `FOLDER`: modules import each other, so that they change together."""
    files = sorted(path for path in FOLDER.iterdir() if path.is_file())
    digest = sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def address_of(name: str) -> str:
    """Return the address of a file of `FOLDER`, from the page.

    Examples:
        >>> address_of("figures.js").startswith("assets-at-k/")
        True
    """
    return f"assets-at-k/{hash_assets()}/{name}"


def make_routes() -> list[Mount]:
    """Make the routes that serve the files, for `launch(app_kwargs={"routes": …})`."""
    return [Mount(f"/assets-at-k/{hash_assets()}", _Assets(directory=FOLDER))]


class _Assets(StaticFiles):
    def file_response(self, *args: Any, **options: Any) -> Response:
        """Answer with a file that a browser keeps: its address changes with it."""
        answer = super().file_response(*args, **options)
        answer.headers["Cache-Control"] = CACHED
        return answer


class Shell:
    """ASGI middleware that gives the document its head and its header, and Gradio the language that was chosen."""

    def __init__(
        self,
        app: ASGIApp,
        pages: tuple[str, ...] = (),
        start: str | None = None,
        write_sections: Callable[[str, str], str] = lambda page, language: "",
        list_texts: Texts = lambda language: [],
    ) -> None:
        """Wrap an app.

        Args:
            app: what answers.
            pages: the names of the pages, as the header has them.
            start: the page that an address without one opens; the first by default.
            write_sections: writes, for the page that is open and in a language, what stands in the document beside the
                pages of Gradio.
            list_texts: lists, in a language, what Gradio writes into the document in English.
        """
        self.app = app
        self.pages = pages
        self.start = start or next(iter(pages), "")
        self.write_sections = write_sections
        self.list_texts = list_texts
        self._finish = lru_cache(_MOST_KEPT)(self._finish_document)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        language = find_language(scope)
        headers = MutableHeaders(scope=scope)
        headers["accept-language"] = language
        query = QueryParams(scope.get("query_string", b""))
        document = scope["path"].removeprefix(scope.get("root_path", "")) == "/"
        if document or scope["method"] == "POST":
            # The browser reads the address, and Gradio's client sends it along. Gradio would take ?page=… for one of
            # several documents, and fail.
            scope["query_string"] = b""
        if not document:
            kept = _HASHED.search(scope["path"])
            await self.app(scope, receive, partial(_send_kept, send) if kept else send)
            return
        page = query.get("page") or query.get("open") or self.start
        page = page if page in self.pages else self.start
        squeeze = "gzip" in headers.get("accept-encoding", "")
        del headers["accept-encoding"]  # the document is changed here, so it must not come compressed
        host = find_host(scope)
        parts: list[bytes] = []
        start: Message = {}

        async def change(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            if not _is_page(start):
                if start:
                    await send(dict(start))
                    start.clear()
                await send(message)
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = self._finish(b"".join(parts), page, language, host, squeeze)
            answer = MutableHeaders(scope=start)
            answer["Vary"] = "Accept-Encoding, Accept-Language, Cookie"
            if squeeze:
                answer["Content-Encoding"] = "gzip"
            answer["Content-Length"] = str(len(body))
            await send(dict(start))
            await send({"type": "http.response.body", "body": body if scope["method"] != "HEAD" else b""})

        await self.app(scope, receive, change)

    def _finish_document(self, written: bytes, page: str, language: str, host: str, squeeze: bool) -> bytes:
        """Finish the document that Gradio wrote, and compress it."""
        translated = translate_document(written.decode("utf-8"), language, self.list_texts)
        inside = write_header(self.pages, page, language) + self.write_sections(page, language)
        body = write_document(translated, write_head(page, language, host), inside, language).encode("utf-8")
        return gzip.compress(body, 5) if squeeze else body


async def _send_kept(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start" and message["status"] == 200:
        MutableHeaders(scope=message)["Cache-Control"] = CACHED
    await send(message)


def _is_page(start: Message) -> bool:
    return bool(start) and Headers(raw=start.get("headers", [])).get("content-type", "").startswith("text/html")


def find_language(scope: Scope) -> str:
    """Find the language of a request: of its address, else the one that was chosen before, else the browser's.

    Examples:
        >>> find_language({"query_string": b"lang=zh", "headers": []})
        'zh'
        >>> find_language({"headers": [(b"cookie", b"at-k-language=zh"), (b"accept-language", b"en")]})
        'zh'
    """
    headers = Headers(raw=scope["headers"])
    asked = QueryParams(scope.get("query_string", b"")).get("lang")
    chosen = _COOKIE.search(headers.get("cookie", ""))
    for language in (asked, chosen and chosen[1]):
        if language in LANGUAGES:
            return language
    return language_of(headers.get("accept-language"))


def find_host(scope: Scope) -> str:
    """Find the address of the app as visitors see it, for links that must be absolute; empty if it has no proper name.

    Examples:
        >>> find_host({"scheme": "http", "headers": [(b"host", b"at-k.hf.space"), (b"x-forwarded-proto", b"https")]})
        'https://at-k.hf.space/'
    """
    headers = Headers(raw=scope["headers"])
    scheme = headers.get("x-forwarded-proto", "").partition(",")[0].strip()
    scheme = scheme if scheme in ("http", "https") else scope["scheme"]
    host = headers.get("host", "")
    return f"{scheme}://{host}{scope.get('root_path', '')}/" if re.fullmatch(r"[\w.-]+(:\d+)?", host, re.ASCII) else ""


def write_document(document: str, head: str, inside: str, language: str) -> str:
    """Put a head, and what stands before the app, into the document that Gradio wrote."""
    document = _GRADIO_CARD.sub("", document).replace('lang="en"', f'lang="{language}"', 1)
    document = re.sub(r"(<head[^>]*>)", lambda found: found[1] + head, document, count=1)
    return re.sub(r"(<body[^>]*>)", lambda found: found[1] + inside, document, count=1)


def write_head(page: str, language: str, host: str) -> str:
    """Write what the head of the document says in a language, and the scripts that come before Gradio's."""
    title = f"at-k · {say(language, f'{page}.title')}"
    description = say(language, "app.description")
    picture = host + address_of("card.png")
    about = {
        "og:type": "website",
        "og:site_name": "at-k",
        "og:title": title,
        "og:description": description,
        "og:image": picture,
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": say(language, "app.card"),
    }
    twitter = {
        "description": description,
        "twitter:card": "summary_large_image",
        "twitter:title": title,
        "twitter:description": description,
        "twitter:image": picture,
    }
    lines = [f"<title>{escape(title)}</title>"]
    lines += [f'<meta property="{name}" content="{escape(content)}">' for name, content in about.items()]
    lines += [f'<meta name="{name}" content="{escape(content)}">' for name, content in twitter.items()]
    # The page that is open is known before anything of it is drawn.
    lines.append(f'<script>document.documentElement.dataset.page = "{page}"; {_read("first.js")}</script>')
    lines.append(f'<script type="application/json" id="at-k-words">{_write_words(language)}</script>')
    lines += [f'<link rel="stylesheet" href="{address_of(f"{name}.css")}">' for name in STYLES]
    lines += [f'<script type="module" src="{address_of(f"{name}.js")}"></script>' for name in MODULES]
    return "\n".join(lines)


def find_links() -> dict[str, str]:
    """Return the links from every page, by the names of their words. A Space knows its own name, and has the code."""
    space = os.environ.get("SPACE_ID")
    links = {"project": f"https://huggingface.co/spaces/{space}/tree/main"} if space else {}
    return links | {"paper": "https://arxiv.org/abs/2412.13147", "package": "https://pypi.org/project/at-k/"}


def write_header(pages: tuple[str, ...], page: str, language: str) -> str:
    """Write the header of every page: the pages, the switches of language and theme, and the links."""
    tabs = "".join(
        f'<a href="?page={name}" data-page="{name}"{" aria-current=page" if name == page else ""}>'
        f"{escape(say(language, f'{name}.title'))}</a>"
        for name in pages
    )
    other = LANGUAGES[1 - LANGUAGES.index(language)]
    links = "".join(
        f'<a href="{link}" target="_blank" rel="noopener">{escape(say(language, f"app.{name}"))}</a>'
        for name, link in find_links().items()
    )
    return (
        f'<header class="at-k-header" data-start="{escape(page)}">'
        f'<a class="brand" href="?page={pages[0] if pages else ""}" data-page="{pages[0] if pages else ""}">at-k</a>'
        f'<nav aria-label="{escape(say(language, "app.pages"))}">{tabs}</nav>'
        f'<div class="side"><button type="button" data-language="{other}" lang="{other}">'
        f"{escape(say(other, 'app.language'))}</button>"
        f'<button type="button" data-theme></button>'
        f'<button type="button" data-copy>{escape(say(language, "app.copy"))}</button>{links}</div></header>'
    )


@lru_cache(maxsize=len(LANGUAGES))
def _write_words(language: str) -> str:
    place = LANGUAGES.index(language)
    spoken = {key: pair[place] for key, pair in WORDS.items() if key.partition(".")[0] in _SPOKEN}
    return json.dumps(spoken, ensure_ascii=False).replace("<", "\\u003c")


@cache
def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
