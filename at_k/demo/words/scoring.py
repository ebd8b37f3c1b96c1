"""Refusals of samples, which name the visitor's problems and cells."""

WORDS = {
    "missing": (
        "A sample is missing ({place}); missing in all: {count:,}. Choose what a missing sample counts as.",
        "缺少一个样本（{place}）；共缺 {count:,} 个。请选择如何对待缺失的样本。",
    ),
    "nothing_left": (
        "All samples of problem “{problem}” are missing. Choose that a missing sample is wrong, or remove the problem.",
        "题目 “{problem}” 的样本全部缺失。请选择把缺失的样本按错误计，或去掉这道题。",
    ),
}
