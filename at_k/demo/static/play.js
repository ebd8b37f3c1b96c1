// The pages of the metrics: real results that are played with. Every number follows in the browser, without the server.

import { ask, at, button, copy, fetchPrepared, fold, keepFocus, make, readState, say, writeState } from "./base.js";
import { drawLines, drawProblems, makeTakeAway, writeClaim } from "./figures.js";
import { atLeast, describe, expand, fill, percent, share, writeRow } from "./counting.js";
import { catchGiven, isCarried, makeNotice, makeOpen, makePaste, merge, read, readHash, readOptions, writeHash, writeOptions } from "./source.js";

const { id: metric, dataset: { source } } = document.querySelector("main");
const { words, start, lead, examples } = await fetchPrepared(metric);
const NEEDS = { cons_at_k: "votes", best_at_k: "scores", avg_at_n: "grades" };
const CELLS = 16; // tries up to which each has a square of its own
const LONGEST = 400; // bars of grades

const state = readState();
let given = readHash(); // results that were opened, as the endpoints take them
let options = readOptions(state);
let shown = pick(examples.find(({ id }) => id === state.example) ?? examples[0]);
let now = { ...start, k: number(state.k, start.k), needed: number(state.least, start.needed), cut: number(state.cut, start.cut), problem: number(state.problem, 0) };
let clicks = (state.clicks ?? "").split("_").filter(Boolean).map((each) => each.split("."));

function number(text, usual) {
  const found = Number.parseFloat(text);
  return Number.isFinite(found) && found >= 0 ? found : usual;
}

function pick(example) {
  return { id: example.id, name: example.name, problems: expand(example) };
}

/** What a click changes: a try that goes the other way, a vote that goes to the other side, a grade. */
const CHANGES = {
  votes(problem, place) {
    const votes = problem.votes.map((each) => [...each]);
    const from = votes[place];
    if (!from?.[1]) return problem;
    let to = votes.filter((each) => each[2] !== from[2]).sort((a, b) => b[1] - a[1])[0];
    if (!to) votes.push((to = ["…", 0, 1 - from[2]]));
    [from[1], to[1]] = [from[1] - 1, to[1] + 1];
    return { ...problem, votes, c: problem.c + (from[2] ? -1 : 1) };
  },
  scores(problem, place) {
    const scores = problem.scores.map(([score, right], i) => [score, i === place ? 1 - right : right]);
    return { ...problem, scores, c: scores.filter(([, right]) => right).length };
  },
  grades(problem, place, grade) {
    return { ...problem, grades: problem.grades.map((each, i) => (i === place ? grade / 100 : each)) };
  },
  counts(problem, level) {
    return { ...problem, c: Math.min(problem.n, level <= problem.c ? level - 1 : level) };
  },
};

function change(problems, [index, ...places]) {
  const changed = CHANGES[NEEDS[metric] ?? "counts"];
  return problems.map((problem, i) => (i === Number(index) ? changed(problem, ...places.map(Number)) : problem));
}

function click(...place) {
  clicks.push(place);
  draw();
}

function remember() {
  const own = given && !isCarried(given) ? given.name ?? say("your file") : "";
  const differs = (name, value) => (value === start[name] ? "" : value);
  writeState({ example: shown.id === examples[0].id ? "" : shown.id, own, k: differs("k", now.k), least: differs("needed", now.needed), cut: differs("cut", now.cut), problem: now.problem || "",
    clicks: clicks.length > 60 ? "" : clicks.map((each) => each.join(".")).join("_"), ...writeOptions(options) }, given ? writeHash({ data: given }) : "");
}

/** Draw the tries: a column for each problem, in which every try is a square, or, of many tries, one bar. */
function drawTries(problems) {
  const order = problems.map((_, i) => i).sort((a, b) => problems[b].c / problems[b].n - problems[a].c / problems[a].n);
  const gap = problems.length > 200 ? 0 : 0.1;
  const paths = { no: "", right: "" };
  order.forEach((index, x) => {
    const { n, c } = problems[index];
    const steps = n <= CELLS ? Array.from({ length: n }, (_, i) => [i, i + 1, i < c]) : [[0, c, true], [c, n, false]];
    const space = n <= CELLS ? 0.04 : 0;
    for (const [from, to, right] of steps) paths[right ? "right" : "no"] += `M${x + gap / 2} ${1 - to / n + space / 2}h${1 - gap}v${(to - from) / n - space}h-${1 - gap}z`;
  });
  const svg = make("svg", { viewBox: `0 0 ${order.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": at("lead").textContent,
    onclick: (event) => {
      const box = svg.getBoundingClientRect();
      const index = order[Math.min(order.length - 1, Math.floor((order.length * (event.clientX - box.left)) / box.width))];
      const { n } = problems[index];
      click(index, Math.max(1, Math.ceil(n * (1 - (event.clientY - box.top) / box.height))));
    } }, ...Object.entries(paths).map(([colour, d]) => make("path", { d, fill: `var(--${colour})` })));
  return [svg];
}

function drawCurve(problems, found) {
  const most = Math.min(...problems.map(({ n }) => n));
  const places = [...new Set([...Array.from({ length: Math.min(most, 25) }, (_, i) => Math.max(1, Math.round((most * (i + 1)) / Math.min(most, 25)))), 1, now.k])].sort((a, b) => a - b);
  const mean = (k) => problems.reduce((sum, { n, c }) => sum + atLeast(n, c, k, 1), 0) / problems.length;
  const points = places.map((k) => [k, mean(k), ...(k === now.k ? [found.low, found.high] : [])]);
  return [...drawTries(problems), drawLines([{ name: null, colour: "var(--right)", points }], { title: "pass@k", height: 190, marked: now.k })];
}

function drawVotes(problems) {
  const { votes } = problems[now.problem];
  return votes.map(([answer, count, right], i) => [answer ?? say("no answer"), count, right, i]).sort((a, b) => b[1] - a[1]).slice(0, 8).map(([answer, count, right, i]) => button(
    [make("span", {}, answer), make("span", { class: right ? "cells ok" : "cells" }, "■".repeat(Math.min(count, 64))), make("b", {}, count)], () => click(now.problem, i), { class: "ballot" }));
}

function drawScores(problems) {
  const { scores } = problems[now.problem];
  return scores.map(([score, right], i) => [score, right, i]).sort((a, b) => b[0] - a[0]).slice(0, 64).map(([score, right, i]) => button(
    [make("b", {}, right ? "✓" : "✗"), make("small", {}, score.toPrecision(3))], () => click(now.problem, i), { class: right ? "answer ok" : "answer", "aria-label": `${score}: ${say(right ? "right" : "wrong")}` }));
}

function drawGrades(problems) {
  let bars = problems.flatMap(({ grades }, index) => grades.map((grade, sample) => [grade, index, sample]));
  if (bars.length > 40) bars.sort((a, b) => b[0] - a[0]);
  bars = bars.filter((_, i) => bars.length <= LONGEST || i % Math.ceil(bars.length / LONGEST) === 0);
  const rect = ([grade], x) => make("rect", { x: x + 0.05, width: 0.9, y: 1 - grade, height: grade, fill: grade > now.cut ? "var(--right)" : "var(--soft)" });
  const svg = make("svg", { viewBox: `0 0 ${bars.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": at("lead").textContent,
    onclick: (event) => {
      const box = svg.getBoundingClientRect();
      const [, index, sample] = bars[Math.min(bars.length - 1, Math.floor((bars.length * (event.clientX - box.left)) / box.width))];
      click(index, sample, 5 * Math.round(20 * Math.min(1, Math.max(0, 1 - (event.clientY - box.top) / box.height))));
    } }, make("rect", { width: bars.length, height: 1, fill: "var(--no)" }), ...bars.map(rect), make("rect", { width: bars.length, y: 1 - now.cut - 0.006, height: 0.012, fill: "var(--average)" }));
  return [svg];
}

const FIGURES = { gpassk: drawTries, pass_at_k: drawCurve, cons_at_k: drawVotes, best_at_k: drawScores, avg_at_n: drawGrades };

/** Write the call that computes the number; the whole script has the data, too. */
function writeCall(problems) {
  const [lists, python] = [[], (value) => JSON.stringify(value).replaceAll("null", "None")];
  const spread = (rows, value) => rows.flatMap((row) => Array.from({ length: row[1] }, () => value(row)));
  const list = (name, rows) => { lists.push(`${name} = ${python(rows)}`); return name; };
  const tau = share(now.k, now.needed);
  let call = "";
  if (metric === "cons_at_k") {
    const silent = problems.some(({ votes }) => votes.some(([answer]) => answer === null));
    call = `predictions=${list("answers", problems.map(({ votes }) => spread(votes, ([answer]) => answer)))}, grades=${list("grades", problems.map(({ votes }) => spread(votes, ([, , right]) => right)))}, k=${now.k}${silent ? ', missing="incorrect"' : ""}`;
  } else if (metric === "best_at_k") {
    call = `predictions=${list("grades", problems.map(({ scores }) => scores.map(([, right]) => right)))}, scores=${list("scores", problems.map(({ scores }) => scores.map(([score]) => score)))}, k=${now.k}`;
  } else if (metric === "avg_at_n") {
    call = `predictions=${list("grades", problems.map(({ grades }) => grades))}, correct_above=${now.cut}`;
  } else {
    lists.push(`grades = [[1] * c + [0] * (n - c) for n, c in ${python(problems.map(({ n, c }) => [n, c]))}]`);
    call = `predictions=grades, k=${now.k}${metric === "gpassk" ? `, thresholds=[${Number.isInteger(tau) ? tau.toFixed(1) : tau}]` : ""}`;
  }
  const load = `${metric} = evaluate.load("${source}/${metric}"${metric === "cons_at_k" ? "" : ', "graded"'})`;
  call = `${metric}.compute(${call})`;
  return { load, call, script: ["import evaluate", "", ...lists, load, `print(${call})`].join("\n") };
}

const knobs = {};

/** Make a slider once; later it is only set, so that it keeps the focus. */
function slide(name, words_, bounds, value, onmove) {
  knobs[name] ??= make("input", { type: "range", oninput: (event) => { onmove(Number(event.target.value)); draw(); } });
  const label = (knobs[`${name}_label`] ??= make("span"));
  Object.assign(knobs[name], bounds);
  knobs[name].value = value;
  knobs[name].setAttribute("aria-label", words_);
  label.textContent = words_;
  return (knobs[`${name}_whole`] ??= make("label", {}, label, knobs[name]));
}

function listKnobs(problems) {
  const n = Math.min(...problems.map((problem) => problem.n));
  if (metric === "avg_at_n") return [slide("cut", fill(words.label_cut, { cut: now.cut }), { min: 0, max: 0.95, step: 0.05 }, now.cut, (cut) => { now.cut = cut; })];
  const listed = [slide("k", fill(words.label_k, { k: now.k, n }), { min: 1, max: n, step: 1 }, now.k, (k) => { now = { ...now, k, needed: now.needed === now.k ? k : Math.min(now.needed, k) }; })];
  if (metric === "gpassk") listed.push(slide("needed", fill(words.label_needed, { needed: now.needed }), { min: 1, max: now.k, step: 1 }, now.needed, (needed) => { now.needed = needed; }));
  if (NEEDS[metric]) listed.push(make("label", {}, make("span", {}, say("Problem")), make("select", { onchange: (event) => { now.problem = Number(event.target.value); draw(); } },
    ...problems.slice(0, LONGEST).map(({ name, n: all, c }, i) => make("option", { value: i, selected: i === now.problem ? "" : null }, `${name} · ${c}/${all}`)))));
  return listed;
}

const draw = () => keepFocus(drawNow);

function drawNow() {
  const fields = NEEDS[metric] ?? "n";
  if (!shown.problems.every((problem) => problem[fields]?.length !== undefined || Number.isInteger(problem[fields]))) return refuse({ error: say("These results have no {needs}, which this metric needs.", { needs: say({ votes: "answers", scores: "scores", grades: "grades" }[NEEDS[metric]]) }), mends: [] });
  at("refused").replaceChildren(...(shown.said ? [make("p", { class: "read" }, shown.said)] : []));
  const n = Math.min(...shown.problems.map((problem) => problem.n));
  now.k = Math.round(Math.min(n, Math.max(1, now.k)));
  now.needed = Math.round(Math.min(now.k, Math.max(1, now.needed)));
  now.problem = Math.min(shown.problems.length - 1, now.problem);
  const problems = clicks.reduce(change, shown.problems);
  const found = describe(metric, problems, now, words);
  remember();
  at("title").replaceChildren(...writeClaim({ text: found.title, strong: found.chosen.text }));
  const sizes = [...new Set(problems.map((problem) => problem.n))];
  at("lead").textContent = fill(words[lead], { name: shown.name, problems: problems.length, n: sizes.length > 1 ? `${Math.min(...sizes)}–${Math.max(...sizes)}` : n });
  at("hint").textContent = words[lead.replace("lead", "hint")];
  data.selectedIndex = examples.findIndex(({ id }) => id === shown.id);
  const wanted = listKnobs(problems);
  const place = at("knobs");
  if (place.children.length !== wanted.length || NEEDS[metric]) place.replaceChildren(...wanted);
  at("figure").replaceChildren(...FIGURES[metric](problems, found.chosen));
  at("legend").textContent = fill(words.legend, { average: percent(found.mean) });
  at("rows").innerHTML = found.rows.map((row) => writeRow(row, found.mean)).join("");
  found.rows.forEach(({ needed }, i) => { if (needed) at("rows").children[i].onclick = () => { now.needed = needed; draw(); }; });
  const { load, call, script } = writeCall(problems);
  at("line").replaceChildren(make("pre", { tabindex: 0 }, `${load}\n${call}`), make("div", {}, makeOpen(open), unfold,
    clicks.length > 0 && button(say("Undo"), () => { clicks.pop(); draw(); }), button(say("Copy the code with its data"), (event) => copy(script, event.target))), paste);
  const step = (index, level) => button(level > problems[index].c ? "+" : "−", () => { click(index, level); }, { "aria-label": `${problems[index].name}: ${level > problems[index].c ? "+1" : "−1"}` });
  const act = (problem, index) => (NEEDS[metric] ? [button(say("Show"), () => { now.problem = index; draw(); })] : [problem.c > 0 && step(index, problem.c), problem.c < problem.n && step(index, problem.c + 1)]);
  list = () => listed.replaceChildren(drawProblems(problems, metric === "avg_at_n" ? null : act));
  if (listed.closest("[open]")) list();
}

let list = null; // it is drawn where it is unfolded
const listed = make("div");
const [unfold, paste] = makePaste((text) => take({ text }));
const tools = makeTakeAway(() => at("picture"), () => at("title").textContent, metric);
const data = make("select", { "aria-label": say("Data"), onchange: (event) => { [shown, given, clicks] = [pick(examples[event.target.value]), null, []]; draw(); } }, ...examples.map(({ id, name }, i) => make("option", { value: i, selected: id === shown.id ? "" : null }, name)));
at("more").replaceChildren(
  make("p", { class: "more" }, examples.length > 1 && make("label", {}, `${say("Data")} `, data), tools,
    make("a", { href: "score", onclick: (event) => { if (given) { event.preventDefault(); location.href = `score${location.search}${location.hash}`; } } }, say("Every metric of your results"))),
  fold(say("Problems, the flakiest first"), listed));
listed.closest("details").addEventListener("toggle", () => list());
for (const link of document.querySelectorAll(".metrics a")) if (link.getAttribute("href") === metric) link.setAttribute("aria-current", "page");

function refuse(found) {
  at("refused").replaceChildren(makeNotice(found, mend, "refused"));
  at("refused").scrollIntoView({ block: "center" });
}

function mend(choice) {
  if (choice.data) given = { text: choice.data };
  options = merge(options, choice.set ?? {});
  load();
}

function take(results) {
  [given, options] = [results, {}];
  load();
}

const open = (files) => read(files, take, refuse);

async function load() {
  const found = await ask("play", { data: given, options });
  if (found === null) return;
  if (found.error) return refuse(found);
  [shown, clicks, now.problem] = [{ id: "", name: found.name || say("Pasted"), problems: found.problems, said: found.rewritten.join(" · ") }, [], 0];
  paste.hidden = true;
  unfold.setAttribute("aria-expanded", "false");
  draw();
  scrollTo(0, 0); // the headline is about these results now
}

catchGiven(open, (text) => take({ text }));
if (given) load();
else draw();
