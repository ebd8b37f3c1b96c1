"""Metrics for models that are sampled more than once: pass@k, G-Pass@k, cons@k, avg@n, best@k, exactly."""

__version__ = "0.1.0"

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
from at_k.registration import METRICS, module_path, register
from at_k.scorer import scorer
from at_k.summary import summarize

__all__ = [
    "METRICS",
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
    "register",
    "scorer",
    "summarize",
]
