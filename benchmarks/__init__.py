"""Speed and memory of at-k beside other libraries: `python -m benchmarks`.

Every run has a fresh Hugging Face home and no network. It shares that of the tests, or of the run that started it.
"""

import os
import tempfile

if not os.environ.get("HF_HOME", "").startswith(tempfile.gettempdir()):
    _home = tempfile.TemporaryDirectory(prefix="at-k-benchmarks-")  # removed when the run ends
    os.environ.update(
        HF_HOME=_home.name, HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1", HF_DATASETS_OFFLINE="1"
    )
    for cache in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_DATASETS_CACHE"):
        os.environ.pop(cache, None)
