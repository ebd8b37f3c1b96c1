"""Break a results file in ways that happen, and check that its reader says so or still finds the right numbers."""

import json
from random import Random

import pytest

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

KINDS = ("cut", "swap", "drop", "retype")
VARIANTS = pytest.mark.parametrize("seed", range(12))
"""Three of each kind."""


def break_lines(data, seed):
    """Break a file of JSON lines. Return what was done, and the new content."""
    rng = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    lines = data.splitlines()
    if kind == "cut":
        return kind, _cut(data, rng)
    if kind == "swap":
        _swap(lines, rng)
    else:
        place = rng.randrange(len(lines))
        row = json.loads(lines[place])
        _change(row, kind, rng)
        lines[place] = json.dumps(row).encode()
    return kind, b"\n".join(lines) + b"\n"


def break_document(data, seed, find_lists):
    """Break a JSON document. `find_lists` returns the lists of objects in it, whose order does not matter."""
    rng = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    if kind == "cut":
        return kind, _cut(data.rstrip(), rng)
    document = json.loads(data)
    rows = rng.choice(find_lists(document))
    if kind == "swap":
        _swap(rows, rng)
    else:
        _change(rng.choice(rows), kind, rng)
    return kind, json.dumps(document).encode()


def break_table(path, seed, target):
    """Break a Parquet file, and write it to `target`. Return what was done."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    if kind == "cut":
        target.write_bytes(_cut(path.read_bytes(), rng))
        return kind
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
    pq.write_table(table, target)
    return kind


def check_broken(path, broken, kind, *, missing="error", **reading):
    """Check that a broken file gives the numbers of the whole one, or an error that names it."""
    whole = score_or_refuse(path, missing=missing, **reading)
    found = score_or_refuse(broken, missing=missing, **reading)
    if isinstance(found, InputError):
        assert kind != "swap", found
        # It is the report that refuses missing samples, and it does not know the file.
        assert str(found).startswith(str(broken)) or found.code in ("missing.answers", "missing.grades")
        assert len(str(found)) > len(str(broken)) + 20
    else:
        assert kind != "cut"
        # What became an error message makes a sample missing, which the report says.
        assert found == whole or found[2] > whole[2]
    left = score_or_refuse(broken, missing=missing, errors="skip", **reading)
    if not isinstance(left, InputError) and not read_samples(broken, errors="skip", **reading).origin.skipped:
        assert left == whole or left[2] > whole[2]


def score_or_refuse(path, **options):
    """Compute what two readings of a file have in common, or return the error.

    The order of problems may differ, and that of samples.
    """
    try:
        report = at_k.score(path, groups=False, metrics=["pass_at_k", "cons_at_k"], **options)
    except InputError as error:
        return error
    counts = dict(zip(report.problems, zip(report.n, report.c, strict=True), strict=True))
    values = {str(key): pytest.approx(value, rel=0, abs=1e-12) for key, value in report.values.items()}
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
        row[name] = rng.choice([[1], {"a": 1}] if isinstance(row[name], str) else ["x", {"a": 1}, [[2]]])
