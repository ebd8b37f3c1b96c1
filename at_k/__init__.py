"""Metrics for models that are sampled more than once: pass@k, G-Pass@k, cons@k, avg@n, best@k, exactly.

The names below stand in the order in which most people need them; `help(at_k.score)` shows one of them.

A file or a table:          score, read_results, group_samples, Report, METRICS
Which samples are correct:  checkers, Checker, scores
Is A better than B:         compare, rank, compare_benchmarks, compare_values
Gates and plans:            gate, plan, diagnose, predict_pass_at_k, enough
Arrays:                     pass_at_k, pass_hat_k, g_pass_at_k, mg_pass_at_k, majority_at_k, cons_at_k, best_at_k,
                            max_at_k, avg_at_n, summarize
How sure is a number:       standard_error, interval, bayes_at_n
Training:                   credit
Past one machine:           Tally, Pairs, sql
The modules of evaluate:    register, module_path, scorer
Parts of these:             Key, InputError, Limits
"""

import lazy_loader

__version__ = "0.4.0"

# The names stand in __init__.pyi. Each is imported when it is first used: the command answers `--help` in a tenth of a
# second, and `import at_k` takes 20 ms instead of 250.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__.remove("Key")  # `help(at_k)` would show the methods of `str`, which are a fifth of it
