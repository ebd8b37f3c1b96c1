"""Words above all pages."""

WORDS = {
    "language": ("English", "中文"),
    "description": (
        "Of 16 answers, 8 are right: draw 4, and at least one is right 96 % of the time, all are right 4 %. See what "
        "pass@k, G-Pass@k, cons@k, avg@n and best@k mean, and compute them from your own results.",
        "16 个回答中，8 个正确：抽取 4 个，至少一个正确的概率是 96 %，全部正确的概率是 4 %。看懂 pass@k、G-Pass@k、cons@k、avg@n 与 best@k，"
        "并用自己的结果计算。",
    ),
    "card": (
        "Three lines against k: at least one right, at least half right, all right.",
        "随 k 变化的三条线：至少一次对、至少一半对、全对。",
    ),
    "pages": ("Pages", "页面"),
    "project": ("Code", "代码"),
    "paper": ("Paper", "论文"),
    "package": ("Package", "软件包"),
    "copy": ("Copy link", "复制链接"),
    "copied": ("Copied", "已复制"),
    "theme_system": ("Theme: as the system", "主题：跟随系统"),
    "theme_light": ("Theme: light", "主题：浅色"),
    "theme_dark": ("Theme: dark", "主题：深色"),
}
