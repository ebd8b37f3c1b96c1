"""The pages without a browser."""

import ast
import json
import re
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path

from at_k import demo
from at_k.demo.examples import folder, read_published
from at_k.demo.pages.explore import rank_published, write_section
from at_k.demo.words import LANGUAGES
from at_k.family import METRICS

DEMO = Path(demo.__file__).parent
DATA = Path(__file__).parents[1] / "data"


def read_counts(path):
    return [sum(json.loads(line)["correct"]) for line in path.read_text(encoding="utf-8").splitlines()]


def test_published_results_are_counted_from_the_samples():
    codex = map(json.loads, (DATA / "p3_codex_cushman_n1000.jsonl").read_text(encoding="utf-8").splitlines())
    pairs = json.loads((DATA / "deepscaler_counts.json").read_text(encoding="utf-8"))
    counts = {
        "gpt4o_airline": read_counts(folder() / "taubench_airline.jsonl"),
        "qwen_math": read_counts(folder() / "qwen25_math.jsonl"),
        "gpt4_game24": read_counts(DATA / "tot_game24_cot.jsonl"),
        **{f"codex_{row['experiment']}": row["c"] for row in codex},
    }
    for name, model in {"r1": "base", "deepscaler": "rl"}.items():
        counts |= {f"{name}_aime": pairs[model][:30], f"{name}_olympiad": pairs[model][427:]}
    found = {each["name"]: Counter({int(c): times for c, times in each["right"].items()}) for each in read_published()}
    assert found == {name: Counter(c) for name, c in counts.items()}
    assert {each["licence"] for each in read_published()} == {"MIT"}


def test_published_results_are_sorted_by_what_is_kept_of_the_average():
    exact = {}
    for each in read_published():
        n, right = each["n"], {int(c): times for c, times in each["right"].items()}
        average = Fraction(sum(c * times for c, times in right.items()), n)
        every = sum(Fraction(comb(c, 4), comb(n, 4)) * times for c, times in right.items())
        exact[each["name"]] = every / average, average / sum(right.values())
    assert [each.name for each in rank_published()] == sorted(exact, key=lambda name: -exact[name][0])
    assert len(exact) == 10
    for language in LANGUAGES:
        html = write_section(language)
        kept = re.findall(r'class="kept"><b>(\d+) %', html)
        assert kept == [f"{100 * float(exact[each.name][0]):.0f}" for each in rank_published()]
        assert all(html.count(f'href="{each["source"]}"') >= 1 for each in read_published())
    airline = next(each for each in rank_published() if each.name == "gpt4o_airline")
    assert (airline.average, airline.every) == (0.42, 0.2)  # published: pass^1 and pass^4 in the README of τ-bench


def test_no_page_knows_a_metric_by_name():
    for path in DEMO.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & set(METRICS) == set(), path
