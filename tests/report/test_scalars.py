"""The flat mapping has the values, bars and groups of the report, under the names that `compute` gives them."""

import evaluate

import at_k
from at_k.report.scalars import list_scalars

GRADES, GROUP = [[1, 0, 1, 0], [0, 0, 1, 0], [1, 1, 1, 1]], ["x", "y", "x"]


def test_names_are_those_of_the_modules():
    report = at_k.score({"grades": GRADES, "group": GROUP}, metrics="gpassk")
    module = evaluate.load(str(at_k.module_path("gpassk")), "graded")
    for style in ("standard", "plain"):
        computed = module.compute(predictions=GRADES, groups=GROUP, confidence_level=0.95, key_style=style)
        assert list_scalars(report, style) == computed
    assert all(type(key) is str for key in list_scalars(report))
