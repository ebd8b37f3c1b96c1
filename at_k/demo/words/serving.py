"""Words about serving many visitors at once."""

WORDS = {
    "too_long": (
        "This takes longer than {seconds} seconds here. Ask for fewer metrics or for smaller k; or score on your own "
        "machine, where there is no limit (`pip install at-k`).",
        "此处的计算超过了 {seconds} 秒。请减少指标，或用较小的 k；也可以在自己的机器上计算，那里没有限制（`pip install at-k`）。",
    ),
    "too_large": (
        "This takes more than {gigabytes} GB of memory here. Ask for fewer metrics or k; or score on your own machine, "
        "where there is no limit (`pip install at-k`).",
        "此处的计算需要超过 {gigabytes} GB 的内存。请减少指标或 k；也可以在自己的机器上计算，那里没有限制（`pip install at-k`）。",
    ),
    "ended": (
        "The process that worked on this ended without an answer. The results may be damaged; try them on your own machine "
        "(`pip install at-k`).",
        "处理此请求的进程没有给出答案就结束了。结果文件可能已损坏；请在自己的机器上试试（`pip install at-k`）。",
    ),
    "busy": (
        "Many requests are waiting. Try again in a few seconds.",
        "排队的请求很多。请几秒后再试。",
    ),
}
