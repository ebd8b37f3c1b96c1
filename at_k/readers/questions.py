"""Compare the names of problems with their questions: one name for two questions, or a name for each sample."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from at_k.errors import InputError, Mention
from at_k.readers.arrays import Coded, Codes, encode, find_firsts
from at_k.readers.names import ASKED, PROMPT, QUESTION, find_named, normalize_name, quote_all, shorten
from at_k.readers.roles import Profile


def find_questions(profile: Profile, problem: str | None, *, own_names: bool) -> Mapping[str, str]:
    """Find what each problem asks, as far as the first rows say it: all rows may have gigabytes of questions."""
    if problem is None or normalize_name(problem) in QUESTION:
        return {}
    names = [name for name in profile.columns if name != problem]
    sure = [name for name in names if normalize_name(name) in ASKED][:1]
    asking = {name: _code_questions(profile[name].cells) for name in sure or find_named(names, PROMPT)}
    column = max(asking, key=lambda name: len(asking[name].values), default="")
    if not column or not all(isinstance(text, str) for text in asking[column].values):
        return {}
    (problems, named), (questions, texts) = encode(profile[problem].cells), asking[column]
    known = np.flatnonzero((problems >= 0) & (questions >= 0))
    if not len(known):
        return {}
    problems, questions = problems[known], questions[known]
    firsts = find_firsts(problems)
    asked = np.full(len(named), -1, dtype=np.int64)
    asked[problems[firsts]] = questions[firsts]
    other = questions != asked[problems]
    is_split = own_names and _is_mostly_repeated(questions) and (bool(sure) or len(texts) > 1)
    if other.any() or is_split:
        row = int(np.argmax(other))
        same = problems == problems[row] if other.any() else questions == np.bincount(questions).argmax()
        # A list of messages is no name of a problem.
        named_by = column if any(isinstance(cell, str) for cell in profile[column].there) else "…"
        raise InputError(
            "plain.questions",
            "Columns “{problem}” and “{column}” do not tell the same problems apart: {names} with {texts}. If each "
            "value of “{column}” is a problem: {apart}. If each value of “{problem}” is one all the same: {one}.",
            problem=shorten(problem),
            column=shorten(column),
            names=quote_all(dict.fromkeys(named[code] for code in problems[same].tolist())),
            texts=quote_all(dict.fromkeys(texts[code] for code in questions[same].tolist())),
            apart=Mention(columns={"problem": shorten(named_by)}),
            one=Mention(columns={"problem": shorten(problem)}),
        )
    return {str(named[code]): str(texts[asked[code]]) for code in problems[firsts].tolist()}


def _code_questions(cells: Sequence[object]) -> Coded:
    return encode(list(map(_spell_question, cells)))


def _spell_question(cell: object) -> object:
    """Return a question as text. Of messages, what follows the last one of the user is an answer."""
    if isinstance(cell, list):
        asked = [place for place, part in enumerate(cell) if isinstance(part, dict) and part.get("role") == "user"]
        cell = cell[: asked[-1] + 1] if asked else cell
    return json.dumps(cell, ensure_ascii=False, default=str) if isinstance(cell, (list, dict)) else cell or None


def _is_mostly_repeated(questions: Codes) -> bool:
    """Return whether half of the rows share their question with another one. A few problems may be there twice."""
    counts = np.bincount(questions)
    return bool(2 * counts[counts > 1].sum() >= len(questions))
