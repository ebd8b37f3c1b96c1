"""Words above all pages."""

WORDS = {
    "tagline": (
        "Metrics for models that are sampled more than once: pass@k, G-Pass@k, cons@k, avg@n and best@k, computed exactly.",
        "用于多次采样模型的指标：pass@k、G-Pass@k、cons@k、avg@n 与 best@k，精确计算。",
    ),
}
