// Figures from data: staircases, interval bars, lines against k, tables. No numbers are computed here but places.

import { button, copy, join, language, make, mark, say } from "./base.js";

const percent = (value) => `${Math.round(100 * value)} %`;

/** Write a claim, with the number that it is about in the colour of what is right. */
export function writeClaim(claim) {
  const text = claim.text.replace(/(?<=[A-Z])-(?=\d)/g, "-\u2060"); // no line ends within GPT-4o
  const place = claim.strong ? text.lastIndexOf(claim.strong) : -1;
  if (place < 0) return [text];
  return [text.slice(0, place), make("em", {}, claim.strong), text.slice(place + claim.strong.length)];
}

/** Draw the staircase of a report at a k: a row for each demand, a column for each problem. */
export function drawStairs(report, k) {
  const rows = report.at[k].stairs.map((step, place, { length }) => {
    const count = step.cells.reduce((sum, [, many]) => sum + many, 0);
    const gap = count > 60 ? 0.1 : Math.min(0.16, count / 300);
    let x = 0;
    let squares = "";
    const pale = [];
    for (const [value, many] of step.cells) {
      let path = "";
      for (let i = 0; i < many; i += 1) path += `M${(x + i + gap / 2).toFixed(2)} 0h${(1 - gap).toFixed(2)}v1h-${(1 - gap).toFixed(2)}z`;
      if (value > 0) pale.push(make("path", { d: path, fill: "var(--right)", "fill-opacity": value }));
      squares += path;
      x += many;
    }
    const mean = report.average.value * count;
    const svg = make("svg", { viewBox: `0 0 ${count} 1`, preserveAspectRatio: "none", role: "img", "aria-label": `${step.label}: ${step.text}` },
      make("path", { d: squares, fill: "var(--no)" }), ...pale,
      make("rect", { x: mean - count / 500, width: count / 250, y: 0, height: 1, fill: "var(--average)" }));
    const isEnd = place === 0 || place === length - 1;
    return make("div", { class: isEnd ? "stair key" : "stair" }, svg, make("div", {}, make("b", {}, step.text), step.label, make("i", {}, step.name)));
  });
  return make("div", { class: "stairs" }, ...rows, make("p", { class: "under" }, `${say("Sorted: a column is a problem.")} `, make("b", {}, `┃ ${report.average.text}`)));
}

const MOST_LISTED = 50;

/** List problems as they are sorted, with their answers; `act` returns the buttons of one. */
export function drawProblems(problems, act = null) {
  const row = (problem, index) => make("tr", {}, make("th", { scope: "row", class: "left" }, problem.name), make("td", {}, `${problem.c}/${problem.n}`), act && make("td", { class: "left" }, ...act(problem, index)),
    make("td", { class: "left answers" }, ...(problem.votes ?? []).slice(0, 6).map(([answer, count, right]) => make("span", { class: right ? "ok" : "" }, `${answer ?? say("no answer")} × ${count}`))));
  const place = make("tbody", {}, ...problems.slice(0, MOST_LISTED).map(row));
  const head = make("tr", {}, ...[say("Problem"), say("right"), ...(act ? [""] : []), problems[0]?.votes ? say("Answers") : ""].map((text, i) => make(text ? "th" : "td", { scope: text ? "col" : null, class: i === 1 ? "" : "left" }, text)));
  const more = problems.length > MOST_LISTED && button(say("Show all {count}", { count: problems.length }), () => { place.replaceChildren(...problems.map(row)); more.remove(); });
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("Problems, the flakiest first") }, make("table", {}, make("thead", {}, head), place), more);
}

/** Make the buttons that save what an element shows as a picture, and that copy an iframe of the page. */
export function makeTakeAway(find, name, file) {
  const save = async (type) => {
    const { savePicture } = await import("./picture.js");
    savePicture(find(), typeof name === "function" ? name() : name, file, type);
  };
  const embed = (event) => {
    const address = new URL(location.href);
    address.searchParams.set("embed", "1");
    copy(`<iframe src="${address.href.replaceAll("&", "&amp;")}" width="100%" height="640" title="at-k" style="border: 0"></iframe>`, event.target);
  };
  return [button("PNG", () => save("png")), button("SVG", () => save("svg")), button(say("Copy as iframe"), embed, { class: "embed" })];
}

function drawBar(row, low, high, choose) {
  const place = (value) => (100 * (value - low)) / (high - low || 1);
  const marks = [make("line", { x1: 0, x2: 100, y1: 9.7, y2: 9.7, stroke: "var(--line)", "stroke-width": 0.3 })];
  if (row.low !== null) marks.push(make("rect", { x: place(row.low), width: place(row.high) - place(row.low), y: 3, height: 4, fill: "var(--pale)" }));
  marks.push(make("rect", { x: place(row.value) - 0.5, width: 1, y: 0.5, height: 9, fill: "var(--right)" }));
  const interval = row.low === null ? "" : ` [${(100 * row.low).toFixed(1)}, ${(100 * row.high).toFixed(1)}]`;
  const svg = make("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": `${row.label}: ${row.text}${interval}` }, ...marks);
  const inside = [make("span", {}, `${row.label} `, make("small", {}, row.name || row.size)), svg, make("b", {}, row.text)];
  const title = `${row.text}${interval}${row.size ? ` · ${row.size}` : ""}`;
  return choose ? button(inside, () => choose(row.key), { class: "bar", title, "aria-pressed": String(choose.key === row.key) }) : make("div", { class: "bar", title }, ...inside);
}

/** Draw a bar for each value with its interval, on one axis; `about` says what a bar is. */
export function drawBars(rows, about, choose = null) {
  const bounds = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const low = Math.max(0, Math.floor(10 * Math.min(...bounds)) / 10);
  const high = Math.min(1, Math.ceil(10 * Math.max(...bounds)) / 10);
  const ends = make("div", { class: "ends" }, make("span", {}, percent(low)), about && rows.some((row) => row.low !== null) && make("span", { class: "about" }, about), make("span", {}, percent(high)));
  return [...rows.map((row) => drawBar(row, low, high, choose)), ends];
}

/** A row of buttons of which one is chosen. */
export function choose(label, values, chosen, onchoose, names = (each) => each) {
  return make("span", { class: "choose", role: "group", "aria-label": label }, label && make("span", {}, label),
    ...values.map((each) => button(String(names(each)), () => onchoose(each), { "aria-pressed": String(String(each) === String(chosen)) })));
}

const [LEFT, TOP, BOTTOM] = [44, 10, 24];

const widths = new Map(); // the latest width of a figure, by its title

/**
 * Draw lines: [{name, colour, points: [[x, y, low, high, colour]]}]. Colours of points are those of the segments after them.
 *
 * The figure is drawn anew when its place becomes wider or narrower, so that its texts keep their size.
 */
export function drawLines(lines, options) {
  const { title, write = percent, caption = false, across = "k" } = options;
  const place = make("div", {}, drawChart(lines, options, widths.get(title) ?? 720));
  new ResizeObserver(([{ contentRect: { width } }]) => {
    if (!width || Math.abs(width - (widths.get(title) ?? 720)) < 1) return;
    widths.set(title, width);
    place.replaceChildren(drawChart(lines, options, width));
  }).observe(place);
  const legend = make("div", { class: "legend" }, ...lines.filter((line) => line.name).map((line) => makeEntry(line.name, line.colour)));
  const x = findPlaces(lines);
  const head = make("tr", {}, make("th", {}, across), ...lines.map((line) => make("th", {}, line.name ?? title)));
  const body = x.map((each) => make("tr", {}, make("th", { scope: "row" }, `${each}`), ...lines.map((line) => make("td", {}, write(line.points.find(([k]) => k === each)?.[1] ?? NaN)))));
  return make("div", {}, caption && make("p", { class: "under" }, title), place, legend,
    make("div", { class: "unseen" }, make("table", {}, make("caption", {}, title), make("thead", {}, head), make("tbody", {}, ...body))));
}

/** An entry of a legend. */
export function makeEntry(text, colour) {
  const dot = make("i");
  dot.style.background = colour;
  return make("span", {}, dot, text);
}

const findPlaces = (lines) => [...new Set(lines.flatMap((line) => line.points.map(([each]) => each)))].sort((a, b) => a - b);

function drawChart(lines, { low = 0, high = 1, title, height = 260, write = percent, zero = false, across: axis = "k", marked = null, scale = (each) => each }, width) {
  const x = findPlaces(lines);
  const across = (each) => LEFT + 8 + ((width - LEFT - 30) * (scale(each) - scale(x[0]))) / (scale(x.at(-1)) - scale(x[0]) || 1);
  const up = (each) => height - BOTTOM - ((height - TOP - BOTTOM) * (each - low)) / (high - low);
  const marks = [];
  for (const tick of zero ? new Set([low, 0, high]) : [low, (low + high) / 2, high]) {
    marks.push(make("line", { x1: LEFT, x2: width - 8, y1: up(tick), y2: up(tick), stroke: zero && tick === 0 ? "var(--soft)" : "var(--line)" }),
      make("text", { x: LEFT - 6, y: up(tick) + 4, "text-anchor": "end" }, write(tick)));
  }
  if (marked !== null) marks.push(make("line", { x1: across(marked), x2: across(marked), y1: TOP, y2: height - BOTTOM, stroke: "var(--average)" }));
  marks.push(make("text", { x: LEFT - 6, y: height - 6, "text-anchor": "end" }, axis));
  const placed = []; // the ends and the marked place come first, then as many others as have room
  for (const each of [x[0], x.at(-1), marked ?? x[0], ...x]) {
    const here = across(each);
    if (placed.some((other) => Math.abs(other - here) < 38)) continue;
    placed.push(here);
    marks.push(make("text", { x: here, y: height - 6, "text-anchor": "middle" }, each));
  }
  for (const { points, colour, dash } of lines) {
    const banded = points.filter((point) => point[2] !== undefined && point[2] !== null);
    if (banded.length) {
      const path = [...banded.map((point) => [point[0], point[3]]), ...banded.toReversed().map((point) => [point[0], point[2]])];
      marks.push(make("path", { d: `M${path.map(([a, b]) => `${across(a).toFixed(1)} ${up(b).toFixed(1)}`).join("L")}z`, fill: "var(--no)" }));
    }
    points.slice(1).forEach((point, i) => {
      const [before, paint] = [points[i], point[4] ?? colour];
      marks.push(make("path", { d: `M${across(before[0])} ${up(before[1])}L${across(point[0])} ${up(point[1])}`, stroke: paint, "stroke-width": 2.5, "stroke-dasharray": dash, fill: "none" }));
    });
    for (const point of points) marks.push(make("path", { d: `M${across(point[0])} ${up(point[1])}h.01`, stroke: point[4] ?? colour, "stroke-width": 7, "stroke-linecap": "round" }, make("title", {}, `${axis} = ${point[0]}: ${write(point[1])}`)));
  }
  return make("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, ...marks);
}

/** Draw a sheet of the library: its sentences, and its tables. */
export function drawSheet(sheet) {
  return sheet.parts.flatMap((part) => {
    if (part.parts) return [make("h2", {}, part.title), ...drawSheet(part)];
    if (part.said) return part.kind === "lead" ? [make("p", {}, mark(join(part.said)))] : [make("ul", {}, ...part.said.map((each) => make("li", {}, mark(each))))];
    return [drawTable(part)];
  });
}

/** Draw a table of cells. */
export function drawTable({ caption, head, rows, left, remarks = [] }) {
  const side = (i) => (i < left ? "left" : "");
  const write = (cell) => [cell.text ?? "", ...(cell.interval ? [make("small", {}, cell.interval)] : [])];
  const body = rows.map((row, place) => make("tr", {}, ...row.map((cell, i) => make(i ? "td" : "th", { scope: i ? null : "row", class: `${side(i)} ${cell.style ?? ""}` }, ...write(cell))), remarks[place] && make("td", { class: "left" }, remarks[place].text ?? "")));
  const heads = head.map((each, i) => make("th", { scope: "col", class: side(i) }, each || make("span", { class: "unseen" }, language === "zh" ? "名称" : "name")));
  return make("div", { class: "scroll whole", tabindex: 0, role: "region", "aria-label": caption || head.join(" ") },
    make("table", {}, caption && make("caption", { class: "left" }, caption), make("thead", {}, make("tr", {}, ...heads, remarks.length > 0 && make("td", {}))), make("tbody", {}, ...body)));
}
