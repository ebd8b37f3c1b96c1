"""Every plug-in hands grades over as they are: its numbers are those of `at_k.score` on the same grades."""

from types import SimpleNamespace

import numpy as np
import pytest
from integrations import test_inspect_ai as inspect_ai, test_lighteval as lighteval
from integrations.fakes import load_plugin

import at_k
from at_k.integrations import lm_eval, nemo_gym, samples, trl, verifiers, verl
from at_k.values import spell


def draw_sets():
    """Draw soft data sets: of 1 to 5 problems with 1 to 7 samples each, with grades such as .25, .5 and 1."""
    rng = np.random.default_rng(35)
    for _ in range(200):
        levels = rng.choice([[0, 0.25, 0.5, 0.75, 1], [0, 0.3, 0.51, 0.9, 0.1]])
        answers = [rng.integers(0, 5, rng.integers(1, 8)).tolist() for _ in range(rng.integers(1, 6))]
        grades = [[float(levels[(answer + place) % 5]) for answer in row] for place, row in enumerate(answers)]
        yield grades, [[str(answer) for answer in row] for row in answers]


SETS = list(draw_sets())


def flatten(grades, answers):
    """List the samples one by one: the problem, the grade and the answer, those of all problems in turns."""
    rows = [
        (place, round_, own, answers[place][round_])
        for place, row in enumerate(grades)
        for round_, own in enumerate(row)
    ]
    return [(place, own, answer) for place, _, own, answer in sorted(rows, key=lambda row: row[1])]


def run_samples(grades, answers):
    return samples.measure_samples(*zip(*flatten(grades, answers), strict=True))


def run_inspect_ai(grades, answers):
    read = inspect_ai.SampleScore
    scores = [read(inspect_ai.Score(own, answer), place) for place, own, answer in flatten(grades, answers)]
    return PLUGINS["inspect_ai"].at_k()(scores)


def run_evalscope(grades, answers):
    made = [
        SimpleNamespace(group_id=place, score=SimpleNamespace(value={"acc": own}, extracted_prediction=answer))
        for place, own, answer in flatten(grades, answers)
    ]
    return {each.aggregation: each.score for each in PLUGINS["evalscope"].AtK()(made)}


def run_lighteval(grades, answers):
    """The scoring function looks the grade of an answer up."""
    documents = [
        (lighteval.Doc([dict(zip(texts, own, strict=True))]), texts) for own, texts in zip(grades, answers, strict=True)
    ]
    metric = PLUGINS["lighteval"].at_k(
        n=7,
        normalize=lambda text: text,
        sample_scoring_function=lambda doc, model_response: doc.choices[0][model_response.text[0]],
    )
    return lighteval.measure(metric, documents)


def run_opik(grades, answers):
    made = [
        SimpleNamespace(
            test_case=SimpleNamespace(dataset_item_id=place),
            score_results=[SimpleNamespace(name="soft", value=own, scoring_failed=False)],
        )
        for place, own, _ in flatten(grades, answers)
    ]
    return {each.name.removeprefix("soft "): each.value for each in PLUGINS["opik"].score_experiment(made)}


def run_nemo_gym(grades, answers):
    class Server(nemo_gym.AtKMetrics, type("Server", (), {"compute_metrics": lambda self, tasks: {}})):
        def find_answer(self, rollout):
            return rollout["answer"]

    return Server().compute_metrics([
        [{"reward": own, "answer": text} for own, text in zip(row, texts, strict=True)]
        for row, texts in zip(grades, answers, strict=True)
    ])  # fmt: skip


def run_verifiers(grades, answers):
    made = [
        SimpleNamespace(
            task=SimpleNamespace(key="k", data=SimpleNamespace(idx=place)),
            ok=True,
            traces=[SimpleNamespace(rewards={"all": own}, reward=own, answer=answer)],
        )
        for place, own, answer in flatten(grades, answers)
    ]
    return verifiers.measure_episodes(made, lambda trace: trace.answer)


def run_verl(grades, answers):
    places, rewards, texts = map(list, zip(*flatten(grades, answers), strict=True))
    base = type("Trainer", (), {"_val_metrics_update": lambda *_, **__: {}})
    trainer = type("Own", (verl.ValidationMixin, base), {})()
    found = trainer._val_metrics_update(["s"] * len(places), places, {"reward": rewards, "pred": texts}, [])
    return {key.removeprefix("val-core/s/at_k/"): value for key, value in found.items()}


def run_trl(grades, answers):
    logged = {}
    rewards = [own for row in grades for own in row]
    function = trl.log_at_k(lambda **_: rewards, find_answer=lambda text: text)
    prompts = [str(place) for place, row in enumerate(grades) for _ in row]
    function(prompts=prompts, completions=[text for row in answers for text in row], log_metric=logged.__setitem__)
    return {key.removeprefix("at_k/"): value for key, value in logged.items()}


RUNS = {
    "measure_samples": run_samples,
    "inspect_ai": run_inspect_ai,
    "evalscope": run_evalscope,
    "lighteval": run_lighteval,
    "opik": run_opik,
    "nemo_gym": run_nemo_gym,
    "verifiers": run_verifiers,
    "verl": run_verl,
    "trl": run_trl,
}
WITHOUT_ANSWERS = ("opik",)
PLUGINS = {}


@pytest.fixture(autouse=True)
def plugins(monkeypatch):
    """Load the plug-ins whose harnesses are not installed, with the classes that they use of them."""
    register = lambda *_, **__: lambda function: function  # noqa: E731
    modules = {
        "inspect_ai": {"inspect_ai.scorer": {
            "Score": inspect_ai.Score, "SampleScore": inspect_ai.SampleScore, "metric": register,
            "score_reducer": register, "value_to_float": lambda: float,
        }},
        "evalscope": {
            "evalscope.api.metric": {"Aggregator": object, "SampleScore": object, "AggScore": SimpleNamespace},
            "evalscope.api.registry": {
                "get_aggregation": lambda name: lambda: lambda scores: [], "register_aggregation": register,
            },
        },
        "lighteval": lighteval.MODULES,
        "opik": {"opik.evaluation.metrics.score_result": {"ScoreResult": SimpleNamespace}},
    }  # fmt: skip
    PLUGINS.update({name: load_plugin(monkeypatch, name, own) for name, own in modules.items()})


def list_values(data, **options):
    """List what a plug-in should report: mG-Pass@1 is always 0."""
    values = at_k.score(data, confidence_level=None, **options).values
    return {str(key): value for key, value in values.items() if key != "mG-Pass@1"}


@pytest.fixture(scope="module")
def scored():
    """The values of every set with its answers, and without."""
    return {
        voted: [list_values({"grades": grades} | ({"answers": answers} if voted else {})) for grades, answers in SETS]
        for voted in (True, False)
    }


@pytest.mark.parametrize("name", RUNS)
def test_the_numbers_are_those_of_score(name, scored):
    differ = 0
    for (grades, answers), values in zip(SETS, scored[name not in WITHOUT_ANSWERS], strict=True):
        found = RUNS[name](grades, answers)
        style = "plain" if name == "evalscope" else "standard"
        expected = {spell(key, style): value for key, value in values.items()}
        limits = ("_stderr", "_ci_low", "_ci_high")
        assert {key: found[key] for key in found if not key.endswith(limits)} == pytest.approx(expected, abs=1e-12)
        differ += expected.get("accuracy", 0) != np.mean([np.mean(np.array(row) > 0.5) for row in grades])
    assert name == "evalscope" or differ > len(SETS) * 0.9  # the mean grade is not the share of correct samples


def test_lm_eval_has_the_numbers_of_each_document():
    """lm-eval hands one document over at a time, with its texts; a function gives the grades."""
    for grades, answers in SETS:
        own = dict(zip(answers[0], grades[0], strict=True))
        options = {"check_correct_fn": lambda answer, _, own=own: own[answer]}
        found = lm_eval.at_k(references=["-"], predictions=[answers[0]], **options)
        assert found == list_values({"answers": [answers[0]], "references": ["-"]}, **options)
