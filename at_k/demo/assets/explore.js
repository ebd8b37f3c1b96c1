// The page Explore: one problem with n samples, c of them right. All is computed here, but for the vote.

import { getState, onState, say, setState } from "./address.js";
import * as counts from "./counts.js";
import { drawFigure } from "./figures.js";
import { writeFormulas } from "./formulas.js";
import { clamp, fill, makeDraggable, showNumber } from "./sentences.js";

const PAGE = "explore";
const MAX_N = 256;
const VOTE_POINTS = 16; // the server answers up to twenty k at a time
const VOTE_WAIT = 150;

const LINES = {
    pass: { name: "pass@k", color: "pass", draw: counts.pass },
    gpass: { name: "G-Pass@k, τ = ½", color: "gpass", tau: 0.5 },
    hat: { name: "pass^k", color: "pass-hat", draw: counts.passHat },
    low: { name: "G-Pass@k, τ = ¼", color: "gpass-low", tau: 0.25 },
    high: { name: "G-Pass@k, τ = ¾", color: "gpass-high", tau: 0.75 },
    mean: { name: "mG-Pass@k", color: "mgpass", draw: counts.mgPass, step: 2 },
    vote: { name: "cons@k", color: "cons" },
    avg: { name: "avg@n", color: "avg", draw: (n, c) => c / n, dashed: true },
};
const TAU_WORDS = { 0.25: "¼", 0.5: "½", 0.75: "¾" };
const START = { n: 16, c: 8, k: 4, together: 4, lines: "pass.gpass.hat" };
const PRESETS = {
    half: { n: 16, c: 8, k: 4 },
    rare: { n: 64, c: 4, k: 16 },
    nearly: { n: 64, c: 60, k: 8 },
    favourite: { n: 32, c: 12, k: 8, together: 16, lines: "pass.gpass.hat.vote" },
};

const root = document.querySelector(".explore");
const find = selector => root.querySelector(selector);

// What was wished for is kept, and only what is shown is brought within its limits: typing 128 into n passes through 1.
// `shown` is up to date at once, and drawn with the next frame: two keys within a frame are two steps.
let wished = { ...START };
let shown = null;
let vote = null; // { key, values: Map } of the setting that the server answered for
let frame = 0;

function bound(wish) {
    const n = clamp(wish.n, 2, MAX_N);
    const c = clamp(wish.c, 0, n);
    return {
        ...wish, n, c, k: clamp(wish.k, 1, n), together: clamp(wish.together, 0, n - c),
        lines: String(wish.lines).split(".").filter(name => name in LINES),
    };
}

function readState(state) {
    const number = (text, start) => (/^\d{1,6}$/.test(text ?? "") ? Number(text) : start);
    wished = Object.fromEntries(Object.entries(START).map(([name, start]) =>
        [name, typeof start === "number" ? number(state[name], start) : state[name] ?? start]));
    request();
}

function wish(values) {
    Object.assign(wished, values);
    request();
}

/** Draw with the next frame: however many moves there are before it, once. */
function request() {
    shown = bound(wished);
    frame ||= requestAnimationFrame(() => {
        frame = 0;
        update(shown);
        const state = { ...shown, lines: shown.lines.join(".") };
        const optional = name => (state[name] === START[name] ? null : state[name]);
        const some = Object.keys(START).some(name => optional(name) !== null) || Object.keys(getState(PAGE)).length > 0;
        setState(PAGE, {
            n: some ? state.n : null, c: some ? state.c : null, k: some ? state.k : null,
            together: shown.lines.includes("vote") ? state.together : null,
            lines: optional("lines"),
        });
    });
}

// ---------------------------------------------------------------- the sentence

/** Write a chance in per cent; "100 %" and "0 %" only of what is certain. */
function writePercent(value) {
    const write = number => `${number}\u00a0%`;
    if (value === 0 || value === 1) return say("explore.exactly", { value: write(value * 100) });
    if (value >= 0.9995) return say("explore.more_than", { value: write(99.9) });
    if (value < 0.0005) return say("explore.less_than", { value: write(0.1) });
    return say("explore.exactly", { value: write((value * 100).toFixed(1)) });
}

function writeRight(c) {
    return c > 1 ? say("explore.some_right", { c }) : say(c ? "explore.one_right" : "explore.none_right");
}

const numbers = {};

function makeNumber(name, low) {
    const number = Object.assign(document.createElement("span"), { className: "number" });
    number.setAttribute("role", "slider");
    number.setAttribute("aria-label", say(`explore.${name}`));
    makeDraggable(number, {
        read: () => shown[name], wish: value => wish({ [name]: clamp(value, low, shown.n) }),
        pixels: () => Math.max(3, 240 / shown.n), type: () => find(`#explore_${name}`).select(),
    });
    return number;
}

/** Say what follows from a draw of k of the answers. */
function describeDraw({ n, c, k }) {
    const part = (template, value, colour) => Object.assign(document.createElement("span"), {
        className: colour, textContent: say(template, { value: writePercent(value) }),
    });
    if (k === n) return [say("explore.of_all"), {}];
    if (k === 1) return ["{one}", { one: part("explore.of_one", c / n, "of-pass") }];
    return [say("explore.of_some"), {
        one: part("explore.one", counts.pass(n, c, k), "of-pass"), all: part("explore.all", counts.passHat(n, c, k), "of-pass-hat"),
    }];
}

function updateSentence({ n, c, k }) {
    numbers.c ??= makeNumber("c", 0);
    numbers.k ??= makeNumber("k", 1);
    showNumber(numbers.c, writeRight(c), c, 0, n);
    showNumber(numbers.k, say(k === n ? "explore.draw_all" : "explore.draw_some", { k }), k, 1, n);
    const [what, parts] = describeDraw({ n, c, k });
    fill(find(".sentence"), say("explore.sentence", { n, what }), { ...numbers, ...parts });
    find(".sub").textContent = say("explore.sub", { n });
}

// ---------------------------------------------------------------- the picture

const range = (from, to, step = 1) => Array.from({ length: Math.max(0, Math.floor((to - from) / step) + 1) }, (_, i) => from + i * step);

/** Return the k at which a line is drawn: all, or those where ⌈τk⌉ rises evenly, if there are enough of them. */
function drawnAt(line, { n }) {
    if (line.tau) {
        const step = counts.smoothStep(line.tau);
        if (n >= 2 * step) return range(step, n, step);
    }
    return line.step ? range(line.step, n, line.step) : range(1, n);
}

function describeLine(name, setting) {
    const { n, c } = setting;
    const line = LINES[name];
    const about = { name: line.name, words: say(`explore.line_${name}`), color: line.color, dashed: line.dashed };
    if (name === "vote") {
        if (vote?.key !== voteKey(setting)) return null;
        return { ...about, x: [...vote.values.keys()], y: [...vote.values.values()] };
    }
    const metric = line.tau ? k => counts.gPass(n, c, k, line.tau) : k => line.draw(n, c, k);
    const x = drawnAt(line, setting);
    const all = range(1, n).filter(k => !line.step || k % line.step === 0);
    const y = counts.draw(metric, all);
    const at = new Map(all.map((k, i) => [k, y[i]]));
    return { ...about, x, y: x.map(k => at.get(k)), values: { x: all, y } };
}

function updateFigure(setting) {
    const { n, c, k, lines } = setting;
    drawFigure(find("#explore_curves"), {
        kind: "lines", title: say("explore.figure"), data: say("explore.data", { n, c }), name: "at-k-explore",
        x: { title: say("explore.x"), min: 1, max: n }, y: { min: 0, max: 1 },
        // In the order of the demand, so that names stand in the order of the lines.
        lines: Object.keys(LINES).filter(name => lines.includes(name)).map(name => describeLine(name, setting)).filter(Boolean),
        handle: k,
    });
    find(".notes").replaceChildren(...writeNotes(setting).map(text => Object.assign(document.createElement("p"), { textContent: text })));
}

function writeNotes(setting) {
    const { k, lines } = setting;
    const notes = [];
    const off = lines.map(name => LINES[name].tau).find(tau => tau && k % counts.smoothStep(tau));
    if (off) {
        const needed = counts.drawsNeeded(off, k);
        notes.push(say("explore.off", { k, tau: TAU_WORDS[off], needed, share: `${needed}/${k}` }));
    }
    if (lines.includes("mean") && k % 2) notes.push(say("explore.odd"));
    if (lines.includes("vote")) notes.push(vote?.failed ? say("explore.vote_failed") : say("explore.vote_note"));
    return notes;
}

// ---------------------------------------------------------------- the vote

const voteKey = ({ n, c, k, together }) => [n, c, k, together].join();
let voteTimer = 0;
let voteRequest = null;

function updateVote(setting) {
    clearTimeout(voteTimer);
    const key = voteKey(setting);
    if (!setting.lines.includes("vote") || vote?.key === key) return;
    voteTimer = setTimeout(() => ask(setting, key), VOTE_WAIT);
}

async function ask({ n, c, k, together }, key) {
    voteRequest?.abort();
    voteRequest = new AbortController();
    const even = range(0, VOTE_POINTS - 1).map(i => Math.round(1 + (i * (n - 1)) / (VOTE_POINTS - 1)));
    const every = [...new Set([k, ...even])].sort((a, b) => a - b);
    try {
        const answer = await fetch(new URL("gradio_api/run/explore", document.baseURI), {
            method: "POST", headers: { "Content-Type": "application/json" }, signal: voteRequest.signal,
            body: JSON.stringify({ data: [n, c, every, [1], together] }),
        });
        const [values] = (await answer.json()).data;
        vote = { key, values: new Map(every.map(each => [each, values[`cons@${each}`]])) };
    } catch (reason) {
        if (reason.name === "AbortError") return;
        vote = { key, values: new Map(), failed: true };
    }
    request();
}

// ---------------------------------------------------------------- controls

const CONTROLS = { n: [2, () => MAX_N], c: [0, () => shown.n], k: [1, () => shown.n], together: [0, () => shown.n - shown.c] };

function updateControls(setting) {
    for (const [name, [low, high]] of Object.entries(CONTROLS)) {
        const [slider, box] = [find(`#explore_${name}_slider`), find(`#explore_${name}`)];
        slider.max = Math.max(low + 1, high());
        slider.min = low;
        slider.value = setting[name];
        slider.disabled = high() <= low;
        slider.style.setProperty("--share", (setting[name] - low) / Math.max(1, high() - low));
        if (box !== document.activeElement || box.dataset.read) box.value = setting[name];
        delete box.dataset.read;
    }
    find("[data-control=together]").hidden = !setting.lines.includes("vote");
    for (const chip of root.querySelectorAll("[data-line]")) chip.setAttribute("aria-pressed", setting.lines.includes(chip.dataset.line));
    for (const chip of root.querySelectorAll("[data-preset]")) {
        const preset = PRESETS[chip.dataset.preset];
        chip.setAttribute("aria-pressed", Object.entries(preset).every(([name, value]) => name === "lines" || setting[name] === value));
    }
}

function listen() {
    for (const name of Object.keys(CONTROLS)) {
        const [slider, box] = [find(`#explore_${name}_slider`), find(`#explore_${name}`)];
        slider.addEventListener("input", () => wish({ [name]: Number(slider.value) }));
        // A number counts on Enter or on leaving the box, and is then the same in the box, on the slider and in the picture.
        const read = () => {
            const number = Math.round(Number(box.value.trim().replace(",", ".")));
            box.dataset.read = "1";
            const [low, high] = CONTROLS[name];
            // A number outside of its limits is brought within them now: it is no longer being typed.
            wish(box.value.trim() && Number.isFinite(number) ? { [name]: clamp(number, low, high()) } : {});
        };
        box.addEventListener("change", read);
        box.addEventListener("keydown", event => { if (event.key === "Enter") read(); });
        box.addEventListener("focus", () => box.select());
    }
    root.addEventListener("click", event => {
        const chip = event.target.closest(".chips button");
        if (!chip) return;
        const { line, preset } = chip.dataset;
        if (line) wish({ lines: Object.keys(LINES).filter(each => shown.lines.includes(each) !== (each === line)).join(".") });
        else if (preset) wish({ lines: START.lines, ...PRESETS[preset] });
    });
    root.addEventListener("at-k:handle", event => wish({ k: event.detail.k }));
}

function update(setting) {
    updateSentence(setting);
    updateFigure(setting);
    updateControls(setting);
    updateVote(setting);
    const { n, c, k, lines } = setting;
    find(".formulas-text").textContent = say("explore.formulas_text", { n, c, k });
    const taus = Object.keys(LINES).filter(name => lines.includes(name) && LINES[name].tau).map(name => LINES[name].tau).sort();
    find("#explore_formulas").innerHTML = writeFormulas(n, c, k, taus);
}

if (root) {
    listen();
    onState(PAGE, readState);
    readState(getState(PAGE));
}
