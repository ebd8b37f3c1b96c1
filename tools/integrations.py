"""Run the plug-ins in the harnesses that they are for, each in an environment of its own: `make integrations`.

The files in tools/harnesses/ run a small evaluation, with a mock model and without a network, and compare numbers.
"""

import re
import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.maintenance import summarise
from tools.matrix import find_python, versions as list_versions

ROOT = Path(__file__).resolve().parent.parent
HARNESSES = {
    "evalscope": ["evalscope"],
    "harbor": ["harbor"],
    "inspect_ai": ["inspect-ai"],
    "lighteval": ["lighteval", "xxhash < 4"],  # lighteval 0.13 hashes texts, which xxhash 4 refuses
    "lm_eval": ["lm-eval"],
    "nemo_gym": ["nemo-gym"],
    "trackers": ["mlflow-skinny", "sqlalchemy", "alembic", "tensorboardX", "wandb"],
    "trl": ["trl"],
    "verifiers": ["verifiers"],
    "verl": ["verl[verl-core]"],
}
"""File in tools/harnesses/, after `in_` → the packages that it needs."""

NEWEST = ("harbor", "nemo_gym")
"""Harnesses that need a newer Python than 3.11: the newest one here is taken."""


def main() -> None:
    """Make each environment and run its file; exit with 1 if one fails."""
    versions: dict[str, str] = {}
    failed: list[str] = []
    newest = next(filter(None, map(find_python, reversed(list_versions()))), sys.executable)
    with summarise("integrations") as counts:
        for name, packages in HARNESSES.items():
            print(f"\n=== {name}", flush=True)
            try:
                python = environments.create(
                    ROOT / "build" / "integrations" / name,
                    ["--editable", ROOT, *packages],
                    python=newest if name in NEWEST else sys.executable,
                )
            except RuntimeError as error:
                print(error, flush=True)
                failed.append(name)
                continue
            versions[name] = _find_version(python, packages[0])
            if subprocess.run(
                [python, ROOT / "tools" / "harnesses" / f"in_{name}.py"], check=False
            ).returncode:
                failed.append(name)
        counts.update(
            passed=len(HARNESSES) - len(failed),
            failed=len(failed),
            failures=failed,
            versions=versions,
            left_out=[],
        )
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


def _find_version(python: Path, requirement: str) -> str:
    """Return the version of a package in an environment."""
    name = re.split(r"[\[<=> ]", requirement)[0]
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=False
    ).stdout.strip()


if __name__ == "__main__":
    main()
