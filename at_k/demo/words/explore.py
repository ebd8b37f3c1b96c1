"""Words of the page Explore."""

WORDS = {
    "title": ("Explore", "探索"),
    "intro": (
        "One problem was answered n times, and c of the answers are correct. Each metric is the average over all ways to "
        "draw k of the n samples.",
        "一道题回答了 n 次，其中 c 次正确。每个指标都是对从 n 个样本中抽取 k 个的所有方式取平均。",
    ),
    "presets": ("Try", "试一试"),
    "half": ("Half right", "对一半"),
    "rare": ("Rarely right", "偶尔对"),
    "nearly": ("Nearly always right", "几乎总对"),
    "favourite": ("A favourite wrong answer", "偏爱一个错误答案"),
    "crowd": ("All wrong answers differ", "错误答案各不相同"),
    "n": ("n, samples", "n，样本数"),
    "c": ("c, correct samples", "c，正确样本数"),
    "together": ("Wrong samples that agree", "相同的错误答案数"),
    "together_info": (
        "This number of wrong samples give the same wrong answer; the others all differ. Only the vote, cons@k, depends on it.",
        "给出同一个错误答案的错误样本数；其余各不相同。只有投票 cons@k 与此有关。",
    ),
    "axis": ("Axis of k", "k 轴"),
    "linear": ("linear", "线性"),
    "log": ("logarithmic", "对数"),
    "curves": ("Every metric against k", "各指标随 k 的变化"),
    "jumps": (
        "G-Pass@k goes up and down because ⌈τk⌉, the number of draws that must be correct, jumps: at τ = 0.5 both k = 3 and "
        "k = 4 ask for 2. mG-Pass@k is defined as published: for odd k it is at most (k − 1)/k, and 0 for k = 1. It is "
        "therefore drawn for even k only.",
        "G-Pass@k 起伏，是因为须正确的抽取数 ⌈τk⌉ 会跳变：τ = 0.5 时，k = 3 与 k = 4 都要求 2 个正确。mG-Pass@k 保持论文中的定义：k 为奇数时最大为 (k − 1)/k，k = 1 时为 0，因此只画偶数 k。",
    ),
    "formulas": ("The formulas with these numbers", "代入这些数的公式"),
    "formulas_note": (
        "cons@{k} = {cons}: the share of all draws of {k} samples in which the correct answer gets the most votes; a tie "
        "counts in part.",
        "cons@{k} = {cons}：在所有抽取 {k} 个样本的方式中，正确答案得票最多的比例，平票按份额计。",
    ),
    "models": ("Same average, opposite stability", "平均相同，稳定性相反"),
    "models_text": (
        "Two models with the same avg@n. The left model is right in c of n samples of every problem. The right model is "
        "always right on a share c/n of the problems, and never on the others. pass@k is higher for the left model, pass^k "
        "for the right one. The wider the band between the two lines, the more the result of a draw varies.",
        "两个模型的 avg@n 相同。左边的模型每道题 n 次中对 c 次；右边的模型在 c/n 的题上每次都对，其余从不对。左边的 pass@k "
        "更高，右边的 pass^k 更高。两线之间的带越宽，抽取结果的变化就越大。",
    ),
    "unstable": ("Every problem sometimes right", "每题时对时错"),
    "steady": ("Some problems always right", "部分题总对"),
    "map": ("G-Pass@k over k and τ", "G-Pass@k 随 k 与 τ 的变化"),
    "map_text": (
        "From pass@k at the bottom (τ = 0: one correct draw is enough) to pass^k at the top (τ = 1: all must be correct).",
        "从底部的 pass@k（τ = 0：抽到一个正确即可）到顶部的 pass^k（τ = 1：必须全部正确）。",
    ),
    "bad_n": ("n must be a whole number from 1 to {limit}; got {n}.", "n 必须是 1 到 {limit} 之间的整数；得到 {n}。"),
    "bad_c": ("c must be a whole number from 0 to n = {n}; got {c}.", "c 必须是 0 到 n = {n} 之间的整数；得到 {c}。"),
    "bad_together": (
        "Of the wrong samples at most {wrong} can agree; got {together}.",
        "错误样本最多有 {wrong} 个相同；得到 {together}。",
    ),
    "bad_k": ("k must be a whole number from 1 to n = {n}; got {k}.", "k 必须是 1 到 n = {n} 之间的整数；得到 {k}。"),
}
