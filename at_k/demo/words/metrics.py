"""Words of the page Metrics."""

WORDS = {
    "title": ("Metrics", "指标"),
    "intro": (
        "Each metric is a Hugging Face evaluate module with a card that says what its numbers mean.",
        "每个指标都是 Hugging Face evaluate 模块，并有说明其数值含义的卡片。",
    ),
    "which": ("Which metric?", "用哪个指标？"),
    "data": ("Problems, one per line", "题目，每行一题"),
    "data_info": (
        "As on the page Score: answers and references, or verdicts; scores for a metric that chooses by them.",
        "与“评分”页相同：答案与参考答案，或判定；需要时给出分数。",
    ),
    "run": ("Compute", "计算"),
}
