"""Requirements and policies: how they are read, and what is wrong in them."""

import pytest
from cases import for_each

import at_k
from at_k.analysis.gated import PASS
from at_k.analysis.requirements import read_each, read_policy
from at_k.errors import InputError
from at_k.options import GATING


def make(*counts, n=4):
    """Make a data set of problems with so many of n samples correct."""
    return {"problem": [f"q{i}" for i in range(len(counts))], "grades": [[1] * c + [0] * (n - c) for c in counts]}


MIXED = make(*[0, 1, 2, 3, 4, 4, 4, 4, 4, 4] * 5)


class TestPolicy:
    TEXT = """
        confidence_level = 0.9
        require = ["pass@1 >= 0.5"]
        [math]
        require = ["pass@1 >= 0.99", "pass^4 >= 0.1"]
        [code]
        margin = 0.05
        keys = ["pass@4"]
    """

    @pytest.fixture
    def policy(self, tmp_path):
        path = tmp_path / "gate.toml"
        path.write_text(self.TEXT)
        return path

    def test_a_data_set_has_its_table_and_the_rest_what_stands_above(self, policy):
        assert at_k.gate(MIXED, policy=policy).verdict == PASS
        found = at_k.gate(MIXED, policy=str(policy), data="math")
        assert [check.name for check in found.checks] == ["math: pass@1 >= 0.99", "math: pass^4 >= 0.1"]
        assert at_k.gate(MIXED, MIXED, policy=policy, data="code", require=[]).checks[0].least == -0.05
        assert at_k.gate(MIXED, policy=policy, data="math", require="pass@1 >= 0.2").verdict == PASS

    @for_each(
        "policy, sentence",
        [
            ({"a": {"require": "pass@1 >= 0.5"}}, "nothing about results without a name. It has a"),
            ({"requires": "pass@1 >= 0.5"}, "The policy has requires, which is not one of require, each"),
            ({"confidence_level": 2}, "`confidence_level`"),
        ],
    )
    def test_what_is_wrong_in_it_is_said(self, policy, sentence):
        with pytest.raises(ValueError, match=sentence):
            at_k.gate(MIXED, policy=policy)

    @for_each("policy", [{"require": 3}, {"require": ["pass@1 >= 0.5", 3]}, {"keys": 3}, {"keys": [3]}])
    def test_what_holds_no_strings(self, policy):
        (name,) = policy
        with pytest.raises(TypeError, match=f"`{name}` must hold strings; got 3 of type int"):
            at_k.gate(MIXED, MIXED, margin=0.1, policy=policy)

    def test_a_file_that_is_not_toml(self, tmp_path):
        path = tmp_path / "gate.toml"
        path.write_text("require = pass@1")
        with pytest.raises(InputError, match="not TOML"):
            at_k.gate(MIXED, policy=path)

    def test_the_names_of_a_policy_are_options(self):
        assert read_policy({"policy": None, "margin": 1}, {}) == {"policy": None, "margin": 1}
        assert {"require", "each", "keys", "margin", "confidence_level", "method"} <= GATING.keys()


def test_spaces_around_a_share():
    assert read_each(" 3 / 4 ").least == 0.75
