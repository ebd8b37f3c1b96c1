"""Limits: none by default."""

import inspect
from dataclasses import FrozenInstanceError, fields

import pytest
from cases import for_each

from at_k.demo.limits import LIMITS
from at_k.limits import UNLIMITED, Limits, exceeds


def test_nothing_is_limited_by_default():
    assert Limits() == UNLIMITED
    assert {getattr(UNLIMITED, field.name) for field in fields(Limits)} == {None}


def test_the_page_limits_everything():
    assert None not in {getattr(LIMITS, field.name) for field in fields(Limits)}


def test_every_limit_is_documented():
    for field in fields(Limits):
        assert f"\n    {field.name}: " in inspect.getdoc(Limits)


def test_limits_do_not_change():
    with pytest.raises(FrozenInstanceError):
        UNLIMITED.max_rows = 1


@for_each("amount, limit, expected", [(3, 2, True), (2, 2, False), (0, 0, False), (9, None, False)])
def test_exceeds(amount, limit, expected):
    assert exceeds(amount, limit) is expected
