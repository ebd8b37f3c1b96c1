"""The checker `judge`: a language model says whether an answer is right."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from at_k.errors import InputError
from at_k.grading.checkers.base import Checker, Explained, Row
from at_k.grading.checkers.text import normalize_words
from at_k.grading.replies import remove_thoughts
from at_k.grading.workers import NotGraded, check_num_workers
from at_k.progress import open_bar
from at_k.validation import shorten, type_name

_TABLE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

# Prompts by name. They ask for what the graders of SimpleQA (Wei et al. 2024, https://arxiv.org/abs/2411.04368), of
# MATH in simple-evals (https://github.com/openai/simple-evals) and of inspect (`model_graded_qa`) ask for, in other
# words.
TEMPLATES: dict[str, str] = _TABLE["prompts"]

# The grades of words by name: those of a prompt, and, as "", those that say what they mean.
WORDS: dict[str, dict[str, float]] = _TABLE["words"]
_FIELDS = (
    "grade",
    "verdict",
    "judgment",
    "judgement",
    "score",
    "correct",
    "is_correct",
    "label",
    "result",
    "answer",
)
_LABEL = re.compile(
    r"(?:the )?(?:final )?(?:grade|verdict|judge?ment|answer|score|result)\s*(?:is\b)?[\s*_]*[:=]?"
    r"|(?:最终)?(?:判断|评分|结论|结果|评判)\s?[:：]?",
    re.IGNORECASE,
)
_AROUND = " \t\n*_`'\".,!#()[]{}。！：【】"

_Reply = tuple[str | NotGraded, dict[str, int]]  # a text, and the requests and tokens that it cost

# Columns that may hold what was asked, in order of preference. A problem may also be an id, which has no spaces.
_QUESTIONS = ("question", "prompt", "input", "query", "instruction", "problem_text", "problem")


def read_verdict(reply: str, words: Mapping[str, float] = WORDS[""]) -> tuple[float, str] | None:
    r"""Read a grade and its name from the reply of a judge: its last line, or a field of its JSON. None for no verdict.

    Examples:
        >>> read_verdict("Correct!"), read_verdict("It names both.\nGrade: NOT_ATTEMPTED"), read_verdict("0.5")
        ((1.0, 'correct'), (0.0, 'not attempted'), (0.5, 'graded'))
        >>> read_verdict('{"grade": "INCORRECT"}'), read_verdict("It is hard to say.")
        ((0.0, 'incorrect'), None)
        >>> read_verdict("GRADE: C", WORDS["inspect"]), read_verdict("GRADE: C", WORDS["simpleqa"])
        ((1.0, 'correct'), (0.0, 'incorrect'))
    """
    text = remove_thoughts(reply).strip().removesuffix("```").strip()
    word = text.rpartition("\n")[2]
    with suppress(ValueError):  # as of a text that is no JSON
        parsed = {
            name.lower(): value for name, value in json.loads(text[text.index("{") :]).items()
        }
        word = next((str(parsed[name]) for name in _FIELDS if name in parsed), word)
    word = (
        _LABEL.sub("", word.strip(_AROUND), count=1)
        .removeprefix("\\boxed")
        .strip(_AROUND)
        .replace("_", " ")
        .lower()
    )
    if re.fullmatch(r"[01]|[01]?\.\d{1,9}", word) and float(word) <= 1:
        return float(word), "graded"
    if word not in words:
        return None
    grade = float(words[word])
    if word == "not attempted":
        return grade, word
    return grade, {0.0: "incorrect", 1.0: "correct"}.get(grade, "partly correct")


@dataclass(frozen=True, repr=False)
class Judge(Checker):
    """Grade an answer by what a language model says of it.

    The model is behind an endpoint that is compatible with OpenAI's, which the package `openai` asks: it takes the key
    from the environment variable OPENAI_API_KEY, tries again after a while, and waits as long as it is told. Each
    question, answer and reference is asked once, and never again while the reply is in the cache. A reply that is no
    verdict grades nothing, and is not kept.

    A prompt is a name ("simpleqa", where an answer that is not attempted is wrong, "math_equality" or "inspect"), or a
    text with {answer}, {reference}, and {question} or any other column of the problem. The last line of a reply, or a
    field such as "grade" of its JSON, must be a word for which the prompt asks, or a number from 0 to 1. The words of a
    named prompt are known. Of another one they are correct, incorrect, yes, no, pass, fail and the like, unless `words`
    names them: letters mean what the prompt says, and C is correct in one and not attempted in another.

    Args:
        model: the name of the model; by default the environment variable AT_K_JUDGE_MODEL.
        base_url: the address of the endpoint; by default the environment variable OPENAI_BASE_URL, or OpenAI's.
        prompt: the name of a prompt, or its text.
        words: the grade of each word, such as {"C": 1, "I": 0}, or the name of a prompt whose words these are.
        cache: the SQLite file of replies; by default at_k/judge.sqlite in the user's folder for caches. ":memory:"
            keeps none.
        temperature: the temperature of the model.
        concurrency: the most requests at a time.

    Examples:
        >>> Judge(model="a-model", prompt="math_equality").describe()
        'judge(model=a-model,prompt=math_equality,temperature=0)'
    """

    model: str = ""
    base_url: str | None = None
    prompt: str = "simpleqa"
    words: str | Mapping[str, float] | tuple[tuple[str, float], ...] = ""
    cache: str | os.PathLike[str] | None = None
    temperature: float = 0.0
    concurrency: int = 8

    name, slow, takes_row = "judge", True, True
    extra, imports = "judge", ("openai",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", self.model or os.environ.get("AT_K_JUDGE_MODEL", ""))
        named = set(re.findall(r"\{\w+\}", str(self.prompt)))
        if self.prompt not in TEMPLATES and not {"{answer}", "{reference}"} <= named:
            raise InputError(
                "judge.prompt",
                "`prompt` must be one of {names}, or a text with {{answer}} and {{reference}}; got {value}",
                names=", ".join(map(repr, TEMPLATES)),
                value=shorten(self.prompt),
            )
        if isinstance(self.words, str) and self.words not in ("", *WORDS):
            raise InputError(
                "judge.words",
                "`words` must be one of {names}, or the grades of words, such as {example}; got {value}",
                names=", ".join(map(repr, filter(None, WORDS))),
                example='{"C": 1, "I": 0}',
                value=shorten(self.words),
            )
        if isinstance(self.words, Mapping):  # a tuple can be hashed
            pairs = tuple((word.lower(), float(grade)) for word, grade in self.words.items())
            object.__setattr__(self, "words", pairs)
        check_num_workers(self.concurrency, "concurrency")

    def list_words(self) -> Mapping[str, float]:
        """Return the grade of each word of a reply."""
        if isinstance(self.words, str):
            return WORDS[""] | WORDS.get(self.words or self.prompt, {})
        return dict(self.words)

    def require(self) -> None:
        """Raise if the package is not installed, or no model is named."""
        super().require()
        if not self.model or not isinstance(self.model, str):
            raise InputError(
                "judge.model",
                "The checker 'judge' needs the name of a model, as its parameter `model` or in the environment "
                "variable AT_K_JUDGE_MODEL.",
            )

    def describe(self) -> str:
        """Return the name with what the verdicts depend on. A prompt of the user is named by a hash."""
        prompt = self.prompt
        if self.prompt not in TEMPLATES:
            prompt = sha256(self.prompt.encode()).hexdigest()[:12]
        words = ""
        if self.words:
            words = f",words={self.words!r}"
        return f"judge(model={self.model},prompt={prompt},temperature={self.temperature:g}{words})"

    def grade_all(
        self, pairs: Sequence[tuple[str, str]], *, rows: Sequence[Row] | None = None, **limits: Any
    ) -> list[Any]:
        """Ask the model about pairs of an answer and a reference, given the row of each problem."""
        self.require()
        template = TEMPLATES.get(self.prompt, self.prompt)
        prompts = [
            _fill(template, *pair, row)
            for pair, row in zip(pairs, rows or [{}] * len(pairs), strict=True)
        ]
        asked = list(dict.fromkeys(prompts))
        file = (
            self.cache
            or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()
            / "at_k"
            / "judge.sqlite"
        )
        replies: dict[str, _Reply] = {}
        try:
            if str(file) != ":memory:":
                Path(file).parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                file, timeout=60, isolation_level=None, check_same_thread=False
            )
            with closing(connection) as cache, ThreadPoolExecutor(self.concurrency) as threads:
                cache.execute(
                    "create table if not exists replies (key text primary key, reply text)"
                )
                with open_bar(len(asked), self.name) as bar:
                    # A refusal ends this loop, which cancels the requests that have not begun.
                    for reply in threads.map(self._make_ask(cache), asked):
                        replies[asked[len(replies)]] = reply
                        bar.update()
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                "judge.cache",
                "The file of the judge's replies, {file}, cannot be used: {fault}. Move it away, or name another one "
                "as `cache`.",
                file=repr(str(file)),
                fault=str(error),
            ) from error
        words = self.list_words()
        return [
            _explain(*replies[prompt], *pair, words)
            for pair, prompt in zip(pairs, prompts, strict=True)
        ]

    def _make_ask(self, cache: sqlite3.Connection) -> Callable[[str], _Reply]:
        """Return a function that takes the reply to a prompt from the cache or the model. Only verdicts are kept."""
        import openai

        endpoint = self.base_url or os.environ.get("OPENAI_BASE_URL")
        # Servers of one's own need no key, and others refuse it.
        client = openai.OpenAI(
            base_url=endpoint, api_key=os.environ.get("OPENAI_API_KEY") or "none"
        )
        lock = Lock()
        words = self.list_words()

        def ask(prompt: str) -> _Reply:
            key = sha256(
                json.dumps([self.model, endpoint, self.temperature, prompt]).encode()
            ).hexdigest()
            with lock:
                kept = cache.execute("select reply from replies where key = ?", [key]).fetchone()
            if kept:
                return kept[0], {"from_cache": 1}
            messages: Any = [{"role": "user", "content": prompt}]
            try:
                reply = client.chat.completions.create(
                    model=self.model, messages=messages, temperature=self.temperature
                )
                text = _encodable(reply.choices[0].message.content or "")
            except (
                openai.AuthenticationError,
                openai.PermissionDeniedError,
                openai.NotFoundError,
            ) as error:
                raise InputError(
                    "judge.refused",
                    "The endpoint of the judge refuses the key or the model {model}: {fault}.",
                    model=repr(self.model),
                    fault=str(error)[:300],
                ) from error
            except (
                openai.OpenAIError,
                ValueError,
                AttributeError,
                LookupError,
                TypeError,
            ) as error:
                # The package lets errors of JSON through, and a reply of another form has no text.
                return NotGraded(
                    "error", f"no reply with a text: {type_name(error)}: {error}"[:500]
                ), {}
            if read_verdict(text, words):
                with lock:
                    cache.execute(
                        "insert or replace into replies (key, reply) values (?, ?)", [key, text]
                    )
            read, written = (
                getattr(reply.usage, name, 0) or 0
                for name in ("prompt_tokens", "completion_tokens")
            )
            return text, {"requests": 1, "tokens_read": read, "tokens_written": written}

        return ask


def _explain(
    reply: str | NotGraded,
    cost: dict[str, int],
    answer: str,
    reference: str,
    words: Mapping[str, float],
) -> Explained | NotGraded:
    """Turn a reply into a grade. A reply costs once."""
    if isinstance(reply, NotGraded):
        return reply
    if not (verdict := read_verdict(reply, words)):
        return NotGraded("error", f"the judge's reply is no verdict: {reply!r:.200}")
    grade, outcome = verdict
    agrees = (grade > 0.5) == (normalize_words(answer) == normalize_words(reference))
    facts = {"judged": 1, "agreeing": int(agrees), **cost}
    cost.clear()
    return Explained(grade, outcome, f"{outcome}: {reply.strip()}"[:500], facts=facts)


def _fill(template: str, answer: str, reference: str, row: Row) -> str:
    """Put an answer, its reference and columns of the problem into a prompt."""
    asked = [
        name for name in _QUESTIONS if name in row and (name != "problem" or " " in str(row[name]))
    ]
    if "{question}" in template and not asked:
        raise InputError(
            "judge.question",
            "The prompt of the judge needs the question of each problem, in a column such as {names}; the data "
            "have {columns}. In a module, `rows` gives them.",
            names=", ".join(map(repr, _QUESTIONS[:2])),
            columns=", ".join(map(repr, row)) or "no columns",
        )
    values = {
        "question": row[asked[0]] if asked else "",
        **row,
        "answer": answer,
        "reference": reference,
    }
    return _encodable(
        re.sub(r"\{(\w+)\}", lambda field: _spell(values.get(field[1], field[0])), template)
    )


def _encodable(text: str) -> str:
    """Replace halves of characters, which neither a request nor a database takes."""
    return text.encode("utf-8", "replace").decode()


def _spell(value: object) -> str:
    """Write a value as text; of a conversation the last message of the user."""
    if (
        isinstance(value, Sequence)
        and value
        and all(isinstance(message, Mapping) for message in value)
    ):
        asked = [message.get("content") for message in value if message.get("role") == "user"]
        return str(asked[-1] if asked else value)
    return str(value)
