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
    "bad_tau": ("τ must lie between 0 and 1; got {value}.", "τ 必须在 0 和 1 之间；得到 {value}。"),
}
