"""Refusals of numbers that a visitor typed."""

WORDS = {
    "no_whole_number": (
        "{name} must be whole numbers, such as 1, 4, 8; got “{value}”.",
        "{name} 必须是整数，例如 1, 4, 8；得到 “{value}”。",
    ),
    "small_k": ("k must be at least 1; got {value}.", "k 不能小于 1；得到 {value}。"),
    "no_number": (
        "{name} must be numbers, such as 0.25, 0.5, 1; got “{value}”.",
        "{name} 必须是数，例如 0.25, 0.5, 1；得到 “{value}”。",
    ),
    "no_tau": ("Give at least one τ, such as 0.5.", "请至少给出一个 τ，例如 0.5。"),
    "bad_least": (
        "The least number of samples must be one whole number, such as 2; got “{value}”.",
        "最少样本数必须是一个整数，例如 2；得到 “{value}”。",
    ),
    "bad_columns": (
        "Name columns as in problem=qid, grades=ok; got “{value}”. What they may be: {roles}.",
        "请这样指定列：problem=qid, grades=ok；得到 “{value}”。可指定的有：{roles}。",
    ),
    "no_column": (
        "There is no column “{column}”. There are: {columns}.",
        "没有列 “{column}”。现有的列：{columns}。",
    ),
    "bad_tau": ("τ must lie between 0 and 1; got {value}.", "τ 必须在 0 和 1 之间；得到 {value}。"),
}
