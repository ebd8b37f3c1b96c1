"""JSON by the fast decoder or the slow one: the same values, or an error that names the line."""

import json

import pytest
from cases import for_each
from hypothesis import given, strategies as st

from at_k.errors import InputError
from at_k.readers.files.decoding import decode, decode_strictly, decode_text

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(VALUES)
def test_what_python_writes_is_read(value):
    assert decode(json.dumps(value).encode()) == decode(json.dumps(value).encode(), 1) == value


BROKEN = {
    "cut off": (b'{"a": 1', "decoding.line", "line 7, near"),
    "not JSON": (b"{'a': 1}", "decoding.broken", "line 7, near"),
    "two values": (b'{"a": 1}{"a": 2}', "decoding.line", "line 7, near"),
    "another encoding": ('{"a": "é"}'.encode("latin-1"), "decoding.encoding", "line 7 "),
    "lists in lists": (b"[" * 100_000, "decoding.deep", "nested"),
    "lists in lists, closed": (b"[" * 100_000 + b"]" * 100_000, "decoding.deep", "nested"),
    "objects in objects": (b'{"a":' * 100_000, "decoding.deep", "nested"),
    "half a character": (b'{"a": "\\ud800"}', "decoding.surrogate", "line 7"),
    "half a character in a name": (b'{"\\udc00": 1}', "decoding.surrogate", "line 7"),
    "a number of 5,000 digits": (b"1" * 5000, "decoding.long_number", "line 7"),
}


@for_each("data, code, said", BROKEN.values(), ids=BROKEN)
def test_broken(data, code, said):
    with pytest.raises(InputError, match=said) as caught:
        decode(data, 7)
    assert caught.value.code == code
    with pytest.raises(InputError) as caught:
        decode(data)
    assert caught.value.code == code.replace(
        "line", "broken"
    )  # a document may be made of the objects that can be read


STRICT = {
    "a name twice": (
        b'{"a": 1, "b": 2, "a": 1}',
        "decoding.repeated_name",
        "“a” more than once .line 7",
    ),
    "a name twice, inside": (b'[{"a": {"b": 1, "\\u0062": 2}}]', "decoding.repeated_name", "“b”"),
    "a number that no float holds": (b"[-%b]" % (b"1" * 309), "decoding.long_number", "line 7"),
}


@for_each("data, code, said", STRICT.values(), ids=STRICT)
def test_what_another_decoder_reads_as_something_else(data, code, said):
    assert decode(data, 7)
    with pytest.raises(InputError, match=said) as caught:
        decode_strictly(data, 7)
    assert caught.value.code == code


def test_a_byte_order_mark_is_no_text():
    assert decode_text("é".encode("utf-8-sig")) == "é"


def test_a_line_of_a_document_is_counted():
    with pytest.raises(InputError, match="line 3, near"):
        decode(b'{\n"a": 1,\n"b": oops\n}')
    with pytest.raises(InputError, match="line 2 "):
        decode_text(b"a\n\xff")
