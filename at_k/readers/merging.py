"""Merge results files: samples of the same problems follow each other, and different problems are listed.

A folder may have a file for each sample, or for each problem: they are read together, as the lines of one file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, islice
from os import fspath
from os.path import abspath, commonpath, relpath
from pathlib import Path
from typing import Any

import numpy as np

from at_k.errors import InputError, Mention, Message, Phrases, SeveralModelsError
from at_k.readers.arrays import Groups, Split, fill_numbers, make_numbers, make_text_lists, make_texts
from at_k.readers.cells import keep_common
from at_k.readers.format import Format
from at_k.readers.names import MODEL, STEP, has_name, is_model, quote, quote_all
from at_k.readers.samples import SAMPLE_ROLES, STANDARD, Origin, Samples
from at_k.readers.sources import Source
from at_k.readers.structure import count_runs, count_samples
from at_k.readers.tables import holds_one_row

# Files that a message lists.
_LISTED = 10

# Names of what files may differ in, if the user says that all are samples of one model.
_POOLABLE = (*MODEL, *STEP)


def merge(
    parts: Sequence[Samples], files: Sequence[str], *, pool: Collection[str] = (), concat: bool = False
) -> Samples:
    """Merge the samples of several files by the names of their problems; where none is shared, list all problems."""
    if len(parts) == 1:
        return parts[0]
    others = list(zip(parts[1:], files[1:], strict=True))
    _refuse_other_subjects([part.origin for part in parts], files, pool)
    for part, file in others:
        _refuse_other_columns(parts[0], part, files[0], file)
    is_split = all(len(part.table) == 1 for part in parts)  # a file for each problem, or for each of its runs
    is_named = concat or any(name == "file" or has_name(name, _POOLABLE) for name in pool)
    is_named = is_named or all(map(_is_named, parts))
    shared = _find_shared(parts)
    if concat or (not is_split and not shared):
        if not is_named:
            refuse_other_names(files)
        return _list_problems(parts, files, pool, shared)
    if not is_split:
        for part, file in others:
            _refuse_other_problems(parts[0], part, files[0], file)
    if "file" not in pool:
        _merge_said("question", [part.questions for part in parts], files)
    if not is_named:
        alike: dict[str, list[str]] = {}
        for part, file in zip(parts, files, strict=True):
            alike.setdefault(part.problems[0] if is_split else "", []).append(file)
        for listed in alike.values():
            refuse_other_names(listed)
    names = [part.table["problem"] for part in parts]
    joined = _join_problems(parts, files, names, pool, note_files(parts, files))
    return joined if "file" in pool else replace(joined, numbers=_merge_numbers(parts, files))


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
        problems=len(parts[0].table),
        n=str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}",
    )


def _find_shared(parts: Sequence[Samples]) -> set[str]:
    """Find the names of problems that several files have."""
    import pyarrow as pa

    counted = pa.chunked_array([chunk for part in parts for chunk in part.table["problem"].chunks]).value_counts()
    several = np.flatnonzero(fill_numbers(counted.field("counts"), 0) > 1)
    return {*counted.field("values").take(make_numbers(several)).to_pylist()}


def _list_problems(parts: Sequence[Samples], files: Sequence[str], pool: Collection[str], shared: Set[str]) -> Samples:
    """List the problems of all files. Names that several files have get that of their file before them."""
    import pyarrow as pa

    shorts = list_names(files)
    names = [part.table["problem"] for part in parts]
    if shared:
        renamed = [
            [f"{short}:{name}" if name in shared else name for name in part.problems]
            for part, short in zip(parts, shorts, strict=True)
        ]
        names = [pa.chunked_array([make_texts(own)]) for own in renamed]
    note = Message(
        "note.concatenated",
        "Read {count:,} files, each with other problems: {files}.",
        count=len(files),
        files=join_names(shorts),
    )
    asked = {
        renamed: part.questions[name]
        for part, own in zip(parts, names, strict=True)
        if part.questions
        for name, renamed in zip(part.problems, own.to_pylist(), strict=True)
        if name in part.questions
    }
    return replace(_join_problems(parts, files, names, pool, note), questions=asked)


def _join_problems(
    parts: Sequence[Samples],
    files: Sequence[str],
    names: Sequence[Any],
    pool: Collection[str],
    note: Message,
) -> Samples:
    """Put the samples of each problem together, by the names of the problems of each file, which Arrow holds."""
    import pyarrow as pa

    counts = [part.n for part in parts]
    encoded = pa.concat_arrays([chunk for own in names for chunk in own.chunks]).dictionary_encode()
    problems, owners = encoded.dictionary, fill_numbers(encoded.indices, -1)
    groups = Groups.of(np.repeat(owners, np.concatenate(counts)))
    columns: dict[str, Any] = {"problem": problems}
    for role in SAMPLE_ROLES:
        if role in parts[0].table.column_names:
            chunks = [chunk.flatten() for part in parts for chunk in part.table[role].chunks]
            columns[role] = groups.list(pa.concat_arrays(chunks))
    for role, make in (("references", make_text_lists), ("group", make_texts)):
        listed = [
            dict(zip(own.to_pylist(), part.listed(role) or [], strict=True)) if role in part.table.column_names else {}
            for own, part in zip(names, parts, strict=True)
        ]
        said = _merge_said(role, listed, files)
        if said:
            columns[role] = make([said.get(name) for name in problems.to_pylist()])
    details = list(dict.fromkeys(chain.from_iterable(part.details for part in parts)))
    if details or any("meta" in part.table.column_names for part in parts):
        listed_names = [own.to_pylist() for own in names]
        columns["meta"] = make_texts(_merge_meta(parts, listed_names, problems.to_pylist(), details))
    rows = [part.rows.values if isinstance(part.rows, Split) else np.concatenate(part.rows) for part in parts]
    rows = [own if part.per_sample else np.repeat(own, n) for own, part, n in zip(rows, parts, counts, strict=True)]
    return Samples(
        table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
        origin=_merge_origins([part.origin for part in parts], pool, note),
        rows=groups.split(np.concatenate(rows)),
        per_sample=True,
        details=details,
        files=list(files),
        file_of=groups.split(np.repeat(np.arange(len(parts), dtype=np.int32), [n.sum() for n in counts])),
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


_say = Phrases(
    {
        "merging.questions": "Problem {problem} is not the same in both files: {first} in {first_file}, and {second} "
        "in {second_file}. If the files hold different problems that have the same names, {option:concat} keeps them "
        "apart. If they are samples of the same problems all the same, say so: {option:pool=file}.",
        "merging.differs": "Problem {problem} does not have the same {role} in both files: {first} in {first_file}, "
        "and {second} in {second_file}.",
    }
)


def _merge_said(role: str, said: Sequence[Mapping[str, Any]], files: Sequence[str]) -> dict[str, Any]:
    """Return what the files say about each problem. They may not differ."""
    found: dict[str, tuple[Any, str]] = {}
    for own, file in zip(said, files, strict=True):
        for problem, value in own.items():
            first, first_file = found.setdefault(problem, (value, file)) if value is not None else (None, "")
            if value != first:
                named = {"problem": quote(problem), "first_file": first_file, "second_file": file}
                told = {**named, "first": _quote(first), "second": _quote(value)}
                if role == "question":
                    raise _say.error("merging.questions", **told)
                raise _say.error("merging.differs", role=role, **told)
    return {problem: value for problem, (value, _) in found.items()}


def _merge_meta(
    parts: Sequence[Samples], names: Sequence[Sequence[str]], problems: Collection[str], details: Collection[str]
) -> list[str | None]:
    """Return what all files say about each problem besides, and the details of its samples, one after another."""
    common: dict[str, dict[str, Any]] = {}
    listed: dict[str, dict[str, list[Any]]] = {name: {detail: [] for detail in details} for name in problems}
    for part, named in zip(parts, names, strict=True):
        texts = part.listed("meta") or [None] * len(named)
        for name, text, n in zip(named, texts, part.n.tolist(), strict=True):
            own = {} if text is None else json.loads(text)
            for detail, values in listed[name].items():
                values.extend(own.pop(detail, [None] * n))
            common[name] = keep_common(common[name], own) if name in common else own
    merged = [common[name] | listed[name] for name in problems]
    return [json.dumps(each, ensure_ascii=False) if each else None for each in merged]


def _merge_numbers(parts: Sequence[Samples], files: Sequence[str]) -> list[list[object]] | None:
    """Join the numbers of the samples, if all files number them; two samples of a problem cannot share one."""
    joined: dict[str, list[object]] = {}
    seen: dict[tuple[str, object], str] = {}
    for part, file in zip(parts, files, strict=True):
        if part.numbers is None:
            return None
        for problem, numbers in zip(part.problems, part.numbers, strict=True):
            for number in numbers:
                first = seen.setdefault((problem, number), file)
                if first != file:
                    raise InputError(
                        "merging.clash",
                        "Sample {number} of problem {problem} is in {first_file} and in {second_file}. If they are "
                        "samples of two runs, pool them: {option:pool=file}. If the files hold different problems that "
                        "have the same names, {option:concat} keeps them apart.",
                        number=quote(number),
                        problem=quote(problem),
                        first_file=first,
                        second_file=file,
                    )
            joined.setdefault(problem, []).extend(numbers)
    return list(joined.values())


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


# Files of JSON lines from which they are read as one: each alone takes milliseconds.
_MANY = 64

# A file, and what was found out about it.
Found = tuple[Path, Source, Format]


def bundle(found: Iterable[Found]) -> Iterator[Found]:
    """Put files that hold one sample or problem each into one, with a line for each of them, after the other files."""
    single: dict[str, list[tuple[Found, bytes]]] = {}
    for file, source, each in found:
        lines = _read_lines(source, each)
        if lines is None:
            yield file, source, each
            continue
        single.setdefault(each.name, []).append(((file, source, each), lines))
        source.release()  # the documents of all files together may not fit into memory
    for listed in single.values():
        _, source, each = listed[0][0]
        fewest = 1 if each.in_folders else _MANY if source.layout == "jsonl" else 2
        if len(listed) < fewest:
            yield from (alone for alone, _ in listed)
            continue
        files = [fspath(file) for (file, _, _), lines in listed for _ in range(lines.count(b"\n"))]
        folder = Path(commonpath([file.absolute().parent for (file, _, _), _ in listed]))
        data = b"".join(lines for _, lines in listed)
        yield folder, Source(folder.name, data, source.limits, files=files), each


def _read_lines(source: Source, format: Format) -> bytes | None:
    """Read a file as a line, or as lines; None for one that is to be read by itself."""
    is_document = format.name == "plain" and source.layout == "json"
    if format.in_folders or (is_document and holds_one_row(source.document)):
        with source.open_text() as file:
            # Within JSON a line can end between two tokens alone.
            return file.read().replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
    if format.name != "plain" or source.layout != "jsonl":
        return None
    with source.open_text() as file:
        lines = [line.strip() for line in file.read().split(b"\n")]
    has_lists = any(isinstance(cell, list) for cell in source.first_row.values())
    return None if has_lists else b"".join(line + b"\n" for line in lines if line)


def name_files(samples: Samples, files: Sequence[str], *, pool: Sequence[str]) -> Samples:
    """Name the file of each sample, instead of its line in the bundle."""
    lines = zip(samples.rows, samples.n.tolist(), strict=True)
    file_of = [[row - 1 for row in (own if samples.per_sample else [own[0]] * n)] for own, n in lines]
    different = list(dict.fromkeys(files))
    names = list_names(different)
    if (
        samples.origin.harness == "plain"
        and "file" not in pool
        and "model" not in samples.origin.subject
        and not count_runs(list(map(abspath, different)))
    ):
        for problem, own in zip(samples.problems, file_of, strict=True):
            of_problem = [files[place] for place in dict.fromkeys(own)]
            if not count_samples(list(map(abspath, of_problem)), problem):
                refuse_other_names(of_problem)
    note = Message(
        "note.bundle",
        "Read {count:,} files, from {first} to {last}, as one table. Problems: {problems:,}.",
        count=len(different),
        first=names[0],
        last=names[-1],
        problems=len(samples.problems),
    )
    return replace(
        samples,
        origin=replace(samples.origin, notes=[note, *samples.origin.notes]),
        rows=[[1] * len(own) for own in file_of],
        per_sample=True,
        files=files,
        file_of=file_of,
    )
