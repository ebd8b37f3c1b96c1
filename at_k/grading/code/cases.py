"""Read the tests of a program as data sets ship them: as a row with a test program, or as cases of input and output.

A reference may be the JSON of such a row, or of those of its columns that hold tests:

- MBPP: `test_list`, all of which must hold, after `test_imports` and `test_setup_code`; MBPP+ has `test` besides;
- HumanEval, HumanEval+: `test`, which defines `check`, `entry_point`, and `prompt`, which a completion continues;
- BigCodeBench: `test`, cases of `unittest`, `entry_point`, and `complete_prompt`;
- DS-1000: `code_context`, which defines tests that take the source of a program;
- LiveCodeBench, APPS, TACO, CodeContests: cases of input and output.

The rules for cases are those of `testing_util.py` of LiveCodeBench (github.com/LiveCodeBench/LiveCodeBench, May 2025).
Output is compared without white space at its ends, line by line, each line stripped. Two lines that differ are equal if
all their tokens are numbers, and these are equal in pairs. What a function returns is compared by ==, with a tuple as a
list. Where a reference is no whole number, numbers may here differ by a tolerance, as they might in LiveCodeBench until
January 2025. With a tolerance of 0, the verdicts are those of today's LiveCodeBench.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import pickle
import re
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any, NoReturn

from at_k.grading.code.protocol import HarnessError

# Bytes of packed cases: a few kilobytes could otherwise unpack to any amount of memory.
MOST_UNPACKED = 2**30

# Output of zlib, in base64.
_PACKED = re.compile(r"e[AFJN][A-Za-z0-9+/]{20,}={0,2}")
_PARTS = (
    "public_test_cases",
    "private_test_cases",
    "public_tests",
    "private_tests",
    "generated_tests",
    "input_output",
)
_KEYS = {*_PARTS, "inputs", "outputs", "input", "output"}
_SHOWN = 60


@dataclass(frozen=True)
class Cases:
    """Hold the cases of a problem."""

    function: str  # or the method of `Solution`; "" for a program that reads its input
    inputs: list[
        Any
    ]  # for each case the text that the program reads, or the list of arguments of the function
    outputs: list[
        Any
    ]  # for each case the text to print, or the values one of which the function must return
    loose: bool = (
        False  # tuples within a result are lists, and whole numbers are keys, as in APPS and TACO
    )


class _TextUnpickler(pickle.Unpickler):
    """Unpickle text, lists and numbers, and no object of any class: to make one can run any code."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"a text was expected, and not {module}.{name}")


def read_cases(tests: str) -> Cases | None:
    """Read cases of input and output; None if the tests are a program.

    Examples:
        >>> read_cases('{"inputs": ["1 2"], "outputs": ["3"]}')
        Cases(function='', inputs=['1 2'], outputs=['3'], loose=False)
        >>> read_cases("assert add(1, 2) == 3") is None
        True
    """
    text = tests.strip()
    if text[:1] not in ("{", "[") and not _PACKED.fullmatch(text):
        return None
    try:
        held = _load(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, list) and (not isinstance(held, dict) or held.keys().isdisjoint(_KEYS)):
        return None
    try:
        pairs = _list_pairs(held)
        function = _find_function(held)
        read = _read_call if function else _read_texts
        calls = [read(fed, wanted) for fed, wanted, _ in pairs]
    except (KeyError, TypeError, ValueError) as error:
        raise HarnessError(f"the cases cannot be read: {type(error).__name__}: {error}") from error
    if not pairs:
        raise HarnessError("the tests hold no case, so that every program would pass")
    if not function and any(kind == "functional" for *_, kind in pairs):
        raise HarnessError(
            "the cases call a function, and do not name it: add its name to them, as `fn_name`"
        )
    loose = bool(function) and not all(isinstance(arguments, str) for arguments, *_ in pairs)
    return Cases(
        function, [arguments for arguments, _ in calls], [wanted for _, wanted in calls], loose
    )


def _load(text: Any) -> Any:
    """Load JSON, which may be packed. What is no text is loaded already."""
    if not isinstance(text, str):
        return text
    if _PACKED.fullmatch(text):
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(base64.b64decode(text), MOST_UNPACKED)
        except zlib.error as error:
            raise ValueError(error) from error
        if unpacking.unconsumed_tail:
            raise HarnessError(f"the packed cases are larger than {MOST_UNPACKED:,} bytes")
        try:
            if data[:1] == b"\x80":
                text = _TextUnpickler(io.BytesIO(data)).load()
            else:
                text = data.decode()
        except (pickle.UnpicklingError, EOFError, IndexError, AttributeError, KeyError) as error:
            raise HarnessError(f"the packed cases cannot be unpacked: {error}") from error
        if not isinstance(text, str):
            raise HarnessError(f"the packed cases must be a text; got {type(text).__name__}")
    return json.loads(text)


def _as_list(side: Any) -> Any:
    """Return the inputs or outputs of several tests; a text is that of one test."""
    return [side] if isinstance(side, str) else side


def _list_pairs(tests: Any) -> list[tuple[Any, Any, str]]:
    """List the input, the output and the type of each case."""
    tests = _load(tests)
    if isinstance(tests, list):
        return [(case["input"], case["output"], case.get("testtype", "")) for case in tests]
    if not tests:
        return []
    parts = [tests[name] for name in _PARTS if tests.get(name)]
    if parts:
        return [pair for part in parts for pair in _list_pairs(part)]
    if "inputs" in tests or "outputs" in tests:
        names = "inputs", "outputs"
    else:
        names = "input", "output"
    inputs, wanted = (_as_list(tests[name]) for name in names)
    if len(inputs) != len(wanted):
        raise ValueError(f"there are {len(inputs)} inputs and {len(wanted)} outputs")
    return [(one, other, "") for one, other in zip(inputs, wanted, strict=True)]


def _find_function(tests: Any) -> str:
    """Find the name of the function that is called: LiveCodeBench has it beside the cases, APPS among them."""
    for part in (
        (tests, tests.get("metadata"), tests.get("input_output")) if isinstance(tests, dict) else ()
    ):
        loaded = None
        if part:
            loaded = _load(part)
        name = None
        if isinstance(loaded, Mapping):
            name = loaded.get("fn_name") or loaded.get("func_name")
        if name:
            if not isinstance(name, str) or not name.isidentifier():
                raise ValueError(f"`fn_name` must be the name of a function; got {name!r}")
            return name
    return ""


def _read_texts(fed: Any, wanted: Any) -> tuple[Any, Any]:
    """Return the input and the output of a script. APPS has lists of lines, too."""
    fed, wanted = (
        "\n".join(map(str, side)) if isinstance(side, list) else str(side) for side in (fed, wanted)
    )
    return fed, wanted


def _read_call(fed: Any, wanted: Any) -> tuple[list[Any], list[Any]]:
    """Return the arguments of a call, and what it may return."""
    # LiveCodeBench has a line of JSON for each argument, and JSON for the result. APPS has a list of arguments, and a
    # result that may be alone in a list.
    if isinstance(fed, str):
        loaded = wanted
        if isinstance(wanted, str):
            loaded = json.loads(wanted)
        return [json.loads(line) for line in fed.strip("\n").split("\n") if fed.strip()], [loaded]
    if not isinstance(fed, list):
        raise ValueError(f"the arguments of a function must be in a list; got {fed!r:.60}")
    return fed, [wanted, *(wanted if isinstance(wanted, list) and len(wanted) == 1 else ())]


def _strip_lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def compare_output(printed: str, wanted: str, tolerance: float) -> str:
    r"""Compare what a program printed with what it must print. Return how they differ, "" if they agree.

    Examples:
        >>> compare_output("3.0 \n", "3", 0)
        ''
        >>> compare_output("3\n4\n", "3\n5", 0)
        "line 2 must be '5'; got '4'"
    """
    lines, expected = _strip_lines(printed), _strip_lines(wanted)
    for place, (line, reference) in enumerate(zip(lines, expected, strict=False), 1):
        if line != reference and not _are_same_numbers(line.split(), reference.split(), tolerance):
            return f"line {place} must be {shorten(reference)}; got {shorten(line)}"
    if len(lines) != len(expected):
        return f"it must print {len(expected)} lines; got {len(lines)}"
    return ""


def _are_same_numbers(tokens: list[str], references: list[str], tolerance: float) -> bool:
    try:
        return len(tokens) == len(references) and all(
            # In a whole number, every digit counts.
            _is_near(
                Decimal(token), Decimal(reference), tolerance * bool(re.search("[.eE]", reference))
            )
            for token, reference in zip(tokens, references, strict=True)
        )
    except ArithmeticError:  # a token is no number, or one beyond all others
        return False


def _is_near(value: Decimal, reference: Decimal, tolerance: float) -> bool:
    if value == reference or not tolerance or not (value.is_finite() and reference.is_finite()):
        return value == reference
    return abs(value - reference) <= Decimal(tolerance) * max(Decimal(1), abs(reference))


def restore_keys(arguments: Sequence[Any]) -> list[Any]:
    """Return arguments of APPS: where the first is an object with whole numbers as keys, these are numbers."""
    with suppress(AttributeError, IndexError, ValueError):
        return [{int(key): value for key, value in arguments[0].items()}, *arguments[1:]]
    return list(arguments)


# The key of an object in JSON that encodes a value which JSON does not have.
UNEQUAL = "\0"


def simplify(value: Any, depth: int = 0, *, loose: bool = False) -> Any:
    """Return a value in types of JSON. What equals no value of JSON becomes an object that equals none."""
    # A tuple is a list at the top alone, as LiveCodeBench has it, or everywhere if `loose`. Numbers of NumPy are
    # numbers.
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, list) or (isinstance(value, tuple) and (loose or not depth)):
        return [simplify(item, depth + 1, loose=loose) for item in value]
    if isinstance(value, dict) and all(
        isinstance(key, str) or (loose and type(key) is int) for key in value
    ):
        return {str(key): simplify(item, depth + 1, loose=loose) for key, item in value.items()}
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return simplify(value.item(), 1)
    if isinstance(value, (int, float)):
        return value
    return {UNEQUAL: f"{type(value).__name__} {value!r:.60}"}


def compare_value(result: Any, wanted: list[Any], tolerance: float) -> str:
    """Compare what a function returned with what it may return. Return how they differ, "" if they agree.

    Examples:
        >>> compare_value([1, 2.0], [[1, 2]], 0)
        ''
        >>> compare_value(5, [4], 0)
        'it must return 4; got 5'
    """
    if any(_is_equal(result, accepted, tolerance) for accepted in wanted):
        return ""
    shown = result
    if isinstance(result, dict) and UNEQUAL in result:
        shown = result[UNEQUAL]
    return f"it must return {shorten(wanted[0])}; got {shorten(shown)}"


def _is_equal(value: Any, wanted: Any, tolerance: float) -> bool:
    """Return whether two values of JSON are equal, with fractions within a tolerance."""
    if value == wanted:
        return True
    if isinstance(value, float) and isinstance(wanted, float):
        return isfinite(wanted) and abs(value - wanted) <= tolerance * max(1.0, abs(wanted))
    if isinstance(value, list) and isinstance(wanted, list):
        pairs = zip(value, wanted, strict=False)
        return len(value) == len(wanted) and all(_is_equal(*pair, tolerance) for pair in pairs)
    if isinstance(value, dict) and isinstance(wanted, dict) and value.keys() == wanted.keys():
        return all(_is_equal(value[key], wanted[key], tolerance) for key in value)
    return False


def shorten(value: object) -> str:
    """Return a value as it is shown in an outcome."""
    text = repr(value)
    if len(text) <= _SHOWN:
        return text
    return f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 2 :]}"


SCRIPTS = ("test_list", "test", "code_context")


def read_row(reference: str) -> dict[str, Any] | None:
    """Return the row that a reference holds, or None for another reference."""
    if not reference.lstrip().startswith("{"):
        return None
    try:
        row = json.loads(reference)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and any(row.get(name) for name in SCRIPTS) else None


def write_tests(row: Mapping[str, Any]) -> str:
    """Return the test program of a row. Every test of a list must hold.

    Examples:
        >>> print(write_tests({"test_list": ["assert f(1) == 2", "assert f(2) == 3"], "test_imports": ["import math"]}))
        import math
        assert f(1) == 2
        assert f(2) == 3
    """
    context = row.get("code_context")
    if context:  # of DS-1000, whose tests take the source of a program
        calls = re.findall(r"^def (test_execution|test_string)\(", context, re.MULTILINE)
        return "\n".join([context, *(f"{name}(code)" for name in calls)])
    test = str(row.get("test") or "")
    entry = row.get("entry_point")
    if (
        entry
        and re.search(r"^def check\(", test, re.MULTILINE)
        and not re.search(r"^check\(", test, re.MULTILINE)
    ):
        test += f"\ncheck({entry})"
    parts = [
        *_list(row.get("test_imports")),
        *_list(row.get("test_setup_code")),
        *_list(row.get("test_list")),
        test,
    ]
    return "\n".join(filter(None, parts))


def _list(cell: Any) -> list[str]:
    """Return the statements of a cell. A list may also be written as JSON, or as Python writes it."""
    if isinstance(cell, str) and cell.startswith("["):
        try:
            cell = json.loads(cell)
        except ValueError:
            with suppress(ValueError, SyntaxError):
                cell = ast.literal_eval(cell)
    if isinstance(cell, str):
        return [cell]
    return list(cell or ())


def find_prompt(row: Mapping[str, Any]) -> tuple[str, str]:
    r"""Return the prompt of a row, if it is the beginning of a program, and the function that it defines.

    Examples:
        >>> find_prompt({"prompt": "def f(x):\n", "entry_point": "f"}), find_prompt({"prompt": "Write f."})
        (('def f(x):\n', 'f'), ('', ''))
    """
    prompt = row.get("complete_prompt") or row.get("prompt")
    entry = row.get("entry_point")
    if isinstance(prompt, str) and isinstance(entry, str) and f"def {entry}" in prompt:
        return prompt, entry
    return "", ""
