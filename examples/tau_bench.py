"""Compute the published pass^k of GPT-4o on τ-bench airline from the rewards of its 50 tasks × 4 trials."""

import json
from pathlib import Path

import at_k

DATA = Path(__file__).parent / "data" / "taubench_airline.jsonl"
PUBLISHED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}


def main() -> None:
    """Print each value beside the published one."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    n = [row["n"] for row in rows]
    c = [sum(row["correct"]) for row in rows]
    result = at_k.summarize({f"pass^{k}": at_k.pass_hat_k(n, c, k=k) for k in PUBLISHED})
    for k, published in PUBLISHED.items():
        print(f"pass^{k}  {result[f'pass^{k}']:.3f}  published {published:.3f}")


if __name__ == "__main__":
    main()
