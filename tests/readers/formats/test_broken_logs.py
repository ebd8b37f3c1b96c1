"""Broken logs of inspect_ai: cut off, without members, and with fields of another type."""

import copy
import json
import math
from itertools import product
from random import Random

import pytest
from cases import for_each
from readers.formats.logs import FOLDER, load, load_json, read, write
from readers.zips import STORED

from at_k.errors import InputError
from at_k.readers import read_samples

ABSENT = object()
OTHERS = [
    *(None, True, 0, 3.5, math.nan, -1, 10**400, "", "text"),
    *([], [1], ["a", None], [[[]]], {}, {"a": {"value": [1]}}),
]


def change(place, field, value):
    """Remove a field, or give it another value."""
    if value is ABSENT:
        place.pop(field, None)
    else:
        place[field] = value


def list_numbers(samples):
    """List the samples that were read: the problem and the number of each."""
    return [
        (name, number)
        for name, own in zip(samples.problems, samples.numbers, strict=True)
        for number in own
    ]


def assert_right(samples, log, *, besides=()):
    """Compare the grade and the answer of every sample with the log as it was."""
    wanted = {}
    for name, sample in log.items():
        if name.startswith("samples/"):
            score = sample["scores"].get("match", {})
            grade = {"C": 1, "I": 0}.get(score.get("value"))
            wanted[str(sample["id"]), sample["epoch"]] = grade, score.get("answer") or None
    rows = (zip(*row, strict=True) for row in zip(samples.grades, samples.answers, strict=True))
    own = dict(zip(list_numbers(samples), (pair for row in rows for pair in row), strict=True))
    for key in besides:
        own.pop(key, None)
        wanted.pop(key, None)
    assert own == wanted


def assert_right_or_refused(log, name, member, field):
    """Read a log with another member, in which a field changed: it is refused, or every other sample is as it was."""
    changed = str(log[name]["id"]), log[name]["epoch"]
    data = write(log | {name: member}, STORED)
    try:
        samples = read(data)
    except InputError as error:
        assert error.code.startswith(("inspect_ai.", "collector.", "cells.")), error  # noqa: PT017 - or it is right
        samples = read(data, errors="skip")
    known = {
        (str(each["id"]), each["epoch"])
        for member, each in log.items()
        if member.startswith("samples/")
    }
    renamed = {*list_numbers(samples)} - known
    assert len(renamed) <= (field in ("id", "epoch"))
    assert_right(samples, log, besides={changed, *renamed})


@for_each(
    "file, seed", list(product(["toy_one.eval", "toy_one.json", "log_streaming.eval"], range(10)))
)
def test_cut_off(tmp_path, file, seed):
    whole = (FOLDER / file).read_bytes()
    path = tmp_path / file
    path.write_bytes(whole[: Random(seed).randrange(len(whole) - 1)])
    for errors in ("raise", "skip"):
        with pytest.raises(InputError) as caught:
            read_samples(path, errors=errors)
        assert str(caught.value).startswith(str(path))


@for_each("seed", range(10))
def test_members_that_are_absent_or_changed_places(seed):
    log, turned, rng = load("toy_one.eval"), load("toy_one.eval"), Random(seed)
    for name in rng.sample(sorted(log), 8):
        del log[name]
    one, other = rng.sample(sorted(name for name in turned if name.startswith("samples/")), 2)
    turned[one], turned[other] = turned[other], turned[one]
    for each in (log, turned):
        assert_right(read(write(each)), each)


@for_each("path", ["id", "epoch", "target", "scores", "metadata", "error", "output", "choices", "scores.match",
                   "scores.match.value", "scores.match.answer", "scores.match.history"])  # fmt: skip
def test_fields_that_are_absent_or_of_another_type(path):
    name = "samples/1_epoch_2.json"
    log = {
        key: each
        for key, each in load("toy_one.eval").items()
        if not key.startswith("samples/") or "1_" in key
    }
    *outer, field = path.split(".")
    for value in ABSENT, *OTHERS:
        place = changed = copy.deepcopy(log[name])
        for each in outer:
            place = place[each]
        change(place, field, value)
        assert_right_or_refused(log, name, changed, field)


@pytest.mark.parametrize("file", ["toy_one.eval", "toy_one.json", "toy_failed.eval"])
@for_each("path", ["", "eval", "eval.scorers", "eval.task", "eval.model", "eval.packages", "status", "results",
                   "results.scores", "version", "error"])  # fmt: skip
def test_headers_of_another_type(path, file):
    kind = file.rpartition(".")[2]
    log = load(file) if kind == "eval" else {"header.json": load_json(FOLDER / file)}
    if kind == "json":
        log["header.json"] = log["header.json"] | {"samples": log["header.json"]["samples"][:6]}
    log = {
        name: each for name, each in log.items() if not name.startswith("samples/") or "1" in name
    }
    *folders, last = ["header.json", *filter(None, path.split("."))]
    for value in ABSENT, *OTHERS:
        place = broken = log | {"header.json": copy.deepcopy(log["header.json"])}
        for folder in folders:
            place = place.get(folder) or {}
        change(place, last, value)
        if kind == "eval":
            assert_right(read(write(broken, STORED)), log)
            continue
        try:
            samples = read(json.dumps(broken.get("header.json")).encode())
        except InputError:
            continue
        if samples.origin.harness == "plain":  # a flat list of one verdict
            assert (samples.n.tolist(), value) == ([1], [1])
            continue
        assert_right(
            samples,
            {f"samples/{row}": each for row, each in enumerate(log["header.json"]["samples"])},
        )
