"""Cases of reading as data: what a file holds, and what is read from it or how it is refused."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.samples import Ragged

OF_ORIGIN = ("harness", "version", "subject", "chosen")


class Json:
    """A document, with a list for lines."""

    def __init__(self, document):
        self.document = document


class refused:  # noqa: N801 - it reads as a verb in tables
    """An error, by its code and some of its values as texts."""

    def __init__(self, code, /, **values):
        self.code, self.values = code, values

    def compare(self, path, options):
        self.check(lambda: read_samples(path, **options))

    def check(self, read):
        with pytest.raises(InputError) as caught:
            read()
        error = caught.value
        assert str(error)
        said = error.code, {name: str(error.values.get(name)) for name in self.values}
        assert said == (self.code, self.values), said


class found:  # noqa: N801 - as above
    """Contents that are read: grades by problem, answers, notes by their codes and so on."""

    def __init__(self, grades=None, /, **expected):
        self.expected = expected if grades is None else {"grades": grades} | expected

    def compare(self, path, options):
        self.check(read_samples(path, **options))

    def check(self, samples):
        for name, wanted in self.expected.items():
            own = self._find(samples, name)
            if isinstance(wanted, dict) and isinstance(own, list):
                own = dict(zip(samples.problems, own, strict=True))
            assert own == wanted, (name, own)

    def _find(self, samples, name):
        origin = samples.origin
        if name in OF_ORIGIN:
            return getattr(origin, name)
        if name in ("notes", "told"):
            return [note.code if name == "notes" else note.values for note in origin.notes]
        if name == "skipped":
            return {cause.code: count for cause, count in origin.skipped.items()}
        if name == "meta":
            return [text and json.loads(text) for text in samples.listed("meta") or []]
        if name == "roles":
            return {role: samples.roles[role] for role in self.expected["roles"]}
        own = samples.n.tolist() if name == "n" else getattr(samples, name)
        return list(own) if isinstance(own, Ragged) else own


def put(path, content):
    """Write a file, or a folder of them by their names; return its path."""
    if isinstance(content, dict):
        for name, each in content.items():
            put(path / name, each)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_spell(content))
    return path


def _spell(content):
    if isinstance(content, pa.Table):
        pq.write_table(content, file := io.BytesIO())
        return file.getvalue()
    if isinstance(content, list):
        return "".join(json.dumps(row) + "\n" for row in content).encode()
    return (
        content if isinstance(content, bytes) else json.dumps(content.document, indent=1).encode()
    )


def over(cases, make=None, name="f"):
    """Make a test of cases: name → the rows or what else `make` makes a file of, and what is read from it.

    After the first expectation, further ones may follow as pairs of options and expectation. One that is `...`
    is not looked at.
    """

    @pytest.mark.parametrize("case", cases)
    def test(case, tmp_path):
        content, first, *further = cases[case]
        made = (
            make(*content) if make is not None and isinstance(content, (list, tuple)) else content
        )
        path = put(tmp_path / name, made)
        for options, expected in [({}, first), *further]:
            if expected is not ...:
                expected.compare(path, options)

    return test
