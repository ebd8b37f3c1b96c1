"""verl: three layouts, one of which has several lines for each sample."""

import json

import pytest
from cases import for_each
from readers.broken import check_variants
from readers.expected import HARNESS, check, read_expected

import at_k
from at_k.errors import InputError
from at_k.readers import read_samples

LINES, TURNS = "verl/20.jsonl", "verl/v1/40.jsonl"


def read(name):
    return [json.loads(line) for line in (HARNESS / name).read_text(encoding="utf-8").splitlines()]


def write(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def sample(score=1.0, **fields):
    return {"input": "1+1?", "output": "2", "score": score, "step": 1, **fields}


@for_each("name", [LINES, TURNS])
def test_numbers(name):
    check(HARNESS / name, read_expected()[name])


def test_the_harness_prints_the_same_means():
    # It prints them for each data source, which the file does not have: problems 0, 2, 4 are of one, 1 and 3 of the
    # other. Its best@, worst@ and maj@ are defined otherwise: they are drawn with replacement, at random.
    printed = json.loads((HARNESS / "verl" / "printed.json").read_text(encoding="utf-8"))
    first, second = (each["acc"]["mean@4"] for each in printed.values())
    means = at_k.score(HARNESS / LINES, k=1).per_problem["pass@1"]
    assert sum(means[::2]) / 3 == pytest.approx(first, abs=1e-12)
    assert sum(means[1::2]) / 2 == pytest.approx(second, abs=1e-12)


def test_no_answer(tmp_path):
    path = write(tmp_path / "f", [sample(pred=pred, acc=0.0) for pred in ("", "[INVALID]", "7")])
    assert read_samples(path).answers == [[None, None, "7"]]


def test_the_older_layout_writes_numbers_as_text(tmp_path):
    rows = [{name: str(value) if name != "input" else value for name, value in row.items()} for row in read(LINES)]
    assert rows[0]["acc"] == "1.0"
    assert rows[0]["format"] == "True"
    check(write(tmp_path / "f", rows), read_expected()[LINES])
    path = write(tmp_path / "g", [sample("1.0", acc=acc) for acc in ("True", "False", "nan", "0.25")])
    assert read_samples(path).grades == [[1.0, 0.0, None, 0.25]]
    with pytest.raises(InputError, match="line 2"):
        read_samples(write(tmp_path / "h", [sample(acc="True"), sample(acc="[1 2]")]))


class TestScores:
    def test_grades_come_from_acc_where_there_is_one(self, tmp_path):
        samples = read_samples(write(tmp_path / "f", [sample(-1.0, acc=1.0), sample(5, acc=False)]))
        assert samples.grades == [[1.0, 0.0]]
        assert samples.roles["grades"] == "acc"

    @pytest.mark.parametrize(
        ("scores", "grades", "codes"),
        [
            ([-1.0, 1.0], [0.0, 1.0], ["verl.sign"]),
            ([-1, 0, "1"], [0.0, 0.0, 1.0], ["verl.sign"]),
            ([0.0, 1.0], [0.0, 1.0], []),
            ([0.1, None, 1.0], [0.1, None, 1.0], []),
        ],
    )
    def test_grades_come_from_scores_else(self, tmp_path, scores, grades, codes):
        samples = read_samples(write(tmp_path / "f", list(map(sample, scores))))
        assert samples.grades == [grades]
        assert samples.roles["grades"] == "score"
        assert [note.code for note in samples.origin.notes] == codes

    @pytest.mark.parametrize("scores", [[-1.0, 0.5], [0.0, 2.0], [-1, 1, 1.5]])
    def test_other_scores_are_no_grades(self, tmp_path, scores):
        path = write(tmp_path / "f", [sample(each, won=1.0) for each in scores])
        with pytest.raises(InputError, match="do not say which samples are correct") as caught:
            read_samples(path)
        assert caught.value.code == "verl.score"
        assert read_samples(path, columns={"grades": "won"}).grades == [[1.0] * len(scores)]


class TestTurns:
    def uid(self, text, score=1.0):
        return sample(score, uid=text, input=text)

    def test_the_last_turn_of_a_session_counts_wherever_it_stands(self, tmp_path):
        rows = [self.uid("a_b_0_10", 0.0), self.uid("a_b_0_9"), self.uid("a_b_1_0"), self.uid("a_b_0_2")]
        samples = read_samples(write(tmp_path / "f", rows))
        assert (samples.problems, samples.grades, samples.numbers) == (["a_b"], [[0.0, 1.0]], [[0, 1]])
        assert samples.rows == [[1, 3]]

    def test_lines_in_any_order(self, tmp_path):
        check(write(tmp_path / "f", read(TURNS)[::-1]), read_expected()[TURNS])

    def test_a_turn_that_is_there_twice(self, tmp_path):
        path = write(tmp_path / "f", [self.uid("a_0_0"), self.uid("a_0_0")])
        with pytest.raises(InputError, match="is there twice: line 1 and line 2"):
            read_samples(path)

    @pytest.mark.parametrize("uid", ["a", "a_0", "a_0_x", 7, None])
    def test_a_uid_of_another_kind(self, tmp_path, uid):
        path = write(tmp_path / "f", [self.uid("a_0_0"), self.uid(uid)])
        with pytest.raises(InputError, match="line 2") as caught:
            read_samples(path)
        assert caught.value.code == "verl.uid"

    def test_uids_that_name_problems_alone(self, tmp_path):
        samples = read_samples(write(tmp_path / "f", [self.uid("a"), self.uid("b"), self.uid("a")]))
        assert (samples.problems, samples.grades) == (["a", "b"], [[1.0, 1.0], [1.0]])


def test_problems_that_share_a_prompt(tmp_path):
    rows = [sample(input="a")] * 4 + [sample(input="b")] * 2
    samples = read_samples(write(tmp_path / "f", rows))
    assert [len(each) for each in samples.grades] == [4, 2]
    assert [note.code for note in samples.origin.notes] == ["collector.shared_prompt"]
    samples = read_samples(write(tmp_path / "g", [*rows, sample(input="b")]))
    assert samples.origin.notes == []


def test_references_that_are_no_text_are_left_out(tmp_path):
    for gts, found in ((["x", "y"], [["x", "y"]]), ({"target": 1}, None), (None, None), (4, [["4"]])):
        assert read_samples(write(tmp_path / "f", [sample(gts=gts)])).references == found


def test_steps_are_different_weights(tmp_path):
    one, other = (write(tmp_path / name, [sample(step=step)]) for name, step in (("f", 1), ("g", 2)))
    with pytest.raises(InputError, match=r"not of the same training step: “1” .*f\), “2” .*g\)"):
        read_samples([one, other])
    both = write(tmp_path / "both", [sample(step=1), sample(0.0, step=2)])
    with pytest.raises(InputError, match=r'several training steps, .* “1”, “2”.*where=\{"step": "1"\}'):
        read_samples(both)
    assert read_samples(both, where={"step": 2}).grades == [[0.0]]
    assert read_samples(both, pool="step").grades == [[1.0, 0.0]]


def test_broken(tmp_path):
    for name in (LINES, TURNS):
        check_variants(HARNESS / name, tmp_path)
