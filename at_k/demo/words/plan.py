"""Words of the page Plan."""

WORDS = {
    "title": ("Plan", "规划"),
    # What is given
    "source_results": ("From results", "根据结果"),
    "source_sliders": ("From three sliders", "根据滑块"),
    "own": ("Other results", "其他结果"),
    "of_score": ("Those on the page Score", "“评分” 页上的结果"),
    "results": ("Results of a pilot", "试测的结果"),
    "wishes": ("More: k, τ, what you wish for", "更多：k、τ、想要的精度"),
    "run": ("Plan", "规划"),
    "made": ("A made-up pilot", "虚拟的试测"),
    "mean": ("Right on average, %", "平均正确率，%"),
    "spread": ("How much problems differ", "题目之间的差别"),
    "spread_text": (
        "0: all are equally hard. 100: each is always or never right.",
        "0：所有题一样难。100：每道题要么总对，要么总错。",
    ),
    "problems": ("Problems, M", "题目数 M"),
    "samples": ("Samples of each, n", "每题样本数 n"),
    "k": ("Draws, k", "抽取数 k"),
    "tau": ("τ of G-Pass@k, empty for pass@k", "G-Pass@k 的 τ，留空为 pass@k"),
    "half": ("Interval wished for, ± points", "想要的区间，± 百分点"),
    "detect": ("Difference to find, in points", "想要发现的差异，百分点"),
    # The sentence
    "taken": (
        "{name}: a pilot of {problems} problems × {samples} samples, {metric} = {value}",
        "{name}：{problems} 道题 × {samples} 个样本的试测，{metric} = {value}",
    ),
    "sentence": (
        "With {problems} problems × {samples} samples, expect to know {metric} to {half} points, and to tell two "
        "models apart from a difference of {detect} points.",
        "用 {problems} 道题 × {samples} 个样本，{metric} 的精度预计为 {half} 个百分点，两个模型相差 {detect} 个百分点即可分辨。",
    ),
    "more": (
        "With {problems} problems: ± {half_problems}. With {samples} samples of each: ± {half_samples}.",
        "若用 {problems} 道题：± {half_problems}。若每题 {samples} 个样本：± {half_samples}。",
    ),
    "parts": (
        "{share} of the variance lies between problems, and only more problems reduce it.",
        "方差中有 {share} 来自题目之间，只有增加题目才能减小。",
    ),
    "need_problems": (
        "An interval of ± {half} points takes {count} problems with {samples} samples each.",
        "要达到 ± {half} 个百分点的区间，每题 {samples} 个样本时需要 {count} 道题。",
    ),
    "no_problems": (
        "No ten million problems reach an interval of ± {half} points.",
        "一千万道题也达不到 ± {half} 个百分点的区间。",
    ),
    "need_samples": (
        "With the pilot’s {problems} problems it takes {count} samples of each.",
        "若只用试测的 {problems} 道题，每题需要 {count} 个样本。",
    ),
    "no_samples": (
        "With the pilot’s {problems} problems, no number of samples reaches it.",
        "若只用试测的 {problems} 道题，无论多少样本都达不到。",
    ),
    "need_detect": (
        "To find a difference of {detect} points takes {count} problems with {samples} samples each.",
        "要发现 {detect} 个百分点的差异，每题 {samples} 个样本时需要 {count} 道题。",
    ),
    "no_detect": (
        "No ten million problems find a difference of {detect} points.",
        "一千万道题也发现不了 {detect} 个百分点的差异。",
    ),
    "cannot": ("This pilot does not tell how much to measure", "这次试测说明不了需要测量多少"),
    # Pictures and the table
    "more_problems": ("What more problems buy, at {fixed}", "增加题目的效果，{fixed}"),
    "more_samples": ("What more samples buy, at {fixed}", "增加样本的效果，{fixed}"),
    "axis_problems": ("Problems, M", "题目数 M"),
    "axis_samples": ("Samples of each problem, n", "每题样本数 n"),
    "points": ("points", "百分点"),
    "interval": ("± interval", "± 区间"),
    "difference": ("smallest difference", "最小差异"),
    "table": ("Problems × samples", "题目 × 样本"),
    "table_text": (
        "Half of the width of the 95 % interval in points, and below it the smallest difference that a paired comparison "
        "of two models finds with a chance of 80 %, if the difficulties of problems for the two correlate by 0.8. Click a "
        "cell to plan for it.",
        "95 % 区间宽度的一半（百分点），下方是两个模型的配对比较有 80 % 机会发现的最小差异（设两者的题目难度相关系数为 0.8）。"
        "点击单元格即按其规划。",
    ),
    "predicted": ("pass@k beyond n: a prediction", "n 以外的 pass@k：预测"),
    "predicted_text": (
        "Up to k = {n} this is measured. The dashed line is a prediction, not a measurement: that of the beta-binomial "
        "model. Its band carries on the interval of pass@{n}, and reaches to the prediction of the power law. Neither model is "
        "known to hold, and the truth may lie outside of the band.",
        "k = {n} 以内是测得的。虚线是预测，而不是测量：它来自贝塔二项模型。其带延续 pass@{n} 的区间，并延伸到幂律的预测。"
        "不知哪个模型成立，真值可能在带外。",
    ),
    "measured": ("measured", "测得"),
    "prediction": ("prediction", "预测"),
    # Refusals
    "nothing": (
        "There are no results yet. Paste or open some, or choose the sliders.",
        "还没有结果。请粘贴或打开结果，或使用滑块。",
    ),
    "large_k": (
        "k = {k} is more than the {n} samples that the pilot has of some problem. Choose a smaller k.",
        "k = {k} 超过了试测中某道题的样本数 {n}。请选择较小的 k。",
    ),
    "few_samples": (
        "With {samples} samples of each problem there is no k = {k}. Plan for at least {k} samples.",
        "每题 {samples} 个样本时没有 k = {k}。请至少规划 {k} 个样本。",
    ),
}
