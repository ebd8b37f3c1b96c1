// The page Score in the browser: buttons that set options, results that go grey while they are old, the list of problems,
// and what a reload keeps.

import { getPage, getState, onState, setState } from "./address.js";
import { getGiven, keepGiven } from "./given.js";

const STEP = matchMedia("(max-width: 700px)").matches ? 10 : 20; // problems that are listed at first

let actions = null;
let edits = 0;
let running = null;
let cleared = false;
let typed = null; // what was last written into the box

const find = selector => document.querySelector(selector);

/**
 * Begin to work, with the component that sets values: `send("submit", values)` sets some, `send("select", values)` all of
 * them. `usual` has the values of a page that nobody has changed.
 */
export function start(send, usual, words) {
    actions = { send, usual, words };
    new MutationObserver(closeRefused).observe(find("#score_page"), { childList: true, subtree: true });
    closeRefused();
    restore(getState("score"), true);
    onState("score", state => restore(state, false));
}

/** While a refusal stands, the old results can be seen, and neither used nor copied: they are not of what was given. */
function closeRefused() {
    find("#score_results").inert = find("#score_page .refused") !== null;
}

/** Note what is being scored; called before results are asked for. */
function begin(names, values) {
    const given = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    if (given.text === typed || given.name) given.example = null; // the choice may be cleared a moment later
    cleared &&= !given.example && !given.name;
    running = { edits, given };
    setStale(true);
    setState("score", describe(given));
}

/** Results, or a refusal, are there. */
function finish() {
    if (!running) return;
    if (running.edits === edits) setStale(false);
    requestAnimationFrame(keep);
}

/** Keep what was scored, unless it was refused. Whether that is an example, its results say. */
function keep() {
    if (!running || find("#score_page .refused")) return;
    const { text, opened, name } = running.given;
    keepGiven(find("#score_top .taken.of-example") ? null : { text, opened, name });
}

// Results are in sight a moment before `finish` is called: whoever goes on to another page takes along what they gave.
document.addEventListener("at-k:page", keep);

window.atKScore = { begin, finish };

function setStale(stale) {
    const results = find("#score_results");
    if (!results) return;
    if (stale) results.dataset.stale = "";
    else delete results.dataset.stale;
    results.setAttribute("aria-busy", String(stale));
}

// What a visitor changed stands in the address; what they pasted stays in this tab of their browser.

function spell(value) {
    return Array.isArray(value) ? value.join(",") : String(value ?? "");
}

function describe(given) {
    const state = {};
    for (const [name, usual] of Object.entries(actions?.usual ?? {})) {
        if (name in given) state[name] = spell(given[name]) === spell(usual) ? null : spell(given[name]);
    }
    return state;
}

function restore(state, first) {
    const kept = getGiven();
    const { usual } = actions;
    const values = {};
    for (const [name, value] of Object.entries(usual)) {
        const asked = state[name];
        if (asked === undefined) values[name] = value;
        else if (Array.isArray(value)) values[name] = asked.split(",").filter(Boolean);
        else if (typeof value === "boolean") values[name] = asked === "true";
        else values[name] = asked;
    }
    if (!actions.words.examples.includes(values.example)) values.example = usual.example;
    if (kept && !state.example) Object.assign(values, kept, { example: null });
    else Object.assign(values, { text: null, opened: null, name: "" }); // the server knows the text of an example
    const changed = Object.entries(usual).some(([name, value]) => spell(values[name]) !== spell(value));
    if (changed || !first) actions.send("select", values);
}

// Clicks

document.addEventListener("click", event => {
    const target = event.target.closest?.("[data-compares], [data-set], [data-example], [data-opens], [data-shows], .sorter, .matrix td[data-key], [data-problem]");
    if (!target) return;
    if (target.matches("[data-compares]")) document.dispatchEvent(new CustomEvent("at-k:take", { detail: { page: "compare" } }));
    else if (target.dataset.set) actions?.send("submit", JSON.parse(target.dataset.set));
    else if (target.dataset.example) openExample(target.dataset.example);
    else if (target.dataset.opens) openChoice(target.dataset.opens);
    else if (target.dataset.shows) showDraws(target);
    else if (target.matches(".sorter")) sortRows(target.closest("th"));
    else if (target.matches(".matrix td")) copyCell(target);
    else if (target.dataset.problem) openProblem(Number(target.dataset.problem));
});

document.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && getPage() === "score") {
        event.preventDefault();
        find("#score_run")?.click();
    }
});

document.addEventListener("input", event => {
    if (!event.isTrusted || !event.target.closest?.("#score_inputs, #score_columns, #score_options, #score_several")) return;
    edits += 1;
    setStale(true);
    if (!event.target.closest("#score_text")) return;
    typed = event.target.value;
    if (!cleared) actions?.send("input", {}); // the name of the example or file goes
    cleared = true;
});

/** Open the small file of a harness, with the usual options: the server knows it by name. */
function openExample(example) {
    const missing = example === "verifiers" ? "incorrect" : actions.usual.missing;
    actions.send("select", { ...actions.usual, text: null, opened: null, example: null, name: `harness/${example}`, missing });
}

/** Open the choice of a column or an option: unfold what it is in, and go there. */
function openChoice(name) {
    const inside = () => find(`#score_${name} input, #score_${name} select, #score_${name} textarea`);
    const folded = find(name.startsWith("column_") || name === "model" ? "#score_columns" : `#score_${FOLDS[name] ?? "options"}`);
    const button = folded?.querySelector("button");
    if (button && !(inside()?.offsetParent)) button.click();
    let tries = 0;
    const go = () => {
        const input = inside();
        if (input?.offsetParent) {
            input.scrollIntoView({ block: "center", behavior: "smooth" });
            input.focus({ preventScroll: true });
        } else if ((tries += 1) < 60) requestAnimationFrame(go);
    };
    go();
}

const FOLDS = { scorer: "several", filter: "several", tests: "several" };

function showDraws(button) {
    const blocks = button.closest(".blocks");
    for (const each of blocks.querySelectorAll("[data-shows]")) each.setAttribute("aria-pressed", String(each === button));
    for (const table of blocks.querySelectorAll("[data-k]")) table.hidden = table.dataset.k !== button.dataset.shows;
}

function sortRows(head) {
    const place = [...head.parentElement.children].indexOf(head);
    const falling = head.getAttribute("aria-sort") !== "descending" && place > 0;
    for (const each of head.parentElement.children) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const body = head.closest("table").tBodies[0];
    const value = row => (place ? Number(row.children[place].dataset.value ?? NaN) : row.children[0].textContent);
    const compare = (a, b) => (place ? value(b) - value(a) : value(a).localeCompare(value(b), undefined, { numeric: true }));
    body.append(...[...body.rows].sort((a, b) => (falling || !place ? compare(a, b) : compare(b, a))));
}

async function copyCell(cell) {
    if (String(getSelection())) return;
    const text = `${cell.dataset.key} ${cell.innerText.replace(/\s+/g, " ").trim()}`;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        return;
    }
    cell.dataset.copied = actions?.words.copied ?? "";
    setTimeout(() => { delete cell.dataset.copied; }, 1500);
}

// Files that are dropped or pasted

const onScore = () => getPage() === "score";

function openFiles(files) {
    const input = find("#score_file input[type=file]");
    if (!input || !files.length) return false;
    input.files = files;
    input.dispatchEvent(new Event("change"));
    return true;
}

addEventListener("dragover", event => {
    if (onScore() && event.dataTransfer?.types.includes("Files")) {
        event.preventDefault();
        document.documentElement.dataset.dropping = "";
    }
}, true);

addEventListener("dragleave", event => {
    if (!event.relatedTarget) delete document.documentElement.dataset.dropping;
}, true);

addEventListener("drop", event => {
    delete document.documentElement.dataset.dropping;
    if (onScore() && openFiles(event.dataTransfer?.files ?? [])) {
        event.preventDefault();
        event.stopPropagation();
    }
}, true);

addEventListener("paste", event => {
    if (onScore() && openFiles(event.clipboardData?.files ?? [])) {
        event.preventDefault();
        event.stopPropagation();
    }
}, true);

// Problems

const lists = new WeakMap();

function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter(child => child !== null));
    return element;
}

class Problems {
    constructor(root) {
        const { problems, words } = JSON.parse(root.dataset.problems);
        Object.assign(this, { root, problems, words, shown: STEP, open: null, by: "share", falling: false });
        this.draw();
    }

    /** The places of the problems, in the order of the list. */
    order() {
        const share = problem => problem.c / problem.n;
        const compare = {
            share: (a, b) => share(a) - share(b),
            name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
            group: (a, b) => (a.group ?? "").localeCompare(b.group ?? "", undefined, { numeric: true }),
        }[this.by];
        const places = this.problems.map((_, i) => i);
        places.sort((a, b) => compare(this.problems[a], this.problems[b]) || a - b);
        return this.falling ? places.reverse() : places;
    }

    draw() {
        const { words } = this;
        const grouped = this.problems.some(problem => problem.group !== undefined);
        const heads = [["name", words.list_problem], ["share", words.list_share]];
        if (grouped) heads.splice(1, 0, ["group", words.list_group]);
        const head = make("tr", {}, ...heads.map(([by, label]) => {
            const button = make("button", { type: "button", class: "sorts" }, label);
            button.addEventListener("click", () => {
                this.falling = this.by === by && !this.falling;
                this.by = by;
                this.draw();
            });
            const sorted = this.by === by ? (this.falling ? "descending" : "ascending") : "none";
            return make("th", { scope: "col", "aria-sort": sorted }, button);
        }), make("th", { scope: "col" }, words.list_samples));
        const places = this.order();
        const rows = [];
        for (const place of places.slice(0, this.shown)) {
            rows.push(this.row(place, grouped));
            if (place === this.open) rows.push(this.detail(place, heads.length + 1));
        }
        const table = make("table", { class: "problem-list" }, make("thead", {}, head), make("tbody", {}, ...rows));
        const parts = [table];
        if (places.length > this.shown) {
            const label = words.list_more.replace("{count}", String(places.length - this.shown));
            const more = make("button", { type: "button", class: "act" }, label);
            more.addEventListener("click", () => {
                this.shown = this.shown === STEP ? 10 * STEP : Infinity;
                this.draw();
            });
            parts.push(more);
        }
        this.root.replaceChildren(...parts);
    }

    row(place, grouped) {
        const problem = this.problems[place];
        const open = String(place === this.open);
        const name = make("button", { type: "button", class: "link", "data-problem": place, "aria-expanded": open }, problem.name);
        const cells = [make("th", { scope: "row" }, name)];
        if (grouped) cells.push(make("td", {}, problem.group ?? ""));
        cells.push(make("td", { class: "share" }, `${problem.c}/${problem.n}`));
        cells.push(make("td", { class: "strip", "data-problem": place }, drawStrip(problem, this.words)));
        return make("tr", place === this.open ? { class: "open" } : {}, ...cells);
    }

    detail(place, width) {
        const problem = this.problems[place];
        const { words } = this;
        const parts = [];
        if (problem.references) parts.push(make("p", {}, make("strong", {}, `${words.list_reference}: `), problem.references.join(" | ")));
        if (problem.classes) {
            const rows = problem.classes.map(each => make("tr", {},
                make("td", { class: each.right ? "right" : "wrong" }, each.right ? "✓" : "✗"),
                make("td", { class: "answer" }, each.answer,
                    each.also ? make("small", {}, `${words.list_also}: ${each.also.join(", ")}`) : null),
                make("td", { class: "number" }, String(each.votes))));
            const head = make("tr", {}, make("th", {}), make("th", {}, words.list_answer), make("th", {}, words.list_votes));
            parts.push(make("table", { class: "votes" }, make("thead", {}, head), make("tbody", {}, ...rows)));
        }
        if (problem.scores || problem.votes) parts.push(this.samples(problem));
        if (!problem.classes && !problem.scores && this.problems.some(each => each.classes || each.scores)) {
            parts.push(make("p", {}, words.list_cut));
        }
        if (!parts.length) parts.push(make("p", {}, words.list_none));
        return make("tr", { class: "detail" }, make("td", { colspan: width }, make("div", {}, ...parts)));
    }

    samples(problem) {
        const { words } = this;
        const rows = [...problem.samples].map((sign, i) => {
            const cells = [make("td", { class: "number" }, String(i + 1)), make("td", { class: SIGNS[sign] }, words[SAID[sign]])];
            if (problem.votes) cells.push(make("td", { class: "answer" }, problem.classes[problem.votes[i]]?.answer ?? "–"));
            if (problem.scores) cells.push(make("td", { class: "number" }, String(problem.scores[i] ?? "–")));
            return make("tr", {}, ...cells);
        });
        const heads = ["", words.list_samples];
        if (problem.votes) heads.push(words.list_answer);
        if (problem.scores) heads.push(words.list_score);
        const head = make("tr", {}, ...heads.map(label => make("th", {}, label)));
        return make("table", { class: "samples" }, make("thead", {}, head), make("tbody", {}, ...rows));
    }

    toggle(place, { scroll = false, close = true } = {}) {
        this.open = this.open === place && close ? null : place;
        const at = this.order().indexOf(place);
        if (at >= this.shown) this.shown = at + STEP;
        this.draw();
        const row = this.root.querySelector(`button[data-problem="${place}"]`);
        if (scroll) row?.scrollIntoView({ block: "center", behavior: "smooth" });
        row?.focus({ preventScroll: true });
    }
}

const SIGNS = { 1: "right", 0: "wrong", "?": "missing" };
const SAID = { 1: "list_right", 0: "list_wrong", "?": "list_missing" };

/** Draw the samples of a problem as squares; of more than 64, the share that is right as a bar. */
function drawStrip(problem, words) {
    const label = `${problem.c}/${problem.n}`;
    if (!problem.samples || problem.n > 64) {
        const bar = make("span", { style: `width: ${100 * problem.c / problem.n}%` });
        return make("span", { class: "share-bar", role: "img", "aria-label": label }, bar);
    }
    const squares = [...problem.samples].map(sign => make("i", { class: SIGNS[sign], title: words[SAID[sign]] }));
    return make("span", { class: "squares", role: "img", "aria-label": label }, ...squares);
}

function openProblem(place) {
    const root = find("#score_problems .problems");
    lists.get(root)?.toggle(place);
}

document.addEventListener("at-k:problem", event => {
    const root = find("#score_problems .problems");
    const list = lists.get(root);
    if (!list || !event.target.closest?.("#score_page")) return;
    const place = list.problems.findIndex(problem => problem.name === event.detail.name);
    if (place >= 0) list.toggle(place, { scroll: true, close: false });
});

const LIST = ".problems[data-problems]";  // other pages keep problems in this attribute, too

const watched = new MutationObserver(changes => {
    for (const { type, target } of changes) {
        if (type === "attributes" && target.matches(LIST)) lists.set(target, new Problems(target));
    }
    for (const root of document.querySelectorAll(LIST)) if (!lists.has(root)) lists.set(root, new Problems(root));
});
watched.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-problems"] });
for (const root of document.querySelectorAll(LIST)) lists.set(root, new Problems(root));
