"""The table “How far a change reaches” of CONTRIBUTING.md, followed as it is written, in a copy of the project.

Each change edits what its row names, and nothing else: no row has more than six places, and none is in Chinese. Then
`tools.texts` writes what repeats the registry, and the tests of the rooms that have changed pass.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import for_each

pytestmark = [pytest.mark.xdist_group("guide"), pytest.mark.guide]
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Change:
    """A change: edits of files (a text that the file has once, and what comes in its place), new files, and tests."""

    edits: tuple[tuple[str, str, str], ...]
    files: dict[str, str]
    tests: str


def put(file, before, text):
    """Make the edit that puts a text before another one."""
    return file, before, text + before


METRIC = Change(
    (
        put(
            "at_k/estimators/counts.py",
            "_TABLES: dict[str, Table]",
            '''\
def tabulate_median(n: int, k: int) -> Floats:
    """Tabulate the chance that more than half of k samples are correct, by the number of correct ones."""
    return at_least(n, k, k // 2 + 1)


''',
        ),
        put("at_k/family.py", "from importlib.util import", "from functools import partial\n"),
        put("at_k/family.py", "    compute_g_pass,\n", "    compute_counts,\n"),
        put(
            "at_k/family.py",
            "from at_k.options.registry import SHARED_OPTIONS\n",
            "from at_k.estimators.counts import tabulate_median\n",
        ),
        put(
            "at_k/family.py",
            "    )\n}\n\n# The names of the modules.",
            """\
        Metric(
            name="median_at_k",
            title="median@k",
            question="How often are more than half of k samples correct?",
            needs=_ANY,
            warning="for even k it is below the accuracy of one sample",
            arguments=(*_JUDGED, "k", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "median@{k}",
                    "for every k, the chance that more than half of k samples are correct, averaged over the problems.",
                    label=("more than half right", ""),
                    style=Style("", ("#56B4E9", "v", (3, 2))),
                ),
            ),
            compute=partial(compute_counts, metric="median@k", table=tabulate_median),
            example=Example({"grades": [[1, 0, 1, 0], [1, 1, 0, 1]]}, {"k": [1, 3]}),
            default_k=POWERS,
        ),
""",
        ),
        put(
            "tests/oracles.py",
            '    "avg_at_n": lambda',
            """\
    "median_at_k": lambda answers, correct, scores, k, taus: {
        f"median@{k}": tail(correct_drawn(len(correct), sum(correct), k), k // 2 + 1)
    },
""",
        ),
        put(
            "tests/metrics/test_values.py",
            '    "problems weigh the same"',
            # Two of three draws must be correct: C(2, 2) C(2, 1) / C(4, 3) = 1/2 of the first problem, 1 of the second.
            """\
    "a median of three": (
        Module("median_at_k"), graded([1, 0, 1, 0], [1, 1, 0, 1], k=3), ({}, {"median@3": 0.75}),
    ),
""",
        ),
        put("tests/metrics/test_values.py", "    every_config,\n", "    Module,\n"),
    ),
    {
        "metrics/median_at_k/median_at_k.py": '''\
"""median@k: how often more than half of k samples are correct.

For n samples, c of them correct, median@k = Σ_{j > k/2} C(c, j) C(n−c, k−j) / C(n, k), which is
`at_k.estimators.counts.tabulate_median`.
"""

import evaluate

from at_k.computation import compute_counts
from at_k.estimators.counts import tabulate_median
from at_k.module import describe_inputs
from at_k.module import SampledMetric
from at_k.module import sample_features

_DESCRIPTION = """\\
median@k is the chance that more than half of k samples are correct.
"""

_EXAMPLES = """\\
    >>> median_at_k = evaluate.load("metrics/median_at_k")
    >>> median_at_k.compute(predictions=[["a", "b", "a", "c"]], references=["a"], k=3)
    {'median@3': 0.5}
"""

_KWARGS_DESCRIPTION = describe_inputs("median_at_k", _EXAMPLES)

_CITATION = ""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class MedianAtK(SampledMetric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=sample_features(self.config_name),
        )

    def _compute(self, problems, *, k, **shared):
        verdicts = self.judge(problems, shared)
        values = compute_counts(verdicts, metric="median@k", table=tabulate_median, k=k)
        return self.report(values, verdicts, shared)
''',
    },
    "tests/metrics/test_values.py tests/metrics/test_properties.py tests/metrics/test_claims.py tests/options "
    "tests/metrics/test_chinese_cards.py tests/tools/test_texts.py tests/tools/test_standalone.py "
    "tests/demo/test_words.py tests/test_house.py",
)

OPTION = Change(
    (
        (
            "at_k/computation.py",
            "def compute_pass(verdicts: Verdicts, *, k: K | None = None) -> Values:\n",
            "def compute_pass(verdicts: Verdicts, *, k: K | None = None, at_least: int = 1) -> Values:\n",
        ),
        put(
            "at_k/computation.py",
            '    return compute_counts(verdicts, metric="pass@k", table=table, k=k)\n',
            "    if at_least > 1:\n        table = partial(tabulate_least, least=at_least)\n",
        ),
        put("at_k/computation.py", "    tabulate_majority,\n", "    tabulate_least,\n"),
        put(
            "at_k/estimators/counts.py",
            "_TABLES: dict[str, Table]",
            '''\
def tabulate_least(n: int, k: int, *, least: int) -> Floats:
    """Tabulate the chance that at least some number of k samples are correct."""
    return at_least(n, k, least)


''',
        ),
        (
            "at_k/family.py",
            'arguments=(*_JUDGED, "k", *SHARED_OPTIONS),',
            'arguments=(*_JUDGED, "k", "at_least", *SHARED_OPTIONS),',
        ),
        put(
            "at_k/options/options.toml",
            "[numbers.ties]\n",
            """\
[numbers.at_least]
type = "int"
card = ['how many of the k samples must be correct.']
text = "how many of the k samples must be correct for pass@k."
default = 1
check = "at_k.validation:check_seed"

""",
        ),
        (
            "metrics/pass_at_k/pass_at_k.py",
            "    def _compute(self, problems, *, k, **shared):\n",
            "    def _compute(self, problems, *, k, at_least, **shared):\n",
        ),
        (
            "metrics/pass_at_k/pass_at_k.py",
            "compute_pass(verdicts, k=k)",
            "compute_pass(verdicts, k=k, at_least=at_least)",
        ),
        put(
            "tests/options/test_options.py",
            '        "on_conflict": "majority",\n',
            '        "at_least": 2,\n',
        ),
        put(
            "tests/options/test_options.py",
            '        "audited": RARE,\n',
            '        "at_least": RARE,\n',
        ),
    ),
    {},
    "tests/metrics/test_values.py tests/metrics/test_chinese_cards.py tests/options tests/tools/test_texts.py "
    "tests/tools/test_standalone.py tests/demo/test_words.py",
)

CHECKER = Change(
    (
        put(
            "at_k/grading/checkers/__init__.py",
            "    # isort: on\n",
            "        from at_k.grading.checkers.prefix import Prefix as prefix\n",
        ),
        put(
            "at_k/options/options.toml",
            ' `"judge"`: what a language model says',
            ' `"prefix"`: the prediction begins with the reference.',
        ),
    ),
    {
        "at_k/grading/checkers/prefix.py": '''\
"""The checker that looks at the beginning of an answer."""

from __future__ import annotations

from dataclasses import dataclass

from at_k.grading.checkers.base import Checker


@dataclass(frozen=True, repr=False)
class Prefix(Checker):
    """Accept an answer that begins with the reference.

    Examples:
        >>> Prefix()("42 apples", "42"), Prefix()("about 42", "42")
        (True, False)
    """

    name = "prefix"

    def compare(self, answer: str, reference: str) -> bool:
        """Look at the beginning."""
        return answer.startswith(reference)
''',
        "tests/grading/checkers/test_prefix.py": '''\
"""The checker that looks at the beginning of an answer."""

import at_k


def test_an_answer_begins_with_the_reference():
    data = {"answers": [["42 apples", "41"]], "references": ["42"]}
    report = at_k.score(data, check_correct_fn="prefix", metrics="pass@1")
    assert report.values == {"pass@1": 0.5}
''',
    },
    "tests/grading/checkers/test_prefix.py tests/grading/checkers/test_base.py tests/options tests/test_house.py",
)

FORMAT = Change(
    (
        put(
            "at_k/readers/formats/formats.toml",
            "[nemo-gym]\n",
            """\
[toy-harness]
title = "Toy Harness 1.0"
file = "toy_*.jsonl"
samples = "toy run --samples n"
marks = [{ layout = "rows", names = ["toy_task", "toy_attempt", "toy_reward"] }]

[toy-harness.keys]
problem = "toy_task"
grades = "toy_reward"
number = "toy_attempt"
failed = "toy_error"

""",
        ),
        put(
            "tests/readers/formats/rules.py",
            "SKILL = {",
            """\
TOYS = rows(
    "toy_task toy_attempt toy_reward toy_error",
    ("a", 0, 1, None), ("a", 1, 0, None), ("b", 0, 0, None), ("b", 1, 0, "timeout"),
)
""",
        ),
        put(
            "tests/readers/formats/rules.py",
            "    # reward_profile.py, `select_measured`",
            """\
    # toy/report.py: attempts with an error are left out.
    "toy-harness": (
        "toy_1.jsonl", TOYS, {"a": [1, 0], "b": [0, None]},
        collect(TOYS, "toy_task", "toy_reward", lambda x: not x["toy_error"]), "drop", {"timeout": 1}),
""",
        ),
    ),
    {},
    "tests/readers/formats/test_meaning.py -k toy-harness or every_format",
)

ENGINE = Change(
    (
        (
            "at_k/engines/engine.py",
            '"at_k.engines.shards", ',
            '"at_k.engines.shards", "at_k.engines.files", ',
        ),
        put(
            "tests/engines/test_engine.py",
            '    "shards": as_shards,\n',
            '    "files": as_arrow_file,\n',
        ),
        put(
            "tests/engines/test_engine.py",
            "ENGINES = {\n",
            """\
def as_arrow_file(table, folder):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table, max_chunksize=50)
    return pa.ipc.open_file(sink.getvalue())


""",
        ),
    ),
    {
        "at_k/engines/files.py": '''\
"""Count in an open file of Arrow, as in a folder of shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from at_k.engines import shards
from at_k.engines.engine import Count, Roles, Rows, is_of
from at_k.readers.tables.choosing import Where

if TYPE_CHECKING:
    import pyarrow as pa


def takes(data: Any) -> bool:
    """Return whether data are an open file of Arrow."""
    return is_of(data, "pyarrow") and hasattr(data, "num_record_batches")


def list_columns(data: Any) -> list[str]:
    """List the names of the columns."""
    return list((data if hasattr(data, "schema") else _open(data)).schema.names)


def keep(data: Any, where: Where) -> Any:
    """Return the rows that are wanted."""
    return shards.keep(_open(data), where)


def name_files(data: Any) -> Any:
    """Return the data: their rows are of one file."""
    return data


def take_rows(data: Any, count: int) -> pa.Table:
    """Take the first rows."""
    return shards.take_rows(_open(data), count)


def count_rows(data: Any) -> int:
    """Count the rows."""
    return shards.count_rows(_open(data))


def take_problems(data: Any, problem: str, columns: Sequence[str], step: int) -> pa.Table:
    """Take all rows of one in `step` problems."""
    return shards.take_problems(_open(data), problem, columns, step)


def list_values(data: Any, column: str, count: int) -> list[Any]:
    """List the values of a column."""
    return shards.list_values(_open(data), column, count)


def count_grades(data: Any, roles: Roles, threshold: float, *, drop: bool) -> Rows:
    """Count problems by n and c."""
    return shards.count_grades(_open(data), roles, threshold, drop=drop)


def count_answers(data: Any, roles: Roles, count: Count) -> Iterator[Any]:
    """Count how often each problem has each answer."""
    return shards.count_answers(_open(data), roles, count)


def _open(data: Any) -> Any:
    """Return a data set of the batches; the rows that were kept are one already."""
    import pyarrow.dataset as ds

    return ds.dataset(data.read_all()) if hasattr(data, "read_all") else data
''',
    },
    "tests/engines/test_engine.py -k files",
)

OPTIONS = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not alone", "-n", "2", "--dist=loadgroup"]
"""Of the tests in the copy."""

CHANGES = {
    "a metric": METRIC,
    "an option of one metric": OPTION,
    "a checker": CHECKER,
    "a format": FORMAT,
    "an engine": ENGINE,
}


def read_table():
    """Read the rows of the table: change → its files."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.split("## How far a change reaches\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| ([^|`]+?) \| (.+) \|$", table, re.MULTILINE))


def list_places(change):
    """List the files and folders of a change: all files of a module are one place, and a new test is its test."""
    files = [file for file, *_ in change.edits] + [*change.files]
    return {re.sub(r"^(metrics/\w+)/.*", r"\1/", file) for file in files}


def test_no_change_reaches_more_than_six_places():
    rows = read_table()
    assert len(rows) > 8
    for change, places in rows.items():
        assert 0 < places.count(";") + 1 <= 6, change


@for_each("name", CHANGES)
def test_a_change_needs_what_its_row_names(name):
    row = read_table()[name]
    for place in list_places(CHANGES[name]):
        folder = place.rpartition("/")[0]
        assert f"`{place}`" in row or f"`{folder}/" in row, f"{place} is not in the row of {name}"


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    """A copy of the project with all changes, in which what repeats the registry was written anew."""
    copy = tmp_path_factory.mktemp("guide") / "project"
    unneeded = shutil.ignore_patterns(".*", "build", "dist", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=unneeded)
    for change in CHANGES.values():
        for file, old, new in change.edits:
            path = copy / file
            text = path.read_text(encoding="utf-8")
            assert text.count(old) >= 1, f"{file}: {old}"
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        for file, text in change.files.items():
            (copy / file).parent.mkdir(exist_ok=True)
            (copy / file).write_text(text, encoding="utf-8")
    copy_card(copy / "metrics")
    run(copy, "tools.texts")
    return copy


def test_the_changed_project_passes_the_tests(changed):
    """All changes at once, since the tests of options and of texts are those of several."""
    whole = [change.tests for change in CHANGES.values() if " -k " not in change.tests]
    tests = sorted({test for each in whole for test in each.split()})
    run(changed, "pytest", *OPTIONS, *tests)


@for_each("name", [name for name, change in CHANGES.items() if " -k " in change.tests])
def test_the_changed_room_passes_its_tests(changed, name):
    files, _, chosen = CHANGES[name].tests.partition(" -k ")
    run(changed, "pytest", *OPTIONS, *files.split(), "-k", chosen)


def copy_card(folder):
    """Write the files that a new module has in common with others, and a card in English."""
    for file in ("app.py", "requirements.txt", "README.md"):
        text = (folder / "avg_at_n" / file).read_text(encoding="utf-8")
        text = text.replace("avg_at_n", "median_at_k").replace("[中文](README.zh.md)\n\n", "")
        (folder / "median_at_k" / file).write_text(text, encoding="utf-8")


def run(folder, *command):
    """Run a module of Python in a folder, and show what it prints if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-3000:]
