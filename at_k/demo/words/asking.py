"""Words of the pages that are a form and an answer to it, Compare and Plan."""

WORDS = {
    "failed": (
        "The server did not answer. Try again in a moment.",
        "服务器没有应答。请稍后再试。",
    ),
    "paste": (
        "Paste or drop results here: JSON, JSONL, CSV, or what a harness wrote",
        "在此粘贴或拖入结果：JSON、JSONL、CSV，或评测框架写出的文件",
    ),
    "columns": ("Columns, if others were meant", "列（若应为其他列）"),
    "bad_points": (
        "{name} must be a number of points between 0 and 100, such as 2; got “{value}”.",
        "{name} 必须是 0 到 100 之间的百分点数，例如 2；得到 “{value}”。",
    ),
    "bad_whole": (
        "{name} must be a whole number from {low} to {high}; got “{value}”.",
        "{name} 必须是 {low} 到 {high} 之间的整数；得到 “{value}”。",
    ),
}
