// Sentences with numbers in them that are dragged, or moved by the arrow keys.

import { say } from "./address.js";

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** Fill the blanks of a template, some of which are elements; the one that has the focus keeps it. */
export function fill(element, template, parts) {
    const focused = document.activeElement;
    element.replaceChildren(...template.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? parts[part] : part)));
    if (Object.values(parts).includes(focused)) focused.focus({ preventScroll: true }); // it was taken out for a moment
}

/** Show where a number stands between its limits. */
export function showNumber(number, text, value, low, high) {
    number.textContent = text;
    const about = { valuemin: low, valuemax: high, valuenow: value, valuetext: text };
    for (const [name, each] of Object.entries(about)) number.setAttribute(`aria-${name}`, each);
}

/** Let a number be dragged, from what `read` returns to what `wish` is given; `pixels` a step. `type` is for typing it. */
export function makeDraggable(number, { read, wish, pixels = () => 15, type = () => {} }) {
    let from = null;
    Object.assign(number, { tabIndex: 0, title: say("explore.drag") });
    number.addEventListener("pointerdown", event => {
        from = { x: event.clientX, value: read(), moved: false };
        event.preventDefault();
        number.focus({ preventScroll: true });
    });
    // The document listens: a sentence that changes takes the number out of the page for a moment.
    document.addEventListener("pointermove", event => {
        const steps = from && Math.round((event.clientX - from.x) / pixels());
        if (steps) from.moved = true;
        if (from) wish(from.value + steps);
    });
    document.addEventListener("pointerup", () => {
        if (from && !from.moved) type();
        from = null;
    });
    document.addEventListener("pointercancel", () => { from = null; });
    number.addEventListener("keydown", event => {
        const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (step) {
            event.preventDefault();
            wish(read() + step);
        } else if (/^\d$|^Enter$/.test(event.key)) type();
    });
}
