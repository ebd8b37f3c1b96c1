"""Every number of a data set, by enumeration and by the modules as a user calls them; what is refused, and left out."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from demo.data_sets import BOTH, FULL, GRADED, KINDS, SCORES, SILENT, by_hand, kind, means, samples, with_columns, without
from hypothesis import given
from hypothesis import strategies as st
from modules import MODULES

from at_k.demo import examples, limits, roles, scoring
from at_k.demo.limits import MAX_K
from at_k.demo.reading import read
from at_k.demo.scoring import Options, numbers, score
from at_k.demo.words import LANGUAGES, Refused
from at_k.registration import METRICS

every_kind = pytest.mark.parametrize("name", KINDS)
ONLY_VOTE = {"metrics": ("cons_at_k",)}


def close(values):
    """Exact values, of which each float is a rounding or a sum of a few."""
    return {key: pytest.approx(float(value), rel=1e-12, abs=1e-15) for key, value in values.items()}


def refused(call, reason, *said):
    with pytest.raises(Refused) as caught:
        call()
    assert caught.value.key == f"scoring.{reason}"
    for language in LANGUAGES:
        for text in said:
            assert str(text) in caught.value.text(language)
    return caught.value


@pytest.fixture
def idle(monkeypatch):
    """No module may be asked."""

    def fail(*_, **__):
        pytest.fail("this must be refused before any work is done")

    monkeypatch.setattr(scoring, "_computed", fail)


class TestNumbers:
    @every_kind
    def test_by_hand(self, name):
        rows, given_samples, options = kind(name)
        scored = score(given_samples, options)
        exact = by_hand(rows, options)
        assert scored.overall == close(means(exact))
        assert list(scored.overall) == [key for keys in scored.metrics.values() for key in keys]
        for key, values in exact.items():
            assert scored.per_problem[key] == pytest.approx(list(map(float, values)), rel=1e-12, abs=1e-15)
        assert scored.problems.names == [str(row["id"]) for row in rows]
        if options.by_group and "level" in rows[0]:
            for label, values in scored.groups.items():
                own = [row["level"] == label for row in rows]
                members = {
                    key: [value for value, mine in zip(column, own, strict=True) if mine]
                    for key, column in exact.items()
                }
                assert values == close(means(members))
                assert scored.sizes[label] == sum(own)
            assert sum(scored.sizes.values()) == len(rows)
        else:
            assert scored.groups == scored.sizes == {}

    @every_kind
    def test_by_the_modules(self, name):
        rows, given_samples, options = kind(name)
        scored = score(given_samples, options)
        computed = by_modules(rows, options, scored.k)
        assert scored.overall == {key: value for key, value in computed.items() if "/" not in key}
        flat = {f"{label}/{key}": value for label, values in scored.groups.items() for key, value in values.items()}
        assert flat == {key: value for key, value in computed.items() if "/" in key}

    @every_kind
    def test_curves_hold_the_table(self, name):
        _, given_samples, options = kind(name)
        scored = score(given_samples, options)
        smallest = min(scored.problems.n)
        assert scored.curves.k == tuple(range(1, smallest + 1))
        found = {key: value for k in scored.curves.k for key, value in scored.curves.at(k).items()}
        for key, value in scored.overall.items():
            if key != "accuracy" and not key.startswith(("max@", "avg@")):
                assert found[key] == value
        if "avg_at_n" in options.metrics:
            assert set(scored.curves.lines["avg@n"]) == {scored.overall[next(iter(scored.metrics["avg_at_n"]))]}
        assert not any(key.startswith(("max", "accuracy")) for key in scored.curves.lines)

    @every_kind
    def test_everything_can_be_written(self, name):
        _, given_samples, options = kind(name)
        scored = score(given_samples, options)
        json.dumps([scored.overall, scored.groups, scored.per_problem, scored.k], allow_nan=False)
        assert set(map(type, scored.overall.values())) == {float}
        assert set(scored.metrics) == set(scored.signatures)
        assert set(scored.metrics) | set(scored.left_out) == set(options.metrics)


def by_modules(rows, options, k):
    """What the modules say of columns that are made of the rows as a user would make them."""
    columns = {"scores": [row["score"] for row in rows]} if "score" in rows[0] else {}
    grouped = {"groups": [row["level"] for row in rows]} if "level" in rows[0] and options.by_group else {}
    result = {}
    for module in MODULES:
        vote = module.name == "cons_at_k" and "answers" in rows[0]
        if module.name not in options.metrics or (module.needs_scores and not columns):
            continue
        given_columns = module.only(columns)
        if vote and "correct" in rows[0]:
            kept = [
                [
                    (answer if grade is not None else None, grade)
                    for answer, grade in zip(row["answers"], row["correct"], strict=True)
                    if grade is not None or options.missing != "drop"
                ]
                for row in rows
            ]
            verdict = {
                (answer, str(i)): grade for i, row in enumerate(kept) for answer, grade in row if grade is not None
            }
            given_columns |= {
                "predictions": [[answer for answer, _ in row] for row in kept],
                "references": [str(i) for i in range(len(kept))],
                "check_correct_fn": lambda answer, problem, verdict=verdict: verdict[answer, problem],
            }
        elif "correct" in rows[0]:
            given_columns["predictions"] = [row["correct"] for row in rows]
        else:
            given_columns |= {name: [row[field] for row in rows]
                              for name, field in (("predictions", "answers"), ("references", "reference"))}  # fmt: skip
            given_columns["references"] = [
                [reference] if isinstance(reference, str) else reference for reference in given_columns["references"]
            ]
        config = "default" if "references" in given_columns else "graded"
        own = {"ties": options.ties} if vote else {}
        own |= {"thresholds": list(options.taus)} if module.name == "gpassk" else {}
        own |= {"higher_is_better": options.higher_is_better} if module.needs_scores else {}
        own |= {"k": list(k)} if module.takes_k else {}
        missing = "incorrect" if vote and "correct" in rows[0] else options.missing
        with pytest.warns(UserWarning) if missing == "drop" else _nothing():
            result |= module.load(config).compute(**given_columns, **own, **grouped, missing=missing)
    return result
