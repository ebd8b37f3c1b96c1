"""Every metric of a real results file, overall and by level: 100 MATH problems with 8 samples each."""

from pathlib import Path

import at_k

DATA = Path(__file__).parent / "data" / "qwen25_math.jsonl"


def main() -> None:
    """Print the report."""
    # The file has answers with the verdicts of its authors' checker, the scores of a reward model, and levels. So the
    # answers vote, the verdicts say which of them are correct, and the levels are groups.
    data = at_k.read_results(DATA)
    print(at_k.score(data, k=[2, 4, 8], thresholds=[0.5, 1.0]))


if __name__ == "__main__":
    main()
