"""inspect_ai: a log, either `.eval`, a zip file with one JSON member per sample, or `.json`, one document.

Both hold a header and samples. A `.eval` has the header in `header.json`. As long as the run goes on, and after it was
killed, there is only its beginning, in `_journal/start.json`. The samples are in `samples/`. The same log as `.json`:

    {"status": "success",
     "eval": {"task": "gsm8k", "model": "a", "packages": {"inspect_ai": "0.3.285"}, "scorers": [{"name": "match"}]},
     "results": {"scores": [{"scorer": "match"}]},
     "samples": [{"id": 10, "epoch": 1, "target": "42", "metadata": {"subject": "misc"}, "error": null,
                  "scores": {"match": {"value": "C", "answer": "42"}}}]}

A sample without a score is missing, whether or not it has a text: it failed, or was cancelled. A score counts even
where the sample has an error, as it does in the numbers of inspect_ai. An edited score has its new value in `value`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isnan
from typing import Any, NamedTuple

from at_k.errors import InputError, Message
from at_k.readers.archives import Archive
from at_k.readers.blocks import find_field
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.decoding import decode
from at_k.readers.faults import Faults
from at_k.readers.fields import Found, Row, list_in
from at_k.readers.format import (
    TEXTS,
    Choice,
    Reading,
    check_kinds,
    choose,
    name_subject,
    refuse_field,
)
from at_k.readers.names import quote
from at_k.readers.sources import Source, TooLargeError

_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"

# Values of the letters: correct, partly correct, incorrect, no answer.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


class _Log(NamedTuple):
    """A log: its header, its samples, each of which `load` reads when needed, and how many members were replaced."""

    header: Mapping[str, Any]
    samples: Sequence[Any]
    load: Callable[[Any], Any]
    replaced: int = 0

    def read(self, faults: Faults) -> Iterator[tuple[int, Any]]:
        """Yield the samples, each with its number; those that cannot be read are faults."""
        for number, entry in enumerate(self.samples, 1):
            try:
                sample = self.load(entry)
            except TooLargeError:
                raise  # the file as a whole is too large
            except InputError as error:
                faults.add(error)
                continue
            yield number, sample


class _Scorer(NamedTuple):
    """The scorer whose grades are taken: its name, where its scores are, and the key of one of several values."""

    name: str
    scorer: str
    key: str | None


@contextmanager
def _open_log(source: Source) -> Iterator[_Log]:
    if source.layout != "zip":
        header = source.document if isinstance(source.document, dict) else {}
        yield _Log(header, list_in(header, "samples"), lambda sample: sample)
        return
    with Archive(source, latest=True) as archive:
        name = next((each for each in (_HEADER, _START) if each in archive), None)
        found = None if name is None else _load_member(archive, name)
        header = found if isinstance(found, dict) else {}
        samples = [each for each in archive if each.startswith(_SAMPLES) and each.endswith(".json")]
        ended = {} if name == _HEADER else {"status": "started"}
        yield _Log({**header, **ended}, samples, lambda each: _load_member(archive, each), archive.replaced)


def _load_member(archive: Archive, name: str) -> Any:
    data = archive.read(name)
    try:
        return decode(data)
    except InputError as error:
        raise InputError(
            "inspect_ai.member",
            "Member {name} of this log cannot be read ({reason}).",
            name=quote(name),
            reason=error.message,
        ) from None


def find_samples(source: Source, reading: Reading, collector: Collector) -> Found:
    """Find the samples of a log."""
    with _open_log(source) as log:
        if not log.samples:
            raise InputError(
                "inspect_ai.no_samples",
                "This log of inspect_ai has no samples. It may be of a run with log_samples=False, or of one that "
                "ended before its first sample did.",
            )
        scorer, choice = _choose_scorer(log, reading.scorer)
    notes, counts = _note_run(log), Counter[str]()

    def list_rows() -> Iterator[tuple[int, Row]]:
        with _open_log(source) as log:
            for number, sample in log.read(collector.faults):
                with collector.faults:
                    row = _flatten(sample, scorer, collector.place(number))
                    counts.update(row["odd"])
                    yield number, row
        notes.extend(_note_oddities(counts))

    about = find_field(log.header, ["eval"])
    subject = name_subject(task=find_field(about, ["task"]), model=find_field(about, ["model"]))
    version = find_field(about, ["packages", "inspect_ai"])
    roles: dict[str, str | None] = {"problem": "id", "references": "target", "grades": None}
    if scorer is None:
        roles["answers"] = "output.choices[0].message.content"
    else:
        roles["answers"] = f"scores.{scorer.scorer}.answer"
        roles["grades"] = ".".join(filter(None, ["scores", scorer.scorer, "value", scorer.key]))
    notes += [] if scorer else [TEXTS]
    return Found(list_rows(), roles, notes, choice, subject, version=version if isinstance(version, str) else None)


def _choose_scorer(log: _Log, wanted: str | None) -> tuple[_Scorer | None, Choice]:
    """Choose the scorer, or None, by the first sample that has its score."""
    order = [find_field(each, [key]) for path, key in _LISTED for each in list_in(log.header, *path)]
    found: dict[str, tuple[str, str | None]] = {}
    errors = []
    for _, sample in log.read(Faults("skip")):
        scores = find_field(sample, ["scores"])
        scores = scores if isinstance(scores, dict) else {}
        for scorer in sorted(scores, key=lambda each: (*order, each).index(each)):
            value = find_field(scores[scorer], ["value"])
            for key in value if isinstance(value, dict) else [None]:
                found.setdefault(scorer if key is None else f"{scorer}.{key}", (scorer, key))
        if found and wanted in (None, *found):
            choice = choose("scorer", wanted, found)
            return _Scorer(choice.name or "", *found[choice.name or ""]), choice
        errors.append(find_field(sample, ["error"]))
    if found or wanted is not None:
        choose("scorer", wanted, found)
    if errors and None not in errors:
        raise InputError(
            "inspect_ai.all_failed",
            "All {count:,} samples of this log failed, so that none has a score. The last error: {reason}. Run it "
            "again: `inspect eval-retry`.",
            count=len(errors),
            reason=quote(find_field(errors[-1], ["message"]) or errors[-1]),
        )
    return None, Choice(None)


# Paths of the scorers in a header, in order. Its results also have the names of those that were added later.
_LISTED = ((("results", "scores"), "scorer"), (("eval", "scorers"), "name"))


def _flatten(sample: Any, scorer: _Scorer | None, place: Message) -> Row:
    """Return what is read of a sample, and what is odd about one that has a grade."""
    if not isinstance(sample, dict):
        raise refuse_field("inspect_ai", "samples", sample, place)
    check_kinds("inspect_ai", sample, {"epoch": (int,)}, place)
    choices = list_in(sample, "output", "choices")
    score: Mapping[str, Any] = {"answer": _read_text(sample, choices)}
    grade: object = NOTHING
    if scorer is not None:
        score, grade = _read_score(sample, scorer, place)
    odd = {
        "edited": score.get("history"),
        "errors": sample.get("error") is not None,
        "invalidated": sample.get("invalidation") is not None,
        "completions": len(choices) > 1,
    }
    target = sample.get("target")
    if isinstance(target, list) and sample.get("choices") and all(isinstance(each, str) for each in target):
        target = ", ".join(target)  # the letters that must all be chosen, as the scorer writes them into the answer
    error = sample.get("error")
    return sample | {
        "answer": score.get("answer"),
        "target": target,
        "verdict": grade,
        "reason": find_field(error, ["message"]) or error,
        "odd": [] if grade is None or grade is NOTHING else [name for name, each in odd.items() if each],
    }


def _read_score(sample: Row, scorer: _Scorer, place: Message) -> tuple[Mapping[str, Any], object]:
    """Return the score of a sample, and its grade; None if it has none."""
    scores = sample.get("scores") or {}
    score = scores.get(scorer.scorer) if isinstance(scores, dict) else scores
    if score is None:
        return {}, None
    if not isinstance(score, dict) or "value" not in score:
        raise refuse_field("inspect_ai", f"scores.{scorer.scorer}", score, place)
    value = score["value"]
    if scorer.key is not None:
        if isinstance(value, dict):
            value = value.get(scorer.key)
        elif value is not None and not (isinstance(value, float) and isnan(value)):
            raise refuse_field("inspect_ai", f"scores.{scorer.scorer}.value", value, place)
    if isinstance(value, (str, list, dict)):
        if not isinstance(value, str) or value not in _GRADES:
            raise InputError(
                "inspect_ai.grade",
                "The value of scorer {scorer} must be C, P, I, N, or a number from 0 to 1; got {value} ({place}). Give "
                "the name of another scorer.",
                scorer=quote(scorer.name),
                value=quote(value),
                place=place,
            )
        value = _GRADES[value]
    return score, value


def _read_text(sample: Row, choices: Sequence[Any]) -> str | None:
    """Return the text of a completion, which may be in parts; None if the sample failed."""
    content = find_field(choices[0], ["message", "content"]) if choices and sample.get("error") is None else None
    if isinstance(content, list):
        content = "\n".join(text for part in content if isinstance(text := find_field(part, ["text"]), str))
    return content if isinstance(content, str) else None


def _note_run(log: _Log) -> list[Message]:
    """Write the notes on a run that did not come to its end, and on members that were written again."""
    status, reason = log.header.get("status"), find_field(log.header, ["error", "message"])
    unfinished = Message(
        "inspect_ai.unfinished",
        "This run did not come to its end (its status is {status}), so samples may be absent. Its error: {reason}.",
        status=quote(status),
        reason=quote(reason) if reason else "none",
    )
    replaced = Message(
        "inspect_ai.replaced",
        "Members of the log that were written again: {count:,}. The last one of each name counts.",
        count=log.replaced,
    )
    ended = str(status) not in ("started", "error", "cancelled")
    return [*([] if ended else [unfinished]), *([replaced] if log.replaced else [])]


def _note_oddities(counts: Counter[str]) -> list[Message]:
    """Write the notes on graded samples that a reader of the numbers should know of."""
    changed = Message(
        "inspect_ai.changed",
        "As in the numbers of inspect_ai, a score counts where it was edited ({edited:,} samples), where the sample "
        "failed ({errors:,}) and where it was marked as invalid ({invalidated:,}).",
        **{name: counts[name] for name in ("edited", "errors", "invalidated")},
    )
    completions = Message(
        "inspect_ai.completions",
        "Samples with several completions: {count:,}. Only the first one has a score, so each counts once. For n "
        "samples of each problem, run n epochs.",
        count=counts["completions"],
    )
    has_changed = counts.keys() - {"completions"}
    return [*([changed] if has_changed else []), *([completions] if counts["completions"] else [])]


def has_members(names: Mapping[str, Any]) -> bool:
    """Return whether an archive has the members of a log."""
    return any(each in (_HEADER, _START) or each.startswith(_SAMPLES) for each in names)
