"""Metrics for models that are sampled more than once: pass@k, G-Pass@k, cons@k, avg@n, best@k, exactly."""

__version__ = "0.2.0"

from at_k.errors import InputError
from at_k.estimators import (
    avg_at_n,
    best_at_k,
    cons_at_k,
    g_pass_at_k,
    majority_at_k,
    max_at_k,
    mg_pass_at_k,
    pass_at_k,
    pass_hat_k,
)
from at_k.family import METRICS
from at_k.limits import Limits
from at_k.readers import read_results
from at_k.registration import module_path, register
from at_k.report import Report, score
from at_k.scorer import scorer
from at_k.summary import summarize
from at_k.values import Key

__all__ = [
    "METRICS",
    "InputError",
    "Key",
    "Limits",
    "Report",
    "avg_at_n",
    "best_at_k",
    "cons_at_k",
    "g_pass_at_k",
    "majority_at_k",
    "max_at_k",
    "mg_pass_at_k",
    "module_path",
    "pass_at_k",
    "pass_hat_k",
    "read_results",
    "register",
    "score",
    "scorer",
    "summarize",
]
