"""Join completions to their prompts, and gather the tests of a data set of programs, as its rows ship them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from at_k.errors import InputError
from at_k.readers.arrays import list_cells
from at_k.readers.names import quote, shorten
from at_k.readers.tables.choosing import refuse_unknown

# The column of HumanEval that names the function which its `check` takes.
ENTRY = "entry_point"

# The columns of MBPP and of DS-1000 that hold tests.
SCRIPTS = ("test_list", "code_context")

# The columns of LiveCodeBench, CodeContests, APPS and TACO that hold cases of input and output.
CASES = (
    "public_test_cases",
    "private_test_cases",
    "public_tests",
    "private_tests",
    "generated_tests",
    "input_output",
)

# The columns that tests need, or completions.
BESIDE = ("test_imports", "test_setup_code", ENTRY, "prompt", "complete_prompt", "metadata")


def find_tests(columns: Collection[str]) -> list[str]:
    """Return the columns that hold the tests of a data set of programs, and what they need; none for other data.

    Examples:
        >>> find_tests(["task_id", "text", "code", "test_list", "test_setup_code"])
        ['test_list', 'test_setup_code']
        >>> find_tests(["prompt", "test", "answers"])
        []
    """
    scripts = any(name in columns for name in SCRIPTS) or {"test", ENTRY} <= {*columns}
    if not scripts and not any(name in columns for name in CASES):
        return []
    return [name for name in (*SCRIPTS, "test", *CASES, *BESIDE) if name in columns]


def gather_tests(columns: Mapping[str, Sequence[Any]], names: Sequence[str]) -> list[str]:
    """Return the columns of tests as one reference for each row, as the checker `code` takes it."""
    cells = [list_cells(columns[name]) for name in names]
    rows = (dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True))
    return [
        json.dumps({name: cell for name, cell in row.items() if cell is not None}, default=list)
        for row in rows
    ]


def join_prompts(
    columns: Mapping[str, Sequence[Any]],
    roles: Mapping[str, str | None],
    prompt: str,
    *,
    first: int = 0,
) -> dict[str, list[Any]]:
    r"""Return the answers, each with the prompt of its row before it, and the references, each with a call of `check`.

    A reference gets the call if it defines `check`, does not call it, and the row has an `entry_point`.

    Examples:
        >>> columns = {"prompt": ["def f(x):\n"], "completion": [["    return x"]], "entry_point": ["f"],
        ...            "test": ["def check(g): assert g(1)"]}
        >>> joined = join_prompts(columns, {"answers": "completion", "references": "test"}, "prompt")
        >>> joined["answers"], joined["references"]
        ([['def f(x):\n    return x']], ['def check(g): assert g(1)\ncheck(f)'])
    """
    answers, references = roles.get("answers"), roles.get("references")
    refuse_unknown(columns, [prompt])
    if answers is None:
        raise InputError(
            "prompts.no_answers",
            "{option:prompt_column} joins each answer to its prompt, but there is no column of answers. Name it by "
            "{option:columns}.",
        )
    prompts = list_cells(columns[prompt])
    for row, text in enumerate(prompts, first):
        if not isinstance(text, str):
            raise InputError(
                "prompts.no_text",
                "{option:prompt_column} must name a column of texts; got {value} in row {row} of column “{column}”, "
                "counted from 0.",
                value=quote(text),
                row=row,
                column=shorten(prompt),
            )
    joined = {
        "answers": [
            _change(cell, text.__add__)
            for text, cell in zip(prompts, list_cells(columns[answers]), strict=True)
        ]
    }
    if references is not None and ENTRY in columns:
        rows = zip(list_cells(columns[ENTRY]), list_cells(columns[references]), strict=True)
        joined["references"] = [_change(cell, partial(_call_check, entry)) for entry, cell in rows]
    return joined


def _change(cell: Any, change: Callable[[str], str]) -> Any:
    """Change the texts of a cell: one, or those in a list. What is no text stays, for others to refuse."""
    if isinstance(cell, str):
        return change(cell)
    if isinstance(cell, Iterable):
        return [_change(text, change) for text in cell]
    return cell


def _call_check(entry: object, tests: str) -> str:
    if not isinstance(entry, str) or not re.search(r"^def check\(", tests, re.MULTILINE):
        return tests
    if re.search(r"^check\(", tests, re.MULTILINE):
        return tests
    return f"{tests}\ncheck({entry})"
