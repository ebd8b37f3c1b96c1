"""The forms of a verdict: JUnit XML, Markdown and JSON."""

import json
from xml.etree import ElementTree

import at_k
from at_k.analysis.gated import FAIL, INCONCLUSIVE


def make(*counts, n=4):
    """Make a data set of problems with so many of n samples correct."""
    return {"problem": [f"q{i}" for i in range(len(counts))], "grades": [[1] * c + [0] * (n - c) for c in counts]}


MIXED = make(*[0, 1, 2, 3, 4, 4, 4, 4, 4, 4] * 5)


class TestForms:
    FOUND = at_k.gate(
        {"problem": ["a|b", "\x07<c>"], "grades": [[1, 1], [0, 0]]}, require="pass@1 >= 0.5", each="1 of 2", data="x"
    ) + at_k.gate(MIXED, require="pass@1 >= 0.1")

    def test_junit(self):
        text = self.FOUND.to_junit()
        root = ElementTree.fromstring(text.encode())
        assert [
            (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("errors")) for suite in root
        ] == [
            ("x", "3", "1", "1"),
            ("at-k gate", "1", "0", "0"),
        ]
        names = [case.get("name") for case in root.iter("testcase")]
        assert names == ["pass@1 >= 0.5", "a|b: 1 of 2", "\ufffd<c>: 1 of 2", "pass@1 >= 0.1"]
        assert [kind.tag for case in root.iter("testcase") for kind in case] == ["error", "failure"]

    def test_markdown_and_json(self):
        text = self.FOUND.to_markdown()
        assert text.startswith("**FAIL**\n\n| | requirement | measured |\n")
        assert "a\\|b" not in text  # it passes
        assert "| INCONCLUSIVE | x: pass@1 >= 0.5 | 0.5000 [0.0021, 0.9979] |" in text
        content = json.loads(self.FOUND.to_json())
        assert (content["verdict"], content["exit_code"], len(content["checks"])) == (FAIL, 1, 4)
        assert str(self.FOUND) == text

    def test_ends_that_are_infinite_are_none(self):
        found = at_k.gate({"grades": [[1, 0]], "scores": [[3.0, 1.0]]}, require="max@2 >= 2")
        assert json.loads(found.to_json())["checks"][0]["low"] is None
        assert found.verdict == INCONCLUSIVE
