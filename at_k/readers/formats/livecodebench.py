"""LiveCodeBench: `*_eval_all.json`, a list of problems, each with the lists of its samples."""

from __future__ import annotations

from at_k.errors import InputError
from at_k.readers.collector import Collector
from at_k.readers.format import Format, Mark, Reading
from at_k.readers.quoting import quote
from at_k.readers.samples import Origin, Samples
from at_k.readers.sources import Source

_META = ("difficulty", "platform", "contest_id", "contest_date", "question_title")


def _read(source: Source, reading: Reading) -> Samples:
    collector = Collector(reading, unit="problem")
    document = source.document
    problems = document if isinstance(document, list) else [document]
    if not any(isinstance(each, dict) and "graded_list" in each for each in problems):
        raise InputError(
            "livecodebench.not_graded",
            "This file of LiveCodeBench has no “graded_list”: its samples are not graded. Give the file that "
            "--evaluate writes beside it, whose name ends in _eval_all.json.",
        )
    for number, problem in collector.entries(problems, ("question_id", "graded_list")):
        graded, codes = problem["graded_list"], problem.get("code_list")
        with collector.faults:
            if not isinstance(graded, list) or (isinstance(codes, list) and len(codes) != len(graded)):
                raise InputError(
                    "livecodebench.lists",
                    "The field “graded_list” must have a truth value for each program in “code_list”; got {value} "
                    "({place}).",
                    value=quote(graded),
                    place=collector.place(number),
                )
            meta = {name: problem[name] for name in _META if name in problem}
            collector.add_problem(
                number, problem["question_id"], [{"grade": grade} for grade in graded], meta=meta, fields=problem
            )
    roles: dict[str, str | None] = {"problem": "question_id", "grades": "graded_list"}
    return collector.finish(Origin("livecodebench", roles=roles), per_sample=False)


FORMAT = Format(
    name="livecodebench",
    title="LiveCodeBench",
    file="*_eval_all.json",
    samples="lcb_runner.runner.main … --n n --evaluate",
    marks=(Mark("json", ("question_id", "output_list", "code_list")),),
    read=_read,
)
