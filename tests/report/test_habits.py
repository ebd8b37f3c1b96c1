"""Habits with results of scikit-learn, SciPy and pandas: each works, or is answered with what to write."""

import copy
import json
import pickle

import pandas as pd
import pytest
from cases import for_each, refuses

import at_k

DATA = {
    "problem": ["p", "q", "r"],
    "answers": [["4", "4", "5", "6"], ["7", "9", "7", "8"], ["1", "1", "1", "1"]],
    "references": ["4", "9", "1"],
    "group": ["x", "x", "y"],
}
OTHER = {**DATA, "answers": [["4", "5", "5", "6"], ["7", "8", "7", "8"], ["1", "1", "2", "1"]]}

r = at_k.score(DATA, k=[1, 2, 4])
one = at_k.score(DATA, "pass@1")
models = at_k.score_models({"a": DATA, "b": OTHER}, "pass@1")
c = at_k.compare(DATA, OTHER, metrics=["pass@1", "pass@2"], band=True)

NAMES = {
    "at_k": at_k,
    "pd": pd,
    "copy": copy,
    "json": json,
    "pickle": pickle,
    "DATA": DATA,
    "OTHER": OTHER,
}
NAMES |= {"r": r, "one": one, "models": models, "c": c}

# (expression, what it is the same as)
WORK = [
    # a mapping, as a dict or a Series
    ('r["pass@1"]', "r.values['pass@1']"), ('r["maj@4"]', "r.values['cons@4']"),
    ('r["pass^4"]', "r.values['G-Pass@4_1.0']"), ('r["pass_at_2"]', "r.values['pass@2']"),
    ('r["pass@1"] == r["avg@4"]', "True"),
    ('"pass@1" in r', "True"), ('"maj@4" in r', "True"), ('"pass@9" in r', "False"),
    ("list(r)", "list(r.values)"), ("list(r.keys())", "list(r.values)"), ("dict(r)", "dict(r.values)"),
    ("list(r.items())", "list(r.values.items())"), ('r.get("pass@9", 0)', "0"), ('r.get("maj@4")', "r['cons@4']"),
    ("sorted(r)[:1]", "sorted(r.values)[:1]"), ("max(r, key=r.get)", "max(r.values, key=r.values.get)"),
    ("[value for key, value in r.items()]", "list(r.values.values())"), ("{**r}", "dict(r.values)"),
    ("len(r)", "3"), ("bool(r)", "True"), ("float(one)", "one['pass@1']"), ("round(float(one), 2)", "0.58"),
    # intervals, as SciPy's results
    ('r.confidence_interval("pass@1").low', "r.intervals['pass@1'].low"),
    ('r.confidence_interval("maj@4").high', "r.intervals['cons@4'].high"),
    ("one.confidence_interval()", "one.intervals['pass@1']"),
    ('r.confidence_interval("pass@1").stderr', "r.intervals['pass@1'].stderr"),
    ('r.groups["x"]["maj@4"]', "r.groups['x']['cons@4']"),
    ('r.group_intervals["x"]["maj@4"].low', "r.group_intervals['x']['cons@4'].low"),
    ("c.pvalue", "c.comparisons['pass@1'].p_adjusted"), ('c.p_values["pass@2"]', "c['pass@2'].p_adjusted"),
    ('c.p_values["pass_at_2"]', "c['pass@2'].p_adjusted"), ("c.confidence_interval()[0]", "c['pass@1'].low"),
    ('c.confidence_interval("pass@2")', "(c['pass@2'].low, c['pass@2'].high)"),
    ('c["pass@1"].difference', "c.comparisons['pass@1'].difference"), ("list(c)", "['pass@1', 'pass@2']"),
    ("[pair.p_value for pair in dict(c).values()]", "[pair.p_value for pair in c.comparisons.values()]"),
    # frames and files, as pandas
    ("list(r.to_frame().columns)", "list(r.to_pandas().columns)"), ("len(r.to_frame())", "3 * len(r.values)"),
    ("type(c.to_frame()) is pd.DataFrame", "True"), ("type(models.to_frame()) is pd.DataFrame", "True"),
    ("list(pd.Series(dict(r)))", "list(r.values.values())"), ('pd.DataFrame(r.per_problem)["n"].tolist()', "[4, 4, 4]"),
    ('list(pd.DataFrame({"a": dict(r), "b": dict(r)}).index)', "list(r.values)"),
    ("r.to_string()", "str(r)"), ("r.summary()", "str(r)"), ("c.summary()", "str(c)"), ('f"{r}"', "str(r)"),
    ("r.to_dict()['values']", "r.values"), ("json.loads(json.dumps(r.to_dict()))['n_problems']", "3"),
    ("json.loads(json.dumps(dict(r)))", "r.values"), ("json.loads(r.to_json())['values']", "r.values"),
    ("r.to_csv()[:5]", "'group'"), ("r.to_markdown()[:1]", "'|'"), ("r.to_latex()[:6]", "r'\\begin'"),
    ("'<table>' in r.to_html()", "True"), ("'<table>' in r._repr_html_()", "True"), ("repr(r)[:7]", "'<Report'"),
    ("save(r.to_csv)", "r.to_csv()"), ("save(r.to_markdown)", "r.to_markdown()"), ("save(r.to_json)", "r.to_json()"),
    # equality and copies
    ("r == at_k.score(DATA, k=[1, 2, 4])", "True"), ("r != one", "True"), ("r.copy() == r", "True"),
    ("copy.deepcopy(r) == r", "True"), ("pickle.loads(pickle.dumps(r)) == r", "True"),
    ("pickle.loads(pickle.dumps(c)) == c", "True"), ("pickle.loads(pickle.dumps(r))['maj@4']", "r['cons@4']"),
    # attributes
    ("r.n_problems", "3"), ("r.n_samples", "12"), ("r.n", "[4, 4, 4]"), ("r.problems", "['p', 'q', 'r']"),
    # pictures
    ("type(r.plot()).__name__", "'Figure'"), ("type(models.plot()).__name__", "'Figure'"),
    ("type(c.plot()).__name__", "'Figure'"), ("r.plot(title='t').axes[0].get_title(loc='left')", "'t'"),
    # several models
    ('models["a"] == one', "True"), ("list(models)", "['a', 'b']"), ("len(models)", "2"), ('"b" in models', "True"),
    ("{name: report['pass@1'] for name, report in models.items()}", "{'a': one['pass@1'], 'b': models['b']['pass@1']}"),
    # arguments
    ('at_k.score(DATA, "pass@1") == one', "True"),
    ("at_k.score(predictions=DATA['answers'], references=DATA['references'])['pass@1']", "r['pass@1']"),
    ("at_k.score(pd.DataFrame(DATA))['pass@1']", "r['pass@1']"),
    ("at_k.score(pd.DataFrame(DATA).set_index('problem'))['pass@1']", "r['pass@1']"),
    ("at_k.compare(pd.DataFrame(DATA), pd.DataFrame(OTHER), metrics='pass@1')['pass@1'].difference",
     "c['pass@1'].difference"),
]  # fmt: skip


@pytest.fixture
def places(tmp_path):
    def save(write):
        write(path=tmp_path / "file")
        return (tmp_path / "file").read_text().rstrip("\n")

    return {**NAMES, "save": save}


@for_each("expression, same", WORK)
def test_a_habit_works(expression, same, places):
    pytest.importorskip("matplotlib")
    assert eval(expression, places) == (
        eval(same, places).rstrip("\n") if "save" in expression else eval(same, places)
    )


# What stays out, with what is said.
ANSWERED = {
    "r['pass@9']": "KeyError: There is no number 'pass@9' here. There are: ",
    "c['maj@4']": "KeyError: There is no number 'maj@4' here. There are: pass@1, pass@2",
    "float(r)": "TypeError: a report of … numbers is no float: look one up",
    "at_k.score(DATA, confidence_level=None).confidence_interval()": "ValueError: … score with `confidence_level`",
    "r.query('avg < 0.5')": "AttributeError: `Report` has no `query`: select problems by `select",
    "r.loc": "AttributeError: `Report` has no `loc`: look a number up as `report",
    "r.mean()": "AttributeError: `Report` has no `mean`: a number is a mean",
    "r.shape": "AttributeError: `Report` has no `shape`: `len(report)` counts",
    "r.to_parquet": "AttributeError: `Report` has no `to_parquet`: write `to_frame().to_parquet",
    "r.savefig": "AttributeError: `Report` has no `savefig`: write `plot().savefig",
    "r.intervalls": "AttributeError: `Report` has no attribute `intervalls`. Did you mean `intervals`?",
    "c.p_value": "AttributeError: `Compared` has no attribute `p_value`. Did you mean `p_values`?",
    "hash(r)": "TypeError: unhashable",
    "at_k.score()": "TypeError: `score` takes a data set, a file, or columns",
    "at_k.compare(DATA, OTHER, metrics='pass@1').plot()": "InputError: This comparison has no bands to draw",
}


@for_each("expression, says", ANSWERED.items())
def test_a_habit_that_stays_out_is_answered(expression, says):
    refuses(says, eval, expression, NAMES)
