"""Share a report on the Hugging Face Hub: a value for leaderboards, the whole report, and a table in the model card."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import at_k
from at_k.report.data import Numbers
from at_k.report.grid import describe_size, make_cell
from at_k.validation import check_choice
from at_k.values import Key

# The lines of a model card before and after its table.
START, END = "<!-- at-k -->", "<!-- /at-k -->"


def write_eval_results(
    report: Numbers, dataset: str, key: str, *, task: str = "default", **about: Any
) -> str:
    """Write the YAML of one value for `.eval_results/` in a model's repository, which leaderboards of the Hub read."""
    # Its notes have what the format has no field for: k, n, the interval and the conditions.
    import yaml
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    check_choice("key", key, tuple(report.values))
    (known,) = (known for known in report.values if known == key)
    fields = {"notes": describe_value(report, known), **about}
    entry = EvalResultEntry(dataset_id=dataset, task_id=task, value=report.values[known], **fields)
    return str(
        yaml.safe_dump(eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True)
    )


def describe_value(report: Numbers, key: Key) -> str:
    """Say what a value is, for which the format has no field: k, n, the interval and the conditions.

    Examples:
        >>> describe_value(at_k.score({"grades": [[1, 0], [1, 1]]}, k=1), Key("pass@k", 1)).partition(";")[0]
        'pass@1, 95 % interval [0.139, 0.991], 2 problems × 2 samples'
    """
    _, interval = make_cell(report.values[key], report.intervals.get(key)).write(str)
    level = report.options.get("confidence_level", 0.95)
    parts: list[str] = [key]
    if interval:
        parts.append(f"{100 * level:g} % interval {interval}")
    parts.append(describe_size(report))
    module = next(name for name, keys in report.metrics.items() if key in keys)
    return f"{', '.join(parts)}; {report.signatures[module]}"


def write_card(text: str, report: Numbers, dataset: str) -> str:
    """Write the table of a report into a model card: in place of the old one, or at the end.

    Examples:
        >>> report = at_k.score({"grades": [[1, 0], [1, 1]]}, k=1, metrics="pass_at_k", confidence_level=None)
        >>> print(write_card("# A model", report, "org/data"))
        # A model
        <BLANKLINE>
        <!-- at-k -->
        ## org/data
        <BLANKLINE>
        | metric |  k = 1 |
        | ------ | -----: |
        | pass@k | 0.7500 |
        <!-- /at-k -->
        <BLANKLINE>
    """
    table = f"{START}\n## {dataset}\n\n{report.to_markdown()}\n{END}"
    old = re.compile(f"{re.escape(START)}\n## {re.escape(dataset)}\n.*?{re.escape(END)}", re.DOTALL)
    if old.search(text):
        return old.sub(lambda _: table, text)
    return f"{text.rstrip()}\n\n{table}\n".lstrip()


def push_to_hub(
    report: Numbers,
    repo: str,
    dataset: str,
    key: str,
    *,
    card: bool = False,
    token: str | None = None,
    create_pr: bool = False,
    **about: Any,
) -> str:
    """Write a value, and the whole report that it is from, into the repository of a model on the Hub, in one commit."""
    from huggingface_hub import CommitOperationAdd, HfApi

    api = HfApi(token=token)
    name = re.sub(r"[^\w.-]", "_", dataset)
    saved = f"at_k/{name}.json"
    fields = {
        "source_url": f"{api.endpoint}/{repo}/blob/main/{saved}",
        "source_name": "at-k",
        **about,
    }
    files = {f".eval_results/{name}.yaml": write_eval_results(report, dataset, key, **fields)}
    if card:
        old = ""
        if api.file_exists(repo, "README.md"):
            old = Path(api.hf_hub_download(repo, "README.md")).read_text(encoding="utf-8")
        files["README.md"] = write_card(old, report, dataset)
    with TemporaryDirectory() as folder:
        report.save(Path(folder, "report.json"))
        files[saved] = Path(folder, "report.json").read_text(encoding="utf-8")
    commit = api.create_commit(
        repo,
        [CommitOperationAdd(path, text.encode()) for path, text in files.items()],
        commit_message=f"{key} of {dataset}, by at-k {at_k.__version__}",
        create_pr=create_pr,
    )
    return str(commit.pr_url if create_pr else commit.commit_url)
