"""Sandboxes of other makers: bubblewrap where it is installed, docker by a stand-in, and plugins."""

import importlib.metadata
import json
import os
import shutil
import sys

import pytest
from grading.code.programs import run_pairs

import at_k
from at_k.errors import InputError
from at_k.grading.code import pool, sandboxes
from at_k.grading.code.sandboxes import Bubblewrap, Docker, Sandbox, find_sandbox

PAIRS = [("def f(x): return x + 1", "assert f(1) == 2"), ("def f(x): return x", "assert f(1) == 2")]


def describe(outcomes):
    return [(outcome.status, outcome.isolation) for outcome in outcomes]


def test_bubblewrap(tmp_path):
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    hidden = f"import os\ndef f(x): return x + (not os.path.exists({str(tmp_path)!r}))"
    found = describe(run_pairs([*PAIRS, (hidden, "assert f(1) == 2")], sandbox="bubblewrap"))
    assert found == [("passed", "bubblewrap"), ("failed", "bubblewrap"), ("passed", "bubblewrap")]


@pytest.fixture
def docker(monkeypatch, tmp_path):
    """Put a stand-in for docker first on PATH. It notes its arguments, and runs the command by this Python."""
    script = tmp_path / "docker.py"
    script.write_text(
        "import json, os, sys\n"
        f"json.dump([sys.argv[1:], sorted(os.environ)], open({str(tmp_path / 'said')!r}, 'w'))\n"
        "command = sys.argv[sys.argv.index('an/image') + 1:]\n"
        f"command[command.index('python')] = {sys.executable!r}\n"
        "os.execv(command[0], command)\n"
    )
    command = tmp_path / "docker"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')  # "#!" takes no path with a space
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("AT_K_DOCKER_IMAGE", "an/image")
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    monkeypatch.setenv("SECRET", "x")
    return tmp_path / "said"


def test_docker(docker):
    assert describe(run_pairs(PAIRS, sandbox="docker", num_workers=1)) == [("passed", "docker"), ("failed", "docker")]
    arguments, variables = json.loads(docker.read_text())
    assert arguments[:3] == ["run", "--rm", "--interactive"]
    assert {"--network=none", "--read-only", "--cap-drop=ALL", f"--volume={pool.HERE}:{pool.HERE}:ro"} <= {*arguments}
    assert not [word for word in arguments if word.startswith("--volume=") and str(pool.HERE) not in word]
    assert "DOCKER_HOST" in variables
    assert "SECRET" not in variables


class Plain(Sandbox):
    name = "plain"
    program = "env"

    def wrap(self, command, folders):
        assert str(pool.HERE) in folders
        return list(command)


class Broken(Plain):
    def find_fault(self):
        raise OSError("no such device")


class Point:
    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    def load(self):
        return self.kind


@pytest.fixture
def plugins(monkeypatch):
    points = [Point("plain", Plain), Point("broken", Broken)]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == sandboxes.GROUP else [])


def test_a_plugin(plugins, monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    checker = at_k.checkers.code(sandbox="plain")
    rows = {"answers": [[program for program, _ in PAIRS]], "references": ["assert f(1) == 2"]}
    report = at_k.score(rows, check_correct_fn=checker, metrics="avg_at_n")
    assert report.c == [1]
    assert "|isolation:plain" in report.signatures["avg_at_n"]
    assert "The programs ran in the sandbox “plain”." in map(str, report.notes)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "jail",
            "must be one of 'auto', 'namespaces', 'limits', 'bubblewrap', 'docker', 'plain', 'broken'; got 'jail'",
        ),
        ("broken", "'broken' cannot be used here: OSError: no such device"),
    ],
)
def test_sandboxes_that_cannot_be_used(plugins, name, says):
    with pytest.raises(InputError, match=says):
        run_pairs(PAIRS, sandbox=name)


def test_one_that_is_not_installed_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="'docker' cannot be used here: `docker` is not installed"):
        find_sandbox("docker")
    assert Bubblewrap().find_fault() == "`bwrap` is not installed"


@pytest.mark.parametrize("sandbox", ["limits", "namespaces"])
def test_those_of_this_library_have_names_too(sandbox):
    try:
        (outcome,) = run_pairs(PAIRS[:1], sandbox=sandbox)
    except Exception as error:  # noqa: BLE001 - the kernel refuses
        assert sandbox == "namespaces"
        pytest.skip(f"the kernel has no namespaces for this user: {error}")
    assert outcome.isolation == sandbox


@pytest.mark.parametrize(
    ("isolation", "installed", "tried"),
    [
        ("auto", True, ["namespaces", "bubblewrap", "limits"]),
        ("auto", False, ["namespaces", "limits"]),
        ("required", True, ["namespaces", "bubblewrap"]),
        ("none", True, ["limits"]),
    ],
)
def test_auto_takes_the_best(monkeypatch, isolation, installed, tried):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Bubblewrap, "find_fault", lambda self: "" if installed else "not installed")
    found = pool._list_choices(isolation, "auto")
    assert [each if isinstance(each, str) else each.name for each in found] == tried


def test_the_image_is_that_of_this_python(monkeypatch):
    monkeypatch.delenv("AT_K_DOCKER_IMAGE", raising=False)
    image = f"python:{sys.version_info[0]}.{sys.version_info[1]}-slim"
    assert Docker().wrap(["x"], ["/a"])[-3:] == ["--volume=/a:/a:ro", image, "x"]
