"""Suites of benchmarks: HELM, evalscope, promptfoo and NeMo-Skills."""

import json
import shutil
from collections import defaultdict
from itertools import combinations

import pytest
from cases import for_each
from readers.broken import SEEDS, break_file, score_or_refuse
from readers.expected import HARNESS
from readers.reading import Json, found, over, put, refused

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.files.sources import Source
from at_k.readers.formats import find_format

HELM = HARNESS / "helm" / "per_instance_stats.json"
EVALSCOPE = HARNESS / "evalscope" / "reviews" / "toy-7b" / "general_mcq_toy.jsonl"
PROMPTFOO = [HARNESS / "promptfoo" / name for name in ("out.jsonl", "out.json")]
SKILLS = HARNESS / "nemo-skills"
FILES = sorted(SKILLS.glob("*.jsonl"))
ROWS = [
    [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in FILES
]


def entry(trial=0, more=None, **means):
    stats = [{"name": {"name": name}, "mean": mean, "count": 1} for name, mean in means.items()]
    return {"instance_id": "i", "train_trial_index": trial, "stats": stats} | (more or {})


ODD_NAME = {"stats": [{"name": {"name": {"a": 1}}, "mean": 0}]}

test_helm = over(
    {
        "the usual statistic": (
            [entry(finish_reason_stop=1, quasi_exact_match=1, exact_match=0)],
            found([[0]], chosen={"scorer": "exact_match"}, notes=["collector.choice"]),
            ({"scorer": "quasi_exact_match"}, found([[1]])),
        ),
        "no statistic that is known": (
            [entry(finish_reason_stop=1)],
            refused("format.no_metric", metrics="“finish_reason_stop”"),
            ({"scorer": "finish_reason_stop"}, found([[1]])),
        ),
        "a name that is no text": ([entry(exact_match=1), entry(1, ODD_NAME)], found([[1, None]])),
        "a perturbed instance": (
            [
                entry(exact_match=1),
                entry(more={"perturbation": {"name": "typos"}}, exact_match=1),
                entry(1),
            ],
            found({"i": [1, None], "i (typos)": [1]}),
        ),
    },
    lambda *entries: Json(entries),
)


def test_the_numbers_of_a_real_file_of_helm():
    expected = {}
    for each in json.loads(HELM.read_text()):
        means = {own["name"]["name"]: own["mean"] for own in each["stats"]}
        expected.setdefault(each["instance_id"], []).append(means["exact_match"])
    found(expected, numbers=[[0, 1, 2, 3]] * 6).compare(HELM, {})
    report = at_k.score(HELM, k=[1, 2])
    assert (report.values["pass@1"], report.values["pass@2"]) == (0.5, 0.75)


def reviews(*scores, **changes):
    lines = []
    for number, own in enumerate(scores):
        score = {"value": {"acc": 1.0}, "extracted_prediction": "A", "main_score_name": "acc"} | own
        sample = {
            "score": score,
            "group_id": 0,
            "generation_index": number,
            "sample_metadata": {},
        } | changes
        sample = {name: value for name, value in sample.items() if value is not ...}
        lines.append({"index": number, "target": ["A"], "sample_score": sample})
    return lines


BOTH = {"value": {"f1": 0.5, "acc": 1.0}}

test_evalscope = over(
    {
        "the main score": (
            reviews(BOTH, {"value": {"f1": 0.25}}),
            found([[1, None]], chosen={"scorer": "acc"}, notes=["collector.choice"]),
            ({"scorer": "f1"}, found([[0.5, 0.25]])),
            ({"scorer": "bleu"}, refused("format.no_choice", found="“acc”, “f1”")),
        ),
        "the first score": (reviews(BOTH | {"main_score_name": None}), found([[0.5]])),
        "nothing extracted": (reviews({"extracted_prediction": None}), found(answers=None)),
        "older files have no numbers": (
            reviews({}, {}, generation_index=...),
            found([[1, 1]], numbers=None),
        ),
        "a number twice": (
            reviews({}, {}, generation_index=0),
            refused("collector.repeated", number="0", place="line 2"),
        ),
        "metadata may group": (
            reviews({}, sample_metadata={"level": "hard"}),
            found(group=None),
            ({"columns": {"group": "level"}}, found(group=["hard"])),
        ),
        "a number that is a list": (reviews({}, generation_index=[]), refused("collector.number")),
        "a score that is a number": (
            reviews({}, score=1),
            refused("collector.field", name="“score”", value="1"),
        ),
        "a value that is a number": (
            reviews({"value": 0.5}),
            refused("collector.field", name="“value”"),
        ),
        "no value": (reviews({}, {"value": None}), refused("collector.lack", place="line 2")),
        "no grade": (reviews({"value": {"acc": 17}}), refused("cells.grade", value="17")),
        "no group": (
            reviews({}, group_id=None),
            refused("collector.lack", field="“sample_score.group_id”"),
        ),
        "two runs that number alike": (
            {name: reviews({}, {}) for name in ("a.jsonl", "b.jsonl")},
            refused("merging.names"),
            ({"pool": "file"}, found([[1] * 4])),
        ),
    }
)


def test_the_name_of_a_metric_may_have_a_dot(tmp_path):
    metrics = [
        [{"name": "Judge v1.5", "success": ok}, {"name": "other", "success": True}]
        for ok in (True, False)
    ]
    cases = [{"input": "q", "success": True, "metricsData": each} for each in metrics]
    path = put(tmp_path / "f", Json({"testCases": cases, "conversationalTestCases": []}))
    assert read_samples(path, scorer="Judge v1.5").grades == [[1, 0]]


def test_a_real_file_of_evalscope():
    found(
        numbers=[list(range(4))] * 5,
        subject={"task": "general_mcq_toy", "model": "toy-7b"},
        chosen={},
        notes=[],
    ).compare(EVALSCOPE, {})
    samples = read_samples(EVALSCOPE)
    assert samples.answers[1] == ["A", None, "A", None]  # "" means no answer
    assert samples.references[:2] == [["B"], ["A"]]
    assert read_samples(HARNESS / "evalscope").problems == samples.problems


def rows():
    return [json.loads(line) for line in PROMPTFOO[0].read_text().splitlines()]


def results(*changes):
    return [
        {name: value for name, value in (rows()[0] | each).items() if value is not ...}
        for each in changes
    ]


OWN = [row for row in rows() if row["provider"]["label"] == "rnd"]
PROMPTS = [*OWN, *(row | {"prompt": row["prompt"] | {"label": "Another"}} for row in OWN)]

test_promptfoo = over(
    {
        "an error and answers that are objects": (
            results(
                *(
                    {"response": ..., "failureReason": 2},
                    *({"response": {"output": own}} for own in ({"a": 1}, None)),
                )
            ),
            found([[None, 0, 0]], answers=[[None, '{"a": 1}', None]]),
        ),
        "several variables": (
            results(*({"vars": {"b": b, "a": 1}} for b in "xyx")),
            found(problems=['{"a": 1, "b": "x"}', '{"a": 1, "b": "y"}'], n=[2, 1]),
        ),
        "no response": (
            results({"response": ...}),
            refused("collector.lack", field="“response.output”"),
        ),
        "one row": (results({}), found(problems=["one"])),
        "no results": (
            Json({"evalId": "e", "results": {"stats": {}}}),
            refused("promptfoo.results"),
        ),
        "several prompts": (
            PROMPTS,
            refused("models.several", column="prompt.label"),
            ({"where": {"prompt.label": "Another"}}, found(n=[3, 3, 3])),
            ({"pool": "prompt.label"}, found(n=[6, 6, 6])),
        ),
    }
)


def test_csv_of_promptfoo_has_columns_for_each_provider():
    file = HARNESS / "promptfoo" / "out.csv"
    graded = {"echoer": [[1] * 3, [0] * 3, [0] * 3], "rnd": [[0] * 3, [0] * 3, [0, 1, 1]]}
    for model, grades in graded.items():
        read = found(grades, problems=["one", "two", "three"], subject={"model": model})
        read.compare(file, {"where": {"provider.label": model}})
    assert read_samples(file, where={"provider.label": "rnd"}).answers[2] == [
        "29182",
        "13169",
        "23175",
    ]
    refused("models.several", values="“echoer”, “rnd”").compare(file, {})


@pytest.mark.parametrize("path", PROMPTFOO, ids=lambda path: path.name)
def test_real_files_of_promptfoo(path):
    # Counted by hand, as NOTE.md has it: 2 of 9, and one problem of 3; 3 of 9, all of one problem.
    for model, passed in {"rnd": [0.2222, 0.3333], "echoer": [0.3333, 0.3333]}.items():
        expected = defaultdict(list)
        for row in rows():
            if row["provider"]["label"] == model:
                expected[row["vars"]["q"]].append(
                    (row["response"]["output"], float(row["success"]))
                )
        samples = read_samples(path, where={"provider.label": model})
        assert (samples.origin.harness, samples.origin.subject) == ("promptfoo", {"model": model})
        assert samples.problems == list(expected) == ["one", "two", "three"]
        pairs = [
            list(zip(*own, strict=True))
            for own in (
                zip(a, g, strict=True) for a, g in zip(samples.answers, samples.grades, strict=True)
            )
        ]
        assert pairs == [list(zip(*own, strict=True)) for own in expected.values()]
        report = at_k.score(path, where={"provider.label": model}, k=[1, 3])
        assert [round(report.values[key], 4) for key in ("pass@1", "pass@3")] == passed
    refused("models.several", column="provider.label").compare(path, {})
    found(n=[6, 6, 6], subject={}).compare(path, {"pool": "provider.label"})


def skills(*each):
    return [{"generation": "…"} | row for row in each]


def judged(fields, grade):
    return ([fields, fields], found([[grade]] * 2, harness="nemo-skills"))


def other_kind(good, **fields):
    return ([dict.fromkeys(fields, good), fields], refused("collector.field", place="line 2"))


TWO = {"symbolic_correct": False, "judgement": "Judgement: Yes", "reward_model_score": 0.5}
ONE = {"id": 1, "symbolic_correct": True}

test_nemo_skills = over(
    {
        "the last judgement": judged({"judgement": "Reasoning: Judgement: No.\nJudgement: Yes"}, 1),
        "no": judged({"judgement": "Judgement: no, it is not"}, 0),
        "no mark": judged({"judgement": "Yes"}, None),
        "neither yes nor no": judged({"judgement": "Judgement: perhaps"}, None),
        "no judgement": judged({"judgement": None}, None),
        "is_correct": judged(
            {"is_correct": True, "predicted_answer": "7", "expected_answer": "7"}, 1
        ),
        "is_correct-plus": judged({"is_correct-plus": False}, 0),
        "graded_list": judged({"graded_list": [True]}, 1),
        "two grades": other_kind([True], graded_list=[True, False]),
        "a grade without a list": other_kind([True], graded_list=True),
        "a judgement that is no text": other_kind("Judgement: Yes", judgement=1),
        "two verdicts": (
            [TWO, TWO],
            found([[0]] * 2, scores=[[0.5]] * 2, notes=["collector.choice"]),
            ({"scorer": "judgement"}, found([[1]] * 2, chosen={"scorer": "judgement"}, notes=[])),
        ),
        # An empty box is an answer to this harness, which votes.
        "no answer": (
            [{"symbolic_correct": False, "predicted_answer": each} for each in (None, "", "7")],
            found(answers=[[None], [""], ["7"]]),
        ),
        "several rows for a problem": (
            [ONE, ONE | {"id": 2}, ONE],
            refused("nemo_skills.repeated", first="line 1", place="line 3"),
        ),
    },
    skills,
)


def test_other_tables_with_columns_of_nemo_skills():
    assert (
        find_format(Source("f", b'{"id": 1, "generation": "", "is_correct": true}\n' * 2)).name
        == "plain"
    )


def enumerate_votes(answers, correct, k):
    """The chance that a vote of k is right: each of the answers with the most votes wins with the same chance."""
    values = []
    for subset in combinations(range(len(answers)), k):
        votes = [answers[each] for each in subset if answers[each] is not None]
        most = max((votes.count(each) for each in votes), default=0)
        winners = {each for each in votes if votes.count(each) == most}
        right = {answers[each] for each in subset if correct[each]}
        values.append(len(winners & right) / len(winners) if winners else 0.0)
    return sum(values) / len(values)


@for_each("path", [SKILLS, str(SKILLS / "*.jsonl"), FILES, FILES[::-1]])
def test_files_of_nemo_skills_are_merged(path):
    report = at_k.score(path, k=[1, 2, 3], groups=False)
    values = {str(key): value for key, value in report.values.items()}
    answers, correct = (
        [[row[name] for row in own] for own in zip(*ROWS, strict=True)]
        for name in ("predicted_answer", "symbolic_correct")
    )
    for k in (1, 2, 3):
        passed = [[any(subset) for subset in combinations(own, k)] for own in correct]
        assert values[f"pass@{k}"] == pytest.approx(
            sum(sum(each) / len(each) for each in passed) / 50, abs=1e-12
        )
        votes = [enumerate_votes(said, own, k) for said, own in zip(answers, correct, strict=True)]
        assert values[f"cons@{k}"] == pytest.approx(sum(votes) / 50, abs=1e-12)
    assert report.n == [3] * 50


def test_one_file_of_nemo_skills_is_one_sample():
    file, own = FILES[0], ROWS[0]
    samples = read_samples(file)
    assert samples.problems[:2] == ["1", "2"]
    assert samples.grades == [[float(row["symbolic_correct"])] for row in own]
    assert samples.answers == [[row["predicted_answer"]] for row in own]
    assert samples.references == [[row["expected_answer"]] for row in own]
    assert at_k.score(file, columns={"group": "level"}).labels == [row["level"] for row in own]
    assert at_k.score(file, columns={"problem": "id"}).problems == [row["id"] for row in own]


def test_files_of_nemo_skills_that_do_not_fit_each_other(tmp_path):
    other = FILES[1].read_bytes()
    put(
        tmp_path,
        {"turned/a": FILES[0].read_bytes(), "turned/b": b"\n".join(other.splitlines()[::-1])},
    )
    refused("merging.questions").compare(tmp_path / "turned", {})
    put(tmp_path, {"cut/a": FILES[0].read_bytes(), "cut/b": other[:-100]})
    with pytest.raises(InputError, match="line 50"):
        read_samples(tmp_path / "cut")
    with pytest.raises(InputError, match=r"49 are in both, 1 in .*a alone, and 0 in .*b alone"):
        read_samples(tmp_path / "cut", errors="skip")


@for_each("seed", SEEDS)
def test_broken_files_of_nemo_skills(tmp_path, seed):
    # The order of lines matters here, so that a swap must be an error.
    kind, broken = break_file(FILES[1], seed, tmp_path)
    for file in FILES:
        if file != FILES[1]:
            shutil.copy(file, broken.parent)
    read = score_or_refuse(broken.parent)
    if isinstance(read, InputError):
        assert str(broken.parent) in str(read)
    else:
        assert kind in ("drop", "retype")
        assert read == score_or_refuse(SKILLS)
