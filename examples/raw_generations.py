"""Score raw generations: 50 problems of MATH, a file of NeMo-Skills for each of three samples, from text to table."""

from pathlib import Path

import at_k

DATA = Path(__file__).parents[1] / "tests" / "data" / "harness" / "nemo-skills"


def main() -> None:
    """Find the answer in each text, compare it with the reference, and print every number that follows."""
    report = at_k.score(
        DATA,
        columns={"answers": "generation", "references": "expected_answer", "grades": None},
        extract_fn="boxed",
        check_correct_fn="math",
        equivalence="math",
    )
    print(report)


if __name__ == "__main__":
    main()
