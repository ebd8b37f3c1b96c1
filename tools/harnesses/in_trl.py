"""A step of TRL's GRPOTrainer with a small random model: what it logs, and the advantages of credits."""

import os
from importlib.metadata import version
from tempfile import TemporaryDirectory

os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"

from arithmetic import REPLIES, TARGETS, compare, reply
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from at_k.integrations.trl import CreditMixin, log_at_k

words = ["<pad>", "<eos>", *REPLIES, *"0123456789"]
plain = Tokenizer(
    models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<pad>")
)
plain.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>")
model = Qwen2ForCausalLM(
    Qwen2Config(
        vocab_size=len(words),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
    )
)


class Trainer(CreditMixin, GRPOTrainer):
    """Train for pass@2."""

    at_k = {"metric": "pass@2"}  # noqa: RUF012 - as users write it

    def _generate_and_score_completions(self, inputs):
        outputs = super()._generate_and_score_completions(inputs)
        self.advantages = outputs["advantages"].tolist()
        return outputs


def is_correct(prompts, completions, target, **_):
    """Score replies that are known, in place of what a random model says."""
    return [float(reply(prompt) == right) for prompt, right in zip(prompts, target, strict=True)]


with TemporaryDirectory() as folder:
    trainer = Trainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=log_at_k(is_correct),
        train_dataset=Dataset.from_dict(
            {"prompt": list(TARGETS), "target": list(TARGETS.values())}
        ),
        args=GRPOConfig(
            output_dir=folder,
            per_device_train_batch_size=12,
            num_generations=4,
            max_completion_length=2,
            max_steps=1,
            logging_steps=1,
            use_cpu=True,
            report_to="none",
            shuffle_dataset=False,
        ),
    )
    trainer.train()
logged = trainer.state.log_history[0]
compare(
    lambda key: logged[f"at_k/{key}"], ("pass@1", "pass@2", "pass@4", "avg@4"), tolerance=1e-7
)  # TRL logs float32
# b is right in 2 of 4: pass@2 is 5/6, without a right sample 2/3, without a wrong one 1.
expected = [4 * sign / 6 for sign in (-1, 1, -1, 1)]
assert all(abs(a - b) < 1e-6 for a, b in zip(trainer.advantages[4:8], expected, strict=True))
print(
    f"TRL {version('trl')}: { ({key: value for key, value in logged.items() if key.startswith('at_k')}) }"
)
