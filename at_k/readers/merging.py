"""Merge results files: samples of the same problems follow each other, and different problems are listed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, islice
from os.path import abspath, commonpath, relpath
from pathlib import Path
from typing import Any

import numpy as np

from at_k.errors import InputError, Mention, Message, SeveralModelsError
from at_k.readers.arrays import fill_numbers, make_numbers, make_text_lists, make_texts
from at_k.readers.cells import keep_common
from at_k.readers.coding import Groups
from at_k.readers.names import MODEL, STEP, has_name, is_model, quote, quote_all
from at_k.readers.samples import SAMPLE_ROLES, STANDARD, Chain, Origin, Samples, Split
from at_k.readers.structure import count_runs

_LISTED = 10
"""Files that a message lists."""

_POOLABLE = (*MODEL, *STEP)
"""Names of what files may differ in, if the user says that all are samples of one model."""


def merge(
    parts: Sequence[Samples], files: Sequence[str], *, pool: Collection[str] = (), concat: bool = False
) -> Samples:
    """Merge the samples of several files by the names of their problems; where none is shared, list all problems."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    _refuse_other_subjects([part.origin for part in parts], files, pool)
    is_split = all(len(part.problems) == 1 for part in parts)  # a file for each problem, or for each of its runs
    for part, file in zip(parts[1:], files[1:], strict=True):
        _refuse_other_columns(first, part, files[0], file)
    pooled = concat or any(name == "file" or has_name(name, _POOLABLE) for name in pool)
    shared = _find_shared(parts)
    if concat or (not is_split and not shared):
        if not pooled and not all(map(_is_named, parts)):
            refuse_other_names(files)
        return _concatenate(parts, files, pool, shared)
    if not is_split:
        for part, file in zip(parts[1:], files[1:], strict=True):
            _refuse_other_problems(first, part, files[0], file)
    if "file" not in pool:
        refuse_other_questions(parts, files)
    if not pooled and not all(map(_is_named, parts)):
        _refuse_other_names(parts, files, is_split=is_split)
    names = dict.fromkeys(chain.from_iterable(part.problems for part in parts))
    return _join_problems(parts, files, pool, {name: place for place, name in enumerate(names)})


def refuse_other_names(files: Sequence[str]) -> None:
    """Raise unless the names of files, with their folders, are those of runs: one template with the number of a run."""
    names = list(map(abspath, files))
    if len(names) < 2 or count_runs(names):
        return
    one, another = list_names(files[:2])
    raise SeveralModelsError(
        "merging.names",
        "By their names, {first} and {second} may be of two models, settings or data sets: only names that differ in "
        "the number of a run, such as run1 and run2, say that they are not. Score them one at a time. If all are "
        "samples of one model, say so: {option:pool=file}. If they hold different problems: {option:concat}.",
        first=one,
        second=another,
    )


def refuse_other_questions(parts: Sequence[Samples], files: Sequence[str]) -> None:
    """Raise if a problem has one question in one file, and another one in another file."""
    asked: dict[str, tuple[str, str]] = {}
    for part, file in zip(parts, files, strict=True):
        for problem, question in part.questions.items():
            first, first_file = asked.setdefault(problem, (question, file))
            if first != question:
                raise InputError(
                    "merging.questions",
                    "Problem {problem} is not the same in both files: {first} in {first_file}, and {second} in "
                    "{second_file}. If the files hold different problems that have the same names, {option:concat} "
                    "keeps them apart. If they are samples of the same problems all the same, say so: "
                    "{option:pool=file}.",
                    problem=quote(problem),
                    first=quote(first),
                    first_file=first_file,
                    second=quote(question),
                    second_file=file,
                )


def list_names(files: Sequence[str]) -> list[str]:
    """Name files in short: without the folder that all of them share.

    Examples:
        >>> list_names(["runs/a/0.jsonl", "runs/a/1.jsonl"]), list_names(["llama/r.json", "qwen/r.json"])
        (['0.jsonl', '1.jsonl'], ['llama/r.json', 'qwen/r.json'])
    """
    folder = commonpath([str(Path(abspath(file)).parent) for file in files])
    return [relpath(abspath(file), folder) for file in files]


def join_names(names: Sequence[str]) -> str:
    """Join the names of files, and leave out some if they are many."""
    return ", ".join(names if len(names) <= _LISTED else [*names[: _LISTED - 1], "…", names[-1]])


def note_files(parts: Sequence[Samples], files: Sequence[str]) -> Message:
    """Say which files were read together, and what each of them holds."""
    counts = sorted({int(n) for part in parts for n in part.n})
    return Message(
        "note.files",
        "Read {count:,} files as samples of one model on the same problems: {files}. Problems in each: "
        "{problems:,}. Samples of a problem in each: {n}.",
        count=len(files),
        files=join_names(list_names(files)),
        problems=len(parts[0].problems),
        n=str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
    )


def _find_shared(parts: Sequence[Samples]) -> set[str]:
    """Find the names of problems that several files have."""
    import pyarrow as pa

    counted = pa.chunked_array([chunk for part in parts for chunk in part.table["problem"].chunks]).value_counts()
    several = np.flatnonzero(fill_numbers(counted.field("counts"), 0) > 1)
    return {*counted.field("values").take(make_numbers(several)).to_pylist()}


def _join_problems(
    parts: Sequence[Samples], files: Sequence[str], pool: Collection[str], places: Mapping[str, int]
) -> Samples:
    """Put the samples of each problem together. `places` has the place of each problem among all."""
    import pyarrow as pa

    first = parts[0]
    # For each file, the place of each of its problems among all.
    owners = [np.array([places[name] for name in part.problems]) for part in parts]
    counts = [part.n for part in parts]
    groups = Groups.of(np.concatenate([np.repeat(own, n) for own, n in zip(owners, counts, strict=True)]))
    columns: dict[str, Any] = {"problem": make_texts(list(places))}
    for role in SAMPLE_ROLES:
        if role in first.table.column_names:
            chunks = [chunk.flatten() for part in parts for chunk in part.table[role].chunks]
            columns[role] = groups.list(pa.concat_arrays(chunks))
    for role, make in (("references", make_text_lists), ("group", make_texts)):
        said = _merge_said(role, parts, files, places)
        if any(value is not None for value in said.values()):
            columns[role] = make(list(said.values()))
    details = list(dict.fromkeys(chain.from_iterable(part.details for part in parts)))
    if details or "meta" in first.table.column_names:
        columns["meta"] = make_texts(_merge_meta(parts, places, details))
    rows = [part.rows.values if isinstance(part.rows, Split) else np.concatenate(part.rows) for part in parts]
    rows = [own if part.per_sample else np.repeat(own, n) for own, part, n in zip(rows, parts, counts, strict=True)]
    return Samples(
        table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
        origin=_merge_origins([part.origin for part in parts], pool, note_files(parts, files)),
        rows=groups.split(np.concatenate(rows)),
        per_sample=True,
        numbers=None if "file" in pool else _merge_numbers(parts, owners, files, list(places)),
        details=details,
        files=list(files),
        file_of=groups.split(np.repeat(np.arange(len(parts), dtype=np.int32), [n.sum() for n in counts])),
    )


def _refuse_other_names(parts: Sequence[Samples], files: Sequence[str], *, is_split: bool) -> None:
    """Raise if the names of files, or of those of one problem if each holds one, tell more than runs apart."""
    alike: dict[str, list[str]] = {}
    for part, file in zip(parts, files, strict=True):
        alike.setdefault(part.problems[0] if is_split else "", []).append(file)
    for own in alike.values():
        refuse_other_names(own)


def _concatenate(parts: Sequence[Samples], files: Sequence[str], pool: Collection[str], shared: Set[str]) -> Samples:
    """List the problems of all files. Names that several files have get that of their file before them."""
    import pyarrow as pa

    shorts = list_names(files)
    tables = []
    questions: dict[str, str] = {}
    for part, short in zip(parts, shorts, strict=True):
        table, names = part.table, {name: f"{short}:{name}" for name in shared}
        if names:
            renamed = make_texts([names.get(name, name) for name in part.problems])
            table = table.set_column(table.column_names.index("problem"), "problem", renamed)
        tables.append(table)
        questions |= {names.get(name, name): text for name, text in part.questions.items()}
    note = Message(
        "note.concatenated",
        "Read {count:,} files, each with other problems: {files}.",
        count=len(files),
        files=join_names(shorts),
    )
    return Samples(
        table=pa.concat_tables(tables, promote_options="default"),
        origin=_merge_origins([part.origin for part in parts], pool, note),
        rows=Chain([part.rows for part in parts]),
        per_sample=all(part.per_sample for part in parts),
        questions=questions,
        files=list(files),
        file_of=Chain(
            [
                Split(np.broadcast_to(place, part.n.sum()), np.append(0, np.cumsum(part.n)))
                for place, part in enumerate(parts)
            ]
        ),
    )


def _refuse_other_subjects(origins: Sequence[Origin], files: Sequence[str], pool: Collection[str]) -> None:
    """Raise unless all files are of the same harness, task and model, and the same was chosen out of them."""
    said = [{"format": each.harness, **_leave_out(each.subject, pool), **each.chosen} for each in origins]
    for name in dict.fromkeys(chain.from_iterable(said)):
        found: dict[str | None, str] = {}
        for each, file in zip(said, files, strict=True):
            found.setdefault(each.get(name), file)
        if len(found) > 1:
            listed = [f"{quote(value)} ({file})" for value, file in islice(found.items(), _LISTED)]
            if has_name(name, _POOLABLE):
                raise SeveralModelsError(
                    "merging.models",
                    "These files are not of the same {name}: {found}. Score them one at a time or, if all are samples "
                    "of one model, say so: {pool}.",
                    name=name,
                    found=", ".join(listed) + (", …" if len(found) > _LISTED else ""),
                    pool=Mention(pool=name),
                )
            raise InputError(
                "merging.subject",
                "These files are not of the same {name}: {found}. Score them one at a time.",
                name=name,
                found=", ".join(listed) + (", …" if len(found) > _LISTED else ""),
            )


def _refuse_other_problems(first: Samples, part: Samples, first_file: str, file: str) -> None:
    mine, its = set(first.problems), set(part.problems)
    if mine != its:
        raise InputError(
            "merging.problems",
            "These files are not of the same problems: {shared:,} are in both, {first:,} in {first_file} alone, and "
            "{second:,} in {second_file} alone, such as {example}. Write the names of problems alike, or score the "
            "files one at a time.",
            shared=len(mine & its),
            first=len(mine - its),
            first_file=first_file,
            second=len(its - mine),
            second_file=file,
            example=quote(next(name for name in (*first.problems, *part.problems) if name not in mine & its)),
        )


def _refuse_other_columns(first: Samples, part: Samples, first_file: str, file: str) -> None:
    """Raise unless two files have the same columns of samples; half of the answers would be no vote."""
    mine, its = ([role for role in SAMPLE_ROLES if role in each.table.column_names] for each in (first, part))
    if mine != its:
        raise InputError(
            "merging.columns",
            "These files do not have the same columns: {first} in {first_file}, and {second} in {second_file}. Score "
            "them one at a time, or leave out a column: {columns}.",
            first=quote_all(mine),
            first_file=first_file,
            second=quote_all(its),
            second_file=file,
            columns=Mention(columns={role: None for role in SAMPLE_ROLES if (role in mine) != (role in its)}),
        )


def _merge_said(role: str, parts: Sequence[Samples], files: Sequence[str], problems: Collection[str]) -> dict[str, Any]:
    """Return what the files say about each problem: its references, or its group. They may not differ."""
    said: dict[str, Any] = dict.fromkeys(problems)
    said_in: dict[str, str] = {}
    for part, file in zip(parts, files, strict=True):
        for name, value in zip(part.problems, part.listed(role) or [], strict=False):
            if value is None or value == said[name]:
                continue
            if said[name] is not None:
                raise InputError(
                    "merging.differs",
                    "Problem {problem} does not have the same {role} in both files: {first} in {first_file}, and "
                    "{second} in {second_file}.",
                    problem=quote(name),
                    role=role,
                    first=_quote(said[name]),
                    first_file=said_in[name],
                    second=_quote(value),
                    second_file=file,
                )
            said[name], said_in[name] = value, file
    return said


def _merge_meta(parts: Sequence[Samples], problems: Collection[str], details: Collection[str]) -> list[str | None]:
    """Return what all files say about each problem besides, and the details of its samples, one after another."""
    common: dict[str, dict[str, Any]] = {}
    listed: dict[str, dict[str, list[Any]]] = {name: {detail: [] for detail in details} for name in problems}
    for part in parts:
        texts = part.listed("meta") or [None] * len(part.problems)
        for name, text, n in zip(part.problems, texts, part.n.tolist(), strict=True):
            own = {} if text is None else json.loads(text)
            for detail, values in listed[name].items():
                values.extend(own.pop(detail, [None] * n))
            common[name] = keep_common(common[name], own) if name in common else own
    merged = [common[name] | listed[name] for name in problems]
    return [json.dumps(each, ensure_ascii=False) if each else None for each in merged]


def _merge_numbers(
    parts: Sequence[Samples], owners: Sequence[np.ndarray[Any, Any]], files: Sequence[str], problems: Sequence[str]
) -> list[list[object]] | None:
    """Join the numbers of the samples, if all files number them; two samples of a problem cannot share one."""
    joined: list[list[object]] = [[] for _ in problems]
    seen: list[dict[object, int]] = [{} for _ in problems]
    for place, (part, own) in enumerate(zip(parts, owners, strict=True)):
        if part.numbers is None:
            return None
        for problem, numbers in zip(own.tolist(), part.numbers, strict=True):
            for number in numbers:
                earlier = seen[problem].setdefault(number, place)
                if earlier != place:
                    raise InputError(
                        "merging.clash",
                        "Sample {number} of problem {problem} is in {first_file} and in {second_file}. If they are "
                        "samples of two runs, pool them: {option:pool=file}. If the files hold different problems that "
                        "have the same names, {option:concat} keeps them apart.",
                        number=quote(number),
                        problem=quote(problems[problem]),
                        first_file=files[earlier],
                        second_file=files[place],
                    )
            joined[problem].extend(numbers)
    return joined


def _leave_out(subject: Mapping[str, str], pool: Collection[str]) -> dict[str, str]:
    """Return what the results are of, without that in which files may differ."""
    return {name: value for name, value in subject.items() if name not in pool}


def _is_named(part: Samples) -> bool:
    """Return whether a harness says of which model and task the samples are, so that names of files matter less."""
    return part.origin.harness != "plain" and any(is_model(name) for name in part.origin.subject)


def _merge_origins(origins: Sequence[Origin], pool: Collection[str], note: Message) -> Origin:
    """Return what holds for all files. What was left out is counted by its cause, with the first example of each."""
    examples: dict[str, Message] = {}
    counts: dict[str, int] = {}
    for origin in origins:
        for cause, count in origin.skipped.items():
            examples.setdefault(cause.code, cause)
            counts[cause.code] = counts.get(cause.code, 0) + count
    versions = dict.fromkeys(origin.version for origin in origins if origin.version is not None)
    notes = {str(note): note for origin in origins for note in origin.notes}
    return replace(
        origins[0],
        version=", ".join(versions) or None,
        subject=_leave_out(origins[0].subject, pool),
        notes=[note, *notes.values()],
        skipped={examples[code]: count for code, count in counts.items()},
    )


def _quote(value: object) -> str:
    return quote_all(value) if isinstance(value, list) else quote(value)
