"""Merge results files: samples of the same problems follow each other, and different problems are listed.

A folder may have a file for each sample, or for each problem: they are read together, as the lines of one file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from os.path import abspath, commonpath, relpath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from at_k.errors import Mention, Message, Phrases, SeveralModelsError
from at_k.readers.arrays import Groups, fill_numbers, make_text_lists, make_texts
from at_k.readers.cells import keep_common
from at_k.readers.files.documents import holds_one_row
from at_k.readers.files.paths import ENDINGS, spell_path
from at_k.readers.files.sources import Source
from at_k.readers.format import Format, Reading
from at_k.readers.names import MODEL, STEP, has_name, is_model, quote, quote_all
from at_k.readers.numbering import count_runs, count_samples
from at_k.readers.samples import SAMPLE_ROLES, STANDARD, Origin, Samples
from at_k.readers.tables.choosing import Where
from at_k.readers.tables.doubts.of_samples import refuse_odd_names
from at_k.samples import Ragged

# Files that a message lists.
_LISTED = 10

# Names of what files may differ in, if the user says that all are samples of one model.
_POOLABLE = (*MODEL, *STEP)

_say = Phrases(
    {
        "merging.names": "By their names, {first} and {second} may be of two models, settings or "
        "data sets: only names that differ in the number of a run, such as run1 and run2, say "
        "that they are not.\nTo score one of them: {where}. If all are samples of one model, add "
        "{option:pool=file}. If they hold different problems: {option:concat}.",
        "merging.models": "These files are not of the same {name}: {found}.\nTo score one of them: {where}. If all are "
        "samples of one model, add {pool}.",
        "merging.subject": "These files are not of the same {name}: {found}.\nTo score one of them: {where}.",
        "merging.columns": "These files do not have the same {name}: {found}. Score them one at a time, or leave out a "
        "column: {columns}.",
        "merging.problems": "These files are not of the same problems: {shared:,} are in both, "
        "{first:,} in {first_file} alone, and {second:,} in {second_file} alone, such as "
        "{example}.\nSpell the names of problems the same way, or score the files one at a time. If a "
        "run did not reach all problems, add {option:pool=file}.",
        "merging.questions": "Problem {problem} is not the same in both files: {first} in "
        "{first_file}, and {second} in {second_file}.\nIf the files hold different problems that "
        "have the same names, {option:concat} keeps them apart. If they are samples of the same "
        "problems all the same, add {option:pool=file}.",
        "merging.differs": "Problem {problem} does not have the same {role} in both files: {first} in {first_file}, "
        "and {second} in {second_file}.",
        "merging.clash": "Sample {number} of problem {problem} is in {first_file} and in "
        "{second_file}.\nIf they are samples of two runs, pool them: {option:pool=file}. If the "
        "files hold different problems that have the same names, {option:concat} keeps them apart.",
        "note.files": "Read {count:,} files as samples of one model on the same problems: {files}. Problems in each: "
        "{problems}. Samples of a problem in each: {n}.",
        "note.left_out": "The samples of {file} are the same as those of {original}: it was left out. "
        "{option:pool=file} counts both.",
        "note.concatenated": "Read {count:,} files, each with other problems: {files}.",
        "note.bundle": "Read {count:,} files, from {first} to {last}, as one table. Problems: {problems:,}.",
    }
)


def merge(
    parts: Sequence[Samples],
    files: Sequence[str],
    *,
    pool: Collection[str] = (),
    concat: bool = False,
) -> Samples:
    """Merge the samples of several files by the names of their problems; where none is shared, list all problems."""
    parts, files, copies = _leave_out_copies(parts, files, pool=pool, concat=concat)
    if len(parts) == 1:
        origin = parts[0].origin
        return replace(parts[0], origin=replace(origin, notes=[*origin.notes, *copies]))
    _refuse_differing(parts, files, pool)
    is_split = all(
        len(part.table) == 1 for part in parts
    )  # a file for each problem, or for each of its runs
    shared, shorts = _find_shared(parts), list_names(files)
    is_listed = concat or not (is_split or shared)
    if not (is_listed or is_split or "file" in pool):
        _refuse_other_problems(parts, files)
    names = [part.table["problem"] for part in parts]
    if is_listed and shared:
        names = [_rename(part, short, shared) for part, short in zip(parts, shorts, strict=True)]
    merged = _join_problems(parts, files, names, is_numbered=not is_listed and "file" not in pool)
    if not (
        is_listed
        or any(name == "file" or has_name(name, _POOLABLE) for name in pool)
        or all(map(_is_named, parts))
    ):
        _refuse_other_names(merged, are_split=is_split)
    _refuse_clash(merged)
    if not concat and len(merged.table) > max(len(part.table) for part in parts):
        refuse_odd_names(merged, Mention("concat"))
    listed = ", ".join(
        shorts if len(shorts) <= _LISTED else [*shorts[: _LISTED - 1], "…", shorts[-1]]
    )
    note = _say(
        "note.concatenated" if is_listed else "note.files",
        count=len(files),
        files=listed,
        problems=_span(len(part.table) for part in parts),
        n=_span(chain.from_iterable(part.n.tolist() for part in parts)),
    )
    origin = _merge_origins([part.origin for part in parts], pool, note)
    return replace(merged, origin=replace(origin, notes=[*origin.notes, *copies]))


# Endings of compressed files.
_PACKED = (".gz", ".bz2", ".zst", ".xz")

# What is added to the name of a copy.
_COPIED = re.compile(r"(?:\s*\(\d+\)|[\s_-]+copy(?:\s*\d+)?)$", re.IGNORECASE)

# Samples of a file, and right and wrong ones among them, that are not equal to those of another one by chance.
_LONG, _EACH = 20, 5


def _leave_out_copies(
    parts: Sequence[Samples], files: Sequence[str], *, pool: Collection[str], concat: bool
) -> tuple[Sequence[Samples], Sequence[str], list[Message]]:
    """Leave out files whose samples and name are those of another one: a copy, or the same in another layout."""
    if len(parts) == 1 or concat or pool:
        return parts, files, []
    kept: list[int] = []
    notes: list[Message] = []
    for place, part in enumerate(parts):
        alike = (
            other for other in kept if _name_copied(files[other]) == _name_copied(files[place])
        )
        first = next((other for other in alike if parts[other].table.equals(part.table)), None)
        if first is None or not _is_telling(part):
            kept.append(place)
        else:
            notes.append(_say("note.left_out", file=files[place], original=files[first]))
    return [parts[place] for place in kept], [files[place] for place in kept], notes


def _name_copied(file: str) -> str:
    """Return a path without its endings, and without what browsers and desktops add to the name of a copy.

    Examples:
        >>> _name_copied("a/run (1).csv"), _name_copied("a/run copy.jsonl.gz"), _name_copied("a/t0.2.csv")
        ('a/run', 'a/run', 'a/t0.2')
    """
    path = Path(file)
    while path.suffix.lower() in (*ENDINGS, *_PACKED):
        path = path.with_suffix("")
    return str(path.with_name(_COPIED.sub("", path.name)))


def _is_telling(part: Samples) -> bool:
    """Return whether a file has too many verdicts of both kinds for another one to have them by chance."""
    grades = [grade for own in part.grades or () for grade in own if grade is not None]
    right = sum(grade > 0.5 for grade in grades)
    return len(grades) >= _LONG and min(right, len(grades) - right) >= _EACH


def _span(counts: Iterable[int]) -> str:
    """Write the smallest and the largest of some numbers: “1 to 4”."""
    listed = sorted({*counts})
    return " to ".join(f"{count:,}" for count in dict.fromkeys((listed[0], listed[-1])))


def _refuse_other_names(samples: Samples, *, are_split: bool) -> None:
    """Raise unless the names of files, with their folders, are those of runs: all of them, or those of each problem."""
    if count_runs(list(map(abspath, dict.fromkeys(samples.files)))):
        return
    owned = (
        zip(samples.problems, samples.file_of, strict=True)
        if are_split
        else [("", range(len(samples.files)))]
    )
    for problem, places in owned:
        files = list(dict.fromkeys(samples.files[place] for place in places))
        names = list(map(abspath, files))
        if (
            len(names) > 1
            and not count_runs(names)
            and not (problem and count_samples(names, problem))
        ):
            first, second = list_names(files[:2])
            where = _name_first(list(samples.files))
            ways = {"where": where}
            if all(map(_SHARD.match, list_names(files))):
                ways = {"concat": Mention(concat=True)} | ways
            elif samples.roles["problem"] is None and _are_numbered(samples.files):
                ways = {"file": Mention(columns={"problem": "file"})} | ways
            told = {"first": first, "second": second}
            raise _say.error("merging.names", SeveralModelsError, **told, **ways)


def _are_numbered(files: Sequence[str]) -> bool:
    """Return whether more than two files have names that differ in numbers alone."""
    return len(files) > 2 and len({re.sub(r"\d+", "", file) for file in files}) == 1


# A name that numbers parts of one table.
_SHARD = re.compile(r"(?:part|shard|chunk|rank|batch|worker|split)[-_ ]?\d|\d+\.", re.IGNORECASE)


def list_names(files: Sequence[str]) -> list[str]:
    """Name files in short: without the folder that all of them share.

    Examples:
        >>> list_names(["runs/a/0.jsonl", "runs/a/1.jsonl"]), list_names(["llama/r.json", "qwen/r.json"])
        (['0.jsonl', '1.jsonl'], ['llama/r.json', 'qwen/r.json'])
    """
    folder = commonpath([str(Path(abspath(file)).parent) for file in files])
    return [relpath(abspath(file), folder) for file in files]


def _find_shared(parts: Sequence[Samples]) -> set[str]:
    """Find the names of problems that several files have."""
    counts = Counter(chain.from_iterable(part.problems for part in parts))
    return {name for name, count in counts.items() if count > 1}


def _rename(part: Samples, file: str, shared: Set[str]) -> Any:
    """Put the name of the file before the names of problems that several files have."""
    import pyarrow as pa

    return pa.chunked_array(
        [make_texts([f"{file}:{name}" if name in shared else name for name in part.problems])]
    )


def _join_problems(
    parts: Sequence[Samples], files: Sequence[str], names: Sequence[Any], *, is_numbered: bool
) -> Samples:
    """Put the samples of each problem together, by the names of the problems of each file, which Arrow holds."""
    import pyarrow as pa

    tables = [
        part.table.set_column(0, "problem", column)
        for part, column in zip(parts, names, strict=True)
    ]
    whole, counts = pa.concat_tables(tables, promote_options="default"), [part.n for part in parts]
    encoded, n = (
        pa.concat_arrays(whole["problem"].chunks).dictionary_encode(),
        np.concatenate(counts),
    )
    problems, owners = encoded.dictionary, fill_numbers(encoded.indices, -1)
    file_of = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.table) for part in parts])
    groups = Groups.of(np.repeat(owners, n))
    row_files = [files[place] for place in file_of.tolist()]
    if is_numbered and any(part.questions for part in parts):
        asked = [part.questions.get(name) for part in parts for name in part.problems]
        _merge_said("question", asked, owners, problems, row_files)
    columns: dict[str, Any] = {"problem": problems}
    for role, make in (("references", make_text_lists), ("group", make_texts)):
        if role in whole.column_names:
            columns[role] = make(
                _merge_said(role, whole[role].to_pylist(), owners, problems, row_files)
            )
    for role in {*SAMPLE_ROLES} & {*whole.column_names}:
        columns[role] = groups.list(
            pa.concat_arrays([chunk.flatten() for chunk in whole[role].chunks])
        )
    details = list(dict.fromkeys(chain.from_iterable(part.details for part in parts)))
    if "meta" in whole.column_names:
        columns["meta"] = make_texts(
            _merge_meta(whole["meta"].to_pylist(), owners, n, groups, details)
        )
    rows = [
        part.rows.values if isinstance(part.rows, Ragged) else np.concatenate(part.rows)
        for part in parts
    ]
    rows = [
        places if part.per_sample else np.repeat(places, n)
        for places, part, n in zip(rows, parts, counts, strict=True)
    ]
    are_numbered = is_numbered and all(part.numbers is not None for part in parts)
    if are_numbered:
        numbers = [number for part in parts for listed in part.numbers or () for number in listed]
    else:
        numbers = []
    return Samples(
        table=pa.table({role: columns[role] for role in STANDARD if role in columns}),
        origin=parts[0].origin,
        rows=groups.split(np.concatenate(rows)),
        per_sample=True,
        numbers=groups.cut(numbers) if are_numbered else None,
        details=details,
        files=list(files),
        file_of=groups.split(np.repeat(file_of, n)),
    )


def _merge_said(
    role: str, values: Sequence[Any], owners: NDArray[np.int64], problems: Any, files: Sequence[str]
) -> list[Any]:
    """Return what the rows of the files say about each problem. They may not differ."""
    firsts: dict[int, int] = {}
    for place, (owner, value) in enumerate(zip(owners.tolist(), values, strict=True)):
        if value is None:
            first = place
        else:
            first = firsts.setdefault(owner, place)
        if values[first] != value:
            one, other = (
                quote_all(told if isinstance(told, list) else [told])
                for told in (values[first], value)
            )
            both = {
                "first": one,
                "second": other,
                "first_file": files[first],
                "second_file": files[place],
            }
            code = "merging.questions" if role == "question" else "merging.differs"
            raise _say.error(code, role=role, problem=quote(problems[owner].as_py()), **both)
    return [values[firsts[owner]] if owner in firsts else None for owner in range(len(problems))]


def _merge_meta(
    texts: Sequence[str | None],
    owners: NDArray[np.int64],
    n: NDArray[np.int64],
    groups: Groups,
    details: Sequence[str],
) -> list[str | None]:
    """Return what all files say about each problem besides, and the details of its samples, one after another."""
    objects = [{} if text is None else json.loads(text) for text in texts]
    listed = []
    for name in details:
        values = (
            fields.pop(name, [None] * count)
            for fields, count in zip(objects, n.tolist(), strict=True)
        )
        listed.append(groups.cut(list(chain.from_iterable(values))))
    common: dict[int, dict[str, Any]] = {}
    for owner, fields in zip(owners.tolist(), objects, strict=True):
        common[owner] = keep_common(common[owner], fields) if owner in common else fields
    merged = [
        fields | {name: cells[owner] for name, cells in zip(details, listed, strict=True)}
        for owner, fields in common.items()
    ]
    return [json.dumps(fields, ensure_ascii=False) if fields else None for fields in merged]


def _refuse_clash(samples: Samples) -> None:
    """Raise if two samples of a problem have the same number."""
    for problem, numbers in enumerate(samples.numbers or ()):
        if len({*numbers}) == len(numbers):
            continue
        second = next(place for place, number in enumerate(numbers) if number in numbers[:place])
        number, file_of = numbers[second], samples.file_of[problem]
        first_file, second_file = (
            samples.files[file_of[place]] for place in (numbers.index(number), second)
        )
        both = {"first_file": first_file, "second_file": second_file}
        raise _say.error(
            "merging.clash", number=quote(number), problem=quote(samples.problems[problem]), **both
        )


def _refuse_differing(
    parts: Sequence[Samples], files: Sequence[str], pool: Collection[str]
) -> None:
    """Raise unless all files are of one harness, task and model, and have the same choices and columns of samples."""
    told: list[dict[str, Any]] = []
    for part in parts:
        origin, columns = (
            part.origin,
            [role for role in SAMPLE_ROLES if role in part.table.column_names],
        )
        told.append(
            {
                "format": origin.harness,
                **_leave_out(origin.subject, pool),
                **origin.chosen,
                "columns": columns,
            }
        )
    for name in sorted(
        dict.fromkeys(chain.from_iterable(told)), key=lambda name: name == "columns"
    ):
        values = [facts.get(name) for facts in told]
        firsts = [place for place, value in enumerate(values) if value not in values[:place]]
        if len(firsts) < 2:
            continue
        shown = [quote_all(value) if isinstance(value, list) else quote(value) for value in values]
        listed = ", ".join(f"{shown[place]} ({files[place]})" for place in firsts[:_LISTED])
        listed += ", …" if len(firsts) > _LISTED else ""
        if name == "columns":
            out = {
                role: None
                for role in SAMPLE_ROLES
                if len({role in (held or ()) for held in values}) > 1
            }
            raise _say.error(
                "merging.columns", name=name, found=listed, columns=Mention(columns=out)
            )
        if has_name(name, _POOLABLE):
            raise _say.error(
                "merging.models",
                SeveralModelsError,
                name=name,
                found=listed,
                where=_name_first(files),
                pool=Mention(pool=name),
            )
        raise _say.error("merging.subject", name=name, found=listed, where=_name_first(files))


def _name_first(files: Sequence[str]) -> Mention:
    """Mention the option by which the first file is read alone."""
    return Mention(where={"file": list_names(files)[0]})


def choose_files(files: list[Path], reading: Reading) -> tuple[list[Path], Reading]:
    """Choose among several files those that a condition on `file` names, and leave the other conditions."""
    where = reading.where
    if len(files) < 2 or not isinstance(where, Mapping) or "file" not in where:
        return files, reading
    names, asked = list_names(list(map(str, files))), Where({"file": where["file"]})
    kept = [file for file, name in zip(files, names, strict=True) if asked.keeps({"file": name})]
    if not kept:
        return files, reading  # the tables may have a column of that name
    others = {name: value for name, value in where.items() if name != "file"}
    return kept, replace(reading, where=others)


def _refuse_other_problems(parts: Sequence[Samples], files: Sequence[str]) -> None:
    mine = {*parts[0].problems}
    for part, file in zip(parts[1:], files[1:], strict=True):
        its = {*part.problems}
        if mine != its:
            odd = (name for name in (*parts[0].problems, *part.problems) if name not in mine & its)
            counts = {
                "shared": len(mine & its),
                "first": len(mine - its),
                "second": len(its - mine),
            }
            both = {"first_file": files[0], "second_file": file}
            raise _say.error("merging.problems", **counts, **both, example=quote(next(odd)))


def _leave_out(subject: Mapping[str, str], pool: Collection[str]) -> dict[str, str]:
    """Return what the results are of, without that in which files may differ."""
    return {name: value for name, value in subject.items() if name not in pool}


def _is_named(part: Samples) -> bool:
    """Return whether a harness says of which model and task the samples are, so that names of files matter less."""
    return part.origin.harness != "plain" and any(is_model(name) for name in part.origin.subject)


def _merge_origins(origins: Sequence[Origin], pool: Collection[str], note: Message) -> Origin:
    """Return what holds for all files. What was left out is counted by its cause, with the first example of each."""
    examples: dict[str, Message] = {}
    counts = Counter[str]()
    for cause, count in chain.from_iterable(origin.skipped.items() for origin in origins):
        examples.setdefault(cause.code, cause)
        counts[cause.code] += count
    notes = {str(note): note for origin in origins for note in origin.notes}
    return replace(
        origins[0],
        version=", ".join(
            dict.fromkeys(origin.version for origin in origins if origin.version is not None)
        )
        or None,
        subject=_leave_out(origins[0].subject, pool),
        notes=[note, *notes.values()],
        skipped={examples[code]: count for code, count in counts.items()},
    )


# A file, and what was found out about it.
Found = tuple[Path, Source, Format]


def bundle(found: Iterable[Found]) -> Iterator[Found]:
    """Put files that hold one sample or problem each into one, with a line for each of them, after the other files."""
    single: dict[str, list[tuple[Found, bytes]]] = {}
    for file, source, kind in found:
        is_document = kind.name == "plain" and source.layout == "json"
        if not (kind.in_folders or (is_document and holds_one_row(source.document))):
            yield file, source, kind
            continue
        with source.open_text() as text:
            # Within JSON a line can end between two tokens alone.
            line = text.read().replace(b"\n", b" ").replace(b"\r", b" ") + b"\n"
        single.setdefault(kind.name, []).append(((file, source, kind), line))
        source.release()  # the documents of all files together may not fit into memory
    for listed in single.values():
        first, _ = listed[0]
        _, source, kind = first
        if len(listed) == 1 and not kind.in_folders:
            yield first
            continue
        files = [file for (file, _, _), _ in listed]
        folder = Path(commonpath([file.absolute().parent for file in files]))
        data = b"".join(line for _, line in listed)
        paths = list(map(spell_path, files))
        yield folder, Source(folder.name, data, source.limits, files=paths), kind


def name_files(samples: Samples, files: Sequence[str], *, pool: Sequence[str]) -> Samples:
    """Name the file of each sample, instead of its line in the bundle."""
    lines = zip(samples.rows, samples.n.tolist(), strict=True)
    file_of = [
        [row - 1 for row in (places if samples.per_sample else [places[0]] * n)]
        for places, n in lines
    ]
    origin, names = samples.origin, list_names(files)
    note = _say(
        "note.bundle",
        count=len(files),
        first=names[0],
        last=names[-1],
        problems=len(samples.problems),
    )
    named = replace(
        samples,
        origin=replace(origin, notes=[note, *origin.notes]),
        rows=[[1] * len(places) for places in file_of],
        per_sample=True,
        files=files,
        file_of=file_of,
    )
    if origin.harness == "plain" and "file" not in pool and "model" not in origin.subject:
        _refuse_other_names(named, are_split=True)
    return named
