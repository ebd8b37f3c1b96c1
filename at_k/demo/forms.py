"""What a form of a page asks for, answered in turn."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from at_k.demo.asking import Form, refuse
from at_k.demo.document import find_language
from at_k.demo.limits import BUSY_SECONDS
from at_k.demo.turns import BusyError, find_address, in_turn
from at_k.demo.words import say
from at_k.demo.work import ANSWERING, answer
from at_k.errors import InputError


async def answer_form(request: Request) -> JSONResponse:
    """Answer the form of a page with the parts of the page, as `work.answer`; or say when to ask again."""
    page, language = request.path_params["page"], find_language(request.scope)
    if page not in ANSWERING:
        raise HTTPException(404)
    values: Any = await request.json()
    session = request.headers.get("x-session", "")
    try:
        found = await in_turn(find_address(request), session, answer, page, values, language)
    except InputError as reason:
        found = refuse(reason, Form({}, None, language), {})
    except BusyError:
        headers = {"Retry-After": str(BUSY_SECONDS)}
        return JSONResponse({"error": say(language, "serving.busy")}, 503, headers)
    return JSONResponse(found)
