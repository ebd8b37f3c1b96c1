"""Metrics for models that are sampled more than once: pass@k, G-Pass@k, cons@k, avg@n, best@k, exactly.

The names below are in the order in which most people need them; `help(at_k.score)` shows one of them.

A file or a table:          score, score_models, read_results, Report, METRICS
Which samples are correct:  checkers, Checker, scores
Is A better than B:         compare, rank, compare_benchmarks, compare_values
Gates and plans:            gate, plan, diagnose, predict_pass_at_k, enough
Arrays:                     pass_at_k, pass_hat_k, g_pass_at_k, mg_pass_at_k, majority_at_k, cons_at_k, best_at_k,
                            max_at_k, avg_at_n, summarize
How sure is a number:       standard_error, interval
Training:                   credit
Past one machine:           Tally, sql
The modules of evaluate:    register, module_path, scorer
Parts of these:             Key, InputError, Limits
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.8.0"

# The names are in __init__.pyi. Each is imported when it is first used: the command answers `--help` in a tenth of a
# second, `import at_k` takes 20 ms instead of 250, and functions of arrays need little beside NumPy and SciPy.
_PLACES = {
    alias.name: node.module or alias.name
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
# With `Key`, `help(at_k)` would show the methods of `str`, which are a fifth of it.
__all__ = [name for name in sorted(_PLACES) if name != "Key"]


def __dir__() -> list[str]:
    return sorted(_PLACES)


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_PLACES[name]}")
    except ModuleNotFoundError as error:
        errors = import_module(f"{__name__}.errors")
        raise errors.explain_absent(error, f"`at_k.{name}`") from None
    value = globals()[name] = getattr(module, name, module)
    return value
