"""NeMo-Skills: a file for each sample, which are merged by the numbers of their lines."""

import json
import shutil
from itertools import combinations

import pytest
from cases import for_each
from readers.broken import SEEDS, break_file, score_or_refuse
from readers.expected import HARNESS

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples
from at_k.readers.formats import find_format
from at_k.readers.sources import Source

FOLDER = HARNESS / "nemo-skills"
FILES = sorted(FOLDER.glob("*.jsonl"))
ROWS = [[json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] for file in FILES]


def write(path, *rows):
    path.write_text("\n".join(json.dumps({"generation": "…"} | row) for row in rows))
    return path


def enumerate_votes(answers, correct, k):
    """The chance that a vote of k is right: each of the answers with the most votes wins with the same chance."""
    values = []
    for subset in combinations(range(len(answers)), k):
        votes = [answers[each] for each in subset if answers[each] is not None]
        most = max((votes.count(each) for each in votes), default=0)
        winners = {each for each in votes if votes.count(each) == most}
        right = {answers[each] for each in subset if correct[each]}
        values.append(len(winners & right) / len(winners) if winners else 0.0)
    return sum(values) / len(values)


@for_each("path", [FOLDER, str(FOLDER / "*.jsonl"), FILES, FILES[::-1]])
def test_files_are_merged(path):
    report = at_k.score(path, k=[1, 2, 3], groups=False)
    values = {str(key): value for key, value in report.values.items()}
    problems = list(zip(*ROWS, strict=True))
    for k in (1, 2, 3):
        passed = [
            [any(subset) for subset in combinations([row["symbolic_correct"] for row in rows], k)] for rows in problems
        ]
        assert values[f"pass@{k}"] == pytest.approx(sum(sum(each) / len(each) for each in passed) / 50, abs=1e-12)
        votes = [
            enumerate_votes([r["predicted_answer"] for r in rows], [r["symbolic_correct"] for r in rows], k)
            for rows in problems
        ]
        assert values[f"cons@{k}"] == pytest.approx(sum(votes) / 50, abs=1e-12)
    assert report.n == [3] * 50


def test_one_file_is_one_sample():
    samples = read_samples(FILES[0])
    assert samples.problems[:2] == ["1", "2"]
    assert samples.grades == [[float(row["symbolic_correct"])] for row in ROWS[0]]
    assert samples.answers == [[row["predicted_answer"]] for row in ROWS[0]]
    assert samples.references == [[row["expected_answer"]] for row in ROWS[0]]
    assert at_k.score(FILES[0], columns={"group": "level"}).labels == [row["level"] for row in ROWS[0]]
    assert at_k.score(FILES[0], columns={"problem": "id"}).problems == [row["id"] for row in ROWS[0]]


def test_lines_in_another_order_are_noticed(tmp_path):
    shutil.copy(FILES[0], tmp_path / "a")
    lines = FILES[1].read_text(encoding="utf-8").splitlines()
    (tmp_path / "b").write_text("\n".join(lines[::-1]), encoding="utf-8")
    with pytest.raises(InputError, match=r"(?s)Problem “1” is not the same in both files.*`concat`") as caught:
        read_samples(tmp_path)
    assert caught.value.code == "merging.questions"


def test_a_line_that_is_cut_off_is_noticed(tmp_path):
    shutil.copy(FILES[0], tmp_path / "a")
    (tmp_path / "b").write_bytes(FILES[1].read_bytes()[:-100])
    with pytest.raises(InputError, match="line 50"):
        read_samples(tmp_path)
    with pytest.raises(InputError, match=r"49 are in both, 1 in .*a alone, and 0 in .*b alone"):
        read_samples(tmp_path, errors="skip")


@pytest.mark.parametrize(
    ("fields", "grade"),
    [
        ({"judgement": "Reasoning: Judgement: No.\nJudgement: Yes"}, 1.0),
        ({"judgement": "Judgement: no, it is not"}, 0.0),
        ({"judgement": "Yes"}, None),
        ({"judgement": "Judgement: perhaps"}, None),
        ({"judgement": None}, None),
        ({"is_correct": True, "predicted_answer": "7", "expected_answer": "7"}, 1.0),
        ({"is_correct-plus": False}, 0.0),
        ({"graded_list": [True]}, 1.0),
    ],
)
def test_verdicts(tmp_path, fields, grade):
    samples = read_samples(write(tmp_path / "f", fields, fields))
    assert samples.origin.harness == "nemo-skills"
    assert samples.grades == [[grade]] * 2


@pytest.mark.parametrize("fields", [{"graded_list": [True, False]}, {"graded_list": True}, {"judgement": 1}])
def test_verdicts_of_another_kind(tmp_path, fields):
    good = {name: [True] if name == "graded_list" else "Judgement: Yes" for name in fields}
    with pytest.raises(InputError, match="line 2") as caught:
        read_samples(write(tmp_path / "f", good, fields))
    assert caught.value.code == "nemo_skills.verdict"


def test_two_verdicts(tmp_path):
    row = {"symbolic_correct": False, "judgement": "Judgement: Yes", "reward_model_score": 0.5}
    path = write(tmp_path / "f", row, row)
    samples = read_samples(path)
    assert (samples.grades, samples.scores) == ([[0.0]] * 2, [[0.5]] * 2)
    assert [str(note) for note in samples.origin.notes] == [
        'The scorer is “symbolic_correct”. The file also has “judgement”: `scorer="judgement"`.'
    ]
    judged = read_samples(path, scorer="judgement")
    assert (judged.grades, judged.origin.chosen, judged.origin.notes) == ([[1.0]] * 2, {"scorer": "judgement"}, [])


def test_no_answer(tmp_path):
    # An empty box is an answer to this harness, which votes.
    rows = [{"symbolic_correct": False, "predicted_answer": each} for each in (None, "", "7")]
    assert read_samples(write(tmp_path / "f", *rows)).answers == [[None], [""], ["7"]]


def test_other_tables_with_such_columns():
    assert find_format(Source("f", b'{"id": 1, "generation": "", "is_correct": true}\n' * 2)).name == "plain"


def test_a_table_with_several_rows_for_a_problem_is_not_read_as_one_sample(tmp_path):
    row = {"id": 1, "symbolic_correct": True}
    path = write(tmp_path / "f", row, row | {"id": 2}, row)
    with pytest.raises(InputError, match=r"problem of line 1 is there again \(line 3\).*plain") as caught:
        read_samples(path)
    assert caught.value.code == "nemo_skills.repeated"


@for_each("seed", SEEDS)
def test_broken(tmp_path, seed):
    # The order of lines matters here, so that a swap must be an error.
    kind, broken = break_file(FILES[1], seed, tmp_path)
    for file in FILES:
        if file != FILES[1]:
            shutil.copy(file, broken.parent)
    found = score_or_refuse(broken.parent)
    if isinstance(found, InputError):
        assert str(broken.parent) in str(found)
    else:
        assert kind in ("drop", "retype")
        assert found == score_or_refuse(FOLDER)
