"""The grid that every table is written from."""

from reports import RAGGED, full_report

import at_k
from at_k.report.grid import list_blocks, list_columns


def test_every_value_has_one_cell_in_each_block():
    for report in (full_report(), at_k.score(RAGGED)):
        columns = list(list_columns(report))
        blocks = list_blocks(report)
        assert [block.label for block in blocks] == ["all", *report.groups]
        for block in blocks:
            cells = [(line, k, key) for line, keys in block.lines.items() for k, key in keys.items()]
            assert sorted(key for _, _, key in cells) == sorted({*block.values} - {"mG-Pass@1"})
            assert len({(line, k) for line, k, _ in cells}) == len(cells)
            for line, k, key in cells:
                assert k in columns
                assert (line.metric, line.tau) == (key.metric, key.tau)
                assert k == (key.k if key.metric.endswith("k") else None)
    assert list_columns(full_report()) == {None: "n", 1: "k = 1", 2: "k = 2", 4: "k = 4"}


def test_a_group_called_all_is_not_the_total():
    report = at_k.score({"grades": [[1, 1], [0, 0]], "group": ["all", "x"]}, k=1, metrics="pass_at_k")
    found = {block.label: block.values["pass@1"] for block in list_blocks(report)}
    assert found == {"(all)": 0.5, "all": 1.0, "x": 0.0}
