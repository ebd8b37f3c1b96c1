"""What is said of results that can be read, and of options that do not fit them."""

WORDS = {
    "bad_choice": (
        "{name} must be one of {choices}; got “{value}”.",
        "{name} 必须是 {choices} 之一；得到 “{value}”。",
    ),
    "no_metric": ("Choose at least one metric.", "请至少选择一个指标。"),
    "too_many": (
        "Give from 1 to {limit} values of {name}; got {count}.",
        "{name} 请给出 1 到 {limit} 个值；得到 {count} 个。",
    ),
    "bad_k": ("k must be a whole number of at least 1; got {value}.", "k 必须是不小于 1 的整数；得到 {value}。"),
    "bad_tau": ("τ must lie between 0 and 1; got {value}.", "τ 必须在 0 和 1 之间；得到 {value}。"),
    "no_whole_number": (
        "{name} must be whole numbers such as 1, 4, 8; got “{value}”.",
        "{name} 必须是整数，例如 1, 4, 8；得到 “{value}”。",
    ),
    "no_number": (
        "{name} must be numbers such as 0.25, 0.5, 1; got “{value}”.",
        "{name} 必须是数，例如 0.25, 0.5, 1；得到 “{value}”。",
    ),
    "k_above_n": (
        "k = {k} is more than n = {n}, the number of samples of problem “{problem}”.",
        "k = {k} 超过了题目 “{problem}” 的样本数 n = {n}。",
    ),
    "missing": (
        "A sample is missing ({place}); missing in all: {count}. Choose what a missing sample counts as.",
        "缺少一个样本（{place}）；共缺 {count} 个。请选择如何对待缺失的样本。",
    ),
    "counted_wrong": (
        "Missing samples: {count}. They count as wrong and cast no vote.",
        "缺失的样本：{count} 个，按错误计，且不投票。",
    ),
    "dropped": (
        "Missing samples: {count}. They are left out, so their problems have a smaller n.",
        "缺失的样本：{count} 个，已略去；相应题目的 n 变小。",
    ),
    "nothing_left": (
        "All samples of problem “{problem}” are missing, so it cannot be scored without them.",
        "题目 “{problem}” 的样本全部缺失，略去后无法评分。",
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
        "cons@k is left out: the answer “{answer}” has two different verdicts in one problem, so a vote for it is neither "
        "correct nor wrong ({place}).",
        "未计算 cons@k：同一题的答案 “{answer}” 有两种判定，因此投给它的票无法判断对错（{place}）。",
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
