// The page Score: every metric of the visitor's results.

import { ask, at, fetchPrepared, fill, fold, join, keepFocus, make, makeCode, mark, button, readState, say, writeState } from "./base.js";
import { choose, drawBars, drawProblems, drawSheet, drawStairs, makeTakeAway, writeClaim } from "./figures.js";
import { isCarried, makeNotice, makeSource, merge, readHash, readOptions, writeHash, writeOptions } from "./source.js";

const EXAMPLES = { qwen25_math: "Math, 8 answers", taubench_airline: "Agents on τ-bench" };
const FORMS = { csv: "CSV", latex: "LaTeX", markdown: "Markdown", json: "JSON" };

const state = readState();
let given = readHash();
let example = given ? null : state.example in EXAMPLES ? state.example : state.own ? null : "qwen25_math";
let options = readOptions(state);
let shown = { k: state.k, key: state.key };
let report = null;

function remember() {
  const own = given && !isCarried(given) ? (given.name ?? say("your file")) : "";
  writeState({ example: example === "qwen25_math" ? "" : example, own, k: shown.k, key: shown.key, ...writeOptions(options) }, given ? writeHash({ data: given }) : "");
}

async function load() {
  remember();
  if (!example && !given) return refuse({ error: say("This address is of results in {name}, which stay on the machine of whoever opened them. Open that file here.", { name: state.own }), mends: [] });
  const found = example && !Object.keys(options).length ? await fetchPrepared(example) : await ask("score", { data: given, example: example ?? undefined, options });
  if (found === null) return null;
  if (found.error) return refuse(found);
  report = found;
  at("refused").replaceChildren();
  return show();
}

function refuse(found) {
  const mends = [...found.mends];
  if (Object.keys(options).length && !mends.length) mends.push({ label: say("Usual options"), reset: true });
  at("refused").replaceChildren(makeNotice({ ...found, mends }, mend, "refused"));
  if (report) return;
  at("source").replaceChildren(...source({ name: given?.name ?? "", size: "" }));
  fill();
}

/** Refuse a file that cannot be read: nothing is shown any more. */
function refuseFile(found) {
  [given, example, options, shown, report] = [null, null, {}, {}, null];
  refuse(found);
}

function mend(choice) {
  if (choice.drop) given = given.filter((file) => file.name !== choice.drop);
  if (choice.data) given = { text: choice.data };
  options = choice.reset ? {} : merge(options, choice.set ?? {});
  load();
}

function take(results) {
  [given, example, options, shown, report] = [results, null, {}, {}, null];
  load();
}

function source({ name, size, read = [], rewritten = [] }) {
  const others = Object.entries(EXAMPLES).filter(([each]) => each !== example);
  const examples = others.map(([each, text]) => [say(text), () => { [given, example, options, shown, report] = [null, each, {}, {}, null]; load(); }]);
  const columns = read.filter(({ column }) => column).map(({ label, column }) => `${label}: ${column}`);
  return makeSource({ name: name || (given || example ? say("Pasted") : ""), size, examples, take, refuse: refuseFile, label: example && make("span", {}, say("Example:")), said: example ? [] : [...columns, ...rewritten] });
}

const show = () => keepFocus(showNow);

function showNow() {
  if (!report) return; // another file is on its way
  if (!report.at[shown.k]) shown.k = undefined;
  const k = shown.k ?? String(report.k.at(-1));
  const now = report.at[k];
  const set = (changed) => { shown = { ...shown, ...changed }; remember(); show(); };
  const { key, label } = now.bars.find((bar) => bar.key === shown.key) ?? now.bars[0] ?? {};
  const picks = report.groups ? Object.assign((each) => set({ key: each }), { key }) : null;
  at("source").replaceChildren(...source(report));
  fill(
    make("h1", {}, ...writeClaim(now.title)),
    make("p", { class: "lead" }, join(now.lead.map((each) => each.text))),
    now.stairs.length > 0 && drawStairs(report, k),
    make("div", { class: "cols" },
      make("section", {}, make("h2", {}, say("Every metric"), report.k.length > 1 && choose("k =", report.k, k, (each) => set({ k: String(each) }))), ...drawBars(now.bars, report.interval, picks)),
      report.groups && key && make("section", {}, make("h2", {}, say("{metric}, {column}", { metric: label.replace(/^[a-z]{2}/, (start) => start[0].toUpperCase() + start[1]), column: report.groups.label })), ...drawBars(report.groups.rows[key], ""))),
    ...report.notes.filter((note) => note.mends.some((each) => !each.set?.metrics)).map((note) => makeNotice(note, mend)),
    make("p", { class: "more" }, ...makeTakeAway(() => at("report"), "", "score")),
    fold(say("Options"), ...makeFields()),
    report.problems.length > 0 && fold(say("Problems, the flakiest first"), drawProblems(report.problems)),
    ...(report.table ? [fold(say("Every number as a table"), ...drawSheet(report.table))] : []),
    fold(say("Notes"), make("ul", {}, ...report.notes.map((note) => make("li", {}, mark(note.text))))),
    fold(say("The same on your machine, and files"), report.command && makeCode(report.command), makeCode(report.python),
      make("div", { class: "more" }, ...Object.entries(FORMS).map(([form, name]) => button(name, () => save(form))), given?.text && button("results.jsonl", () => save("rows")))),
  );
}

function makeFields() {
  const change = (name, value) => { options = merge(options, { [name]: value }); if (value === "") delete options[name]; load(); };
  const fields = report.fields.map(({ name, label, value, choices }) => make("label", {}, label, choices
    ? make("select", { onchange: (event) => change(name, event.target.value) }, ...choices.map(([each, text]) => make("option", { value: each, selected: each === value ? "" : null }, text)))
    : make("input", { value, autocomplete: "off", onchange: (event) => change(name, event.target.value) })));
  const columns = report.read.filter(({ role }) => report.columns.length && ["answers", "grades", "group"].includes(role)).map(({ role, label, column }) => make("label", {}, label,
    make("select", { onchange: (event) => change("columns", { ...options.columns, [role]: event.target.value || null }) },
      make("option", { value: "" }, "–"), ...report.columns.map((each) => make("option", { value: each, selected: each === column ? "" : null }, each)))));
  return [make("div", { class: "fields" }, ...fields, ...columns), make("p", { class: "text" }, say("All other options are those of the command:")), makeCode(report.command ?? report.python)];
}

async function save(form) {
  const found = await ask("score", { data: given, example: example ?? undefined, options, form });
  if (!found || found.error) return;
  const link = make("a", { href: URL.createObjectURL(new Blob([found.text])), download: form === "rows" ? "results.jsonl" : `at-k.${{ markdown: "md", latex: "tex" }[form] ?? form}` });
  link.click();
}

load();
