"""What surrounds answers: reasoning, and the word for "answer"."""

import re
import unicodedata

from cases import for_each

from at_k.grading.extraction import find_final_answer
from at_k.grading.marks import ANSWER, remove_thoughts


@for_each(
    "text, rest",
    [
        ("", ""),
        ("I think so", "I think so"),
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a", ""),
        ("x <think>a</think>b", "x  b"),
        ("<think>a</think>draft</think>b", "b"),
        ("<think>a <think>b</think>c", "c"),
        ("<thinking>a</thinking>b", "b"),
        ("<think></think>b", "b"),
        ("<thinker>a", "<thinker>a"),
    ],
)
def test_thoughts(text, rest):
    assert remove_thoughts(text) == rest


# MULTILINGUAL_ANSWER_REGEXES of github.com/openai/simple-evals (ee3b031), common.py, and LANG_TO_ANSWER_PREFIX of
# mgsm_eval.py: what MMMLU and MGSM look for.
SIMPLE_EVALS = [
    *(
        "Answer:",
        "Answer:\u200b\u200b",
        "উত্তর:",
        "उत्तर:",
        "উত্তরঃ",
        "Antwort:",
        "답변:",
        "정답:",
        "답:",
        "答案：",
        "答案:",
    ),
    *("答：", "答:", "答复：", "答曰：", "الإجابة:", "الجواب:", "إجابة:", "الإجابة النهائية:", "الإجابة الصحيحة:"),
    *("الإجابة الصحيحة هي:", "الإجابة هي:", "الجواب النهائي:", "Respuesta:", "Risposta:", "答え:", "答え：", "回答:"),
    *("回答：", "解答:", "Jawaban:", "Réponse:", "Resposta:", "Jibu:", "Idahun:", "Ìdáhùn:", "Idáhùn:", "Àmọ̀nà:"),
    *("Àdáhùn:", "Ànúgọ:", "Àṣàyàn:", "Ответ:", "సమాధానం:", "คำตอบ:"),
]


@for_each("words", SIMPLE_EVALS)
@for_each("form", ["NFC", "NFD"])
def test_the_words_of_simple_evals(words, form):
    for between in ("", " ", "\n"):
        assert find_final_answer(unicodedata.normalize(form, f"6 + 1\n{words}{between}7")) == "7"


def test_a_part_of_a_word_is_not_the_word():
    assert not re.search(ANSWER, "unanswer")
