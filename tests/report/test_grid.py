"""The grid that every table is written from."""

import pytest
from cases import for_each
from reports import DATA, RAGGED, full_report

import at_k
from at_k.report.grid import list_blocks, list_columns, write_estimate
from at_k.values import ErrorBar


def test_every_value_has_one_cell_in_each_block():
    for report in (full_report(), at_k.score(RAGGED)):
        blocks = list_blocks(report)
        columns = list(list_columns(blocks[0]))
        assert [block.label for block in blocks] == ["all", *report.groups]
        for block in blocks:
            cells = [(line, k, key) for line, keys in block.lines.items() for k, key in keys.items()]
            assert sorted(key for _, _, key in cells) == sorted({*block.values} - {"mG-Pass@1"})
            assert len({(line, k) for line, k, _ in cells}) == len(cells)
            for line, k, key in cells:
                assert k in columns
                assert (line.metric, line.tau) == (key.metric, key.tau)
                assert k == (key.k if key.metric.endswith("k") else None)
    assert list_columns(list_blocks(full_report())[0]) == {None: "n", 1: "k = 1", 2: "k = 2", 4: "k = 4"}


def test_a_group_called_all_is_not_the_total():
    report = at_k.score({"grades": [[1, 1], [0, 0]], "group": ["all", "x"]}, k=1, metrics="pass_at_k")
    found = {block.label: block.values["pass@1"] for block in list_blocks(report)}
    assert found == {"(all)": 0.5, "all": 1.0, "x": 0.0}


@for_each(
    "names, rows",
    [
        ("pass^4", ["pass^k"]),
        (["pass^2", "G-Pass@4_0.5"], ["pass^k", "G-Pass@k_0.5"]),
        ("G-Pass@k", [f"G-Pass@k_{tau}" for tau in (0.25, 0.5, 0.75, 1.0)]),
        ("mG-Pass@1", ["mG-Pass@k"]),  # which tables leave out beside others
        (["best@2", "avg@4", "pass_at_k"], ["pass@k", "avg@n", "best@k"]),
        (["accuracy", "avg_at_n"], ["avg@n", "accuracy"]),
        ("gpassk", [f"G-Pass@k_{tau}" for tau in (0.25, 0.5, 0.75, 1.0)] + ["mG-Pass@k"]),
    ],
)
def test_rows_are_those_that_were_asked_for_by_their_names(names, rows):
    report = at_k.score(DATA, metrics=names if isinstance(names, str) else iter(names))
    for block in list_blocks(report):
        assert [str(line) for line in block.lines] == rows
    assert [line.split("|")[3].strip() for line in report.to_markdown().split("\n")[2 : 2 + len(rows)]] == rows


def test_a_name_of_papers_heads_the_column_of_models():
    models = at_k.score_models({"a": DATA, "b": DATA}, metrics=["pass^2", "avg@n"], confidence_level=None)
    assert models.to_markdown().split("\n")[0].split() == ["|", "model", "|", "pass^2", "|", "avg@4", "|"]
    assert "note.odd_k" not in {note.code for note in at_k.score(DATA, metrics="pass^3").notes}


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.91, 0.84724, 0.95135, ("0.910", "[0.847, 0.951]")),
        (0.5, 0.5, 0.5, ("0.500", "[0.500, 0.500]")),
        (0.98, 0.9604, 0.9999, ("0.980", "[0.960, 1.000]")),
        (0.9996, 0.9992, 0.9998, ("0.9996", "[0.9992, 0.9998]")),  # 0.0006 wide: with three decimals all are 1
        (1.0, 0.99997, 1.0, ("1.00000", "[0.99997, 1.00000]")),
        (2.9, 2.58, 3.228, ("2.90", "[2.58, 3.23]")),
        (1234.5, 1230.1, 1238.4, ("1234", "[1230, 1238]")),
        (12.345, 12.318, 12.372, ("12.35", "[12.32, 12.37]")),
        (-1234.5, -1238.4, -1230.6, ("-1234", "[-1238, -1231]")),
        (0.5, -0.25, 1.25, ("0.500", "[-0.250, 1.25]")),
        (334.25, -1103.2, 1770.5, ("334.2", "[-1103, 1770]")),  # half to even
        (654321.0, 254321.0, 954321.0, ("654321", "[254321, 954321]")),
        (2e6, 1e6, 3e6, ("2.00e+06", "[1.00e+06, 3.00e+06]")),
        (1.5e300, 1.25e300, 1.75e300, ("1.50e+300", "[1.25e+300, 1.75e+300]")),
        (1 / 3, 1 / 3 - 1e-17, 1 / 3 + 1e-16, ("0.333333333333333", "[0.333333333333333, 0.333333333333333]")),
    ],
)
def test_an_interval_shows_its_width(value, low, high, shown):
    assert write_estimate(value, ErrorBar(0.1, low, high)) == shown


def test_asked_for_digits_hold_for_values_and_intervals():
    assert write_estimate(0.91, ErrorBar(0.1, 0.84724, 0.95135), 2) == ("0.91", "[0.85, 0.95]")
    assert write_estimate(0.91, None, 2) == ("0.91", "")
