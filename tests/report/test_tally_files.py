import json

import pyarrow as pa
import pytest
from cases import for_each
from tallies import KINDS, make_data, options_of

import at_k

Tally = at_k.Tally


@for_each("by_problem", [False, True])
@for_each("kind", KINDS)
def test_a_tally_is_written_and_read(kind, by_problem):
    tally = Tally.of(make_data(kind), by_problem=by_problem, **options_of(kind))
    assert Tally.from_json(tally.to_json()) == tally
    assert Tally.from_arrow(tally.to_arrow()) == tally
    json.loads(tally.to_json(), parse_constant=pytest.fail)  # NaN is no JSON


def test_a_column_of_the_table_counts_problems():
    table = Tally.of({"answers": [["7", "7", "9"]], "references": ["7"]}).to_arrow()
    assert table.to_pylist() == [
        {"group": None, "n": 3, "c": 2, "votes": None, "problems": 1},
        {"group": None, "n": 3, "c": None, "votes": [2, -1], "problems": 1},
    ]


def change(**parts):
    return lambda content: content | parts


@for_each(
    "damage",
    [
        change(counts=[[None, 4, 5, 1]]),
        change(counts=[[None, 4, -1, 1]]),
        change(counts=[[None, 4, 1, 0]]),
        change(counts=[[None, 4, 1.5, 1]]),
        change(counts=[[7, 4, 1, 1]]),
        change(counts=[[None, 4, 1]]),
        change(counts=None),
        change(votes=[[None, 3, [1, -2], 1]]),
        change(votes=[[None, 3, [3, -2], 1]]),
        change(votes=[[None, 3, [2, -1], 2]]),
        change(sums=[[None, 3, 1, [["accuracy", None, None, "x", 0, 0, 0, 0]]]]),
        change(sums=[[None, 3, 5, []]]),
        change(names=3),
        lambda content: {name: each for name, each in content.items() if name != "conditions"},
    ],
)
def test_damaged_tallies_are_refused(damage):
    content = json.loads(Tally.of({"answers": [["7", "7", "9"]], "references": ["7"]}).to_json())
    with pytest.raises(ValueError, match="`text` must be a tally; it is damaged"):
        Tally.from_json(json.dumps(damage(content)))


def test_other_files_are_refused(tmp_path):
    for text, sentence in (("{", "is not JSON"), ("[]", "something else"), ('{"format": "x"}', "something else")):
        with pytest.raises(ValueError, match=sentence):
            Tally.from_json(text)
    with pytest.raises(ValueError, match="`table` must be the Arrow table of a tally"):
        Tally.from_arrow(pa.table({"n": [1]}))
    path = tmp_path / "part.json"
    Tally.from_rows([(4, 1, 2)]).save(path)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match=r"part\.json' must be the JSON of a tally; it is not JSON"):
        at_k.score(path)
