"""Typing mistakes, and the sentence that says what to type; the exit status of commands, whatever fails."""

import pytest
import typer
from cases import for_each

import at_k
from at_k.cli.failures import describe_error, end_plainly, explain_absent
from at_k.cli.options import FLAGS
from at_k.errors import InputError

ROWS = [
    {
        "id": f"q{i}",
        "answers": ["7", "8", "7", "9"],
        "reference": "7",
        "correct": [1, 0, 1, 0],
        "level": "ab"[i % 2],
    }
    for i in range(12)
]
FILES = {
    "mine.jsonl": ROWS,
    "other.jsonl": [{**row, "correct": [1, 1, 1, 0]} for row in ROWS],
    "two.jsonl": [{"task": f"t{i % 3}", "model": "mn"[i % 2], "correct": i % 2} for i in range(12)],
    "missing.jsonl": [{"id": "a", "correct": [1, None]}, {"id": "b", "correct": [1, 0]}],
    "percent.jsonl": [{"id": "a", "correct": [100, 0]}],
    "ragged.jsonl": [{"id": "a", "correct": [1, 0, 1]}, {"id": "b", "correct": [1, 0]}],
    "samplers.jsonl": [
        {"sampler": m, "id": row["id"], "grades": [1, 0]} for m in "ab" for row in ROWS
    ],
    "ungrouped.jsonl": [{"id": "a", "correct": [1, 0]}, {"id": "b", "correct": [1, 0]}],
    "broken.jsonl": '{"id": "a", "correct": [1, 0]}\n{"id":\n',
    "blank.jsonl": "",
}

# What is typed after at-k, and what the answer says to do.
MISTAKES = [
    ("mine.jsonl", "at-k score mine.jsonl"),
    ("scor mine.jsonl", "Did you mean at-k score?"),
    ("predict mine.jsonl --k 8", "Did you mean at-k plan --predict?"),
    ("rank mine.jsonl other.jsonl", "Did you mean at-k compare?"),
    ("score mine.jsonl --check check.py:check", "at_k.score(path, check_correct_fn=check)"),
    ("plan mine.jsonl --half-width 0", "such as 0.05 or 5%"),
    ("score", "at-k score results.jsonl"),
    ("plot mine.jsonl", "--out curves.svg"),
    ("select mine.jsonl", "--where '0.1 <= avg <= 0.9'"),
    ("score https://host/a/results.jsonl", "curl -L -o results.jsonl 'https://host/a/results.jsonl'"),
    ("score mien.jsonl", "Did you mean mine.jsonl?"),
    ("score results.txt", "ls -l ."),
    ("score empty", "There is no file in empty"),
    ("score *.xyz", "ls -l ."),
    ("score broken.jsonl", "line 2"),
    ("score blank.jsonl", 'such as {"id": 1, "correct": [1, 0]}'),
    ("score missing.jsonl", "at-k score missing.jsonl --missing drop 2 problems × 1 to 2 samples, pass@1 75.0 %"),
    ("score percent.jsonl", "at-k score percent.jsonl --scale 0,100 1 problem ×"),
    ("score two.jsonl --metrics pass@1", "at-k score two.jsonl --metrics pass@1 --where model=m 3 problems"),
    ("score mine.jsonl other.jsonl", "at-k score mine.jsonl other.jsonl --models pass@1 of each: mine.jsonl 50.0 %"),
    ("score a=mine.jsonl other.jsonl", "at-k score qwen=a.jsonl llama=b.jsonl"),
    ("score a=mine.jsonl a=other.jsonl", "a name of its own"),
    ("score mine.jsonl -k 8", "Ask for `--k` up to 4"),
    ("score ragged.jsonl -k 3", "Ask for `--k` up to 2"),
    ("score mine.jsonl -m pas@1", "Unknown metric 'pas@1'. Did you mean pass@1?"),
    ("score mine.jsonl -m f1", "Unknown metric 'f1'. The metrics are"),
    ("score mine.jsonl -m avg@5", "They have avg@4"),
    ("score mine.jsonl --by levle", "Did you mean “level”?"),
    ("score mine.jsonl --columns grades=corect", "Did you mean “correct”?"),
    ("score mine.jsonl --columns grade=correct", "Did you mean grades=correct?"),
    ("score mine.jsonl --where lvel=a", "Did you mean “level”?"),
    ("score mine.jsonl --where level=c", "Its values are: “a”, “b”"),
    ("score mine.jsonl --input-format human_eval", "Did you mean human-eval?"),
    ("score mine.jsonl --extract boxd", "'boxd' is neither a rule nor a regular expression with one group."),
    ("score mine.jsonl --ties rand", "Did you mean 'random'?"),
    ("score mine.jsonl --out no/x.md", "Make it first"),
    ("compare mine.jsonl", "--where model=a --where model=b"),
    ("compare mine.jsonl none.jsonl", "none.jsonl"),
    ("compare mine.jsonl two.jsonl", "Column “model” has several values"),
    ("compare mine.jsonl samplers.jsonl", "samplers.jsonl --where sampler=a --out samplers.report.json 12 problems"),
    ("compare mine.jsonl --against other.jsonl --margin 0.1", "'--margin'"),
    ("compare mine.jsonl --against mine.jsonl --against mine.jsonl", "Give one file for each of the 1 benchmarks"),
    *((f"compare mine.jsonl other.jsonl other.jsonl {option} {value}", f"'{option}'") for option, value in
      (("--margin", 0.1), ("--extra-tests", "t"), ("--ci-method", "bounded"), ("--unmatched", "unpaired"))),
    ("compare saved.json mine.jsonl other.jsonl -m pass@k", "no number in common: avg@4, accuracy; pass@1"),
    ("compare saved.json saved.json -m avg@4", "'--metrics': A report that was saved has its numbers"),
    *((f"{command} saved.json {option}", f"Invalid value for '{flag}': A report that was saved")
      for command, option, flag in (
          ("score", "--k 3", "--k"), ("score", "--ci 0.9", "--ci"), ("plot", "--out x.svg -m pass@k", "--metrics"),
          ("plan", "--missing drop", "--missing"), ("diagnose", "--check numeric", "--check"),
          ("compare", "--where a=b", "--where"),
      )),
    ("score saved.json saved.json", "This is a report that was saved"),
    ("select mine.jsonl --where hard", "A condition compares a value with numbers"),
    ("score mine.jsonl other.jsonl --models --script", "one model"),
    ("score two.jsonl", "at-k score two.jsonl --models --where model=m --where model=n pass@1 of each"),
    ("plot two.jsonl --out p.png", "at-k plot two.jsonl --out p.png --models --where model=m"),
    ("score two.jsonl --models", "--where model=a --where model=b"),
    ("plot mine.jsonl other.jsonl --models --out p.svg --metrics pass@k,avg@n", "Several models"),
    ("score ungrouped.jsonl --by group", "These results have no group."),
    ("score ungrouped.jsonl --clusters group", "`--clusters` are the groups, but the data have none"),
    ("gate mine.jsonl", "or give a base and `--margin`."),
    ("gate mine.jsonl --require 'pass@1 > 0.5'", "Requirements must use >=, not >"),
    ("gate mine.jsonl --require 'pass@9 >= 0.5'", "pass@9: this needs 9 samples of every problem"),
    ("gate mine.jsonl --k 4", "at-k gate has no option --k: name k in the number"),
    ("gate mine.jsonl --margin 0.1", "both: `--against`, the results of the base, and `--margin`"),
    ("gate mine.jsonl --require 'pass@1 >= 0.5' --out gate.doc",
     "The name must end in .json, .csv, .md, .tex, .html, .txt, .xml"),
    ("gate mine.jsonl --require 'pass@1 >= 0.5' --margin 2", "Invalid value for '--margin'"),
    ("gate mine.jsonl --against a --against b --margin 0.1", "Give one base for each of the 1 results; got 2."),
    ("plan mine.jsonl -k 9", "`--k`"),
    ("plan mine.jsonl --where x=1", "There is no column"),
    ("plan mine.jsonl --predict 8,400", "Draw more samples: nothing supports"),
    ("plan missing.jsonl --missing drop --where id=b", "A plan needs a pilot of at least two problems."),
    ("gate mine.jsonl --require pass@1<=0.5", "'pass@1 >= 0.5'"),
    ("gate mine.jsonl --require pass@1", "such as pass^4 >= 0.8"),
    ("gate mine.jsonl --require pas@1>=0.5", "Did you mean pass@1?"),
    ("gate mine.jsonl --require pass@1>=80", "Ask 'pass@1 >= 80%'"),
    ("gate mine.jsonl --each 8", "such as 8 of 10"),
    ("plan", "--expect"),
    ("plan mine.jsonl --half-width 2", "Did you mean 2%?"),
    ("plan mine.jsonl --predict 2", "For this k use pass@k"),
    ("select mine.jsonl --where avg", "such as 0.1 <= avg <= 0.9"),
    ("formats human", "Did you mean human-eval?"),
    ("convert mine.jsonl --to every-eval-ever", "Give its name"),
]  # fmt: skip

SHARE = "Give a share such as 0.05 or 5%"
FEW = "'FILE': Give the files of at least two models"

# What is refused before the file is read, which is not there.
UNREAD = {
    "score none.jsonl": [
        *[(f"--k {k}", "positive whole numbers") for k in (0, 1.5, "a")],
        *[(f"--thresholds {tau}", "Give a share") for tau in (2, "nan", "1/0")],
        *[("--metrics pass", "Did you mean pass@k?"), ("--metrics pass@kk", "'pass@kk'. Did you mean pass@k?")],
        *[("--correct-above 2", "Give a share such as 0.05 or 5%; got '2'"), ("--correct-above half", "got 'half'.")],
        *[("--correct-above 1", "--correct-above='>=1'"), ("--threshold .5", "There is no option --threshold")],
        *[("--missing ignore", "incorrect"), ("--missing dorp", "Did you mean 'drop'?")],
        ("--missing zzz", "'zzz' is not one of 'error', 'incorrect', 'drop'."),
        *[("--columns grade=x", "ROLE=COLUMN"), ("--columns grades", "ROLE=COLUMN"), ("--where model", "COLUMN=VALUE")],
        *[("--input-format excel", "human-eval"), ("--out x.docx", ".tex"), ("--format yaml", "latex")],
        ("--format latx", "'latx' is not one of 'table', 'json', 'csv', 'markdown', 'latex', 'html'. "
                          "Did you mean 'latex'?"),
        *[(f"--ci {level}", SHARE) for level in ("nan", "x", "1")],
        ("--ci 95", f"{SHARE}; got '95'. Did you mean 95%?"),
        *[("--target everything", "problem-set"), ("--ci-method normal", "wald")],
        ("--ci-method bootstrap", "wilson"),
        ("--clusters x --target problem-set", "whose problems are fixed"),
        *[(f"--clusters x {more}", "The clusters are the groups") for more in ("--by y", "--columns group=y")],
        ("--by level --columns group=level", "'--by'"),
        *[("--no-such-option", "No such option"), ("--metrc pass@k", "--metrics")],
        ("--check numerics", "There is no checker 'numerics'. Did you mean numeric? The checkers are: exact_match,"),
        *[("--extract lastnumber", "Did you mean last_number?"), ("--extract '('", "'(' is neither a rule nor a")],
        *[("--extract-reference boxes", "`--extract-reference`"), ("--timeout 0", "must be a number of seconds")],
        ("--equivalence alike", "'alike' is not one of 'checker', 'exact'"),
        ("--num-workers 0", "equal to 1; got '0'."),
        ("--check code", "HF_ALLOW_CODE_EVAL=1"),
    ],
    "compare none.jsonl": [
        *[("", FEW), ("--where model=a", FEW), ("--where m=a --where m=b --where n=a --where n=b", FEW)],
        *[("y --margin 3", "'--margin': Give a share"), ("y --margin nan", "'--margin'"), ("y --ci 95", "'--ci'")],
        ("y --extra-tests z", "`--extra-tests` must be one of 't', 'wilcoxon'; got 'z'"),
        *[("y --unmatched z", "'--unmatched'"), ("y -k 0", "'--k'")],
    ],
    "plan none.jsonl": [
        *[("--half-width 2", "'--half-width': Give a share"), ("--detect 0", "`--detect`")],
        *[("--ci 1", "`--ci` must lie"), ("--thresholds 2", "'--thresholds'"), ("--thresholds 0.5,1", "Give a share")],
        *[("--problems 1", "'--problems': Give at least two problems."), ("--problems x", "'--problems'")],
        ("-k 4 --samples 2,8", "'--samples': Give at least k = 4 samples; got 2."),
        *[("-k 0", "'--k'"), ("--format yaml", "'--format'")],
    ],
    "plot none.jsonl": [
        *[("", "--out"), ("--out x.jpg", ".png, .svg, .pdf"), ("--out x.svg --kind pie", "'pie'")],
        ("--kind difference --out x.svg", "two models"),
        ("--kind matrix --out x.svg", "two models"),
    ],
    "diagnose none.jsonl": [("--format yaml", "'--format'")],
    "tally none.jsonl": [("--out part.csv", "must end in .json")],
    "": [("score", "at-k score results.jsonl"), ("register gpassk", "gpassk"), ("formats excel", "excel"),
         ("--undo", "--undo")],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(make_folder):
    place = make_folder(FILES)
    (place / "empty").mkdir()
    at_k.score(place / "mine.jsonl", metrics="avg_at_n").save(place / "saved.json")
    return place


@pytest.mark.parametrize(("typed", "way_on"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_a_mistake_is_answered_by_what_to_type(ask, typed, way_on):
    done = ask(typed, columns=400)
    assert done.exit_code in (1, 2)
    assert way_on in " ".join(done.stderr.replace("│", " ").split())
    assert done.stdout == ""
    for word in ("fault of at-k", "pydantic", "Traceback", "Value error"):
        assert word.lower() not in done.said.lower()


@pytest.mark.parametrize("begin", UNREAD)
def test_wrong_options_are_refused_before_anything_is_read(ask, monkeypatch, begin):
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL", raising=False)
    for more, said in UNREAD[begin]:
        done = ask(f"{begin} {more}", columns=400)
        assert (done.exit_code, done.stdout) == (2, ""), more
        assert said in done.said


def test_a_folder_that_is_not_there_is_found_before_the_work(run, folder, tmp_path):
    for command, ending in (("score", "json"), ("plot", "png")):
        done = run(command, folder / "broken.jsonl", "--out", tmp_path / "no" / f"x.{ending}")
        assert done.exit_code == 2
        assert f"There is no folder {tmp_path / 'no'}" in done.stderr
        assert ".part" not in done.stderr


@for_each("words, says", [(["nothing.jsonl"], "There is no file nothing.jsonl"), (["*.nothing"], "There is no file"),
                          (["setup.cfg"], "setup.cfg: ")])  # fmt: skip
def test_files_that_cannot_be_used_are_named_in_one_line(run, words, says):
    done = run("score", *words)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert says in done.stderr


@for_each("typed, said", [
    ("score mine.jsonl --thresholds 0.5 -m pass@1", "No number here depends on `--thresholds`."),
    ("score qwen=mine.jsonl llama=other.jsonl -m pass@1 --ci none --format latex", r"qwen & 0.5000 \\"),
    ("compare qwen=mine.jsonl llama=other.jsonl -m pass@1", "B llama"),
    ("score mine.jsonl --thresholds 50%", "G-Pass@k_0.5"),
    ("plan --expect 50% --samples 8 --half-width 2%", "with n = 8: 1,374."),
])  # fmt: skip
def test_names_and_shares_are_read_as_people_write_them(ask, typed, said):
    done = ask(typed, columns=100)
    assert done.exit_code == 0
    assert said in done.said


def test_a_tau_that_acts_is_not_said_to_be_idle(ask):
    assert "depends on" not in ask("score mine.jsonl --thresholds 0.5 -m gpassk").stdout


def test_one_name_for_one_thing(run):
    shown = run("score", "--help-all", columns=200).stdout
    for name in (
        "--thresholds",
        "--thresholds",
        "--check-correct-fn",
        "--check",
        "--groups",
        "--by",
        "--metrics",
        "-m",
    ):
        assert name in shown
    assert (FLAGS["thresholds"], FLAGS["metrics"], FLAGS["groups"]) == (
        "--thresholds",
        "--metrics",
        "--by",
    )


def end(error, **options):
    with pytest.raises(typer.Exit) as caught, end_plainly(**options):
        raise error
    return caught.value.exit_code


@for_each("error, status, said", [
    (InputError("some.code", "Give {option:k} below {n}.", n=4).in_file("a.eval"), 2, "a.eval: Give `--k` below 4.\n"),
    (FileNotFoundError("There is no file a"), 2, "There is no file a\n"),
    (PermissionError(13, "Permission denied", "a.eval"), 2, "a.eval: Permission denied\n"),
    (OSError(28, "No space left on device"), 2, "No space is left to write to. Free some, or write elsewhere.\n"),
    (ValueError("`grades` must lie in [0, 1]"), 2, "`grades` must lie in [0, 1]\n"),
    (TypeError("`group` must be a string"), 2, "`group` must be a string\n"),
    (ImportError('Install it: pip install ".[plot]"'), 2, 'Install it: pip install ".[plot]"\n'),
    (InputError("some.code", "No \x1b[2J{name}.", name="a\nb"), 2, "No \\x1b[2Ja\\nb.\n"),
])  # fmt: skip
def test_one_line(error, status, said, capsys):
    assert end(error) == status
    assert capsys.readouterr() == ("", said)


@for_each(
    "error",
    [ZeroDivisionError("division by zero"), KeyError("x"), TypeError("None + 1"), RuntimeError()],
)
def test_a_fault_of_our_own_is_called_so(error, capsys):
    assert end(error) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{type(error).__name__}: ")
    assert "--debug" in said
    assert len(said.splitlines()) == 1


def test_no_memory():
    assert "memory" in describe_error(MemoryError())
    assert "--debug" not in describe_error(MemoryError())


@for_each("error", [ZeroDivisionError(), InputError("some.code", "Sentence."), KeyboardInterrupt()])
def test_debug_lets_everything_through(error):
    with pytest.raises(type(error)), end_plainly(debug=True):
        raise error


@for_each("error", [typer.Exit(3), typer.BadParameter("no"), typer.Abort()])
def test_errors_of_typer_are_left_to_it(error):
    with pytest.raises(type(error)), end_plainly():
        raise error


def test_a_crash_of_a_command(run, human_eval, monkeypatch):
    def crash(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("at_k.report.score", crash)
    done = run("score", human_eval)
    assert done.exit_code == 2
    assert done.stderr.startswith("RuntimeError: boom. ")
    assert "Traceback" not in done.output
    assert isinstance(run("score", human_eval, "--debug").exception, RuntimeError)


def test_a_link_that_leads_nowhere_and_a_closed_input_are_named(tmp_path, monkeypatch):
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "gone.jsonl")
    with pytest.raises(
        FileNotFoundError, match=r"no file .*gone\.jsonl, to which .*link\.jsonl is a"
    ):
        explain_absent(str(link), "score")
    monkeypatch.setattr("at_k.cli.failures.exists", lambda path: False)
    with pytest.raises(FileNotFoundError, match="is closed"):
        explain_absent("/dev/stdin", "score")
