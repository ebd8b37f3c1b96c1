"""Logs of inspect_ai as their members, which tests change and write again."""

import json
from functools import cache

from readers.expected import HARNESS
from readers.texts import read_bytes
from readers.zips import ZSTANDARD, Member, pack

from at_k.readers.files.archives import Archive
from at_k.readers.files.sources import Source
from at_k.readers.format import Reading

FOLDER = HARNESS / "inspect-ai"


@cache
def load_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def load(name):
    """Return the members of a log: name → JSON value. This is what tests change and write again."""
    with Archive(Source(name, FOLDER / name)) as archive:
        return {member: json.loads(archive.read(member)) for member in archive}


def write(members, method=ZSTANDARD):
    """Write a log. A member may be given as bytes."""
    return pack(
        [
            Member(name, value if isinstance(value, bytes) else json.dumps(value).encode(), method)
            for name, value in members.items()
        ]
    )


def read(data, **reading):
    return read_bytes("a log", data, Reading(**reading))


def make(*samples, scorers=("match",), status="success", **header):
    """Make a log out of samples, each given by what it has besides an id and an epoch."""
    whole = [
        {"id": "a", "epoch": row, "target": "7", **sample} for row, sample in enumerate(samples, 1)
    ]
    listed = [{"name": scorer} for scorer in scorers]
    start = {
        "version": 2,
        "status": status,
        "eval": {"task": "t", "model": "m", "scorers": listed},
        **header,
    }
    return write(
        {"header.json": start} | {f"samples/{row}.json": sample for row, sample in enumerate(whole)}
    )


def match(value, **more):
    """Make a sample with one score."""
    return {"scores": {"match": {"value": value, **more}}}
