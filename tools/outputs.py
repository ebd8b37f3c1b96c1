"""Write what the examples of documents and docstrings print: `python -m tools.outputs [--check]`.

An output is the block of text or JSON below a block of Python, or below one command of `at-k`. Each block of a page of
docs/ runs by itself, since readers copy one; those of a card run in their order. A Chinese document repeats the blocks
of the English one. In docstrings, the output of each example that prints something else is replaced.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer

from tools.endpoint import serve

ROOT = Path(__file__).resolve().parent.parent

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# A comment at the end of a line.
_COMMENT = re.compile(r"  # .*$", re.MULTILINE)

_SHOWN = re.compile(
    r"^```(?P<language>python|bash)\n(?P<code>.*?)^```$"
    r"(?:(?P<fence>\n+```(?:text|json)\n)(?P<shown>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
_FOLDERS = ("metrics", "comparisons", "examples", "benchmarks", "docs", "tests")


def list_documents(root: Path = ROOT) -> list[Path]:
    """List all documents, in both languages."""
    found = [*root.glob("*.md")]
    for folder in _FOLDERS:
        found += root.glob(f"{folder}/**/*.md")
    return sorted(found)


def find_english(path: Path) -> Path:
    """Return the document whose blocks a Chinese one repeats, or the document itself."""
    if path.name == "README.zh.md":
        return path.with_name("README.md")
    if path.parent.name == "zh" and (path.parent.parent / path.name).exists():
        return path.parent.parent / path.name
    return path


def is_page(path: Path) -> bool:
    """Return whether each block of a document runs by itself; the edge cases are asserts in a row."""
    return path.parent == ROOT / "docs" and path.name != "edge-cases.md"


def fill_document(path: Path, text: str) -> str:
    """Return the text of a document with the outputs of its examples as they are now."""
    shared: dict[str, Any] = {"__name__": "document"}

    def fill(found: re.Match[str]) -> str:
        code, shown = found["code"], found["shown"]
        if found["language"] == "bash":
            is_command = code.startswith("at-k ") and code.count("\n") == 1
            if shown is None or not is_command:
                return found[0]
            printed = run_command(code)
        else:
            line = text[: found.start()].count("\n") + 1
            names = {"__name__": "document"} if is_page(path) else shared
            if code.startswith(">>>"):
                return f"```python\n{fill_session(code, names, path)}```"
            printed = run_python(code, names, path, line)
        block = f"```{found['language']}\n{code}```"
        if not printed:
            return block
        fence = found["fence"] or "\n\n```text\n"
        return f"{block}{fence}{printed}```"

    return _SHOWN.sub(fill, text)


def run_python(code: str, names: dict[str, Any], path: Path, line: int) -> str:
    """Run a block, and return what it prints. Tracebacks name the line in the document."""
    compiled = compile("\n" * line + code, str(path), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compiled, names)
    return printed.getvalue()


def fill_session(code: str, names: dict[str, Any], path: Path) -> str:
    """Run the examples of an interactive session in a namespace, and return it with their outputs."""
    test = doctest.DocTestParser().get_doctest(code, names, path.name, str(path), 0)
    runner = _Runner()
    runner.run(test, out=lambda _: None, clear_globs=False)
    names |= test.globs
    return _replace_outputs(code, runner.changed)


def run_command(line: str) -> str:
    """Run a command in this process, on a terminal of 80 columns without colours, and return what it prints.

    Raises:
        ValueError: If it prints nothing, with its error.
    """
    from typer.testing import CliRunner

    from at_k.cli import app

    kept = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS="80", NO_COLOR="1")
    try:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
    finally:
        for name, value in kept.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
    if not done.stdout:
        raise ValueError(f"`{line.strip()}` prints nothing: {done.stderr}{done.exception or ''}")
    return str(done.stdout)


def fill_notebook(path: Path, text: str) -> str:
    """Return a notebook with the outputs of its cells as they are now, run in its folder."""
    notebook = json.loads(text)
    names: dict[str, Any] = {"__name__": "notebook"}
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            printed = run_python("".join(cell["source"]), names, path, 0)
            output = {"name": "stdout", "output_type": "stream"}
            cell["outputs"] = [output | {"text": printed.splitlines(True)}] if printed else []
    finally:
        os.chdir(before)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def copy_blocks(text: str, english: str) -> str:
    """Return a Chinese text with the blocks of the English one, but for comments that were translated.

    Raises:
        ValueError: If they have different numbers of blocks.
    """
    blocks = [found[0] for found in FENCE.finditer(english)]
    if len(FENCE.findall(text)) != len(blocks):
        raise ValueError(f"{len(FENCE.findall(text))} blocks, and {len(blocks)} in English")
    following = iter(blocks)

    def copy(found: re.Match[str]) -> str:
        block = next(following)
        is_translated = _COMMENT.sub("", found[0]) == _COMMENT.sub("", block)
        return found[0] if is_translated else block

    return FENCE.sub(copy, text)


class _Runner(doctest.DocTestRunner):
    """Keep the examples that print something else, with what they print."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=doctest.ELLIPSIS)  # as pytest has it
        self.changed: list[tuple[doctest.DocTest, doctest.Example, str]] = []

    def report_failure(
        self, _: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        self.changed.append((test, example, got))

    def report_unexpected_exception(
        self, _: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        error = f"{exc_info[0].__name__}: {exc_info[1]}"
        self.changed.append(
            (test, example, f"Traceback (most recent call last):\n    ...\n{error}\n")
        )


def fill_docstrings(path: Path, text: str) -> str:
    """Return the source of a module with the outputs of the examples in its docstrings as they are now."""
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    module = importlib.import_module(name)
    runner = _Runner()
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(test, out=lambda _: None)
    return _replace_outputs(text, runner.changed)


def _replace_outputs(text: str, changed: list[tuple[doctest.DocTest, doctest.Example, str]]) -> str:
    """Replace the outputs of examples, from the last one to the first.

    Raises:
        ValueError: If an output is not where it is looked for, as in a docstring with escaped line ends.
    """
    lines = text.splitlines(keepends=True)
    places = [(_find_line(test, example), example, got) for test, example, got in changed]
    for start, example, got in sorted(places, key=lambda place: place[0], reverse=True):
        indent = " " * example.indent
        stop = start + example.want.count("\n")
        if [line.strip() for line in lines[start:stop]] != [
            line.strip() for line in example.want.splitlines()
        ]:
            raise ValueError(f"line {start + 1} is not the output of `{example.source.strip()}`")
        lines[start:stop] = [
            f"{indent}{line}" if line.strip() else line for line in got.splitlines(True)
        ]
    return "".join(lines)


def _find_line(test: doctest.DocTest, example: doctest.Example) -> int:
    """Return the index of the first line of an example's output in its file."""
    return (test.lineno or 0) + example.lineno + example.source.count("\n")


@cache
def _prepare() -> None:
    """Have no network, and a fresh home of Hugging Face, as the tests do."""
    home = tempfile.mkdtemp(prefix="at-k-texts-")
    os.environ.update(HF_HOME=home, HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
    os.environ.update(HF_DATASETS_OFFLINE="1", HF_ALLOW_CODE_EVAL="")


def accept_paris(prompt: str, _: int) -> tuple[int, str]:
    """Judge as the model of an example does: Paris is the capital of France."""
    answer = prompt.rpartition("Answer to be judged: ")[2].partition("\n")[0]
    return 200, "CORRECT" if "Paris" in answer else "INCORRECT"


def render_outputs() -> Iterator[tuple[Path, str, str]]:
    """Yield each document and module with examples: its text as it is, and as it should be."""
    _prepare()
    filled: dict[Path, str] = {}
    with serve(accept_paris) as judge:
        os.environ["OPENAI_BASE_URL"] = judge.url
        for path in list_documents():
            text = path.read_text(encoding="utf-8")
            if find_english(path) == path:
                filled[path] = fill_document(path, text)
                yield path, text, filled[path]
    for path in sorted((ROOT / "examples").glob("*.ipynb")):
        text = path.read_text(encoding="utf-8")
        yield path, text, fill_notebook(path, text)
    for path in list_documents():
        english = find_english(path)
        if english != path:
            text = path.read_text(encoding="utf-8")
            yield path, text, copy_blocks(text, filled[english])
    for path in sorted((ROOT / "at_k").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if ">>> " in text and "integrations" not in path.parts:
            yield path, text, fill_docstrings(path, text)


CHECK = typer.Option(
    False, "--check", help="Change nothing, list the stale files, and fail if there are any."
)


def update(found: Iterable[tuple[Path, str, str]], root: Path, *, check: bool) -> None:
    """Write each file whose text is another one than it should be, or only list these, and then fail."""
    stale = False
    for path, text, wanted in found:
        if text == wanted:
            continue
        stale = True
        if not check:
            path.write_text(wanted, encoding="utf-8")
        print(f"{'stale' if check else 'written'}: {path.relative_to(root)}")
    if check and stale:
        print("`make texts` writes them anew")
        raise typer.Exit(1)


def main(check: bool = CHECK) -> None:
    """Write the outputs of all examples."""
    os.chdir(ROOT)
    update(render_outputs(), ROOT, check=check)


if __name__ == "__main__":
    typer.run(main)
