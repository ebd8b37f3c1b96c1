"""The pages without a browser."""

import ast
from pathlib import Path

from at_k import demo
from at_k.family import METRICS

DEMO = Path(demo.__file__).parent


def test_no_page_knows_a_metric_by_name():
    for path in DEMO.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & set(METRICS) == set(), path
