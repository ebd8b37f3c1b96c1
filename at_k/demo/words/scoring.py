"""What is said of results that can be read, and of options that do not fit them."""

WORDS = {
    "bad_choice": (
        "“{name}” must be one of {choices}; got “{value}”.",
        "“{name}” 必须是 {choices} 之一；得到 “{value}”。",
    ),
    "no_metric": ("Choose at least one metric.", "请至少选择一个指标。"),
    "too_many": (
        "Give from 1 to {limit} values of {name}; got {count}.",
        "{name} 请给出 1 到 {limit} 个值；得到 {count} 个。",
    ),
    "bad_k": ("k must be a whole number of at least 1; got {value}.", "k 必须是不小于 1 的整数；得到 {value}。"),
    "bad_tau": ("τ must lie between 0 and 1; got {value}.", "τ 必须在 0 和 1 之间；得到 {value}。"),
    "no_number": ("“{value}” in {name} is no number that fits there.", "{name} 中的 “{value}” 不是合适的数。"),
    "k_above_n": (
        "k = {k} is more than problem “{problem}” has samples: {n}.",
        "k = {k} 超过了题目 “{problem}” 的样本数 {n}。",
    ),
    "missing": (
        "Row {row}, column “{column}”{sample}: a sample is missing ({count} in all). Choose what a missing sample counts as.",
        "第 {row} 行，列 “{column}”{sample}：缺少一个样本（共缺 {count} 个）。请选择如何对待缺失的样本。",
    ),
    "counted_wrong": (
        "{count} missing samples count as wrong, and cast no vote.",
        "{count} 个缺失的样本按错误计，且不投票。",
    ),
    "dropped": (
        "{count} missing samples are left out; n is smaller where they were.",
        "{count} 个缺失的样本已略去；相应题目的 n 变小。",
    ),
    "nothing_left": (
        "All samples of problem “{problem}” are missing; nothing is left of it.",
        "题目 “{problem}” 的样本全部缺失，没有剩余。",
    ),
    "too_long": (
        "This takes longer than {seconds} seconds. On your own machine there is no limit: see the Python lines.",
        "计算超过了 {seconds} 秒。在您自己的机器上没有限制：见 Python 代码。",
    ),
    "too_ragged": (
        "The problems have {sizes} different numbers of samples; with these k and τ this page takes up to {limit}.",
        "各题的样本数有 {sizes} 种；在这些 k 和 τ 下，本页最多处理 {limit} 种。",
    ),
    "too_many_values": (
        "There are {problems} problems; with so many k and τ this page takes up to {limit}.",
        "共有 {problems} 道题；在这么多 k 和 τ 下，本页最多处理 {limit} 道。",
    ),
    "vote_too_long": (
        "cons@k is left out: an exact vote up to k = {k} over so many samples takes too long here. Smaller k will do, or your own machine.",
        "未计算 cons@k：在这么多样本上精确计算到 k = {k} 的投票在此处太慢。请用较小的 k，或在自己的机器上计算。",
    ),
    "vote_of_grades": (
        "cons@k is counted from verdicts: more than half of k must be correct. With the answers it would be a vote.",
        "cons@k 由判定计算：k 个中须有过半正确。若有答案则按投票计算。",
    ),
    "two_verdicts": (
        "cons@k is left out: the answer “{answer}” has two verdicts in one problem, so that a vote for it is neither right nor "
        "wrong (row {row}, column “{column}”{sample}).",
        "未计算 cons@k：同一题的答案 “{answer}” 有两种判定，因此投给它的票无法判断对错（第 {row} 行，列 “{column}”{sample}）。",
    ),
    "taken_together": (
        "Column “{column}” has {count} values: their samples are taken together, as if of one model. To score them one by "
        "one, give a file of each.",
        "列 “{column}” 有 {count} 个值：它们的样本合在一起计算，如同来自一个模型。要分别评分，请各用一个文件。",
    ),
    "no_score": (
        "best@k is left out: a sample of problem “{problem}” has no score.",
        "未计算 best@k：题目 “{problem}” 有一个样本没有分数。",
    ),
    "no_scores": (
        "best@k is left out: it needs a score for every sample.",
        "未计算 best@k：它需要每个样本的分数。",
    ),
}
