"""A refusal of a file that holds the numbers prints what to type, and that gives them."""

import re
import subprocess
import zipfile
from sqlite3 import connect

import numpy as np
import pytest
from cases import for_rows

from at_k.errors import InputError, write_value
from at_k.readers import read_samples

ROWS = ["a,1", "a,0", "b,1", "b,1"]
GRADES = [[1, 0], [1, 1]]


def text(*lines, rows=ROWS):
    return "\n".join([*lines, *rows, ""])


def spaced(*lines):
    return text(*lines).replace(",", "   ")


def columns(problem, grades=None, further=(), **roles):
    told = {
        "columns": {"problem": problem} | ({"grades": grades} if grades else {}) | roles,
        **dict(further),
    }
    return ", ".join(f"{name}={write_value(value)}" for name, value in told.items())


READ_CSV = (
    "rows = [row for row in csv.reader(open('FILE', encoding='utf-8'), delimiter='{}') if row]"
)
SET_FIRST = "[row.__setitem__(0, row[0] or above[0]) for above, row in zip(rows, rows[1:])]"
WRITE_CSV = "csv.writer(open('NEW', 'w', encoding='utf-8')).writerows(rows)"
FILL = f'python3 -c "import csv; {READ_CSV}; {SET_FIRST}; {WRITE_CSV}"'
SED = "sed -nE '/^[ |:-]*$/d; /[|]/ {s/^ *[|] *| *[|] *$//g; s/ *[|] */,/g; p}' FILE > NEW"
SPACES = "tr -s ' ' , < FILE > NEW"
OBJECTS = "tr -d '\\n' < FILE | grep -oE '[{][^{}]*[}]' | sed -E 's/, *[}]/}/' > NEW"
EVALUATE = "python3 -c \"import ast, json; [print(json.dumps(ast.literal_eval(row))) for row in open('FILE')]\" > NEW"
FIND_PAIRS = "json.dumps(dict(re.findall(r'(\\w+)=(\\S+)', row)))"
PAIRS = f"python3 -c \"import json, re; [print({FIND_PAIRS}) for row in open('FILE')]\" > NEW"
JSON = [
    '{"id": "a", "ok": true}',
    '{"id": "a", "ok": false}',
    '{"id": "b", "ok": true}',
    '{"id": "b", "ok": true}',
]
PYTHON = [f"{{'id': '{row[0]}', 'ok': {row[2] == '1'}, 'why': None}}" for row in ROWS]
MARKDOWN = ["| id | correct |", "|---|:-:|", *(f"|{row.replace(',', '|')} |" for row in ROWS)]

# Content of a file → the command that the refusal prints, and the grades after it
WAYS = {
    "lists without quotation marks": ("a,[1,0]\nb,[1,1]\n", "tr -d '[]' < FILE > NEW"),
    "a call of NumPy": (
        "array([[1, 0],\n       [1, 1]])\n",
        r"grep -oE '\[[^][]*\]' FILE > NEW",
    ),
    "a matrix of NumPy": (
        "[[ True False]\n [ True  True]]\n",
        "tr -d '[].' < FILE | awk '{$1 = $1} 1' OFS=, > NEW",
    ),
    "another encoding": (
        text("id,correct", "é,1", "é,1").encode("cp1252"),
        "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW",
        [[1, 1], *GRADES],
    ),
    "an encoding of Chinese": (
        text("题号,正确", "一,1", "一,1").encode("gb18030"),
        "iconv -f GB18030 -t UTF-8 FILE > NEW",
        [[1, 1], *GRADES],
    ),
    "merged cells": (text("id,correct", rows=["a,1", ",0", "b,1", ",1"]), FILL.format(",")),
    "merged cells in quotes": (
        text("id;correct", rows=['"a; b";1', ";0", "b;1", ";1"]),
        FILL.format(";"),
    ),
    "a comment within": (text("id,correct", "a,1", "# begun anew", rows=ROWS[1:]), 'errors="skip"'),
    "a sum below": (text("id,correct", *ROWS, "Total rows: 4", rows=[]), 'errors="skip"'),
    "a row with too many cells": (text("id,correct", "c,1,fine"), 'errors="skip"'),
    "a row that was pasted twice": (
        text("id,trial,correct", "a,0,1", "a,1,0", "b,0,1", "b,0,1", "b,1,1", rows=[]),
        'errors="skip"',
    ),
    "spaces": (spaced("id,correct"), SPACES),
    "a frame that was printed": (
        text(
            "  id  correct", rows=[f"{at}  {row.replace(',', '  ')}" for at, row in enumerate(ROWS)]
        ),
        SPACES,
    ),
    "Markdown": (text(rows=MARKDOWN), SED),
    "Markdown below a heading": (text("# Results", "", rows=MARKDOWN), SED),
    "Markdown without bars around it": (text(rows=[row.strip("|") for row in MARKDOWN]), SED),
    "an open quotation mark": (
        text("id,correct", rows=['"a,1', *ROWS[1:]]),
        "tr -d '\"' < FILE > NEW",
    ),
    "comments above JSON lines": (text("// of 2026", rows=JSON), OBJECTS),
    "JSON lines that end in commas": (",\n".join([*JSON, ""]), OBJECTS),
    "a document that is cut off": ("[" + ",\n".join([*JSON, '{"id": "b"']), OBJECTS),
    "commas before braces": ("[" + ",\n".join(JSON).replace("}", ",}") + ",]", OBJECTS),
    "dictionaries of Python": (text(rows=PYTHON), EVALUATE),
    "marks in a word": (text("id,results", "a,PF", "b,PP", rows=[]), columns("id", "results")),
    "signs in a word": (text("task,outcome", "a,✓✗", "b,✔️✔️", rows=[]), columns("task", "outcome")),
    "dots of pytest": (text("task,outcome", "a,.F", "b,..", rows=[]), columns("task", "outcome")),
    "marks with semicolons": (
        text("id\tresults", "a\t1;0", "b\t1;1", rows=[]),
        columns("id", "results"),
    ),
    "words with slashes": (text("id,runs", "a,Y/N", "b,OK/pass", rows=[]), columns("id", "runs")),
    "2 of 3": (
        text("id,solved", "a,1 of 2", "b,2 of 2", rows=[]),
        columns("id", n="solved", c="solved"),
    ),
    "1/2 (50%)": (
        text("id,score", "a,1/2 (50%)", "b,2/2 (100%)", rows=[]),
        columns("id", n="score", c="score"),
    ),
    "dictionaries in cells": (
        text("id,result", *(f"{row[0]},{{'ok': {row[2] == '1'}}}" for row in ROWS), rows=[]),
        columns("id", "result.ok"),
    ),
    "JSON in cells": (
        text(
            "id\tresult", *(f'{row[0]}\t{{"why": "", "score": {row[2]}}}' for row in ROWS), rows=[]
        ),
        columns("id", "result.score"),
    ),
    "an array of NumPy": (
        text("id,results", 'a,"array([1, 0])"', 'b,"array([1., 1.], dtype=float32)"', rows=[]),
        columns("id", "results"),
    ),
    "exit codes": (
        text("id,exit_code", *(f"{row[0]},{1 - int(row[2])}" for row in ROWS), rows=[]),
        columns("id", "exit_code", {"correct": ["0"]}),
    ),
    **{
        f"faults: {name}": (
            text(f"id,{name}", *(f"{row[0]},{words[row[2] == '1']}" for row in ROWS), rows=[]),
            columns("id", name, {"correct": [words[1]]}),
        )
        for name, words in {
            "failed": ("True", "False"),
            "hallucinated": ("yes", "no"),
            "Fehler": ("ja", "nein"),
            "num_errors": "20",
        }.items()
    },
    "faults in lists": (
        '[{"id": "a", "incorrect": [false, true]}, {"id": "b", "incorrect": [false, false]}]',
        columns("id", "incorrect", {"correct": ["False"]}),
    ),
    "ids of samples": (
        text("id,correct", "a_0,1", "a_1,0", "b_0,1", "b_1,1", rows=[]),
        'columns={"problem": "id.base"}',
    ),
    "ids of samples in a column of them": (
        text("sample_id,correct", "a#0,1", "a#1,0", "b#0,1", "b#1,1", rows=[]),
        'columns={"problem": "sample_id.base"}',
    ),
    "trials by their names": (
        text(
            rows=[
                '{"id": "a", "trials": {"trial_0": 1, "trial_1": 0}}',
                '{"id": "b", "trials": {"trial_0": 1, "trial_1": 1}}',
            ]
        ),
        columns("id", "trials"),
    ),
    "objects of trials by their names": (
        text(
            rows=[
                f'{{"id": "{p}", "trials": {{"trial_0": {{"score": 1}}, "trial_1": {{"score": {v}}}}}}}'
                for p, v in ("a0", "b1")
            ]
        ),
        columns("id", "trials.score"),
    ),
    "pairs of a name and a verdict": (
        text(rows=[f'["{row[0]}", {row[2]}]' for row in ROWS]),
        columns("column 1", "column 2"),
    ),
    "a name and a list": (
        text('["a", [1, 0]]', '["b", [1, 1]]', rows=[]),
        columns("column 1", "column 2"),
    ),
    "lines of a log": (
        text(
            rows=[
                f"[2026-03-01] INFO task={row[0]} result={['FAIL', 'PASS'][int(row[2])]}"
                for row in ROWS
            ]
        ),
        PAIRS,
    ),
    "no header": (text(), columns("column 1", "column 2")),
    "numbers of samples": (
        text(
            "qid,sample,score",
            *(f"{row[0]},{at % 2},{row[2]}" for at, row in enumerate(ROWS)),
            rows=[],
        ),
        columns("qid", "score", sample="sample"),
    ),
    "runs in another language": (
        text(
            "Aufgabe;Lauf;Punkte",
            *(f"{row[0]};{at % 2};{row[2]},0" for at, row in enumerate(ROWS)),
            rows=[],
        ),
        columns("Aufgabe", "Punkte", sample="Lauf"),
    ),
}


def follow(path, code=None):
    """Refuse a file, do what the refusal says, and return its sentence and the grades."""
    with pytest.raises(InputError) as caught:
        read_samples(path)
    assert code in (None, caught.value.code)
    said = str(caught.value)
    way = re.findall("`(.*?)`", said, re.DOTALL)[-1] if "NEW" in said else ""
    if way:
        subprocess.run(way, shell=True, check=True, cwd=path.parent)
    if way:
        return said, read_samples(path.with_name("NEW")).grades
    options = re.findall('`(errors="skip"|scale=.*?|columns=.*?|where=.*?)`', said)
    options = [eval(f"dict({option})") for option in options]
    options = [reading.options for reading in caught.value.readings] or options
    return said, read_samples(path, **dict(*options[:1])).grades


@for_rows("content, way, grades", {label: (*row, GRADES)[:3] for label, row in WAYS.items()})
def test_what_a_refusal_prints_works(content, way, grades, tmp_path):
    path = tmp_path / "FILE"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    said, found = follow(path)
    assert way in said
    assert found == grades


TITLES = {
    "a title": (text("Results", "id,correct"), 1),
    "a title and a blank line": (text("Model: x", "", "id,correct"), 2),
    "a title with a comma": (
        text("Results, of March", "id;correct", rows=[row.replace(",", ";") for row in ROWS]),
        1,
    ),
    "a title of a sheet": (
        text("Results,,", ",,", "id,correct,", rows=[f"{row}," for row in ROWS]),
        2,
    ),
    "a title above a column that is empty": (
        text("Results,,", ",,", "id,correct,why", rows=[f"{row}," for row in ROWS]),
        2,
    ),
    "a title above tabs": (text("Run", "id,correct").replace(",", "\t"), 1),
    "a separator for Excel": (text("sep=;", "id,correct").replace(",", ";"), 1),
    "comments": (text("# of 2026", "# of x", "id,correct"), 2),
}
"""Tables below something else, and the number of lines above each."""


@for_rows("content, above", TITLES)
def test_lines_above_a_table_are_left_out(content, above, tmp_path):
    path = tmp_path / "FILE"
    path.write_text(content)
    samples = read_samples(path)
    assert samples.grades == GRADES
    note = next(note for note in samples.origin.notes if note.code == "note.title")
    assert note.values["count"] == above
    path.write_text(content + "c\n")
    last = content.count("\n") + 1
    with pytest.raises(InputError, match=f"line {last}"):
        read_samples(path)


def test_a_log_is_converted_to_a_table_without_a_header(tmp_path):
    (tmp_path / "FILE").write_text(
        text(rows=[f"{['FAILED', 'PASSED'][int(row[2])]} {row[0]}" for row in ROWS])
    )
    with pytest.raises(InputError, match=re.escape(f"`{SPACES}`")):
        read_samples(tmp_path / "FILE")
    subprocess.run(SPACES, shell=True, check=True, cwd=tmp_path)
    said, found = follow((tmp_path / "NEW").rename(tmp_path / "TABLE"), "standard.no_problem")
    assert "The first line names no columns, so it was read as a row" in said
    assert found == GRADES


def test_numpy_is_converted(tmp_path):
    with open(tmp_path / "FILE", "wb") as file:
        np.save(file, np.array(GRADES))
    assert follow(tmp_path / "FILE", "sources.foreign")[1] == GRADES


def data_base(path):
    with connect(path) as base:
        base.execute("create table results (id, correct)")
    base.close()


def spreadsheet(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")


FOREIGN = {
    "data": (data_base, "read_sql"),
    "sheet": (spreadsheet, "read_excel"),
    "rows.pkl": (lambda path: path.write_bytes(b"\x80\4\x95\0\0"), "read_pickle"),
    "rows.yaml": (lambda path: path.write_text("- id: a\n  ok: true\n"), "safe_load"),
    "rows.xml": (
        lambda path: path.write_text('<?xml version="1.0"?>\n<rows><row id="a" ok="1"/></rows>'),
        "read_xml",
    ),
    "page": (lambda path: path.write_text("<table>\n<tr><td>a</td></tr></table>"), "read_html"),
}


@for_rows("make, way", FOREIGN)
def test_other_layouts_are_refused_with_what_converts_them(make, way, tmp_path):
    path = tmp_path / next(name for name, case in FOREIGN.items() if case[1] == way)
    make(path)
    with pytest.raises(InputError, match=rf"`python3 -c \"import .*{way}\(.*\)\" > NEW`") as caught:
        read_samples(path)
    assert caught.value.code == "sources.foreign"


def test_junit_is_converted(tmp_path):
    cases = [("a", ""), ("b", "<failure/>"), ("c", "<skipped/>"), ("d", "<system-out/>")]
    inside = "".join(f'<testcase name="{name}">{child}</testcase>' for name, child in cases)
    (tmp_path / "FILE").write_text(
        f'<?xml version="1.0"?>\n<testsuite tests="4">{inside}</testsuite>'
    )
    assert follow(tmp_path / "FILE", "sources.foreign")[1] == [[1], [0], [None], [1]]


SUMMARIES = {
    "results.json": '{"accuracy": 0.75, "model": "m"}',
    "counts.json": '{"correct": 3, "total": 4}',
    "acc.json": '{"acc": 0.75}',
    "model.csv": "model,accuracy\nm,0.75\n",
    "one.csv": "acc,n\n0.75,4\n",
    "metrics.csv": "metric,value\npass@1,0.75\npass@2,1.0\n",
}


@for_rows("name, content", {name: (name, content) for name, content in SUMMARIES.items()})
def test_a_summary_beside_samples_is_left_out(name, content, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "samples.jsonl").write_text("\n".join(JSON))
    (folder / name).write_text(content)
    samples = read_samples(folder)
    assert samples.grades == GRADES
    assert [note.code for note in samples.origin.notes] == ["note.broken_files"]


def test_samples_without_a_problem_are_no_summary(tmp_path):
    """A program that did not compile ran no tests."""
    for name, row in {
        "a_0": '{"passed": true, "tests": [1, 1]}',
        "a_1": '{"passed": false}',
    }.items():
        (tmp_path / f"{name}.json").write_text(row)
    assert read_samples(tmp_path, columns={"problem": "file"}, pool="file").grades == [[1], [0]]


def test_a_first_row_with_an_empty_cell_is_no_title(tmp_path):
    (tmp_path / "FILE").write_text("0\t\n1\tx\n1\ty\n")
    with pytest.raises(InputError) as caught:
        read_samples(tmp_path / "FILE")
    assert caught.value.code != "tables.form"
