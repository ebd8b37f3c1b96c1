"""Options: where each is offered, what their declarations, signatures and documents say, and what is refused."""

import inspect
import pydoc
import re
from functools import partial
from pathlib import Path
from typing import get_args

import evaluate
import numpy as np
import pytest
from cases import for_each, refuses
from modules import BEST_AT_K, CONS_AT_K, GPASSK, MODULES, every_config, every_module

import at_k
from at_k import columns, family
from at_k.cli import commands
from at_k.cli.options import FLAGS
from at_k.demo.scoring import OFFERED as ON_PAGES
from at_k.family import METRICS, OUTPUTS
from at_k.grading import judge
from at_k.options import registry as options
from at_k.options.registry import (
    COLUMNS,
    COMPARING,
    FIRST,
    GATING,
    JUDGING,
    OPTIONS,
    PLANNING,
    RANKING,
    READING,
    SCORING,
)
from at_k.validation import KINDS, UNLIMITED
from at_k.values import spell

RARE = "rare; Python has it"
OF_FILES = "modules are given columns, not files"
MODULES_OWN = dict.fromkeys(("return_details", "key_style"), "a result is a report, which has both")
OWN_ROWS = "its own columns are the rows of a data set"
IN_FILE = {"weights": "no column of a file holds weights", "rows": OWN_ROWS, **MODULES_OWN}
OF_SCORES = dict.fromkeys(("select", "score_weights", "higher_is_better"), RARE)
UNSEEN = {"seed": RARE, **OF_SCORES, **IN_FILE}
NO_BARS = dict.fromkeys(
    ("confidence_level", "target", "clusters", "ci_method"), "no interval is shown"
)
ALL = "all are looked at"
OWN_BARS = {"ci_method": "a difference has intervals of its own"}
OF_OTHERS = {**OWN_BARS, "target": "it is about other problems"}
REQUIRED = dict.fromkeys(("k", "thresholds"), "the requirements say which numbers are needed")
WITHOUT_PLAN = [*(SCORING.keys() - at_k.plan.options.keys()), "weights"]
NO_COUNTS = dict.fromkeys(WITHOUT_PLAN, "changes no count of correct samples") | {"rows": OWN_ROWS}
TOGETHER = {"groups": "all problems are looked at together"}
NO_GROUPS = {**TOGETHER, "audited": "reports, comparisons and gates are audited"}

NOT_OFFERED = {
    "modules": {
        **dict.fromkeys(READING, OF_FILES),
        "metrics": "a module is one metric",
        "sampling": "a module computes what it is asked for",
        "audited": "modules are given columns; `at_k.uncertainty.intervals.correct_by_audit` takes their details",
        "seed": "an argument of evaluate.load",
    },
    "at_k.score": IN_FILE,
    "at_k.diagnose": IN_FILE,
    "at_k.compare": {**IN_FILE, **OWN_BARS, **TOGETHER},
    "at_k.rank": {**IN_FILE, **OF_OTHERS, **NO_GROUPS},
    "at_k.gate": {**IN_FILE, **OWN_BARS, **TOGETHER, **REQUIRED},
    "at_k.plan": {**NO_COUNTS, **MODULES_OWN},
    "at-k score": UNSEEN,
    "at-k plot": {**UNSEEN, **NO_BARS, **NO_GROUPS, "k": "a curve is drawn over every k"},
    "at-k compare": {**UNSEEN, **OWN_BARS, **TOGETHER},
    "at-k gate": {**UNSEEN, **OWN_BARS, **TOGETHER, **REQUIRED},
    "at-k plan": {**NO_COUNTS, **UNSEEN},
    "at-k diagnose": {**UNSEEN, **NO_BARS, **NO_GROUPS, "metrics": ALL, "thresholds": ALL},
    "the page Score": {
        **dict.fromkeys(("extract_reference", "seed", "clusters", "ci_method"), RARE),
        "audited": RARE,
        "reduce": RARE,
        "exclude": "it names a file on the visitor's machine",
        **dict.fromkeys(("num_workers", "timeout", "format"), "the page sets it"),
        "prompt_column": "the page runs no programs",
        **IN_FILE,
    },
}
"""Place → the options that are not offered there, each with its reason."""

_SHARED = ("score", "diagnose", "compare", "plan", "gate")
OFFERED = {
    "modules": OPTIONS,
    **{f"at_k.{name}": getattr(at_k, name).options for name in (*_SHARED, "rank")},
    **{f"at-k {name}": getattr(commands, name).options for name in (*_SHARED, "plot")},
    "the page Score": ON_PAGES,
}


@for_each("place", OFFERED)
def test_every_option_is_offered_or_there_is_a_reason(place):
    assert {*OPTIONS, *SCORING} - {*OFFERED[place]} == {*NOT_OFFERED[place]}


@for_each("registry", [SCORING, COMPARING, RANKING, GATING, PLANNING, OPTIONS])
def test_declarations(registry):
    for name, option in registry.items():
        assert (name, option.text[0], option.text[-1] in ".?") == (
            option.name,
            option.text[0].lower(),
            True,
        )
        option.refuse_wrong(option.default)
        if option.choices and option.default is not None:
            assert option.default in option.choices
        if (
            option.metavar is not None and option.name in FLAGS
        ):  # then it has no list of the choices
            usage = option.usage.replace("_", "-")
            assert [
                choice for choice in option.choices if choice.replace("_", "-") not in usage
            ] == []


def test_the_command_has_the_defaults_of_the_library():
    parameters = inspect.signature(commands.score).parameters
    for name, option in commands.score.options.items():
        given = parameters[name].default
        assert str(given) == str(option.default) or given is None
        assert get_args(parameters[name].annotation)[1].help == option.usage


@for_each(
    "function",
    [at_k.score, at_k.compare, at_k.rank, at_k.plan, at_k.gate, at_k.diagnose, at_k.read_results],
)
def test_signatures_and_help_name_every_option(function):
    parameters = inspect.signature(function).parameters
    named = {
        name: each.default
        for name, each in parameters.items()
        if name in (*function.options, "limits")
    }
    assert named.pop("limits", UNLIMITED) is UNLIMITED
    assert named == {name: option.default for name, option in function.options.items()}
    described = inspect.getdoc(function).partition("Returns:")[0]
    lines = re.findall(r"\n    (\w+)(?: \(or `\w+`\))?: ", described)
    assert sorted(named) == sorted(name for name in lines if name in named)
    first = [name for name in FIRST if name in named]
    assert (
        list(named)[: len(first)]
        == [name for name in lines if name in named][: len(first)]
        == first
    )
    says = f"TypeError: `tiez` of `{function.__name__}` … The options are {next(iter(named))}"
    refuses(says, function, *([{}] * (2 if function is at_k.compare else 1)), tiez="random")


def test_the_nearest_option_is_named():
    says = "TypeError: `references` is a column of the data of `score`"
    refuses(says, at_k.score, [["a"]], references=["a"])
    refuses(
        "TypeError: `treshold` of `score`; got 1. Did you mean `thresholds`?",
        at_k.score,
        {},
        treshold=1,
    )


def test_judging_repeats_the_registry():
    """It spells its options out, for the type checker: those above hand them over one by one, and checked."""
    parameters = inspect.signature(judge).parameters
    own = {"problems", "name", "warn", "rows"}
    assert {name: each.default for name, each in parameters.items() if name not in own} == {
        name: option.default for name, option in JUDGING.items()
    }


LONG = "x" * 100_000
TIMES = (np.timedelta64(2, "s"), np.timedelta64(2, "ns"), np.datetime64("2020"))


@for_each("name, option", sorted({
    (name, option)
    for registry in (SCORING, COMPARING, GATING, PLANNING, RANKING) for name, option in registry.items()
    if not option.choices and {*option.types} <= KINDS.keys()
}, key=lambda each: (each[0], each[1].type)))  # fmt: skip
@for_each("value", [3, 2.5, True, b"x", [1], {1: 2}, [["x"]], object()])
def test_texts_lists_and_mappings_are_known_by_their_type(name, option, value):
    refuses(f"TypeError: `{name}` must be a … got", option.refuse_wrong, value)


@for_each("call, says", [
    (lambda: at_k.plan({"grades": [[1, 0], [0, 1]]}, problems=5), "TypeError: `problems` must be a list of numbers"),
    (lambda: at_k.plan({"grades": [[1, 0], [0, 1]]}, looks=10**400), "ValueError: `looks` must be at most 1,000; got"),
])  # fmt: skip
def test_wrong_values_of_plans(call, says):
    refuses(says, call)


def test_right_values():
    for weights in ([1, 0.5], None):
        options.check_options({"score_weights": weights})
    assert [options.check_config(each) for each in (None, "default", "graded")] == [
        "default",
        "default",
        "graded",
    ]


@for_each("option", [*sorted(OPTIONS.keys() - {"weights", "groups", "clusters"}), "unknown"])
@for_each("value", [LONG, [LONG], [[LONG]], {LONG: LONG}])
def test_a_long_value_is_cut_in_messages(option, value):
    with pytest.raises((TypeError, ValueError), match=f"`{option}`") as caught:
        options.check_options({option: value})
    assert len(str(caught.value)) < 600


@for_each("says, call, value", [
    ("ValueError: got 'xxxx", options.check_config, LONG),
    ("TypeError: Unknown column `wrong`; got 'xxxx", options.refuse_unknown_columns, {"predictions": 1, "wrong": LONG}),
    *[("TypeError: `groups` must hold strings or integers", columns.read_groups, [time]) for time in TIMES],
    *[(f"{says.format(option)}", options.check_options, {option: value}) for option, value, says in (
        ("k", 10**5000, "ValueError: `{}` must … an integer of 16610 bits"),
        ("correct_above", TIMES[0], "TypeError: `{}` must be"), ("thresholds", [TIMES[-1]], "TypeError: `{}` must be"),
        *[("score_weights", wrong, "TypeError: `{}` must") for wrong in (1, "12", ["1"], [1, None], [True])])],
    *[("ValueError: `config_name` must be one of 'default', 'graded'", options.check_config, value)
      for value in ("judged", "", 7, "Default")],
    *[(f"ValueError: `name` must be one of {', '.join(map(repr, METRICS))}; got ", family.find_metric, value)
      for value in ("passk", "", None, 7, "GPASSK", LONG)],
])  # fmt: skip
def test_wrong_names_and_values(says, call, value):
    assert len(str(refuses(says, call, value))) < 300


VALID = {
    **{
        "k": [1, 3],
        "thresholds": 0.3,
        "ties": "strict",
        "weights": [[1, 2, 3, 4]] * 2,
        "on_conflict": "majority",
    },
    **{"select": "pareto", "score_weights": [1, 2], "higher_is_better": False},
}

SISTERS = [
    (module, option) for module in MODULES for option in OPTIONS if option not in module.options
]


def test_the_registry_is_complete():
    assert tuple(module.metric.name for module in MODULES) == tuple(family.FAMILY) == at_k.METRICS
    assert {option for module in MODULES for option in module.options} == set(OPTIONS)
    assert not set(OPTIONS) & set(COLUMNS)


@every_module
def test_the_registry_says_what_functions_and_modules_take(module):
    metric, taken = module.metric, inspect.signature(module.metric.compute).parameters
    bound = {
        *getattr(metric.compute, "keywords", {}),
        "default",
    }  # of a `partial` of `compute_counts`
    free = {*metric.own_options, "verdicts", "scores", "seed"}
    assert set(metric.own_options) <= set(taken) - bound <= free
    assert ("scores" in taken) == metric.needs_scores
    assert set(options.SHARED_OPTIONS) <= set(metric.options)
    for name in metric.own_options:
        default = taken[name].default
        assert default == OPTIONS[name].default or (name == "k" and default is None)
    assert set(metric.arguments) <= {*COLUMNS, *OPTIONS}
    parameters = dict(inspect.signature(type(module.load())._compute).parameters)
    del parameters["self"], parameters["problems"]
    assert list(parameters) == list(metric.options)
    assert all(each.kind is each.KEYWORD_ONLY for each in parameters.values())
    assert {name: each.default for name, each in parameters.items()} == {
        name: OPTIONS[name].default for name in parameters
    }
    documented = re.findall(
        r"^ {4}(\w+) \(", module.load().inputs_description.partition("Returns:")[0], re.MULTILINE
    )
    assert set(documented) & set(OPTIONS) == module.options


@every_module
def test_the_keys_that_the_registry_names_are_those_that_are_computed(module):
    chosen = {**module.metric.example.options}
    given = dict(module.metric.example.columns)
    config = "default" if "answers" in given else "graded"
    given["predictions"] = given.pop("answers" if config == "default" else "grades")
    found = module.load(config).compute(**given, **chosen)
    k, taus = chosen.get("k", [1]), chosen.get("thresholds", [1])
    assert list(found) == module.keys(k=tuple(k), n=4, taus=tuple(taus))


def test_no_two_lines_look_alike():
    """Each has its own colour, and on paper its own marker and dashes too."""
    styles = [output.style for output in OUTPUTS.values() if output.style]
    styles += [
        tau.style for output in OUTPUTS.values() for tau in output.thresholds.values() if tau.style
    ]
    colours = [style.colour for style in styles if style.colour]
    assert len(colours) == len(set(colours))
    for part in zip(*(style.pen for style in styles if style.pen), strict=True):
        assert len(part) == len(set(part))
    for output in OUTPUTS.values():
        assert output.style is None or bool(output.style.pen) is not ("τ" in output.key), output.key
        assert output.label[0] or not output.of_module


def test_a_twin_is_the_same_number():
    (g_pass,) = (output for output in OUTPUTS.values() if output.thresholds)
    n, c = [5] * 6, range(6)
    for tau, threshold in g_pass.thresholds.items():
        if threshold.twin:
            twin = getattr(at_k, spell(threshold.twin, "plain"))
            for k in (1, 3, 5):
                assert (
                    twin(n, list(c), k=k).tolist()
                    == at_k.g_pass_at_k(n, list(c), k=k, thresholds=tau).tolist()
                )


@every_module
@every_config
def test_options_given_at_load_time_become_defaults(module, config):
    given = module.inputs(config)
    instance = module.load(config, k=[1, 3], key_style="plain", correct_above=0.9)
    result = instance.compute(**given)
    options = {"k": [1, 3], "key_style": "plain", "correct_above": 0.9}
    assert result == module.call(config, **given, **options)
    assert all("@" not in key for key in result)
    overridden = instance.compute(**module.only({**given, "k": 2, "key_style": "standard"}))
    assert overridden == module.call(config, **given, k=2, correct_above=0.9)
    assert instance.compute(**given) == result  # for that call alone
    options["k"] = None
    assert instance.compute(**module.only({**given, "k": None})) == module.call(
        config, **given, **options
    )


@for_each("module, option", SISTERS)
def test_an_option_of_a_sister_module_is_refused_and_left_out_in_a_combination(module, option):
    compute, given = module.load().compute, module.inputs()
    valid, wrong = {option: VALID[option]}, {option: object()}
    says = f"TypeError: `{option}` is an option of … and not of `{module.name}`"
    refuses(says, compute, **given, **valid)
    refuses(says, evaluate.load, module.path, **valid)
    combined = evaluate.combine([module.load()])
    assert combined.compute(**given, **valid) == compute(**given)
    if option != "weights":  # whether weights fit depends on the samples of the vote
        refuses(f"TypeError: `{option}` must", combined.compute, **given, **wrong)


@every_module
def test_a_column_of_a_sister_module_is_refused_and_left_out_in_a_combination(module):
    if not module.needs_scores:
        given, scores = module.inputs(), {"scores": BEST_AT_K.inputs()["scores"]}
        says = f"TypeError: `scores` is no column of `{module.name}`"
        refuses(says, module.load().compute, **given, **scores)
        assert evaluate.combine([module.load()]).compute(**given, **scores) == module.compute(
            k=None
        )


@every_module
@every_config
def test_the_signature_of_a_loaded_module_names_its_own_inputs(module, config):
    parameters = inspect.signature(module.load(config).compute).parameters
    refused = ("references", "grades") if config == "graded" else ()
    assert [*parameters] == [name for name in module.metric.arguments if name not in refused]
    for name, each in parameters.items():
        option = (COLUMNS | OPTIONS)[name]
        kinds = {"default": "list[list[str]]", "graded": "list[list[float]]"}
        kind = f"{kinds[config]} | None" if name == "predictions" else option.annotation
        assert (each.annotation, each.default) == (kind, option.default)
    described = pydoc.render_doc(module.load(config).compute)
    assert all(name in described for name in parameters)
    assert "**" not in described.partition("Args:")[0]


@every_module
@every_config
def test_features_name_what_is_taken(module, config):
    named = {name for form in module.load(config).features for name in form}
    parameters = inspect.signature(module.load(config).compute).parameters
    assert named == {name for name in parameters if name in COLUMNS}


@every_module
@for_each("option", ["kk", "num_samples", "K", "confidense_level"])
def test_an_option_of_no_module_is_refused_with_the_valid_ones(module, option):
    own = [*module.metric.options]
    for call in (module.load().compute, partial(evaluate.load, module.path)):
        error = refuses(f"TypeError: `{option}` … {' … '.join(own)}", call, **{option: 1})
        listed = re.findall(r"\w+", str(error).partition("options are")[2])
        assert set(listed) & {*OPTIONS} == {*own}  # and none of other modules


COMBINED = {
    **{"k": [1, 3], "thresholds": [0.5, 1.0], "ties": "strict", "higher_is_better": False},
    **{"groups": ["x_1", "x_2"], "key_style": "plain"},
}


@every_config
@for_each("prefix", [True, False])
def test_combined_modules_equal_single_ones(config, prefix):
    combined = evaluate.combine([module.load(config) for module in MODULES], force_prefix=prefix)
    details, expected = {"return_details": True} if prefix else {}, {}
    for module in MODULES:
        own = {name: value for name, value in COMBINED.items() if name in module.options}
        alone = module.load(config).compute(**module.inputs(config), **own, **details)
        expected |= {
            f"{module.name}_{key}" if prefix else key: value for key, value in alone.items()
        }
    assert combined.compute(**BEST_AT_K.inputs(config), **COMBINED, **details) == expected


def test_combined_modules_take_batches_and_survive_a_wrong_option():
    combined = evaluate.combine([module.path for module in MODULES])
    for problem in range(2):
        combined.add_batch(
            **{name: column[problem : problem + 1] for name, column in BEST_AT_K.inputs().items()}
        )
    for wrong in (
        {"ties": "most"},
        {"thresholds": 2},
        {"select": "all"},
        {"k": 0},
        {"key_style": "bare"},
    ):
        refuses(f"ValueError: `{next(iter(wrong))}` must", combined.compute, **wrong)
        assert [len(metric) for metric in combined.evaluation_modules] == [2] * len(MODULES)
    result = combined.compute(**dict.fromkeys(BEST_AT_K.inputs()), k=2)
    expected = {key: value for module in MODULES for key, value in module.compute().items()}
    assert (result, list(result)) == (expected, list(expected))


def test_instances_keep_their_own_defaults():
    combined = evaluate.combine({"some": GPASSK.load(thresholds=0.5), "vote": CONS_AT_K.load(k=3)})
    result = combined.compute(**GPASSK.inputs())
    assert list(result) == ["G-Pass@4_0.5", "mG-Pass@4", "cons@3"]
    assert list(GPASSK.load(missing="error").compute(**GPASSK.inputs())) == GPASSK.keys(k=(4,))


def test_the_table_of_the_documents_lists_every_option_once():
    text = (Path(__file__).parents[2] / "docs" / "options.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    functions = (at_k.score, at_k.compare, at_k.rank, at_k.compare_benchmarks, at_k.gate, at_k.plan)
    functions += (at_k.diagnose, at_k.Tally.of, at_k.read_results)
    taken = set(OPTIONS).union(*(function.options for function in functions))
    assert len(listed) == len(set(listed))
    assert set(listed) == taken


SAID = {
    **{"tau": "thresholds", "by": "groups", "n_jobs": "num_workers", "checker": "check_correct_fn"},
    **{"random_state": "seed", "ks": "k"},
}


def test_a_name_from_elsewhere_is_answered_with_the_name_here():
    grades = [[1, 0], [1, 1]]
    for name in ("tau", "n_jobs", "checker", "random_state", "ks"):
        says = f"TypeError: Unknown option `{name}` of `score`: it is called `{SAID[name]}` here"
        refuses(says, at_k.score, {"grades": grades}, **{name: 1})
    calls = {
        "g_pass_at_k": (at_k.g_pass_at_k, (4, 2), {"k": 2, "tau": 0.5}, "`thresholds`"),
        "credit": (at_k.credit, ("G-Pass@2", grades), {"tau": 0.5}, "`thresholds`"),
        "avg_at_n": (at_k.avg_at_n, (grades,), {"threshold": 0.5}, "`correct_above` is the cut"),
        "best_at_k": (
            at_k.best_at_k,
            (grades, grades),
            {"k": 1, "threshold": 0.5},
            "`correct_above` is",
        ),
    }
    for name, (function, args, given, says) in calls.items():
        refuses(f"TypeError: `{name}` has no argument … {says}", function, *args, **given)


def test_words_of_the_command_work_in_python():
    data = {"answers": [["4", "4.0"], ["7", "9"]], "references": ["4", "9"], "level": ["x", "y"]}
    report = at_k.score(data, "pass@1", by="level", check="numeric", extract="last_number", ci=0.9)
    same = at_k.score(
        data, metrics="pass@1", columns={"group": "level"}, check_correct_fn="numeric", extract_fn="last_number",
        confidence_level=0.9,
    )  # fmt: skip
    assert report.values == same.values
    assert report.intervals == same.intervals
    assert report.groups == same.groups == {"x": {"pass@1": 1.0}, "y": {"pass@1": 0.5}}
    refuses("TypeError: `check` and `check_correct_fn` are the same", at_k.score, data, check="numeric",
            check_correct_fn="numeric")  # fmt: skip
    tally = at_k.Tally.of(data, by="level", check="numeric")
    assert at_k.score(tally, "pass@1").groups == {"x": {"pass@1": 1.0}, "y": {"pass@1": 0.5}}


def test_what_the_host_calls_predictions_is_taken_as_answers():
    rows = [["4", "5"], ["7", "9"]]
    expected = at_k.score({"answers": rows, "references": ["4", "9"]}, k=1).values
    assert at_k.score({"predictions": rows, "references": ["4", "9"]}, k=1).values == expected
    graded = at_k.score({"predictions": [[1, 0], [0, 1]]}, k=1).values
    assert graded["pass@1"] == expected["pass@1"]
    assert at_k.score({"n": 10, "c": [3, 5]}, "pass@1").values == {"pass@1": 0.4}
    assert at_k.pass_at_k(n=4, c=2, k=1) == at_k.pass_at_k(4, 2, k=1)
    assert at_k.compare([[1, 0]], [[0, 1]]).comparisons["pass@1"].difference == 0
