"""Break a results file in ways that happen, and check that its reader refuses it or still finds the right numbers."""

import json
from random import Random

import pytest
from cases import for_each

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

KINDS = ("cut", "swap", "drop", "retype")
SEEDS = range(12)
"""Three of each kind."""


def break_file(path, seed, folder, find_lists=None):
    """Break a file of JSON lines, of Parquet or, with `find_lists`, a JSON document, which is written into a folder.

    Args:
        path: the file.
        seed: of what is done.
        folder: where the broken file is written, under its own name.
        find_lists: returns the lists of objects in a document, whose order does not matter.

    Returns:
        What was done, and the broken file.
    """
    rng, kind = Random(seed), KINDS[seed % len(KINDS)]
    data, broken = path.read_bytes(), folder / f"{seed} {kind}" / path.name
    broken.parent.mkdir(exist_ok=True)
    if kind == "cut":
        broken.write_bytes(_cut(data.rstrip() if find_lists else data, rng))
    elif path.suffix == ".parquet":
        _break_table(path, kind, rng, broken)
    elif find_lists:
        document = json.loads(data)
        rows = rng.choice(find_lists(document))
        if kind == "swap":
            _swap(rows, rng)
        else:
            _change(rng.choice(rows), kind, rng)
        broken.write_text(json.dumps(document))
    else:
        lines = data.splitlines()
        if kind == "swap":
            _swap(lines, rng)
        else:
            place = rng.randrange(len(lines))
            row = json.loads(lines[place])
            _change(row, kind, rng)
            lines[place] = json.dumps(row).encode()
        broken.write_bytes(b"\n".join(lines) + b"\n")
    return kind, broken


def _break_table(path, kind, rng, broken):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    place = rng.randrange(table.num_columns)
    if kind == "swap":
        order = list(range(len(table)))
        _swap(order, rng)
        table = table.take(order)
    elif kind == "drop":
        table = table.remove_column(place)
    else:
        table = table.set_column(place, table.column_names[place], pa.array([["x"]] * len(table)))
    pq.write_table(table, broken)


def check_variants(path, folder, find_lists=None, *, refused=(), missing="error", **reading):
    """Break a file in twelve ways. Each broken one must give the numbers of the whole one, or an error that names it.

    Args:
        path: the file.
        folder: where the broken ones are written.
        find_lists: as of `break_file`.
        refused: the kinds that must be errors, besides those that are cut off.
        missing: the policy for missing samples.
        reading: how the files are read.
    """
    whole = score_or_refuse(path, missing=missing, **reading)

    @for_each("seed", SEEDS)
    def check(seed):
        kind, broken = break_file(path, seed, folder, find_lists)
        found = score_or_refuse(broken, missing=missing, **reading)
        if isinstance(found, InputError):
            assert kind != "swap" or "swap" in refused, found
            # It is the report that refuses missing samples, and it does not know the file.
            assert str(found).startswith(str(broken)) or found.code in (
                "missing.answers",
                "missing.grades",
            )
            assert len(str(found)) > len(str(broken)) + 20
        else:
            assert kind not in ("cut", *refused)
            # What became an error message makes a sample missing, which the report says.
            assert found == whole or found[2] > whole[2]
        left = score_or_refuse(broken, missing=missing, errors="skip", **reading)
        if (
            not isinstance(left, InputError)
            and not read_samples(broken, errors="skip", **reading).origin.skipped
        ):
            assert left == whole or left[2] > whole[2]

    check()


def score_or_refuse(path, **options):
    """Compute what two readings of a file have in common, or return the error.

    The order of problems may differ, and that of samples.
    """
    try:
        report = at_k.score(path, groups=False, metrics=["pass_at_k", "cons_at_k"], **options)
    except InputError as error:
        error.__context__ = None
        return error.with_traceback(
            None
        )  # its frames, which hold the file open, would wait for the garbage collector
    counts = dict(zip(report.problems, zip(report.n, report.c, strict=True), strict=True))
    values = {
        str(key): pytest.approx(value, rel=0, abs=1e-12) for key, value in report.values.items()
    }
    return counts, values, report.n_missing, set(report.left_out)


def _cut(data, rng):
    """Cut a file within a line: where a line ends, nobody could see it."""
    while True:
        place = rng.randrange(1, len(data) - 2)
        if b"\n" not in data[place - 1 : place + 1]:
            return data[:place]


def _swap(values, rng):
    one, other = rng.sample(range(len(values)), 2)
    values[one], values[other] = values[other], values[one]


def _change(row, kind, rng):
    """Drop a field, or change its type."""
    name = rng.choice(list(row))
    if kind == "drop":
        del row[name]
    else:
        row[name] = rng.choice(
            [[1], {"a": 1}] if isinstance(row[name], str) else ["x", {"a": 1}, [[2]]]
        )
