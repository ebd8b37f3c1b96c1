"""The checker `judge`: a language model says whether an answer is right."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker, Explained, Row
from at_k.grading.checkers.quasi_exact import normalize_words
from at_k.grading.marks import remove_thoughts
from at_k.grading.workers import NotGraded
from at_k.progress import open_bar
from at_k.validation import is_integer, is_number, shorten, type_name

TEMPLATES = {
    "simpleqa": """Compare an answer with the known right one, and say how it did.

Say CORRECT if the answer contains all that matters of the right one, and nothing that contradicts it. Spelling, order,
length and hedging do not matter. A number must agree to the last digit that the right answer gives. What the question
makes plain may be left out, and so may details of the right answer for which the question does not ask.
Say INCORRECT if any statement of the answer contradicts the right one, however carefully it is worded.
Say NOT_ATTEMPTED if the answer neither contains what matters nor contradicts it: it declines, asks back, or says only a
part.

Question: {question}
Right answer: {reference}
Answer to be judged: {answer}

Reply with one of the words CORRECT, INCORRECT and NOT_ATTEMPTED, and nothing else.""",
    "math_equality": """Are these two answers to one mathematical problem the same?

They are the same if they differ in notation, in units that only one of them states, in the order of terms, or by a
simplification that is done at a glance, such as 3/2 and 1.5, or 2x + 3 and 3 + 2x. They are not the same if real
computation is needed to see it, such as 3245/5 and 649, or if the variables differ.

First answer: {reference}
Second answer: {answer}

Reply with Yes or No, and nothing else.""",
}
"""Prompts by name. They ask for what the graders of SimpleQA (Wei et al. 2024, https://arxiv.org/abs/2411.04368) and of
MATH in simple-evals (https://github.com/openai/simple-evals) ask for, in other words."""

_VERDICTS = {
    **dict.fromkeys(("correct", "yes", "a", "true"), (1.0, "correct")),
    **dict.fromkeys(("incorrect", "no", "b", "false"), (0.0, "incorrect")),
    **dict.fromkeys(("not attempted", "c"), (0.0, "not attempted")),
}
_LABEL = re.compile(r"^(?:(?:final )?(?:grade|verdict|judge?ment|answer|score))\s*(?:is)?\s*[:=]?\s*", re.IGNORECASE)
_FIELD = re.compile(r"\{(\w+)\}")
_QUESTIONS = ("question", "prompt", "input", "query", "instruction", "problem_text", "problem")
"""Columns that may hold what was asked, in order of preference. A problem may also be an id, which has no spaces."""

_TABLE = "create table if not exists replies (key text primary key, reply text, read integer, written integer)"


def read_verdict(reply: str) -> tuple[float, str] | None:
    r"""Read a grade and its name from the whole reply of a judge, or its last line; None if neither is a verdict.

    Examples:
        >>> read_verdict("CORRECT"), read_verdict("It names both.\nGrade: NOT_ATTEMPTED"), read_verdict("0.5")
        ((1.0, 'correct'), (0.0, 'not attempted'), (0.5, 'graded'))
        >>> print(read_verdict("It is hard to say."))
        None
    """
    lines = [line for line in remove_thoughts(reply).strip().splitlines() if line.strip()]
    if not lines:
        return None
    word = _LABEL.sub("", lines[-1].strip(" \t*_`'\".#()[]")).strip(" \t*_`'\".()[]").replace("_", " ").lower()
    if re.fullmatch(r"[01]|[01]?\.\d{1,9}", word) and float(word) <= 1:
        return float(word), "graded"
    return _VERDICTS.get(word)


@dataclass(frozen=True, repr=False)
class Judge(Checker):
    """Grade an answer by what a language model says of it.

    The model is behind an endpoint that is compatible with OpenAI's, which the package `openai` asks: it takes the key
    from the environment variable OPENAI_API_KEY, tries again after a while, and waits as long as it is told. Each
    question, answer and reference is asked once, and never again while the reply is in the cache. A reply that is no
    verdict grades nothing, and is not kept.

    A prompt is a name ("simpleqa", where an answer that is not attempted is wrong, or "math_equality"), or a text with
    {answer}, {reference}, and {question} or any other column of the problem. The last line of a reply must be correct,
    incorrect, not attempted, yes, no, or a number from 0 to 1.

    Args:
        model: the name of the model; by default the environment variable AT_K_JUDGE_MODEL.
        base_url: the address of the endpoint; by default the environment variable OPENAI_BASE_URL, or OpenAI's.
        prompt: the name of a prompt, or its text.
        cache: the SQLite file of replies; by default at_k/judge.sqlite in the user's folder for caches. ":memory:"
            keeps none.
        temperature: the temperature of the model.
        max_tokens: the most tokens of a reply; by default the endpoint's own limit.
        concurrency: the most requests at a time.
        max_retries: how often a request is tried again.
        seconds: the time after which a request is given up.

    Examples:
        >>> Judge(model="a-model", prompt="math_equality").describe()
        'judge(model=a-model,prompt=math_equality,temperature=0)'
    """

    model: str = ""
    base_url: str | None = None
    prompt: str = "simpleqa"
    cache: str | os.PathLike[str] | None = None
    temperature: float = 0.0
    max_tokens: int | None = None
    concurrency: int = 8
    max_retries: int = 5
    seconds: float = 120.0

    name = "judge"
    slow = True
    takes_row: ClassVar[bool] = True
    extra = "judge"
    imports = ("openai",)

    def __post_init__(self) -> None:
        for name in ("model", "prompt"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"`{name}` must be a string; got {type_name(getattr(self, name))}")
        if self.prompt not in TEMPLATES and not {"{answer}", "{reference}"} <= {*re.findall(r"\{\w+\}", self.prompt)}:
            raise InputError(
                "judge.prompt",
                "`prompt` must be one of {names}, or a text with {{answer}} and {{reference}}; got {value}",
                names=", ".join(map(repr, TEMPLATES)), value=shorten(self.prompt),
            )  # fmt: skip
        for name in ("concurrency", "max_retries"):
            value = getattr(self, name)
            if not is_integer(value) or value < (name == "concurrency"):
                raise ValueError(f"`{name}` must be an integer from {int(name == 'concurrency')}; got {shorten(value)}")
        if not is_number(self.seconds) or not self.seconds > 0:
            raise ValueError(f"`seconds` must be a positive number; got {shorten(self.seconds)}")

    @property
    def _model(self) -> str:
        return self.model or os.environ.get("AT_K_JUDGE_MODEL", "")

    @property
    def _file(self) -> str | os.PathLike[str]:
        return self.cache or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "at_k" / "judge.sqlite"

    def require(self) -> None:
        """Raise if the package is not installed, or no model is named."""
        super().require()
        if not self._model:
            raise InputError(
                "judge.model",
                "The checker 'judge' needs the name of a model, as its parameter `model` or in the environment "
                "variable AT_K_JUDGE_MODEL.",
            )

    def describe(self) -> str:
        """Return the name with what the verdicts depend on. A prompt of the user is named by a hash."""
        prompt = self.prompt if self.prompt in TEMPLATES else sha256(self.prompt.encode()).hexdigest()[:12]
        return f"judge(model={self._model},prompt={prompt},temperature={self.temperature:g})"

    def grade_all(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        rows: Sequence[Row] | None = None,
        num_workers: int | None = None,
        timeout: float | None = None,
    ) -> list[Any]:
        """Ask the model about pairs of an answer and a reference, given the row of each problem.

        Returns:
            For each pair an `Explained`, whose facts count requests and tokens, or a `NotGraded`.

        Raises:
            InputError: if the prompt needs a column that is not there, or the endpoint refuses the key or the model.
        """
        self.require()
        prompts = [
            _fill(TEMPLATES.get(self.prompt, self.prompt), *pair, row)
            for pair, row in zip(pairs, rows or [{}] * len(pairs), strict=True)
        ]
        with ThreadPoolExecutor(1) as thread:  # the caller may be in an event loop, as a notebook is
            try:
                replies = thread.submit(asyncio.run, self._ask_all(list(dict.fromkeys(prompts)))).result()
            except (sqlite3.Error, OSError) as error:
                raise InputError(
                    "judge.cache",
                    "The file of the judge's replies, {file}, cannot be used: {fault}. Move it away, or name another "
                    "one as `cache`.",
                    file=repr(str(self._file)), fault=str(error),
                ) from error  # fmt: skip
        found, paid = [], set[str]()
        for (answer, reference), prompt in zip(pairs, prompts, strict=True):
            found.append(_explain(replies[prompt], answer, reference, first=prompt not in paid))
            paid.add(prompt)
        return found

    async def _ask_all(self, prompts: Sequence[str]) -> dict[str, _Reply | NotGraded]:
        from openai import AsyncOpenAI

        if str(self._file) != ":memory:":
            Path(self._file).parent.mkdir(parents=True, exist_ok=True)
        endpoint = self.base_url or os.environ.get("OPENAI_BASE_URL")
        settings = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        keys = {
            prompt: sha256(json.dumps([self._model, endpoint, settings, prompt]).encode()).hexdigest()
            for prompt in prompts
        }
        replies: dict[str, _Reply | NotGraded] = {}
        with closing(sqlite3.connect(self._file, timeout=60)) as cache, open_bar(len(prompts), self.name) as bar:
            cache.execute(_TABLE)
            for prompt in prompts:
                held = cache.execute(
                    "select reply, read, written from replies where key = ?", [keys[prompt]]
                ).fetchone()
                if held:
                    text, read, written = held
                    replies[prompt] = _Reply(text, read, written, cached=True)
                    bar.update()
            left = [prompt for prompt in prompts if prompt not in replies]
            if not left:
                return replies
            key = os.environ.get("OPENAI_API_KEY") or "none"  # servers of one's own need no key, and others refuse it
            async with AsyncOpenAI(
                base_url=endpoint, api_key=key, max_retries=self.max_retries, timeout=self.seconds
            ) as client:
                turns = asyncio.Semaphore(self.concurrency)

                async def ask(prompt: str) -> None:
                    async with turns:
                        reply = replies[prompt] = await self._ask(client, prompt, settings)
                    if isinstance(reply, _Reply) and read_verdict(reply.text):
                        row = (keys[prompt], reply.text, reply.read, reply.written)
                        cache.execute("insert or replace into replies values (?, ?, ?, ?)", row)
                        cache.commit()
                    bar.update()

                await asyncio.gather(*map(ask, left))
        return replies

    async def _ask(self, client: Any, prompt: str, settings: Mapping[str, Any]) -> _Reply | NotGraded:
        import openai

        given = {name: value for name, value in settings.items() if value is not None}
        try:
            said = await client.chat.completions.create(
                model=self._model, messages=[{"role": "user", "content": prompt}], **given
            )
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise InputError(
                "judge.refused", "The endpoint of the judge refuses the key or the model {model}: {fault}.",
                model=repr(self._model), fault=str(error)[:300],
            ) from error  # fmt: skip
        except (openai.OpenAIError, ValueError) as error:  # the package lets those of JSON through
            return NotGraded("error", f"{type_name(error)}: {error}"[:500])
        try:
            text = said.choices[0].message.content
        except (AttributeError, IndexError, TypeError):
            text = None
        if not isinstance(text, str):
            return NotGraded("error", f"the judge's reply has no text: {str(said)!r:.200}")
        read, written = (getattr(said.usage, name, 0) for name in ("prompt_tokens", "completion_tokens"))
        return _Reply(_encodable(text), read if is_integer(read) else 0, written if is_integer(written) else 0)


@dataclass(frozen=True)
class _Reply:
    """Hold what a judge said, and the tokens that were read and written for it."""

    text: str
    read: int
    written: int
    cached: bool = False


def _explain(reply: _Reply | NotGraded, answer: str, reference: str, *, first: bool) -> Explained | NotGraded:
    """Turn a reply into a grade. The first of equal ones has the cost among its facts."""
    if isinstance(reply, NotGraded):
        return reply
    verdict = read_verdict(reply.text)
    if verdict is None:
        return NotGraded("error", f"the judge's reply is no verdict: {reply.text!r:.200}")
    grade, outcome = verdict
    equal = normalize_words(answer) == normalize_words(reference)
    facts = {"judged": 1, "agreeing": int((grade > 0.5) == equal)}
    if first:
        new = not reply.cached
        facts |= {"requests": int(new), "from_cache": int(reply.cached)}
        facts |= {"tokens_read": new * reply.read, "tokens_written": new * reply.written}
    return Explained(grade, outcome, f"{outcome}: {reply.text.strip()}"[:500], facts=facts)


def _fill(template: str, answer: str, reference: str, row: Row) -> str:
    """Put an answer, its reference and columns of the problem into a prompt."""
    values = {**row, "answer": answer, "reference": reference}
    asked = [row[name] for name in _QUESTIONS if name in row and (name != "problem" or " " in str(row[name]))]
    if asked:
        values.setdefault("question", asked[0])

    def find(field: re.Match[str]) -> str:
        if field[1] in values:
            return _spell(values[field[1]])
        if field[1] == "question":
            raise InputError(
                "judge.question",
                "The prompt of the judge needs the question of each problem, in a column such as {names}; the data "
                "have {columns}. In a module, `rows` gives them.",
                names=", ".join(map(repr, _QUESTIONS[:2])), columns=", ".join(map(repr, row)) or "no columns",
            )  # fmt: skip
        return field[0]

    return _encodable(_FIELD.sub(find, template))


def _encodable(text: str) -> str:
    """Replace halves of characters, which neither a request nor a database takes."""
    return text.encode("utf-8", "replace").decode()


def _spell(value: object) -> str:
    """Write a value as text; of a conversation the last message of the user."""
    if isinstance(value, Sequence) and value and all(isinstance(each, Mapping) for each in value):
        said = [each.get("content") for each in value if each.get("role") == "user"]
        return str(said[-1] if said else value)
    return str(value)
