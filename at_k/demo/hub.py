"""Files of data sets on the Hub, which visitors open by their addresses; no other host is asked for anything."""

from __future__ import annotations

import os
import re
from http.client import HTTPException, HTTPMessage
from time import monotonic
from typing import IO
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from at_k.demo.limits import HUB_SECONDS, LIMITS
from at_k.demo.words import make_error

# The address of the Hub, from the variable that its own library reads.
ENDPOINT = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")

# Suffixes of the hosts to which the Hub redirects for large files.
_STORES = (".huggingface.co", ".hf.co")

_ADDRESS = re.compile(r"\s*(?:https?|hf)://\S[^\n]*\s*", re.IGNORECASE)
_REPOSITORY = r"datasets/(?P<repository>\w[\w.-]*/\w[\w.-]*)"
_PATH = r"(?P<path>[^?#\ud800-\udfff]+)"
_FILES = (
    re.compile(rf"hf://{_REPOSITORY}(?:@(?P<revision>[\w.%-]+))?/{_PATH}", re.ASCII),
    re.compile(
        rf"https://huggingface\.co/{_REPOSITORY}/(?:blob|resolve|raw)/(?P<revision>[\w.%-]+)/{_PATH}",
        re.ASCII,
    ),
)
# The query of the Hub's own links to a file.
_DOWNLOAD = "?download=true"

# Status codes of files that are private or missing.
_HIDDEN = (401, 403, 404, 410)

_PIECE = 1 << 18


class _OwnStores(HTTPRedirectHandler):
    """Follow the Hub to its own stores, and nowhere else."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        target, hub = urlsplit(newurl), urlsplit(ENDPOINT)
        trusted = target.netloc == hub.netloc or (target.hostname or "").endswith(_STORES)
        if target.scheme != hub.scheme or not trusted:
            raise HTTPError(newurl, code, "a redirect to another host", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_address(text: str) -> bool:
    r"""Return whether a text is an address, and no results.

    Examples:
        >>> is_address(" hf://datasets/a/b/c.csv\n"), is_address("id,correct\nhttps://example.org,1")
        (True, False)
    """
    return _ADDRESS.fullmatch(text) is not None


def read_file(address: str) -> tuple[str, bytes]:
    """Read a file of a public data set on the Hub, without a name of ours: its name, and its content."""
    text = address.strip().removesuffix(_DOWNLOAD)
    match = next(filter(None, (pattern.fullmatch(text) for pattern in _FILES)), None)
    path = unquote(match["path"]) if match else ""
    if match is None or {"", ".", ".."} & {*path.split("/")}:
        raise make_error("hub.address")
    name = path.rpartition("/")[2]
    place = f"datasets/{match['repository']}/resolve/{match['revision'] or 'main'}/{quote(path)}"
    try:
        return name, _download(f"{ENDPOINT}/{place}", name)
    except HTTPError as reason:
        reason.close()
        raise make_error(
            "hub.missing" if reason.code in _HIDDEN else "hub.unreachable", file=name
        ) from None
    except (OSError, HTTPException):
        raise make_error("hub.unreachable", file=name) from None


def _download(url: str, name: str) -> bytes:
    if os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on"):
        raise OSError("offline")
    content, latest = bytearray(), monotonic() + HUB_SECONDS
    request = Request(url, headers={"User-Agent": "at-k"})
    with build_opener(_OwnStores).open(request, timeout=HUB_SECONDS) as answer:
        while piece := answer.read1(_PIECE):
            content += piece
            if len(content) > (LIMITS.max_bytes or 0):
                raise make_error(
                    "hub.too_large", file=name, megabytes=f"{(LIMITS.max_bytes or 0) / 1e6:g}"
                )
            if monotonic() > latest:
                raise TimeoutError
    return bytes(content)
