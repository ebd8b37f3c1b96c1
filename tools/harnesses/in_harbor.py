"""A job of Harbor with three tasks, four attempts and an environment that does nothing: `--plugin at-k`."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from arithmetic import REPLIES, TARGETS, compare, reply
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.models.verifier.result import VerifierResult
from harbor.verifier.base import BaseVerifier

import at_k


class Nowhere(BaseEnvironment):
    """An environment in which nothing happens."""

    capabilities = EnvironmentCapabilities(mounted=True)

    @staticmethod
    def type():
        """Return its name."""
        return "nowhere"

    def _validate_definition(self):
        pass

    async def exec(self, *_, **__):
        """Run nothing."""
        return ExecResult(return_code=0)

    async def _ignore(self, *_, **__):
        pass

    start = stop = upload_file = upload_dir = download_file = download_dir = _ignore


class Grader(BaseVerifier):
    """Give the next reply of a task its reward."""

    async def verify(self):
        """Return the reward."""
        return VerifierResult(
            rewards={"reward": float(reply(self.task.short_name) == TARGETS[self.task.short_name])}
        )


def main():
    """Run the job."""
    with TemporaryDirectory() as folder:
        for name in REPLIES:
            (task := Path(folder, "tasks", name)).mkdir(parents=True)
            (task / "instruction.md").write_text("Answer.")
            (task / "task.toml").write_text('version = "1.0"\n')
            (task / "environment").mkdir()
            (task / "environment" / "Dockerfile").write_text("FROM scratch\n")
            (task / "tests").mkdir()
            (task / "tests" / "test.sh").write_text("")
        command = [
            "harbor",
            "run",
            "--path",
            "tasks",
            "--agent",
            "nop",
            "--n-attempts",
            "4",
            "--plugin",
            "at-k",
        ]
        command += ["--env", "in_harbor:Nowhere", "--verifier", "in_harbor:Grader"]
        command += ["--jobs-dir", "jobs", "--n-concurrent", "1", "--yes"]
        found = {"PYTHONPATH": str(Path(__file__).parent), "LITELLM_LOCAL_MODEL_COST_MAP": "1"}
        found["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, cwd=folder, env=os.environ | found, capture_output=True, text=True, check=True
        )
        (job,) = Path(folder, "jobs").iterdir()
        report = at_k.score(job)
    assert str(report) in done.stdout
    compare(report.values.__getitem__, (key for key in report.values if not key.startswith("cons")))
    print(f"Harbor {version('harbor')}:\n{done.stdout}")


if __name__ == "__main__":
    main()
