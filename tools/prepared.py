"""The answers that the pages show first, made once: `make texts` writes them beside the pages."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import at_k
from at_k.analysis.claims import Share
from at_k.demo import work
from at_k.demo.drawing import draw_problems
from at_k.demo.given import EXAMPLES, Given, find_folder, read_example
from at_k.demo.scoring import score_given
from at_k.demo.words import LANGUAGES, WORDS, say
from at_k.readers.names import PROBLEM, VERDICT
from at_k.report import Report

STATIC = Path(work.__file__).with_name("static")

CUT = 0.5


class First(NamedTuple):
    """The first state of a metric's page: data, k, and its numbers with the words that say them."""

    example: str
    k: int
    numbers: dict[str, tuple[str, int]]
    lead: str = "lead"
    field: str = ""
    """The field of each problem that the metric needs beside n and c."""


FIRST = {
    "gpassk": First(
        "gpt4o_airline",
        4,
        {
            "G-Pass@4_1.0": ("all", 4),
            "G-Pass@4_0.75": ("least", 3),
            "G-Pass@4_0.5": ("least", 2),
            "pass@4": ("any", 1),
        },
    ),
    "pass_at_k": First("gpt4_game24", 10, {"pass@10": ("any", 1), "avg@100": ("one", 1)}),
    "cons_at_k": First(
        "qwen_math",
        8,
        {"cons@8": ("vote", 1), "pass@8": ("any", 1), "avg@8": ("one", 1)},
        "lead_vote",
        "votes",
    ),
    "best_at_k": First(
        "qwen_math",
        8,
        {"best@8": ("best", 1), "pass@8": ("any", 1), "avg@8": ("one", 1)},
        "lead_best",
        "scores",
    ),
    "avg_at_n": First(
        "qwen_soft", 8, {"avg@8": ("hard", 1), "accuracy": ("soft", 1)}, "lead_grade", "grades"
    ),
}
FILES = {"gpt4o_airline": "taubench_airline", "qwen_math": "qwen25_math"}


@cache
def render_prepared() -> dict[Path, str]:
    """Return every file that is written by this module, by its path in `static`, as it should be."""
    found = {Path("rules.js"): _name_columns((STATIC / "rules.js").read_text(encoding="utf-8"))}
    for language in LANGUAGES:
        answers = {
            name: work.run("score", {"example": name, "language": language}) for name in EXAMPLES
        }
        answers["compare"] = compare_pair(language)
        answers |= {metric: prepare_play(metric, language) for metric in FIRST}
        answers["plan"] = work.run("plan", {"example": "qwen25_math", "language": language})
        for name, answer in answers.items():
            text = json.dumps(_round(answer), ensure_ascii=False, separators=(",", ":"))
            found[Path("data", f"{name}.{language}.json")] = f"{text}\n"
    return found


def _round(found: Any) -> Any:
    """Round the numbers of an answer: their last digits are those of a machine."""
    if isinstance(found, dict):
        return {name: _round(each) for name, each in found.items()}
    if isinstance(found, (list, tuple)):
        return [_round(each) for each in found]
    return float(f"{float(found):.9g}") if isinstance(found, float) else found


def _name_columns(text: str) -> str:
    """Write the names of columns by which the reader of large files chooses."""
    for name, values in (("VERDICTS", VERDICT), ("PROBLEMS", PROBLEM)):
        text = re.sub(
            rf"(export const {name} = ).*;",
            lambda found, own=values: found[1] + json.dumps([*own]) + ";",
            text,
        )
    return text


def compare_pair(language: str) -> dict[str, Any]:
    """Compare two prompts of Codex on the same puzzles."""
    file = (
        find_folder() / "codex_puzzles.jsonl"
    )  # with the samples of two models, which its column `prompt` names
    text = {"name": f"examples/data/{file.name}", "text": file.read_text(encoding="utf-8")}
    sides = {
        f"options_{side}": {"where": {"prompt": [model]}}
        for side, model in zip("ab", ("long", "medium"), strict=True)
    }
    names = {
        f"name_{side}": say(language, f"example.{model}")
        for side, model in zip("ab", ("long", "medium"), strict=True)
    }
    return work.run("compare", {"a": text, "b": text, **sides, **names, "language": language})


def prepare_play(metric: str, language: str) -> dict[str, Any]:
    """Prepare the page on which a metric is played with: its words, its data, and what it shows first."""
    first = FIRST[metric]
    report = score_first(first.example, first.k)
    values = {str(key): value for key, value in report.values.items()}
    name = say(language, f"example.{first.example}")
    blanks = {"k": first.k, "n": report.n[0], "cut": CUT, "problems": len(report), "name": name}
    rows = [
        [f"{Share(values[key])}", say(language, f"play.{code}", needed=needed, **blanks)]
        for key, (code, needed) in first.numbers.items()
    ]
    code = next(iter(first.numbers.values()))[0]
    average = f"{Share(values['accuracy'])}"
    title = say(language, f"play.title_{code}", average=average, value=rows[0][0], **blanks)
    place = LANGUAGES.index(language)
    words = {key: pair[place] for key, pair in WORDS.items() if key.startswith("play.")}
    return {
        "words": {key.removeprefix("play."): text for key, text in words.items()},
        "lead": first.lead,
        "start": {"k": first.k, "needed": first.k, "cut": CUT},
        "first": {
            "title": title,
            "lead": say(language, f"play.{first.lead}", **blanks),
            "hint": say(language, f"play.{first.lead.replace('lead', 'hint')}"),
            "rows": rows,
            "legend": say(language, "play.legend", average=average),
        },
        "examples": [
            {"id": first.example, "name": name, "problems": list_problems(report, first.field)},
            *list_published(language, first),
        ],
    }


def score_first(example: str, k: int) -> Report:
    """Score the data that a page shows first."""
    options: dict[str, Any] = {"k": [k], "thresholds": [0.5, 0.75, 1.0]}
    if example in FILES:
        return score_given(Given.take(read_example(FILES[example])), options)[0]
    if example == "qwen_soft":
        return score_soft(options)
    return at_k.score({"grades": count_out(read_published()[example])}, **options)


def score_soft(options: dict[str, Any]) -> Report:
    """Grade the answers to the hardest problems of MATH by their likeness with the reference."""
    rows = map(json.loads, read_example("qwen25_math").splitlines())
    hardest = [row for row in rows if row["level"] == "Level 5"]
    data = {
        "problem": [row["idx"] for row in hardest],
        "answers": [row["answers"] for row in hardest],
        "references": [row["reference"] for row in hardest],
    }
    return at_k.score(data, check_correct_fn="chrf", metrics=["avg_at_n"], **options)


def list_problems(report: Report, field: str) -> list[dict[str, Any]]:
    """List the problems of an example, each with what its metric needs."""
    kept = {"name", "n", "c", field}
    problems = draw_problems(report, whole=True)
    return [{name: problem[name] for name in problem if name in kept} for problem in problems]


@cache
def read_published() -> dict[str, dict[str, Any]]:
    """Read the published results: how many samples are correct, of how many problems."""
    lines = (find_folder() / "published.jsonl").read_text(encoding="utf-8").splitlines()
    return {result["name"]: result for result in map(json.loads, lines)}


def count_out(result: dict[str, Any]) -> list[list[int]]:
    """Return grades with the counts of a published result."""
    n = result["n"]
    counts = [int(c) for c, many in result["right"].items() for _ in range(many)]
    return [[1] * c + [0] * (n - c) for c in counts]


def list_published(language: str, first: First) -> list[dict[str, Any]]:
    """List the published results that a metric of counts can be played with, too; of grades, one question."""
    if first.field == "grades":
        # In the user guide of AISBench for avg@n, section III.
        problem = {"name": "0", "n": 3, "c": 2, "grades": [0.6, 0.4, 0.6]}
        return [{"id": "textvqa", "name": say(language, "example.textvqa"), "problems": [problem]}]
    if first.field:
        return []
    return [
        {
            "id": name,
            "name": say(language, f"example.{name}"),
            "n": result["n"],
            "right": result["right"],
        }
        for name, result in read_published().items()
        if name != first.example
    ]
