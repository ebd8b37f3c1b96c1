"""The commands `diagnose`, `select`, `plot`, `convert` and `formats`: what they print and write."""

import json
import os
import re
import shlex

import pytest
from cases import for_each

import at_k
from at_k.readers.formats import FORMATS


def test_three_findings_are_printed_and_all_where_asked(run, qwen):
    first = run("diagnose", qwen).stdout
    assert len(re.findall(r"^- ", first.partition("Problems that flake")[0], re.MULTILINE)) == 3
    done = run("diagnose", qwen, "--all")
    assert done.exit_code == 0
    words = " ".join(done.stdout.split())
    sentences = at_k.diagnose(qwen).sentences
    assert len(sentences) > 5
    for each in sentences:
        assert f"- {each}" in words
    assert "diagnosis." not in words
    assert f"Further findings: {len(sentences) - 3}" in first
    assert "This must be a mistake" not in done.stdout


FILES = {
    "wrong.jsonl": [{"id": 1, "answers": ["b", "b"], "reference": "a"}],
    "missing.jsonl": [{"id": 1, "answers": ["b", "b"], "correct": [1, None]}],
    "graded.jsonl": [{"problem": p, "grades": [1] * c + [0] * (4 - c)} for p, c in (("a", 4), ("b", 1), ("c", 0))],
    **{f"{name}.jsonl": [{"id": f"q{i}", "correct": [1] * c + [0] * (4 - c)} for i, c in enumerate(counts * 5)]
       for name, counts in (("a", [4, 4, 3, 4]), ("b", [1, 0, 2, 3]))},
    **{f"m{p}b.jsonl": [{"id": i, "correct": [i % (p + 1) < p, 1], "usd": [1, 2]} for i in range(6)] for p in (1, 2)},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(make_folder):
    return make_folder(FILES)


def test_mistakes_stand_first_and_once(ask):
    done = ask("diagnose wrong.jsonl")
    headings = re.findall(r"^[A-Z].*$", done.stdout, re.MULTILINE)
    assert headings[:2] == ["This must be a mistake", "What the numbers say"]
    assert done.stdout.count("No answer is correct") == 1
    assert done.exit_code == 0


def test_options_of_the_command_are_named(ask):
    assert ask("diagnose missing.jsonl").exit_code == 2
    done = ask("diagnose missing.jsonl --missing drop -k 1 --all")
    assert "How they were read" in done.stdout
    assert "left out: 1" in done.stdout


def test_json_and_markdown(run, qwen):
    done = run("diagnose", qwen, "--format", "json")
    assert json.loads(done.stdout) == at_k.diagnose(qwen, groups=False).to_dict()
    assert (
        run("diagnose", qwen, "--format", "markdown").stdout
        == f"{at_k.diagnose(qwen).to_markdown()}\n"
    )


def test_names_and_rows(ask):
    done = ask("select graded.jsonl --where '0.1 <= avg <= 0.9'")
    assert (done.stdout, done.stderr) == ("b\n", "")
    assert ask("select graded.jsonl --where 'avg <= 0.9'").stdout == "b\nc\n"
    done = ask("select graded.jsonl --where 'pass@3 > 0.5 and pass@2 < 1' --format jsonl")
    values = at_k.pass_at_k([4], [1], k=[2, 3])[0].tolist()
    assert json.loads(done.stdout) == {
        "problem": "b",
        "n": 4,
        "c": 1,
        "pass@2": values[0],
        "pass@3": values[1],
    }


def test_rows_and_several_conditions_hold_together(ask, tmp_path):
    rows = [
        {"model": model, "task": task, "correct": correct, "split": split}
        for model, split, right in (
            ("A", "x", [1, 0, 1]),
            ("A", "y", [0, 0, 0]),
            ("B", "x", [0, 1, 1]),
        )
        for task, correct in zip("pqr", right, strict=True)
    ]
    path = tmp_path / "flat.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    chosen = "--where model=A --where split=x"
    assert ask(f"select {path} {chosen} --where 'avg >= 0.9'").stdout == "p\nr\n"
    assert ask(f"select {path} --where 'avg >= 0.9' --where model!=A").stdout == "q\nr\n"
    both = ask(f"select {path} --where 'avg > 0' --where 'avg < 0.6' --where split=x --pool model")
    assert both.stdout == "p\nq\n"
    drawn = ask(f"select {path} {chosen} --audit 3").stdout
    assert len(drawn.splitlines()) == 4
    assert "Say which problems" in ask(f"select {path} --where model=A").said
    offered = ask(f"select {path} --where 'avg >= 0.9' --where split=x").stderr.splitlines()
    one = "--where 'avg >= 0.9' --where split=x --where model=A"
    assert sum(line.endswith(one) for line in offered) == 1


def test_the_title_names_the_file(run, qwen, tmp_path):
    picture = tmp_path / "x.svg"
    run("plot", qwen, "-o", picture)
    assert "<dc:title>qwen25_math.jsonl: 100 problems × 8 samples</dc:title>" in picture.read_text(
        encoding="utf-8"
    )
    run("plot", qwen, "-o", picture, "--title", "<A> & $b$")
    assert "<dc:title>&lt;A&gt; &amp; $b$</dc:title>" in picture.read_text(encoding="utf-8")


def test_a_picture_is_written_and_its_notes_are_said(run, human_eval, tmp_path):
    path = tmp_path / "x.pdf"
    done = run("plot", human_eval, "-o", path, columns=200)
    assert (done.exit_code, done.stdout) == (0, "")
    *notes, written = done.stderr.splitlines()
    assert notes[-1].startswith("- 95 % confidence intervals")
    assert written == f"Wrote {path}"
    assert (os.listdir(tmp_path), path.read_bytes()[:4]) == ([path.name], b"%PDF")


BUDGET = "Simulated, since costs differ: an error of at most 0.0"


@for_each("typed, drawn, said", [
    ("a.jsonl b.jsonl --kind difference -m pass@k", ["a.jsonl − b.jsonl"],
     "a.jsonl is better in pass@k for k = 1–3."),
    ("m1b.jsonl m2b.jsonl --models", ["m1b.jsonl", "m2b.jsonl"], ""),
    ("m1b.jsonl m2b.jsonl --kind matrix", ["m1b.jsonl", "m2b.jsonl", "2 models × 6 problems"], ""),
    ("m1b.jsonl m2b.jsonl --kind budget", ["m1b.jsonl", "m2b.jsonl", "in samples"], ""),
    ("m1b.jsonl --kind budget --columns cost=usd", ["in cost"], BUDGET),
])  # fmt: skip
def test_pictures_of_each_kind(ask, tmp_path, typed, drawn, said):
    done = ask(f"plot {typed} --out {tmp_path / 'p.svg'}")
    assert done.exit_code == 0, done.output
    picture = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert [words for words in drawn if words not in picture] == []
    assert said in done.said


# Conversion to Every Eval Ever, from which the same numbers follow

TO = ("--to", "every-eval-ever")


def test_the_same_numbers_follow(run, qwen, tmp_path):
    said = run(
        "convert", qwen, *TO, "--model", "Qwen/Qwen2.5", "--dataset", "math", "--out", tmp_path
    )
    assert said.exit_code == 0, said.output
    (written,) = tmp_path.glob("data/math/Qwen/Qwen2.5/*_samples.jsonl")
    report, again = at_k.score(qwen), at_k.score(written)
    assert again.values == {
        key: value for key, value in report.values.items() if key in again.values
    }
    assert set(report.metrics) - set(again.metrics) == {
        "best_at_k"
    }  # the format has no field for scores
    record = json.loads(
        (written.parent / written.name.replace("_samples.jsonl", ".json")).read_text()
    )
    found = {
        result["metric_config"]["metric_name"]: result["score_details"]["score"]
        for result in record["evaluation_results"]
        if result["evaluation_name"] == "math"
    }
    assert found == report.values


@for_each(
    "given, missing", [((), "model"), (("--model", "a"), "dataset"), (("--dataset", "b"), "model")]
)
def test_names_are_asked_for(run, qwen, given, missing, tmp_path):
    said = run("convert", qwen, *TO, *given, "--out", tmp_path)
    assert (said.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert f"do not say which {missing} they are of" in said.said


@pytest.mark.parametrize("columns", [40, 80])
def test_every_format_is_listed(run, columns):
    done = run("formats", columns=columns)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    for each in FORMATS.values():
        assert (
            f"{each.name} · {each.title} file {each.file} samples {' '.join(each.samples.split())}"
            in shown
        )


@pytest.mark.parametrize("name", FORMATS)
def test_one_format_has_a_line_to_copy(run, name):
    done = run("formats", name)
    assert done.exit_code == 0
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("score "))
    words = shlex.split(line)
    assert words[:3] == ["score", "at-k", "score"]
    assert len(words) == 4
    assert not set(words[3]) & set("{} ")
