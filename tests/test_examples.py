"""The scripts that the README shows run, and print published or independently known numbers."""

import json
import math
import re
import runpy
from itertools import combinations
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def printed(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(script):
        runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        return capfd.readouterr().out

    return run


def test_tau_bench(printed):
    for line in printed("tau_bench.py").splitlines():
        key, value, low, high, _, published = re.sub(r"[\[\],]", "", line).split()
        assert value == published
        assert 0 < float(low) < float(value) < float(high) < 1, key


def test_pipeline(printed):
    values = [line.split()[-1] for line in printed("pipeline.py").splitlines()]
    assert len(values) == 3
    assert len(set(values)) == 1


def read_values(table):
    return [
        [float(value) for value in re.findall(r"0\.\d{3}", row)]
        for row in table.splitlines()
        if "**" in row
    ]


def test_train_on_any_k(capsys, tmp_path):
    """Each metric is best where it was trained for: in a short run, and in the table of the page."""
    main = runpy.run_path(str(EXAMPLES / "train_on_any_k.py"))["main"]
    main(steps=65, problems=1_000, figure=tmp_path / "training.png")
    assert (tmp_path / "training.png").stat().st_size > 10_000
    table = capsys.readouterr().out
    page = (EXAMPLES.parent / "docs" / "training.md").read_text(encoding="utf-8")
    shown = page[page.index(table.splitlines()[0]) :].partition("\n\n")[0]
    for values in (read_values(table), read_values(shown)):
        assert len(values) == 4
        for metric, column in enumerate(zip(*values, strict=True)):
            assert max(range(4), key=column.__getitem__) == metric


NEMO_SKILLS = Path(__file__).parent / "data" / "harness" / "nemo-skills"

DIFFERENT = {
    (0, 23): "“1320 km” beside “1320”: Math-Verify leaves out units",
    (
        2,
        6,
    ): r"“\boxed{1}”, and later an empty \boxed{}: the harness takes the last one, whatever is in it",
    (2, 40): r"“\boxed{5}”, and later an empty \boxed{}",
    (1, 48): r"“\fbox{958}”: the harness finds the answers in \boxed alone",
}
"""The file and the line of samples that NeMo-Skills counts as wrong, and `math` as correct, each with the reason."""


@pytest.mark.xdist_group("math")
def test_raw_generations(printed):
    table = printed("raw_generations.py")
    files = sorted(NEMO_SKILLS.glob("*.jsonl"))
    rows = [
        [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in files
    ]
    correct = [
        [row["symbolic_correct"] or (file, line) in DIFFERENT for file, row in enumerate(samples)]
        for line, samples in enumerate(zip(*rows, strict=True))
    ]
    assert not any(rows[file][line]["symbolic_correct"] for file, line in DIFFERENT)
    cells = re.search(r"^pass@k .*$", table, re.MULTILINE)[0].split()[1:]
    wanted = [
        sum(any(row[i] for i in s) for row in correct for s in combinations(range(3), k))
        for k in (1, 2, 3)
    ]
    shown = list(map(float, cells))
    # The table has three digits.
    assert shown == pytest.approx([wanted[0] / 150, wanted[1] / 150, wanted[2] / 50], abs=5.1e-4)


def test_the_record_of_published_results(tmp_path):
    made = runpy.run_path(str(EXAMPLES / "published" / "make.py"))
    made["main"](tmp_path)
    for name in ("record.md", "record.html"):
        is_same = (tmp_path / name).read_bytes() == (EXAMPLES / "published" / name).read_bytes()
        assert is_same, name  # to show the difference of lines of 400 kB takes half an hour
    assert len(list(tmp_path.glob("data/**/*.json"))) == 1
    for results in made["read_results"]().values():
        for result in results:
            n = result["n"]
            for name, published in result["published"].items():
                k = int(re.split("[@^]", name)[1])
                # By definition over all subsets: the share that holds a right sample, or right ones alone.
                misses = [math.comb(n - c, k) / math.comb(n, k) for c in result["c"]]
                hits = [math.comb(c, k) / math.comb(n, k) for c in result["c"]]
                value = sum(hits if "^" in name else [1 - miss for miss in misses]) / len(hits)
                digits = len(repr(published).partition(".")[2])
                assert value == pytest.approx(published, abs=max(1e-12, 0.6 * 10**-digits)), (
                    result["model"],
                    name,
                )
