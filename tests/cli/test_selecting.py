import json

import at_k


def test_names_and_rows(run, tmp_path):
    data = {"a": [1, 1, 1, 1], "b": [1, 0, 0, 0], "c": [0, 0, 0, 0]}
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps({"problem": name, "grades": grades}) + "\n" for name, grades in data.items()))
    assert run("select", path, "--where", "0.1 <= avg <= 0.9").stdout == "b\n"
    assert run("select", path, "--where", "avg <= 0.9", "--confident").stdout == "b\nc\n"
    done = run("select", path, "--where", "pass@3 > 0.5 and pass@2 < 1", "--format", "jsonl")
    values = at_k.pass_at_k([4], [1], k=[2, 3])[0].tolist()
    assert json.loads(done.stdout) == {"problem": "b", "n": 4, "c": 1, "pass@2": values[0], "pass@3": values[1]}
    done = run("select", path, "--where", "hard")
    assert done.exit_code == 1
    assert "A condition compares a value with numbers" in done.stderr
