"""Score inside a `datasets` pipeline: with two processes, as a stream of batches, and from whole columns."""

from pathlib import Path

import evaluate
from datasets import load_dataset

import at_k

DATA = str(Path(__file__).parent / "data" / "qwen25_math.jsonl")


def main() -> None:
    """Print the number that each of the three ways gives; the three are equal."""
    dataset = load_dataset("json", data_files=DATA, split="train")

    score = at_k.scorer(
        "gpassk", columns={"predictions": "answers", "references": "reference"}, k=[4, 8]
    )
    scored = dataset.map(score, batched=True, num_proc=2)
    print("mapped  ", sum(scored["mG-Pass@8"]) / len(scored))

    gpassk = evaluate.load(str(at_k.module_path("gpassk")))
    for batch in dataset.to_iterable_dataset().batch(batch_size=32):
        gpassk.add_batch(predictions=batch["answers"], references=batch["reference"])
    print("streamed", gpassk.compute(k=[4, 8])["mG-Pass@8"])

    columns = {"predictions": dataset["answers"], "references": dataset["reference"]}
    print("columns ", gpassk.compute(**columns, k=[4, 8])["mG-Pass@8"])


if __name__ == "__main__":
    main()
