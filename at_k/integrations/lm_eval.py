"""A metric for lm-evaluation-harness, to be named in the YAML file of a task that samples more than once.

```
repeats: 8
metric_list:
  - {metric: !function at_k.integrations.lm_eval.at_k, aggregation: mean, higher_is_better: true, k: [1, 8]}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from at_k.report import score


def at_k(
    references: Sequence[str], predictions: Sequence[str | Sequence[str]], **options: Any
) -> dict[str, float]:
    """Compute every @k number of one document. lm-eval averages them, and prints their standard errors.

    Args:
        references: the target of the document, one. lm-eval does not take several numbers for several targets.
        predictions: a list of the repeats as the filter left them, which must keep them all: no `take_first`, which is
            the default unless the task has a `filter_list`. “[invalid]”, which the filter `regex` writes, is no answer.
        options: the entries beside `metric` in the YAML file: the options of `at_k.score`, such as `k`, `metrics` and
            `check_correct_fn`.

    Returns:
        Key → value of this document.

    Examples:
        >>> at_k(references=["7"], predictions=[["7", "[invalid]", "7", "9"]], k=2, metrics=["pass_at_k", "cons_at_k"])
        {'pass@2': 0.8333333333333334, 'cons@2': 0.6666666666666666}
    """
    repeats = predictions[0]
    if isinstance(repeats, str):
        repeats = [repeats]
    answers = [None if answer == "[invalid]" else answer for answer in repeats]
    settings = {"missing": "incorrect", **options, "confidence_level": None}
    report = score({"answers": [answers], "references": [str(references[0])]}, **settings)
    # mG-Pass@1 is 0 for any data.
    return {str(key): value for key, value in report.values.items() if key != "mG-Pass@1"}
