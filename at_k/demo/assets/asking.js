// Pages that are a form and what the server makes of it. The fields of the form are the state of the page, which stands in
// the address; texts and files stay in this tab of the browser.
//
// <main class="page" data-asks="compare" data-about='{"usual", "rules"}'> with a form, `.refusals`, and elements
// `data-part`, which are filled with the parts of the answer. A button `data-set` sets fields, `data-opens` goes to one.

import { getPage, getState, language, onState, setState } from "./address.js";
import { drawFigure } from "./figures.js";
import { make, makeSquares } from "./score.js";

const WAIT = 200;
const MOST_LISTED = 12;
const MOST_TRIES = 4;

const askers = {}; // page → what asks for it
const session = crypto.randomUUID?.() ?? String(Math.random());

class Asking {
    constructor(root) {
        const { usual, rules } = JSON.parse(root.dataset.about);
        Object.assign(this, { root, usual, rules, words: rules.words, name: root.dataset.asks, form: root.querySelector("form") });
        Object.assign(this, { files: {}, asked: null, answered: null, again: false, timer: 0, held: false });
        this.sides = [...root.querySelectorAll("[data-side]")].map(side => side.dataset.side);
        askers[this.name] = this;
        this.listen();
        onState(this.name, state => this.restore(state));
        document.addEventListener("at-k:page", () => this.start());
        document.addEventListener("at-k:link", event => { if (event.detail.page === this.name) this.warnOfLink(); });
        this.start();
    }

    start() {
        if (this.started || getPage() !== this.name) return;
        this.started = true;
        this.files = this.readKept() ?? {};
        for (const side of this.sides) this.showFile(side);
        this.restore(getState(this.name));
    }

    // ------------------------------------------------------------ fields

    field(name) {
        return this.form.elements.namedItem(name);
    }

    getValue(name) {
        const field = this.field(name);
        if (field instanceof RadioNodeList) return [...field].filter(each => each.checked).map(each => each.value).join(", ");
        return field.type === "checkbox" ? String(field.checked) : field.value;
    }

    setValue(name, value) {
        const field = this.field(name);
        if (field instanceof RadioNodeList) {
            const chosen = value.split(/,\s*/);
            for (const each of field) each.checked = chosen.includes(each.value);
        } else if (field.type === "checkbox") field.checked = value !== "false";
        else {
            // The choices of some fields come with the answer.
            if (field.tagName === "SELECT" && ![...field.options].some(option => option.value === value)) field.add(new Option(value, value));
            field.value = value;
        }
    }

    read() {
        return Object.fromEntries(Object.keys(this.usual).map(name => [name, this.getValue(name)]));
    }

    set(values) {
        for (const [name, value] of Object.entries(values)) this.setValue(name, value);
        for (const slider of this.form.querySelectorAll("[data-slides]")) this.moveSlider(slider);
        this.showSource();
    }

    restore(state) {
        const values = Object.fromEntries(Object.entries(this.usual).map(([name, usual]) => [name, state[name] ?? usual]));
        // A link without an example stands for what was given in this tab, if there is something.
        if (!state.example && "example" in this.usual && this.hasGiven()) values.example = "";
        this.set(values);
        this.ask();
    }

    hasGiven() {
        return Object.values(this.files).some(file => file?.text?.trim() || file?.packed);
    }

    showSource() {
        if (!("source" in this.usual)) return;
        const source = this.field("source").value;
        for (const part of this.root.querySelectorAll("[data-of-source]")) part.hidden = part.dataset.ofSource !== source;
        for (const button of this.root.querySelectorAll("form [data-set]")) {
            const set = JSON.parse(button.dataset.set);
            if ("source" in set && !("example" in set)) button.setAttribute("aria-pressed", String(set.source === source));
        }
    }

    moveSlider(slider) {
        const field = this.field(slider.dataset.slides);
        const value = Number(field.value || field.placeholder);
        const { low, high, log } = slider.dataset;
        const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
        if (Number.isFinite(share)) slider.value = Math.round(1000 * Math.min(1, Math.max(0, share)));
    }

    readSlider(slider) {
        const [low, high, share] = [Number(slider.dataset.low), Number(slider.dataset.high), slider.value / 1000];
        this.field(slider.dataset.slides).value = Math.round(slider.dataset.log ? low * (high / low) ** share : low + (high - low) * share);
    }

    // ------------------------------------------------------------ what was given

    readKept() {
        try {
            return JSON.parse(sessionStorage.getItem(`at-k-${this.name}`));
        } catch {
            return null;
        }
    }

    keep() {
        try {
            sessionStorage.setItem(`at-k-${this.name}`, JSON.stringify(this.files));
        } catch { /* it is too large to be kept, or storage is closed */ }
    }

    /** Take what was given for a side. The options of the last file do not stick to this one. */
    give(side, file, { fresh = true } = {}) {
        this.files[side] = file;
        this.showFile(side);
        this.keep();
        const old = Object.keys(this.usual).filter(name => (fresh && !("metric" in this.usual)) || name.startsWith("column_"));
        this.set({ ...Object.fromEntries(old.map(name => [name, this.usual[name]])), example: "" });
    }

    showFile(side) {
        const place = this.root.querySelector(`[data-side="${side}"]`);
        const file = this.files[side] ?? {};
        const box = place.querySelector("textarea");
        if (document.activeElement !== box) box.value = file.text ?? "";
        place.querySelector(".file-name").textContent = [file.name, file.dropped].filter(Boolean).join(". ");
    }

    async open(side, files) {
        const place = this.root.querySelector(`[data-side="${side}"]`);
        const label = place.querySelector("label.file-input span");
        const said = label.textContent;
        const { readFiles } = await import("./reader.js");
        const found = await readFiles(files, this.rules, share => { label.textContent = this.words.reading_file.replace("{share}", Math.round(100 * share)); });
        label.textContent = said;
        if (found.refused) {
            this.refuse(found.refused);
            return;
        }
        const dropped = found.dropped?.length ? this.words.file_slimmed.replace("{columns}", found.dropped.join(", ")) : "";
        this.give(side, { name: found.name, text: found.text ?? "", packed: found.packed, dropped });
        this.ask();
    }

    /** Take what stands on the page Score: a text, a file, or one of its examples. */
    takeScore() {
        this.started = true;
        this.files = {};
        for (const side of this.sides) this.showFile(side);
        const { example } = { example: askers.score.usual.example, ...getState("score") };
        const file = askers.score.files.results ?? askers.score.readKept()?.results;
        if (getState("score").example === undefined && (file?.text?.trim() || file?.packed)) this.give(this.sides[0], file);
        else this.set({ ...this.usual, example });
        this.ask();
    }

    warnOfLink() {
        if (!this.getValue("example") && this.hasGiven()) this.say(this.words.link_without_data, "notice");
    }

    // ------------------------------------------------------------ asking

    askSoon() {
        clearTimeout(this.timer);
        this.setStale(true);
        this.timer = setTimeout(() => (this.held ? this.askSoon() : this.ask()), WAIT);
    }

    /**
     * Ask for what the form says, unless its answer is in sight. One request runs at a time: what changes meanwhile is
     * asked for when it ends.
     */
    async ask() {
        clearTimeout(this.timer);
        const values = this.read();
        setState(this.name, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === this.usual[name] ? null : value])));
        this.setStale(true);
        const given = {};
        for (const side of values.example ? [] : this.sides) {
            const { name, text, packed } = this.files[side] ?? {};
            given[side] = { name: name ?? "", text: (text ?? "").slice(0, this.rules.limit + 1), packed: packed ?? null };
        }
        const body = JSON.stringify({ ...values, given });
        if (this.asked !== null) {
            this.again = body !== this.asked;
            return;
        }
        if (body === this.answered) { // whoever leaves a box has changed nothing, and keeps what they opened
            this.setStale(false);
            return;
        }
        this.asked = body;
        const found = await this.send(body);
        this.asked = null;
        if (this.again) {
            this.again = false;
            this.ask();
        } else if (found.failed) this.refuse(found.failed);
        else {
            this.answered = found.refused ? null : body;
            this.show(found);
        }
    }

    /** Send the form. Where the server is busy it says when to ask again. */
    async send(body) {
        const headers = { "Content-Type": "application/json", "X-Session": session };
        const address = new URL(`answers/${this.name}.json?lang=${language}`, document.baseURI);
        for (let tries = 1; ; tries++) {
            try {
                const answer = await fetch(address, { method: "POST", headers, body });
                if (answer.status === 503 && tries < MOST_TRIES && !this.again) {
                    const seconds = Number(answer.headers.get("Retry-After")) || 1;
                    await new Promise(done => { setTimeout(done, 1000 * seconds); });
                    continue;
                }
                const found = await answer.json();
                return answer.ok ? found : { failed: found.error || this.words.failed };
            } catch {
                return { failed: this.words.failed };
            }
        }
    }

    refuse(text) {
        this.say(text, "refused");
        this.answered = null; // whoever asks for the same again wants the answer back
        this.close(true);
    }

    say(text, kind) {
        const said = Object.assign(document.createElement("p"), { className: kind, textContent: text });
        said.setAttribute("role", kind === "refused" ? "alert" : "status");
        this.root.querySelector(".refusals").replaceChildren(said);
    }

    /** While a refusal stands, the old answer can be seen, and neither used nor copied: it is not to what was given. */
    close(refused) {
        for (const part of this.root.querySelectorAll("[data-part]")) part.inert = refused;
        if (refused) this.setStale(true);
    }

    show({ refused, parts, choices, shown, texts, hidden }) {
        this.root.querySelector(".refusals").innerHTML = refused ?? "";
        for (const [name, options] of Object.entries(choices ?? {})) {
            const field = this.field(name);
            const { value } = field;
            field.replaceChildren(...options.map(([each, label]) => new Option(label, each)));
            if (options.some(([each]) => each === value)) field.value = value;
            field.closest("label").hidden = options.length < 2;
        }
        this.close(Boolean(refused));
        if (refused) return;
        for (const [name, value] of Object.entries(shown ?? {})) this.field(name).placeholder = value; // of a field left empty
        for (const slider of this.form.querySelectorAll("[data-slides]")) this.moveSlider(slider);
        for (const [side, text] of Object.entries(texts ?? {})) {
            const area = this.root.querySelector(`[data-side="${side}"] textarea`);
            if (area !== document.activeElement) area.value = text; // who types there is not interrupted
        }
        for (const name of Object.keys(hidden ? this.usual : {})) if (this.field(name).type !== "hidden") this.field(name).closest("label").hidden = hidden.includes(name);
        for (const [name, html] of Object.entries(parts)) this.root.querySelector(`[data-part="${name}"]`).innerHTML = html;
        this.setStale(false);
        this.root.dataset.ready = "";
    }

    setStale(stale) {
        for (const part of this.root.querySelectorAll("[data-part]")) part.toggleAttribute("data-stale", stale);
        this.root.setAttribute("aria-busy", String(stale));
    }

    // ------------------------------------------------------------ events

    listen() {
        const { root, form } = this;
        form.addEventListener("submit", event => {
            event.preventDefault();
            this.ask();
        });
        form.addEventListener("input", event => {
            const { target } = event;
            const side = target.closest("[data-side]")?.dataset.side;
            if (target.dataset.slides) {
                this.readSlider(target);
                this.askSoon();
            } else if (side && target.tagName === "TEXTAREA") {
                this.give(side, { text: target.value }, { fresh: Boolean(this.getValue("example")) });
                this.setStale(true);
            }
        });
        form.addEventListener("change", event => {
            const { target } = event;
            if (target.type === "file") {
                if (target.files.length) this.open(target.closest("[data-side]").dataset.side, [...target.files]);
                target.value = ""; // so that the same files can be opened again
            } else if (!target.dataset.slides) {
                this.set({}); // sliders follow their boxes
                this.ask();
            }
        });
        root.addEventListener("keydown", event => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.ask();
        });
        root.addEventListener("paste", event => {
            if (event.target.tagName === "TEXTAREA") setTimeout(() => this.ask());
        });
        // Files may be dropped anywhere on the page, or pasted; beside two places, on one of them.
        const sideOf = event => event.target.closest?.("[data-side]")?.dataset.side ?? this.sides[0];
        const isMine = files => getPage() === this.name && this.sides.length > 0 && files?.length > 0;
        document.addEventListener("dragover", event => {
            if (getPage() === this.name && event.dataTransfer?.types.includes("Files")) event.preventDefault();
        });
        for (const [kind, data] of [["drop", "dataTransfer"], ["paste", "clipboardData"]]) {
            document.addEventListener(kind, event => {
                const files = [...event[data]?.files ?? []];
                if (!isMine(files)) return;
                event.preventDefault();
                this.open(sideOf(event), files);
            });
        }
        root.addEventListener("click", event => {
            const button = event.target.closest?.("[data-set], [data-takes], [data-opens], .flips button[data-problem]");
            if (!button) return;
            if (button.dataset.set) {
                this.set(JSON.parse(button.dataset.set));
                this.ask();
            } else if (button.dataset.takes) this.takeScore();
            else if (button.dataset.opens) this.openField(button.dataset.opens);
            else this.showProblems([Number(button.dataset.problem)]);
        });
        document.addEventListener("click", event => {
            if (event.target.closest?.("[data-compares]") && this.name === "compare") this.takeScore();
        });
        root.addEventListener("at-k:problem", event => {
            const { points } = this.problems() ?? {};
            if (points) this.showProblems(points[Number(event.detail.name)]);
        });
        // The handle of a picture moves at once; what follows from it is asked for when it is let go.
        root.addEventListener("at-k:handle", event => {
            const host = event.target;
            drawFigure(host, { ...JSON.parse(host.dataset.figure), handle: event.detail.k });
            this.set({ [host.dataset.moves ?? host.id.split("_").at(-1)]: String(event.detail.k) });
            this.askSoon();
        });
        root.addEventListener("pointerdown", () => { this.held = true; });
        for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { this.held = false; });
    }

    /** Unfold what a field is in, and go there. */
    openField(name) {
        const found = this.field(name);
        const field = found instanceof RadioNodeList ? found[0] : found;
        for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
        field.scrollIntoView({ block: "center", behavior: "smooth" });
        field.focus({ preventScroll: true });
    }

    // ------------------------------------------------------------ problems

    problems() {
        return JSON.parse(this.root.querySelector(".chosen[data-problems]")?.dataset.problems ?? "null");
    }

    showProblems(places) {
        const { problems, words } = this.problems();
        const panel = this.root.querySelector(".chosen");
        const rows = places.slice(0, MOST_LISTED).map(place => {
            const { name, a, b } = problems[place];
            const lines = [["a", a], ["b", b]].map(([model, { samples, c, n }]) => make("div", { class: `strip of-${model}` },
                make("b", {}, model.toUpperCase()), make("span", { class: "count" }, `${c}/${n}`),
                make("span", { class: "squares" }, ...makeSquares(samples?.length <= 64 ? samples : ""))));
            return make("div", { class: "problem" }, make("h4", {}, name), ...lines);
        });
        const more = places.length - rows.length;
        const said = more > 0 ? make("p", { class: "more" }, words.more.replace("{count}", more)) : null;
        panel.replaceChildren(...[make("h3", {}, words.chosen.replace("{count}", places.length)), ...rows, said].filter(Boolean));
        panel.scrollIntoView({ block: "nearest", behavior: "smooth" });
    }
}

for (const root of document.querySelectorAll("[data-asks]")) new Asking(root);
