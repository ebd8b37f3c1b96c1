"""The intended reading is taken, or an error names the option that settles it, or a note says what was taken."""

import json
import random
import re
from itertools import product

import pytest
from cases import for_each

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples


@pytest.fixture
def write(tmp_path):
    """Write a file of JSON lines, or of the text that is given, and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (
            content
            if isinstance(content, str)
            else "".join(json.dumps(row) + "\n" for row in content)
        )
        path.write_text(text, encoding="utf-8")
        return path

    return write


def verdicts(ids=range(5), n=4, **fields):
    """List n samples of each problem; a field is a value, or a function of the problem and the sample."""
    return [
        {"id": i, "correct": (i + j) % 3 == 0}
        | {name: value(i, j) if callable(value) else value for name, value in fields.items()}
        for i, j in product(ids, range(n))
    ]


def refuse(path, code, **options):
    with pytest.raises(InputError) as caught:
        read_samples(path, **options)
    assert caught.value.code == code
    return str(caught.value)


MODELS_OR_SETS = """
llama-8b qwen-7b | llama/results qwen/results | llama-8b llama-70b | qwen1.5b qwen2.5b | gpt-4 gpt-5 |
qwen2 qwen3 | aime24 aime25 | model_v1 model_v2 | step_100 step_200 | global_step_0/r global_step_1/r |
checkpoint-1/0 checkpoint-2/0 | step/100/r step/200/r | temp0.2 temp0.8 | a b | phi-1 phi-2 | gpt1 gpt2 |
qwen0 qwen1 | model_0 model_1 | model_1 model_2 | level1 level2 | temp0 temp1 | temperature=0 temperature=1 |
prompt_0 prompt_1 | config_0/r config_1/r | exp_0 exp_1 | 0-shot 1-shot | 0shot 1shot | 100 200 |
outputs/100 outputs/200 | 7/r 42/r | qwen_1/r qwen_3/r | run_0 run_0_retry | gpt-4-2024-05-13 gpt-4-2024-08-06 |
gpt-4o-2024-05-13/r_0 gpt-4o-2024-08-06/r_0 | claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022
"""
"""Pairs of names of files that may be of two models, settings or sets of problems."""


def test_other_questions_under_the_same_ids(tmp_path, write):
    for name in ("run_0", "run_1"):
        write(f"{name}.jsonl", verdicts(question=lambda i, j, name=name: f"question {i} of {name}"))
    said = refuse(tmp_path, "merging.questions")
    assert all(
        words in said for words in ("Problem “0”", "“question 0 of run_1” in", 'pool="file"')
    )
    assert read_samples(tmp_path, pool="file").n.tolist() == [8] * 5


def test_two_sets_of_problems(write):
    paths = [
        write(f"{name}.jsonl", verdicts(question=f"of {name}")) for name in ("aime24", "math500")
    ]
    refuse(paths, "merging.questions", columns={"group": None})
    refuse([write(path.name, verdicts()) for path in paths], "merging.names")
    asked = ([{"role": "user", "content": name}] for name in "01")
    refuse(
        [write(f"run_{i}.jsonl", verdicts(messages=each)) for i, each in enumerate(asked)],
        "merging.questions",
    )


@for_each(
    "one, other", [[f"{name}.jsonl" for name in pair.split()] for pair in MODELS_OR_SETS.split("|")]
)
def test_names_of_models_or_sets(write, one, other):
    paths = [write(name, verdicts()) for name in (one, other)]
    said = refuse(paths, "merging.names")
    one, other = (
        re.sub("^(step|outputs)/", "", name) for name in (one, other)
    )  # the folder of both is not named
    assert f"{one} and {other} may be of two models" in said.replace("\\", "/")
    assert 'pool="file"' in said
    merged = read_samples(paths, pool="file")
    assert merged.n.tolist() == [8] * 5
    assert f"{one}, {other}. Problems in each: 5. Samples of a problem in each: 4." in str(
        merged.origin.notes[0]
    )


RUNS = """
run_0 run_1 | run_1/results run_2/results | output-rs3 output-rs11 | seed=1 seed=42 |
qwen2.5-7b_sample_0 qwen2.5-7b_sample_1 | Trial~1 Trial~2
"""
"""Pairs of names of files that are of two runs."""


@for_each(
    "pair",
    [[name.replace("~", " ") + ".jsonl" for name in pair.split()] for pair in RUNS.split("|")],
)
def test_names_of_runs(write, pair):
    samples = read_samples([write(name, verdicts()) for name in pair])
    assert samples.n.tolist() == [8] * 5
    assert f": {', '.join(pair)}." in str(samples.origin.notes[0])


def test_many_files_are_named_in_short(write):
    paths = [write(f"run_{i}.jsonl", verdicts(n=1 + i % 2)) for i in range(12)]
    assert str(read_samples(paths).origin.notes[0]) == (
        "Read 12 files as samples of one model on the same problems: "
        + "".join(f"run_{i}.jsonl, " for i in range(9))
        + "…, run_11.jsonl. Problems in each: 5. Samples of a problem in each: 1 to 2."
    )


@for_each("column", ["model", "model_path", "model_name_or_path", "model_version", "ckpt", "step"])
def test_models_that_the_user_pools(write, column):
    ends = ("/checkpoints/of/a/training/run/and/its/steps/" + name for name in "xy")
    paths = [write(f"{i}.jsonl", verdicts(**{column: end})) for i, end in enumerate(ends)]
    assert f'pool="{column}"' in refuse(paths, "merging.models")
    assert read_samples(paths, pool=column).n.tolist() == [8] * 5


@for_each(
    "layout, column",
    [
        *product(("jsonl", "csv"), ("dataset", "data_source", "benchmark", "task", "meta.dataset")),
        ("large.jsonl", "meta.dataset"),
    ],
)
def test_sets_that_are_named_in_each_file(write, layout, column):
    paths = []
    for i, name in enumerate(("gsm8k", "aime")):
        rows = verdicts(n=1300 if layout == "large.jsonl" else 2)
        *outer, last = column.split(".") if layout != "csv" else [column]
        rows = [
            row | ({outer[0]: {last: name}} if outer else {last: name, "text": "-" * 900})
            for row in rows
        ]
        text = f"id,correct,{column}\n" + "".join(
            f"{row['id']},{row['correct']},{name}\n" for row in rows
        )
        paths.append(write(f"run_{i}.{layout}", text if layout == "csv" else rows))
    said = refuse(paths, "merging.subject")
    assert f"not of the same {column}: “gsm8k”" in said
    assert 'where={"file": "run_0.' in said


@for_each("field, nest, count", [
    ("provider.label", lambda name: {"provider": {"id": "exec", "label": name}}, 1),
    ("provider.id", lambda name: {"provider": {"id": name}}, 1),
    ("meta.model", lambda name: {"meta": {"model": name, "n": 1}}, 1),
    ("meta.config.model_name", lambda name: {"meta": {"config": {"model_name": name}}}, 1),
    ("a.b.c.d.model", lambda name: {"a": {"b": {"c": {"d": {"model": name}}}}}, 1),
    ("calls.model", lambda name: {"calls": [{"model": name, "n": 1}, {"model": name}, {}]}, 1),
    ("meta.ckpt", lambda name: {"meta": {"ckpt": name}}, 1),
    ("meta.benchmark", lambda name: {"meta": {"benchmark": name}}, 4),
    ("a.b.model", lambda name: {"a": {"b": {"model": name}}}, 10),
    ("a.model", lambda name: {"a": [{"model": name}]}, 10),
])  # fmt: skip
def test_several_models_within_objects(write, field, nest, count):
    path = write("f.jsonl", [row | nest(name) for name in ("x", "y") for row in verdicts(n=count)])
    assert f'where={{"{field}": "x"}}' in refuse(path, "models.settings")
    chosen = read_samples(path, where={field: "y"})
    assert (chosen.n.tolist(), chosen.origin.subject[field]) == ([count] * 5, "y")
    assert read_samples(path, pool=field).n.tolist() == [2 * count] * 5


def table(*rows):
    return "\n".join(["id,correct", *rows, ""])


ALIKE = [
    *(("p" + end, "p") for end in (" ", "\t", "\N{NO-BREAK SPACE}")),
    ("a b", "a\N{NO-BREAK SPACE}b"), ("ab", "a\N{ZERO WIDTH SPACE}b"), ("ab", "\N{ZERO WIDTH NO-BREAK SPACE}ab"),
    ("caf\u00e9", "cafe\N{COMBINING ACUTE ACCENT}"), ("1", "1.0"), ("1.00", "1.0"),
]  # fmt: skip
"""Pairs of names that look the same."""


@for_each("one, other", ALIKE)
def test_names_that_look_the_same(write, one, other):
    said = refuse(write("f.csv", table("x,1", f"{one},1", f"{other},0")), "samples.white_space")
    assert "line 4, column “id”" in said


def test_names_that_look_the_same_in_files_of_a_harness(write):
    row = {"completion": "", "passed": True, "result": "passed"}
    refuse(
        write("f.jsonl", [{"task_id": "a", **row}, {"task_id": "a ", **row}]), "samples.white_space"
    )


@for_each(
    "rows",
    [
        *(f"{one},1 {other},0" for one, other in [("x²", "x2"), ("é", "e"), ("a~b", "ab")]),
        "a\N{NO-BREAK SPACE},1 a\N{NO-BREAK SPACE},0 b,1",  # white space that all have
        # Problems that have the names of rows that sum up.
        *(
            "total,1 mean,0",
            "a,1 mean,1 b,0",
            "a,1 mean~1,1",
            "a,1 mean,1 mean,0",
            "mean,1 mean,0",
            "a,1 meaning,1",
        ),
    ],
)
def test_names_that_differ(write, rows):
    rows = [row.replace("~", " ") for row in rows.split(" ")]
    assert read_samples(write("f.csv", table(*rows))).problems == list(
        dict.fromkeys(row[:-2] for row in rows)
    )


@for_each(
    "name, n",
    product(
        [
            "mean",
            "Average",
            "TOTAL",
            "all",
            "Mean:",
            "accuracy",
            "Overall accuracy",
            "_mean_",
            "std",
            "pass@1",
            "平均",
        ],
        [1, 4],
    ),
)
def test_a_row_that_sums_up(write, name, n):
    rows = [f"p{i},{j % 2}" for i in range(6) for j in range(n)]
    said = refuse(write("f.csv", table(*rows, f"{name},0.5")), "structure.summary")
    assert f"“{name}”" in said
    assert f"line {6 * n + 2}, column “id”" in said
    assert "line 2, column “id”" in refuse(
        write("f.csv", table(f"{name},0.5", *rows)), "structure.summary"
    )
    refuse(write("f.csv", table(*rows, f"{name},0.5", "sum,0.1")), "structure.summary")


def chat(column, i, question):
    asked = [{"role": "system", "content": "Solve."}, {"role": "user", "content": question}]
    return asked + (
        [{"role": "assistant", "content": f"answer {i}"}] if column == "messages" else []
    )


ASKED = {
    **dict.fromkeys(
        ["question", "Prompt", "input", "Query", "problem_text", "example", "instruction"]
    ),
    **dict.fromkeys(["inputs.question", "inputs.text", "example.input"]),
    **dict.fromkeys(["messages", "prompt", "input of chats"], chat),
}
"""Columns that hold questions, and what makes their cells."""


@for_each("column", ASKED)
def test_an_id_for_each_sample_or_for_several_questions(write, column):
    make, column = ASKED[column] or (lambda *cell: cell[-1]), column.partition(" ")[0]
    rows = [
        {"id": i, column: make(column, i, f"question {i % 6}"), "correct": i % 2} for i in range(24)
    ]
    for m in (24, 3):
        path = write("f.jsonl", [row | {"id": i % m} for i, row in enumerate(rows)])
        said = refuse(path, "plain.questions")
        assert f'columns={{"problem": "{column}"}}' in said
        assert 'columns={"problem": "id"}' in said
        assert read_samples(path, columns={"problem": "id"}).n.tolist() == [24 // m] * m
        assert read_samples(path, columns={"problem": column}).n.tolist() == [4] * 6
    path = write("f.jsonl", [row | {"id": i % 6} for i, row in enumerate(rows)])
    assert read_samples(path).n.tolist() == [4] * 6


@for_each(
    "fields",
    [
        {"instruction": "Solve."},
        {"instruction": "Solve.", "input": ""},
        {"instruction": lambda i, j: f"Do {i % 2}.", "input": lambda i, j: f"input {i}"},
        {"question": lambda i, j: f"question {i % 20}"},  # two are there twice
    ],
)
def test_what_all_questions_share_is_no_question(write, fields):
    assert read_samples(write("f.jsonl", verdicts(range(24), 1, **fields))).n.tolist() == [1] * 24


def test_an_instruction_for_several_inputs(write):
    asked = {"instruction": lambda i, j: f"Do {i % 2}.", "input": lambda i, j: f"input {i % 6}"}
    path = write("f.jsonl", verdicts(range(24), 1, **asked))
    assert 'columns={"problem": "input"}' in refuse(path, "plain.questions")


@for_each("count", [2, 1300])  # read by rows, and by columns
def test_rows_that_are_left_out_ask_nothing(write, count):
    asked = {
        name: verdicts(
            n=count, benchmark=name, question=lambda i, j, name=name: f"{i} of {name}" + "-" * 500
        )
        for name in "xy"
    }
    path = write("f.jsonl", [row for pair in zip(*asked.values(), strict=True) for row in pair])
    refuse(path, "models.settings")
    refuse(path, "plain.questions", pool="benchmark")
    assert read_samples(path, where={"benchmark": "y"}).n.tolist() == [count] * 5
    assert (
        read_samples(path, pool="benchmark", columns={"problem": "question"}).n.tolist()
        == [count] * 10
    )


def test_verdicts_that_contradict_each_other(write):
    path = write("f.jsonl", verdicts(passed=lambda i, j: (i + j) % 3 == 1))
    said = refuse(path, "plain.two_verdicts")
    assert "in 14 of 20 samples, first at line 1, column “correct”" in said
    assert 'columns={"grades": "correct"}' in said
    assert 'columns={"grades": "passed"}' in said
    assert read_samples(path, columns={"grades": "passed"}).grades[0] == [0, 1, 0, 0]
    assert read_samples(path, columns={"grades": "correct"}).grades[0] == [1, 0, 0, 1]
    path = write(
        "f.jsonl", [{"id": i, "correct": [1, 0, None], "passed": [1, i, 1]} for i in range(2)]
    )
    assert "in 1 of 6 samples, first at line 2, column “correct”, sample 2" in refuse(
        path, "plain.two_verdicts"
    )
    agreeing = write(
        "f.jsonl", verdicts(grade=lambda i, j: 0.9 if (i + j) % 3 == 0 else 0.2, verdict="B")
    )
    assert read_samples(agreeing).grades[0] == [1, 0, 0, 1]


@for_each(
    "grades, correct_above, is_noted",
    [
        *(([0.5, 0.5], 0.5, True), ([0.5, 0], 0.5, True)),
        *(([0.5, 0.5], 0.4, False), ([0, 0], 0.5, False), ([1, 0], 0.5, False)),
    ],
)
def test_no_grade_above_the_cut(write, grades, correct_above, is_noted):
    report = at_k.score(
        write("f.jsonl", [{"id": i, "grades": grades} for i in range(3)]),
        correct_above=correct_above,
    )
    said = [str(note) for note in report.notes if note.code == "note.low_grades"]
    assert bool(said) == is_noted
    assert all("by `correct_above=0.5`: the highest grade is 0.5." in each for each in said)


LOST_ROWS = {"25×8": (25, 4), "5×4": (5, 2), "25×2": (25, 1)}
"""Problems, and samples of each with each value of a setting."""


@for_each("values", [(True, False), ("yes", "no"), (0, 1), ("a", "b")])
@for_each("size", LOST_ROWS)
def test_a_setting_is_asked_about_where_a_row_is_lost(size, values):
    n_problems, n = LOST_ROWS[size]
    plan = product(range(n_problems), values, range(n))
    rows = [{"id": p, "think": value, "correct": value == values[1]} for p, value, _ in plan]
    with pytest.raises(at_k.InputError, match="think"):
        at_k.score(rows[:-1])


@for_each("shares", [(0.5, 0.5), (0.1, 0.1), (0.0, 0.8)])
def test_flags_of_samples_are_no_settings(shares):
    draw = random.Random(7).random
    rows = [{"id": p, "correct": draw() < 0.5} for p in range(30) for _ in range(6)]
    flags = [{"unbalanced": draw() < shares[row["correct"]]} for row in rows]
    assert at_k.score([row | flag for row, flag in zip(rows, flags, strict=True)][:-1])


@pytest.mark.parametrize(
    ("order", "place"),
    [
        ([*range(30), *range(12)], "from line 1 on once more from line 31 to line 42,"),
        ([*range(12), *range(30)], "from line 1 on once more from line 13 to line 24,"),
        ([*range(20), *range(15, 30)], "from line 16 on once more from line 21 to line 25,"),
    ],
)
@pytest.mark.parametrize("by_run", [False, True])
def test_a_resumed_run_that_repeats_some_samples_is_asked_about(order, place, by_run):
    places = list(product(range(10), range(3)))
    if by_run:
        places.sort(key=lambda place: place[1])
    rows = [
        {"id": f"q{p}", "response": f"the {i} of {p} is {p**7 + i}", "correct": (p + i) % 3 == 0}
        for p, i in places
    ]
    assert at_k.score(rows)
    repeated = [rows[place] for place in order]
    with pytest.raises(at_k.InputError, match=place):
        at_k.score(repeated)
    assert at_k.score(repeated, pool="file")


def test_equal_answers_of_several_runs_are_no_repetition():
    answers = [*"12345", *"12345", *"12846"]
    rows = [
        {"id": p % 5, "answer": answer, "target": str(p % 5 + 1)}
        for p, answer in enumerate(answers)
    ]
    assert at_k.score(rows)
