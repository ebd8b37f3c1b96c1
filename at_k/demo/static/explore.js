// The page Explore: real tasks, drawing k of n, the vote, published results. All of it was computed before.

import { at, fetchPrepared, join, make, readState, say, writeState } from "./base.js";
import { drawLines, drawStairs, writeClaim } from "./figures.js";
import { catchGiven, handOver, makeOpen } from "./source.js";

const state = readState();
const story = await fetchPrepared("explore");
const ground = story.report.at[4];

at("title").replaceChildren(...writeClaim(ground.title));
at("lead").textContent = story.lead;
at("stairs").replaceWith(drawStairs(story.report, 4, { tall: true, ...story.under }));

/** Become the page Score, with files that were opened or a text that was pasted here. */
async function turnToScore(files) {
  handOver(files);
  document.querySelector("main").replaceWith(make("main", { id: "score" }, make("div", { class: "source", id: "source" }), make("div", { id: "refused", role: "alert" }), make("div", { id: "report" })));
  history.pushState(null, "", "score");
  addEventListener("popstate", () => location.reload());
  document.querySelector("nav [aria-current]")?.removeAttribute("aria-current");
  document.querySelector('nav [href^="score"]').setAttribute("aria-current", "page");
  document.title = "Score · at-k";
  await import("./score.js");
}

at("open").replaceWith(makeOpen(turnToScore));
catchGiven(turnToScore, (text) => turnToScore([new File([text], say("Pasted"))]));

function drawModel(name, rows, chosen) {
  const size = rows[0].length;
  const paths = ["", ""];
  rows.forEach((row, y) => row.forEach((right, x) => { paths[right] += `M${x + 0.1} ${y + 0.1}h.8v.8h-.8z`; }));
  const svg = make("svg", { class: "grid", viewBox: `0 0 ${size} ${rows.length}`, role: "img", "aria-label": name },
    make("path", { d: paths[0], fill: "var(--no)" }), make("path", { d: paths[1], fill: "var(--right)" }),
    make("rect", { x: 0.02, y: 0.02, width: chosen - 0.04, height: rows.length - 0.04, fill: "none", stroke: "var(--average)", "stroke-width": 0.16 }));
  return svg;
}

function showDrawn(k) {
  const now = story.drawn.at[k];
  const colours = { shaky: "var(--b)", steady: "var(--a)" };
  const models = Object.entries(story.drawn.models).map(([each, { name, rows }]) => make("div", {}, make("h3", { class: each === "steady" ? "of-a" : "of-b" }, name), drawModel(name, rows, k)));
  const lines = Object.entries(story.drawn.models).map(([each, { name }]) => ({ name, colour: colours[each], points: now[each].map((y, i) => [i + 1, y]) }));
  const slider = make("input", { type: "range", min: 1, max: story.drawn.n, value: k, "aria-label": say("Answers drawn, k"), oninput: (event) => { writeState({ draw: event.target.value === "4" ? "" : event.target.value }); redraw(Number(event.target.value)); } });
  const redraw = (next) => {
    const fresh = showDrawn(next);
    [said.textContent, number.textContent] = [fresh.said, next];
    models.forEach((model, i) => model.replaceChildren(...fresh.models[i].childNodes));
    chart.replaceChildren(...fresh.chart.childNodes);
  };
  const said = make("p", { class: "text", role: "status" }, now.said);
  const number = make("b", {}, k);
  const chart = make("div", {}, drawLines(lines, { title: story.drawn.title, height: 230, caption: true, across: say("right") }));
  return { said: now.said, models, chart, all: [said, make("label", { class: "slide" }, make("span", {}, `${say("Answers drawn, k")} = `, number), slider), make("div", { class: "two" }, ...models, chart)] };
}

const draw = Math.min(story.drawn.n, Math.max(1, Number.parseInt(state.draw, 10) || 4));
at("drawn").replaceChildren(...showDrawn(draw).all);

const VOTE = { "pass@k": "var(--right)", "best@k": "var(--ink)", "cons@k": "var(--soft)", "avg@n": "var(--average)" };
at("vote").replaceChildren(
  make("p", { class: "text" }, join(story.vote.said)),
  drawLines(story.vote.lines.map(({ line, name, values }) => ({ name, colour: VOTE[line], dash: line === "cons@k" ? "5 4" : null, points: values.map((y, i) => [i + 1, y]) })), { title: story.vote.title, low: story.vote.low, height: 200, caption: true }),
);

const { head, rows } = story.published;
at("published").replaceChildren(
  make("p", { class: "text" }, story.published.said),
  make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("Published results") }, make("table", {},
    make("thead", {}, make("tr", {}, ...head.map((each, i) => make("th", { scope: "col", class: i ? "" : "left" }, each)))),
    make("tbody", {}, ...rows.map(({ name, source, cells }) => make("tr", {}, make("th", { scope: "row", class: "left" }, make("a", { href: source, rel: "noopener", target: "_blank" }, name)), ...cells.map((cell) => make("td", {}, cell))))))),
);
