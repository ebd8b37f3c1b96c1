"""The modules as the shared tests run over them: the registry of the library, and small inputs for each entry."""

from dataclasses import dataclass
from functools import cache

import evaluate
from cases import for_each

import at_k
from at_k.family import FAMILY
from at_k.options.registry import CONFIGS, OPTIONS

TAUS = (0.25, 0.5, 0.75, 1.0)

# Two problems of four samples, three and one of which are right.
ANSWERS = [["a", "b", "a", "a"], ["c", "d", "d", "d"]]
REFERENCES = ["a", "c"]
GRADES = [[1, 0, 1, 1], [1, 0, 0, 0]]
SCORES = [[0.75, 0.5, 0.25, 0.5], [1.0, 4.0, 3.0, 2.0]]


@dataclass(frozen=True)
class Module:
    """One module: an entry of the registry, and how the tests load and call it."""

    name: str

    def __str__(self):
        return self.name

    @property
    def metric(self):
        return FAMILY[self.name]

    @property
    def options(self):
        return frozenset(self.metric.options)

    @property
    def path(self):
        return str(at_k.module_path(self.name))

    @property
    def takes_k(self):
        return "k" in self.options

    @property
    def needs_scores(self):
        return self.metric.needs_scores

    @property
    def key_patterns(self):
        """Its keys, in their order, with {k}, {n} and {tau} to fill in."""
        return tuple(
            output.key.replace("{τ}", "{tau}") for output in self.metric.outputs if output.of_module
        )

    @property
    def unbounded(self):
        """Outputs in the unit of the scores; all others lie in [0, 1]."""
        return tuple(output.key for output in self.metric.outputs if not output.bounded)

    def load(self, config="default", **options):
        """An instance: a shared one, unless it has options of its own."""
        options = self.only(options)
        return (
            evaluate.load(self.path, config, **options) if options else _loaded(self.path, config)
        )

    def inputs(self, config="default"):
        """Minimal valid columns."""
        columns = (
            {"predictions": GRADES}
            if config == "graded"
            else {"predictions": ANSWERS, "references": REFERENCES}
        )
        return columns | ({"scores": SCORES} if self.needs_scores else {})

    def compute(self, config="default", **changes):
        """The result on the minimal columns and k = 2, with some of these changed."""
        arguments = {"k": 2, **self.inputs(config), **changes}
        return self.call(config, **arguments)

    def call(self, config="default", **given):
        """The result of what it takes of these columns and options."""
        return self.load(config).compute(**self.only(given))

    def only(self, inputs):
        """Leave out the options of other modules, and the scores that one module takes."""
        others = {*OPTIONS} - self.options
        if not self.needs_scores:
            others.add("scores")
        return {name: value for name, value in inputs.items() if name not in others}

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


_BY_NAME = {name: Module(name) for name in FAMILY}

MODULES = tuple(_BY_NAME.values())

GPASSK, PASS_AT_K, CONS_AT_K = _BY_NAME["gpassk"], _BY_NAME["pass_at_k"], _BY_NAME["cons_at_k"]
AVG_AT_N, BEST_AT_K = _BY_NAME["avg_at_n"], _BY_NAME["best_at_k"]


every_module = for_each("module", MODULES)
every_config = for_each("config", CONFIGS)
