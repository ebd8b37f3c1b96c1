"""Plug-ins of harnesses, called as these do: the numbers are those of `at_k.score` on the same grades.

As far as they are used: inspect_ai 0.3.285, evalscope 1.14.1, lighteval 0.13.0, opik 2.2.122, Harbor 0.25,
lm-eval 0.4.13, NeMo Gym 0.4, verifiers 0.4.0.
"""

import asyncio
import json
from collections import namedtuple
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each, refuses
from integrations.fakes import load_plugin

import at_k
from at_k.integrations import lm_eval, nemo_gym, samples, trl, verifiers, verl
from at_k.values import spell

REGISTERED = {}


def register(**about):
    """Remember what is registered under a name, as the decorators of inspect_ai do."""
    return lambda function: REGISTERED.update({about["name"]: about}) or function


Score = namedtuple("Score", "value answer", defaults=[None])
SampleScore = namedtuple("SampleScore", "score sample_id")


class SamplingMetric:
    def __init__(self, normalize, sample_scoring_function):
        self.normalize = normalize
        self.compute_score = getattr(sample_scoring_function, "compute", sample_scoring_function)

    def preprocess(self, text):
        return self.normalize(text) if text and self.normalize is not None else text


class ExactMatches:
    def compute(self, doc, model_response):
        return int(
            any(text == doc.choices[i] for text in model_response.text for i in doc.gold_index)
        )


@dataclass
class Doc:
    choices: list
    gold_index: list = field(default_factory=lambda: [0])


class Response(SimpleNamespace):
    @property
    def final_text(self):
        return self.text


FAKES = {
    "inspect_ai": {"inspect_ai.scorer": {
        "Score": Score, "SampleScore": SampleScore, "metric": register, "score_reducer": register,
        "value_to_float": lambda: lambda value: {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}.get(value, value),
    }},
    "evalscope": {
        "evalscope.api.metric": {"Aggregator": object, "SampleScore": object, "AggScore": SimpleNamespace},
        "evalscope.api.registry": {
            "get_aggregation": lambda name: lambda: lambda scores: [name],
            "register_aggregation": lambda _: lambda kind: kind,
        },
    },
    "lighteval": {
        "lighteval.metrics.metrics_corpus": {"CorpusLevelComputation": object},
        "lighteval.metrics.metrics_sample": {
            "ExactMatches": ExactMatches, "SamplingMetric": SamplingMetric,
            "SampleLevelComputation": type("SampleLevelComputation", (), {}),
        },
        "lighteval.metrics.utils.metric_utils": {"CorpusLevelMetric": SimpleNamespace},
        "lighteval.models.model_output": {"ModelResponse": Response},
        "lighteval.tasks.requests": {"Doc": Doc, "SamplingMethod": SimpleNamespace(GENERATIVE="generative")},
    },
    "opik": {"opik.evaluation.metrics.score_result": {"ScoreResult": SimpleNamespace}},
    "harbor": {"harbor.models.job.plugin": {"BaseJobPlugin": object}},
}  # fmt: skip
"""The classes and functions that the plug-ins use of harnesses that are not installed."""

PLUGINS = {}


@pytest.fixture(scope="module", autouse=True)
def _plugins():
    with pytest.MonkeyPatch.context() as patched:
        PLUGINS.update(
            {name: load_plugin(patched, name, modules) for name, modules in FAKES.items()}
        )
        yield


def draw_sets():
    """Draw soft data sets: of 1 to 5 problems with 1 to 7 samples each, with grades such as .25, .5 and 1."""
    rng = np.random.default_rng(35)
    for _ in range(80):
        levels = rng.choice([[0, 0.25, 0.5, 0.75, 1], [0, 0.3, 0.51, 0.9, 0.1]])
        answers = [
            rng.integers(0, 5, rng.integers(1, 8)).tolist() for _ in range(rng.integers(1, 6))
        ]
        grades = [
            [float(levels[(answer + place) % 5]) for answer in row]
            for place, row in enumerate(answers)
        ]
        yield grades, [[str(answer) for answer in row] for row in answers]


SETS = list(draw_sets())


def flatten(grades, answers):
    """List the samples one by one: the problem, the grade and the answer, those of all problems in turns."""
    places = [(turn, place) for place, row in enumerate(grades) for turn in range(len(row))]
    return [(place, grades[place][turn], answers[place][turn]) for turn, place in sorted(places)]


def run_samples(grades, answers):
    return samples.measure_samples(*zip(*flatten(grades, answers), strict=True))


def run_inspect_ai(grades, answers, **options):
    scores = [
        SampleScore(Score(own, answer), place) for place, own, answer in flatten(grades, answers)
    ]
    return PLUGINS["inspect_ai"].at_k(**options)(scores)


def aggregate(rows):
    """Call evalscope's aggregation on rows of (group, values by name, answer)."""
    made = [
        SimpleNamespace(
            group_id=group,
            sample_id=0,
            score=SimpleNamespace(value=values, extracted_prediction=answer),
        )
        for group, values, answer in rows
    ]
    return PLUGINS["evalscope"].AtK()(made)


def run_evalscope(grades, answers):
    _, *own = aggregate(
        (place, {"acc": own}, answer) for place, own, answer in flatten(grades, answers)
    )
    return {each.aggregation: each.score for each in own}


def measure(metric, documents):
    """Call a metric as lighteval does: each document, then all of them."""
    items = [
        metric.sample_level_fn.compute(doc=doc, model_response=Response(text=texts))
        for doc, texts in documents
    ]
    return metric.corpus_level_fn.compute_corpus(items)


def run_lighteval(grades, answers):
    """The scoring function looks the grade of an answer up."""
    rows = zip(grades, answers, strict=True)
    documents = [(Doc([dict(zip(texts, own, strict=True))]), texts) for own, texts in rows]
    look_up = lambda doc, model_response: doc.choices[0][model_response.text[0]]  # noqa: E731
    metric = PLUGINS["lighteval"].at_k(
        n=7, normalize=lambda text: text, sample_scoring_function=look_up
    )
    return measure(metric, documents)


def run_opik(grades, answers, failed=()):
    made = [
        SimpleNamespace(
            test_case=SimpleNamespace(dataset_item_id=place),
            trial_id=0,
            score_results=[
                SimpleNamespace(name="soft", value=own, scoring_failed=number in failed)
            ],
        )
        for number, (place, own, _) in enumerate(flatten(grades, answers))
    ]
    return {
        each.name.removeprefix("soft "): each.value
        for each in PLUGINS["opik"].score_experiment(made)
    }


class Server:
    def compute_metrics(self, tasks):
        return {"own": len(tasks)}


PlainServer = type("PlainServer", (nemo_gym.AtKMetrics, Server), {})


class MathServer(nemo_gym.AtKMetrics, Server):
    def find_answer(self, rollout):
        return rollout["answer"]


def run_nemo_gym(grades, answers):
    found = MathServer().compute_metrics(
        [
            [{"reward": own, "answer": text} for own, text in zip(row, texts, strict=True)]
            for row, texts in zip(grades, answers, strict=True)
        ]
    )
    assert found.pop("own") == len(grades)
    return found


def make_episode(idx, *scores, ok=True, key="k", answer="", traces=1):
    rewards = {
        str(i): None if score is None else SimpleNamespace(value=score)
        for i, score in enumerate(scores)
    }
    total = sum(each.value for each in rewards.values() if each is not None)
    trace = SimpleNamespace(rewards=rewards, reward=total, answer=answer)
    task = SimpleNamespace(key=key, data=SimpleNamespace(idx=idx))
    return SimpleNamespace(task=task, ok=ok, traces=[trace] * traces)


def run_verifiers(grades, answers):
    made = [
        make_episode(place, own, answer=answer) for place, own, answer in flatten(grades, answers)
    ]
    return verifiers.measure_episodes(made, lambda trace: trace.answer)


def run_verl(grades, answers):
    places, rewards, texts = map(list, zip(*flatten(grades, answers), strict=True))
    base = type("Trainer", (), {"_val_metrics_update": lambda *_, **__: {}})
    trainer = type("Own", (verl.ValidationMixin, base), {})()
    found = trainer._val_metrics_update(
        ["s"] * len(places), places, {"reward": rewards, "pred": texts}, []
    )
    return {key.removeprefix("val-core/s/at_k/"): value for key, value in found.items()}


def run_trl(grades, answers):
    size = max(map(len, grades))

    def fill(rows):  # groups have one size; a completion that no function judged leaves its group
        return [each for row in rows for each in [*row, *[None] * (size - len(row))]]

    logged = {}
    rewards = fill(grades)
    function = trl.log_at_k(
        lambda **_: rewards, find_answer=lambda text: text, num_generations=size
    )
    function(prompts=[""] * len(rewards), completions=fill(answers), log_metric=logged.__setitem__)
    return {key.removeprefix("at_k/"): value for key, value in logged.items()}


RUNS = [
    run_samples, run_inspect_ai, run_evalscope, run_lighteval, run_opik, run_nemo_gym, run_verifiers, run_verl,
    run_trl,
]  # fmt: skip


def list_values(data, **options):
    """List what a plug-in should report: mG-Pass@1 is always 0."""
    values = at_k.score(data, confidence_level=None, **options).values
    return {str(key): value for key, value in values.items() if key != "mG-Pass@1"}


@pytest.fixture(scope="module")
def scored():
    """The values of every set with its answers, and without."""
    return {
        voted: [
            list_values({"grades": grades} | ({"answers": answers} if voted else {}))
            for grades, answers in SETS
        ]
        for voted in (True, False)
    }


@pytest.mark.parametrize("run", RUNS)
def test_the_numbers_are_those_of_score(run, scored):
    differ, style = 0, "plain" if run is run_evalscope else "standard"
    for (grades, answers), values in zip(SETS, scored[run is not run_opik], strict=True):
        found = run(grades, answers)
        expected = {spell(key, style): value for key, value in values.items()}
        limits = ("_stderr", "_ci_low", "_ci_high")
        assert {key: found[key] for key in found if not key.endswith(limits)} == pytest.approx(
            expected, abs=1e-12
        )
        differ += expected.get("accuracy", 0) != np.mean(
            [np.mean(np.array(row) > 0.5) for row in grades]
        )
    assert (
        run is run_evalscope or differ > len(SETS) * 0.9
    )  # the mean grade is not the share of correct samples


@for_each("run", [run_inspect_ai, run_lighteval, run_verifiers])
def test_values_have_intervals(run):
    found = run([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [list("778"), list("123")])
    assert found["pass@2_ci_low"] < found["pass@2"] == 0.5 < found["pass@2_ci_high"]


def test_entry_points_load_the_plugins_and_inspect_ai_registers_them():
    (module,), (plugin,) = (entry_points(group=group) for group in ("inspect_ai", "harbor.plugins"))
    assert (module.name, module.load()) == ("at_k", PLUGINS["inspect_ai"])
    assert (plugin.name, plugin.load()) == ("at-k", PLUGINS["harbor"].ReportPlugin)
    assert REGISTERED["at_k"] == {"name": "at_k", "scores": "unreduced"}
    assert {"cons", "g_pass"} < set(REGISTERED)


def test_accuracy_is_the_mean_score_as_in_inspect_ai():
    """inspect_ai's own `accuracy` is the mean over samples of the mean over epochs, with “P” as ½."""
    numbers = run_inspect_ai(
        [["C", "P", "I"], [0.2, float("nan"), "P"]], [["7", "7", "9"], [None] * 3], k=1
    )
    assert numbers["accuracy"] == pytest.approx(((1 + 0.5 + 0) / 3 + (0.2 + 0.5) / 2) / 2)
    assert numbers["pass@1"] == pytest.approx(1 / 6)
    assert "mG-Pass@1" not in numbers


@for_each("options", [{"k": [0]}, {"k": "8"}, {"metrics": ["bogus"]}, {"correct_above": "a"}])
def test_wrong_options_are_refused_when_the_metric_is_made(options):
    with pytest.raises((TypeError, ValueError)):
        PLUGINS["inspect_ai"].at_k(**options)


@for_each("reducer, options, letters, answers, value", [
    ("cons", {"k": 3}, "CCI", "779", 1),
    ("cons", {"k": 1}, "CIC", "777", 1),  # scored twice
    ("g_pass", {"k": 2}, "CCI", "779", 1 / 3),
    ("g_pass", {"k": 2, "thresholds": 0.5}, "CCI", "779", 1),
    ("cons", {"k": 2}, ["C", float("nan")], ["7", None], None),  # too few scored epochs
])  # fmt: skip
def test_reducers_of_inspect_ai(reducer, options, letters, answers, value):
    reduce = getattr(PLUGINS["inspect_ai"], reducer)(**options)
    found = reduce([Score(*each) for each in zip(letters, answers, strict=True)]).value
    assert found == pytest.approx(float("nan") if value is None else value, nan_ok=True)
    several = [SampleScore(Score({"a": 1, "b": 0}), "p")]
    refuses("TypeError: scores with one value", PLUGINS["inspect_ai"].at_k(), several)


def test_evalscope_reports_every_metric_of_the_samples():
    mean, *own = aggregate(
        [(0, {"acc": 1, "f1": 0.2}, "7"), (0, {"acc": 0, "f1": 0.9}, "8"), (1, {"acc": 0}, "")]
    )
    assert mean == "mean"  # evalscope's own, which its benchmarks take for their conclusion
    found = {(each.metric_name, each.aggregation): each for each in own}
    assert found["acc", "pass_at_1"].score == found["acc", "cons_at_1"].score == 0.25
    assert found["f1", "pass_at_2"].score == 1
    assert (found["acc", "pass_at_1"].num, found["f1", "pass_at_1"].num) == (3, 2)
    limits = found["acc", "pass_at_1"].metadata
    assert limits["ci_low"] < limits["stderr"] == 0.25 < limits["ci_high"]
    assert aggregate([(0, {"acc": None}, "7")]) == ["mean"]  # samples that were not scored


def test_lighteval_asks_for_samples_and_normalizes_golds_as_texts():
    make = PLUGINS["lighteval"].at_k
    metric = make(n=8)
    assert isinstance(metric.sample_level_fn, SamplingMetric)
    assert metric.sample_level_fn.num_samples() == 8
    documents = [
        (Doc(["7", "8"]), ["7", "8", "7", "9"]),
        (Doc(["1", "2", "3"], [1, 2]), ["1", "2", "3", ""]),
    ]
    found = measure(make(n=4, k=[2, 4]), documents)
    assert found["pass@2"] == pytest.approx(5 / 6)  # either has two right ones of four
    assert found["cons@4"] == pytest.approx(
        5 / 6
    )  # 7 wins; of 1, 2 and 3, with a vote each, two are gold
    last_word = measure(
        make(n=2, normalize=lambda text: text.split()[-1]), [(Doc(["so 7"]), ["it is 7", "or 8"])]
    )
    assert last_word["pass@1"] == 0.5


def test_a_scoring_function_of_ones_own_in_lighteval():
    def score(doc, model_response):
        return 0.75 if doc.choices[0] in model_response.text[0] else 0.25

    documents, make = [(Doc(["7"]), ["it is 7", "7, I think", "8"])], PLUGINS["lighteval"].at_k
    found = measure(make(n=3, k=3, sample_scoring_function=score), documents)
    assert "cons@3" not in found  # whole texts are no answers
    assert found["avg@3"] == pytest.approx(2 / 3)
    assert (
        measure(make(n=3, k=3, sample_scoring_function=score, normalize=str.strip), documents)[
            "cons@3"
        ]
        < 1
    )
    assert (
        measure(make(n=3, correct_above=0.8, sample_scoring_function=score), documents)["pass@1"]
        == 0
    )


def test_opik_leaves_out_scores_that_failed():
    found = run_opik([[1.0, 0.0], [0.0, 0.0, 1.0]], [[""] * 2, [""] * 3], failed=[4])
    assert (found["pass@1"], found["pass@2"]) == (0.25, 0.5)
    assert PLUGINS["opik"].score_experiment([]) == []


def test_harbor_prints_the_report_of_a_job_and_does_not_fail_without_results(tmp_path, capsys):
    async def run():
        plugin = PLUGINS["harbor"].ReportPlugin()
        await plugin.on_job_start(SimpleNamespace(job_dir=tmp_path))
        await plugin.on_job_end(None)

    asyncio.run(run())
    assert capsys.readouterr().out.startswith("at-k: ")
    rows = [{"problem": "a", "grades": 1}, {"problem": "a", "grades": 0}]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asyncio.run(run())
    assert capsys.readouterr().out == f"{at_k.score(tmp_path)}\n"


def test_lm_eval_has_the_numbers_of_each_document():
    """lm-eval hands one document over at a time, with its texts; a function gives the grades."""
    for grades, answers in SETS:
        own = dict(zip(answers[0], grades[0], strict=True))
        options = {"check_correct_fn": lambda answer, _, own=own: own[answer]}
        found = lm_eval.at_k(references=["-"], predictions=[answers[0]], **options)
        assert found == list_values({"answers": [answers[0]], "references": ["-"]}, **options)
        assert all(type(key) is str for key in found)


@for_each("references, predictions, options, expected", [
    (["2"], [["1", "2", "3", "2"]], {"k": [2]}, {"pass@2": 5 / 6}),  # one of six pairs has no 2
    (["2"], [["[invalid]", "2", "[invalid]"]], {}, {"cons@3": 1, "avg@3": 1 / 3}),  # what was not found casts no vote
    *[([2], [one], {}, {"pass@1": 1}) for one in ("2", ["2"])],
    (["0.5"], [["1/2", "50%"]], {"equivalence": "numeric", "check_correct_fn": "numeric", "metrics": "pass_at_k"},
     {"pass@1": 1, "pass@2": 1}),
])  # fmt: skip
def test_documents_of_lm_eval(references, predictions, options, expected):
    found = lm_eval.at_k(references=references, predictions=predictions, **options)
    assert {key: found[key] for key in expected} == pytest.approx(expected)


@for_each("server, tasks, expected, without", [
    (MathServer, [[(1.0, "7"), (0.0, None)], [(0.0, "1"), (0.0, "1")]],
     {"own": 2, "pass@1": 0.25, "pass@2": 0.5, "cons@2": 0.5}, ""),
    (PlainServer, [[(1.0, "7"), (1.0, "7"), (0.0, "1")]], {"pass@2": 1}, "cons@2"),  # the rewards alone decide
    (PlainServer, [[(1.0, ""), (1.0, ""), (0.0, None, True)]], {"pass@1": 1}, ""),  # a masked one is left out
])  # fmt: skip
def test_tasks_of_nemo_gym(server, tasks, expected, without):
    names = ("reward", "answer", "mask_sample")
    found = server().compute_metrics(
        [[dict(zip(names, each, strict=False)) for each in task] for task in tasks]
    )
    assert {key: found[key] for key in expected} == expected
    assert without not in found


def test_episodes_of_verifiers():
    episodes = [
        make_episode(0, 1.0),
        make_episode(1, 0.0),
        make_episode(0, 0.5, 0.25),
        make_episode(1, 0.0),
    ]
    assert verifiers.measure_episodes([*episodes, make_episode(0, 0.0)], k=2)["pass@2"] == 0.5
    by_key = [make_episode(None, 1.0, key="a"), make_episode(None, 0.0, key="b")]
    assert verifiers.measure_episodes(by_key)["pass@1"] == 0.5
    for unscored in (
        make_episode(0, 0.0, ok=False),
        make_episode(0, 1.0, None),
        make_episode(0),
        make_episode(0, 1.0, traces=0),
    ):
        assert verifiers.measure_episodes([make_episode(0, 1.0), unscored])["accuracy"] == 1
