"""Compare two logs of inspect_ai on the same samples: `python inspect-paired.py base.eval candidate.eval`.

It needs inspect_ai, and at-k with NumPy, SciPy and orjson. inspect reports the standard error of each log by itself;
most of it is the spread of the difficulty of samples, which cancels in pairs.
"""

import argparse

from inspect_ai.log import read_eval_log
from inspect_ai.scorer import value_to_float

import at_k


def read_grades(path, scorer):
    """Read the grades of the epochs of each sample; those without a score are missing."""
    to_float = value_to_float()
    grades = {}
    for sample in read_eval_log(path).samples or []:
        score = (sample.scores or {}).get(scorer)
        grades.setdefault(sample.id, []).append(None if score is None else to_float(score.value))
    return {"problem": [*map(str, grades)], "grades": [*grades.values()]}


def main():
    """Print the difference with its interval and p-value."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("base")
    parser.add_argument("candidate")
    parser.add_argument(
        "--scorer", help="the scorer of both logs; by default the first of the base"
    )
    given = parser.parse_args()
    scorer = given.scorer or read_eval_log(given.base, header_only=True).eval.scorers[0].name
    logs = [read_grades(path, scorer) for path in (given.candidate, given.base)]
    print(at_k.compare(*logs, names=("candidate", "base"), metrics="pass@1", missing="drop"))


if __name__ == "__main__":
    main()
