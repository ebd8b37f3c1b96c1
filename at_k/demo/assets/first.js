// Before anything is drawn: the theme, and the language that a link asks for, which later visits keep.
(() => {
    const asked = new URLSearchParams(location.search);
    if (["en", "zh"].includes(asked.get("lang"))) {
        // A Space is shown inside a page of huggingface.co, where only such a cookie is taken.
        const framed = location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
        document.cookie = `at-k-language=${asked.get("lang")}; path=/; max-age=31536000${framed}`;
    }
    let chosen = asked.get("theme") ?? asked.get("__theme");
    try {
        chosen ??= localStorage.getItem("at-k-theme");
    } catch { /* storage is closed to a page in a frame */ }
    const system = matchMedia("(prefers-color-scheme: dark)");
    const root = document.documentElement;
    root.dataset.theme = ["light", "dark"].includes(chosen) ? chosen : "system";
    const show = () => {
        const dark = root.dataset.theme === "dark" || (root.dataset.theme === "system" && system.matches);
        root.classList.toggle("at-k-dark", dark);
    };
    show();
    system.addEventListener("change", show);
    new MutationObserver(show).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
})();
