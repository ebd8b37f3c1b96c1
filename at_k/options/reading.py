"""The columns that are taken, and the options that say what is read."""

from __future__ import annotations

from at_k.options.option import ON_ERROR, PROGRAM_TESTS, READ, SAMPLING, Option, by_name, check_with, in_panel

COLUMNS = by_name(
    Option(
        "predictions",
        "list[list[str]] | list[list[float]]",
        "the samples of each problem: a list of answers, or, in the configuration `graded`, a list of grades "
        "in [0, 1]. The number of samples n may differ from problem to problem.",
    ),
    Option(
        "references",
        "list[str] | list[list[str]]",
        "the correct answer of each problem, or a list of acceptable ones. Not in the configuration `graded`. "
        "Optional beside `grades`.",
    ),
    Option(
        "grades",
        "list[list[float]]",
        "a grade in [0, 1] for each sample, if the answers have been judged already. The grades then say which "
        "samples are correct, and `references` and `check_correct_fn` have no effect. A sample without a grade "
        "is missing. A sample with a grade and without an answer counts, but casts no vote. Not in the "
        "configuration `graded`. Optional.",
    ),
    Option(
        "scores",
        "list[list[float]] | list[list[list[float]]]",
        "a finite number for each sample, or a list of d numbers for each sample. Needed in both configurations.",
    ),
)
"""The columns that modules take."""

READING = in_panel(
    READ,
    Option(
        "columns",
        "dict[str, str | None]",
        'what the columns are called where they have other names: `{"answers": "samples"}`; None for no column. The '
        "roles are problem, answers, references, grades, scores, cost, sample (the number of a sample) and group; in a "
        "table of counts also n and c, the number of samples and of correct ones. Two columns that name a problem "
        'together are joined by +: `{"problem": "subset+idx"}`.',
        metavar="ROLE=COLUMN,...",
        short=True,
        help="The names of columns that are not recognised: problem=qid,grades=ok. Leave a name empty to ignore the "
        "role: scores=",
    ),
    Option(
        "where",
        "dict[str, Any]",
        'the rows to read, by the value of a column, `{"model": "a"}`; a list of values takes all of them, and '
        '`{"id": {"!=": "Total"}}` those with any other value.',
        metavar="COLUMN=VALUE",
        short=True,
        help="Keep only the rows with this value. Repeat it for a column to keep the rows with any of the values. "
        "COLUMN!=VALUE, or COLUMN not in A,B, leaves rows out.",
        label="Rows to keep",
    ),
    Option(
        "pool",
        "str | list[str]",
        'columns such as "model" whose rows are samples of one model after all; "file" if the files are runs that '
        "number their samples alike.",
        (),
        metavar="COLUMN",
        help="Treat rows that differ in this column, such as run, as samples of one model; file if each file is a run.",
        label="Columns whose rows are of one model; “file” for runs",
    ),
    Option(
        "rows_at",
        "str",
        "the key of a JSON document under which the rows are, with dots.",
        flag="--rows",
        metavar="KEY",
    ),
    Option(
        "correct",
        "list[str]",
        'words of right samples: `["AC"]`. Without `wrong`, other words are wrong, unless known, as `pass` is.',
        (),
        metavar="WORD,...",
        help="Words of right samples: solved,AC. Without --wrong, other words are wrong, unless known, as pass is.",
    ),
    Option(
        "wrong",
        "list[str]",
        'words that stand for a wrong sample: `["WA", "TLE"]`.',
        (),
        metavar="WORD,...",
        help="Words that stand for a wrong sample: WA,TLE.",
    ),
    Option(
        "exclude",
        "str | dict[str, str | None]",
        "problems to leave out: the path of a text file with a name on each line, or a mapping of names. Behind a name "
        "may be the last day on which it is left out, `p7 2026-12-31`; after it the problem counts again.",
        metavar="PATH",
    ),
    Option(
        "sampling",
        "str",
        '"independent" says that the samples of a problem were drawn independently, although it seems that sampling '
        "stopped at the first correct one.",
        choices=SAMPLING,
    ),
    Option(
        "prompt_column",
        "str",
        "the column with the prompt that each answer of the row continues, as in HumanEval: an answer is then the "
        "prompt and the completion. If there is a column `entry_point` too, a reference that defines `check` and does "
        "not call it gets the call `check(entry_point)`. By default, the answers stand alone.",
        metavar="COLUMN",
    ),
    Option(
        "concat",
        "bool",
        "whether several files hold different problems, even where they name them alike. Files that have no problem in "
        "common need not say so. This and the next five are for files alone.",
        False,
        help="The files hold different problems, even where they name them alike.",
        label="Files hold different problems, whatever their names",
    ),
    Option(
        "format",
        "str",
        'the name of the format of the files, where their content does not show it; "plain" for a table.',
        long="--input-format",
        metavar="NAME",
    ),
    Option(
        "scorer",
        "str",
        "the scorer whose grades to use, if a file has several.",
        metavar="NAME",
        label="Scorer",
    ),
    Option(
        "filter",
        "str",
        "the filter whose answers to use, if a file has several.",
        metavar="NAME",
        label="Filter",
    ),
    Option(
        "tests",
        "str",
        "which tests of EvalPlus a program must pass.",
        choices=PROGRAM_TESTS,
        label="Tests",
        words=(
            ("base", "the base tests"),
            ("plus", "those that EvalPlus adds, too"),
        ),
    ),
    Option(
        "errors",
        "str",
        '"skip" leaves out what is broken in a file, and counts it.',
        "raise",
        ON_ERROR,
        label="What is broken in a file",
        words=(
            ("raise", "is an error"),
            ("skip", "is left out"),
        ),
    ),
    Option(
        "scale",
        "tuple[float, float]",
        "the worst and the best grade of a file, where they are not 0 and 1: `(0, 100)`, `(-1, 1)`.",
        check=check_with("at_k.readers.format:check_scale"),
        metavar="LOW,HIGH",
        help="The worst and the best grade, where they are not 0 and 1: -1,1 or 0,100.",
    ),
)
"""The options that say what is read."""
