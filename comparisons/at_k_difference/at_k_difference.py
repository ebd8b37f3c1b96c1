"""The difference of two models in an @k metric, on the same problems."""

from dataclasses import replace

import datasets
import evaluate

from at_k.analysis.comparison import compare
from at_k.columns import read_references
from at_k.validation import require_problems, require_same_problems
from at_k.module import list_defaults
from at_k.family import FAMILY
from at_k.options.registry import Option
from at_k.options.registry import (
    COMPARING,
    JUDGING,
    OPTIONS,
    check_config,
    complete,
    sign,
    write_docstring,
)
from at_k.columns import read_problems
from at_k.samples import Store
from at_k.validation import check_choice, shorten

# A comparison has no column for scores.
METRICS = tuple(name for name, metric in FAMILY.items() if not metric.needs_scores)

_DESCRIPTION = """\
The difference of two models in pass@k, G-Pass@k, cons@k or avg@n on the same problems, with a paired confidence interval
and the p-value of a sign-flip test.
"""

_COLUMNS = (
    Option(
        "predictions1",
        "list[list[str]] | list[list[float]]",
        "the samples of the first model: for each problem a list of answers, or, in the configuration `graded`, of grades "
        "in [0, 1], such as 0 and 1.",
    ),
    Option(
        "predictions2",
        "list[list[str]] | list[list[float]]",
        "the samples of the second model, for the same problems in the same order. The number of samples may differ.",
    ),
    Option(
        "references",
        "list[str] | list[list[str]]",
        "the correct answer of each problem, or a list of acceptable ones. Not in the configuration `graded`.",
    ),
)

_OWN = (
    Option(
        "metric",
        "str | list[str]",
        "the metric to compare in: "
        + ", ".join(map('`"{}"`'.format, METRICS))
        + ", or a list of them.",
        "pass_at_k",
    ),
    OPTIONS["k"],
    COMPARING["confidence_level"],
    COMPARING["method"],
    replace(
        OPTIONS["clusters"],
        text="one label for each problem, where problems come in groups that resemble each other, such as the questions on "
        "one text. Whole clusters then flip their signs. Optional.",
    ),
    COMPARING["margin"],
    COMPARING["seed"],
    OPTIONS["return_details"],
)

_SHARED = (*JUDGING.values(), *(OPTIONS[name] for name in ("thresholds", "ties", "on_conflict")))

_REST = Option(
    "options", "", f"as of the metrics: {', '.join(f'`{each.name}`' for each in _SHARED)}."
)

INPUTS = (*_COLUMNS, *_OWN, _REST)

OUTPUTS = {
    "{key}_predictions1": "the value of the first model, averaged over the problems; {key} is as in the metric, such as `pass@1`.",
    "{key}_predictions2": "that of the second model.",
    "{key}_difference": "the first value minus the second, between −1 and 1.",
    "{key}_difference_ci_low": "the lower end of the confidence interval of the difference. Those of all keys hold together.",
    "{key}_difference_ci_high": "the upper end.",
    "{key}_p_value": "the p-value of this key alone: how often a difference as large occurs if the models are equal.",
    "{key}_p_adjusted": "the p-value, adjusted for the different questions that the keys ask (step-down max-T). It is below "
    "1 − `confidence_level` exactly where the interval does not hold 0.",
    "{key}_p_equivalence": "with `margin`, the p-value of a difference of at least the margin (TOST), times the number of "
    "questions.",
    "{key}_fragility": "if a model is better, the number of further problems, all lost by it, after which it would not be.",
    "{key}_won": "the number of problems with a higher value for the first model.",
    "{key}_lost": "the number of problems with a higher value for the second model.",
    "{key}_tied": "the number of problems with equal values.",
    "details": "with `return_details`, a dict of the same numbers, a verdict in words, the problems whose values differ most, and notes.",
}

_EXAMPLES = """\
    >>> at_k_difference = evaluate.load("comparisons/at_k_difference", "graded")
    >>> results = at_k_difference.compute(predictions1=[[1, 1]] * 11, predictions2=[[0, 1]] * 10 + [[1, 1]], k=1)
    >>> round(results["pass@1_difference"], 3), results["pass@1_p_value"], results["pass@1_won"]
    (0.455, 0.001953125, 10)
"""

_KWARGS_DESCRIPTION = write_docstring(
    INPUTS, OUTPUTS, _EXAMPLES, list_defaults(FAMILY[name] for name in METRICS)
)

_CITATION = """\
@misc{miller2024addingerrorbars,
      title={Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations},
      author={Evan Miller},
      year={2024},
      eprint={2411.00640},
      archivePrefix={arXiv},
      primaryClass={stat.AP},
      url={https://arxiv.org/abs/2411.00640},
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class AtKDifference(evaluate.Comparison):
    """Compare two models. As in the metrics, samples stay in memory, and a comparison that fails loses none."""

    def __init__(self, config_name=None, *, num_process=1, **options):
        if num_process != 1:
            raise ValueError(
                f"`num_process` must be 1; got {shorten(num_process)}. Gather the samples in one process, and compare there"
            )
        self._stores = (Store(), Store())
        super().__init__(config_name, num_process=1, **options)

    def _info(self):
        check_config(self.config_name)
        value = datasets.Value("float64" if self.config_name == "graded" else "string")
        samples = {name: datasets.Sequence(value) for name in ("predictions1", "predictions2")}
        references = [{"references": value}, {"references": datasets.Sequence(value)}]
        return evaluate.ComparisonInfo(
            module_type="comparison",
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features({**samples, **each})
                for each in ([{}] if self.config_name == "graded" else references)
            ],
            reference_urls=["https://arxiv.org/abs/2411.00640"],
        )

    def __len__(self):
        """Count the problems that have been added since the last computation."""
        return len(self._stores[0])

    def compute(self, *, predictions1=None, predictions2=None, references=None, **options):
        """Compare the problems given here and those added before, and then remove the latter.

        If the comparison fails, the problems stay, and `compute` can be called again.
        """
        chosen = complete(options, self._compute, of="at_k_difference")
        given = self._select(
            predictions1=predictions1, predictions2=predictions2, references=references
        )
        if not len(self) and predictions1 is None:
            raise ValueError(
                "`predictions1` must be given, here or before with `add` or `add_batch`; got no problems"
            )
        batches = [] if all(column is None for column in given.values()) else [self._read(given)]
        held, self._stores = self._stores, (Store(), Store())
        try:
            first, second = (store.join(*more) for store, *more in zip(held, *batches, strict=True))
            require_problems("predictions1", len(first))
            columns = {"predictions1": _list_samples(first), "predictions2": _list_samples(second)}
            return self._compute(**columns, references=first.references, **chosen)
        except BaseException:
            for store, added in zip(
                held, self._stores, strict=True
            ):  # a checker may add problems to this instance
                for batch in added:
                    store.add(batch)
            self._stores = held
            raise

    def add_batch(self, *, predictions1=None, predictions2=None, references=None, **columns):
        """Add problems, with one entry per problem in every column. If the batch has a fault, nothing is added."""
        given = self._select(
            predictions1=predictions1, predictions2=predictions2, references=references, **columns
        )
        for store, batch in zip(self._stores, self._read(given), strict=True):
            store.add(batch)

    def add(self, *, predictions1=None, predictions2=None, references=None, **columns):
        """Add one problem: the samples of both models, and its reference."""
        given = {
            "predictions1": predictions1,
            "predictions2": predictions2,
            "references": references,
            **columns,
        }
        self.add_batch(
            **{name: None if value is None else [value] for name, value in given.items()}
        )

    def _read(self, columns):
        """Check all columns: the host would cast them without an error. Return the problems, as of each model."""
        for name in self._feature_names():
            if columns.get(name) is None:
                raise ValueError(f"`{name}` must be given beside the other columns; got none")
        column = "grades" if self.config_name == "graded" else "answers"
        shared = (
            {}
            if self.config_name == "graded"
            else {"references": read_references(columns["references"])}
        )
        first, second = (
            read_problems(**{column: columns[name]}, **shared, names={column: name})
            for name in ("predictions1", "predictions2")
        )
        require_same_problems("predictions1", len(first), "predictions2", len(second))
        return first, second

    def _select(self, **columns):
        """Return the columns of the configuration. A column that it does not have must not be given."""
        for name in columns.keys() - set(self._feature_names()):
            if columns.pop(name) is not None:
                raise ValueError(
                    f"`{name}` is not a column of the configuration {self.config_name!r}; leave it out. "
                    f"The columns are {', '.join(self._feature_names())}"
                )
        return columns

    def _compute(
        self, predictions1, predictions2, references=None, *, metric, return_details, **options
    ):
        metrics = [metric] if isinstance(metric, str) else list(metric)
        for each in metrics:
            check_choice("metric", each, METRICS)
        column = "grades" if self.config_name == "graded" else "answers"
        shared = {} if references is None else {"references": references}
        compared = compare(
            {column: predictions1, **shared},
            {column: predictions2, **shared},
            names=("predictions1", "predictions2"),
            metrics=metrics,
            **options,
        )
        result = {}
        for key, found in compared.comparisons.items():
            result[f"{key}_predictions1"] = found.a
            result[f"{key}_predictions2"] = found.b
            result[f"{key}_difference"] = found.difference
            result[f"{key}_difference_ci_low"] = found.low
            result[f"{key}_difference_ci_high"] = found.high
            result[f"{key}_p_value"] = found.p_value
            result[f"{key}_p_adjusted"] = compared.p_values[key]
            if key in compared.equivalence:
                result[f"{key}_p_equivalence"] = compared.equivalence[key]
            if found.fragility is not None:
                result[f"{key}_fragility"] = found.fragility
            result[f"{key}_won"] = found.won
            result[f"{key}_lost"] = found.lost
            result[f"{key}_tied"] = found.tied
        return result | ({"details": compared.to_dict()} if return_details else {})


sign(AtKDifference._compute, {option.name: option for option in (*_OWN, *_SHARED)})


def _list_samples(problems):
    """List the samples of each problem: answers, or grades."""
    if problems.answers is not None:
        return problems.answers.listed()
    return [row for part in problems.grades for row in part.listed()]
