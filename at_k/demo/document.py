"""The document that holds all pages: its head, the header with its links, the pages, and the files of the browser."""

from __future__ import annotations

import gzip
import json
import os
import re
from base64 import b64encode
from functools import cache, lru_cache
from hashlib import sha256
from html import escape
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from at_k.demo import pages
from at_k.demo.previews import read_key
from at_k.demo.words import LANGUAGES, WORDS, language_of, say

FOLDER = Path(__file__).with_name("assets")

CACHED = "public, max-age=31536000, immutable"

_COOKIE = re.compile(r"(?:^|;\s*)at-k-language=(\w+)\s*(?:;|$)", re.ASCII)
"""The language that was chosen on a page, as `assets/address.js` keeps it."""

_MODULES = ("address", "figures", "counts", "sentences", "story", "explore", "asking", "score")
_SPOKEN = ("app", "explore")
"""The kinds of words that the browser puts into the page by itself."""

_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' "
    "fill='%233b4fe4'/%3E%3C/svg%3E"
)


@cache
def find_pages() -> dict[str, ModuleType]:
    """Find every file in `pages`, by name, in the order of their `POSITION`."""
    found = {part.name: import_module(f"{pages.__name__}.{part.name}") for part in iter_modules(pages.__path__)}
    return dict(sorted(found.items(), key=lambda item: item[1].POSITION))


@cache
def hash_assets() -> str:
    """Return the hash of all files of `FOLDER`: modules import each other, so that they change together."""
    digest = sha256()
    for path in sorted(path for path in FOLDER.iterdir() if path.is_file()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def address_of(name: str) -> str:
    """Return the address of a file of `FOLDER`, from the page.

    Examples:
        >>> address_of("figures.js").startswith("assets-at-k/")
        True
    """
    return f"assets-at-k/{hash_assets()}/{name}"


class Assets(StaticFiles):
    """The files of `FOLDER`, which a browser keeps: their address changes with them."""

    def __init__(self) -> None:
        super().__init__(directory=FOLDER)

    def file_response(self, *args: Any, **options: Any) -> Response:
        """Answer with a file."""
        answer = super().file_response(*args, **options)
        answer.headers["Cache-Control"] = CACHED
        return answer


class Document:
    """The document, opened at a page, and the page "metrics" at a metric: what answers a request for "/"."""

    def __init__(self, start: str | None = None, metric: str | None = None) -> None:
        self.start = start or next(iter(find_pages()))
        self.metric = metric or ""

    def answer(self, request: Request) -> Response:
        """Answer with the document in the language of the visitor."""
        asked = request.query_params.get("page") or request.query_params.get("open")
        page = asked if asked in find_pages() else self.start
        language = find_language(request.scope)
        picture = urlencode(read_key(page, request.query_params))
        body = _pack_document(page, self.start, language, find_host(request.scope), picture, self.metric)
        headers = {"Vary": "Accept-Encoding, Accept-Language, Cookie"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
        else:
            body = gzip.decompress(body)
        return Response(body, media_type="text/html", headers=headers)


@lru_cache(16)
def _pack_document(page: str, *others: str) -> bytes:
    return gzip.compress(write_document(page, *others).encode("utf-8"))


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


def write_document(page: str, start: str, language: str, host: str, picture: str = "", metric: str = "") -> str:
    """Write the document in a language, opened at a page; an address without one opens the `start`.

    The picture that a link to it shows is what `previews.answer_preview` answers to the query `picture`.
    """
    sections = "".join(
        f'<div data-section="{name}"{"" if name == page else " hidden"}>'
        f"{module.write_section(language, metric=metric)}</div>"
        for name, module in find_pages().items()
    )
    return (
        f'<!doctype html><html lang="{language}" data-page="{page}" data-start="{start}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{write_head(page, language, host, picture)}</head>"
        f"<body>{write_header(page, language)}{sections}{write_footer(page, language)}</body></html>"
    )


def write_head(page: str, language: str, host: str, query: str = "") -> str:
    """Write what the head of the document says in a language, and the scripts and styles of the pages."""
    title = f"at-k · {say(language, f'{page}.title')}"
    description = say(language, "app.description")
    picture = f"{host}card.png?{query}"
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
    named = {"description": description, "twitter:card": "summary_large_image", "twitter:image": picture}
    lines = [f"<title>{escape(title)}</title>", f'<link rel="icon" href="{_ICON}">']
    lines += [f'<meta property="{name}" content="{escape(content)}">' for name, content in about.items()]
    lines += [f'<meta name="{name}" content="{escape(content)}">' for name, content in named.items()]
    spoken = {key: pair[LANGUAGES.index(language)] for key, pair in WORDS.items() if key.partition(".")[0] in _SPOKEN}
    words = json.dumps(spoken | {"titles": say_titles(language)}, ensure_ascii=False).replace("<", "\\u003c")
    lines.append(f"<script>{read_first()}</script>")
    lines.append(f'<script type="application/json" id="at-k-words">{words}</script>')
    lines.append(f'<link rel="stylesheet" href="{address_of("pages.css")}">')
    lines += [f'<script type="module" src="{address_of(f"{name}.js")}"></script>' for name in _MODULES]
    return "\n".join(lines)


def say_titles(language: str) -> dict[str, str]:
    """Say the titles of all pages: name → title."""
    return {name: say(language, f"{name}.title") for name in find_pages()}


@cache
def read_first() -> str:
    """Read the script that runs before anything is drawn; it stands in the document."""
    return (FOLDER / "first.js").read_text(encoding="utf-8")


def hash_first() -> str:
    """Return the hash by which the policy of the document allows this script, and no other one in it."""
    return b64encode(sha256(read_first().encode()).digest()).decode()


def write_header(page: str, language: str) -> str:
    """Write the header of every page: the pages, and the switches of language and theme."""
    tabs = "".join(_link(name, language, current=name == page) for name in find_pages() if name not in _IN_FOOTER)
    first = next(iter(find_pages()))
    other = LANGUAGES[1 - LANGUAGES.index(language)]
    return (
        f'<header class="at-k-header"><a class="brand" href="?page={first}" data-page="{first}">at-k</a>'
        f'<nav aria-label="{escape(say(language, "app.pages"))}">{tabs}</nav>'
        f'<div class="side"><button type="button" data-language="{other}" lang="{other}">'
        f"{escape(say(other, 'app.language'))}</button>"
        f'<button type="button" data-theme></button>'
        f'<button type="button" data-copy>{escape(say(language, "app.copy"))}</button></div></header>'
    )


_IN_FOOTER = ("api",)


def _link(name: str, language: str, *, current: bool = False) -> str:
    return (
        f'<a href="?page={name}" data-page="{name}"{" aria-current=page" if current else ""}>'
        f"{escape(say(language, f'{name}.title'))}</a>"
    )


def find_links() -> dict[str, str]:
    """Return the links from every page, by the names of their words. A Space knows its own name, and has the code."""
    space = os.environ.get("SPACE_ID")
    links = {"project": f"https://huggingface.co/spaces/{space}/tree/main"} if space else {}
    return links | {"paper": "https://arxiv.org/abs/2412.13147", "package": "https://pypi.org/project/at-k/"}


def write_footer(page: str, language: str) -> str:
    """Write what stands below every page: how a program uses the app, and links to elsewhere."""
    inside = [_link(name, language, current=name == page) for name in _IN_FOOTER]
    links = [
        f'<a href="{link}" target="_blank" rel="noopener">{escape(say(language, f"app.{name}"))}</a>'
        for name, link in find_links().items()
    ]
    return f'<footer class="at-k-footer">{"".join(inside + links)}</footer>'
