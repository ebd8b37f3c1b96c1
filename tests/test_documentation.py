"""Documentation of options: each metric's own default k, keys and defaults are filled in."""

import re

import pytest

from at_k.family import FAMILY
from at_k.module import (
    describe_inputs,
    find_inputs,
    find_outputs,
)
from tools.texts import list_inputs, list_outputs, list_shared_options

every_metric = pytest.mark.parametrize("metric", FAMILY.values(), ids=list(FAMILY))


def write_lists(metric):
    return list_inputs(find_inputs(metric), [metric]), list_outputs(find_outputs(metric))


@every_metric
def test_nothing_is_left_to_fill_in(metric):
    for text in (*write_lists(metric), describe_inputs(metric.name, "")):
        assert not re.search(r"\{default_k\}", text)
        assert max(map(len, text.splitlines())) <= 120


@every_metric
def test_a_line_that_continues_an_item_does_not_begin_one(metric):
    for text in write_lists(metric):
        assert [line for line in text.splitlines() if re.match(r"\s+([-+*=>#|]|\d+[.)]) ", line)] == []


def test_default_k_is_told_apart_where_metrics_differ():
    k = next(text for name, text, _ in list_shared_options() if name == "`k`")
    for metric in FAMILY.values():
        if metric.default_k is not None:
            assert f"`{metric.name}`" in k
            assert metric.default_k.text in k
            assert metric.default_k.text in " ".join(write_lists(metric)[0].split())
