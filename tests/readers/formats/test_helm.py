"""HELM: statistics of each instance and trial, of which one is the verdict."""

import json

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FILE = HARNESS / "helm" / "per_instance_stats.json"


def stat(name, mean):
    return {"name": {"name": name}, "mean": mean, "count": 1}


def write(path, *entries):
    path.write_text(json.dumps(list(entries)))
    return path


def entry(trial=0, stats=(), **more):
    return {"instance_id": "i", "train_trial_index": trial, "stats": list(stats)} | more


def test_the_numbers_of_the_file():
    expected = {}
    for each in json.loads(FILE.read_text()):
        means = {own["name"]["name"]: own["mean"] for own in each["stats"]}
        expected.setdefault(each["instance_id"], []).append(means["exact_match"])
    samples = read_samples(FILE)
    assert dict(zip(samples.problems, samples.grades, strict=True)) == expected
    assert samples.numbers == [[0, 1, 2, 3]] * 6
    report = at_k.score(FILE, k=[1, 2])
    assert (report.values["pass@1"], report.values["pass@2"]) == (0.5, 0.75)


def test_the_statistic_is_chosen_and_said(tmp_path):
    stats = [stat("finish_reason_stop", 1), stat("quasi_exact_match", 1), stat("exact_match", 0)]
    path = write(tmp_path / "f.json", entry(stats=stats))
    samples = read_samples(path)
    assert (samples.grades, samples.origin.chosen) == ([[0]], {"scorer": "exact_match"})
    assert "quasi_exact_match" in str(samples.origin.notes[0])
    assert read_samples(path, scorer="quasi_exact_match").grades == [[1]]
    path = write(tmp_path / "g.json", entry(stats=stats[:1]))
    with pytest.raises(InputError, match=r"None of the statistics.*“finish_reason_stop”"):
        read_samples(path)
    assert read_samples(path, scorer="finish_reason_stop").grades == [[1]]


def test_a_statistic_whose_name_is_no_text_is_none(tmp_path):
    entries = [entry(stats=[stat("exact_match", 1)]), entry(1, [stat({"a": 1}, 0)])]
    assert read_samples(write(tmp_path / "f.json", *entries)).grades == [[1, None]]


def test_a_perturbed_instance_is_a_problem_of_its_own(tmp_path):
    stats = [stat("exact_match", 1)]
    entries = [entry(stats=stats), entry(stats=stats, perturbation={"name": "typos"}), entry(trial=1)]
    samples = read_samples(write(tmp_path / "f.json", *entries))
    assert dict(zip(samples.problems, samples.grades, strict=True)) == {"i": [1, None], "i (typos)": [1]}


def test_broken(tmp_path):
    check_variants(FILE, tmp_path, lambda document: [document], missing="incorrect")
