"""A task of lm-eval with four repeats and a model of its own: numbers and standard errors, by one line of YAML."""

import os
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_HUB_OFFLINE"] = "1"

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

import at_k

TEXTS = {
    "a": ["It is 7", "7", "9", "so 7"],
    "b": ["1", "2", "3", "2"],
    "c": ["none", "6", "5", "6"],
}
TARGETS = {"a": "7", "b": "2", "c": "5"}
TASK = r"""
task: arithmetic_repeated
dataset_path: json
dataset_kwargs: {data_files: DATA}
test_split: train
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
repeats: 4
generation_kwargs: {until: ["\n"], do_sample: true, temperature: 1.0}
filter_list:
  - {name: number, filter: [{function: regex, regex_pattern: "(\\d+)"}]}
metric_list:
  - {metric: !function at_k.integrations.lm_eval.at_k, aggregation: mean, higher_is_better: true, k: [1, 2, 4]}
"""


class Mock(LM):
    """Give the next text of each question."""

    def generate_until(self, requests, disable_tqdm=False):
        """Answer all requests."""
        seen: Counter[str] = Counter()
        found = []
        for request in requests:
            found.append(TEXTS[request.args[0]][seen[request.args[0]]])
            seen[request.args[0]] += 1
        return found

    loglikelihood = loglikelihood_rolling = None


with TemporaryDirectory() as folder:
    rows = [f'{{"question": "{name}", "answer": "{target}"}}\n' for name, target in TARGETS.items()]
    Path(folder, "data.jsonl").write_text("".join(rows))
    Path(folder, "task.yaml").write_text(TASK.replace("DATA", str(Path(folder, "data.jsonl"))))
    manager = TaskManager(include_path=folder, include_defaults=False)
    found = lm_eval.simple_evaluate(
        model=Mock(), tasks=["arithmetic_repeated"], task_manager=manager
    )
numbers = found["results"]["arithmetic_repeated"]
report = at_k.score(
    {
        "answers": [["7", "7", "9", "7"], ["1", "2", "3", "2"], [None, "6", "5", "6"]],
        "references": list(TARGETS.values()),
    },
    missing="incorrect",
    k=[1, 2, 4],
)
for key, value in report.values.items():
    if key == "mG-Pass@1":
        continue
    assert abs(numbers[f"{key},number"] - value) < 1e-12, "sums in another order"
    assert numbers[f"{key}_stderr,number"] >= 0
print(f"lm_eval {version('lm-eval')}: {numbers}")
