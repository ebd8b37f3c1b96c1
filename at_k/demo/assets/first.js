// Before Gradio: the language that was asked for or chosen, which Gradio takes from the browser, and the theme.
(() => {
    const asked = new URLSearchParams(location.search);
    const kept = document.cookie.match(/(?:^|; )at-k-language=(en|zh)(?:;|$)/)?.[1];
    const language = ["en", "zh"].includes(asked.get("lang")) ? asked.get("lang") : kept;
    if (language) {
        const locale = { en: "en-US", zh: "zh-CN" }[language];
        Object.defineProperty(navigator, "language", { get: () => locale, configurable: true });
        Object.defineProperty(navigator, "languages", { get: () => [locale], configurable: true });
        if (language !== kept) {
            // A Space is shown inside a page of huggingface.co, where only such a cookie is taken.
            const framed = location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
            document.cookie = `at-k-language=${language}; path=/${framed}`;
        }
    }
    let chosen = asked.get("theme") ?? asked.get("__theme");
    try {
        chosen ??= localStorage.getItem("at-k-theme");
    } catch { /* storage is closed to a page in a frame */ }
    const theme = ["light", "dark"].includes(chosen) ? chosen : "system";
    const system = matchMedia("(prefers-color-scheme: dark)");
    const root = document.documentElement;
    root.dataset.theme = theme;
    // Gradio's page about the API, /?view=api, is in sight whichever page is open.
    if (asked.has("view")) root.dataset.view = "gradio";
    const show = () => {
        const dark = root.dataset.theme === "dark" || (root.dataset.theme === "system" && system.matches);
        root.classList.toggle("at-k-dark", dark);
        // Gradio sets this class by the browser's setting alone.
        if (document.body && document.body.classList.contains("dark") !== dark) {
            document.body.classList.toggle("dark", dark);
        }
    };
    show();
    system.addEventListener("change", show);
    new MutationObserver(show).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
    document.addEventListener("DOMContentLoaded", () => {
        show();
        new MutationObserver(show).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    });
})();
