// Each figure is named, for screen readers, by the heading above it. Figures come and go with the tabs they are in.
() => {
    const named = (figure) => {
        for (let above = figure.previousElementSibling; above; above = above.previousElementSibling) {
            const name = above.matches(".heading, .caption") && above.textContent.trim();
            if (name) {
                figure.setAttribute("role", "figure");
                figure.setAttribute("aria-label", name);
                return;
            }
        }
    };
    const unnamed = () => document.querySelectorAll(".plot:not([aria-label])").forEach(named);
    new MutationObserver(unnamed).observe(document.body, { childList: true, subtree: true });
    unnamed();
}
