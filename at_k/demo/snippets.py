"""The Python lines that give the numbers of the page Score."""

from __future__ import annotations

from at_k.demo.scoring import Options, Scored
from at_k.readers.standard import Samples

_START = """\
import json

import evaluate

import at_k

with open("results.json", encoding="utf-8") as file:  # "Everything, JSON"
    data = json.load(file)["samples"]
"""

_VERDICTS = """\

# The verdicts came with the answers: look up, for the vote, what was said of an answer to a problem.
problems = [str(problem) for problem in range(len(data["answers"]))]
verdicts = {
    (answer, problem): grade
    for problem, answers, grades in zip(problems, data["answers"], data["grades"])
    for answer, grade in zip(answers, grades)
    if grade is not None
}
"""

_NO_VOTE = """\
votes = [
    [None if grade is None else answer for answer, grade in zip(answers, grades)]
    for answers, grades in zip(data["answers"], data["grades"])
]
"""

_ONLY_JUDGED = """\
votes = [
    [answer for answer, grade in zip(answers, grades) if grade is not None]
    for answers, grades in zip(data["answers"], data["grades"])
]
"""


def python(samples: Samples, options: Options, scored: Scored) -> str:
    """A script that prints the numbers of the table, from the downloaded file."""
    lines = [_START]
    judged_votes = samples.answers is not None and samples.grades is not None
    if judged_votes and "cons_at_k" in scored.metrics:
        lines.append(_VERDICTS)
        if samples.n_missing:
            lines.append(_ONLY_JUDGED if options.missing == "drop" else _NO_VOTE)
    lines += [_call(name, samples, options, scored) for name in scored.metrics]
    return "\n".join(lines)


def _call(name: str, samples: Samples, options: Options, scored: Scored) -> str:
    vote = name == "cons_at_k" and samples.answers is not None
    judged_vote = vote and samples.grades is not None
    graded = samples.grades is not None and not vote
    arguments = {}
    if judged_vote:
        arguments["predictions"] = "votes" if samples.n_missing else 'data["answers"]'
        arguments |= {
            "references": "problems",
            "check_correct_fn": "lambda answer, problem: verdicts[answer, problem]",
        }
    elif graded:
        arguments["predictions"] = 'data["grades"]'
    else:
        arguments |= {"predictions": 'data["answers"]', "references": 'data["references"]'}
    if name == "best_at_k":
        arguments["scores"] = 'data["scores"]'
        if not options.higher_is_better:
            arguments["higher_is_better"] = "False"
    if name != "avg_at_n":
        arguments["k"] = str(list(scored.k))
    if name == "gpassk":
        arguments["thresholds"] = str(list(options.taus))
    if vote:
        arguments["ties"] = f'"{options.ties}"'
    if judged_vote:
        arguments["missing"] = '"incorrect"'
    elif samples.n_missing:
        arguments["missing"] = f'"{options.missing}"'
    if scored.groups:
        arguments["groups"] = 'data["group"]'
    configuration = ', "graded"' if graded else ""
    given = "".join(f"    {argument}={value},\n" for argument, value in arguments.items())
    return f'{name} = evaluate.load(str(at_k.module_path("{name}")){configuration})\nprint({name}.compute(\n{given}))\n'
