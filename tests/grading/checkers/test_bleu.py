"""The checker `bleu`, beside sacreBLEU's own function."""

import pytest
import sacrebleu

from at_k.grading.checkers import checkers
from at_k.grading.workers import grade_pairs

PAIRS = [
    ("the cat sat on the mat today", "the cat sat on a mat"),
    ("the cat sat on the mat", "the cat sat on the mat"),
    ("dog", "cat"),
    ("", "cat"),
    ("cat", "cat"),
]


def test_it_is_the_sentence_bleu_of_sacrebleu():
    grades = grade_pairs(checkers.bleu(), PAIRS)
    expected = [sacrebleu.sentence_bleu(answer, [reference]).score / 100 for answer, reference in PAIRS]
    assert grades == pytest.approx(expected, abs=1e-12)
    assert grades[1] == grades[4] == 1.0  # sacreBLEU gives 100.00000000000004


def test_the_signature_names_tokenizer_and_version():
    assert checkers.bleu(tokenize="zh").describe() == f"bleu(tok=zh,sacrebleu={sacrebleu.__version__})"
    with pytest.raises(ValueError, match="`tokenize` must be one of '13a'"):
        checkers.bleu(tokenize="words")
