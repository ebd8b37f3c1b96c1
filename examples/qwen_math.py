"""Every @k number of a real results file, overall and by level: 100 MATH problems, 8 samples each."""

import json
from collections import Counter
from pathlib import Path

import evaluate
from rich.console import Console
from rich.table import Table

import at_k

DATA = Path(__file__).parent / "data" / "qwen25_math.jsonl"


def main() -> None:
    """Print the table."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    # The file brings the verdicts of its authors' checker, for which 3,250 and 3250 are the same.
    verdicts = {
        (answer, row["reference"]): correct
        for row in rows
        for answer, correct in zip(row["answers"], row["correct"], strict=True)
    }

    levels = Counter(row["level"] for row in rows)
    table = Table(title=f"Qwen2.5-Math on MATH, {len(rows)} problems × {len(rows[0]['answers'])} samples")
    table.add_column("metric", footer="problems")
    for level, problems in [("all", len(rows)), *sorted(levels.items())]:
        table.add_column(level, footer=str(problems), justify="right")
    table.show_footer = True
    for name in at_k.METRICS:
        metric = evaluate.load(str(at_k.module_path(name)))
        result = metric.compute(
            predictions=[row["answers"] for row in rows],
            references=[row["reference"] for row in rows],
            scores=[row["rm_score"] for row in rows],  # for best@k; the other metrics ignore what is a sister's
            check_correct_fn=lambda answer, reference: verdicts[answer, reference],
            k=[2, 4, 8],
            thresholds=[0.5, 1.0],
            groups=[row["level"] for row in rows],
        )
        for key in [key for key in result if "/" not in key]:
            table.add_row(key, f"{result[key]:.4f}", *(f"{result[f'{level}/{key}']:.4f}" for level in sorted(levels)))
        table.add_section()
    Console(width=80).print(table)


if __name__ == "__main__":
    main()
