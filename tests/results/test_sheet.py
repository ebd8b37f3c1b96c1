"""Sheets: every result in every form, its equality, and its files."""

import csv
import io
import json
import pickle

import pytest
from cases import for_each
from rich.cells import cell_len

import at_k
from at_k.demo.drawing import draw_sheet
from at_k.results.sheet import Cell, Sentences, Sheet, Table
from at_k.results.writers import WRITERS, lay_out, write_latex, write_markdown

DATA = {
    "problem": [f"q{i}" for i in range(12)],
    "grades": [[i % 3 > 0, i % 2, 1, 0] for i in range(12)],
}
OTHER = {**DATA, "grades": [[0, 0, i % 2, 0] for i in range(12)]}
RESULTS = {
    "compared": at_k.compare(DATA, OTHER, margin=0.1, extra_tests=["t"], names=("a_1", "b|2")),
    "pooled": at_k.compare_benchmarks({"x": DATA}, {"x": OTHER}, metrics="pass@1"),
    "gate": at_k.gate(DATA, require=["pass@1 >= 0.5", "pass@2 >= 0.1"]),
    "plan": at_k.plan(DATA, half_width=0.05, detect=0.1),
    "report": at_k.score(DATA),
    "models": at_k.score_models({"a_1": DATA, "b|2": OTHER}),
    "diagnosis": at_k.diagnose(DATA),
    "ranking": at_k.rank({"a": DATA, "b": OTHER, "c": DATA}, metrics="pass@1"),
    "prediction": at_k.predict_pass_at_k([8] * 6, [0, 0, 1, 2, 4, 8], k=[16, 64]),
}


@pytest.fixture(params=RESULTS)
def found(request):
    return RESULTS[request.param]


FRAGMENTS = {
    "compared": (
        "pass@4        1.000  0.500  +0.500 [+0.044, +0.947]  0.031",
        "| pass@4       | 1.000 | 0.500 | +0.500 [+0.044, +0.947] | 0.031 |         6 / 0 / 6 |",
        r"pass@4 & 1.000 & 0.500 & +0.500 [+0.044, +0.947] & 0.031 & 6 / 0 / 6 & \textbf{a\_1 is better} \\",
        "<td>+0.500 [+0.044, +0.947]</td><td>0.031</td><td>6 / 0 / 6</td><td><strong>a_1 is better</strong>",
        "metric,a_1,b|2,A − B [95 %],A − B [95 %]_low,A − B [95 %]_high,p,won / lost / tied\npass@1,0.5416",
        '"decision": "a_1 is better"',
    ),
    "pooled": (
        "\n\nx\n\nA is better at pass@1: +41.7 points [+18.3, +53.8], p < 0.001. ",
        "\n\n### x\n\nA is better at pass@1: +41.7 points [+18.3, +53.8], p < 0.001. ",
        r"pass@1 & 0.542 & 0.125 & +0.417 [+0.183, +0.538] & $<$ 0.001 & 12 / 0 / 0 & \textbf{A is better} \\",
        "<h4>x</h4><p>A is better at pass@1: +41.7 points [+18.3, +53.8], p &lt; 0.001. ",
        "\npass@1,0.5416666666666667,0.12499999999999999,0.4166666666666667,0.182565529392440",
        '"method": "pooled"',
    ),
    "gate": (
        "INCONCLUSIVE\n\nINCONCLUSIVE  pass@1 >= 0.5  0.5417 [0.3853, 0.6848]\nPASS          pass@2 >= 0.1  0.8333",
        "**INCONCLUSIVE**\n\n|              | requirement   |                measured |\n| ------------ |",
        r"PASS & pass@2 $>$= 0.1 & 0.8333 [0.6143, 0.9303] \\",
        "<h3>INCONCLUSIVE</h3><table><thead>",
        ",requirement,measured,measured_low,measured_high\nINCONCLUSIVE,pass@1 >= 0.5,0.541666666666666",
        '"decision": "INCONCLUSIVE",\n "exit_code": 3,',
    ),
    "plan": (
        "interval ±                  6  0.377  0.301  0.246  0.210   0.188\n",
        "**pass@1 = 0.542 on the pilot**\n\n",
        r"difference, r = 0.5 & 6 & 1.000 & 0.823 & 0.660 & 0.564 & 0.505 \\",
        "<h3>pass@1 = 0.542 on the pilot</h3><p>",
        "quantity,problems,n = 1,n = 2,n = 4,n = 8,n = 16\ninterval ±,3,0.4506933282",
        '"needed_to_detect": {\n  "0.5": 117,',
    ),
    "report": (
        "pass@k                  0.542           0.833           1.000\n               [0.402, 0.670]  [0.639, 0.921]",
        "| pass@k        | 0.542 [0.402, 0.670] | 0.833 [0.639, 0.921] | 1.000 [0.772, 1.000] |",
        r"pass@k & 0.542 [0.402, 0.670] & 0.833 [0.639, 0.921] & 1.000 [0.772, 1.000] \\",
        '<tr><td>avg@n</td><td>0.542 [0.402, 0.670]</td><td></td><td></td></tr><tr><td>G-Pass@k_0.25</td>',
        "group,problems,metric,k,tau,key,value,stderr,ci_low,ci_high\nall,12,G-Pass@k,4,0.25,G-Pass@4_0.25,1.0,",
        '{\n "source": null,\n "values": {\n  "G-Pass@4_0.25": 1.0,',
    ),
    "models": (
        "     G-Pass@4_0.25    G-Pass@4_0.5   G-Pass@4_0.75    G-Pass@4_1.0\na_1          *1.000          *0.833",
        "| model | G-Pass@4_0.25 | G-Pass@4_0.5 | G-Pass@4_0.75 |",
        r"a\_1 & \textbf{1.000} [0.772, 1.000] & \textbf{0.833} [0.530, 0.975] &",
        "<tr><td>b|2</td><td>0.500 [0.217, 0.783]</td><td>0.000 [0.000, 0.228]</td>",
        "model,group,problems,metric,k,tau,key,value,stderr,ci_low,ci_high\na_1,all,12,G-Pass@k,4,0.25,",
        '{\n "models": {\n  "a_1": {\n   "source": null,',
    ),
    "diagnosis": (
        "What the numbers say\n- ",
        "**What the numbers say**\n\n- ",
        r"problem & right & wrong samples, counted from 0 \\",
        "<p><strong>What the numbers say</strong></p><ul><li>",
        "kind,sentence\nfinding,",
        '"rule": "diagnosis.solved",\n   "sentence": "',
    ),
    "ranking": (
        "a, c > b\n\nmodel  value  rank\na      0.542   1–2\nc      0.542   1–2\nb      0.125     3\n",
        "**a, c > b**\n\n| model | value | rank |\n| ----- | ----: | ---: |\n| a     | 0.542 |  1–2 |",
        "model & value & rank \\\\\n\\midrule\na & 0.542 & 1–2 \\\\",
        '<h3>a, c &gt; b</h3><table><thead><tr><th scope="col">model</th>',
        "model,value,rank\na,0.541666666666666",
        '"order": "a, c > b"',
    ),
    "prediction": (
        "                                   mean  beta-binomial  power law\npass@16_predicted  0.741 [0.209, 1.000]",
        "| pass@16_predicted | 0.741 [0.209, 1.000] |         0.736 |     0.746 |",
        r"pass@16\_predicted & 0.741 [0.209, 1.000] & 0.736 & 0.746 \\",
        "<tr><td>pass@16_predicted</td><td>0.741 [0.209, 1.000]</td><td>0.736</td><td>0.746</td></tr>",
        ",mean,mean_low,mean_high,beta-binomial,power law\npass@16_predicted,0.74102",
        '"target": "problem_set"',
    ),
}  # fmt: skip
"""Result → a part of what it is in each form, in the order of the writers. `forms.md` has the sentences."""


CASES = [
    (name, form, part)
    for name, own in FRAGMENTS.items()
    for form, part in zip(WRITERS, own, strict=True)
]


@for_each("name, form, part", CASES)
def test_every_result_reads_as_it_should(name, form, part):
    assert part in RESULTS[name].write(form)


def test_names_of_forms_are_methods(found):
    assert FRAGMENTS.keys() == RESULTS.keys()
    for form in WRITERS.keys() - {"table"}:
        assert getattr(found, f"to_{form}")() == found.write(form)
    assert (str(found), found._repr_html_()) == (found.write("table"), found.to_html())
    assert found.to_pandas().to_dict("records") != []


def test_a_result_is_itself_again(found, tmp_path):
    found.save(tmp_path / "x.json")
    assert type(found).load(tmp_path / "x.json") == found == pickle.loads(pickle.dumps(found))
    assert found != RESULTS["gate"] or found is RESULTS["gate"]


def test_it_is_short_where_it_is_named_and_has_all_rows_where_it_is_written(found):
    assert len(repr(found)) < 130
    assert repr(found).count("\n") == 0
    rows = list(csv.reader(io.StringIO(found.to_csv())))
    assert len(rows) > 1
    json.loads(found.to_json())


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_is_wider_than_the_terminal(found, width):
    lines = ["".join(text for text, _ in line) for line in lay_out(found.sheet(short=True), width)]
    assert max(map(cell_len, lines)) <= width


def test_a_file_cannot_name_other_code(tmp_path):
    for name in ("os:system", "at_k.cli.app:app", "at_k.report.scoring:score", "at_k.errors:json"):
        (tmp_path / "x.json").write_text(
            f'{{"format": "at-k gate", "state": {{"is": "{name}", "of": ["true"]}}}}'
        )
        with pytest.raises(ValueError, match=name):
            type(RESULTS["gate"]).load(tmp_path / "x.json")


def test_cells():
    table = Table(("", "x"), [("a", Cell(-0.5, (-1, 0), ".1f", style="best"))])
    assert "| a | **−0.5** [−1.0, 0.0] |" in write_markdown(Sheet([table]))
    assert r"a & \textbf{$-$0.5} [$-$1.0, 0.0] \\" in write_latex(Sheet([table]))
    assert [
        text
        for line in lay_out(Sheet([Sentences(["很长的一句话，很长。"])]), 12)
        for text, _ in line
    ] == [
        "- 很长的一句",
        "  话，很长。",
    ]


def test_a_page_can_draw_each_result(found):
    drawn = draw_sheet(found.sheet(short=True), "zh")
    assert json.loads(json.dumps(drawn)) == drawn
    assert drawn["parts"] != []
