import json

import pyarrow.parquet as pq

import at_k


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
    done = run("select", path, "--where", "hard")
    assert done.exit_code == 1
    assert "A condition compares a value with numbers" in done.stderr


def test_rows_of_the_chosen_problems(run, tmp_path):
    """The file has the samples and what else is known of each problem, and can be scored."""
    data = {"a": [1, 1], "b": [1, 0], "c": [0, 1]}
    path = tmp_path / "results.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": name, "prompt": f"What is {name}?", "correct": grade}) + "\n"
            for name, grades in data.items()
            for grade in grades
        )
    )
    for name in ("rows.jsonl", "rows.parquet"):
        done = run("select", path, "--where", "avg < 1 and maj@1 > 0", "--rows", tmp_path / name)
        assert (done.stdout, done.exit_code) == ("b\nc\n", 0)
        assert "Wrote" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert rows == pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [(row["problem"], row["grades"]) for row in rows] == [("b", [1, 0]), ("c", [0, 1])]
    assert json.loads(rows[0]["meta"]) == {"prompt": "What is b?"}
    assert at_k.score(tmp_path / "rows.parquet", k=1).values["pass@1"] == 0.5
    for name in ("none.jsonl", "none.parquet"):  # no problem is chosen
        done = run("select", path, "--where", "avg > 1", "--rows", tmp_path / name)
        assert (done.stdout, done.exit_code) == ("", 0)
        assert done.stderr.endswith("No problem meets the condition 'avg > 1'.\n")
    assert (tmp_path / "none.jsonl").read_text() == ""
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0
    run("score", path, "--save", tmp_path / "saved.json")
    refused = run("select", tmp_path / "saved.json", "--where", "avg < 1", "--rows", tmp_path / "x.jsonl")
    assert "Rows are those of results files" in refused.stderr
    assert "must end in .jsonl or .parquet" in run("select", path, "--where", "avg < 1", "--rows", "x.csv").stderr
