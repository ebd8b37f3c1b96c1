"""The table of a report, read back from every form that it is written in."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from reports import DATA, RAGGED, TAUS, full_report, simulated_report

import at_k
from at_k.report import tables
from at_k.values import Key

REPORTS = {
    "full": full_report,
    "simulated": simulated_report,
    "odd labels": lambda: at_k.score(RAGGED, k=[1, 3]),
    "without intervals": lambda: at_k.score(DATA, k=[1, 2, 4], thresholds=TAUS, confidence_level=None),
}
every_report = pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)


def split_markdown(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def written(value, digits):
    """A share with decimals, and a score with digits."""
    return f"{value:.{digits}f}" if 0 <= value <= 1 else f"{value:#.{digits}g}"


def expected_cells(report, digits=None):
    """The header and every row, from the values and intervals by their keys. No interval here is narrower than .001."""
    without_k = any(key.metric[-1] != "k" for key in report.values)
    header = [*(["group", "problems"] if report.groups else []), "metric", *(["n"] if without_k else [])]
    header += [f"k = {k}" for k in report.k]
    rows = []
    blocks = [("all", len(report), report.values, report.intervals)]
    blocks += [
        (label, report.sizes[label], values, report.group_intervals[label]) for label, values in report.groups.items()
    ]
    for label, size, values, bars in blocks:
        for line in dict.fromkeys(key.line for key in values):
            cells = []
            for k in ([None] if without_k else []) + list(report.k):
                own = {key.k if key.metric[-1] == "k" else None: key for key in values if key.line == line}
                key = own.get(k)
                if key is None or key == "mG-Pass@1":  # it is 0 for any data
                    cells.append("")
                elif key in bars:
                    _, low, high, _ = bars[key]
                    value, low, high = (written(each, digits or 3) for each in (values[key], low, high))
                    cells.append(f"{value} [{low}, {high}]")
                else:
                    cells.append(written(values[key], digits or 4))
            rows.append([*([label, str(size)] if report.groups else []), str(line), *cells])
    return [header, *rows]


@every_report
def test_csv(make):
    report = make()
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert {row["key"]: float(row["value"]) for row in rows if row["group"] == "all"} == report.values
    for label, values in report.groups.items():
        assert {row["key"]: float(row["value"]) for row in rows if row["group"] == label} == values
    bars = {"all": report.intervals, **report.group_intervals}
    for row in rows:
        key = next(key for key in report.values if key == row["key"])
        # In full precision, and empty where there is none.
        found = [float(row[name]) if row.get(name) else None for name in ("stderr", "ci_low", "ci_high")]
        assert found == list(bars[row["group"]].get(key, [None] * 3))[:3]
        assert ("stderr" in row) is bool(report.intervals)
        assert row["metric"] == key.metric
        assert row["k"] == ("" if key.k is None else str(key.k))
        assert row["tau"] == ("" if key.tau is None else str(key.tau))


@every_report
@pytest.mark.parametrize("digits", [2, 4, None])
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
    body = re.sub(r"@\$k_\{([\d./]+)\}\$", r"@k\_\1", body)  # a threshold is an index
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
    assert "1.235e+05" in text  # one problem: scores have no interval, and four digits
    assert "0.500 [0.063, 0.937]" in text
    assert repr(123456.789) in report.to_csv()
    negative = at_k.score({"grades": [[1, 0]], "scores": [[-1.5, -0.25]]}, k=[1], confidence_level=None)
    assert "-0.8750" in negative.to_markdown()
    assert "0.5000" in negative.to_markdown()
    assert Key("max@k", 1) in negative.values


def test_a_score_of_one_problem_has_no_interval():
    report = at_k.score({"grades": [[1, 0], [1, 1]], "scores": [[3.0, 1.0], [4.0, 2.0]], "group": ["a", "b"]}, k=1)
    (score,) = (key for key in report.values if key.metric == "max@k")
    assert set(report.group_intervals["a"]) == set(report.values) - {score}
    assert score in report.intervals
    rows = {(row[0], row[5]): row[6:] for row in tables.list_rows(report)}
    assert rows["a", "max@1"] == (2.0, None, None, None)
    assert len(rows["all", "max@1"]) == 4
    assert "2.000" in [cell.strip() for cell in report.to_markdown().replace("\n", "").split("|")]
