"""inspect_ai: a log, either `.eval`, a zip file with one JSON member per sample, or `.json`, one document.

Both hold a header and samples. A `.eval` has the header in `header.json`. As long as the run goes on, and after it was
killed, there is only its beginning, in `_journal/start.json`. The samples are in `samples/`. The same log as `.json`:

    {"status": "success",
     "eval": {"task": "gsm8k", "model": "a", "packages": {"inspect_ai": "0.3.285"}, "scorers": [{"name": "match"}]},
     "results": {"scores": [{"scorer": "match"}]},
     "samples": [{"id": 10, "epoch": 1, "target": "42", "metadata": {"subject": "misc"}, "error": null,
                  "scores": {"match": {"value": "C", "answer": "42"}}}]}

A sample without a score is missing, whether or not it has a text: it failed, or was cancelled. A score counts even
where the sample has an error or is marked as invalid, as it does in the numbers of inspect_ai. An edited score has its
new value in `value`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isnan
from typing import Any

from at_k.errors import InputError, Message, Phrases
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.fields import Found, Row, list_in
from at_k.readers.files.archives import Archive
from at_k.readers.files.decoding import decode
from at_k.readers.files.sources import Source, TooLargeError
from at_k.readers.format import (
    TEXTS,
    Choice,
    Reading,
    check_kinds,
    choose,
    has_fields,
    name_subject,
    refuse_field,
)
from at_k.readers.harness import RowCollector
from at_k.readers.names import quote

_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"

# Values of the letters: correct, partly correct, incorrect, no answer.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}

# Paths of the scorers in a header, in order. Its results also have the names of those that were added later.
_LISTED = ((("results", "scores"), "scorer"), (("eval", "scorers"), "name"))

_say = Phrases(
    {
        "inspect_ai.member": "Member {name} of this log cannot be read ({reason}).",
        "inspect_ai.no_samples": "This log of inspect_ai has no samples. It may be of a run with log_samples=False, or "
        "of one that ended before its first sample did.",
        "inspect_ai.all_failed": "All {count:,} samples of this log failed, so that none has a score. The last error: "
        "{reason}. Run it again: `inspect eval-retry`.",
        "inspect_ai.grade": "The value of scorer {scorer} must be C, P, I, N, or a number from 0 to 1; got {value} "
        "({place}). Give the name of another scorer.",
        "inspect_ai.unfinished": "This run did not come to its end (its status is {status}), so samples may be absent. "
        "Its error: {reason}.",
        "inspect_ai.completions": "Samples with several completions: {count:,}. Only the first one has a score, so "
        "each counts once. For n samples of each problem, run n epochs.",
    }
)

# A scorer, and the key of one of its several values.
_Scorer = tuple[str, str | None]


def has_members(names: Mapping[str, Any]) -> bool:
    """Return whether an archive has the members of a log."""
    return any(name in (_HEADER, _START) or name.startswith(_SAMPLES) for name in names)


def _read_log(source: Source) -> Iterator[Any]:
    """Yield the header of a log, and then its samples, or the error of each that cannot be read."""
    if source.layout != "zip":
        yield source.document if isinstance(source.document, dict) else {}
        yield from list_in(source.document, "samples")
        return
    with Archive(source) as archive:
        name = next((member for member in (_HEADER, _START) if member in archive), None)
        if name is None:
            header = None
        else:
            header = _load_member(archive, name)
        if name == _HEADER:
            ended = {}
        else:
            ended = {"status": "started"}
        yield {**(header if isinstance(header, dict) else {}), **ended}
        for name in archive:
            if name.startswith(_SAMPLES) and name.endswith(".json"):
                try:
                    sample = _load_member(archive, name)
                except TooLargeError:
                    raise  # the file as a whole is too large
                except InputError as error:
                    sample = error
                yield sample


def _load_member(archive: Archive, name: str) -> Any:
    data = archive.read(name)
    try:
        return decode(data)
    except InputError as error:
        raise _say.error("inspect_ai.member", name=quote(name), reason=error.message) from None


def find_samples(source: Source, reading: Reading, collector: RowCollector) -> Found:
    """Find the samples of a log."""
    log = _read_log(source)
    header = next(log)
    scorer, choice = _choose_scorer(header, log, reading.scorer)
    status, reason = str(header.get("status")), find_field(header, ["error", "message"])
    about = {"status": quote(header.get("status")), "reason": quote(reason) if reason else "none"}
    has_ended = status not in ("started", "error", "cancelled")
    if has_ended:
        notes = []
    else:
        notes = [_say("inspect_ai.unfinished", **about)]
    notes += [] if scorer else [TEXTS]

    def list_rows() -> Iterator[tuple[int, Row]]:
        several = 0
        for number, sample in enumerate(islice(_read_log(source), 1, None), 1):
            with collector.faults:
                row = _flatten(sample, scorer, choice.name, collector.place(number))
                several += len(list_in(row, "output", "choices")) > 1
                yield number, row
        notes.extend([_say("inspect_ai.completions", count=several)] if several else [])

    spec = find_field(header, ["eval"])
    subject = name_subject(task=find_field(spec, ["task"]), model=find_field(spec, ["model"]))
    version = find_field(spec, ["packages", "inspect_ai"])
    roles: dict[str, str | None] = {"problem": "id", "references": "target", "grades": None}
    roles["answers"] = (
        f"scores.{scorer[0]}.answer" if scorer else "output.choices[0].message.content"
    )
    if scorer is not None:
        roles["grades"] = ".".join(filter(None, ["scores", scorer[0], "value", scorer[1]]))
    return Found(
        list_rows(),
        roles,
        notes,
        choice,
        subject,
        version=version if isinstance(version, str) else None,
    )


def _choose_scorer(
    header: Any, samples: Iterable[Any], wanted: str | None
) -> tuple[_Scorer | None, Choice]:
    """Choose the scorer, or None, by the first sample that has its score."""
    order = [find_field(entry, [key]) for path, key in _LISTED for entry in list_in(header, *path)]
    scorers: dict[str, _Scorer] = {}
    errors = []
    for sample in samples:
        scores = find_field(sample, ["scores"])
        scores = scores if isinstance(scores, dict) else {}
        for scorer in sorted(scores, key=lambda name: (*order, name).index(name)):
            value = find_field(scores[scorer], ["value"])
            for key in value if isinstance(value, dict) else [None]:
                scorers.setdefault(scorer if key is None else f"{scorer}.{key}", (scorer, key))
        if scorers and wanted in (None, *scorers):
            break
        errors.append(find_field(sample, ["error"]))
    if not scorers and not errors:
        raise _say.error("inspect_ai.no_samples")
    if scorers or wanted is not None:
        choice = choose("scorer", wanted, scorers)
        return scorers[choice.name or ""], choice
    if None not in errors:
        reason = quote(find_field(errors[-1], ["message"]) or errors[-1])
        raise _say.error("inspect_ai.all_failed", count=len(errors), reason=reason)
    return None, Choice(None)


def _flatten(sample: Any, scorer: _Scorer | None, name: str | None, place: Message) -> Row:
    """Return what is read of a sample."""
    if isinstance(sample, InputError):
        raise sample
    if not isinstance(sample, dict):
        raise refuse_field("inspect_ai", "samples", sample, place)
    check_kinds("inspect_ai", sample, {"epoch": (int,)}, place)
    choices, error, target = (
        list_in(sample, "output", "choices"),
        sample.get("error"),
        sample.get("target"),
    )
    score: Mapping[str, Any] = {"answer": _read_text(choices) if error is None else None}
    grade: object = NOTHING
    if scorer is not None:
        score, grade = _read_score(sample, scorer, name, place)
    if (
        isinstance(target, list)
        and sample.get("choices")
        and all(isinstance(text, str) for text in target)
    ):
        target = ", ".join(
            target
        )  # the letters that must all be chosen, as the scorer writes them into the answer
    return sample | {
        "answer": score.get("answer"),
        "target": target,
        "verdict": grade,
        "reason": find_field(error, ["message"]) or error,
    }


def _read_score(
    sample: Row, scorer: _Scorer, name: str | None, place: Message
) -> tuple[Mapping[str, Any], object]:
    """Return the score of a sample, and its grade; None if it has none."""
    scores, path = sample.get("scores") or {}, f"scores.{scorer[0]}"
    score = scores
    if isinstance(scores, dict):
        score = scores.get(scorer[0])
    if score is None:
        return {}, None
    if not has_fields(score, "value"):
        raise refuse_field("inspect_ai", path, score, place)
    value = score["value"]
    if scorer[1] is not None and isinstance(value, dict):
        value = value.get(scorer[1])
    elif (
        scorer[1] is not None
        and value is not None
        and not (isinstance(value, float) and isnan(value))
    ):
        raise refuse_field("inspect_ai", f"{path}.value", value, place)
    if isinstance(value, str) and value in _GRADES:
        value = _GRADES[value]
    if isinstance(value, (str, list, dict)):
        raise _say.error("inspect_ai.grade", scorer=quote(name), value=quote(value), place=place)
    return score, value


def _read_text(choices: Sequence[Any]) -> str | None:
    """Return the text of a completion, which may be in parts."""
    content = None
    if choices:
        content = find_field(choices[0], ["message", "content"])
    if isinstance(content, list):
        content = "\n".join(
            text for part in content if isinstance(text := find_field(part, ["text"]), str)
        )
    return content if isinstance(content, str) else None
