"""Words above all pages."""

WORDS = {
    "language": ("English", "中文"),
    "description": (
        "A model is right half of the time: ask it four times, and at least one answer is right 96 % of the time, all are "
        "right 4 %. See what pass@k, G-Pass@k, cons@k, avg@n and best@k mean, and compute them from your own results.",
        "一个模型有一半的时候答对：问四次，至少对一次的概率是 96 %，全对的概率是 4 %。看懂 pass@k、G-Pass@k、cons@k、avg@n 与 best@k，"
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
