"""Options: which there are, where they may be given, and how modules share them."""

import inspect
import re
from pathlib import Path

import evaluate
import pytest
from cases import for_each
from modules import (
    ANSWERS,
    CONS_AT_K,
    GPASSK,
    GRADES,
    MODULES,
    PASS_AT_K,
    REFERENCES,
    SCORES,
    every_config,
    every_module,
)

import at_k
from at_k.options import OPTIONS

VALID = {
    "k": [1, 3],
    "thresholds": 0.3,
    "ties": "strict",
    "weights": [[1, 2, 3, 4]] * 2,
    "on_conflict": "majority",
    "select": "pareto",
    "score_weights": [1, 2],
    "higher_is_better": False,
}

SISTERS = [
    (module, option)
    for module in MODULES
    for option in OPTIONS
    if option not in module.options
]  # fmt: skip


def own_options(module):
    parameters = inspect.signature(type(module.load())._compute).parameters
    return [name for name in parameters if name not in ("self", "problems")]


def test_the_registry_is_complete():
    assert tuple(module.name for module in MODULES) == at_k.METRICS


def test_every_folder_of_metrics_is_a_module():
    folders = Path(PASS_AT_K.path).parent.iterdir()
    assert {path.name for path in folders if path.is_dir() and not path.name.startswith(("_", "."))} == set(
        at_k.METRICS
    )


def test_options_are_those_of_all_modules_together():
    assert {option for module in MODULES for option in own_options(module)} == set(OPTIONS)


@every_module
def test_a_module_spells_out_its_options(module):
    parameters = inspect.signature(type(module.load())._compute).parameters
    assert set(own_options(module)) == module.options
    assert all(parameters[option].kind is inspect.Parameter.KEYWORD_ONLY for option in module.options)
    assert {option: parameters[option].default for option in module.options} == {
        option: OPTIONS[option].default for option in module.options
    }


@every_module
@every_config
def test_options_given_at_load_time_become_defaults(module, config):
    columns = module.inputs(config)
    instance = module.load(config, k=[1, 3], key_style="plain", threshold=0.9)
    result = instance.compute(**columns)
    assert result == module.load(config).compute(**columns, k=[1, 3], key_style="plain", threshold=0.9)
    assert all("@" not in key for key in result)

    overridden = instance.compute(**columns, k=2, key_style="standard")
    assert overridden == module.load(config).compute(**columns, k=2, threshold=0.9)
    assert instance.compute(**columns) == result  # for that call alone


def test_a_default_may_be_restored():
    instance = PASS_AT_K.load(k=2)
    assert list(instance.compute(**PASS_AT_K.inputs(), k=None)) == ["pass@1", "pass@2", "pass@4"]


def test_instances_do_not_share_their_defaults():
    PASS_AT_K.load(k=[1, 3])
    assert list(PASS_AT_K.load(missing="error").compute(**PASS_AT_K.inputs())) == ["pass@1", "pass@2", "pass@4"]


@for_each("module, option", SISTERS)
def test_an_option_of_a_sister_module_is_ignored(module, option):
    expected = module.load().compute(**module.inputs())
    assert module.load().compute(**module.inputs(), **{option: VALID[option]}) == expected
    assert module.load(**{option: VALID[option]}).compute(**module.inputs()) == expected


@for_each("module, option", SISTERS)
def test_a_wrong_option_of_a_sister_module_is_refused(module, option):
    if option == "weights":  # whether weights fit depends on the samples of the vote
        return
    with pytest.raises((TypeError, ValueError), match=f"`{option}` must"):
        module.load().compute(**module.inputs(), **{option: object()})
    with pytest.raises((TypeError, ValueError), match=f"`{option}` must"):
        module.load(**{option: object()})


def test_a_wrong_option_of_one_combined_module_empties_none_of_them():
    for options in ({"ties": "most"}, {"thresholds": 2}, {"select": "all"}, {"k": 0}, {"key_style": "bare"}):
        combined = evaluate.combine([module.load(k=2) for module in MODULES])
        combined.add_batch(**columns("default"))
        with pytest.raises(ValueError, match=f"`{next(iter(options))}` must"):
            combined.compute(**options)
        assert [len(metric) for metric in combined.evaluation_modules] == [2] * len(MODULES)


@every_module
def test_a_column_of_a_sister_module_is_ignored(module):
    expected = module.compute()
    assert module.compute(scores=SCORES) == expected


@every_module
@for_each("option", ["taus", "num_samples", "K", "thresolds"])
def test_an_option_of_no_module_is_refused_with_the_valid_ones(module, option):
    rule = re.escape(f"`{option}`") + ".*" + ".*".join(OPTIONS)
    with pytest.raises(TypeError, match=rule):
        module.compute(**{option: 1})
    with pytest.raises(TypeError, match=rule):
        module.load(**{option: 1})


@every_module
@for_each("option", OPTIONS)
def test_the_documentation_of_a_module_lists_its_options(module, option):
    documented = re.findall(r"^ {4}(\w+) \(", module.load().inputs_description.partition("Returns:")[0], re.MULTILINE)
    assert (option in documented) == (option in module.options)


COMBINED = {
    "k": [1, 3],
    "thresholds": [0.5, 1.0],
    "ties": "strict",
    "higher_is_better": False,
    "groups": ["x_1", "x_2"],
    "key_style": "plain",
}


def columns(config):
    given = {"predictions": GRADES} if config == "graded" else {"predictions": ANSWERS, "references": REFERENCES}
    return {**given, "scores": SCORES}


@every_config
def test_combined_modules_equal_single_ones(config):
    combined = evaluate.combine([module.load(config) for module in MODULES])
    expected = {}
    for module in MODULES:
        own = {name: value for name, value in COMBINED.items() if name in module.options}
        expected |= module.load(config).compute(**module.inputs(config), **own)
    assert combined.compute(**columns(config), **COMBINED) == expected


@every_config
def test_combined_modules_with_a_prefix(config):
    combined = evaluate.combine([module.load(config) for module in MODULES], force_prefix=True)
    result = combined.compute(**columns(config), **COMBINED, return_details=True)
    for module in MODULES:
        own = {name: value for name, value in COMBINED.items() if name in module.options}
        alone = module.load(config).compute(**module.inputs(config), **own, return_details=True)
        assert {key: result.pop(f"{module.name}_{key}") for key in alone} == alone
    assert result == {}


def test_modules_are_combined_by_their_folders():
    combined = evaluate.combine([module.path for module in MODULES])
    result = combined.compute(**columns("default"), k=2)
    assert list(result) == [key for module in MODULES for key in module.compute()]


def test_combined_modules_take_batches():
    combined = evaluate.combine([module.load() for module in MODULES])
    for problem in range(2):
        combined.add_batch(**{name: column[problem : problem + 1] for name, column in columns("default").items()})
    result = combined.compute(**dict.fromkeys(columns("default")), k=2)
    assert result == {key: value for module in MODULES for key, value in module.compute().items()}


def test_combined_instances_keep_their_own_defaults():
    combined = evaluate.combine({"some": GPASSK.load(thresholds=0.5), "vote": CONS_AT_K.load(k=3)})
    result = combined.compute(predictions=ANSWERS, references=REFERENCES)
    assert list(result) == ["G-Pass@4_0.5", "mG-Pass@4", "cons@3"]
