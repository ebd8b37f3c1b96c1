"""A task of lighteval with a model of its own: the metric asks for four samples, and its numbers are in the results."""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_HUB_OFFLINE"] = "1"

from arithmetic import REPLIES, TARGETS, K, compare
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.abstract_model import LightevalModel, ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc
from lighteval.utils.cache_management import SampleCache
from lighteval.utils.utils import make_results_table

from at_k.integrations.lighteval import at_k


class Mock(LightevalModel):
    """Give the number of texts of a question that the metric asked for."""

    tokenizer = add_special_tokens = max_length = loglikelihood = loglikelihood_rolling = None

    def __init__(self):
        self.config = ModelConfig(model_name="acme/mock")
        self._cache = SampleCache(self.config)

    def greedy_until(self, docs):
        """Answer all documents."""
        return [ModelResponse(text=REPLIES[doc.query][: doc.num_samples]) for doc in docs]


def make_document(line, task_name):
    """Make a document of a row of the data."""
    return Doc(query=line["question"], choices=[line["answer"]], gold_index=0, task_name=task_name)


TASKS_TABLE = [
    LightevalTaskConfig(
        name="arithmetic",
        prompt_function=make_document,
        hf_repo="json",
        hf_subset="default",
        evaluation_splits=["train"],
        metrics=[at_k(n=4, k=K)],
    )
]

# lighteval's own tasks download data while they are imported.
Registry._load_from_files = Registry._load_from_subdirs = lambda *_: {}

with TemporaryDirectory() as folder:
    os.chdir(folder)
    Path("data").mkdir()
    rows = [f'{{"question": "{name}", "answer": "{target}"}}\n' for name, target in TARGETS.items()]
    Path("data", "train.jsonl").write_text("".join(rows))
    TASKS_TABLE[0].hf_repo = str(Path("data").absolute())
    pipeline = Pipeline(
        tasks="arithmetic|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.NONE, custom_tasks_directory=sys.modules[__name__]
        ),
        evaluation_tracker=EvaluationTracker(output_dir=folder, save_details=True),
        model=Mock(),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
    numbers = pipeline.get_results()["results"]["arithmetic:0"]
    print(make_results_table(pipeline.get_results()))
    os.chdir("/")
compare(numbers.__getitem__)
print(f"lighteval {version('lighteval')}")
