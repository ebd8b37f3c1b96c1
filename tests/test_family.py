"""The registry: what it says of options and keys is what functions take and return, and no two lines look alike."""

import inspect

import pytest
from modules import every_module

from at_k import estimators, family
from at_k.family import METRICS, OUTPUTS
from at_k.options import COLUMNS, OPTIONS, SHARED_OPTIONS
from at_k.summary import spell


@every_module
def test_what_the_registry_says_of_options_is_what_functions_take(module):
    metric = module.metric
    taken = inspect.signature(metric.compute).parameters
    assert set(metric.own_options) <= set(taken)
    assert set(taken) <= {*metric.own_options, "verdicts", "scores", "seed"}
    assert ("scores" in taken) == metric.needs_scores
    assert set(SHARED_OPTIONS) <= set(metric.options)
    for name in metric.own_options:
        default = taken[name].default
        assert default == OPTIONS[name].default or (name == "k" and default is None)
    signature = inspect.signature(type(module.load())._compute).parameters
    assert [name for name in signature if name not in ("self", "problems")] == list(metric.options)
    assert set(metric.arguments) <= {*COLUMNS, *OPTIONS}


@every_module
def test_the_keys_that_the_registry_names_are_those_that_are_computed(module):
    options = {**module.metric.example.options}
    columns = {name: column for name, column in module.metric.example.columns.items() if name != "answers"}
    if "answers" in module.metric.example.columns:
        columns["predictions"] = module.metric.example.columns["answers"]
        found = module.load().compute(**columns, **options)
    else:
        found = module.load("graded").compute(predictions=columns.pop("grades"), **columns, **options)
    k, taus = options.get("k", [1]), options.get("thresholds", [1])
    assert list(found) == module.keys(k=tuple(k), n=4, taus=tuple(taus))


@pytest.mark.parametrize("value", ["passk", "", None, 7, "GPASSK", "x" * 100_000], ids=lambda value: str(value)[:10])
def test_unknown_metrics(value):
    listed = ", ".join(map(repr, METRICS))
    with pytest.raises(ValueError, match=f"^`name` must be one of {listed}; got "):
        family.find_metric(value)


def test_no_two_lines_look_alike():
    """Each has its own colour, and on paper its own marker and dashes too."""
    styles = [output.style for output in OUTPUTS.values() if output.style]
    styles += [tau.style for output in OUTPUTS.values() for tau in output.thresholds.values() if tau.style]
    colours = [style.colour for style in styles if style.colour]
    assert len(colours) == len(set(colours))
    for part in zip(*(style.pen for style in styles if style.pen), strict=True):
        assert len(part) == len(set(part))


def test_what_has_no_threshold_has_a_pen_if_it_is_drawn():
    for output in OUTPUTS.values():
        assert output.style is None or bool(output.style.pen) is not ("τ" in output.key), output.key
        assert all(output.label) or not output.of_module


def test_a_twin_is_the_same_number():
    (g_pass,) = (output for output in OUTPUTS.values() if output.thresholds)
    n, c = [5] * 6, range(6)
    for tau, threshold in g_pass.thresholds.items():
        if threshold.twin:
            twin = getattr(estimators, spell(threshold.twin, "plain"))
            for k in (1, 3, 5):
                assert twin(n, list(c), k=k).tolist() == estimators.g_pass_at_k(n, list(c), k=k, tau=tau).tolist()
