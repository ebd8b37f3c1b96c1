"""Words about serving many visitors at once."""

WORDS = {
    "busy": (
        "Many requests are waiting. Try again in a few seconds.",
        "排队的请求很多。请几秒后再试。",
    ),
}
