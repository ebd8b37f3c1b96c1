// The page Compare: two models on the same problems, and one decision for each k.

import { ask, at, button, fetchPrepared, fold, join, keepFocus, make, makeCode, mark, readState, say, writeState } from "./base.js";
import { choose, drawLines, drawStairs, drawTable, makeEntry, makeTakeAway } from "./figures.js";
import { isCarried, makeNotice, makeSource, merge, readHash, readOptions, writeHash, writeOptions } from "./source.js";

const state = readState();
let given = { a: readHash("a"), b: readHash("b") };
let options = { all: readOptions(state), a: readOptions(state, "a."), b: readOptions(state, "b.") };
let shown = { line: state.line, k: state.k };
let example = !given.a && !given.b && !state.own;
let found = null;

function remember() {
  const carried = !example && ["a", "b"].every((side) => isCarried(given[side]));
  const own = example || carried ? "" : ["a", "b"].map((side) => given[side]?.name ?? side.toUpperCase()).join(", ");
  writeState({ own, ...shown, ...writeOptions(options.all), ...writeOptions(options.a, "a."), ...writeOptions(options.b, "b.") }, carried ? writeHash(given) : "");
}

async function load() {
  remember();
  const sides = ["a", "b"];
  sides.forEach((side) => at(`source_${side}`).replaceChildren(...source(side)));
  if (!example && sides.some((side) => !given[side])) {
    if (state.own && sides.every((side) => !given[side])) return refuse({ error: say("This address is of results in {name}, which stay on the machine of whoever opened them. Open that file here.", { name: state.own }), mends: [] });
    at("refused").replaceChildren();
    at("report").replaceChildren(make("p", { class: "lead" }, say(given.a ? "Now open the results of B on the same problems." : "Now open the results of A on the same problems.")));
    return null;
  }
  const answer = example ? await fetchPrepared("compare") : await ask("compare", { ...given, options: options.all, options_a: options.a, options_b: options.b, name_a: given.a.name, name_b: given.b.name });
  if (answer === null) return null;
  if (answer.error) return refuse(answer);
  found = answer;
  at("refused").replaceChildren();
  sides.forEach((side) => at(`source_${side}`).replaceChildren(...source(side)));
  return show();
}

function refuse(answer) {
  at("report").replaceChildren();
  const mends = answer.mends.flatMap((each) => (each.side || !each.set ? [each] : ["a", "b"].map((side) => ({ ...each, side, label: `${side.toUpperCase()}: ${each.label}` }))));
  at("refused").replaceChildren(makeNotice({ ...answer, mends }, (choice) => {
    options[choice.side] = merge(options[choice.side], choice.set);
    load();
  }, "refused"));
}

function source(side) {
  const place = side === "a" ? 0 : 1;
  const take = (results) => {
    if (example) given = { a: null, b: null };
    [example, found] = [false, null];
    given[side] = results;
    options[side] = {};
    load();
  };
  const name = found ? found.names[place] : example ? "" : given[side]?.name ?? (given[side] ? say("Pasted") : "");
  const titled = name === side.toUpperCase() ? "" : name;
  const letter = make("b", { class: `of-${side}` }, side.toUpperCase());
  const examples = example || side === "b" ? [] : [[say("Codex, two prompts"), () => { [example, given, options] = [true, { a: null, b: null }, { all: {}, a: {}, b: {} }]; load(); }]];
  const said = (found?.rewritten ?? []).filter((each) => each.startsWith(`${side.toUpperCase()}: `)).map((each) => each.slice(3));
  return makeSource({ name: titled, said, size: found ? found.models[place].size : "", examples, take, refuse, label: letter, drops: side === (given.a || example ? "b" : "a") });
}

const COLOURS = { a: "var(--a)", b: "var(--b)", open: "var(--soft)" };
const DECISIONS = { a: "A is better", b: "B is better", open: "No difference is shown" };
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(100 * value).toFixed(0)}`;

const show = () => keepFocus(showNow);

function showNow() {
  const names = Object.keys(found.lines);
  const line = names.includes(shown.line) ? shown.line : names.includes("pass@k") ? "pass@k" : names[0];
  const now = found.lines[line];
  const draws = found.models[0].k.filter((k) => found.models[1].at[k]);
  const k = draws.includes(Number(shown.k)) ? Number(shown.k) : draws.at(-1);
  const set = (changed) => { shown = { ...shown, ...changed }; remember(); show(); };
  const ends = now.at.flatMap(([, value, low, high]) => [value, low ?? 0, high ?? 0]);
  const points = now.at.map(([each, value, low, high, decision]) => [each, value, low, high, COLOURS[decision]]);
  const decisions = new Set(now.at.map((each) => each[4]));
  const legend = make("div", { class: "legend" }, ...Object.entries(DECISIONS).filter(([each]) => decisions.has(each)).map(([each, text]) => makeEntry(say(text), COLOURS[each])));
  at("report").replaceChildren(
    make("h1", { class: "decision" }, ...now.decisions.map(([about, said]) => make("span", {}, make("small", {}, `${about}: `), said))),
    make("p", { class: "lead" }, join(now.said.map((each) => each.text))),
    make("h2", {}, say("Difference A − B, in points")),
    make("p", { class: "over" }, choose("", names, line, (each) => set({ line: each }), (each) => found.lines[each].label)),
    drawLines([{ name: null, colour: "var(--soft)", points }], { title: `${say("Difference A − B, in points")}: ${now.label}`, low: Math.min(0, Math.floor(20 * Math.min(...ends)) / 20), high: Math.max(0, Math.ceil(20 * Math.max(...ends)) / 20), zero: true, height: 220, write: signed }),
    legend,
    make("p", { class: "over" }, choose("k =", draws, k, (each) => set({ k: String(each) }))),
    make("p", { class: "text" }, join(now.said_at[k] ?? [])),
    now.table.rows.length ? drawTable(now.table) : "",
    make("div", { class: "cols" }, ...["a", "b"].map((side, i) => make("section", { class: `side of-${side}` },
      make("h2", {}, found.names[i] === side.toUpperCase() ? found.names[i] : `${side.toUpperCase()} · ${found.names[i]}`),
      drawStairs(found.models[i], k)))),
    make("p", { class: "more" }, ...makeTakeAway(() => at("report"), "", "compare")),
    ...found.notes.length ? [fold(say("Notes"), make("ul", {}, ...found.notes.map((note) => make("li", {}, mark(note.text)))))] : [],
    fold(say("The same on your machine"), makeCode(found.command)),
  );
}

load();
