"""Check that what was read is what was meant: samples of one model, on one set of problems, and no more than these.

A false alarm costs the user one option, which the error names. A wrong reading without a word costs much more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from os.path import abspath, commonpath, relpath
from pathlib import Path
from unicodedata import normalize

import numpy as np

from at_k.errors import InputError, Mention, Message, SeveralModelsError
from at_k.readers.coding import Coded, Codes, count_distinct, encode, find_firsts, join_codes
from at_k.readers.models import SET_NAMES, has_name, simplify
from at_k.readers.quoting import normalize_name, quote, quote_all, shorten
from at_k.readers.samples import Samples
from at_k.readers.table import QUESTION_NAMES, Table

_SUMMARY = re.compile(
    r"[\W_]*(?:(?:acc|accuracy|all|average|avg|macro|mean|median|micro|overall|results?|scores?|std|stddev|stdev|sum|"
    r"summary|total|(?:avg|cons|maj|mean|pass)@\d+|平均|总计|合计)(?:[\W_]+|$))+",
    re.IGNORECASE,
)
"""Names of the first or last rows that are no problems, but sum up the others."""

_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")

_SPACE = re.compile(r"[^\S\t\r\n]")

_LISTED = 10
"""Files that a note lists."""

_QUESTION_NAMES = (*QUESTION_NAMES, "problem_text", "query")
"""Names of columns that hold the question, and nothing else."""

_PROMPT_NAMES = ("messages", "instruction", "input", "example")
"""Names of columns that may hold the question, or what all questions share: the one that differs most is taken."""


def refuse_several_sets(table: Table, problem: str | None, others: Sequence[str]) -> None:
    """Raise if a problem has the name of another one in another set of problems, as one of the other columns says."""
    if problem is None:
        return
    for name in others:
        if not has_name(name, SET_NAMES):
            continue
        sets, values = table.coded(name)
        if count_distinct(sets) < 2:  # null is a value, too
            continue
        problems, names = table.coded(problem)
        firsts = find_firsts(join_codes([problems, sets]))
        several = np.bincount(problems[firsts][problems[firsts] >= 0]) > 1
        if several.any():
            clash = int(np.argmax(several))
            own = firsts[problems[firsts] == clash]
            raise InputError(
                "plain.several_sets",
                "Problem {problem} is in several sets of problems by column “{column}”: {values}. To score one set, "
                "keep only its rows: {where}. If it is the same problem in all of them, say so: {pool}. "
                "Else give every problem a name of its own.",
                problem=quote(names[clash]),
                column=shorten(name),
                values=quote_all(values[sets[row]] if sets[row] >= 0 else None for row in own.tolist()),
                where=Mention(where={shorten(name): simplify(values[0])}),
                pool=Mention(pool=shorten(name)),
            )


def find_questions(table: Table, head: Table, problem: str | None, *, per_sample: bool) -> dict[str, str]:
    """Find what each problem asks, as far as the first rows say it: all rows may have gigabytes of questions.

    Args:
        table: the rows.
        head: the first of them.
        problem: the column that was taken for the names of the problems.
        per_sample: whether each sample has a row of its own.

    Raises:
        InputError: if one name stands for two questions, or each sample of a question has a name of its own.
    """
    if problem is None or normalize_name(problem) in QUESTION_NAMES:
        return {}
    spellings = {name: normalize_name(name) for name in table if name != problem}
    sure = [name for name, spelling in spellings.items() if spelling in _QUESTION_NAMES][:1]
    asking = {
        name: _code_questions(head.coded(name))
        for name in sure or [name for name, spelling in spellings.items() if spelling in _PROMPT_NAMES]
    }
    column = max(asking, key=lambda name: len(asking[name].values), default="")
    if not column or not all(isinstance(text, str) for text in asking[column].values):
        return {}
    (problems, names), (questions, texts) = head.coded(problem), asking[column]
    known = np.flatnonzero((problems >= 0) & (questions >= 0))
    if not len(known):
        return {}
    problems, questions = problems[known], questions[known]
    is_text = any(isinstance(cell, str) for cell in head.coded(column).values)
    ways = {way: Mention(columns={"problem": shorten(name)}) for way, name in (("all", column), ("one", problem))}
    firsts = find_firsts(problems)
    asked = np.full(len(names), -1, dtype=np.int64)
    asked[problems[firsts]] = questions[firsts]
    other = questions != asked[problems]
    if other.any():
        row = int(np.argmax(other))
        if not is_text:
            raise InputError(
                "plain.two_prompts",
                "Problem {problem} has two different questions in column “{column}”. If each is a problem, give it an "
                "id of its own. If both are the same problem, say so: {one}.",
                problem=quote(names[problems[row]]),
                column=shorten(column),
                one=ways["one"],
            )
        raise InputError(
            "plain.two_questions",
            "Problem {problem} has two different values in column “{column}”: {first} and {second}. If each is a "
            "problem, say so: {all}. If both are the same problem, say so: {one}.",
            problem=quote(names[problems[row]]),
            column=shorten(column),
            first=quote(texts[asked[problems[row]]]),
            second=quote(texts[questions[row]]),
            **ways,
        )
    repeats = _is_mostly_repeated(questions) and (bool(sure) or len(texts) > 1)
    own = table.coded(problem).codes
    if per_sample and repeats and count_distinct(own) == len(own):
        if not is_text:
            raise InputError(
                "plain.own_prompts",
                "Every row has its own value in column “{problem}”, so that it would be a problem of its own, but the "
                "questions in column “{column}” repeat. If a question is a problem, give all of its rows one id. If "
                "each row is a problem all the same, say so: {one}.",
                problem=shorten(problem),
                column=shorten(column),
                one=ways["one"],
            )
        raise InputError(
            "plain.own_names",
            "Every row has its own value in column “{problem}”, so that it would be a problem of its own, but column "
            "“{column}” repeats: {example}. If its values are the problems, say so: {all}. If each row is a "
            "problem all the same, say so: {one}.",
            problem=shorten(problem),
            column=shorten(column),
            example=quote(texts[np.bincount(questions).argmax()]),
            **ways,
        )
    return {str(names[code]): str(texts[asked[code]]) for code in problems[firsts].tolist()}


def _code_questions(coded: Coded) -> Coded:
    asked = [_spell_question(value) for value in coded.values]
    return encode([asked[code] if code >= 0 else None for code in coded.codes.tolist()])


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


def refuse_contradiction(samples: Samples, other: Samples, column: str) -> None:
    """Raise if another column of verdicts says something else than the one that was taken."""
    import pyarrow.compute as pc

    if not np.array_equal(samples.n, other.n):
        return  # broken rows were left out of one of them
    mine, its = (
        pc.greater(each.table["grades"].combine_chunks().flatten(), 0.5).to_numpy(zero_copy_only=False)
        for each in (samples, other)
    )
    differs = np.array([a is not None and b is not None and a != b for a, b in zip(mine, its, strict=True)], dtype=bool)
    if differs.any():
        place = int(np.argmax(differs))
        problem = int(np.searchsorted(np.cumsum(samples.n), place, side="right"))
        taken = samples.roles["grades"] or ""
        raise InputError(
            "plain.two_verdicts",
            "Columns “{taken}” and “{column}” contradict each other in {count:,} of {total:,} samples, first at "
            "{place}. Say which of them holds the verdicts: {one} or {other}.",
            taken=shorten(taken),
            column=shorten(column),
            count=int(differs.sum()),
            total=len(differs),
            place=samples.place(problem, place - int(samples.n[:problem].sum()), "grades"),
            one=Mention(columns={"grades": shorten(taken)}),
            other=Mention(columns={"grades": shorten(column)}),
        )


def refuse_odd_names(samples: Samples) -> None:
    """Raise if two names of problems look the same, or if the first or last ones name a summary."""
    import pyarrow.compute as pc

    names = samples.table["problem"]
    if not pc.all(pc.and_(pc.string_is_ascii(names), pc.equal(pc.utf8_trim_whitespace(names), names))).as_py():
        seen: dict[str, str] = {}
        for problem, name in enumerate(samples.problems):
            shown = _show(name)
            if seen.setdefault(shown, name) != name:
                raise InputError(
                    "samples.white_space",
                    "Two names of problems look the same, but differ in white space or in the code of a letter: "
                    "{first} and {second} ({place}). Write them alike if it is one problem; else rename one of them.",
                    first=quote(seen[shown]),
                    second=quote(name),
                    place=samples.place(problem, 0, "problem"),
                )
    first = next((i for i, name in enumerate(names) if not _SUMMARY.fullmatch(name.as_py())), 0)
    behind = next(
        (len(names) - i for i, name in enumerate(reversed(names)) if not _SUMMARY.fullmatch(name.as_py())), len(names)
    )
    for problem in (*range(first), *range(behind, len(names))):
        if samples.n[problem] == 1:  # a function to be written may be called “sum”, and has more samples
            raise InputError(
                "samples.summary",
                "Problem {name} has the name of a row that sums up the others ({place}). Remove the row or, if it is a "
                "problem, rename it.",
                name=quote(names[problem].as_py()),
                place=samples.place(problem, 0, "problem"),
            )


def _show(name: str) -> str:
    """Return a name without what cannot be seen, with plain spaces, and each letter as one character."""
    return normalize("NFC", _SPACE.sub(" ", _INVISIBLE.sub("", name))).strip()


def refuse_other_questions(parts: Sequence[Samples], files: Sequence[str]) -> None:
    """Raise if a problem has one question in one file, and another one in another file."""
    asked: dict[str, tuple[str, str]] = {}
    for part, file in zip(parts, files, strict=True):
        for problem, question in part.questions.items():
            first, first_file = asked.setdefault(problem, (question, file))
            if first != question:
                raise InputError(
                    "merging.questions",
                    "Problem {problem} is not the same in both files: {first} in {first_file}, and {second} in "
                    "{second_file}. If the files hold different problems that have the same names, {option:concat} "
                    "keeps them apart. If they are samples of the same problems all the same, say so: "
                    "{option:pool=file}.",
                    problem=quote(problem),
                    first=quote(first),
                    first_file=first_file,
                    second=quote(question),
                    second_file=file,
                )


_ENDING = re.compile(r"(\.(jsonl|ndjson|json|csv|tsv|parquet|eval|gz|zst|txt))+$", re.IGNORECASE)
_MOMENT = re.compile(
    r"(?<!\d)(?:19|20)\d\d([-_]?)\d\d\1\d\d(?:[T_ -]*\d\d([-_:.]?)\d\d\2\d\d(?:\.\d+)?(?:Z|[+-]\d\d[-:]?\d\d)?)?(?!\d)"
    r"|(?<!\d)\d{9,}(?!\d)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}| \(\d+\)",
    re.IGNORECASE,
)
"""A date, a time, a random identifier, or the number of a copy."""

_MODEL_DATE = re.compile(
    r"(?<![a-z])(?:chatgpt|claude|command|deepseek|gemini|gemma|gpt|grok|llama|mistral|o\d|qwen|phi)[^/\\_ ]*"
    r"-20\d\d(-?)\d\d\1\d\d(?!\d|[T_ -]*\d\d[-_:.]?\d\d)",
    re.IGNORECASE,
)
"""A model with a date without a time, which is its version: gpt-4-2024-05-13."""

_SPELL_DIGITS = str.maketrans("0123456789", "abcdefghij")

_NUMBER = re.compile(r"(\d+(?:\.\d+)*)")

_RUN_WORDS = re.compile(
    "answers?|attempt|completions?|evals?|gen|generations?|i|jobs?|logs?|n|outs?|outputs?|pred|preds|predictions?|rank|"
    "rep|repeat|replica|results?|rollouts?|round|rs|runs?|s|samples?|seeds?|trials?|try|worker"
)
"""Words before a number that counts runs."""

_WEIGHT_WORDS = re.compile("checkpoint|ckpt|epochs?|it|iter|iteration|steps?|v|version")
"""Words before a number that stands for other weights: a checkpoint of a training run is a model of its own."""

_SETTING_WORDS = re.compile(
    "agent|cfg|config|data|dataset|exp|experiment|fewshot|level|lr|models?|phase|prompts?|set|setting|shots?|split|"
    "stage|subset|system|task|temp|temperature|template|variant"
)
"""Words beside a number that tells settings, models or sets of problems apart."""


def refuse_other_names(files: Sequence[str]) -> None:
    """Raise if the names of files, and of their folders, tell more than runs apart: two models or data sets."""
    dated = [_MODEL_DATE.sub(lambda found: found[0].translate(_SPELL_DIGITS), abspath(file)) for file in files]
    shapes = [_NUMBER.split(_ENDING.sub("", _MOMENT.sub("", name))) for name in dated]
    first, words = shapes[0], shapes[0][::2]
    other = next((file for file, shape in zip(files, shapes, strict=True) if shape[::2] != words), None)
    for place in range(1, len(first), 2) if other is None else ():
        numbers = [shape[place] for shape in shapes]
        if len({*numbers}) > 1 and not _count_runs({*numbers}, "".join(first[:place]), first[place + 1]):
            other = next(file for file, number in zip(files, numbers, strict=True) if number != first[place])
            break
    if other is None:
        return
    one, another = list_names([files[0], other])
    raise SeveralModelsError(
        "merging.names",
        "By their names, {first} and {second} may be of two models, checkpoints or data sets. Score them one at a "
        "time or, if all are samples of one model, say so: {option:pool=file}.",
        first=one,
        second=another,
    )


def _count_runs(numbers: Collection[str], before: str, behind: str) -> bool:
    """Return whether the numbers that tell names apart count runs: not sizes (8b, 70b), versions or settings.

    Numbers behind a word that does not say so must count from 0, or be padded with zeros, and so must a bare number
    count from 0 or 1: qwen_0 and qwen_1 are runs, but phi-1 and phi-2 are models.
    """
    before, behind = before.lower(), behind.lower()
    word = (re.findall("[a-z]+", before) or [""])[-1]
    if _WEIGHT_WORDS.fullmatch(word) or re.match("[bmk](?![a-z])", behind):
        return False
    own = re.split(r"[/\\]", before)[-1]
    is_bare = not re.search("[a-z]", own)
    if _RUN_WORDS.fullmatch(word) and not is_bare:
        return True
    beside = [*re.findall("[a-z]+(?=[-_=. ]*$)", own), *re.findall("^[-_. ]?([a-z]+)", behind)]
    is_attached = re.search("[a-z]$", own) or re.match("[a-z]", behind)
    if is_attached or any(map(_SETTING_WORDS.fullmatch, beside)) or not all(map(str.isdigit, numbers)):
        return False
    found = sorted({*map(int, numbers)})
    counts = found[0] < 2 and found == list(range(found[0], found[0] + len(found)))
    return counts and (is_bare or any(number.startswith("0") for number in numbers))


def list_names(files: Sequence[str]) -> list[str]:
    """Name files in short: without the folder that all of them share.

    Examples:
        >>> list_names(["runs/a/0.jsonl", "runs/a/1.jsonl"]), list_names(["llama/r.json", "qwen/r.json"])
        (['0.jsonl', '1.jsonl'], ['llama/r.json', 'qwen/r.json'])
    """
    folder = commonpath([str(Path(abspath(file)).parent) for file in files])
    return [relpath(abspath(file), folder) for file in files]


def join_names(names: Sequence[str]) -> str:
    """Join the names of files, and leave out some if they are many."""
    return ", ".join(names if len(names) <= _LISTED else [*names[: _LISTED - 1], "…", names[-1]])


def note_files(parts: Sequence[Samples], files: Sequence[str]) -> Message:
    """Say which files were read together, and what each of them holds."""
    counts = sorted({int(n) for part in parts for n in part.n})
    return Message(
        "note.files",
        "Read {count:,} files as samples of one model on the same problems: {files}. Problems in each: "
        "{problems:,}. Samples of a problem in each: {n}.",
        count=len(files),
        files=join_names(list_names(files)),
        problems=len(parts[0].problems),
        n=str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
    )
