"""Names that people give to columns, and quotes of names in messages. Every list of names is here, and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import islice

# Characters of one quoted text.
LONGEST = 40

# Values that a message lists.
_LISTED = 10


def quote(value: object) -> str:
    """Quote a value, the same in every language.

    Examples:
        >>> quote("42"), quote(True), quote([1, [0]]), quote(None)
        ('“42”', 'true', '[…]', 'null')
    """
    if isinstance(value, str):
        return f"“{shorten(value)}”"
    if isinstance(value, (list, dict)) and value:
        return "[…]" if isinstance(value, list) else "{…}"
    return shorten(json.dumps(value, default=str))


def quote_all(values: Iterable[object]) -> str:
    """Quote the first ten of several values.

    Examples:
        >>> quote_all(["id", "correct"])
        '“id”, “correct”'
    """
    quoted = [quote(value) for value in islice(values, _LISTED + 1)]
    return ", ".join(quoted[:_LISTED]) + (", …" if len(quoted) > _LISTED else "")


def shorten(text: str) -> str:
    """Cut a text to 40 characters, and replace those that cannot be sent."""
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return text.encode("utf-8", "replace").decode()


@lru_cache(1024)  # a name is compared with those of every role
def normalize_name(name: str) -> str:
    """Return a column's name in one spelling.

    Examples:
        >>> normalize_name("Task ID")
        'task_id'
    """
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PROBLEM = _words(
    "problem_id task_id doc_id question_id problem_number problem_idx question_number problem problems id "
    "idx uid task question prompt 题目编号 题号 题目 问题 问题编号 問題 aufgabe exercice problème problema frage "
    "pregunta"
)
# Names of columns that may hold the text of the problem.
QUESTION = _words("problem question prompt 题目 问题 問題 frage pregunta")

# Names of columns that hold the question, and nothing else.
ASKED = (*QUESTION, "problem_text", "query")

# Names of columns that may hold the question, or what all questions share: the one that differs most is taken.
PROMPT = ("messages", "instruction", "input", "example")

# Names of columns that may name the problem, or number the samples of each question.
PLACE = ("id", "idx", "uid")

# Role → names that are taken for it, in order of preference.
ROLE = {
    "problem": PROBLEM,
    "answers": _words(
        "answers predictions filtered_resps extracted_answer predicted_answer prediction pred samples "
        "answer_list sample completions completion responses response outputs output generations generation "
        "model_answer answer 模型答案 模型回答 预测答案 预测 antwort réponse respuesta 答案"
    ),
    "references": _words(
        "references reference target targets gold ground_truth expected expected_answer gold_answer "
        "correct_answer answer solution 标准答案 参考答案 正确答案 答案 lösung solución"
    ),
    "grades": _words(
        "correct is_correct correctness passed pass grade grades reward rewards verdict verdicts success acc "
        "正确 是否正确 对错 通过 是否通过 判定 richtig korrekt correcto"
    ),
    "scores": _words(
        "score scores rm_score rm_scores logprob logprobs reward_model_score confidence 置信度"
    ),
    "cost": _words("cost costs cost_usd total_cost price"),
    "group": _words(
        "group groups level category subject topic type difficulty domain split 类别 科目 难度 主题"
    ),
}

# Names of columns that often hold whole completions: answers only where nothing else can be.
WHOLE_TEXT = _words(
    "sample completions completion responses response outputs output generations generation"
)

# Names of the reference, or of the answer of each sample.
OWN_ANSWER = ("answer", "答案")

SAMPLE_NUMBER = _words(
    "sample sample_id sample_idx sample_index epoch trial trial_id trial_num repeat repeat_id repetition "
    "seed attempt rollout rollout_id completion_id generation_id"
)
VERDICT = _words("correct is_correct correctness passed pass grade grades verdict verdicts success")
MODEL = _words(
    "model model_name model_id model_path model_name_or_path model_version llm engine provider system checkpoint ckpt"
)
# Names of columns that say why a sample failed.
ERROR = _words("error errors exception error_message error_type traceback")
# Words in the name of a flag that tells a failure of the harness; and in the texts of a status, such as APIError.
FAILING = re.compile(
    r"(?:^|_)(?:err|errors?|errored|timeouts?|time_?d?_out|crash\w*|abort\w*|infra\w*|fail\w*|exceptions?|killed|"
    r"cancel\w*|oom|unavailable)(?:_|$)"
)
FAILED = re.compile(r"error|time.?out|crash|abort|infra|exception|killed|cancel|oom|unavailable")
# Names of columns that say how a sample ended.
STATUS = _words(
    "status state outcome finish_reason stop_reason termination exit_reason run_status end_reason"
)

STEP = _words("step global_step training_step")
SET = _words("dataset dataset_name data_source benchmark task task_name subset")

# Words in the name of a column of settings: several of them within problems are asked about.
ARM = {
    *_words(
        "arm variant method strategy condition policy agent experiment ablation system_prompt template"
    ),
    *_words(
        "version temperature temp top_p quantization adapter lora effort shots fewshot decoding config setting settings"
    ),
}

# Names of columns by which the rows of one table are told apart from those of another, and with the step of training.
SYSTEM = (*MODEL, *SET)
SETTING = (*SYSTEM, *STEP)

# Names of columns that tell the tests of one sample apart.
TEST = _words(
    "test test_id test_name test_idx test_index test_case test_case_id testcase testcase_id unit_test"
)

# Names of columns that hold one sample each, if they are numbered.
RUN = _words("run trial attempt seed rollout try repeat epoch 第")

# Names of columns that number samples, or hold one sample each.
NUMBERED = (*SAMPLE_NUMBER, *RUN)

# Words in the name of a column that numbers samples.
NUMBER_WORD = {
    *_words(
        "sample run seed trial attempt rollout rep repeat repetition epoch idx index i j k n no nr num number s "
        "draw try iter"
    ),
    *_words(
        "iteration gen generation completion response round replicate pass copy order pos position rank rs sampling "
        "submission retry retries attempts"
    ),
    *_words(
        "durchlauf lauf versuch essai tentative intento tentativa prova попытка 시도 試行 試行回数 第几次 尝试 "
        "采样序号 序号"
    ),
}

TOTAL = _words("n num_samples n_samples samples num_trials n_trials trials num_attempts total")
RIGHT = _words(
    "c num_correct n_correct num_passed n_passed num_pass n_pass num_success n_success num_solved n_solved "
    "correct passed passes successes"
)
# Names of columns that count wrong samples beside right ones.
WRONG = _words(
    "failed fails failures incorrect wrong num_failed n_failed num_fail n_fail num_failures n_failures "
    "num_incorrect n_incorrect num_wrong n_wrong failure unsolved unresolved 错误 错"
)
SAMPLE_LIST = _words(
    "samples sample responses outputs generations completions predictions answers runs trials attempts "
    "rollouts epochs results"
)
# Names under which a document holds its rows.
ROWS = _words("results data rows records samples items entries examples")


# Names of columns that hold the share of correct samples, beside their number.
SHARE = _words("accuracy acc pass_rate success_rate solve_rate pass@1 pass_at_1 score mean avg")

# Fields that show that objects in a list are samples, and not the messages of a conversation.
OF_SAMPLES = {
    *ROLE["grades"],
    "answer",
    "prediction",
    "pred",
    "extracted_answer",
    "predicted_answer",
}


def find_named(columns: Collection[str], names: Collection[str]) -> list[str]:
    """Find the columns that have one of these names, in the order of the names."""
    spelled: dict[str, str] = {}
    for column in columns:
        spelled.setdefault(normalize_name(column), column)
    return [spelled[name] for name in names if name in spelled]


def has_name(column: str, names: Collection[str]) -> bool:
    """Return whether a column, or the nested field of its dotted name, has one of these names.

    Examples:
        >>> has_name("Model Name", MODEL), has_name("provider.label", MODEL), has_name("id", MODEL)
        (True, True, False)
    """
    *outer, last = map(normalize_name, column.split("."))
    return (outer[-1] if outer and last in ("label", "name", "id") else last) in names


def is_model(column: str) -> bool:
    """Return whether a column, or a field within one, names models: `model`, `provider.label`."""
    return has_name(column, MODEL)


def has_role(name: str) -> bool:
    """Return whether a column has the name of a role."""
    return any(normalize_name(name) in names for names in ROLE.values())
