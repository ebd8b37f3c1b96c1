"""The Spaces are what the Hub needs, and each runs with nothing beside it."""

import filecmp
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import evaluate
import pytest
from gradio_client import Client

import at_k
from tools import environments, spaces
from tools.driving import eventually
from tools.spaces import COLLECTION, ROOT, SPACES

TOP = {
    "README.md",
    "README.zh.md",
    "LICENSE",
    "app.py",
    "requirements.txt",
    "at_k",
    *spaces.PACKAGING,
}
LIBRARY = {
    path.relative_to(ROOT)
    for path in (ROOT / "at_k").rglob("*")
    if path.suffix in (".py", ".css", ".typed")
}


def is_translated(module):
    """Return whether the card of a module has a Chinese one beside it."""
    return (at_k.module_path(module) / "README.zh.md").is_file()


every_space = pytest.mark.parametrize("space", SPACES)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spaces")
    for space in SPACES:
        spaces.build(space, folder / space)
    return folder


def files(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def documents(folder):
    """Place → the document without its fenced blocks."""
    return {
        path: re.sub(
            r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        for path in folder.rglob("*.md")
    }


@every_space
def test_a_space_has_exactly_the_expected_files(built, space):
    folder = built / space
    own = {"metrics", "comparisons", "examples", "docs"} if space == COLLECTION else {f"{space}.py"}
    if space in at_k.METRICS:
        own.add(spaces.STANDALONE)
    assert {path.name for path in folder.iterdir()} == TOP | own
    assert files(folder) >= LIBRARY
    assert not [path for path in files(folder) if {"__pycache__", "tests"} & set(path.parts)]
    assert [path for path in files(folder) if path.suffix == ".pyi"] == [
        Path("at_k/__init__.pyi")
    ]  # none of Gradio's


@pytest.fixture
def copied(built, tmp_path):
    """Return a function that copies a Space. What Python writes beside the files that it imports stays in the copy."""
    return lambda space: Path(shutil.copytree(built / space, tmp_path / space))


@pytest.mark.parametrize("space", [COLLECTION, "gpassk"])
def test_the_library_finds_the_modules_and_the_examples_in_it(copied, space):
    folder = copied(space)
    found = "given.find_folder(), *map(at_k.module_path, (*at_k.METRICS, 'at_k_difference'))"
    code = f"import at_k; from at_k.demo import given; print({found}, sep='\\n')"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    data, *modules = map(Path, found.stdout.splitlines())
    for path in (data, *modules):
        assert folder in path.parents
        assert (path / "README.md").is_file()
    assert all((path / "README.zh.md").is_file() for path in modules if is_translated(path.name))


@every_space
def test_only_links_differ_from_what_is_here(built, space):
    for place in files(built / space) - rewritten(space):
        here, there = without_links(source(space, place)), without_links(built / space / place)
        assert here == there, place


def rewritten(space):
    """Return the files that a Space has in its own words: its module, and its card, at the top and in the library."""
    if space == COLLECTION:
        return set()
    inside = "at_k" / at_k.module_path(space).relative_to(ROOT)
    cards = {Path(folder, card) for folder in ("", inside) for card in spaces.CARDS}
    return {Path(spaces.STANDALONE), Path(f"{space}.py"), *cards}


ORG = spaces.Home("org")


@pytest.fixture(scope="module")
def on_hub(tmp_path_factory):
    """Spaces as an organization has them."""
    folder = tmp_path_factory.mktemp("org")
    for space in SPACES[1:]:
        spaces.build(space, folder / space, ORG)
    return folder


@pytest.mark.parametrize("space", SPACES[1:])
def test_a_card_says_how_its_space_is_installed_and_loaded(built, on_hub, space):
    package = f"git+https://huggingface.co/spaces/org/{space}"
    inside = "at_k" / at_k.module_path(space).relative_to(ROOT)
    for card in (Path(folder, name) for folder in ("", inside) for name in spaces.CARDS):
        here, there = (
            (folder / space / card).read_text(encoding="utf-8") for folder in (built, on_hub)
        )
        assert "```bash\npip install .\n```\n<!-- /install -->" in here
        assert f"```bash\npip install {package}\n```\n<!-- /install -->" in there
        assert f'evaluate.load("{space}.py"' in here
        assert f'evaluate.load("org/{space}"' in there
        assert not re.search(r"in a clone\n|metrics/\w+\"|pip install [\".]", there)


def test_messages_of_a_space_install_from_it(on_hub):
    folder = on_hub / "gpassk"
    code = "from at_k.errors import write_install; print(write_install(), write_install('math'))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    package = "git+https://huggingface.co/spaces/org/gpassk"
    assert done.stdout.strip() == f'pip install {package} pip install "at-k[math] @ {package}"'


def test_without_the_library_the_comparison_says_how_to_install_it(on_hub, monkeypatch):
    monkeypatch.setitem(sys.modules, "at_k", None)
    with pytest.raises(ImportError) as caught:
        evaluate.load(str(on_hub / "at_k_difference"))
    assert "pip install git+https://huggingface.co/spaces/org/at_k_difference'" in str(caught.value)


def source(space, place):
    """Return the source of a file of a Space."""
    if place.is_relative_to("at_k/metrics") or place.is_relative_to("at_k/comparisons"):
        return ROOT / place.relative_to("at_k")
    if place.is_relative_to("at_k/demo/data"):
        return ROOT / "examples" / "data" / place.relative_to("at_k/demo/data")
    if space == COLLECTION or place.parts[0] in ("at_k", "LICENSE", *spaces.PACKAGING):
        return ROOT / place
    return at_k.module_path(space) / place


def without_links(path):
    content = path.read_bytes()
    return re.sub(rb"!?\[([^\]]*)\]\([^)]*\)", rb"\1", content) if path.suffix == ".md" else content


@every_space
def test_links_lead_to_files_of_the_space(built, space):
    for path, text in documents(built / space).items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"https://|#", target):
                assert (
                    (path.parent / target.partition("#")[0]).resolve().is_relative_to(built / space)
                )
                assert (path.parent / target.partition("#")[0]).exists(), f"{path}: {target}"


def test_a_link_to_what_a_space_has_is_kept_and_one_to_another_file_becomes_text(built):
    inner = built / "gpassk" / "at_k" / "metrics" / "best_at_k" / "README.md"
    assert "\n[中文](README.zh.md)\n" in inner.read_text(encoding="utf-8")
    assert "\n[English](README.md)\n" in (built / "gpassk" / "README.zh.md").read_text(
        encoding="utf-8"
    )
    collection = (built / COLLECTION / "README.md").read_text(encoding="utf-8")
    assert "[CONTRIBUTING.md]" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert " CONTRIBUTING.md describes" in collection.replace("\n", " ")
    assert "](docs/modules.md)" in collection


def test_rebuilding_gives_the_same_and_leaves_the_rest(built, tmp_path):
    folder, neighbour = tmp_path / "gpassk", tmp_path / "neighbour"
    neighbour.write_text("stays")
    (folder / "at_k").mkdir(parents=True)
    (folder / "at_k" / "left over.py").write_text("goes")
    spaces.build("gpassk", folder)
    assert neighbour.read_text() == "stays"
    assert files(folder) == files(built / "gpassk")
    same, *others = filecmp.cmpfiles(
        folder, built / "gpassk", map(str, files(folder)), shallow=False
    )
    assert len(same) == len(files(folder))
    assert others == [[], []]


class Hub:
    """Takes what would be uploaded."""

    def __init__(self):
        self.calls = []

    def create_repo(self, repo_id, **options):
        self.calls.append(("create", repo_id, options))

    def upload_folder(self, *, repo_id, folder_path, **options):
        self.calls.append(("upload", repo_id, options, files(Path(folder_path))))


@pytest.fixture
def hub(monkeypatch, tmp_path):
    hub = Hub()
    monkeypatch.setattr(spaces, "HfApi", lambda: hub)
    monkeypatch.setattr(spaces, "ROOT", tmp_path)
    monkeypatch.setattr(spaces, "BUILD", tmp_path / "build")
    monkeypatch.setattr(
        spaces, "build", lambda space, folder, home: shutil.copytree(ROOT / "tools", folder / space)
    )
    return hub


def test_nothing_is_uploaded_unless_asked(hub, capsys):
    spaces.main("")
    assert hub.calls == []
    assert [line.split("/")[-1] for line in capsys.readouterr().out.splitlines()] == list(SPACES)


def test_every_space_is_created_and_uploaded(hub, tmp_path):
    spaces.main("org")
    names = ["org/at-k", *(f"org/{name}" for name in at_k.METRICS), "org/at_k_difference"]
    assert [call[:2] for call in hub.calls] == [
        (what, name) for name in names for what in ("create", "upload")
    ]
    for call, space in zip(hub.calls[1::2], SPACES, strict=True):
        assert call[2]["repo_type"] == "space"
        assert call[3] == files(tmp_path / "build" / space)
    assert all(
        call[2] == {"repo_type": "space", "space_sdk": "gradio", "exist_ok": True}
        for call in hub.calls[::2]
    )


@pytest.fixture(scope="module")
def clean_python(built, tmp_path_factory):
    """A Python with what the requirements of the Spaces name, and nothing else."""
    requirements = {space: (built / space / "requirements.txt").read_bytes() for space in SPACES}
    assert len(set(requirements.values())) == 1  # so that one environment serves all
    try:
        return environments.create(
            tmp_path_factory.mktemp("clean"), ["-r", built / COLLECTION / "requirements.txt"]
        )
    except RuntimeError as error:
        if "error sending request" in str(error) and "AT_K_NO_SKIPS" not in os.environ:
            pytest.skip("uv reaches no index to install what a Space needs")
        raise


def without_hints(**more):
    """The environment, without what would lead Python or the Hub's libraries to something outside of a Space."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON"))
    } | more


def explored(address, space):
    """Values in a Space of a problem with 4 correct samples of 16."""
    client = Client(
        address, verbose=False, httpx_kwargs={"timeout": 120}
    )  # the first request loads Gradio
    data = '{"grades": [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}'
    if space == COLLECTION:
        return client.predict(data, {"k": [4], "thresholds": [0.5]}, api_name="/score")["values"]
    assert "/best_at_k/" not in json.dumps(client.config)  # there is no other demo
    return client.predict(data, k="4", thresholds="0.5", api_name=f"/{space}")["values"]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# One worker installs what the Spaces need, and compiles it when it first runs, for all tests that need it.
own_python = pytest.mark.xdist_group("spaces")


@every_space
def test_the_app_of_a_space_opens_its_own_page(built, space):
    (launched,) = re.findall(
        r"launch\((.*)\)$", (built / space / "app.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert launched == {COLLECTION: "", "at_k_difference": '"compare"'}.get(space, f'"{space}"')


# The others differ from the second in the name that their app opens, and in nothing else that runs.
@own_python
@pytest.mark.installs
@pytest.mark.parametrize("space", [COLLECTION, "gpassk"])
def test_a_space_runs_by_itself(copied, clean_python, tmp_path, space):
    folder = copied(space)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    offline = {
        "HOME": str(tmp_path),
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONUNBUFFERED": "1",
    }
    environment = without_hints(
        **offline, GRADIO_SERVER_PORT=port, GRADIO_ANALYTICS_ENABLED="False"
    )
    log = tmp_path / "log"
    with (
        log.open("wb") as said,
        subprocess.Popen(
            [clean_python, "app.py"], cwd=folder, env=environment, stdout=said, stderr=said
        ) as server,
    ):
        try:
            eventually(lambda: server.poll() is not None or answers(int(port)), True)
            assert server.poll() is None, log.read_text(encoding="utf-8")
            values = explored(f"http://127.0.0.1:{port}/", space)
        finally:
            server.terminate()
    assert ("pass@4" in values) == (space == COLLECTION)
    assert values.get("pass@4", at_k.pass_at_k(16, 4, k=4)) == at_k.pass_at_k(16, 4, k=4)
    assert values["G-Pass@4_0.5"] == at_k.g_pass_at_k(16, 4, k=4, thresholds=0.5)


@own_python
@pytest.mark.installs
def test_metrics_spaces_are_modules_for_evaluate(copied, clean_python, tmp_path):
    for name in at_k.METRICS:
        copied(name)
    code = f"""
import evaluate
for name in {at_k.METRICS}:
    own = {{"k": [2]}} if name != "avg_at_n" else {{}}
    own |= {{"scores": [[1, 0]]}} if name == "best_at_k" else {{}}
    print(*evaluate.load(name).compute(predictions=[["a", "b"]], references=["a"], **own))
"""
    # Each has the library of the first, to the byte.
    environment = without_hints(
        HOME=str(tmp_path), HF_HOME=str(tmp_path / "hf"), HF_HUB_OFFLINE="1", PYTHONPATH="gpassk"
    )
    loaded = subprocess.run(
        [clean_python, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ["@2" in line for line in loaded.stdout.splitlines()] == [True] * len(at_k.METRICS), (
        loaded.stderr
    )
