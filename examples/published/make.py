"""Compute the record of published results: `python examples/published/make.py [FOLDER]`.

It reads counts.jsonl, and writes record.md, record.html and records of Every Eval Ever for the first result.
"""

import json
import sys
from itertools import groupby, pairwise
from pathlib import Path

import at_k
from at_k.integrations.every_eval_ever import save_records

HERE = Path(__file__).parent
METRICS = ["pass@1", "pass@4", "pass^4"]


def read_results():
    """Read the numbers of correct samples of each problem: benchmark → results, one for each model."""
    lines = [
        json.loads(line)
        for line in (HERE / "counts.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return {
        name: list(results) for name, results in groupby(lines, key=lambda line: line["benchmark"])
    }


def make_table(result):
    """Return the counts of a result as a table that at-k reads."""
    c = result["c"]
    return {"problem": [str(place) for place in range(len(c))], "n": [result["n"]] * len(c), "c": c}


def describe_differences(reports):
    """Say which differences in pass@1 hold, of all pairs of models together, and of neighbours in the table."""
    pairs = {
        frozenset(names): found
        for names, found in at_k.rank(reports, metrics="pass@1").pairs.items()
    }
    holding = {names for names, found in pairs.items() if found.low > 0 or found.high < 0}
    ordered = sorted(reports, key=lambda name: -reports[name].values["pass@1"])
    neighbours = [f"{a} − {b}" for a, b in pairwise(ordered) if {a, b} in holding]
    return (
        f"Of {len(pairs)} differences between two models in pass@1, {len(holding)} hold at 95 % for all pairs "
        "together. "
        f"Of {len(ordered) - 1} differences between neighbours in this order, {len(neighbours)} hold"
        + (f": {'; '.join(neighbours)}." if neighbours else ".")
    )


def main(folder):
    """Write the record into a folder."""
    texts, pages = ["# Published results, with intervals\n"], []
    for benchmark, results in read_results().items():
        reports = {
            result["model"]: at_k.score(make_table(result), metrics=METRICS) for result in results
        }
        reports = dict(sorted(reports.items(), key=lambda item: -item[1].values["pass@1"]))
        models = at_k.score_models(reports)
        size = f"{len(results[0]['c'])} problems × {results[0]['n']} samples."
        said = f"{size} {describe_differences(reports) if len(reports) > 1 else ''}".strip()
        texts.append(f"## {benchmark}\n\n{said}\n\n{models.to_markdown().strip()}\n")
        pages.append(f"<h2>{benchmark}</h2>\n<p>{said}</p>\n{models.to_html()}")
        if len(texts) == 2:  # the title and the first benchmark
            (report,) = reports.values()
            save_records(report, folder, model=f"openai/{results[0]['model']}", dataset=benchmark)
    (folder / "record.md").write_text("\n".join(texts), encoding="utf-8")
    (folder / "record.html").write_text("\n".join(pages), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
