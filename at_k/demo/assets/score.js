// Results in the browser: tables that are sorted and copied from, by hand and by keys, and the list of problems.

import { say } from "./address.js";

const STEP = matchMedia("(max-width: 700px)").matches ? 10 : 20; // problems that are listed at first

const TABLE = ":is(#score, #metrics) table:has(td[data-key])"; // the cells of Compare hold buttons
const CELL = `${TABLE} td[data-key]`;

document.addEventListener("click", event => {
    const target = event.target.closest?.(`[data-shows], .sorter, .problem-list [data-problem], ${CELL}`);
    if (!target) return;
    if (target.dataset.shows) showDraws(target);
    else if (target.matches(".sorter")) sortRows(target.closest("th"));
    else if (target.matches(CELL)) copyCell(target);
    else lists.get(target.closest(".problems"))?.toggle(Number(target.dataset.problem));
});

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

// One cell of a table is reached by Tab, the others from it by the arrow keys; Enter copies, and so does Ctrl C.
document.addEventListener("keydown", event => {
    const cell = event.target.closest?.("td[data-key]");
    if (!cell) return;
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
    if ((event.key === "c" && (event.ctrlKey || event.metaKey)) || (event.key === "Enter" && cell.matches(CELL))) copyCell(cell);
    else if (cell.matches(CELL) && (down || right)) {
        event.preventDefault();
        const next = cell.closest("table").rows[cell.parentElement.rowIndex + down]?.cells[cell.cellIndex + right];
        if (!next?.matches(CELL)) return;
        [cell.tabIndex, next.tabIndex] = [-1, 0];
        next.focus();
    }
});

async function copyCell(cell) {
    if (String(getSelection())) return;
    const text = `${cell.dataset.key} ${cell.innerText.replace(/\s+/g, " ").trim()}`;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        return;
    }
    cell.dataset.copied = say("app.copied");
    setTimeout(() => { delete cell.dataset.copied; }, 1500);
}

// Problems

const lists = new WeakMap();

export function make(tag, attributes = {}, ...children) {
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
    return make("span", { class: "squares", role: "img", "aria-label": label }, ...makeSquares(problem.samples, words));
}

/** Make a square for each sample. */
export function makeSquares(samples, words = {}) {
    return [...samples].map(sign => make("i", { class: SIGNS[sign] ?? "missing", title: words[SAID[sign]] }));
}

document.addEventListener("at-k:problem", event => {
    const list = lists.get(event.target.closest?.("#score")?.querySelector(".problems"));
    const place = list?.problems.findIndex(problem => problem.name === event.detail.name) ?? -1;
    if (place >= 0) list.toggle(place, { scroll: true, close: false });
});

const watch = new MutationObserver(() => {
    for (const root of document.querySelectorAll(".problems[data-problems]")) if (!lists.has(root)) lists.set(root, new Problems(root));
    for (const table of document.querySelectorAll(`${TABLE}:not([role])`)) {
        table.setAttribute("role", "grid");
        table.querySelector("td[data-key]").tabIndex = 0;
    }
});
for (const part of document.querySelectorAll("[data-part]")) watch.observe(part, { childList: true });
