"""A table is what is left when no harness wrote a file."""

from at_k.readers.format import Reading
from at_k.readers.formats import FORMATS, find_format
from at_k.readers.formats.plain import FORMAT
from at_k.readers.sources import Source


def test_a_table_is_the_last_format():
    assert list(FORMATS.values())[-1] is FORMAT
    assert find_format(Source("", b"id,correct\n1,1\n")) is FORMAT


def test_it_is_read():
    found = FORMAT.read(Source("", b"qid,right\na,1\na,0\n"), Reading(columns={"problem": "qid", "grades": "right"}))
    assert (found.problems, found.grades) == (["a"], [[1.0, 0.0]])
