"""A benchmark of evalscope with four repeats and its mock model: the aggregation, found by its name."""

import json
import os
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_HUB_OFFLINE"] = "1"

from arithmetic import REPORT, TARGETS, compare, reply
from evalscope import TaskConfig, run_task
from evalscope.api.metric import MetricSelector
from evalscope.api.model import GenerateConfig, Model, ModelOutput
from evalscope.models.mockllm import MockLLM

import at_k
import at_k.integrations.evalscope  # registers the aggregation

LETTERS = dict(zip("123456789", "ABCDEFGHI", strict=True))


class Mock(MockLLM):
    """Give the next reply to each question."""

    def generate(self, input, tools, tool_choice, config):
        """Answer one request."""
        question = input[-1].text.partition("Q: ")[2][0]
        return ModelOutput.from_content("mock", f"答案：{LETTERS.get(reply(question), '')}")


with TemporaryDirectory() as folder:
    choices = {letter: choice for choice, letter in LETTERS.items()}
    rows = [
        {"question": f"Q: {name}", "answer": LETTERS[target], **choices}
        for name, target in TARGETS.items()
    ]
    Path(folder, "all_val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    about = {
        "local_path": folder,
        "subset_list": ["all"],
        "aggregation": "at_k",
        "primary_metric": MetricSelector(name="accuracy", aggregation="pass_at_1"),
    }
    config = TaskConfig(
        model=Model(Mock("mock"), GenerateConfig()),
        model_id="mock",
        datasets=["general_mcq"],
        dataset_args={"general_mcq": about},
        repeats=4,
        work_dir=folder,
        no_timestamp=True,
    )
    report = run_task(config)["general_mcq"]
    found = {metric.identity.aggregation: metric for metric in report.metrics}
    kept = at_k.score(Path(folder, "reviews"))
assert round(REPORT.values["pass@1"], 4) == report.primary_metric.score == found["mean"].score
for key in ("pass@2", "pass@4", "cons@4", "avg@4"):
    (subset,) = found[key.replace("@", "_at_")].categories[0].subsets
    assert subset.score == round(REPORT.values[key], 4)  # evalscope rounds what it reports
    assert subset.metadata["ci_low"] == REPORT.intervals[key].low
compare(kept.values.__getitem__, kept.values)
print(f"evalscope {version('evalscope')}: {sorted(found)}")
