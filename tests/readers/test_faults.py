"""The sentences about values that their role cannot take, in both languages."""

import json

import pytest

from at_k.demo.words import translate
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.faults import UNITS, Faults, describe_place

WRONG = {
    "problem": ({"id": [1]}, "cells.problem", "[…]"),
    "answers": ({"answer": {"a": 1}}, "cells.answer", "{"),
    "references": ({"reference": {"a": 1}}, "cells.reference", "{"),
    "grades": ({"correct": 2}, "cells.grade", "2"),
    "scores": ({"score": "high"}, "cells.score", "high"),
    "group": ({"level": {"a": 1}}, "cells.group", "{"),
}


@pytest.mark.parametrize(("changed", "code", "quoted"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_and_where(tmp_path, changed, code, quoted):
    row = {"id": 1, "answer": "a", "reference": "b", "correct": 1, "score": 0.5, "level": "x"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | {"id": 2} | changed) + "\n")
    with pytest.raises(InputError) as caught:
        read_samples(path, columns={"group": "level", "scores": "score"})
    assert caught.value.code == code
    assert quoted in str(caught.value)
    assert "line 2" in str(caught.value)
    assert "第 2 行" in translate(caught.value, "zh")


def test_places():
    assert str(describe_place(2, "a" * 50)) == f"row 2, column “{'a' * 39}…”"
    assert str(describe_place(2, "a", 3)) == "row 2, column “a”, sample 3"
    assert [str(place(1234)) for place in UNITS.values()] == [f"{unit} 1,234" for unit in UNITS]


def test_faults_are_raised_or_counted_by_their_cause():
    errors = [InputError(code, "wrong {at}", at=at) for at, code in enumerate(("a.b", "a.c", "a.b"))]
    with pytest.raises(InputError, match="wrong 0"):
        Faults().add(errors[0])
    faults = Faults("skip")
    for error in errors:
        faults.add(error)
    assert {code: (str(first), count) for code, (first, count) in faults.causes.items()} == {
        "a.b": ("wrong 0", 2),
        "a.c": ("wrong 1", 1),
    }
    assert faults.count() == 3
