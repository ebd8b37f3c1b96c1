"""Every example of every document runs and prints what it says; the cards are complete, and agree with the code."""

import doctest
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cases import for_each
from modules import MODULES
from mypy import api

from at_k.family import FAMILY
from at_k.module import describe_inputs, find_inputs, find_outputs
from at_k.options.registry import COLUMNS
from tools.endpoint import serve
from tools.outputs import accept_paris, fill_document, find_english, is_page, list_documents
from tools.spaces import INSTALL
from tools.statements import FENCE, list_blocks
from tools.texts import list_inputs, list_options, list_outputs

ROOT = Path(__file__).parent.parent

PYRIGHT = shutil.which("pyright")
BLOCKS = ROOT / ".mypy_cache" / "blocks"
"""The blocks of pages, and what mypy knows of them, at_k and NumPy; `make quality` has other options."""

README = ROOT / "README.md"
WHICH_METRIC = ROOT / "docs" / "which-metric.md"
IN_CHINESE = [
    README,
    *(ROOT / "docs" / f"{page}.md" for page in ("start", "which-metric", "uncertainty")),
]
CARDS = {module: ROOT / "metrics" / module.name / "README.md" for module in MODULES}
DOCUMENTS = list_documents()

# The headings of the cards of huggingface/evaluate, in their order.
HEADINGS = [
    "## Metric Description",
    "## How to Use",
    "### Inputs",
    "### Output Values",
    "#### Values from Popular Papers",
    "### Examples",
    "## Limitations and Bias",
    "## Citation",
    "## Further References",
]

# https://huggingface.co/docs/hub/spaces-config-reference
COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}

_TABLE = re.compile(r"<!-- metrics -->\s*(\|.+?)\s*<!-- /metrics -->", re.DOTALL)


def title(path):
    return str(path.relative_to(ROOT))


def read(path):
    return path.read_text(encoding="utf-8")


def front_matter(path):
    return yaml.safe_load(re.match(r"---\n(.*?)\n---\n", read(path), re.DOTALL)[1])


def sections(path):
    """Heading → its own text, up to the next heading of any level."""
    body = re.sub(r"\A---\n.*?\n---\n", "", read(path), flags=re.DOTALL)
    hidden = FENCE.sub(
        lambda fence: fence[0].replace("#", "\0"), body
    )  # a comment in code is not a heading
    parts = re.split(r"^(#+ .*)$", hidden, flags=re.MULTILINE)
    assert not parts[0].strip()
    return {
        heading: text.replace("\0", "#").strip()
        for heading, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def listed(section):
    """Name → text of a list whose items start with names in bold."""
    items = re.findall(
        r"^- ((?:\*\*[^*]+\*\*,?\s)*\*\*[^*]+\*\*)(.*?)(?=^- |^$|\Z)",
        section,
        re.MULTILINE | re.DOTALL,
    )
    return {name: text for names, text in items for name in re.findall(r"\*\*`?(.+?)`?\*\*", names)}


def own_parameters(module):
    compute = type(module.load())._compute
    return {
        name: each
        for name, each in inspect.signature(compute).parameters.items()
        if name not in ("self", "problems")
    }


every_card = for_each("module", CARDS)


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if "```" in read(path) and find_english(path) == path],
    ids=title,
)
def test_examples(path, monkeypatch):
    """Every example prints what is shown below it: `make texts` writes it anew."""
    monkeypatch.setattr(os, "environ", os.environ)  # `datasets` replaces it with a copy
    for name, value in (("HF_ALLOW_CODE_EVAL", ""), ("COLUMNS", "80"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)  # what a document sets is gone afterwards
    monkeypatch.chdir(ROOT)
    with serve(accept_paris) as judge:
        monkeypatch.setenv("OPENAI_BASE_URL", judge.url)
        assert fill_document(path, read(path)) == read(path)


@pytest.fixture(scope="module")
def joined():
    """A folder with a module for each namespace of a document. It stays, so that mypy reads again what has changed."""
    folder, parse, written = BLOCKS / "pages", doctest.DocTestParser().get_examples, set()
    folder.mkdir(parents=True, exist_ok=True)
    for path in (path for path in DOCUMENTS if find_english(path) == path):
        codes = [
            "".join(each.source for each in parse(block.code))
            if block.code.startswith(">>>")
            else block.code
            for block in list_blocks(read(path))
        ]
        name = re.sub("[^a-z]", "_", title(path).lower())
        texts = {f"{name}_{place}": code for place, code in enumerate(codes)}
        if not is_page(path):
            texts = {name: "\n\n".join(codes)}
        for stem, text in texts.items():
            (folder / f"{stem}.py").write_text(text, encoding="utf-8")
            written.add(folder / f"{stem}.py")
    for module in {*folder.glob("*.py")} - written:
        module.unlink()
    return folder


def test_the_blocks_of_each_page_pass_mypy(joined):
    options = [
        "--strict",
        "--ignore-missing-imports",
        "--no-error-summary",
        "--config-file=",
        f"--cache-dir={BLOCKS}",
    ]
    said, trouble, _ = api.run([*options, *map(str, sorted(joined.glob("*.py")))])
    assert (said, trouble) == ("", "")


# What strict mode says of packages without types, such as evaluate, and of modules that blocks import again.
UNTYPED = (
    "MissingImports",
    "MissingModuleSource",
    "MissingTypeStubs",
    "UnusedExpression",
    "DuplicateImport",
)
UNTYPED += tuple(
    f"Unknown{kind}Type" for kind in ("Member", "Variable", "Argument", "Parameter", "Lambda")
)


@pytest.mark.skipif(
    PYRIGHT is None, reason="pyright is not installed: it fetches itself from npm at its first run"
)
def test_the_blocks_of_each_page_pass_pyright(joined):
    rules = dict.fromkeys((f"report{rule}" for rule in UNTYPED), "none")
    config = {"typeCheckingMode": "strict", "useLibraryCodeForTypes": False, **rules}
    (joined / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [PYRIGHT, "--pythonpath", sys.executable, "--project", str(joined)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_readme_is_short():
    """The first screen of a terminal says what it is, what to type, and what is printed."""
    lines = read(README).splitlines()
    assert len(lines) <= 120
    screen = "\n".join(lines[:24])
    assert max(map(len, lines[:24])) <= 80
    for said in ("pass@k", "For people who", "pip install", "make demo", "make test", "at-k score"):
        assert said in screen


def test_the_steps_of_the_workflow_run(tmp_path):
    (found,) = [
        match[2]
        for match in FENCE.finditer(read(ROOT / "docs" / "recipes.md"))
        if match[1] == "yaml"
    ]
    install, *steps = [
        step["run"] for step in yaml.safe_load(found)["jobs"]["gate"]["steps"] if "run" in step
    ]
    assert install.startswith("pip install ./at-k")
    results = read(ROOT / "examples" / "data" / "taubench_airline.jsonl")
    (tmp_path / "baseline.jsonl").write_text(results, encoding="utf-8")
    (tmp_path / "my_eval.py").write_text(
        "print(open('baseline.jsonl').read(), end='')", encoding="utf-8"
    )
    places = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    environment = os.environ | places | {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    for step in steps:  # as GitHub runs them
        subprocess.run(
            ["bash", "-e", "-c", step],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
        )
    assert "0.720" in read(tmp_path / "summary.md")
    assert read(tmp_path / "gate.xml").count("<testcase") == 1


@for_each("path", IN_CHINESE)
def test_chinese_documents_have_the_code_of_the_english_ones(path):
    chinese = path.with_name("README.zh.md") if path == README else path.parent / "zh" / path.name
    blocks, translated = (
        [match[0] for match in FENCE.finditer(read(each))] for each in (path, chinese)
    )
    assert translated == blocks
    assert f"]({os.path.relpath(chinese, path.parent)})" in read(path)
    assert f"]({os.path.relpath(path, chinese.parent)})" in read(chinese)


@pytest.mark.parametrize("text", [
    "```python\nprint(1)\n```\n\n```text\n2\n```\n",
    "```python\nprint(1)\n```\n",
    "```python\n>>> 1\n2\n```\n",
    "```python\nx = 1\n```\n```text\n1\n```\n",
], ids=["output", "output not shown", "doctest", "nothing printed"])  # fmt: skip
def test_a_false_example_is_noticed(text, tmp_path):
    path = tmp_path / "false.md"
    filled = fill_document(path, text)
    assert filled != text
    assert fill_document(path, filled) == filled


def anchors(path):
    """List the anchors of the headings of a document, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", read(path)), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\]\(.*?\)", "", each).lower()).strip().replace(" ", "-")
        for each in headings
    }


@for_each("path", DOCUMENTS)
def test_links_lead_to_files_and_headings(path):
    targets = re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", read(path)))
    here = [target.partition("#")[::2] for target in targets if not target.startswith("https://")]
    assert [name for name, _ in here if not (path.parent / name).exists()] == []
    places = [(path.parent / name if name else path, anchor) for name, anchor in here if anchor]
    assert [(place.name, anchor) for place, anchor in places if anchor not in anchors(place)] == []


def test_recipes_are_short_and_pages_show_what_is_printed():
    for block in list_blocks(read(ROOT / "docs" / "recipes.md")):
        assert len(block.code.splitlines()) <= 20, f"line {block.line}"  # of 100 characters
    for path in (README, *CARDS.values()):
        assert any(block.shown for block in list_blocks(read(path)))


@every_card
def test_sections_of_cards_are_those_of_the_host_and_none_is_empty(module):
    texts = sections(CARDS[module])
    title, *headings = texts
    assert title.startswith("# Metric Card for ")
    assert headings == HEADINGS
    assert [heading for heading in HEADINGS if not texts[heading]] == []
    assert f"```bibtex\n{module.load().citation.strip()}\n" in texts["## Citation"]


def count_words(text):
    return len(text.split())


def drop_front_matter(path):
    return re.sub(r"\A---\n.*?\n---\n", "", read(path), flags=re.DOTALL)


@every_card
def test_a_card_is_short_and_soon_shows_a_number(module):
    """The cards of the host that are read most have 543 to 914 words, and their first call by word 187."""
    body = drop_front_matter(CARDS[module])
    assert count_words(body) <= 750
    example = re.search(r"\.compute\(.*?```text\n\{.*?\}\n```", body, re.DOTALL)
    assert count_words(body[: example.end()]) <= 120


@every_card
def test_a_card_needs_nothing_outside_of_its_folder(module):
    body = drop_front_matter(CARDS[module])
    loaded = set(re.findall(r"metrics/(\w+)", body))
    assert loaded == {module.name}
    assert "open(" not in body
    assert "Path(" not in body
    targets = [target for target in re.findall(r"\]\((.*?)\)", body) if ":" not in target]
    assert targets in ([], ["README.zh.md"])
    # The Hub renders formulas between two dollars alone.
    prose = FENCE.sub("", body)
    assert "$" not in re.sub(r"^\$\$$.*?^\$\$$", "", prose, flags=re.DOTALL | re.MULTILINE)


def test_the_table_lists_the_modules():
    (table,) = _TABLE.findall(read(WHICH_METRIC))
    rows = [row.split("|")[1].strip() for row in table.splitlines()[2:]]
    assert rows == [f"`{module.name}`" for module in MODULES]


@for_each("path", [README, *CARDS.values()])
def test_front_matter(path):
    space = front_matter(path)
    assert space["title"]
    assert space["emoji"]
    assert {space["colorFrom"], space["colorTo"]} <= COLOURS
    assert (space["sdk"], space["app_file"]) == ("gradio", "app.py")
    assert space["sdk_version"] == front_matter(README)["sdk_version"]
    assert isinstance(space["pinned"], bool)
    assert space["tags"] == ["evaluate", "metric"]
    assert space["license"] == "apache-2.0"
    assert 0 < len(space["short_description"]) <= 60  # the Hub cuts longer ones off
    assert path == README or space["description"]


@for_each("path", [each for card in CARDS.values() for each in card.parent.glob("*.md")])
def test_cards_have_a_place_for_the_command_that_installs(path):
    assert INSTALL.search(read(path))  # `tools.spaces` writes there how to install from the Space


@every_card
def test_a_card_needs_nothing_but_its_own_folder(module):
    code = "".join(block.code for block in list_blocks(read(CARDS[module])))
    assert {*re.findall(r"evaluate\.load\((.+?)[,)]", code)} == {f'"metrics/{module.name}"'}
    assert not re.search(r"\bopen\(|Path\(|read_(text|json|csv|results)|\.jsonl?\b", code)


@every_card
def test_inputs_are_those_of_the_module(module):
    inputs = listed(sections(CARDS[module])["### Inputs"])
    parameters = own_parameters(module)
    columns = [name for name in module.metric.arguments if name in COLUMNS]
    assert sorted(inputs) == sorted([*columns, *module.metric.options])
    for name in module.metric.options:
        default = parameters[name].default
        if default not in (inspect.Parameter.empty, None):
            spelled = str(default) if isinstance(default, bool) else json.dumps(default)
            assert f"={spelled}`" in inputs[name], name
    # Each has its types and a meaning, and no link in its place.
    assert [name for name, text in inputs.items() if not re.match(r" \(`.+`\): \w?", text)] == []
    assert [name for name, text in inputs.items() if "](" in text] == []


@every_card
def test_output_values_are_those_of_the_module(module):
    keys = listed(sections(CARDS[module])["### Output Values"])
    docstring = module.load().inputs_description.partition("Returns:")[2].partition("Examples:")[0]
    assert list(keys) == re.findall(r"^    (\S+): ", docstring, re.MULTILINE)
    assert list(keys)[-2:] == ["{group}/{key}", "details"]
    for pattern in module.key_patterns:
        assert pattern.replace("{tau}", "{τ}") in keys


every_metric = pytest.mark.parametrize("metric", FAMILY.values(), ids=list(FAMILY))


def write_lists(metric):
    return list_inputs(find_inputs(metric), [metric]), list_outputs(find_outputs(metric))


@every_metric
def test_lists_are_filled_in_and_no_line_that_continues_an_item_begins_one(metric):
    for text in (*write_lists(metric), describe_inputs(metric.name, "")):
        assert not re.search(r"\{default_k\}", text)
        assert max(map(len, text.splitlines())) <= 120
    for text in write_lists(metric):
        assert [
            line for line in text.splitlines() if re.match(r"\s+([-+*=>#|]|\d+[.)]) ", line)
        ] == []


def test_default_k_is_told_apart_where_metrics_differ():
    (k,) = (row for row in list_options().splitlines() if row.startswith("| `k` |"))
    for metric in FAMILY.values():
        if metric.default_k is not None:
            assert f"`{metric.name}`" in k
            assert metric.default_k.text in k
            assert metric.default_k.text in " ".join(write_lists(metric)[0].split())
