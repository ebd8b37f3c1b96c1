import pytest
from tallies import KINDS, make_data, options_of, split

import at_k

Tally = at_k.Tally


def assert_same_comparison(found, other):
    """Two comparisons say the same, up to the rounding of values: intervals and p-values of the same flips too."""
    mine, its = found.to_dict(), other.to_dict()
    for name in ("names", "unmatched", "margin", "notes"):
        assert mine[name] == its[name]
    assert list(mine["keys"]) == list(its["keys"])
    for key, numbers in mine["keys"].items():
        for name, number in numbers.items():
            if isinstance(number, float):
                assert number == pytest.approx(its["keys"][key][name], rel=1e-12, abs=1e-12), (key, name)
            elif name != "flips":
                assert number == its["keys"][key][name], (key, name)
    assert list(mine["bands"]) == list(its["bands"])
    for line, band in mine["bands"].items():
        for name in ("k", "spans", "first_loss"):
            assert band[name] == its["bands"][line][name], line
        for name in ("difference", "low", "high"):
            assert band[name] == pytest.approx(its["bands"][line][name], rel=1e-12, abs=1e-12), line


@pytest.mark.parametrize("kind", KINDS)
def test_tallies_by_problem_are_compared_as_their_samples_are(kind):
    one, other = make_data(kind, seed=1), make_data(kind, seed=2)
    other["problem"] = one["problem"]
    tallies = [sum(Tally.of(shard, by_problem=True, **options_of(kind)) for shard in split(each, 3))
               for each in (one, other)]  # fmt: skip
    for options in ({"band": True}, {"clusters": True}, {"target": "problem_set"}, {"margin": 0.1, "extra_tests": "t"}):
        found = at_k.compare(*tallies, **options)
        assert_same_comparison(found, at_k.compare(one, other, **options_of(kind), **options))
        if options == {"band": True}:
            assert "pass@k" in found.bands
            assert [flip.problem for flip in found.flips["pass@2"]] != []
