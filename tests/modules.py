"""The five modules, and what each takes and returns: the registry that the shared tests run over."""

from dataclasses import dataclass
from functools import cache

import evaluate
import pytest

import at_k

CONFIGS = ("default", "graded")

SHARED_OPTIONS = ("threshold", "check_correct_fn", "missing", "groups", "return_details", "key_style")

TAUS = (0.25, 0.5, 0.75, 1.0)

# Two problems of four samples, three and one of which are right.
ANSWERS = [["a", "b", "a", "a"], ["c", "d", "d", "d"]]
REFERENCES = ["a", "c"]
GRADES = [[1, 0, 1, 1], [1, 0, 0, 0]]
SCORES = [[0.75, 0.5, 0.25, 0.5], [1.0, 4.0, 3.0, 2.0]]


@dataclass(frozen=True)
class Module:
    """One module.

    `options` are all that it takes. `key_patterns` are its keys, in their order, with {k}, {n} and {tau} to fill in.
    For every key higher is better. Those in `unbounded` are in the unit of the scores, all others lie in [0, 1].
    """

    name: str
    options: frozenset
    key_patterns: tuple
    default_k: tuple = (1, 10, 100)
    needs_scores: bool = False
    unbounded: tuple = ()

    def __str__(self):
        return self.name

    @property
    def path(self):
        return str(at_k.module_path(self.name))

    @property
    def takes_k(self):
        return "k" in self.options

    def load(self, config="default", **options):
        """An instance: a shared one, unless it has options of its own."""
        return evaluate.load(self.path, config, **options) if options else _loaded(self.path, config)

    def inputs(self, config="default"):
        """Minimal valid columns."""
        columns = {"predictions": GRADES} if config == "graded" else {"predictions": ANSWERS, "references": REFERENCES}
        return columns | ({"scores": SCORES} if self.needs_scores else {})

    def compute(self, config="default", **changes):
        """The result on the minimal columns and k = 2, with some of these changed."""
        arguments = {"k": 2, **self.inputs(config), **changes}
        return self.load(config).compute(**arguments)

    def only(self, columns):
        """Those of some columns that the module takes."""
        return {name: column for name, column in columns.items() if name != "scores" or self.needs_scores}

    def keys(self, k=(2,), n=4, taus=TAUS):
        """The keys of a result, in their order."""
        return [
            pattern.format(k=draws, n=n, tau=tau)
            for pattern in self.key_patterns
            for draws in (k if "{k}" in pattern else k[:1])
            for tau in (taus if "{tau}" in pattern else taus[:1])
        ]


@cache
def _loaded(path, config):
    return evaluate.load(path, config)


def _module(name, own, keys, **more):
    return Module(name, frozenset((*SHARED_OPTIONS, *own)), keys, **more)


GPASSK = _module("gpassk", ("k", "thresholds"), ("G-Pass@{k}_{tau}", "mG-Pass@{k}"), default_k=(4, 8, 16))
PASS_AT_K = _module("pass_at_k", ("k",), ("pass@{k}",))
CONS_AT_K = _module("cons_at_k", ("k", "ties", "weights"), ("cons@{k}",))
AVG_AT_N = _module("avg_at_n", (), ("avg@{n}", "accuracy"))
BEST_AT_K = _module(
    "best_at_k",
    ("k", "select", "score_weights", "higher_is_better"),
    ("best@{k}", "max@{k}"),
    needs_scores=True,
    unbounded=("max@{k}",),
)

MODULES = (GPASSK, PASS_AT_K, CONS_AT_K, AVG_AT_N, BEST_AT_K)

every_module = pytest.mark.parametrize("module", MODULES, ids=str)
every_config = pytest.mark.parametrize("config", CONFIGS)
