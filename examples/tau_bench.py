"""Compute the published pass^k of GPT-4o on τ-bench airline, and its intervals, from 50 tasks × 4 trials."""

import json
from pathlib import Path

import at_k

DATA = Path(__file__).parent / "data" / "taubench_airline.jsonl"
PUBLISHED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}


def main() -> None:
    """Print each value with its interval beside the published one."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    n = [row["n"] for row in rows]
    c = [sum(row["correct"]) for row in rows]
    result = at_k.summarize(
        {f"pass^{k}": at_k.pass_hat_k(n, c, k=k) for k in PUBLISHED}, confidence_level=0.95
    )
    for k, published in PUBLISHED.items():
        value, low, high = (result[f"pass^{k}{part}"] for part in ("", "_ci_low", "_ci_high"))
        print(f"pass^{k}  {value:.3f} [{low:.3f}, {high:.3f}]  published {published:.3f}")


if __name__ == "__main__":
    main()
