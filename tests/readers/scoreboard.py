"""Score the files of `tests/data/cases`: read at once, within one call, silently wrong, or not at all."""

from __future__ import annotations

import json
import re
import tarfile
import warnings
from collections import Counter
from pathlib import Path

import at_k
from at_k.errors import InputError, Mention

CASES = Path(__file__).parent.parent / "data" / "cases"


def unpack(folder):
    """Unpack the files, and list each with what is expected of it."""
    with tarfile.open(CASES / "files.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # from Python 3.11.4 on
        archive.extractall(folder)
    for listed in sorted(Path(folder).glob("*/expected.json")):
        for expected in json.loads(listed.read_text(encoding="utf-8")).values():
            yield listed.parent / expected["path"], expected


def read_kinds():
    """Read the kinds of data that were misread once."""
    text = (CASES / "kinds.jsonl").read_text(encoding="utf-8")
    return list(map(json.loads, text.splitlines()))


def list_offers(error):
    """List the options that a refusal offers: its readings or, of older versions, what its sentence mentions."""
    readings = getattr(error, "readings", None)
    if readings is not None:
        return [dict(reading.options) for reading in readings]
    mentions = [value for value in error.values.values() if isinstance(value, Mention)]
    return [dict(mention.settings) for mention in mentions if mention.settings]


def score(path, **options):
    """Score a file quietly; return the report, or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return at_k.score(path, **options)
        except InputError as error:
            return error
        except (ValueError, TypeError, OSError) as error:  # a fault that is said otherwise
            return error


def gives(found, want):
    """Return whether a report has the wanted numbers."""
    if isinstance(found, Exception) or want is None:
        return False
    values = {"M": len(found), **found.values}
    return all(abs(values.get(key, -1) - number) < 1e-9 for key, number in want.items())


def judge(path, expected):
    """Return the verdict on a file, and how many of its offers give the right number, another one, or none.

    The verdict is "at once", "said" (another number, with the note that is owed), "silent", "one call", "told" (in
    words what to do), "dead", or "asked" where no number is right.
    """
    want, offers = expected["want"], Counter()
    found = score(str(path))
    if not isinstance(found, Exception):
        if gives(found, want):
            return "at once", offers
        told = " ".join(map(str, found.notes))
        is_said = expected["note"] is not None and re.search(expected["note"], told)
        return ("said" if is_said else "silent"), offers
    if want is None:
        return "asked", offers
    for place, options in enumerate(list_offers(found) if isinstance(found, InputError) else []):
        offered = score(str(path), **options)
        is_number = not isinstance(offered, Exception)
        verdict = "right" if gives(offered, want) else "wrong" if is_number else "refused"
        offers[verdict] += 1
        if not place:
            offers[f"first {verdict}"] += 1
    if offers["right"]:
        return "one call", offers
    is_told = expected["way"] is not None and re.search(expected["way"], str(found))
    return ("told" if is_told else "dead"), offers


def count(folder):
    """Judge all files; return the verdicts by file, and the counts of verdicts and offers."""
    verdicts, offered = {}, Counter()
    for path, expected in unpack(folder):
        verdict, offers = judge(path, expected)
        verdicts[f"{path.parent.name}/{path.name}"] = verdict
        offered.update(offers)
    return verdicts, Counter(verdicts.values()), offered
