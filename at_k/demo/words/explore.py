"""Words of the page Explore. The blanks of those that the browser says are filled there, some with numbers in colour."""

WORDS = {
    "title": ("Explore", "探索"),
    # The sentence
    "sentence": ("Of {n} answers, {c}. {k}: {what}.", "{n} 个回答中，{c}。{k}：{what}。"),
    "none_right": ("none is right", "没有正确的"),
    "one_right": ("1 is right", "1 个正确"),
    "some_right": ("{c} are right", "{c} 个正确"),
    "draw_some": ("Draw {k}", "抽取 {k} 个"),
    "draw_all": ("All {k} are drawn", "{k} 个全部抽取"),
    "of_one": ("it is right {value} of the time", "它正确的概率{value}"),
    "of_some": ("{one} of the time, {all}", "{one}，{all}"),
    "of_all": ("nothing is left to chance", "没有什么取决于运气"),
    "one": ("at least one is right {value}", "至少一个正确的概率{value}"),
    "all": ("all are right {value}", "全部正确的概率{value}"),
    "exactly": ("{value}", "为 {value}"),
    "more_than": ("more than {value}", "超过 {value}"),
    "less_than": ("less than {value}", "不到 {value}"),
    "sub": (
        "The same {n} samples, three questions. Which one you report decides how good the model looks.",
        "同样的 {n} 个样本，三个问题。报告哪一个，决定了模型看起来有多好。",
    ),
    "drag": ("Drag, or use the arrow keys", "拖动，或使用方向键"),
    # The picture and its controls
    "figure": ("Chance of a draw of k answers against k", "抽取 k 个回答的概率随 k 的变化"),
    "data": ("One problem, {c} of {n} samples right", "一道题，{n} 个样本中 {c} 个正确"),
    "x": ("k, answers drawn", "k，抽取的回答数"),
    "n": ("samples, n", "样本数 n"),
    "c": ("right, c", "答对数 c"),
    "k": ("drawn, k", "抽取数 k"),
    "together": ("wrong answers that agree", "相同的错误答案数"),
    "half": ("half right", "对一半"),
    "rare": ("rarely right", "偶尔对"),
    "nearly": ("nearly always right", "几乎总对"),
    "favourite": ("a favourite wrong answer", "偏爱一个错误答案"),
    "presets": ("Examples", "示例"),
    "lines": ("Lines of the picture", "图中的线"),
    "line_pass": ("at least one right", "至少一个对"),
    "line_gpass": ("at least half right", "至少一半对"),
    "line_low": ("at least a quarter right", "至少四分之一对"),
    "line_high": ("at least three quarters right", "至少四分之三对"),
    "line_hat": ("all right", "全对"),
    "line_mean": ("mean over τ from ½ to 1", "τ 从 ½ 到 1 的均值"),
    "line_vote": ("the vote is right", "投票正确"),
    "line_avg": ("one answer is right", "单个回答对"),
    "chip_pass": ("at least one", "至少一个"),
    "chip_gpass": ("at least half", "至少一半"),
    "chip_low": ("a quarter", "四分之一"),
    "chip_high": ("three quarters", "四分之三"),
    "chip_hat": ("all", "全部"),
    "chip_mean": ("mean over τ", "τ 均值"),
    "chip_vote": ("the vote", "投票"),
    "chip_avg": ("the average", "平均"),
    "every": ("every k", "每个 k"),
    "log": ("log axis", "对数轴"),
    "teeth": (
        "The teeth come from rounding: G-Pass@k asks for ⌈τk⌉ right answers. At τ = {tau}, both k = {before} and k = {after} ask "
        "for {needed}, and it is easier to have {needed} of {after}.",
        "锯齿来自取整：G-Pass@k 要求 ⌈τk⌉ 个正确回答。τ = {tau} 时，k = {before} 与 k = {after} 都要求 {needed} 个，而 {after} 个中对 {needed} 个更容易。",
    ),
    "off": (
        "At k = {k}, τ = {tau} asks for ⌈τk⌉ = {needed} right answers, which is {share} rather than {tau}: the dot lies below the "
        "line, which is drawn where τk is a whole number.",
        "k = {k} 时，τ = {tau} 要求 ⌈τk⌉ = {needed} 个正确，即 {share} 而非 {tau}：圆点位于线的下方；线只画在 τk 为整数处。",
    ),
    "odd": (
        "mG-Pass@k is drawn at even k alone: as it was published, at odd k it is at most (k − 1)/k.",
        "mG-Pass@k 只画在偶数 k 处：按论文定义，k 为奇数时它最大为 (k − 1)/k。",
    ),
    "vote_note": (
        "The vote comes from the server: the share of all draws of k answers in which the right one gets the most votes; a tie "
        "counts in part.",
        "投票由服务器计算：在所有抽取 k 个回答的方式中，正确答案得票最多的比例；平票按份额计。",
    ),
    "vote_failed": (
        "The vote could not be computed: the server did not answer.",
        "无法计算投票：服务器没有应答。",
    ),
    # Same average, opposite stability
    "models": ("Same average, opposite stability", "平均相同，稳定性相反"),
    "models_text": (
        "One row is a problem, one square a sample. avg@n cannot tell these two apart; pass@k prefers the first, G-Pass@k the "
        "second.",
        "一行是一道题，一个方格是一个样本。avg@n 分不出这两个模型；pass@k 偏向前者，G-Pass@k 偏向后者。",
    ),
    "shaky": ("Shaky", "不稳定"),
    "shaky_text": ("half right on every problem", "每道题都对一半"),
    "steady": ("Steady", "稳定"),
    "steady_text": ("always right on half of the problems", "一半的题总是对"),
    "real": ("Two real models", "两个真实的模型"),
    "real_text": (
        "A real model is something between the two. Of GPT-4o's average on the airline tasks of τ-bench less than half is left "
        "when all of four answers must be right; Qwen2.5-Math keeps nearly all of its average on MATH.",
        "真实的模型介于两者之间。GPT-4o 在 τ-bench 航空任务上的平均分，在要求四次全对时剩下不到一半；Qwen2.5-Math 在 MATH 上几乎保持了全部平均分。",
    ),
    "gpt": ("GPT-4o", "GPT-4o 模型"),
    "gpt_text": ("50 airline tasks of τ-bench × 4 trials", "τ-bench 的 50 个航空任务 × 4 次"),
    "qwen": ("Qwen2.5-Math", "Qwen2.5-Math 模型"),
    "qwen_text": ("100 problems of MATH × 8 samples", "MATH 的 100 道题 × 8 个样本"),
    "squares": (
        "{name}: {rows} problems with {n} samples each, {right} of {all} samples right",
        "{name}：{rows} 道题，每题 {n} 个样本，{all} 个样本中 {right} 个正确",
    ),
    # The formulas
    "formulas": ("The formulas", "公式"),
    "formulas_text": (
        "Each metric is an average over all ways to draw k of the n samples. Here are those ways, counted for n = {n}, c = {c} and "
        "k = {k}.",
        "每个指标都是对从 n 个样本中抽取 k 个的所有方式取平均。下面是 n = {n}、c = {c}、k = {k} 时的计数。",
    ),
    "next": ("What do your own results say?", "您自己的结果说明什么？"),
    # The endpoint
    "bad_n": ("n must be a whole number from 1 to {limit}; got {n}.", "n 必须是 1 到 {limit} 之间的整数；得到 {n}。"),
    "bad_c": ("c must be a whole number from 0 to n = {n}; got {c}.", "c 必须是 0 到 n = {n} 之间的整数；得到 {c}。"),
    "bad_together": (
        "Of the wrong samples at most {wrong} can agree; got {together}.",
        "错误样本最多有 {wrong} 个相同；得到 {together}。",
    ),
    "too_many": (
        "`{name}` may hold up to {limit} numbers; got {count:,}.",
        "`{name}` 最多可有 {limit} 个数；得到 {count:,} 个。",
    ),
    "bad_k": ("k must be a whole number from 1 to n = {n}; got {k}.", "k 必须是 1 到 n = {n} 之间的整数；得到 {k}。"),
}
