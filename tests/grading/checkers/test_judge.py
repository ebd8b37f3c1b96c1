"""The checker `judge`, which asks a language model: here a server on this machine, which the package `openai` asks."""

import asyncio
import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from cases import for_each
from typer.testing import CliRunner

import at_k
from at_k.cli import app
from at_k.errors import InputError
from at_k.grading.checkers import checkers
from at_k.grading.checkers.judge import TEMPLATES, read_verdict
from at_k.grading.workers import NotGraded
from tools import endpoint


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ExitStack() as servers:
        yield lambda reply: servers.enter_context(endpoint.serve(reply))


def say_paris(prompt, _):
    """Accept what names Paris."""
    answer = prompt.rpartition("Answer to be judged: ")[2].partition("\n")[0]
    return (
        200,
        "CORRECT" if "Paris" in answer else "NOT_ATTEMPTED" if "know" in answer else "INCORRECT",
    )


DATA = {
    "question": ["What is the capital of France?", "What is the largest city of France?"],
    "answers": [
        ["It is Paris.", "Rome", "It is Paris.", "I do not know"],
        ["It is Paris.", "Lyon", "Lyon", "Lyon"],
    ],
    "references": ["Paris", "Paris"],
}


def test_each_question_answer_and_reference_is_asked_once_and_later_runs_read_the_cache(
    serve, tmp_path
):
    server = serve(say_paris)
    judge = checkers.judge(model="m", base_url=server.url, cache=tmp_path / "new" / "judge.sqlite")
    options = {"k": 1, "metrics": "avg_at_n", "check_correct_fn": judge}
    report = at_k.score(DATA, **options)
    assert report.values["avg@4"] == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert len(server.asked) == 5
    assert {body["model"] for body in server.asked} == {"m"}
    assert all(
        "capital" in body["messages"][0]["content"] or "largest" in str(body)
        for body in server.asked
    )
    notes = {note.code: str(note) for note in report.notes}
    assert (
        notes["note.outcomes"] == "How the checks ended: incorrect 4, correct 3, not attempted 1."
    )
    assert notes["note.judge"] == (
        "The judge was asked 5 times, and 0 replies came from its cache: 50 tokens read, 10 written. It agrees with "
        "quasi_exact on 60% of the answers."
    )
    assert "judge(model=m,prompt=simpleqa,temperature=0)" in report.signatures["avg_at_n"]
    again = at_k.score(DATA, **options)
    assert again.values == report.values
    assert len(server.asked) == 5
    assert "asked 0 times, and 5 replies came from its cache: 0 tokens" in str([*again.notes])
    for other in ({"model": "n"}, {"temperature": 0.5}, {"prompt": TEMPLATES["simpleqa"] + " "}):
        settings = {"model": "m", "base_url": server.url, "cache": judge.cache, **other}
        at_k.score(DATA, **options | {"check_correct_fn": checkers.judge(**settings)})
    assert len(server.asked) == 20


def grade(judge, *pairs, question="What?"):
    return judge.grade_all(pairs, rows=[{"question": question}] * len(pairs))


def make(serve, sent, **options):
    """Return a judge whose endpoint always sends the same."""
    server = {
        "model": "m",
        "base_url": serve(lambda *_: (200, sent)).url,
        "prompt": "math_equality",
    }
    return checkers.judge(**server | {"cache": ":memory:"} | options)


def test_a_reply_that_is_no_verdict_grades_nothing_and_is_asked_again_later(serve, tmp_path):
    server = serve(lambda prompt, count: (200, "Well, it depends." if count == 1 else "CORRECT"))
    judge = checkers.judge(model="m", base_url=server.url, cache=tmp_path / "judge.sqlite")
    (first,) = grade(judge, ("a", "b"))
    assert isinstance(first, NotGraded)
    assert "the judge's reply is no verdict: 'Well, it depends.'" in first.reason
    assert grade(judge, ("a", "b"))[0].grade == 1
    server = serve(lambda prompt, count: (200, "?" if count == 1 else "CORRECT"))
    judge = checkers.judge(model="m", base_url=server.url, cache=":memory:")
    with pytest.raises(InputError, match=r"did not grade 1 samples.*no verdict"):
        at_k.score(DATA | {"answers": [["x"], ["y"]]}, check_correct_fn=judge)


def test_failures_pass_or_grade_nothing_and_a_refusal_stops(serve):
    server = serve(lambda prompt, count: (429, "slow down") if count < 3 else (200, "Yes"))
    judge = checkers.judge(model="m", base_url=server.url, cache=":memory:", prompt="math_equality")
    assert grade(judge, ("1", "1.0"))[0].grade == 1
    assert len(server.asked) == 3
    broken = serve(lambda prompt, count: (500, "broken"))
    found = grade(
        checkers.judge(model="m", base_url=broken.url, cache=":memory:"), ("1", "2"), ("3", "2")
    )
    assert [each.cause for each in found] == ["error", "error"]
    assert "InternalServerError" in found[0].reason
    assert len(broken.asked) == 6  # the client tries each three times
    closed = checkers.judge(model="m", base_url="http://127.0.0.1:9/v1", cache=":memory:")
    assert grade(closed, ("1", "2"))[0].reason.endswith("APIConnectionError: Connection error.")
    for status in (401, 403, 404):
        refusing = serve(lambda prompt, count, status=status: (status, "no such thing"))
        with pytest.raises(InputError, match=r"refuses the key or the model 'm': .*no such thing"):
            grade(checkers.judge(model="m", base_url=refusing.url, cache=":memory:"), ("1", "2"))


@for_each(
    "sent",
    [b"<html>", b"{", b"\xff", b"null", b"[1]", b'{"choices": [5]}', b'{"choices": [{"message": null}]}',
     b'{"choices": [{"message": {"content": [{"text": "yes"}]}}]}', b'{"choices": [{"message": {"content": 5}}]}'],
)  # fmt: skip
def test_a_reply_without_a_text_grades_nothing(serve, sent):
    (outcome,) = make(serve, sent).grade_all([("1", "1")])
    assert outcome.cause == "error"
    assert re.search("no reply with a text: |no verdict", outcome.reason)


def test_halves_of_characters_are_asked_and_kept(serve, tmp_path):
    judge = make(serve, "\ud800\nyes", cache=tmp_path / "a")
    assert [judge.grade_all([("\udc00", "1")])[0].grade for _ in range(2)] == [1, 1]


def test_a_cost_that_is_not_told_is_none(serve):
    sent = b'{"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": null}}'
    assert make(serve, sent).grade_all([("1", "1")])[0].facts["tokens_read"] == 0


def test_a_damaged_cache_is_named(serve, tmp_path):
    (tmp_path / "a").write_text("no database" * 999)
    for cache in (tmp_path / "a", tmp_path / "a" / "b", tmp_path):
        with pytest.raises(
            InputError, match=rf"{re.escape(str(cache))}.*cannot be used: .*another one as `cache`"
        ):
            make(serve, "yes", cache=cache).grade_all([("1", "1")])


def test_requests_at_a_time_are_bounded_also_in_an_event_loop(serve):
    server = serve(lambda prompt, count: (200, "no"))
    judge = checkers.judge(model="m", base_url=server.url, cache=":memory:", concurrency=3)

    async def ask():
        return grade(judge, *((str(i), "x") for i in range(20)))

    assert [each.grade for each in asyncio.run(ask())] == [0] * 20
    assert 1 < server.most <= 3


def test_a_prompt_takes_columns_of_the_problem(serve, tmp_path):
    server = serve(lambda prompt, count: (200, "0.5"))
    prompt = "{level} {unknown} {question} {answer} {reference}"
    judge = checkers.judge(model="m", base_url=server.url, cache=":memory:", prompt=prompt)
    path = tmp_path / "runs.jsonl"
    talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 2?"}]
    row = {"id": "q", "prompt": talk, "level": "easy", "target": "4"}
    path.write_text(
        "".join(json.dumps(row | {"response": text}) + "\n" for text in ("four {level}", "5"))
    )
    report = at_k.score(path, k=1, metrics="avg_at_n", check_correct_fn=judge, correct_above=0.4)
    assert report.values["avg@2"] == 1
    asked = sorted(body["messages"][0]["content"] for body in server.asked)
    assert asked == ["easy {unknown} 2 + 2? 5 4", "easy {unknown} 2 + 2? four {level} 4"]


def test_the_command_asks_the_model_that_the_environment_names(serve, tmp_path, monkeypatch):
    server = serve(say_paris)
    monkeypatch.setenv("AT_K_JUDGE_MODEL", "m")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    path = tmp_path / "runs.jsonl"
    rows = [
        {"id": question, "question": f"{question}?", "response": answer, "target": "Paris"}
        for question in ("capital", "largest city")
        for answer in ("Paris", "Lyon")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for _ in range(2):
        done = CliRunner().invoke(
            app, ["score", str(path), "--check", "judge", "--metrics", "avg_at_n"]
        )
        assert done.exit_code == 0, done.output
        assert "How the checks ended: correct 2, incorrect 2." in " ".join(done.output.split())
    assert len(server.asked) == 4
    assert (tmp_path / "caches" / "at_k" / "judge.sqlite").is_file()


def test_a_judge_without_model_question_or_prompt_is_refused():
    with pytest.raises(InputError, match="needs the name of a model"):
        at_k.score(DATA, check_correct_fn="judge")
    with pytest.raises(
        InputError, match=r"needs the question of each problem.*the data have 'references'"
    ):
        checkers.judge(model="m").grade_all([("a", "b")], rows=[{"references": "b"}])
    with pytest.raises(
        InputError,
        match=r"`prompt` must be one of 'simpleqa', 'math_equality', 'inspect', or .*\{answer\}",
    ):
        checkers.judge(prompt="Is it right?")
    for wrong, error in ((0, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="`concurrency` must be"):
            checkers.judge(concurrency=wrong)


WRITTEN = json.loads(
    (Path(__file__).parents[2] / "data" / "texts.json").read_text(encoding="utf-8")
)


@for_each("reply, verdict", WRITTEN["judge"])
def test_replies_are_read_as_verdicts(reply, verdict):
    assert read_verdict(reply) == (verdict and tuple(verdict))


@for_each("words, reply, verdict", [
    ("inspect", "It names both.\n\nGRADE: C", (1, "correct")), ("inspect", "GRADE: I", (0, "incorrect")),
    ("inspect", "**GRADE: P**", (0.5, "partly correct")), ("inspect", "GRADE: A", None),
    ("simpleqa", "A", (1, "correct")), ("simpleqa", "C", (0, "incorrect")), ("simpleqa", "D", None),
    ({"gut": 1, "schlecht": 0}, "Urteil\nGut!", (1, "correct")), ({"gut": 1}, "correct", None),
])  # fmt: skip
def test_the_words_of_a_verdict_are_those_of_its_prompt(words, reply, verdict):
    assert read_verdict(reply, checkers.judge(model="m", words=words).list_words()) == verdict


def test_words_of_a_prompt_of_ones_own(serve, tmp_path):
    server = serve(lambda *_: (200, "It does.\nGRADE: C"))
    prompt = (
        "{question} {answer} {reference}\nEnd with GRADE: C if it is right, and GRADE: I if not."
    )
    judge = {"model": "m", "base_url": server.url, "prompt": prompt, "cache": ":memory:"}
    pairs, rows = [("4", "4")], [{"question": "2 + 2?"}]
    (unread,) = checkers.judge(**judge).grade_all(pairs, rows=rows)
    assert isinstance(unread, NotGraded)
    for words in ("inspect", {"C": 1, "I": 0}):
        (read,) = checkers.judge(**judge, words=words).grade_all(pairs, rows=rows)
        assert read.grade == 1
    with pytest.raises(InputError, match="`words` must be one of 'simpleqa', 'inspect', or"):
        checkers.judge(model="m", words="other")


def test_replies_that_are_no_verdict_are_counted_and_quoted(serve):
    server = serve(lambda prompt, _: (200, "CORRECT" if "Lyon" in prompt else "Hard to say."))
    judge = checkers.judge(model="m", base_url=server.url, cache=":memory:")
    report = at_k.score(DATA, check_correct_fn=judge, missing="incorrect", metrics="avg_at_n", k=1)
    (note,) = [note for note in report.notes if note.code == "note.not_graded"]
    assert "did not grade: 5 (cause: error; the first: “the judge's reply" in str(note)
    assert "Hard to say." in str(note)
