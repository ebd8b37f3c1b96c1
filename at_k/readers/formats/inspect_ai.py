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
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan
from typing import Any

from at_k.errors import InputError, Message
from at_k.readers.archives import Archive
from at_k.readers.cells import NOTHING
from at_k.readers.collector import Collector
from at_k.readers.decoding import decode
from at_k.readers.format import Format, Mark, Reading, choose
from at_k.readers.quoting import quote, quote_all
from at_k.readers.samples import Columns, Origin, Samples
from at_k.readers.sources import Source, TooLargeError

_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What the letters are worth: correct, partly correct, incorrect, no answer."""


@dataclass(frozen=True)
class _Log:
    """A log: its header, and its samples, each of which `load` reads when it is needed.

    Attributes:
        replaced: how many members of a zip file were replaced by a later one.
    """

    header: Mapping[str, Any]
    samples: Sequence[Any]
    load: Callable[[Any], Any]
    replaced: int = 0


@dataclass
class _Scorer:
    """The scorer whose grades are taken. It is chosen by the first sample that has its score.

    Attributes:
        wanted: the name that was asked for; None for the first scorer.
        order: the names of scorers, as the header lists them.
        found: name → scorer and key, of all scorers that were seen before one was chosen. A scorer that gives several
            values has a name for each of them, such as "rubric.right". The key of other scorers is None.
        name: the name that was chosen; None before that.
    """

    wanted: str | None
    order: Sequence[str]
    found: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    name: str | None = None

    @property
    def path(self) -> tuple[str, str | None]:
        """The scorer and the key that were chosen."""
        return self.found[self.name or ""]

    def look_at(self, scores: Mapping[str, Any]) -> None:
        """Look for the scorer among those of a sample."""
        for scorer in sorted(scores, key=lambda each: (*self.order, each).index(each)):
            value = scores[scorer].get("value") if isinstance(scores[scorer], dict) else None
            for key in value if isinstance(value, dict) else [None]:
                self.found.setdefault(scorer if key is None else f"{scorer}.{key}", (scorer, key))
        if self.wanted is None or self.wanted in self.found:
            self.name = self.wanted or next(iter(self.found), None)


def _read(source: Source, reading: Reading) -> Samples:
    if source.layout != "zip":
        return _collect(_read_document(source.document), reading)
    with Archive(source, latest=True) as archive:
        return _collect(_read_archive(archive), reading)


def _read_document(document: Any) -> _Log:
    header = document if isinstance(document, dict) else {}
    samples = header.get("samples")
    return _Log(header, samples if isinstance(samples, list) else [], lambda sample: sample)


def _read_archive(archive: Archive) -> _Log:
    name = next((each for each in (_HEADER, _START) if each in archive), None)
    found = None if name is None else _load_member(archive, name)
    header = found if isinstance(found, dict) else {}
    return _Log(
        header if name == _HEADER else {**header, "status": "started"},
        [each for each in archive if each.startswith(_SAMPLES) and each.endswith(".json")],
        lambda each: _load_member(archive, each),
        archive.replaced,
    )


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


def _collect(log: _Log, reading: Reading) -> Samples:
    if not log.samples:
        raise InputError(
            "inspect_ai.no_samples",
            "This log of inspect_ai has no samples. It may be of a run with log_samples=False, or of one that ended "
            "before its first sample did.",
        )
    collector = Collector(reading, unit="sample")
    scorer = _Scorer(reading.scorer, _list_scorers(log.header))
    counts: Counter[str] = Counter()
    for row, sample in _load_samples(log, collector):
        with collector.faults:
            grade, answer = _read_score(sample, scorer, partial(collector.place, row))
            _add(collector, row, sample, grade=grade, answer=answer)
            if grade is not None:
                _count_oddities(sample, scorer, counts)
    if scorer.name is not None:
        return _finish(collector, _describe(log, scorer, counts))
    if scorer.found:
        choose(scorer.wanted, list(scorer.found), "scorer")
    return _collect_texts(log, reading)


def _collect_texts(log: _Log, reading: Reading) -> Samples:
    """Collect the completions of a log that was not scored."""
    if reading.scorer is not None:
        raise InputError(
            "inspect_ai.no_scores",
            "There is no scorer {scorer}: no sample of this log has a score. `inspect score` adds scores.",
            scorer=quote(reading.scorer),
        )
    collector = Collector(reading, unit="sample")
    failed = 0
    for row, sample in _load_samples(log, collector):
        failed += sample.get("error") is not None
        if failed == len(log.samples):
            raise InputError(
                "inspect_ai.all_failed",
                "All {count:,} samples of this log failed, so that none has a score. The last error: {reason}. Run it "
                "again: `inspect eval-retry`.",
                count=failed,
                reason=quote(_find(sample["error"], "message") or sample["error"]),
            )
        _add(collector, row, sample, answer=_read_text(sample))
    run = _describe_run(log)
    note = Message(
        "inspect_ai.texts",
        "No sample of this log has a score. Its answers are whole completions, to be compared with the targets; "
        "`inspect score` adds scores.",
    )
    roles: Columns = {"problem": "id", "answers": "output.choices[0].message.content", "references": "target"}
    return _finish(collector, replace(run, roles=roles, notes=[*run.notes, note]))


def _finish(collector: Collector, origin: Origin) -> Samples:
    """Return the samples that were collected; a role of which no sample has a value comes from no field."""
    samples = collector.finish(origin)
    found = samples.table.column_names
    roles = {role: source for role, source in samples.origin.roles.items() if role in found}
    return replace(samples, origin=replace(samples.origin, roles=roles))


def _load_samples(log: _Log, collector: Collector) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the samples, each with its number; those that are broken are skipped."""
    for row, entry in enumerate(log.samples, 1):
        try:
            sample = _load_sample(log, entry, collector.place(row))
        except TooLargeError:  # noqa: PERF203 - decoding a sample takes much longer
            raise  # the file as a whole is too large
        except InputError as error:
            collector.faults.add(error)
        else:
            yield row, sample


def _load_sample(log: _Log, entry: object, place: Message) -> dict[str, Any]:
    sample = log.load(entry)
    if not isinstance(sample, dict):
        raise InputError(
            "inspect_ai.sample",
            "A sample must be an object with an id, an epoch and scores; got {value} ({place}).",
            value=quote(sample),
            place=place,
        )
    epoch = sample.get("epoch")
    if not isinstance(epoch, int) or isinstance(epoch, bool):
        raise InputError(
            "inspect_ai.epoch",
            "The epoch of a sample must be a whole number; got {value} ({place}).",
            value=quote(epoch),
            place=place,
        )
    return sample


def _add(collector: Collector, row: int, sample: dict[str, Any], *, grade: object = NOTHING, answer: object) -> None:
    metadata = sample.get("metadata")
    collector.add(
        row,
        sample.get("id"),
        number=sample["epoch"],
        answer=NOTHING if answer is None else answer or None,
        grade=grade,
        references=_read_target(sample),
        meta=metadata if isinstance(metadata, dict) else None,
        fields=sample,
    )


def _read_score(sample: dict[str, Any], scorer: _Scorer, place: Callable[[], Message]) -> tuple[object, object]:
    """Return the grade and the answer of a sample, as the scorer has them; None for what it does not have."""
    scores = sample.get("scores")
    if not scores:
        return None, None
    if not isinstance(scores, dict):
        raise _refuse_score(scores, place())
    if scorer.name is None:
        scorer.look_at(scores)
    if scorer.name is None:
        return None, None
    name, key = scorer.path
    score = scores.get(name)
    if score is None:
        return None, None
    if not isinstance(score, dict) or "value" not in score:
        raise _refuse_score(score, place())
    value = score["value"]
    if key is not None:
        if isinstance(value, dict):
            value = value.get(key)
        elif value is not None and not (isinstance(value, float) and isnan(value)):
            raise _refuse_score(score, place())
    if isinstance(value, (str, list, dict)):
        if not isinstance(value, str) or value not in _GRADES:
            raise InputError(
                "inspect_ai.grade",
                "The value of scorer {scorer} must be C, P, I, N, or a number from 0 to 1; got {value} ({place}). Give "
                "the name of another scorer.",
                scorer=quote(scorer.name),
                value=quote(value),
                place=place(),
            )
        value = _GRADES[value]
    return value, score.get("answer")


def _count_oddities(sample: dict[str, Any], scorer: _Scorer, counts: Counter[str]) -> None:
    """Count the graded samples that a reader of the numbers should know of."""
    counts["edited"] += bool(sample["scores"][scorer.path[0]].get("history"))
    counts["errors"] += sample.get("error") is not None
    counts["invalidated"] += sample.get("invalidation") is not None
    counts["completions"] += len(_list_choices(sample)) > 1


def _refuse_score(value: object, place: Message) -> InputError:
    return InputError(
        "inspect_ai.score",
        "The scores of a sample must be objects with a value, of the same kind in all samples; got {value} ({place}).",
        value=quote(value),
        place=place,
    )


def _read_target(sample: dict[str, Any]) -> object:
    """Return the target: a text, or the texts each of which is correct; NOTHING if it is empty."""
    target = sample.get("target")
    if isinstance(target, list) and sample.get("choices") and all(isinstance(each, str) for each in target):
        target = ", ".join(target)  # the letters that must all be chosen, as the scorer writes them into the answer
    return NOTHING if target in (None, "", []) else target


def _list_choices(sample: dict[str, Any]) -> list[Any]:
    """List the completions of a sample, of which inspect_ai scores the first."""
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    return choices if isinstance(choices, list) else []


def _read_text(sample: dict[str, Any]) -> str | None:
    """Return the text of a completion, which may be in parts; None if the sample failed."""
    choices = _list_choices(sample)
    content = _find(choices[0], "message", "content") if choices and sample.get("error") is None else None
    if isinstance(content, list):
        content = "\n".join(text for part in content if isinstance(text := _find(part, "text"), str))
    return content if isinstance(content, str) else None


def _find(value: object, *path: str) -> Any:
    """Return what stands under a path of keys; None if there is nothing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _list_scorers(header: Mapping[str, Any]) -> list[str]:
    """List the scorers in the order of the header. Its results also have the names of those that were added later."""
    listed = ((_find(header, "results", "scores"), "scorer"), (_find(header, "eval", "scorers"), "name"))
    names = [_find(each, key) for found, key in listed if isinstance(found, list) for each in found]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def _describe_run(log: _Log) -> Origin:
    """Describe a run: its version, its task and model, and whether it came to its end."""
    notes = []
    status = log.header.get("status")
    if status == "started":
        notes.append(
            Message(
                "inspect_ai.started",
                "This run was not finished when the log was written: it was killed, or is still going on. Samples may "
                "be absent.",
            )
        )
    elif status == "error":
        notes.append(
            Message(
                "inspect_ai.failed",
                "This run failed, so samples may be absent. Its error: {reason}.",
                reason=quote(_find(log.header, "error", "message")),
            )
        )
    elif status == "cancelled":
        notes.append(Message("inspect_ai.cancelled", "This run was cancelled, so samples may be absent."))
    if log.replaced:
        notes.append(
            Message(
                "inspect_ai.replaced",
                "Members of the log that were written again: {count:,}. The last one of each name counts.",
                count=log.replaced,
            )
        )
    subject = {name: _find(log.header, "eval", name) for name in ("task", "model")}
    version = _find(log.header, "eval", "packages", "inspect_ai")
    return Origin(
        "inspect_ai",
        version=version if isinstance(version, str) else None,
        subject={name: value for name, value in subject.items() if isinstance(value, str)},
        notes=notes,
    )


def _describe(log: _Log, scorer: _Scorer, counts: Counter[str]) -> Origin:
    """Describe a log whose samples have scores, and what was taken from them."""
    run = _describe_run(log)
    notes = [*run.notes]
    several = len(scorer.found) > 1
    if several and scorer.wanted is None:
        notes.append(
            Message(
                "inspect_ai.scorers",
                "There are several scorers: {names}. The grades are those of {name}; {option:scorer} chooses another "
                "one.",
                names=quote_all(scorer.found),
                name=quote(scorer.name),
            )
        )
    if counts["edited"]:
        notes.append(
            Message(
                "inspect_ai.edited",
                "Scores that were edited after the run: {count:,}. The edited value counts.",
                count=counts["edited"],
            )
        )
    if counts["errors"]:
        notes.append(
            Message(
                "inspect_ai.errors",
                "Samples that failed and have a score all the same: {count:,}. The score counts.",
                count=counts["errors"],
            )
        )
    if counts["invalidated"]:
        notes.append(
            Message(
                "inspect_ai.invalidated",
                "Samples that were marked as invalid: {count:,}. They count, as in the numbers of inspect_ai.",
                count=counts["invalidated"],
            )
        )
    if counts["completions"]:
        notes.append(
            Message(
                "inspect_ai.completions",
                "Samples with several completions: {count:,}. Only the first one has a score, so each counts once. For "
                "n samples of each problem, run n epochs.",
                count=counts["completions"],
            )
        )
    name, key = scorer.path
    value = f"scores.{name}.value"
    return replace(
        run,
        chosen={"scorer": scorer.name} if several and scorer.name else {},
        roles={
            "problem": "id",
            "answers": f"scores.{name}.answer",
            "references": "target",
            "grades": value if key is None else f"{value}.{key}",
        },
        notes=notes,
    )


FORMAT = Format(
    name="inspect_ai",
    title="inspect_ai 0.3.285",
    file="*.eval, or *.json in the log folder",
    samples="inspect eval task.py --epochs n",
    marks=(
        Mark("zip", fits=lambda names: any(each in (_HEADER, _START) or each.startswith(_SAMPLES) for each in names)),
        Mark("json", ("eval", "samples")),
        Mark("json", ("eval", "plan", "status")),
    ),
    read=_read,
    options=("scorer",),
)
