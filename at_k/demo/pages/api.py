"""Use via API: the endpoints for programs, each with its arguments, and how they are called."""

import inspect
from collections.abc import Callable
from html import escape
from typing import Any

from at_k.demo.words import say

POSITION = 6

PYTHON = """\
from gradio_client import Client  # pip install gradio_client

client = Client("http://127.0.0.1:7860")  # or the name of a Space, "owner/name"
with open("results.jsonl", encoding="utf-8") as file:
    print(client.predict(file.read(), api_name="/score"))
print(client.predict(16, 8, k=[1, 4, 8], taus=[0.5, 1.0], api_name="/explore"))
"""

CURL = """\
curl -H "Content-Type: application/json" -d '{"data": [16, 8, [1, 4, 8], [0.5, 1.0], 0]}' \\
  http://127.0.0.1:7860/gradio_api/run/explore
"""


def write_section(language: str, **_: str) -> str:
    """Write the page in a language; the endpoints describe themselves, in English."""
    from at_k.demo.api import ENDPOINTS  # which needs Gradio

    described = "".join(
        f"<h2><code>/{each.__name__}</code></h2><pre tabindex=0>{escape(_write_arguments(each))}</pre>"
        f'<pre class="prose" lang="en">{escape(inspect.getdoc(each) or "")}</pre>'
        for each in ENDPOINTS
    )
    return (
        f'<main class="page" id="api"><h1>{say(language, "api.title")}</h1>'
        f'<p class="text">{say(language, "api.text")}</p>'
        f"<pre tabindex=0>{escape(PYTHON)}</pre><pre tabindex=0>{escape(CURL)}</pre>{described}</main>"
    )


def _write_arguments(function: Callable[..., Any]) -> str:
    shown = [each for each in inspect.signature(function).parameters.values() if each.name != "request"]
    return "\n".join(str(each) for each in shown)
