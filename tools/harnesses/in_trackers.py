"""One report in MLflow, TensorBoard and Weights & Biases, offline: the numbers that they have kept."""

import os
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import mlflow
import wandb
from tensorboardX import SummaryWriter

import at_k
from at_k.integrations.trackers import log_report

report = at_k.score({"grades": [[1, 0, 1, 0], [0, 0, 1, 0]], "group": ["a@1", "b|数"]}, k=[1, 2])
with TemporaryDirectory() as folder:
    os.chdir(folder)
    mlflow.set_tracking_uri("sqlite:///runs.db")
    with mlflow.start_run() as active:
        log_report(report, mlflow, step=3)
    kept = mlflow.get_run(active.info.run_id).data.metrics
    assert kept["at_k/pass_at_2"] == report.values["pass@2"]
    with SummaryWriter("board") as writer:
        log_report(report, writer, step=3)
    assert list(Path("board").iterdir())
    run = wandb.init(mode="offline", project="at-k", settings=wandb.Settings(silent=True))
    log_report(report, run, step=3)
    run.finish()
    assert list(Path("wandb").glob("offline-run-*/*.wandb"))
    os.chdir("/")
print({name: version(name) for name in ("mlflow-skinny", "tensorboardX", "wandb")})
