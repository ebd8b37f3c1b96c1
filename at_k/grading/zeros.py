"""Say why no answer is correct, and which reading of the same answers would let some be."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from at_k.errors import Mention, Message, Phrases
from at_k.grading.verdicts import CANDIDATES, CHECKS, Candidates, Verdicts, suggest_options
from at_k.samples import Problems

_say = Phrases(
    {
        "note.no_match": "No answer is correct: none of them equals its reference, for instance {answer} beside "
        "{reference}. Bring answers and references into one form, or choose a checker.",
        "note.suggestion": "With {options}, {share:.0%} of the answers are correct.",
        "note.tests": "The references look like test programs, such as {reference}. {options} runs each answer with "
        "its test, if the environment variable HF_ALLOW_CODE_EVAL is 1.",
    }
)


def explain_zeros(problems: Problems, verdicts: Verdicts) -> Iterator[Message]:
    """Say why no answer is correct, where answers were compared with references, and what would change it."""
    if not _compared_in_vain(problems, verdicts):
        return
    candidates = CANDIDATES
    if "extract" in verdicts.conditions:
        problems = replace(problems, answers=verdicts.ballots)
        candidates = CHECKS
    answers, references = problems.answers, problems.references
    assert answers is not None and references is not None  # noqa: PT018 - for the type checker
    place = int(np.argmax(answers.codes.values >= 0))
    if answers.codes.values[place] >= 0:
        yield _say.mistake(
            "note.no_match",
            answer=quote(answers.distinct[answers.codes.values[place]]),
            reference=quote(references[answers.codes.locate(place)["problem"]][0]),
        )
    if are_tests(references):
        options = {"check_correct_fn": "code"}
        if any("```" in str(text) for text in answers.distinct):
            options["extract_fn"] = "code"
        yield _say("note.tests", reference=quote(references[0][0]), options=Mention(**options))
        return
    yield from suggest_readings(problems, candidates)


def _compared_in_vain(problems: Problems, verdicts: Verdicts) -> bool:
    """Return whether answers were compared with references, and none is correct."""
    if problems.grades is not None or problems.references is None or verdicts.ballots is None:
        return False
    outcomes = verdicts.outcomes
    # A checker that says how each check ended has explained the zeros.
    is_explained = outcomes is not None and "not compared" not in outcomes.names
    return not is_explained and not verdicts.c.any()


def suggest_readings(problems: Problems, candidates: Candidates) -> Iterator[Message]:
    """Say what options would let more answers be correct. They were tried on these answers."""
    options, share = suggest_options(problems, candidates) or ({}, 0.0)
    if options:
        yield _say("note.suggestion", options=Mention(**options), share=share)


def are_tests(references: Sequence[tuple[str, ...]]) -> bool:
    """Return whether every reference is a Python program that asserts something.

    Examples:
        >>> are_tests([("assert add(2, 3) == 5",)]), are_tests([("I assert that it is 5",)])
        (True, False)
    """
    return all(_is_test(text) for row in references for text in row)


def _is_test(text: str) -> bool:
    if "assert" not in text:  # a hundred times as fast as parsing
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(node, ast.Assert) or _is_assertion(node) for node in ast.walk(tree))


def _is_assertion(node: ast.AST) -> bool:
    """Return whether a node is a method such as `self.assertEqual`."""
    return isinstance(node, ast.Attribute) and node.attr.startswith("assert")


def quote(text: object) -> str:
    """Quote a text, the middle of which is left out if it is long."""
    shown = str(text)
    return f"“{shown if len(shown) <= 60 else shown[:29] + ' … ' + shown[-28:]}”"
