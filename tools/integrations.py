"""Run the plug-ins in the harnesses that they are for, each in an environment of its own: `make integrations`.

The files in tools/harnesses/ run a small evaluation, with a mock model and without a network, and compare numbers.
"""

import subprocess
import sys
from pathlib import Path

from tools import environments

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


def main() -> None:
    """Make each environment and run its file; exit with 1 if one fails."""
    failed = []
    for name, packages in HARNESSES.items():
        print(f"\n=== {name}", flush=True)
        python = environments.create(ROOT / "build" / "integrations" / name, ["--editable", ROOT, *packages])
        if subprocess.run([python, ROOT / "tools" / "harnesses" / f"in_{name}.py"], check=False).returncode:
            failed.append(name)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
