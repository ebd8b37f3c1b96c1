"""A task of inspect_ai with eight epochs and its mock model: the metric and both reducers, found by their names."""

from collections import Counter
from importlib.metadata import version
from tempfile import TemporaryDirectory

from inspect_ai import Epochs, Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import accuracy, match
from inspect_ai.solver import generate

import at_k
from at_k.integrations.inspect_ai import at_k as all_k

TEXTS = {"a": "77977377", "b": "12322224", "c": "56666666"}
TARGETS = {"a": "7", "b": "2", "c": "5"}

seen: Counter[str] = Counter()


def reply(messages, *_):
    """Give the next text of a question. With a usage, inspect_ai need not download a tokenizer."""
    question = messages[-1].text
    output = ModelOutput.from_content("mockllm/model", TEXTS[question][seen[question]])
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    seen[question] += 1
    return output


task = Task(
    dataset=[Sample(input=name, target=target, id=name) for name, target in TARGETS.items()],
    solver=generate(),
    scorer=match(),
    metrics=[accuracy(), all_k(k=[1, 4])],
    epochs=Epochs(8, ["mean", "cons_4", "g_pass_2"]),
)
with TemporaryDirectory() as folder:
    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = evaluate(task, model=model, display="none", log_dir=folder)
found = {
    score.reducer: {name: each.value for name, each in score.metrics.items()}
    for score in log.results.scores
}
report = at_k.score(
    {"answers": [list(texts) for texts in TEXTS.values()], "references": list(TARGETS.values())},
    k=[1, 4],
)
assert all(found[None][key] == value for key, value in report.values.items() if key != "mG-Pass@1")
assert found[None]["pass@4_ci_low"] == report.intervals["pass@4"].low
assert abs(found["cons_4"]["accuracy"] - report.values["cons@4"]) < 1e-12, "sums in another order"
pairs = at_k.score(
    {"grades": [[text == TARGETS[name] for text in texts] for name, texts in TEXTS.items()]}, k=2
)
assert abs(found["g_pass_2"]["accuracy"] - pairs.values["G-Pass@2_1.0"]) < 1e-12, (
    "sums in another order"
)
print(f"inspect_ai {version('inspect-ai')}: {found}")
