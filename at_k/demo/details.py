"""The problems of a report, one by one: verdicts, answers by votes, scores. They are bounded in size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite
from typing import Any

import numpy as np

from at_k.demo.scoring import NO_RULE
from at_k.demo.words import say
from at_k.grading import Verdicts
from at_k.grading.extraction import EXTRACTIONS
from at_k.problems import Problems
from at_k.report import Report
from at_k.samples import Answers, Ragged

_BUDGET = 400_000
"""Characters of answers and scores on one page. Problems beyond it have their verdicts alone."""

_LONGEST = 160
_MOST_CLASSES, _MOST_SPELLINGS = 12, 5


def write_details(report: Report, rule: str, language: str) -> str:
    """Write the list of problems, as data that the module `assets/score.js` draws.

    Args:
        report: the report, with its samples.
        rule: the rule by which answers were extracted.
        language: the language of the visitor.
    """
    words = {name: say(language, f"score.{name}") for name in _WORDS}
    data = {"problems": list_problems(report, rule), "words": words}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    never = report.c.count(0)
    always = sum(c == n for c, n in zip(report.c, report.n, strict=True))
    said = say(language, "score.each_problem_text", never=never, sometimes=len(report) - never - always, always=always)
    return (
        f"<h2>{say(language, 'score.each_problem')}</h2><p>{said}</p>"
        f'<div class="problems" data-problems="{escape(text)}"></div>'
    )


_WORDS = (
    *(
        "list_problem",
        "list_share",
        "list_group",
        "list_samples",
        "list_answer",
        "list_votes",
        "list_score",
        "list_more",
    ),
    *("list_right", "list_wrong", "list_missing", "list_none", "list_also", "list_cut", "list_reference"),
)


def list_problems(report: Report, rule: str = NO_RULE) -> list[dict[str, Any]]:
    """List the problems in the order of the file.

    Returns:
        For each problem its `name`, `n`, `c`, `group` if there is one, and `samples`: a sign for each sample, 1 for a
        correct one, 0 for a wrong one, ? for a missing one. Where the answers are known, `classes` has those that vote
        together, the most frequent first, each with its votes, whether it is correct, and its other spellings;
        `votes` has the class of each sample, and `scores` its score.

    Examples:
        >>> from at_k import score
        >>> list_problems(score({"answers": [["7", "9", "7"]], "references": ["7"]}))[0]["classes"]
        [{'answer': '7', 'votes': 2, 'right': True}, {'answer': '9', 'votes': 1, 'right': False}]
    """
    names = [_shorten(name, 80) for name in report.problems]
    rows: list[dict[str, Any]] = [
        {"name": name, "n": n, "c": c} for name, n, c in zip(names, report.n, report.c, strict=True)
    ]
    if report.labels is not None:
        for row, label in zip(rows, report.labels, strict=True):
            row["group"] = _shorten(label, 60)
    if report.samples is None:
        return rows
    problems, verdicts = report.samples
    spent = 0
    answers, scores = _Answers.take(problems, verdicts, rule), _take_scores(problems, verdicts)
    graded = Ragged.concatenate(verdicts.graded)
    for i, row in enumerate(rows):
        row["samples"] = _spell_grades(_row(graded, i), verdicts.threshold)
        if spent > _BUDGET:
            continue
        more: dict[str, Any] = {}
        if answers is not None:
            more |= answers.describe(i, row["samples"])
        if problems.references is not None:
            more["references"] = [_shorten(str(each), _LONGEST) for each in problems.references[i][:3]]
        if scores is not None:
            more["scores"] = [float(f"{each:.5g}") if isfinite(each) else None for each in _row(scores, i).tolist()]
        spent += len(json.dumps(more))
        row.update(more)
    return rows


class _Answers:
    """The answers of samples, as they voted and as they were spelled."""

    def __init__(self, voted: Answers, given: Answers | None, rule: str) -> None:
        self.voted, self.given, self.rule = voted, given, rule

    @classmethod
    def take(cls, problems: Problems, verdicts: Verdicts, rule: str) -> _Answers | None:
        """Take the answers of the samples that were kept."""
        if verdicts.answers is None:
            return None
        given = problems.answers
        if given is not None and verdicts.kept is not None:
            given = given.keep(verdicts.kept)
        return cls(verdicts.answers, given, rule)

    def describe(self, problem: int, verdicts: str) -> dict[str, Any]:
        """Describe the answers of a problem: `classes` and `votes` of `list_problems`."""
        codes = _row(self.voted.codes, problem).tolist()
        counts: dict[int, int] = {}
        right: dict[int, bool] = {}
        for code, sign in zip(codes, verdicts, strict=True):
            if code >= 0:
                counts[code] = counts.get(code, 0) + 1
                right[code] = right.get(code, False) or sign == "1"
        order = sorted(counts, key=lambda code: -counts[code])
        place = {code: i for i, code in enumerate(order)}
        spelled = self._spell(problem, codes)
        classes = []
        for code in order[:_MOST_CLASSES]:
            shown = str(self.voted.distinct[code])
            also = [text for text in spelled.get(code, ()) if text != shown.strip()][:_MOST_SPELLINGS]
            found: dict[str, Any] = {"answer": _shorten(shown, _LONGEST), "votes": counts[code], "right": right[code]}
            classes.append(found | ({"also": [_shorten(text, 60) for text in also]} if also else {}))
        return {"classes": classes, "votes": [place.get(code, -1) for code in codes]}

    def _spell(self, problem: int, codes: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """Return the different spellings of each class."""
        if self.given is None:
            return {}
        find = EXTRACTIONS[self.rule]
        found: dict[int, dict[str, None]] = {}
        for code, own in zip(codes, _row(self.given.codes, problem).tolist(), strict=True):
            if code >= 0 and own >= 0:
                text = find(str(self.given.distinct[own]))
                if text:
                    found.setdefault(code, {})[text.strip()] = None
        return {code: list(texts) for code, texts in found.items()}


def _take_scores(problems: Problems, verdicts: Verdicts) -> Ragged | None:
    scores = problems.scores
    if scores is None or scores.values.ndim > 1:
        return None
    return scores if verdicts.kept is None else scores.keep(verdicts.kept)


def _row(ragged: Ragged, problem: int) -> Any:
    return ragged.values[ragged.offsets[problem] : ragged.offsets[problem + 1]]


def _spell_grades(grades: Any, threshold: float) -> str:
    return "".join("?" if np.isnan(grade) else "1" if grade > threshold else "0" for grade in grades.tolist())


def _shorten(text: str, longest: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest // 2] + " … " + text[-(longest // 2) :]
