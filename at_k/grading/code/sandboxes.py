"""Sandboxes of other makers, in which supervisors can run: bubblewrap, docker, and those of plugins.

A sandbox is a command that runs another one, whose standard input and output it passes on. The supervisor in it bounds
what programs use, as it does everywhere, and leaves it to the sandbox to keep them from the machine.
"""

from __future__ import annotations

import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from at_k.errors import InputError
from at_k.grading.code.isolation import READABLE
from at_k.validation import shorten, type_name

GROUP = "at_k.sandboxes"
"""The group of entry points by which a plugin registers a sandbox: its name and a subclass of `Sandbox`."""

IMAGE = "AT_K_DOCKER_IMAGE"
"""The environment variable with the image of docker; by default that of this version of Python."""


class Sandbox(ABC):
    """Run supervisors in a sandbox. A plugin has a subclass.

    Attributes:
        name: the name by which the sandbox is chosen.
        program: the program that must be installed.
        own_python: whether programs run with the Python of the sandbox and its packages, and not with those of this
            process.
    """

    name: ClassVar[str]
    program: ClassVar[str]
    own_python: ClassVar[bool] = False

    def find_fault(self) -> str:
        """Return why the sandbox cannot be used here; "" if it can, as far as is known without a trial."""
        return "" if shutil.which(self.program) else f"`{self.program}` is not installed"

    def list_environment(self) -> dict[str, str]:
        """List the environment variables that the sandbox itself needs. Programs do not see them."""
        return {}

    @abstractmethod
    def wrap(self, command: Sequence[str], folders: Sequence[str]) -> list[str]:
        """Return the command that runs a command in the sandbox, without network.

        Args:
            command: the command, which reads standard input and writes standard output, and writes files into /tmp.
            folders: the folders that it reads, at the same paths.
        """


class Bubblewrap(Sandbox):
    """Run supervisors in bubblewrap, which Flatpak uses: it works for users whom the kernel gives no namespaces."""

    name = "bubblewrap"
    program = "bwrap"

    def wrap(self, command: Sequence[str], folders: Sequence[str]) -> list[str]:
        """Return the command with folders that can only be read, and nothing else of the machine."""
        shown = [word for path in (*READABLE, *folders) for word in ("--ro-bind-try", path, path)]
        apart = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        # An empty /tmp comes first: what is shown may lie in it.
        return [self.program, *apart, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *shown, "--", *command]


class Docker(Sandbox):
    """Run supervisors in a container of docker, with the Python and the packages of an image."""

    name = program = "docker"
    own_python = True

    def list_environment(self) -> dict[str, str]:
        """List where docker's engine is, and the user's settings of docker."""
        return {name: value for name, value in os.environ.items() if name.startswith("DOCKER_") or name == "HOME"}

    def wrap(self, command: Sequence[str], folders: Sequence[str]) -> list[str]:
        """Return the command in a container without network, rights and files that can be written, but for /tmp."""
        image = os.environ.get(IMAGE, f"python:{sys.version_info[0]}.{sys.version_info[1]}-slim")
        shown = [f"--volume={path}:{path}:ro" for path in folders]
        apart = ["--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"]
        bounds = ["--user=61184:61184", "--pids-limit=512", "--tmpfs=/tmp:exec,mode=1777"]
        return [self.program, "run", "--rm", "--interactive", *apart, *bounds, *shown, image, *command]


OWN = ("namespaces", "limits")
"""What this library does itself."""

BUILT_IN: tuple[type[Sandbox], ...] = (Bubblewrap, Docker)


def find_sandbox(name: str) -> Sandbox:
    """Return the sandbox of a name.

    Raises:
        InputError: if there is none of that name, or it cannot be used here.
    """
    from importlib.metadata import entry_points

    plugins = {each.name: each for each in entry_points(group=GROUP)}
    known = {each.name: each for each in BUILT_IN}
    if name not in known and name not in plugins:
        raise InputError(
            "code.no_sandbox", "`sandbox` must be one of {names}; got {value}",
            names=", ".join(map(repr, ("auto", *OWN, *known, *plugins))), value=shorten(name),
        )  # fmt: skip
    try:
        found = known[name]() if name in known else plugins[name].load()()
        fault = found.find_fault()
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        fault = f"{type_name(error)}: {error}"
    if fault:
        raise InputError(
            "code.sandbox",
            "The sandbox {name} cannot be used here: {reason}. Choose `sandbox='auto'`, which takes the best there is.",
            name=repr(name), reason=fault,
        )  # fmt: skip
    return found
