"""The list of formats."""

import shlex

import pytest

from at_k.readers.formats import FORMATS


@pytest.mark.parametrize("columns", [40, 80])
def test_every_format_is_listed(run, columns):
    done = run("formats", columns=columns)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    for each in FORMATS.values():
        assert f"{each.name} · {each.title} · {each.file} n samples: {' '.join(each.samples.split())}" in shown


@pytest.mark.parametrize("name", FORMATS)
def test_one_format_has_a_line_to_copy(run, name):
    done = run("formats", name)
    assert done.exit_code == 0
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("score "))
    words = shlex.split(line)
    assert words[:3] == ["score", "at-k", "score"]
    assert len(words) == 4
    assert not set(words[3]) & set("{} ")
