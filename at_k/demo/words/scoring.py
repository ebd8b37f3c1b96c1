"""Refusals of samples, which name the visitor's problems and cells."""

WORDS = {
    "missing": (
        "A sample is missing ({place}); missing in all: {count:,}. Choose what it counts as, with the option “A missing "
        "sample”: it is wrong, or left out.",
        "缺少一个样本（{place}）；共缺 {count:,} 个。请用选项 “缺失的样本” 选择如何对待：按错误计，或略去。",
    ),
    "not_offered": (
        "`{name}` must be one of {choices} here. Others run on your own machine, with `at_k.score` or `at-k score`.",
        "此处的 `{name}` 只能是 {choices} 之一。其他的可以在您自己的机器上用 `at_k.score` 或 `at-k score` 运行。",
    ),
    "packed": (
        "The file was not sent whole. Open it again.",
        "文件没有完整发送。请重新打开。",
    ),
    "same_file": (
        "{file} is a copy of {original}: the same samples would be counted twice. Leave one of them out.",
        "{file} 是 {original} 的副本：同样的样本会计两次。请去掉其中一个。",
    ),
    "too_many_files": (
        "At most {most} files are read together; got {count}. Join them into fewer files.",
        "一次最多合并读取 {most} 个文件；得到 {count} 个。请先合并成较少的文件。",
    ),
    "vote_too_long": (
        "{title} is left out: an exact vote over so many samples takes too long here. Score on your own machine, where "
        "there is no limit (`pip install at-k`).",
        "未计算 {title}：在这么多样本上精确计算投票在此处太慢。请在自己的机器上计算，那里没有限制（`pip install at-k`）。",
    ),
    "nothing_left": (
        "All samples of problem “{problem}” are missing. Choose that a missing sample is wrong, or remove the problem.",
        "题目 “{problem}” 的样本全部缺失。请选择把缺失的样本按错误计，或去掉这道题。",
    ),
    "too_few_samples": (
        "No problem has {least} samples; the largest number is {most}. Choose a smaller least number of samples.",
        "没有题目有 {least} 个样本；最多的有 {most} 个。请选择较小的最少样本数。",
    ),
    "many_problems": (
        "There are {count:,} problems; the limit is {limit:,}.",
        "共有 {count:,} 道题，上限为 {limit:,} 道。",
    ),
    "many_samples": (
        "A problem has {count:,} samples; the limit is {limit:,} (row {row}).",
        "一道题有 {count:,} 个样本，上限为 {limit:,} 个（第 {row} 行）。",
    ),
    "many_all_samples": (
        "There are {count:,} samples in all; the limit is {limit:,}.",
        "共有 {count:,} 个样本，上限为 {limit:,} 个。",
    ),
    "many_groups": (
        "There are {count:,} different groups; the limit is {limit:,} (column “{column}”). Choose another column, or none.",
        "共有 {count:,} 个不同的分组，上限为 {limit:,} 个（列 “{column}”）。请选择另一列，或不分组。",
    ),
    "long_text": (
        "A text has {length:,} characters; the limit is {limit:,}.",
        "文本有 {length:,} 个字符，上限为 {limit:,} 个。",
    ),
}
