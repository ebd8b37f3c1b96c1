"""The registry of the metrics: their names, needs, options, defaults and outputs.

The modules, the scorer, the report, the demo, the Spaces, the generated texts (`make texts`) and the tests read it. A
new metric needs an entry in `FAMILY`, and, if it depends on more than n and c, a function in `computation.py`.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from at_k.computation import (
    POWERS,
    PUBLISHED,
    Example,
    Metric,
    compute_average,
    compute_best,
    compute_consensus,
    compute_g_pass,
    compute_pass,
)
from at_k.errors import explain_absent
from at_k.options.registry import SHARED_OPTIONS
from at_k.validation import check_choice, check_flag, shorten
from at_k.values import Key, Output, Style, Threshold

_JUDGED = ("predictions", "references", "grades")
_SIMULATED = (
    "the standard error of the simulation (Monte Carlo standard error), if {cause} led to one. It measures how precise "
    "the computation is, not how certain the number is as a statement about the model."
)
_ANY = "answers and references, or grades"

# Every metric by the name of its module, in the order in which they are listed everywhere.
FAMILY = {
    metric.name: metric
    for metric in (
        Metric(
            name="gpassk",
            title="G-Pass@k",
            question="How often is at least a share τ of k samples correct?",
            needs=_ANY,
            warning="small τ measures potential, τ = 1 reliability; always report τ with the number",
            chinese=(
                "k 个样本中，正确的至少占 τ 的概率是多少？",
                "答案与参考答案，或判定",
                "τ 小时衡量潜力，τ = 1 衡量可靠性；报告数值时务必同时给出 τ",
            ),
            arguments=(*_JUDGED, "k", "thresholds", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "G-Pass@{k}_{τ}",
                    "for every k and τ, the chance that at least max(1, ⌈τk⌉) of k samples are correct, averaged "
                    "over the problems. τ is written as Python prints it: `G-Pass@8_0.25`, `G-Pass@8_1.0`, and "
                    "`G-Pass@8_2/3` for `Fraction(2, 3)`.",
                    label=("at least {share} right", "至少 {share} 对"),
                    style=Style("", waits=True),
                    thresholds={
                        0.0: Threshold(("at least one right", "至少一个对")),
                        0.25: Threshold(style=Style("gpass-low", waits=True)),
                        0.5: Threshold(("at least half right", "至少一半对"), Style("gpass")),
                        0.75: Threshold(style=Style("gpass-high", waits=True)),
                        1.0: Threshold(
                            ("all of k right", "k 个全对"), Style("pass-hat"), twin="pass^k"
                        ),
                    },
                ),
                Output(
                    "mG-Pass@{k}",
                    "for every k, (2/k) Σ P(at least i of k are correct) for i from ⌈k/2⌉ + 1 to k, averaged over "
                    "the problems. For even k, this is the mean over the thresholds above one half.",
                    label=("mean over τ from ½ to 1", "τ 从 ½ 到 1 的平均"),
                    style=Style("mgpass", ("#CC79A7", "D", (3, 1, 1, 1, 1, 1)), waits=True),
                    even_k=True,
                ),
            ),
            compute=compute_g_pass,
            example=Example(
                {
                    "answers": [
                        ["a", "b", "a", "a", "b", "a", "b", "c"],
                        ["4", "4", "4", "4", "4", "4", "5", "4"],
                    ],
                    "references": ["a", "4"],
                },
                {"k": [2, 4], "thresholds": [0.25, 0.5, 0.75, 1.0]},
            ),
            default_k=PUBLISHED,
        ),
        Metric(
            name="pass_at_k",
            title="pass@k",
            question="How often is at least one of k samples correct?",
            needs=_ANY,
            warning="someone must be able to tell which sample is correct; guessing raises the number",
            chinese=(
                "k 个样本中至少有一个正确的概率是多少？",
                "答案与参考答案，或判定",
                "须有办法看出哪个样本是正确的；瞎猜会抬高数值",
            ),
            arguments=(*_JUDGED, "k", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "pass@{k}",
                    "for every k, the chance that at least one of k samples is correct, 1 − C(n−c, k)/C(n, k), "
                    "averaged over the problems.",
                    label=("at least one right", "至少一个对"),
                    style=Style("pass", ("#0072B2", "o", ())),
                ),
            ),
            compute=compute_pass,
            example=Example({"grades": [[1, 0, 0, 0, 0], [1, 1, 0, 1, 0]]}, {"k": [1, 2, 4]}),
            default_k=POWERS,
        ),
        Metric(
            name="cons_at_k",
            title="cons@k",
            question="How often is the most frequent of k answers correct?",
            needs="answers, and references or grades; grades alone say less",
            warning="more votes lower it if a wrong answer is the most frequent",
            chinese=(
                "k 个答案中最常见的那个正确的概率是多少？",
                "答案，以及参考答案或判定；只有判定时能说明的较少",
                "若最常见的答案是错的，票数越多数值越低",
            ),
            arguments=(*_JUDGED, "k", "ties", "weights", "on_conflict", *SHARED_OPTIONS),
            outputs=(
                Output(
                    "cons@{k}",
                    "for every k, the chance that the winner of the vote is correct, averaged over the problems.",
                    label=("the vote is right", "投票正确"),
                    style=Style("cons", ("#D55E00", "^", (6, 1, 1, 1))),
                ),
                Output("cons@{k}_mcse", _SIMULATED.format(cause="`weights`"), of_module=False),
            ),
            compute=compute_consensus,
            example=Example(
                {
                    "answers": [["7", "9", "9", "7", "8"], ["12", "12", "15", "12", None]],
                    "references": ["7", "12"],
                },
                {"k": [1, 3, 5], "missing": "incorrect"},
            ),
            default_k=POWERS,
            votes=True,
        ),
        Metric(
            name="avg_at_n",
            title="avg@n",
            question="How often is one sample correct?",
            needs=_ANY,
            warning="half right on every problem, and always right on half of the problems, give the same number",
            chinese=(
                "单个样本正确的概率是多少？",
                "答案与参考答案，或判定",
                "每道题都对一半，与一半的题总是对，数值相同",
            ),
            arguments=(*_JUDGED, *SHARED_OPTIONS),
            outputs=(
                Output(
                    "avg@{n}",
                    "the share of correct samples, averaged over the problems. The key is `avg@n`, with the "
                    "letter, if the problems have different numbers of samples.",
                    label=(
                        "one sample is right; every metric at k = 1",
                        "单个样本正确；即 k = 1 时的各指标",
                    ),
                    style=Style("avg", ("#000000", "", (1, 1)), waits=True),
                ),
                Output(
                    "accuracy",
                    "the mean grade of a problem's samples, averaged over the problems.",
                    label=("mean grade of a sample", "样本的平均得分"),
                ),
            ),
            compute=compute_average,
            example=Example({"grades": [[1, 0, 0.6, 0.4], [1, 1, 0.9, 0]]}, {}),
        ),
        Metric(
            name="best_at_k",
            title="best@k",
            question="How often is the one of k samples with the highest score correct?",
            needs="answers and references, or grades; and a score for each sample",
            warning="it measures a model and a score together",
            chinese=(
                "k 个样本中分数最高的那个正确的概率是多少？",
                "答案与参考答案，或判定；以及每个样本的分数",
                "它同时衡量模型和分数",
            ),
            arguments=(
                *_JUDGED,
                "scores",
                "k",
                "select",
                "score_weights",
                "higher_is_better",
                *SHARED_OPTIONS,
            ),
            outputs=(
                Output(
                    "best@{k}",
                    "for every k, the chance that the chosen sample is correct, averaged over the problems.",
                    label=("the best-scored is right", "得分最高者正确"),
                    style=Style("best", ("#009E73", "s", (4, 1))),
                ),
                Output(
                    "max@{k}",
                    "for every k, the expected highest score (with `higher_is_better=False`, the lowest), averaged "
                    "over the problems, in the unit of the scores. Only if a single number ranks the samples, so "
                    'not with `"lexicographic"` and `"pareto"`.',
                    label=("highest score of k", "k 个中的最高分"),
                    bounded=False,
                ),
                Output(
                    "best@{k}_mcse", _SIMULATED.format(cause='`select="pareto"`'), of_module=False
                ),
            ),
            compute=compute_best,
            example=Example(
                {
                    "answers": [["a", "b", "a"], ["x", "y", "y"]],
                    "references": ["a", "y"],
                    "scores": [[0.75, 0.5, 0.25], [0.9, 0.2, 0.4]],
                },
                {"k": [1, 2, 3]},
            ),
            default_k=POWERS,
        ),
    )
}

# The names of the modules.
METRICS = tuple(FAMILY)


class _Outputs(dict[str, Output]):
    """Map the `Key.metric` of numbers to outputs; a weighted sum of numbers is a share without a line."""

    def __missing__(self, metric: str) -> Output:
        if "+" not in metric:
            raise KeyError(metric)
        return Output(metric, "a weighted sum", (metric, metric))


# Every output by the `Key.metric` of its keys, in the order in which lines are listed.
OUTPUTS = _Outputs(
    {output.metric: output for metric in FAMILY.values() for output in metric.outputs}
)


def find_style(line: Key) -> Style | None:
    """Return how a line is drawn: as its threshold says, or else its output."""
    output = OUTPUTS[line.metric]
    threshold = None
    if line.tau is not None:
        threshold = output.thresholds.get(float(line.tau))
    return threshold.style if threshold and threshold.style else output.style


def leave_out_twins(lines: Iterable[Key]) -> list[Key]:
    """Leave out the lines that are there under another name."""
    listed = list(lines)
    known = {
        OUTPUTS[line.metric].thresholds[float(line.tau)].twin
        for line in listed
        if line.tau is not None and float(line.tau) in OUTPUTS[line.metric].thresholds
    }
    return [line for line in listed if line.metric not in known]


def find_metric(name: str) -> Metric:
    """Return the entry of a metric."""
    if not isinstance(name, str) or name not in FAMILY:
        raise ValueError(
            f"`name` must be one of {', '.join(map(repr, METRICS))}; got {shorten(name)}"
        )
    return FAMILY[name]


# The modules that compare two models.
COMPARISONS = ("at_k_difference",)


# The folders of the modules


# Module → its kind, as `evaluate` calls it. The folder of a kind has its name in the plural.
_KINDS = {**dict.fromkeys(METRICS, "metric"), **dict.fromkeys(COMPARISONS, "comparison")}

_MARK = "registered-by-at-k"

_STUB = '''\
"""Load the module {name} from the installed package at_k, so that this registration never goes stale."""

from at_k.family import load_class

{class_name} = load_class("{name}")
{class_name}.__module__ = __name__  # a pickle looks for the class here
'''


def module_path(name: str) -> Path:
    """Return the folder of a module, for `evaluate.load(str(at_k.module_path(name)))`.

    Args:
        name: one of `at_k.METRICS`, or "at_k_difference".

    Raises:
        ValueError: if there is no such module.
        FileNotFoundError: if the library was copied without its modules.

    Examples:
        >>> module_path("gpassk").name
        'gpassk'
    """
    check_choice("name", name, tuple(_KINDS))
    kind = f"{_KINDS[name]}s"
    library = Path(__file__).resolve().parent
    for modules in (library / kind, library.parent / kind):  # as installed, and as in a clone
        if (modules / name / f"{name}.py").is_file():
            return modules / name
    raise FileNotFoundError(
        f"the module {name!r} is neither in {library / kind} nor in {library.parent / kind}"
    )


def load_class(name: str) -> Any:
    """Return the class of a module, from the file in its folder."""
    spec = spec_from_file_location(f"at_k.{_KINDS[name]}s.{name}", module_path(name) / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"the module {name!r} cannot be loaded from {module_path(name)}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name_class(name))


def register(*, undo: bool = False) -> list[Path]:
    """Let `evaluate.load("gpassk")`, and the other names, work from any directory, without a network.

    Write a file for each module into the cache where `evaluate` keeps modules that it has loaded before. The file loads
    the module from the installed package, so that it need not be written again after an update.

    Args:
        undo: remove the files again.

    Returns:
        The folders that were written, or with `undo` removed.

    Examples:
        >>> [folder.parent.name for folder in register()][0]
        'evaluate-metric--gpassk'
        >>> len(register(undo=True)) == len(METRICS) + len(COMPARISONS)
        True
    """
    try:
        from evaluate.loading import init_dynamic_modules
    except ModuleNotFoundError as error:
        raise explain_absent(error, "`at_k.register`") from None

    check_flag("undo", undo)
    cache = Path(init_dynamic_modules()) / "metrics"
    changed = []
    for name, kind in _KINDS.items():
        # `evaluate` looks up a module without an owner under this name, and keeps all kinds in one folder.
        home = cache / f"evaluate-{kind}--{name}"
        for old in [mark.parent for mark in home.glob(f"*/{_MARK}")]:
            shutil.rmtree(old)
            if undo:
                changed.append(old)
        if undo:
            if home.is_dir() and not any(
                entry.name not in ("__init__.py", "__pycache__") for entry in home.iterdir()
            ):
                shutil.rmtree(home)
            continue
        stub = _STUB.format(name=name, class_name=name_class(name))
        folder = home / hashlib.sha256(stub.encode()).hexdigest()  # `evaluate` expects 64 digits
        folder.mkdir(parents=True, exist_ok=True)
        for package in (cache, home, folder):
            (package / "__init__.py").touch()
        (folder / _MARK).touch()
        (folder / f"{name}.py").write_text(stub, encoding="utf-8")
        changed.append(folder)
    return changed


def name_class(name: str) -> str:
    """Return the name of a module's class: "PassAtK" for "pass_at_k"."""
    return "".join(part.capitalize() for part in name.split("_"))
