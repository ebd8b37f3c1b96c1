// The first screen of Explore: two models with the same average, and what a draw of k of their answers tells apart.

import { getState, onState, say, setState } from "./address.js";
import { atLeast } from "./counts.js";
import { drawFigure } from "./figures.js";

const [ROWS, N, USUAL] = [12, 16, 4];
const COLOURS = { shaky: "b", steady: "a" };

/** Which answers of a shaky model are right: half of each row, at places that look random and are always the same. */
function makeShaky() {
    let seed = 7;
    const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647; };
    return Array.from({ length: ROWS }, () => {
        const places = Array.from({ length: N }, (_, i) => [random(), i]).sort((a, b) => a[0] - b[0]).slice(0, N / 2).map(([, i]) => i);
        return Array.from({ length: N }, (_, i) => (places.includes(i) ? "1" : "0")).join("");
    });
}

const MODELS = {
    shaky: makeShaky(),
    steady: [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1].map(right => String(right).repeat(N)),
};
const DRAWN_ROW = 4;
const ORDER = [2, 7, 9, 13, 5, 11, 0, 15, 4, 10, 1, 8, 14, 3, 12, 6]; // one draw of k: the first k of these

/** The chance that at least m of k drawn answers are right, on average over the problems. */
function share(rows, m, k) {
    const right = rows.map(row => [...row].filter(each => each === "1").length);
    return right.reduce((sum, c) => sum + atLeast(m, N, c, k), 0) / rows.length;
}

const percent = value => `${Math.round(100 * value)}\u00a0%`;

const root = document.querySelector(".story");
const find = selector => root.querySelector(selector);
let k = USUAL;

function writeLead() {
    const part = (name, m) => Object.assign(document.createElement("b"), {
        className: `of-${COLOURS[name]}`, textContent: `${say(`explore.${name}`)} ${percent(share(MODELS[name], m, k))}`,
    });
    const parts = { shaky_one: part("shaky", 1), steady_one: part("steady", 1), shaky_all: part("shaky", k), steady_all: part("steady", k), k: find(".number") };
    parts.k.textContent = k;
    for (const [name, value] of [["valuemin", 1], ["valuemax", N], ["valuenow", k]]) parts.k.setAttribute(`aria-${name}`, value);
    const template = say(k === N ? "explore.lead_all" : k === 1 ? "explore.lead_one" : "explore.lead");
    const nodes = template.split(/\{(\w+)\}/).map((text, i) => (i % 2 ? parts[text] : text));
    const lead = find(".lead");
    if (lead.dataset.template === template) { // the number stays where it is, or a drag would end
        const old = [...lead.querySelectorAll("b")];
        nodes.filter(node => node?.tagName === "B").forEach((node, i) => old[i].replaceWith(node));
        return;
    }
    const focused = document.activeElement === parts.k;
    lead.replaceChildren(...nodes);
    lead.dataset.template = template;
    if (focused) parts.k.focus({ preventScroll: true });
}

function draw() {
    writeLead();
    for (const [name, rows] of Object.entries(MODELS)) {
        drawFigure(find(`[data-model=${name}] .figure`), {
            kind: "squares", title: say(`explore.${name}`), name: `at-k-${name}`, color: COLOURS[name], drawn: ORDER.slice(0, k).map(i => [DRAWN_ROW, i]),
            rows: rows.map((samples, i) => ({ name: String(i + 1), samples })),
            label: say("explore.squares", { name: say(`explore.${name}`), rows: ROWS, n: N, right: ROWS * N / 2, all: ROWS * N }),
        });
    }
    const every = Array.from({ length: k }, (_, i) => i + 1);
    const lines = Object.entries(MODELS).map(([name, rows]) => ({
        name: say(`explore.${name}`), color: COLOURS[name], x: every, y: every.map(m => share(rows, m, k)),
    }));
    drawFigure(find("#story_demand"), {
        kind: "lines", title: say("explore.demand", { k }), data: say("explore.demand_data", { rows: ROWS, n: N }), name: "at-k-demand",
        x: { title: say("explore.demand_x", { k }), min: 1, max: k }, y: { min: 0, max: 1, percent: true }, lines, values: k <= 8,
        shade: k > 1 ? { from: k / 2, label: say("explore.shade", { k }) } : undefined,
    });
    find("[name=draw]").value = k;
    setState("explore", { draw: k === USUAL ? null : k });
}

function choose(wish) {
    const wanted = Math.min(N, Math.max(1, Math.round(wish)));
    if (wanted === k) return;
    k = wanted;
    draw();
}

function listen() {
    const number = find(".number");
    let from = null;
    number.addEventListener("pointerdown", event => {
        from = { x: event.clientX, k };
        event.preventDefault();
        number.focus({ preventScroll: true });
    });
    document.addEventListener("pointermove", event => { if (from) choose(from.k + (event.clientX - from.x) / 15); });
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { from = null; });
    number.addEventListener("keydown", event => {
        const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        choose(k + step);
    });
    find("[name=draw]").addEventListener("input", event => choose(event.target.value));
}

function restore(state) {
    const wish = Number(state.draw);
    k = Number.isInteger(wish) && wish >= 1 && wish <= N ? wish : USUAL;
    draw();
}

listen();
onState("explore", restore);
restore(getState("explore"));
