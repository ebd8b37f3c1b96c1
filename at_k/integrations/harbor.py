"""The report at the end of a job of Harbor: `harbor run … --plugin at-k`, found by its entry point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harbor.models.job.plugin import BaseJobPlugin

from at_k.errors import InputError
from at_k.report import score


class ReportPlugin(BaseJobPlugin):
    """Print the report of a job when it ends."""

    async def on_job_start(self, job: Any) -> None:
        """Keep the folder of the job."""
        self._folder = Path(job.job_dir)

    async def on_job_end(self, job_result: Any) -> None:
        """Score the trials. Trials that ended without a reward are left out, and counted in the report."""
        try:
            report = score(self._folder, missing="drop")
        except InputError as error:
            print(f"at-k: {error}")  # a job that has ended must not fail for its report
            return
        print(report)
