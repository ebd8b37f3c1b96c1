"""Metrics for models that are sampled more than once: pass@k, G-Pass@k, cons@k, avg@n, best@k, exactly."""

import lazy_loader

__version__ = "0.4.0"

# The names stand in __init__.pyi. Each is imported when it is first used: the command answers `--help` in a tenth of a
# second, and `import at_k` takes 20 ms instead of 250.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
