"""The table of a report, read back from every form that it is written in."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from reports import RAGGED, full_report, simulated_report

import at_k
from at_k.report import tables
from at_k.values import Key

REPORTS = {"full": full_report, "simulated": simulated_report, "odd labels": lambda: at_k.score(RAGGED, k=[1, 3])}
every_report = pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)


def split_markdown(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def expected_cells(report, digits=4):
    """The header and every row, from the values by their keys."""
    without_k = any(key.metric[-1] != "k" for key in report.values)
    header = [*(["group", "problems"] if report.groups else []), "metric", *(["n"] if without_k else [])]
    header += [f"k = {k}" for k in report.k]
    rows = []
    blocks = [("all", len(report), report.values)]
    blocks += [(label, report.sizes[label], values) for label, values in report.groups.items()]
    for label, size, values in blocks:
        for line in dict.fromkeys(key.line for key in values):
            cells = []
            for k in ([None] if without_k else []) + list(report.k):
                own = {
                    key.k if key.metric[-1] == "k" else None: value for key, value in values.items() if key.line == line
                }
                found = [own[k]] if k in own else []
                cells.append(
                    (f"{found[0]:.{digits}f}" if 0 <= found[0] <= 1 else f"{found[0]:.{digits}g}") if found else ""
                )
            rows.append([*([label, str(size)] if report.groups else []), str(line), *cells])
    return [header, *rows]


@every_report
def test_csv(make):
    report = make()
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert {row["key"]: float(row["value"]) for row in rows if row["group"] == "all"} == report.values
    for label, values in report.groups.items():
        assert {row["key"]: float(row["value"]) for row in rows if row["group"] == label} == values
    for row in rows:
        key = next(key for key in report.values if key == row["key"])
        assert row["metric"] == key.metric
        assert row["k"] == ("" if key.k is None else str(key.k))
        assert row["tau"] == ("" if key.tau is None else str(key.tau))


@every_report
@pytest.mark.parametrize("digits", [2, 4])
def test_markdown(make, digits):
    report = make()
    lines = report.to_markdown(digits).split("\n")
    table = [line for line in lines if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert re.fullmatch(r"\|( -+:? \|)+", table[1])
    header, *rows = expected_cells(report, digits)
    assert split_markdown(table[0]) == header
    assert [split_markdown(line) for line in table[2:]] == [
        [cell.replace("\n", " ").strip() for cell in row] for row in rows
    ]
    assert [cell.endswith(":") for cell in split_markdown(table[1])] == [
        cell == "n" or cell.startswith("k =") for cell in header
    ]
    remarks = [line[2:] for line in lines if line.startswith("- ")]
    assert remarks == [*map(str, report.notes), *map(str, report.left_out.values())]


def test_columns_of_a_markdown_table_stand_below_each_other():
    lines = full_report().to_markdown().split("\n")
    table = [line for line in lines if line.startswith("|")]
    assert len(set(map(len, table))) == 1


@every_report
def test_latex(make):
    report = make()
    lines = report.to_latex().split("\n")
    header, *rows = expected_cells(report)
    assert (
        lines[0] == rf"\begin{{tabular}}{{{''.join('r' if c == 'n' or c.startswith('k =') else 'l' for c in header)}}}"
    )
    assert (lines[1], lines[-2], lines[-1]) == (r"\toprule", r"\bottomrule", r"\end{tabular}")
    text = report.to_latex().replace(r"\textbackslash{}", "\0").replace(r"\textasciicircum{}", "^")
    text = text.replace("\0", "BACKSLASH")
    body = text[text.index(r"\midrule") + 8 : text.index(r"\bottomrule")]
    assert not re.search(r"(?<!\\)[%$#_{}]|~|\^(?!\d)", body.replace("pass^", "pass"))
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)&", row)] for row in body.split(r" \\") if row.strip()]
    plain = [[re.sub(r"\\([&%$#_{}])", r"\1", cell).replace("BACKSLASH", "\\") for cell in row] for row in cells]
    assert plain == [[cell.strip() for cell in row] for row in rows]


class Cells(HTMLParser):
    """Collects the texts of cells and remarks."""

    def __init__(self):
        super().__init__()
        self.found, self.at = {"th": [], "td": [], "li": []}, None

    def handle_starttag(self, tag, attrs):
        assert tag in ("table", "thead", "tbody", "tr", "th", "td", "ul", "li"), tag
        if tag in self.found:
            self.at = tag
            self.found[tag].append("")

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        assert self.at, data
        self.found[self.at][-1] += data


@every_report
def test_html(make):
    report = make()
    cells = Cells()
    cells.feed(report._repr_html_())
    header, *rows = expected_cells(report)
    assert cells.found["th"] == header
    assert cells.found["td"] == [cell for row in rows for cell in row]
    assert cells.found["li"] == [*map(str, report.notes), *map(str, report.left_out.values())]


def test_scores_are_written_with_digits_and_shares_with_decimals():
    report = at_k.score({"grades": [[1, 0]], "scores": [[123456.789, -0.25]]}, k=[1, 2])
    assert report.values["max@2"] == 123456.789
    text = report.to_markdown()
    assert "1.235e+05" in text
    assert "0.5000" in text
    assert repr(123456.789) in report.to_csv()
    negative = at_k.score({"grades": [[1, 0]], "scores": [[-1.5, -0.25]]}, k=[1])
    assert "-0.875" in negative.to_markdown()
    assert Key("max@k", 1) in negative.values


def test_a_group_called_all_is_not_the_total():
    report = at_k.score({"grades": [[1, 1], [0, 0]], "group": ["all", "x"]}, k=1, metrics="pass_at_k")
    found = {row[0]: row[-1] for row in tables.list_rows(report)}
    assert found == {"(all)": 0.5, "all": 1.0, "x": 0.0}
