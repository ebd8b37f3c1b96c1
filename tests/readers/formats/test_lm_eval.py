"""lm-evaluation-harness: nested repeats, several filters, choices, and targets that are solutions or lists."""

import json
import re

import pytest
from cases import for_each
from readers.expected import CLOSE, HARNESS, check, read_expected
from readers.reading import found, over, refused

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

FOLDER = "lm-eval/acme__toy-7b/"
ALL, MATH, CHOICES = (
    f"{FOLDER}samples_{task}_2026-11-21T10-51-56.618154.jsonl"
    for task in ("toy_all", "toy_math", "toy_mc")
)
RULE = r"The answer is (\-?[0-9\.\,]*[0-9]+)"


def documents(*rows):
    """Make lines, with what they do not say as for a document that was sampled twice."""
    whole = {
        "doc_id": 0,
        "doc": {},
        "target": "7",
        "arguments": {},
        "resps": [["x 7", "x 8"]],
        "filtered_resps": [["7", "8"]],
        "filter": "all",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    }
    return [whole | row for row in rows]


def test_a_filter_that_keeps_the_repeats():
    expected = read_expected()[ALL]
    data = at_k.read_results(HARNESS / ALL)
    silent = sum(answer is None for answers in data["answers"] for answer in answers)
    text = (HARNESS / ALL).read_text(encoding="utf-8")
    rows = [json.loads(line)["filtered_resps"][0] for line in text.splitlines()]
    assert silent == sum(row.count("[invalid]") for row in rows) == 7
    (report,) = check(HARNESS / ALL, expected, silent=silent).values()
    for k in (1, 2, 4):  # its own metric function prints the same
        assert report.values[f"pass@{k}"] == pytest.approx(
            expected["harness_printed"][f"pass@{k},all"], abs=CLOSE
        )
    assert report.values["avg@4"] == pytest.approx(
        expected["harness_printed"]["avg@4,all"], abs=CLOSE
    )
    assert data["grades"][:] == [None] * 6  # the metrics are of all four repeats together
    assert data["answers"][0] == ["7", "29", "29", "7"]


def test_no_filter_that_keeps_the_repeats():
    found(chosen={"answers": "resps"}, notes=["note.texts"]).compare(HARNESS / MATH, {})
    data = at_k.read_results(HARNESS / MATH)
    assert data["answers"][0] == [
        " The answer is 7",
        " The answer is 29",
        " The answer is 29",
        " The answer is 7",
    ]
    extracted = data.map(
        lambda row: {
            "answers": [own and own[1] for own in map(re.compile(RULE).search, row["answers"])]
        }
    )
    check(extracted, read_expected()[MATH], silent=7)
    check(HARNESS / MATH, read_expected()[MATH], extract_fn=rf"(?s)^.*?{RULE}")


@for_each("name", ["score-first", "maj@3", "maj@4"])
def test_a_filter_that_votes_gives_one_sample(name):
    # The vote of the harness is that of the first k, the first answer wins a tie, and "[invalid]" votes. So it is not
    # our cons@k, but the answer and its verdict can be read.
    printed = read_expected()[MATH]["harness_printed"][f"exact_match,{name}"]
    report = at_k.score(HARNESS / MATH, filter=name)
    assert report.n == [1] * 6
    assert report.values["avg@1"] == pytest.approx(printed, abs=CLOSE)
    found(chosen={"filter": name}, notes=["lm_eval.vote"]).compare(HARNESS / MATH, {"filter": name})
    answers = read_samples(HARNESS / MATH, filter=name).answers
    assert answers[:2] == [["29" if name == "maj@3" else "7"], [None]]


def test_choices():
    expected = read_expected()[CHOICES]
    (report,) = check(HARNESS / CHOICES, expected).values()
    assert report.values["pass@1"] == pytest.approx(
        expected["harness_printed"]["acc,none"], abs=CLOSE
    )
    # Log-likelihoods are no answers.
    found(chosen={"scorer": "acc"}, notes=["collector.choice"], answers=None).compare(
        HARNESS / CHOICES, {}
    )
    found([[1], [0], [1], [0], [0]], notes=[]).compare(HARNESS / CHOICES, {"scorer": "acc_norm"})
    refused("format.no_choice", found="“acc”, “acc_norm”").compare(
        HARNESS / CHOICES, {"scorer": "f1"}
    )


def target(text, references, *notes):
    return ([{"target": text}], found(references=[references], notes=list(notes)))


GRADED = {
    "resps": [["x"]],
    "filtered_resps": ["7"],
    "metrics": ["bleu", "right"],
    "bleu": 31.5,
    "right": True,
}
DOC = {"level": "easy", "question": "?" * 101, "choices": ["a"], "year": 2024, "gold": "8"}
LIKELIHOODS = {"resps": [[["-1", "True"]], [["-2", "True"]]], "metrics": ["ppl"], "ppl": [1, 2]}
LEFT = found(answers=[["8"], ["7", "8"]], references=[["7"], ["7"]], skipped={"cells.answer": 1})
FIELD = "collector.field"

test_documents = over(
    {
        "one repeat is graded by the first metric that is 0 or 1": (
            [GRADED, GRADED | {"doc_id": 1, "right": None}],
            found([[1], [None]], answers=[["7"], ["7"]], roles={"grades": "right"}),
            ({"scorer": "bleu"}, refused("cells.grade", value="31.5", place="line 1")),
            ({"scorer": "bleu", "scale": (0, 100)}, found([[0.315], [0.315]])),
        ),
        "the first filter that keeps all repeats": (
            [
                {"filter": "first", "filtered_resps": ["7"]},
                {"filter": "strict"},
                {"filter": "flexible", "filtered_resps": [["7", "9"]]},
            ],
            found(answers=[["7", "8"]], chosen={"filter": "strict"}, notes=["collector.choice"]),
            ({"filter": "flexible"}, found(answers=[["7", "9"]])),
            (
                {"filter": "none"},
                refused("format.no_choice", found="“first”, “strict”, “flexible”"),
            ),
        ),
        "a text": target("18", ["18"]),
        "a solution": target("6 * 3 = 18\n#### 18", ["18"], "lm_eval.target"),
        "a solution without an end": target("#### ", ["#### "]),
        "a list": target("['a', 'b']", ["a", "b"], "lm_eval.target"),
        "a list with quotes": target(
            '["it\'s", \'"\', "\\\\n"]', ["it's", '"', "\\n"], "lm_eval.target"
        ),
        "an interval, perhaps": target("[0, 1]", ["[0, 1]"]),
        "an open list": target("['a', 'b'", ["['a', 'b'"]),
        "a list that Python cannot read": target("['\\x']", ["['\\x']"]),
        "two lists": target("['a'] or ['b']", ["['a'] or ['b']"]),
        "fields of the document": (
            [{"doc": DOC}, {"doc_id": 1, "doc": DOC | {"level": "hard"}}],
            found(
                meta=[
                    {"level": "easy", "year": 2024, "gold": "8"},
                    {"level": "hard", "year": 2024, "gold": "8"},
                ]
            ),
            (
                {"columns": {"group": "level", "references": "gold"}},
                found(group=["easy", "hard"], references=[["8"]] * 2),
            ),
            ({"columns": {"group": "question"}}, found(group=["?" * 101] * 2)),
            ({"columns": {"group": "subject"}}, refused("collector.no_field", field="“subject”")),
        ),
        "a document without the metric": (
            [
                GRADED,
                {"doc_id": 1, "resps": [["x"]], "filtered_resps": ["7"], "metrics": ["right"]},
            ],
            refused("collector.lack", field="“right”", place="line 2"),
        ),
        "a document twice": (
            [{}, {}],
            refused("collector.same_problem", first="line 1", place="line 2"),
        ),
        "other repeats": (
            [{}, {"doc_id": 1, "resps": [["x"]]}],
            refused(FIELD, name="“resps”", place="line 2"),
        ),
        "other answers": (
            [{}, {"doc_id": 1, "filtered_resps": [["7"]]}],
            refused(FIELD, name="“filtered_resps”", place="line 2"),
        ),
        "choices later": (
            [{}, {"doc_id": 1, "resps": [[["1", "True"]]]}],
            refused(FIELD, name="“resps”", place="line 2"),
        ),
        "filters that are cut": (
            [{}, {"filter": "b"}, {"doc_id": 1}],
            refused("lm_eval.lines", lines="2 of “all”, 1 of “b”"),
        ),
        "a filter whose name is a number": (
            [{}, {"filter": 7}],
            refused(FIELD, value="7", place="line 2"),
        ),
        "no target": (
            [{"target": None}],
            refused(FIELD, name="“target”", value="null", place="line 1"),
        ),
        "an answer that is a list": (
            [{"filtered_resps": [[["7"], "8"]]}, {"doc_id": 1}],
            refused("cells.answer"),
            ({"errors": "skip"}, LEFT),
        ),
        "a second answer that is a list": (
            [{"filtered_resps": [["8", ["7"]]]}, {"doc_id": 1}],
            refused("cells.answer"),
            ({"errors": "skip"}, LEFT),
        ),
        "log-likelihoods without a metric": (
            [LIKELIHOODS],
            refused("format.no_metric", metrics="“ppl”"),
        ),
        "metrics of all repeats": (
            [{}],
            found(grades=None),
            ({"scorer": "exact_match"}, refused("format.per_document", n="2")),
        ),
        "lines that are broken": (
            [{}, {"doc_id": 1, "target": None}, {"doc_id": 2}],
            refused(FIELD),
            ({"errors": "skip"}, found(problems=["0", "2"], skipped={FIELD: 1})),
        ),
        "a line that is cut": (
            b"\n".join(
                map(json.dumps(documents({})[0]).encode().__add__, [b"", b'\n{"doc_id": 3,'])
            ),
            refused("decoding.line"),
            ({"errors": "skip"}, found(skipped={"collector.same_problem": 1, "decoding.line": 1})),
        ),
        "lines longer than what is read at a time": (
            [{"doc_id": n, "resps": [["x" * 3_000_000, "y"]]} for n in range(3)],
            found(answers=[["7", "8"]] * 3),
        ),
    },
    documents,
)

DAYS = {
    f"{model}/samples_toy_2026-11-2{day}T10-51-56.618154.jsonl": documents({})
    for model in "ab"
    for day in (1, 2)
}

test_runs = over(
    {
        "two runs are more samples": (
            {name: own for name, own in DAYS.items() if name.startswith("a")},
            found(answers=[["7", "8", "7", "8"]]),
        ),
        "two models are not": (
            DAYS,
            refused("merging.models"),
            ({"pool": "model"}, found(answers=[["7", "8"] * 4])),
        ),
    }
)


def test_a_folder_of_several_tasks_is_refused():
    with pytest.raises(InputError) as caught:
        read_samples(HARNESS / FOLDER)
    assert caught.value.code == "merging.subject"
    for task in ("toy_all", "toy_math", "toy_mc"):
        assert re.search(rf"“{task}” \([^“]*samples_{task}_", str(caught.value))
