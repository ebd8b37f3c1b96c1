"""Words of the page Compare."""

WORDS = {
    "title": ("Compare", "比较"),
    # What is given
    "own": (
        "Compare your own: two files, or one with two models",
        "比较您自己的结果：两个文件，或含有两个模型的一个文件",
    ),
    "file_a": ("A, one model", "A，一个模型"),
    "file_b": ("B, the other (empty if A has both)", "B，另一个模型（若 A 含有两者则留空）"),
    "by": ("Column that names the models", "标明模型的列"),
    "model_a": ("Model A", "模型 A"),
    "model_b": ("Model B", "模型 B"),
    "margin": ("A difference that does not matter, in points", "无关紧要的差异（百分点）"),
    "unmatched_label": ("Problems that only one has", "只有一方有的题目"),
    "unmatched_drop": ("leave them out", "略去"),
    "unmatched_unpaired": ("compare unpaired, all of them", "全部保留，不配对比较"),
    "unmatched_error": ("refuse", "拒绝"),
    "run": ("Compare", "比较"),
    "example": ("Back to the example", "回到示例"),
    "pair_long": ("Codex (long prompt)", "Codex（长提示）"),
    "pair_medium": ("Codex (medium prompt)", "Codex（中等提示）"),
    "against": ("against", "对比"),
    # The sentence
    "is_better": (
        "{name} is better than {other} at {metric}: {difference}, {p}.",
        "在 {metric} 上，{name} 比 {other} 好：{difference}，{p}。",
    ),
    "is_equivalent": (
        "{name} and {other} are equivalent at {metric}, within {margin} points: {difference}.",
        "在 {metric} 上，{name} 与 {other} 在 {margin} 个百分点以内等价：{difference}。",
    ),
    "is_open": (
        "No difference between {name} and {other} is shown at {metric}: {difference}, {p}.",
        "在 {metric} 上，没有显示出 {name} 与 {other} 之间的差异：{difference}，{p}。",
    ),
    "points": ("points", "个百分点"),
    "problems_won": (
        "Problem by problem, A is better on {won}, B on {lost}, and {tied} are tied.",
        "逐题来看，A 在 {won} 道题上更好，B 在 {lost} 道题上更好，{tied} 道题打平。",
    ),
    "test": ("the sign-flip test of the paired differences", "配对差异的符号翻转检验"),
    "mid_p": (
        "McNemar’s exact test with mid-p, since all differences are −1, 0 or 1",
        "McNemar 精确检验（mid-p），因为差异都是 −1、0 或 1",
    ),
    "welch": ("Welch’s test, since the problems differ", "Welch 检验，因为题目不同"),
    "p_alone": ("p is that of {test}.", "p 由{test}得出。"),
    "p_adjusted": (
        "p is that of {test}, adjusted for the {count} questions that the table asks.",
        "p 由{test}得出，并按表中所问的 {count} 个问题做了校正。",
    ),
    "by_luck": (
        "Its interval leaves out 0, but where so many numbers are looked at, one of them may do so by luck.",
        "区间不含 0，但看了这么多数值，其中一个可能只是碰巧如此。",
    ),
    "within": (
        "Equivalent within ± {margin} points ({p}).",
        "在 ± {margin} 个百分点以内等价（{p}）。",
    ),
    "not_within": (
        "Not shown to be equivalent within ± {margin} points ({p}).",
        "未能显示在 ± {margin} 个百分点以内等价（{p}）。",
    ),
    # The table
    "every": ("Every metric, every k", "每个指标，每个 k"),
    "table": (
        "{a} minus {b} in points, with {level} intervals below. In colour where a difference is shown. Click a number to see "
        "its problems and its curve.",
        "{a} 减 {b}，单位为百分点，下方是 {level} 区间。显示出差异的数值带颜色。点击一个数值，可查看对应的题目和曲线。",
    ),
    # The problems
    "each": ("Each problem", "每道题"),
    "each_text": (
        "The share of right samples of A, to the right, and of B, upwards. B is better above the line. Click a dot to see "
        "its problems.",
        "横轴是 A 答对的样本比例，纵轴是 B 的比例。线的上方是 B 更好的题。点击一个点可查看其中的题目。",
    ),
    "share_of": ("c/n of {name}", "{name} 的 c/n"),
    "point": ("{count} × A {a}, B {b}", "{count} 道题：A {a}，B {b}"),
    "flips": ("Largest flips at {metric}", "{metric} 上差异最大的题目"),
    "no_flips": ("Both are equal on every problem at {metric}.", "在 {metric} 上，两者在每道题上都相同。"),
    "chosen": ("Chosen problems: {count}", "所选题目：{count} 道"),
    "more": ("and {count} more", "以及另外 {count} 道"),
    "curves_text": ("Both against k, with the bands of each.", "两者随 k 的变化，以及各自的区间带。"),
    "markdown": ("The table as Markdown", "Markdown 格式的表格"),
    # Refusals and warnings
    "unmatched": (
        "The problem sets differ: {a} problems are in A alone, {b} in B alone.",
        "题目集合不同：{a} 道题只在 A 中，{b} 道题只在 B 中。",
    ),
    "nothing": (
        "There is nothing to compare yet. Paste or open the results of two models.",
        "还没有可以比较的内容。请粘贴或打开两个模型的结果。",
    ),
    "one_model": (
        "There is one model alone. Give the results of the other one in B, or choose the column that names the models.",
        "只有一个模型。请在 B 中给出另一个模型的结果，或选择标明模型的列。",
    ),
    "same_model": (
        "A and B are the same model. Choose another one, or a column with two values.",
        "A 和 B 是同一个模型。请选择另一个模型，或选择含有两个值的列。",
    ),
    "of_file": ("{file}: {reason}", "{file}：{reason}"),
}
