"""Scoring inside a `datasets` pipeline: values as columns, by two processes; and a stream, batch by batch."""

from pathlib import Path

import evaluate
from datasets import load_dataset

import at_k

DATA = str(Path(__file__).parent / "data" / "qwen25_math.jsonl")


def main() -> None:
    """Print what each of three ways gives; they agree."""
    dataset = load_dataset("json", data_files=DATA, split="train")
    dataset = dataset.rename_columns({"answers": "predictions", "reference": "references"})

    scored = dataset.map(at_k.scorer("gpassk", k=[4, 8]), batched=True, num_proc=2)
    print("mapped  ", sum(scored["mG-Pass@8"]) / len(scored))

    gpassk = evaluate.load(str(at_k.module_path("gpassk")))
    for batch in dataset.to_iterable_dataset().batch(batch_size=32):
        gpassk.add_batch(predictions=batch["predictions"], references=batch["references"])
    print("streamed", gpassk.compute(k=[4, 8])["mG-Pass@8"])

    print("columns ", gpassk.compute(predictions=dataset["predictions"], references=dataset["references"])["mG-Pass@8"])


if __name__ == "__main__":
    main()
