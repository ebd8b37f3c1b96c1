// The first screen of Explore: two models with the same average, and what a draw of k of their answers tells apart.

import { getState, onState, say, setState } from "./address.js";
import { atLeast, drawsNeeded } from "./counts.js";
import { drawFigure } from "./figures.js";
import { clamp, fill, makeDraggable, showNumber } from "./sentences.js";

const [ROWS, N] = [12, 16];
const USUAL = { draw: 4, tau: 0.5 };
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
const DRAWN_ROW = 3;
const ORDER = [2, 7, 9, 13, 5, 11, 0, 15, 4, 10, 1, 8, 14, 3, 12, 6]; // in which answers are drawn

/** Return the places of a draw of k answers to a problem of which at least m are right; none if there is no such draw. */
function findDraw(row, m, k) {
    const right = ORDER.filter(place => row[place] === "1");
    if (right.length < m) return [];
    const first = right.slice(0, m);
    return [...first, ...ORDER.filter(place => !first.includes(place))].slice(0, k);
}

/** The chance that at least m of k drawn answers are right, on average over the problems. */
function share(rows, m, k) {
    const right = rows.map(row => [...row].filter(each => each === "1").length);
    return right.reduce((sum, c) => sum + atLeast(m, N, c, k), 0) / rows.length;
}

const root = document.querySelector(".story");
const find = selector => root.querySelector(selector);
const number = find(".number");
let { draw: k, tau } = USUAL;

/** Write a share in per cent; "100 %" and "0 %" only of what is certain. */
function writePercent(value) {
    const percent = Math.round(100 * value);
    return `${value < 1 && percent === 100 ? "> 99" : value > 0 && percent === 0 ? "< 1" : percent}\u00a0%`.replace(" ", "\u00a0");
}

/** Name a model and its share, in its colour. */
const part = (name, m) => Object.assign(document.createElement("b"), {
    className: `of-${COLOURS[name]}`, textContent: `${say(`explore.${name}`)} ${writePercent(share(MODELS[name], m, k))}`,
});

const demand = m => (m === k && k > 1 ? say("explore.at_all", { k }) : say("explore.at_least", { m }));
const writeTau = m => `τ = ${{ 0.25: "¼", 0.5: "½", 0.75: "¾" }[m / k] ?? `${m}/${k}`}`;
const metric = m => (m === 1 ? `pass@${k}` : m === k ? `pass^${k}` : `G-Pass@${k}, ${writeTau(m)}`);

/** Say what is asked for where at least m of k must be right, and outline draws for which it holds. */
function ask(m) {
    fill(find(".asked"), say("explore.asked", { metric: metric(m), demand: demand(m) }), { shaky: part("shaky", m), steady: part("steady", m) });
    for (const [name, rows] of Object.entries(MODELS)) {
        drawFigure(find(`[data-model=${name}] .figure`), {
            kind: "squares", title: say(`explore.${name}`), name: `at-k-${name}`, color: COLOURS[name],
            drawn: findDraw(rows[DRAWN_ROW], m, k).map(place => [DRAWN_ROW, place]), rows: rows.map((samples, i) => ({ name: String(i + 1), samples })),
            label: say("explore.squares", { name: say(`explore.${name}`), rows: ROWS, n: N, right: ROWS * N / 2, all: ROWS * N }),
        });
    }
}

function draw() {
    const needed = drawsNeeded(tau, k);
    showNumber(number, String(k), k, 1, N);
    fill(find(".lead"), say(k === N ? "explore.lead_all" : k === 1 ? "explore.lead_one" : "explore.lead"), {
        k: number, shaky_one: part("shaky", 1), steady_one: part("steady", 1), shaky_all: part("shaky", k), steady_all: part("steady", k),
    });
    ask(needed);
    const every = Array.from({ length: k }, (_, i) => i + 1);
    const lines = Object.entries(MODELS).map(([name, rows]) => ({
        name: say(`explore.${name}`), color: COLOURS[name], x: every, y: every.map(m => share(rows, m, k)),
    }));
    drawFigure(find("#story_demand"), {
        kind: "lines", title: say("explore.demand", { k }), data: say("explore.demand_data", { rows: ROWS, n: N }), name: "at-k-demand",
        x: { title: say("explore.demand_x", { k }), min: 1, max: k, names: every.map(m => [demand(m), metric(m), m === 1 || m === k ? metric(m) : writeTau(m)]) },
        y: { min: 0, max: 1, percent: true }, lines, values: k <= 8, handle: needed,
        shade: k > 1 ? { from: k / 2, label: say("explore.shade", { k }) } : undefined,
    });
    find("[name=draw]").value = k;
    setState("explore", { draw: k === USUAL.draw ? null : k, tau: tau === USUAL.tau ? null : tau });
}

function choose(wish) {
    const wanted = clamp(Math.round(wish), 1, N);
    if (wanted === k) return;
    k = wanted;
    draw();
}

function restore(state) {
    const [wish, share] = [Number(state.draw), Number(state.tau)];
    k = Number.isInteger(wish) && wish >= 1 && wish <= N ? wish : USUAL.draw;
    tau = share > 0 && share <= 1 ? share : USUAL.tau;
    draw();
}

makeDraggable(number, { read: () => k, wish: choose });
find("[name=draw]").addEventListener("input", event => choose(event.target.value));
root.addEventListener("at-k:handle", event => {
    tau = Math.floor(1e4 * event.detail.k / k) / 1e4; // so that ⌈τk⌉ is this number
    draw();
});
root.addEventListener("at-k:point", event => ask(event.detail.k ?? drawsNeeded(tau, k)));
onState("explore", restore);
restore(getState("explore"));
