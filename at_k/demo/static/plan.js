// The page Plan: how precise a measurement will be, for numbers of problems and answers that can be dragged.

import { ask, at, fetchPrepared, fold, make, makeCode, mark, readState, say, writeState } from "./base.js";
import { percent } from "./counting.js";
import { choose, drawLines, drawSheet, makeTakeAway } from "./figures.js";
import { isCarried, makeNotice, makeSource, merge, readHash, readOptions, writeHash, writeOptions } from "./source.js";

const state = readState();
let given = readHash();
let example = given === null && !state.own;
let options = readOptions(state);
let chosen = { M: state.M ?? state.problems, n: state.n ?? state.samples };
let found = null;

function remember() {
  const own = given && !isCarried(given) ? (given.name ?? say("your file")) : "";
  writeState({ own, ...chosen, ...writeOptions(options) }, given ? writeHash({ data: given }) : "");
}

async function load() {
  remember();
  if (!example && !given) return refuse({ error: say("This address is of results in {name}, which stay on the machine of whoever opened them. Open that file here.", { name: state.own }), mends: [] });
  const answer = example && !Object.keys(options).length ? await fetchPrepared("plan") : await ask("plan", { data: given, example: example ? "qwen25_math" : undefined, options });
  if (answer === null) return null;
  if (answer.error) return refuse(answer);
  found = answer;
  at("refused").replaceChildren();
  return show();
}

function refuse(answer) {
  at("refused").replaceChildren(makeNotice(answer, (choice) => { if (choice.data) given = { text: choice.data }; options = merge(options, choice.set ?? {}); load(); }, "refused"));
  if (found) return;
  at("source").replaceChildren(...source({ name: given?.name ?? "" }));
  at("report").replaceChildren();
}

/** Refuse a file that cannot be read: nothing is shown any more. */
function refuseFile(answer) {
  [given, example, options, chosen, found] = [null, false, {}, {}, null];
  refuse(answer);
}

function source({ name, size, rewritten = [] }) {
  const take = (results) => { [given, example, options, chosen, found] = [results, false, {}, {}, null]; load(); };
  return makeSource({ name: name || (given || example ? say("Pasted") : ""), size, label: make("span", {}, say(example ? "Example:" : "Pilot:")), said: rewritten, examples: example ? [] : [[say("Math, 8 answers"), () => { [given, example, options, chosen, found] = [null, true, {}, {}, null]; load(); }]], take, refuse: refuseFile });
}

/** The place of the number in a list that is nearest to one that is wished. */
function near(listed, wished) {
  const apart = (each) => Math.abs(Math.log(each / wished));
  return listed.reduce((best, each, i) => (apart(each) < apart(listed[best]) ? i : best), 0);
}

function slide(name, listed, place, onchange) {
  const number = make("b", {}, listed[place].toLocaleString("en"));
  const input = make("input", { type: "range", min: 0, max: listed.length - 1, value: place, "aria-label": name, "aria-valuetext": listed[place], oninput: (event) => {
    const next = Number(event.target.value);
    number.textContent = listed[next].toLocaleString("en");
    input.setAttribute("aria-valuetext", listed[next]);
    onchange(next);
  } });
  return make("label", { class: "slide" }, make("span", {}, `${name} = `, number), input);
}

/** Fill the blanks of a sentence, with the numbers that the controls change in colour. */
function writeFilled(sentence, values, marked) {
  return sentence.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return part;
    return marked.includes(part) ? make("em", {}, values[part]) : String(values[part]);
  });
}

const points = (share) => (100 * share).toFixed(1);

function show() {
  at("source").replaceChildren(...source(found));
  const sheet = fold(say("Details"), ...drawSheet(found.sheet));
  const command = fold(say("The same on your machine"), makeCode(found.command));
  const notes = found.notes.map((note) => make("p", { class: "note" }, mark(note.text)));
  const draws = choose("k =", found.k, Number(found.key.match(/@(\d+)/)[1]), (each) => { options = { ...options, k: String(each) }; load(); });
  if (!found.can_tell) {
    at("report").replaceChildren(...notes, draws, command);
    return;
  }
  const title = make("h1", { class: "sentence" });
  const lead = make("p", { class: "lead" });
  let [m, n] = [near(found.problems, Number(chosen.M) || found.start[0]), near(found.samples, Number(chosen.n) || found.start[1])];
  const say_it = () => {
    const [known, simulated, formula] = found.sentences;
    const [chance, here] = found.samples[n] === found.simulated ? [found.chance[m], found.here[m]] : [null, null];
    const values = { problems: found.problems[m].toLocaleString("en"), samples: found.samples[n], key: found.key, half: points(found.half[m][n]), detect: points(found.detect[m][n]), chance: percent(chance), here: percent(here) };
    title.replaceChildren(...writeFilled(known, values, ["half"]));
    lead.replaceChildren(...writeFilled(chance === null ? formula : simulated, values, ["detect", "chance", "here"]));
  };
  const move = () => { if (!found) return; chosen = { M: found.problems[m], n: found.samples[n] }; remember(); say_it(); draw(); };
  const picture = make("div");
  const draw = () => picture.replaceChildren(drawLines([["half", "var(--right)", say("Known to ±")], ["detect", "var(--average)", say("A difference that is found")]].map(([table, colour, name]) => ({
    name, colour, points: found.problems.map((each, i) => [each, found[table][i][n]]).filter(([, value]) => value <= 0.5) })), { title: say("Points, against the number of problems"), caption: true, height: 230, high: 0.5, write: (value) => points(value), across: "M", scale: Math.log, marked: found.problems[m] }));
  say_it();
  draw();
  at("report").replaceChildren(
    title,
    lead,
    slide(`${say("Problems")}, M`, found.problems, m, (next) => { m = next; move(); }),
    slide(`${say("Answers to each")}, n`, found.samples, n, (next) => { n = next; move(); }),
    make("p", { class: "over" }, draws),
    picture,
    make("p", { class: "more" }, ...makeTakeAway(() => at("report"), "", "plan")),
    ...notes, sheet, command,
  );
}

load();
