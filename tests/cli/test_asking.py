"""Whatever a refusal prints to copy is a whole command that runs, and gives what is printed below it."""

import json
import re
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from readers.scoreboard import unpack

import at_k

# Refusals of 32 files of `tests/data/cases` → the place of the right command among those that are printed.
REFUSED = {
    "harness_plain": "412_braintrust.json:0 413_langsmith.csv:0 423_weave_calls.jsonl:0 418_openr1_generations.jsonl:0",
    "plain": "12_wide_s.csv:0 16a_footer.csv:0 16b_footer.csv:0 16c_footer.csv:0 16g_footer.csv:0 28_slash.csv:0 "
    "34_minus1.csv:0 37_hundred.csv:0 42n_two_seed.jsonl:0 44_subset_ids.jsonl:1 45_year_ids.jsonl:3 "
    "53_shards_restart:0 54_shards_restart_q:0 114_meta_top.json:0 115_meta_list.json:0 121_nested3.json:0 "
    "15f_words.csv:0 15m_words.csv:0 15p_words.csv:0 17a_inverse.csv:0 17b_inverse.csv:0 17f_inverse.csv:0 "
    "17h_inverse.csv:0 184_strlist_json.csv:0 186_bitstring.csv:0",
    "plain2": "315_header_again.csv:0 316_header_again_passed.csv:0 323_dict_mean.json:0 324_dict_overall.json:0",
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """The folder of the files, unpacked, and what is wanted of each."""
    folder = tmp_path_factory.mktemp("cases")
    return {path: expected["want"] for path, expected in unpack(folder)}


def list_offers(text):
    """List the commands that were printed, each with the line below it."""
    lines = text.splitlines()
    return [
        (line.strip(), below.strip())
        for line, below in pairwise(lines)
        if line.startswith("  at-k ")
    ]


@pytest.mark.parametrize("part", REFUSED)
def test_printed_commands_are_whole_run_and_give_the_right_number(run, cases, part):
    folder = next(path.parent for path in cases if path.parent.name == part)
    for name, right in (entry.rsplit(":", 1) for entry in REFUSED[part].split()):
        path = folder / name
        asked = run("score", path, "--metrics", "pass@1,avg@n", "--ci", "none")
        assert (asked.exit_code, asked.stdout) == (2, "")
        outcomes = []
        for command, outcome in list_offers(asked.stderr):
            typed, *words = shlex.split(command)
            assert (typed, words[:6]) == (
                "at-k",
                ["score", str(path), "--metrics", "pass@1,avg@n", "--ci", "none"],
            )
            done = run(*words, "--format", "json")
            assert done.exit_code == 0, command
            outcomes.append(gives(json.loads(done.stdout), cases[path]))
            check_outcome(json.loads(done.stdout), outcome)
        assert 0 < len(outcomes) <= 4
        assert outcomes.index(True) == int(right), name


def gives(found, want):
    """Return whether a report has the wanted numbers of problems, and pass@1."""
    if "models" in found:
        return False
    values = {"M": found["n_problems"], **found["values"]}
    return all(abs(values[key] - want[key]) < 1e-9 for key in want if key in values)


def check_outcome(found, outcome):
    """Check that a report has the problems and the value that a question told."""
    for problems, value in re.findall(r"^([\d,]+) problems.*pass@1 ([\d.]+) %(?! by)", outcome):
        assert found["n_problems"] == int(problems.replace(",", ""))
        assert abs(100 * found["values"]["pass@1"] - float(value)) < 0.051  # one decimal


ROWS = [
    {"task": f"t{i % 5}", "model": "mn"[i % 2], "correct": int(i * i % 7 > 2)} for i in range(60)
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files of two models."""
    monkeypatch.chdir(tmp_path)
    write = {"two.jsonl": ROWS, "m.jsonl": ROWS[::2], "n.jsonl": ROWS[1::2]}
    # Truth values of JSON, and a name that begins as an option does.
    write["-thinks.jsonl"] = [{**row, "model": row["model"] == "m"} for row in ROWS]
    write["arms.jsonl"] = [
        {"task": row["task"], "arm": row["model"], "correct": row["correct"]} for row in ROWS
    ]
    write["samples.jsonl"] = [{"task_id": "HumanEval/0", "completion": "    return 1"}] * 2
    write |= {f"runs/{name}": write[name] for name in ("m.jsonl", "n.jsonl")}
    (tmp_path / "runs").mkdir()
    for name, rows in write.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("typed", [
    "score two.jsonl --metrics pass@1", "score runs --metrics pass@1", "score m.jsonl n.jsonl --columns problem=task",
    "compare two.jsonl two.jsonl --metrics pass@1", "compare two.jsonl m.jsonl",
    "gate two.jsonl --require pass@1>=0.3", "plan two.jsonl", "select two.jsonl --where avg>=0.5",
    "tally two.jsonl --out t.json", "plot two.jsonl --out p.svg", "score --metrics pass@1 -- -thinks.jsonl",
])  # fmt: skip
def test_models_are_answered_by_commands_that_run(run, folder, typed):
    asked = run(*shlex.split(typed))
    offers = list_offers(asked.stderr)
    assert (asked.exit_code, len(offers) > 1) == (2, True)
    for command, _ in offers:
        done = run(*shlex.split(command)[1:])
        assert done.exit_code in (0, 1, 3), (command, done.said)
    if typed.startswith(("score", "plot")):
        assert "--models" in offers[0][0]


def test_groups_that_differ_within_a_problem_are_answered_by_commands_that_run(run, folder):
    """They name the groups once, though --by was typed."""
    asked = run("score", "arms.jsonl", "--by", "arm", "--metrics", "pass@1")
    offers = list_offers(asked.stderr)
    assert (asked.exit_code, len(offers) > 1) == (2, True)
    for command, outcome in offers:
        done = run(*shlex.split(command)[1:], "--format", "json")
        assert done.exit_code == 0, (command, done.said)
        check_outcome(json.loads(done.stdout), outcome)


def test_the_readings_of_a_pipe_are_tried(shell, folder):
    typed, environment = shell("score", "-")
    piped = (folder / "two.jsonl").read_bytes()
    asked = subprocess.run(typed, input=piped, capture_output=True, env=environment, check=False)
    offers = list_offers(asked.stderr.decode())
    assert [command for command, _ in offers][1:] == [
        "at-k score - --where model=m",
        "at-k score - --pool model",
        "at-k score - --columns problem=model+task",
    ]
    again = shlex.split(offers[1][0])[1:]
    typed, _ = shell(*again, "--metrics", "pass@1")
    done = subprocess.run(typed, input=piped, capture_output=True, env=environment, check=True)
    assert b"two" not in done.stderr
    value = at_k.score("two.jsonl", where={"model": "m"}, metrics="pass@1").values["pass@1"]
    assert f"{value:.3f}" in done.stdout.decode()


def test_programs_are_answered_by_their_tests(run, folder):
    asked = run("score", "samples.jsonl")
    assert "at-k score samples.jsonl --tests FILE --check code" in asked.said
    assert "completion" in asked.said


@pytest.mark.parametrize("typed", [
    "gate n.jsonl --columns problem=task --require pass@1>=0.5",
    "gate m.jsonl --against m.jsonl --margin 0.01 --format json",
    "gate m.jsonl --require pass@2>=0.8 --target problem-set",
    "gate m.jsonl --require pass^2>=0.4",
])  # fmt: skip
def test_an_inconclusive_gate_ends_in_a_plan_to_copy(run, folder, typed):
    judged = run(*shlex.split(typed))
    assert judged.exit_code == 3
    last = judged.output.rstrip().splitlines()[-1]
    assert last.startswith("at-k plan ")
    assert run(*shlex.split(last)[1:]).exit_code == 0


def test_an_inconclusive_gate_of_single_samples_plans_without_them(run, folder):
    for name, verdicts in (("ones", [1, 1, 1]), ("some", [1, 1, 1, 0]), ("all", [1, 1])):
        text = "".join(
            json.dumps({"id": f"p{i}", "correct": verdict}) + "\n"
            for i, verdict in enumerate(verdicts)
        )
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    for name, asked, words in (
        ("ones", 0.8, "--expect 0.8 --half-width 0.2"),
        ("some", 0.7, "--expect 0.75 --half-width 0.05"),
    ):
        judged = run("gate", f"{name}.jsonl", "--require", f"pass@1 >= {asked}")
        last = judged.output.rstrip().splitlines()[-1]
        assert (judged.exit_code, last) == (3, f"at-k plan {words}")
        assert run(*shlex.split(last)[1:]).exit_code == 0
    assert "at-k plan " not in run("gate", "all.jsonl", "--require", "pass@1 >= 1").output


def test_a_flat_list_is_answered_by_both_ways_to_write_it():
    with pytest.raises(TypeError) as caught:
        at_k.score({"grades": [1, 0, 1, 1]})
    ways = re.findall(r"grades=(\[\[.*?\]\])", str(caught.value))
    found = [at_k.score({"grades": json.loads(way)}) for way in ways]
    assert [(len(report), report.values["avg@n"]) for report in found[1:]] == [(4, 0.75)]
    assert (len(found[0]), found[0].values["avg@4"]) == (1, 0.75)


ROOT = Path(__file__).parents[2]


def test_the_demo_and_what_it_says_to_type_next_run(run, monkeypatch):
    monkeypatch.chdir(ROOT)
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndemo:")[1].split("\n\n")[0]
    commands = re.findall(r"\$\(BIN\)/at-k ([^\n\"]*)", recipe)
    assert [command.split()[0] for command in commands] == ["score", "compare", "gate", "score"]
    for command in commands[:3]:  # the last one has a file of the user
        assert run(*shlex.split(command)).exit_code == 0, command
    assert "make app" in recipe
