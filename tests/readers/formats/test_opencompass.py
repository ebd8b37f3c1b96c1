"""OpenCompass and AISBench: details of each problem, and predictions that repeat the whole data set.

Beside the files of one run, the layouts are those of their writers. In github.com/open-compass/opencompass: `details`
of `BaseEvaluator.evaluate` in opencompass/openicl/icl_evaluator/icl_base_evaluator.py, details that are an object of
`format_details` in opencompass/tasks/openicl_eval.py, predictions of `GenInferencerOutputHandler.save_results` in
opencompass/openicl/icl_inferencer/icl_base_inferencer.py, whose order `concatenate_datasets([dataset] * n)` in
opencompass/datasets/base.py gives. In github.com/AISBench/benchmark, below ais_bench/benchmark: the same function of
openicl/icl_evaluator/icl_base_evaluator.py, for n = 1 `format_details` in tasks/openicl_eval.py, predictions of
`run_cache_consumer` in openicl/icl_inferencer/output_handler/base_handler.py.
"""

from random import Random

import pytest
from readers.broken import check_variants
from readers.expected import HARNESS
from readers.reading import Json, found, over, put, refused

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

DETAILS = [
    {
        "example_abbr": f"AIME_2024_{i}",
        "pred": pred,
        "answer": [gold] * 4,
        "correct": [each == gold for each in pred],
    }
    for i, (gold, pred) in enumerate(
        [
            ("7", ["7", "8", "7", "7"]),
            ("9", ["1", "2", "3", ""]),
            ("5", ["5", "5", "6", "6"]),
            ("4", ["4"] * 4),
        ]
    )
]
RESULTS = {
    "accuracy (4 runs average)": 56.25,
    "AIME/G-Pass@4_1.0": 25.0,
    "G-Pass@4_1.0": 25.0,
    "mG-Pass@4": 37.5,
    "details": [{"G-Pass@4_1.0": 0.0, "mG-Pass@4": 0.5} | each for each in DETAILS],
}
PREDICTIONS = {
    str(place): {
        "origin_prompt": [{"role": "HUMAN", "prompt": prompt}],
        "prediction": f"It is {prompt} {place // 3}.",
        "gold": gold,
    }
    for place, (prompt, gold) in enumerate([("a", "7"), ("b", "7"), ("c", "9")] * 2)
}
FOLDER = {f"{kind}/toy-7b/AIME_2024.json": Json(own) for kind, own in (
    ("results", RESULTS), ("predictions", PREDICTIONS))}  # fmt: skip
SUBJECT = {"task": "AIME_2024", "model": "toy-7b"}


def details(*each):
    return Json({"details": each})


def one(**fields):
    return {"example_abbr": "a_0"} | fields


def prompts(text, expected):
    return (
        Json({str(i): {"origin_prompt": x, "prediction": x} for i, x in enumerate(text)}),
        expected,
    )


def unknown(text):
    return prompts(
        text, refused("opencompass.unknown_n", total=str(len(text)), different=str(len({*text})))
    )


def by_prompts(text, *problems):
    return prompts(text, found(answers=[[*own] for own in problems]))


LISTED = {
    str(place): {
        "prompt": prompt,
        "origin_prediction": "…",
        "predictions": answer,
        "references": "7",
    }
    for place, (prompt, answer) in enumerate([("p", "7"), ("q", "8"), ("p", "9"), ("q", "7")])
}
PPL = {
    "0": {
        "origin_prediction": {"A": {"PPL": 1.5}},
        "predictions": "A",
        "references": "B",
        "correct": False,
    }
}
OBJECTS = {"0": {"origin_prompt": "p", "prediction": ["x", ""], "gold": ["a", "b"]}}
ALIKE = {str(i): {"prediction": "x", "gold": gold} for i, gold in enumerate("ABAB")}

test_opencompass = over(
    {
        "a folder is read by its results": (
            FOLDER,
            found(
                {
                    f"AIME_2024_{i}": own
                    for i, own in enumerate([[1, 0, 1, 1], [0] * 4, [1, 1, 0, 0], [1] * 4])
                },
                harness="opencompass",
                subject=SUBJECT,
                references=[["7"], ["9"], ["5"], ["4"]],
                answers=[
                    ["7", "8", "7", "7"],
                    ["1", "2", "3", None],
                    ["5", "5", "6", "6"],
                    ["4"] * 4,
                ],
            ),
            # OpenCompass cuts at the first "_", which would put AIME_2024 and AIME_2025 together.
            ({"columns": {"group": "subdivision"}}, found(group=["AIME_2024"] * 4)),
        ),
        "predictions": (
            {name: own for name, own in FOLDER.items() if "predictions" in name},
            found(
                harness="opencompass-predictions",
                subject=SUBJECT,
                references=[["7"], ["7"], ["9"]],
                grades=None,
                answers=[[f"It is {prompt} {turn}." for turn in range(2)] for prompt in "abc"],
                rows=[[1, 4], [2, 5], [3, 6]],
                notes=["note.texts"],
            ),
        ),
        "is_correct": (
            details(one(pred=["x"], is_correct=[True])),
            found([[1]], roles={"grades": "is_correct"}),
        ),
        "cascade_correct": (
            details(one(pred=["x"], cascade_correct=[True])),
            found([[1]], references=None, roles={"grades": "cascade_correct"}),
        ),
        "details that are an object": (
            Json({"accuracy": 50.0, "details": LISTED, "type": "GEN"}),
            found(harness="opencompass", answers=[["7", "9"], ["8", "7"]], grades=None),
        ),
        "perplexities": (Json({"details": PPL, "type": "PPL"}), found([[0]])),
        "three problems": by_prompts("abc", "a", "b", "c"),
        "one problem": by_prompts("aaaa", "aaaa"),
        "a question twice in the data set": by_prompts("abaaba", "aa", "bb", "aa"),
        "each problem repeated": unknown("aabb"),
        "one left over": unknown("abcab"),
        "unequal numbers": unknown("aab"),
        "another order": unknown("abba"),
        "references alone": (Json(ALIKE), refused("opencompass.unknown_n")),
        # Lists may be samples, or the turns of a conversation.
        "lists": (Json(OBJECTS), refused("cells.answer", place="sample 1")),
        "lists of other lengths": (
            details(DETAILS[0] | {"pred": ["7"]}),
            refused("collector.field", name="“pred”", place="problem 1"),
        ),
        "no samples": (
            details(one(pred=[], correct=[])),
            refused("collector.field", name="“pred”", place="problem 1"),
        ),
        "a problem twice": (
            details(DETAILS[0], DETAILS[0]),
            refused("collector.same_problem", first="problem 1", place="problem 2"),
        ),
        "neither answers nor grades": (
            details(one()),
            refused("opencompass.details", fields="“example_abbr”"),
        ),
        "a key left out": (
            Json({"0": {"prediction": "x"}, "2": {"prediction": "y"}}),
            refused("opencompass.keys", last="1", key="“1”"),
        ),
        "an entry that is no object": (
            Json({"details": LISTED | {"1": 7}}),
            refused("opencompass.keys", key="“1”"),
        ),
        "no prediction": (
            Json({"0": {"prediction": "x"}, "1": {"gold": "y"}}),
            refused("opencompass.keys", field="“prediction”", key="“1”"),
        ),
    }
)


def test_numbers_of_results_and_of_a_real_run(tmp_path):
    report = at_k.score(put(tmp_path, FOLDER), k=[2, 4])
    assert report.values["pass@4"] == 0.75
    assert report.values["pass@2"] == pytest.approx((1 + 0 + 5 / 6 + 1) / 4, abs=1e-12)
    assert report.values["cons@4"] == pytest.approx((1 + 0 + 1 / 2 + 1) / 4, abs=1e-12)
    assert 100 * report.values["G-Pass@4_1.0"] == RESULTS["G-Pass@4_1.0"]  # it prints percent
    folder = HARNESS / "opencompass"
    file = folder / "results" / "toy-7b" / "toy.json"
    assert read_samples(file).references == [["7"], ["2"], ["5"]]
    predictions = at_k.score(
        folder / "predictions" / "toy-7b" / "toy.json", k=[2, 4], missing="incorrect"
    )
    assert predictions.values == at_k.score(file, k=[2, 4]).values


@pytest.mark.parametrize("name", ["opencompass", "opencompass-predictions", "aisbench"])
@pytest.mark.parametrize(
    "document", [[], [1], {}, {"details": []}, {"details": [1]}, {"details": {}}, {"0": 1}, 7]
)
def test_a_file_of_another_format(tmp_path, name, document):
    with pytest.raises(InputError):
        read_samples(put(tmp_path / "f", Json(document)), format=name)


PROBLEMS = [("7", ["7", "7"]), ("9", ["1", "2"]), ("5", ["5", "6"])]
"""The reference of each problem, and its answers."""


def write_as_aisbench(problems, **changes):
    """Make the details as the writer does: all first samples, then all second ones, cut into runs of n."""
    n = len(problems[0][1])
    judged = [
        {"pred": answers[turn], "answer": gold, "correct": answers[turn] == gold}
        for turn in range(n)
        for gold, answers in problems
    ]
    listed = []
    for place in range(len(problems)):
        own = judged[place * n : place * n + n]
        c = sum(each["correct"] for each in own)
        means = {f"avg@{n}": c / n, f"pass@{n}": float(c > 0), f"cons@{n}": float(c > n / 2)}
        listed.append(
            {"example_abbr": f"aime_{place}"}
            | means
            | {name: [x[name] for x in own] for name in own[0]}
        )
    whole = {f"pass@{n}": 100 * sum(each[f"pass@{n}"] for each in listed) / len(listed)}
    return {f"accuracy ({n} runs average)": 50.0, **whole, "details": listed}


AISBENCH = write_as_aisbench(PROBLEMS)
GROUPED = [
    own | {"pred": answers, "answer": [gold] * 2, "correct": [each == gold for each in answers]}
    for own, (gold, answers) in zip(AISBENCH["details"], PROBLEMS, strict=True)
]
MIXED = [
    own | ({} if place else {"answer": own["answer"][::-1]})
    for place, own in enumerate(AISBENCH["details"])
]
UNSURE = write_as_aisbench([("A", ["A", "A"]), ("A", ["B", "B"])])
WITHOUT = [{name: own[name] for name in own if name != "answer"} for own in UNSURE["details"]]
SINGLE = {
    str(place): {
        "prompt": f"p{place}",
        "origin_prediction": "…",
        "predictions": [answers[0]],
        "references": [gold],
        "correct": [answers[0] == gold],
    }
    for place, (gold, answers) in enumerate(PROBLEMS)
}

test_results_of_aisbench = over(
    {
        "verdicts return to their problems": (
            {"results/toy-7b/aime.json": Json(AISBENCH)},
            found(
                [[1, 1], [0, 0], [1, 0]],
                harness="aisbench",
                subject={"task": "aime", "model": "toy-7b"},
                references=[[gold] for gold, _ in PROBLEMS],
                answers=[own for _, own in PROBLEMS],
                notes=["aisbench.regrouped"],
            ),
        ),
        "a writer that groups rightly": (
            Json(AISBENCH | {"details": GROUPED}),
            found([[1, 1], [0, 0], [1, 0]], notes=[]),
        ),
        "references that do not tell": (
            Json(UNSURE),
            found([[1, 0], [1, 0]], notes=["aisbench.unsure"]),
        ),
        "one problem": (Json(write_as_aisbench([("7", ["7", "8"])])), found([[1, 0]], notes=[])),
        "no references": (
            Json(UNSURE | {"details": WITHOUT}),
            found([[1, 0], [1, 0]], notes=["aisbench.unsure"]),
        ),
        "samples mixed in another way": (
            Json(AISBENCH | {"details": MIXED}),
            refused("aisbench.mixed"),
        ),
        "problems that changed places": (
            Json(AISBENCH | {"details": AISBENCH["details"][::-1]}),
            refused("aisbench.mixed"),
        ),
        "one sample": (
            Json({"accuracy": 66.7, "details": SINGLE, "type": "GEN"}),
            found([[1], [0], [1]], harness="aisbench", answers=[["7"], ["1"], ["5"]]),
        ),
    }
)


def test_a_real_result_whose_samples_are_of_other_problems():
    """Of a, b and c, 3, 2 and 1 of four are right; the writer put samples of all three under each name."""
    file = HARNESS / "aisbench" / "results" / "toy-7b" / "toy.json"
    samples = read_samples(file)
    pairs = sorted(zip(map(str, samples.references), map(sum, samples.grades), strict=True))
    assert pairs == [("['2']", 2), ("['5']", 1), ("['7']", 3)]
    report = at_k.score(file, k=[2, 4])
    assert report.values["pass@2"] == pytest.approx(
        (1 + 5 / 6 + 1 / 2) / 3, abs=1e-12
    )  # sums in another order
    assert report.values["cons@4"] == pytest.approx(2 / 3, abs=1e-12)  # 7 and 2 win, 6 beats 5


def requests(*rows):
    whole = {
        "data_abbr": "aime",
        "success": True,
        "origin_prompt": "?",
        "gold": "7",
        "input_tokens": 1,
    }
    return [
        whole | {"uuid": f"u{place}", "prediction": "7"} | row for place, row in enumerate(rows)
    ]


SHUFFLED = [
    {"id": place, "gold": gold, "prediction": f"{text}!"}
    for place, (gold, own) in enumerate(PROBLEMS)
    for text in own
]
Random(0).shuffle(SHUFFLED)
ANSWERS = {str(n): [x["prediction"] for x in SHUFFLED if x["id"] == n] for n in range(3)}

test_predictions_of_aisbench = over(
    {
        "lines in any order": (
            {"predictions/toy-7b/aime.jsonl": requests(*SHUFFLED)},
            found(  # success is no verdict
                None,
                grades=None,
                answers=ANSWERS,
                harness="aisbench-predictions",
                subject={"task": "aime", "model": "toy-7b"},
                notes=["note.texts"],
            ),
        ),
        "failed requests": (
            requests(
                {"id": 0},
                {"id": 0, "success": False, "prediction": "half"},
                {"id": 0, "prediction": ""},
                {"id": 1},
            ),
            found(
                answers=[["7", None, None], ["7"]],
                notes=["note.texts", "aisbench.failed"],
                told=[{}, {"most": 3, "failed": 2}],
            ),
        ),
        "a sample twice": (
            requests({"id": 0, "uuid": "u"}, {"id": 0, "uuid": "u"}),
            refused("collector.repeated", number="“u”", name="“0”"),
        ),
        "two data sets": (
            requests({"id": 0}, {"id": 0, "data_abbr": "gsm8k"}),
            refused("models.several", column="data_abbr"),
            ({"where": {"data_abbr": "gsm8k"}}, found(answers=[["7"]])),
        ),
        "success that is no truth value": (
            requests({"id": 0, "success": "yes"}),
            refused("collector.field", value="“yes”", place="line 1"),
        ),
        "two references": (
            requests({"id": 0}, {"id": 0, "gold": "8"}),
            refused("collector.differs"),
        ),
    }
)

# name: (content, its file, the lists of objects, what is refused, the policy)
VARIANTS = {
    "results": (Json(RESULTS), "f.json", lambda own: [own["details"]], (), "error"),
    "predictions": (Json(PREDICTIONS), "f.json", lambda own: [list(own.values())], (), "error"),
    # The order of the problems is what undoes the fault, so that a swap is refused.
    "results of AISBench": (
        Json(AISBENCH),
        "f.json",
        lambda own: [own["details"]],
        ["swap"],
        "error",
    ),
    "predictions of AISBench": (requests(*SHUFFLED), "f.jsonl", None, (), "incorrect"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_broken(name, tmp_path):
    content, file, find_lists, refused_kinds, missing = VARIANTS[name]
    check_variants(
        put(tmp_path / file, content), tmp_path, find_lists, refused=refused_kinds, missing=missing
    )
