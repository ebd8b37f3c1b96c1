"""The classes of lighteval 0.13.0, as far as they are used."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from integrations.fakes import load_plugin


class SamplingMetric:
    def __init__(self, normalize, sample_scoring_function):
        self.normalize = normalize
        self.compute_score = getattr(sample_scoring_function, "compute", sample_scoring_function)

    def preprocess(self, text):
        return self.normalize(text) if text and self.normalize is not None else text


class ExactMatches:
    def compute(self, doc, model_response):
        return int(any(text == doc.choices[i] for text in model_response.text for i in doc.gold_index))


@dataclass
class Doc:
    choices: list
    gold_index: list = field(default_factory=lambda: [0])


class Response(SimpleNamespace):
    @property
    def final_text(self):
        return self.text


MODULES = {
    "lighteval.metrics.metrics_corpus": {"CorpusLevelComputation": object},
    "lighteval.metrics.metrics_sample": {
        "ExactMatches": ExactMatches,
        "SampleLevelComputation": type("SampleLevelComputation", (), {}),
        "SamplingMetric": SamplingMetric,
    },
    "lighteval.metrics.utils.metric_utils": {"CorpusLevelMetric": SimpleNamespace},
    "lighteval.models.model_output": {"ModelResponse": Response},
    "lighteval.tasks.requests": {"Doc": Doc, "SamplingMethod": SimpleNamespace(GENERATIVE="generative")},
}


@pytest.fixture
def make(monkeypatch):
    return load_plugin(monkeypatch, "lighteval", MODULES).at_k


def measure(metric, documents):
    """Call a metric as lighteval does: each document, then all of them."""
    items = [metric.sample_level_fn.compute(doc=doc, model_response=Response(text=texts)) for doc, texts in documents]
    return metric.corpus_level_fn.compute_corpus(items)


def test_it_asks_for_samples(make):
    metric = make(n=8)
    assert isinstance(metric.sample_level_fn, SamplingMetric)
    assert metric.sample_level_fn.num_samples() == 8


def test_numbers_of_all_documents(make):
    documents = [(Doc(["7", "8"]), ["7", "8", "7", "9"]), (Doc(["1", "2", "3"], [1, 2]), ["1", "2", "3", ""])]
    found = measure(make(n=4, k=[2, 4]), documents)
    assert found["pass@2"] == pytest.approx(5 / 6)  # either has two right ones of four
    assert found["cons@4"] == pytest.approx(5 / 6)  # 7 wins; of 1, 2 and 3, with a vote each, two are gold
    assert found["pass@2_ci_low"] < 5 / 6 < found["pass@2_ci_high"]


def test_golds_are_normalized_as_texts_are(make):
    found = measure(make(n=2, normalize=lambda text: text.split()[-1]), [(Doc(["so 7"]), ["it is 7", "or 8"])])
    assert found["pass@1"] == 0.5


def test_a_function_of_ones_own(make):
    def score(doc, model_response):
        return 0.75 if doc.choices[0] in model_response.text[0] else 0.25

    documents = [(Doc(["7"]), ["it is 7", "7, I think", "8"])]
    found = measure(make(n=3, k=3, sample_scoring_function=score), documents)
    assert "cons@3" not in found  # whole texts are no answers
    assert found["avg@3"] == pytest.approx(2 / 3)
    assert measure(make(n=3, k=3, sample_scoring_function=score, normalize=str.strip), documents)["cons@3"] < 1
    assert measure(make(n=3, threshold=0.8, sample_scoring_function=score), documents)["pass@1"] == 0
