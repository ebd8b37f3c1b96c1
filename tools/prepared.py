"""The answers that the pages show first, made once: `make texts` writes them beside the pages.

The story of Explore is computed here from real results, with the sentences of the catalogue.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import at_k
from at_k.analysis.claims import Share, make_claims
from at_k.demo import work
from at_k.demo.drawing import draw_message, draw_report, find_label
from at_k.demo.given import EXAMPLES, Given, find_folder, read_example
from at_k.demo.scoring import score_given
from at_k.demo.words import LANGUAGES, say
from at_k.readers.names import PROBLEM, VERDICT
from at_k.values import Key

STATIC = Path(work.__file__).with_name("static")
DRAWN_FROM = 16
MODELS = {"shaky": np.full(12, DRAWN_FROM // 2), "steady": np.repeat([DRAWN_FROM, 0], 6)}
"""Two models of the same average: how many of 16 answers to each problem are right."""

VOTE = ("pass@k", "best@k", "cons@k", "avg@n")


@cache
def render_prepared() -> dict[Path, str]:
    """Return every file that is written by this module, by its path in `static`, as it should be."""
    found = {Path("rules.js"): _name_columns((STATIC / "rules.js").read_text(encoding="utf-8"))}
    for language in LANGUAGES:
        answers = {
            name: work.run("score", {"example": name, "language": language}) for name in EXAMPLES
        }
        answers |= {"explore": tell_story(language), "compare": compare_pair(language)}
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


def tell_story(language: str) -> dict[str, Any]:
    """Make what Explore shows."""
    report, _ = score_given(Given.take(read_example("taubench_airline")), {})
    drawn = draw_report(report, language, model="GPT-4o")
    drawn["at"] = {"4": drawn["at"]["4"] | {"bars": []}}
    n, c = report.list_counts()
    for step, needed in zip(drawn["at"]["4"]["stairs"], (4, 3, 2, 1), strict=True):
        code = {4: "step_all", 1: "step_any"}.get(needed, "step")
        step["label"] = say(language, f"explore.{code}", n=4, needed=needed)
        step["name"] = {4: "pass^4", 1: "pass@4"}.get(needed, f"G-Pass@4, {step['name']}")
    always, never = int(np.sum(c == n)), int(np.sum(c == 0))
    solved = {"always": always, "sometimes": len(n) - always - never, "never": never}
    values = {"problems": len(n), "n": 4, "right": int(c.sum())}
    shares = {
        "any": f"{Share(np.mean(at_k.pass_at_k(n, c, k=4)))}",
        "every": f"{Share(np.mean(c == 4))}",
    }
    return {
        "report": drawn,
        "lead": say(language, "explore.lead", **values, **shares),
        "under": {
            "sorted": say(language, "explore.sorted", **solved),
            "average": say(language, "explore.mean", average=Share(np.mean(c / n))),
        },
        "drawn": _draw_models(language),
        "vote": _draw_vote(language),
        "published": list_published(language),
    }


def _draw_models(language: str) -> dict[str, Any]:
    at: dict[str, Any] = {}
    for k in range(1, DRAWN_FROM + 1):
        lines, said = {}, {}
        for name, c in MODELS.items():
            demands = [float(np.mean(find_tail(c, k, needed))) for needed in range(1, k + 1)]
            lines[name] = [round(each, 4) for each in demands]
            said |= {f"{name}_one": f"{Share(demands[0])}", f"{name}_all": f"{Share(demands[-1])}"}
        code = "draw_all" if k == DRAWN_FROM else "draw_one" if k == 1 else "draw"
        at[str(k)] = {**lines, "said": say(language, f"explore.{code}", k=k, n=DRAWN_FROM, **said)}
    rng = np.random.default_rng(1)
    models = {
        name: {
            "name": say(language, f"explore.{name}"),
            "rows": [
                rng.permutation([1] * right + [0] * (DRAWN_FROM - right)).tolist()
                for right in c.tolist()
            ],
        }
        for name, c in MODELS.items()
    }
    return {"n": DRAWN_FROM, "at": at, "models": models, "title": say(language, "explore.demand")}


def find_tail(c: Any, k: int, needed: int) -> Any:
    """Return the chance that at least `needed` of k of 16 answers are right."""
    return at_k.g_pass_at_k(DRAWN_FROM, c, k=k, tau=needed / k - 1e-9)


def _draw_vote(language: str) -> dict[str, Any]:
    report, _ = score_given(Given.take(read_example("qwen25_math")), {})
    curves = report.curves
    lines = [
        {
            "line": name,
            "name": f"{find_label(Key(name), language)} · {name}",
            "values": [round(float(each), 4) for each in curves.lines[Key(name)]],
        }
        for name in VOTE
    ]
    choices = [each for each in make_claims(report, 8) if each.code.startswith("claims.choice")]
    said = [
        say(language, "explore.vote"),
        *(draw_message(choice, language)["text"] for choice in choices),
    ]
    return {"said": said, "lines": lines, "title": say(language, "explore.against_k"), "low": 0.88}


def list_published(language: str) -> dict[str, Any]:
    """List published results, those that keep most of their average when four of four must be right first."""
    rows = []
    # Of how many problems how many samples are right.
    for result in map(
        json.loads, (find_folder() / "published.jsonl").read_text(encoding="utf-8").splitlines()
    ):
        n, c = (
            result["n"],
            np.repeat(list(map(int, result["right"])), list(result["right"].values())),
        )
        average, every = float(np.mean(c)) / n, float(np.mean(at_k.pass_hat_k(n, c, k=4)))
        shares = [f"{100 * average:.1f}", f"{100 * every:.1f}", f"{100 * every / average:.0f}"]
        cells = [f"{len(c)}\u00a0×\u00a0{n}", *(f"{each}\u00a0%" for each in shares)]
        name = say(language, f"explore.run_{result['name']}")
        rows.append((every / average, {"name": name, "source": result["source"], "cells": cells}))
    head = [
        say(language, f"explore.run_{each}")
        for each in ("name", "size", "average", "every", "kept")
    ]
    rows.sort(key=lambda row: -row[0])
    return {
        "head": head,
        "rows": [row for _, row in rows],
        "said": say(language, "explore.published"),
    }
