"""The commands `diagnose`, `select`, `plot`, `convert` and `formats`: what they print and write."""

import json
import os
import re
import shlex

import pytest

import at_k
from at_k.readers.formats import FORMATS


def test_every_sentence_is_printed_with_its_rule(run, qwen):
    done = run("diagnose", qwen)
    assert done.exit_code == 0
    words = " ".join(done.stdout.split())
    sentences = at_k.diagnose(qwen).sentences
    assert len(sentences) > 5
    for each in sentences:
        assert f"- {each} [{each.code}]" in words
    assert "This must be a mistake" not in done.stdout


def test_mistakes_stand_first_and_once(run, write):
    done = run("diagnose", write({"id": 1, "answers": ["b", "b"], "reference": "a"}))
    headings = re.findall(r"^[A-Z].*$", done.stdout, re.MULTILINE)
    assert headings[:2] == ["This must be a mistake", "What the numbers say"]
    assert done.stdout.count("note.no_match") == 1
    assert done.exit_code == 0


def test_options_of_the_command_are_named(run, write):
    path = write({"id": 1, "answers": ["b", "b"], "correct": [1, None]})
    assert run("diagnose", path).exit_code == 1
    done = run("diagnose", path, "--missing", "drop", "-k", "1")
    assert "How they were read" in done.stdout
    assert "left out: 1" in done.stdout


def test_json_and_markdown(run, qwen):
    done = run("diagnose", qwen, "--format", "json")
    assert json.loads(done.stdout) == at_k.diagnose(qwen, groups=False).to_dict()
    assert run("diagnose", qwen, "--format", "markdown").stdout == f"{at_k.diagnose(qwen).to_markdown()}\n"


# Selections


def test_names_and_rows(run, tmp_path):
    data = {"a": [1, 1, 1, 1], "b": [1, 0, 0, 0], "c": [0, 0, 0, 0]}
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps({"problem": name, "grades": grades}) + "\n" for name, grades in data.items()))
    done = run("select", path, "--where", "0.1 <= avg <= 0.9")
    assert (done.stdout, done.stderr) == ("b\n", "")
    assert run("select", path, "--where", "avg <= 0.9", "--confident").stdout == "b\nc\n"
    done = run("select", path, "--where", "pass@3 > 0.5 and pass@2 < 1", "--format", "jsonl")
    values = at_k.pass_at_k([4], [1], k=[2, 3])[0].tolist()
    assert json.loads(done.stdout) == {"problem": "b", "n": 4, "c": 1, "pass@2": values[0], "pass@3": values[1]}


# Pictures, whose content is tested in test_plots.py


def test_the_title_names_the_file(run, qwen, tmp_path):
    picture = tmp_path / "x.svg"
    run("plot", qwen, "-o", picture)
    assert "<dc:title>qwen25_math.jsonl: 100 problems × 8 samples</dc:title>" in picture.read_text(encoding="utf-8")
    run("plot", qwen, "-o", picture, "--title", "<A> & $b$")
    assert "<dc:title>&lt;A&gt; &amp; $b$</dc:title>" in picture.read_text(encoding="utf-8")


def test_notes_are_said(run, human_eval, tmp_path):
    done = run("plot", human_eval, "-o", tmp_path / "x.svg", columns=200)
    assert done.stdout == ""
    *notes, written = done.stderr.splitlines()
    assert notes[-1] == "- best@k is left out: it needs a score for every sample."
    assert written == f"Wrote {tmp_path / 'x.svg'}"
    assert os.listdir(tmp_path) == ["x.svg"]


def test_the_difference_of_two_models(run, write, tmp_path):
    counts = {"a": [4, 4, 3, 4] * 5, "b": [1, 0, 2, 3] * 5}
    files = [
        write(*({"id": f"q{i}", "correct": [1] * c + [0] * (4 - c)} for i, c in enumerate(own)), name=f"{name}.jsonl")
        for name, own in counts.items()
    ]
    out = tmp_path / "difference.svg"
    done = run("plot", *files, "--kind", "difference", "-m", "pass@k", "--out", out)
    assert done.exit_code == 0
    assert "a.jsonl is better in pass@k for k = 1–3." in " ".join(done.output.split())
    assert "a.jsonl − b.jsonl" in out.read_text()


def test_several_models_are_drawn_in_one_figure(run, write, tmp_path):
    files = [
        write(*({"id": i, "correct": [i % (p + 1) < p, 1]} for i in range(6)), name=f"m{p}b.jsonl") for p in (1, 2)
    ]
    out = tmp_path / "p.svg"
    assert run("plot", *files, "--models", "--out", out).exit_code == 0
    drawn = out.read_text()
    assert "m1b.jsonl" in drawn
    assert "m2b.jsonl" in drawn


def test_a_matrix_and_budgets_of_two_models(run, write, tmp_path):
    rows = [[{"id": i, "correct": [i % (p + 1) < p, 1], "usd": [1, 2]} for i in range(6)] for p in (1, 2)]
    files = [write(*own, name=f"m{place}b.jsonl") for place, own in enumerate(rows)]
    out = tmp_path / "p.svg"
    for kind, said in {"matrix": "2 models × 6 problems", "budget": "in samples"}.items():
        assert run("plot", *files, "--kind", kind, "--out", out).exit_code == 0
        drawn = out.read_text()
        assert all(words in drawn for words in ("m0b.jsonl", "m1b.jsonl", said))
    done = run("plot", files[0], "--kind", "budget", "--columns", "cost=usd", "--out", out)
    assert done.exit_code == 0, done.output
    assert "in cost" in out.read_text()
    assert "Simulated, since costs differ: an error of at most 0.0" in " ".join(done.output.split())


# Conversion to Every Eval Ever, from which the same numbers follow

TO = ("--to", "every-eval-ever")


def test_the_same_numbers_follow(run, qwen, tmp_path):
    said = run("convert", qwen, *TO, "--model", "Qwen/Qwen2.5", "--dataset", "math", "--out", tmp_path)
    assert said.exit_code == 0, said.output
    (written,) = tmp_path.glob("data/math/Qwen/Qwen2.5/*_samples.jsonl")
    report, again = at_k.score(qwen), at_k.score(written)
    assert again.values == {key: value for key, value in report.values.items() if key in again.values}
    assert set(report.metrics) - set(again.metrics) == {"best_at_k"}  # the format has no field for scores
    record = json.loads((written.parent / written.name.replace("_samples.jsonl", ".json")).read_text())
    found = {
        result["metric_config"]["metric_name"]: result["score_details"]["score"]
        for result in record["evaluation_results"]
        if result["evaluation_name"] == "math"
    }
    assert found == report.values


@pytest.mark.parametrize(
    ("given", "missing"), [((), "model"), (("--model", "a"), "dataset"), (("--dataset", "b"), "model")]
)
def test_names_are_asked_for(run, qwen, given, missing, tmp_path):
    said = run("convert", qwen, *TO, *given, "--out", tmp_path)
    assert said.exit_code == 2
    assert f"do not say which {missing} they are of" in said.said
    assert list(tmp_path.iterdir()) == []


# The list of formats


@pytest.mark.parametrize("columns", [40, 80])
def test_every_format_is_listed(run, columns):
    done = run("formats", columns=columns)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    for each in FORMATS.values():
        assert f"{each.name} · {each.title} file {each.file} samples {' '.join(each.samples.split())}" in shown


@pytest.mark.parametrize("name", FORMATS)
def test_one_format_has_a_line_to_copy(run, name):
    done = run("formats", name)
    assert done.exit_code == 0
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("score "))
    words = shlex.split(line)
    assert words[:3] == ["score", "at-k", "score"]
    assert len(words) == 4
    assert not set(words[3]) & set("{} ")
