"""The results of several models in one file: one of them is chosen, or they are refused."""

import json

import numpy as np
import pytest
from cases import for_each
from readers.texts import collect, refuse as refuse_text

from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.names import MODEL as MODEL_NAMES
from at_k.readers.tables.choosing import select_rows

COLUMNS = {
    "model": ["a", "a", "b", "b", "c"],
    "seed": [0, 1, 0, 1, 0],
    "quick": [True, False, True, True, None],
    "correct": [1, 0, 1, 1, 0],
}
TWO = {"model": ["a", "b"], "checkpoint": [1, 2]}
ARRAYS = {"model": np.array(["a", "b"]), "seed": np.array([0, 1]), "quick": np.array([True, False])}


class Single(dict):
    """Columns of which only the model may be looked at."""

    def __getitem__(self, name):
        assert name == "model"
        return super().__getitem__(name)


@for_each("columns, options, rows", [
    (COLUMNS, {"where": {"model": "b"}}, [2, 3]), (COLUMNS, {"where": {"model": ["c"]}}, [4]),
    (COLUMNS, {"where": {"model": "a", "seed": 1}}, [1]), (COLUMNS, {"where": {"model": "a", "seed": "1"}}, [1]),
    (COLUMNS, {"where": {"model": "a", "seed": np.int64(1)}}, [1]),
    (COLUMNS, {"where": {"model": "a", "seed": [0, 1]}}, [0, 1]),
    (COLUMNS, {"where": {"model": "b", "quick": True}}, [2, 3]),
    (COLUMNS, {"where": {"model": "b", "quick": "true"}}, [2, 3]), (COLUMNS, {"where": {"quick": None}}, [4]),
    (COLUMNS, {"where": {"model": ["a", "c"]}, "used": ["model"]}, [0, 1, 4]),
    (COLUMNS, {"used": ["model", None]}, None), (TWO, {"used": ["model", "checkpoint"]}, None),
    (ARRAYS, {"where": {"model": "a", "seed": 0, "quick": True}}, [0]),
    (Single(COLUMNS), {"where": {"model": "a"}}, [0, 1]), ({"correct": [1, 0]}, {"where": None}, None),
    ({"correct": [1, 0]}, {"where": {}}, None), ({"seed": [0, 1], "correct": [1, 0]}, {}, None),
    ({"model": ["a", "a"], "run": [1, 1]}, {}, None),
])  # fmt: skip
def test_rows_are_kept(columns, options, rows):
    assert select_rows(columns, **options) == rows


def refused(columns=COLUMNS, **options):
    with pytest.raises(InputError) as caught:
        select_rows(columns, **options)
    said = str(caught.value)
    assert len(said.encode()) < 900
    return caught.value.code, said


@for_each(
    "columns, options, code, said",
    [
        (COLUMNS, {"where": {"modle": "a"}}, "standard.no_column", ["“modle”", "“model”, “seed”, “quick”, “correct”"]),
        (COLUMNS, {"where": {"model": "d"}}, "models.no_value", ["“d”", "“a”, “b”, “c”"]),
        (COLUMNS, {"where": {"seed": [0, 2]}}, "models.no_value", ["2"]),
        (COLUMNS, {"where": {"model": "c", "seed": 1, "quick": True}}, "models.no_rows", []),
        (COLUMNS, {"where": {"model": []}}, "models.no_rows", []),
        (COLUMNS, {"where": {"model": ["a", "c"]}}, "models.several", ["“a”, “c”"]),
        (TWO, {"used": ["model"]}, "models.several", ["“checkpoint”"]),
        ({"model": [None, "a", "a"]}, {}, "models.several", ["null, “a”", 'where={"model": "a"}']),
        ({"model": list(map(str, range(50)))}, {}, "models.several", ["“8”, “9”, …"]),
        *(
            ({name: ["a", "a", "b"], "correct": [1, 0, 1]}, {}, "models.several", [
                f"“{name}”", "“a”, “b”", f'where={{"{name}": "a"}}', f'pool="{name}"'])
            for name in [*MODEL_NAMES, "Model Name", "MODEL-ID"]
        ),
        *(
            ({"model": pair}, {}, "models.several", [])
            for value in ("x" * 100_000, "\ud800", {"a": [1]}, 7, 0.5, True, "<b>")
            for pair in ([value, "a"], ["a", value])
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_refused(columns, options, code, said):
    found, sentence = refused(columns, **options)
    assert found == code
    assert all(each in sentence for each in said)


@for_each("option", [*({"where": each} for each in ("model", 7, ["model"], [("model", "a")])),
                     *({"pool": each} for each in (7, {"model"}, True, {"model": 1}))])  # fmt: skip
def test_another_kind_is_refused(option):
    with pytest.raises(
        TypeError, match=r"`where` must map columns|`pool` must be the name of a column or a list"
    ):
        (select_rows if "where" in option else read_samples)(COLUMNS, **option)


@for_each("ids", [{}, {"id": None}])
def test_models_of_rows_with_lists_are_refused(ids):
    rows = [{"correct": [1, 0, 1], "model": "ab"[i % 2]} | dict.fromkeys(ids, i) for i in range(4)]
    text = "\n".join(map(json.dumps, rows))
    assert refuse_text(text, "models.settings" if ids else "models.several").startswith(
        "Column “model” has several"
    )
    assert len(collect(text, pool=["model"]).problems) == 4
    assert len(collect(text, where={"model": "a"}).problems) == 2
