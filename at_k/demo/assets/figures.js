// Figures as SVG: every element `.figure` of the document with a description in `data-figure`, as
// `at_k.demo.figures.write_figure` writes it. Drawn again when the description, the theme or the width changes, at the
// size of the page rather than scaled, so that text stays at 12 px or more.
//
// Events on the element: "at-k:handle" with { k } where the handle is moved, "at-k:point" with { k } where one points, and
// with none where one does no longer, "at-k:problem" with { name } where a point or a row is clicked.
//
// Beside each figure stand its numbers as a table, for those who cannot see it.

const SVG = "http://www.w3.org/2000/svg";
const NARROW = 560;
const SAVED_WIDTH = 900;
const MOST_BESIDE = 4; // lines whose values find room beside them
const MOST_BANDS = 2; // of more, one is shown at a time: five over each other cannot be read
const TABLE_WAIT = 400; // a table is written when a figure has come to rest
const state = new WeakMap(); // element → what was drawn in it

// ---------------------------------------------------------------- numbers and texts

/** Write four decimals, but never a certainty that is none: ">0.9999", "<0.0001". */
export function writeShare(value) {
    if (value > 0 && value < 0.00005) return "<0.0001";
    if (value < 1 && value >= 0.99995) return ">0.9999";
    return value.toFixed(4);
}

function writeNumber(value) {
    return value >= 0 && value <= 1 && !Number.isInteger(value) ? writeShare(value) : String(Number(value.toPrecision(6)));
}

/** Return round numbers between two limits, some `count` of them. */
export function findTicks(min, max, count = 5, whole = false) {
    if (!(max > min)) return [min];
    const rough = (max - min) / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(rough));
    let step = [1, 2, 2.5, 5, 10].map(each => each * power).find(each => each >= rough * 0.999);
    if (whole) step = Math.max(1, step === 2.5 ? 5 : Math.round(step));
    const first = Math.ceil(min / step - 1e-9);
    const last = Math.floor(max / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Return the ticks of an axis of k: both ends and round numbers between them; powers of two on a logarithmic axis. */
export function findKTicks(min, max, log, count) {
    if (log) {
        const powers = [];
        for (let each = 2 ** Math.ceil(Math.log2(min)); each <= max; each *= 2) powers.push(each);
        const step = Math.max(1, Math.ceil(powers.length / count));
        return powers.filter((_, i) => i % step === 0);
    }
    const rough = (max - min) / Math.max(1, count);
    const step = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 100, 128, 200, 250, 256, 500, 512, 1000]
        .find(each => each >= rough) ?? 10 ** Math.ceil(Math.log10(rough));
    const ticks = [min];
    for (let each = step; each < max; each += step) {
        if (each - min >= step * 0.6 && max - each >= step * 0.6) ticks.push(each);
    }
    return [...ticks, max];
}

const canvas = document.createElement("canvas").getContext("2d");

function measure(text, size, weight = 400) {
    canvas.font = `${weight} ${size}px system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif`;
    return canvas.measureText(text).width;
}

/** Break a text into lines that are no wider than this many pixels; between Chinese characters anywhere. */
function wrap(text, width, size, weight) {
    const parts = text.match(/[\u3400-\u9fff\uff00-\uffef]\s*|[^\s\u3400-\u9fff\uff00-\uffef]+\s*/g) ?? [text];
    const lines = [""];
    for (const part of parts) {
        const longer = lines[lines.length - 1] + part;
        if (lines[lines.length - 1] && measure(longer.trim(), size, weight) > width) lines.push(part);
        else lines[lines.length - 1] = longer;
    }
    return lines.map(line => line.trim());
}

function make(name, attributes, parent, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined && value !== null) element.setAttribute(key, value);
    }
    if (text !== undefined) element.textContent = text;
    parent?.append(element);
    return element;
}

const colour = name => `var(--at-k-${/^[\w-]+$/.test(name ?? "") ? name : "neutral"})`;
const round = value => Math.round(value * 10) / 10;

// ---------------------------------------------------------------- scales and axes

function makeScale(axis, from, to) {
    const { min, max } = axis;
    const place = axis.log ? value => Math.log(value / min) / Math.log(max / min) : value => (value - min) / (max - min);
    const scale = value => (max > min ? from + (to - from) * place(value) : (from + to) / 2);
    scale.invert = pixel => {
        const share = Math.min(1, Math.max(0, (pixel - from) / (to - from)));
        return axis.log ? min * (max / min) ** share : min + share * (max - min);
    };
    return scale;
}

function withLimits(axis, values, whole) {
    const known = values.filter(value => Number.isFinite(value));
    const min = axis?.min ?? (known.length ? Math.min(...known) : 0);
    const max = axis?.max ?? (known.length ? Math.max(...known) : 1);
    if (axis?.min === undefined && !whole) {
        const room = Math.max((max - min) * 0.06, 0.005);
        return { ...axis, min: min >= 0 ? Math.max(0, min - room) : min - room, max: axis?.max ?? (max <= 1 ? Math.min(1, max + room) : max + room) };
    }
    return { ...axis, min, max };
}

const writeTick = (tick, axis) => (axis.percent ? `${Math.round(100 * tick)}\u00a0%` : String(tick));

/** Place the plot of a figure, and draw its axes: what there is `room` for to its right stands beside it. */
function makePlot(svg, width, height, xAxis, yAxis, { room = 16, square = false, xTicks = () => [] } = {}) {
    const ticks = findTicks(yAxis.min, yAxis.max, height < 200 ? 3 : 4);
    const left = 12 + Math.max(...ticks.map(tick => measure(writeTick(tick, yAxis), 12)));
    const top = yAxis.title ? 30 : 10;
    const bottom = height - (xAxis.names ? 56 : xAxis.title ? 44 : 26);
    const right = Math.min(Math.max(left + 60, width - room), square ? left + bottom - top : Infinity);
    const [x, y] = [makeScale(xAxis, left, right), makeScale(yAxis, bottom, top)];
    const still = make("g", {}, svg);
    const plot = { left, right, top, bottom, x, y, still };
    for (const tick of ticks) {
        make("line", { class: "grid", x1: left, x2: right, y1: round(y(tick)), y2: round(y(tick)) }, still);
        make("text", { class: "tick", x: left - 8, y: round(y(tick)) + 4, "text-anchor": "end" }, still, writeTick(tick, yAxis));
    }
    if (yAxis.title) make("text", { class: "tick", x: 2, y: top - 12 }, still, yAxis.title);
    if (xAxis.names && drawNames(plot, xAxis)) return plot;
    for (const tick of xTicks(plot)) {
        // The last one stays clear of the names to its right.
        const last = x(tick) > right - 1;
        const at = { x: round(x(tick)) + (last ? 5 : 0), y: bottom + 18, "text-anchor": last ? "end" : "middle" };
        make("text", { class: "tick", ...at }, still, String(tick));
    }
    if (xAxis.title) make("text", { class: "tick", x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, still, xAxis.title);
    return plot;
}

/** Name each whole number of an axis by two lines, of which the lower one has a short form, if they find room. */
function drawNames({ left, right, bottom, x, still }, { min, names }) {
    const slot = (right - left) / Math.max(1, names.length - 1) - 6;
    const fits = place => names.every(name => measure(name[place], place ? 12 : 13, place ? 400 : 600) < slot);
    const lower = [1, 2].find(fits);
    if (!lower || !fits(0)) return false;
    names.forEach((name, i) => {
        const at = { x: round(x(min + i)), "text-anchor": "middle" };
        make("text", { class: "named", ...at, y: bottom + 27 }, still, name[0]);
        make("text", { class: "tick", ...at, y: bottom + 44 }, still, name[lower]);
    });
    return true;
}

// ---------------------------------------------------------------- lines

const shownLines = figure => figure.lines.filter(line => !line.hidden);

function findValue(line, k) {
    const from = line.values ?? line;
    const place = from.x.indexOf(k);
    return place < 0 ? null : from.y[place];
}

/** Place labels of these heights as near to where they belong as they can be without overlap. */
export function placeLabels(labels, top, bottom) {
    const placed = labels.map(label => ({ ...label, y: label.at - label.height / 2 })).sort((a, b) => a.at - b.at || a.order - b.order);
    // Each that overlaps the one above is joined with it into a block, which stands where its members would on average.
    const blocks = [];
    for (const label of placed) {
        let block = { labels: [label], height: label.height, wish: label.y };
        while (blocks.length && blocks.at(-1).y + blocks.at(-1).height > Math.max(top, Math.min(block.wish, bottom - block.height))) {
            const above = blocks.pop();
            const count = above.labels.length + block.labels.length;
            const wish = (above.wish * above.labels.length + (block.wish - above.height) * block.labels.length) / count;
            block = { labels: [...above.labels, ...block.labels], height: above.height + block.height, wish };
        }
        block.y = Math.max(top, Math.min(block.wish, bottom - block.height));
        blocks.push(block);
    }
    for (const block of blocks) {
        let y = block.y;
        for (const label of block.labels) {
            label.y = y;
            y += label.height;
        }
    }
    return placed;
}

function describeEnds(lines, width) {
    const narrow = width < NARROW;
    const size = narrow ? 12 : 14;
    const most = narrow ? 92 : 200;
    return lines.map((line, order) => {
        const words = wrap(line.words || line.name, most, size, 600);
        // With many lines their values have no room in the picture, and stand below the names.
        const below = lines.length > MOST_BESIDE;
        const symbol = !narrow && line.words && line.words !== line.name ? line.name : below ? "" : null;
        const under = symbol === null ? 0 : measure(symbol, 12) + (below ? measure(">0.9999", 13, 600) + 8 : 0);
        const wide = Math.max(...words.map(each => measure(each, size, 600)), under);
        return { line, order, words, symbol, size, wide, height: words.length * (size + 3) + (symbol === null ? 0 : 16) + 6 };
    });
}

function drawLines(figure, svg, width) {
    const lines = shownLines(figure);
    const all = lines.flatMap(line => [...line.y, ...(line.low ?? []), ...(line.high ?? [])].filter(value => value !== null));
    const xAxis = withLimits(figure.x, lines.flatMap(line => [...line.x]), true);
    const yAxis = withLimits(figure.y, all);
    const ends = describeEnds(lines, width);
    const room = Math.max(0, ...ends.map(end => end.wide)) + 18;
    const stacked = ends.reduce((sum, end) => sum + end.height, 8); // names of many lines need their room
    const height = Math.max(stacked, figure.height ?? (width < NARROW ? 236 : 350));
    // The handle says its k itself, and would cover a number below it.
    const isClear = ({ x }, tick) => !(Math.abs(x(tick) - x(figure.handle)) < 16);
    const xTicks = plot => findKTicks(xAxis.min, xAxis.max, xAxis.log, (plot.right - plot.left) / 64).filter(tick => isClear(plot, tick));
    const plot = makePlot(svg, width, height, xAxis, yAxis, { room, xTicks });
    const { still } = plot;
    if (figure.shade) {
        const from = plot.x(figure.shade.from + 0.5);
        make("rect", { class: "shade", x: round(from), y: plot.top, width: round(plot.right - from), height: plot.bottom - plot.top }, still);
        make("text", { class: "tick", x: plot.right - 4, y: plot.top + 14, "text-anchor": "end" }, still, figure.shade.label);
    }
    const banded = lines.filter(line => line.low && line.high);
    const bands = banded.length > MOST_BANDS ? make("g", {}, still) : null;
    if (!bands) for (const line of banded) drawBand(still, plot, line);
    // The first line lies on top of the others.
    for (const line of [...lines].reverse()) {
        const points = [...line.x].map((x, i) => [x, line.y[i]]).filter(([, y]) => y !== null && Number.isFinite(y));
        const path = points.map(([x, y], i) => `${i ? "L" : "M"}${round(plot.x(x))} ${round(plot.y(y))}`).join("");
        make("path", { class: `line${line.dashed ? " dashed" : ""}`, d: path, stroke: colour(line.color), "data-name": line.name }, still);
        if (points.length <= 8) {
            const varies = figure.values && new Set(line.y).size > 1;
            for (const [x, y] of points) {
                const at = { x: round(plot.x(x)) + (x === xAxis.max ? -9 : 8), y: round(plot.y(y)) - (x === xAxis.max ? -5 : 8), "text-anchor": x === xAxis.max ? "end" : "start" };
                make("circle", { cx: round(plot.x(x)), cy: round(plot.y(y)), r: figure.values ? 4 : 2.5, fill: colour(line.color) }, still);
                if (varies) make("text", { class: "value", ...at, fill: colour(line.color) }, still, writeTick(y, yAxis));
            }
        }
    }
    const labels = ends.map(end => {
        const last = [...end.line.y].reverse().find(value => value !== null && Number.isFinite(value)) ?? yAxis.min;
        return { ...end, at: Math.min(plot.bottom, Math.max(plot.top, plot.y(last))) };
    });
    const placed = placeLabels(labels, 0, height - 4);
    for (const label of placed) {
        const group = make("g", { class: "end", fill: colour(label.line.color), "data-name": label.line.name }, still);
        if (bands && banded.includes(label.line)) {
            const named = [label.words.join(" "), label.symbol].filter(Boolean).join(", ");
            for (const [name, value] of Object.entries({ role: "button", tabindex: 0, "aria-label": named })) group.setAttribute(name, value);
        }
        label.words.forEach((each, i) => make("text", {
            class: "name", x: plot.right + 12, y: round(label.y + 3 + (i + 1) * (label.size + 3) - 4), "font-size": label.size,
        }, group, each));
        if (label.symbol) {
            make("text", { class: "tick", x: plot.right + 12, y: round(label.y + label.height - 7) }, group, label.symbol);
        }
        make("rect", { x: plot.right + 10, y: round(label.y), width: label.wide + 4, height: label.height, fill: "transparent" }, group);
        const middle = label.y + label.height / 2;
        if (Math.abs(middle - label.at) > 12) {
            make("path", { class: "leader", d: `M${plot.right + 2} ${round(label.at)}L${plot.right + 9} ${round(middle)}`, stroke: colour(label.line.color) }, still);
        }
    }
    const drawn = { plot, figure, xAxis, yAxis, lines, bands, banded, labels: placed, moving: make("g", { class: "moving" }, svg), height };
    if (bands) showBand(drawn, figure.band ?? banded[0].name);
    return drawn;
}

/** Show the band of one line: the first one's, or that of the line which was pointed at last. */
function showBand({ bands, banded, figure, plot }, name) {
    const line = banded?.find(each => each.name === name);
    if (!bands || !line) return;
    figure.band = name;
    bands.replaceChildren();
    drawBand(bands, plot, line);
    for (const end of plot.still.querySelectorAll(".end[role]")) end.setAttribute("aria-pressed", String(end.dataset.name === name));
}

function drawBand(group, plot, line) {
    const known = [...line.x.keys()].filter(i => line.low[i] !== null && line.high[i] !== null && Number.isFinite(line.low[i]));
    if (known.length === 0) return;
    const point = (i, side) => `${round(plot.x(line.x[i]))} ${round(plot.y(line[side][i]))}`;
    const path = [...known.map(i => point(i, "low")), ...known.reverse().map(i => point(i, "high"))].join("L");
    make("path", { class: "band", d: `M${path}Z`, fill: colour(line.color) }, group);
}

/** Show the values at k: dots on the lines, and four digits beside them where no line runs. */
function drawValues(drawn, k, pointed) {
    const { plot, lines, moving, figure, xAxis, yAxis } = drawn;
    moving.replaceChildren();
    if (k === null || k === undefined) return;
    const x = round(plot.x(k));
    make("line", { class: "guide", x1: x, x2: x, y1: plot.top, y2: plot.bottom }, moving);
    if (pointed) {
        const text = xAxis.names?.[k - xAxis.min]?.[0] ?? `k = ${k}`;
        const half = measure(text, 12, 600) / 2 + 6;
        const middle = Math.min(plot.right - half + 6, Math.max(plot.left + half - 6, x));
        make("rect", { class: "pill", x: middle - half, y: plot.bottom + 4, width: 2 * half, height: 20, rx: 10 }, moving);
        make("text", { class: "pilled", x: middle, y: plot.bottom + 18, "text-anchor": "middle" }, moving, text);
    }
    const taken = [];
    const values = lines.map(line => ({ line, value: findValue(line, k) })).filter(each => each.value !== null && Number.isFinite(each.value));
    for (const each of values) each.y = plot.y(each.value);
    // From the outside in: the highest and the lowest have room above and below.
    values.sort((a, b) => a.y - b.y);
    for (const each of values) {
        make("circle", { class: "dot", cx: x, cy: round(each.y), r: 5, fill: colour(each.line.color) }, moving);
        if (figure.values) continue; // they stand at all points
        each.text = yAxis.percent ? writeTick(each.value, yAxis) : writeNumber(each.value);
        let place;
        if (lines.length > MOST_BESIDE) {
            const label = drawn.labels.find(one => one.line === each.line);
            place = { x: plot.right + 12 + (label.symbol ? measure(label.symbol, 12) + 8 : 0), y: label.y + label.height - 20 };
        } else {
            place = findRoom(drawn, x, each, taken);
            taken.push(place);
        }
        make("text", {
            class: "value", x: round(place.x), y: round(place.y + 13), fill: colour(each.line.color), "data-name": each.line.name,
        }, moving, each.text);
    }
}

/** Find a box for a value near its dot that covers no line, no dot and no other value; else the one that covers least. */
function findRoom(drawn, x, each, taken) {
    const { plot, lines } = drawn;
    const width = measure(each.text, 13, 600) + 2;
    const height = 17;
    let best = null;
    for (const distance of [6, 14, 24, 36, 50]) {
        for (const [side, over] of [[1, -1], [1, 1], [-1, -1], [-1, 1], [1, 0], [-1, 0]]) {
            const box = {
                x: side > 0 ? x + 8 : x - 8 - width,
                y: over === 0 ? each.y - height / 2 : over > 0 ? each.y + distance - 3 : each.y - distance - height + 4,
                width, height,
            };
            let cost = distance / 10 + (side < 0 ? 0.5 : 0) + (over === 0 ? 0.4 : 0);
            if (box.x < plot.left - 4 || box.x + width > plot.right + 4) cost += 60;
            if (box.y < plot.top - 12 || box.y + height > plot.bottom + 2) cost += 40;
            for (const other of taken) {
                if (box.y < other.y && Math.abs(box.x - other.x) < 20) cost += 20; // larger values stand above smaller ones
                if (box.x < other.x + other.width && other.x < box.x + width && box.y < other.y + other.height && other.y < box.y + height) cost += 100;
            }
            for (const line of lines) cost += 8 * countCrossings(plot, line, box);
            if (!best || cost < best.cost) best = { ...box, cost };
        }
    }
    return best;
}

function countCrossings(plot, line, box) {
    let crossings = 0;
    for (let i = 1; i < line.x.length; i++) {
        const [x1, x2] = [plot.x(line.x[i - 1]), plot.x(line.x[i])];
        if (x2 < box.x || x1 > box.x + box.width || line.y[i] === null || line.y[i - 1] === null) continue;
        const [y1, y2] = [plot.y(line.y[i - 1]), plot.y(line.y[i])];
        const at = x => y1 + ((y2 - y1) * (Math.min(x2, Math.max(x1, x)) - x1)) / (x2 - x1 || 1);
        const [a, b] = [at(box.x), at(box.x + box.width)];
        if (Math.max(a, b) > box.y && Math.min(a, b) < box.y + box.height) crossings++;
    }
    return Math.min(crossings, 3);
}

// ---------------------------------------------------------------- the handle, and pointing

function showHandle(host) {
    const drawn = state.get(host);
    const { figure, svg } = drawn;
    if (figure.handle === undefined || figure.handle === null) {
        drawn.handle?.remove();
        drawn.handle = undefined;
        return;
    }
    const { plot, xAxis } = drawn;
    const k = figure.handle;
    drawn.handle ??= make("g", { class: "handle", tabindex: 0, role: "slider" }, svg);
    const { handle } = drawn;
    const text = String(k);
    const half = Math.max(11, measure(text, 12, 700) / 2 + 6);
    handle.replaceChildren();
    make("rect", { x: -half, y: -11, width: 2 * half, height: 22, rx: 11 }, handle);
    make("text", { y: 4, "text-anchor": "middle" }, handle, text);
    handle.setAttribute("transform", `translate(${round(plot.x(k))} ${plot.bottom})`);
    handle.setAttribute("aria-valuemin", xAxis.min);
    handle.setAttribute("aria-valuemax", xAxis.max);
    handle.setAttribute("aria-valuenow", k);
    handle.setAttribute("aria-label", figure.x?.title ?? "k");
    handle.setAttribute("aria-valuetext", xAxis.names?.[k - xAxis.min]?.join(", ") ?? text);
}

function moveHandle(host, k) {
    const { figure, xAxis } = state.get(host);
    const wanted = Math.round(Math.min(xAxis.max, Math.max(xAxis.min, k)));
    if (wanted === figure.handle) return;
    figure.handle = wanted; // the next key starts from here, even if it comes before the next frame
    host.dispatchEvent(new CustomEvent("at-k:handle", { bubbles: true, detail: { k: wanted } }));
}

function nearestK(drawn, pixel) {
    const wish = drawn.plot.x.invert(pixel);
    if (drawn.figure.handle !== undefined) return Math.round(wish);
    const every = drawn.lines.flatMap(line => [...line.x]);
    return every.reduce((best, x) => (Math.abs(drawn.plot.x(x) - pixel) < Math.abs(drawn.plot.x(best) - pixel) ? x : best), every[0]);
}

function listen(host, svg) {
    const at = event => event.clientX - svg.getBoundingClientRect().left;
    const inside = event => {
        const { plot } = state.get(host);
        const box = svg.getBoundingClientRect();
        const y = event.clientY - box.top;
        return plot && at(event) >= plot.left - 14 && at(event) <= plot.right + 14 && y >= plot.top - 10 && y <= plot.bottom + 26;
    };
    let dragging = false;
    svg.addEventListener("pointerdown", event => {
        const drawn = state.get(host);
        if (event.button !== 0 || drawn.figure.kind !== "lines" || !inside(event)) return;
        if (drawn.figure.handle === undefined) {
            point(event);
            return;
        }
        dragging = true;
        svg.setPointerCapture(event.pointerId);
        drawn.handle?.focus({ preventScroll: true });
        moveHandle(host, drawn.plot.x.invert(at(event)));
    });
    const point = event => {
        const drawn = state.get(host);
        if (drawn.figure.kind !== "lines") return;
        if (dragging) moveHandle(host, drawn.plot.x.invert(at(event)));
        else if (inside(event)) tell(nearestK(drawn, at(event)));
        else tell();
    };
    let told;
    const tell = k => {
        const drawn = state.get(host);
        if (drawn.figure.kind !== "lines") return;
        drawValues(drawn, k ?? drawn.figure.handle, k !== undefined);
        if (k !== told) host.dispatchEvent(new CustomEvent("at-k:point", { bubbles: true, detail: { k } }));
        told = k;
    };
    const end = () => { dragging = false; };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
    svg.addEventListener("pointerleave", () => tell());
    for (const kind of ["pointerover", "focusin"]) svg.addEventListener(kind, event => showBand(state.get(host), event.target.closest?.("[data-name]")?.dataset.name));
    svg.addEventListener("keydown", event => {
        const { figure, xAxis } = state.get(host);
        if (!event.target.closest?.(".handle")) return;
        const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
        const ends = { Home: xAxis.min, End: xAxis.max };
        const wanted = event.key in ends ? ends[event.key] : figure.handle + (steps[event.key] ?? NaN);
        if (Number.isNaN(wanted)) return;
        event.preventDefault();
        moveHandle(host, wanted);
    });
    svg.addEventListener("click", event => {
        const name = event.target.closest?.("[data-problem]")?.dataset.problem ?? findRow(host, event);
        if (name !== undefined && name !== null) {
            host.dispatchEvent(new CustomEvent("at-k:problem", { bubbles: true, detail: { name } }));
        }
    });
}

// ---------------------------------------------------------------- scatter, squares

function drawScatter(figure, svg, width) {
    const xAxis = withLimits(figure.x, figure.points.map(point => point.x));
    const yAxis = withLimits(figure.y, figure.points.map(point => point.y));
    const height = figure.height ?? Math.min(width, 440);
    const xTicks = ({ left, right }) => findTicks(xAxis.min, xAxis.max, (right - left) / 80);
    const plot = makePlot(svg, width, height, xAxis, yAxis, { square: figure.square !== false, xTicks });
    const { still } = plot;
    if (figure.diagonal !== false) {
        make("line", { class: "guide", x1: plot.left, y1: plot.bottom, x2: plot.right, y2: plot.top }, still);
    }
    for (const point of figure.points) {
        const radius = Math.min(14, 3.5 + 1.5 * Math.sqrt(point.count ?? 1));
        const dot = make("circle", {
            class: "point", cx: round(plot.x(point.x)), cy: round(plot.y(point.y)), r: round(radius), fill: colour(point.color ?? figure.color ?? "a"),
            "data-problem": point.name, tabindex: point.name === undefined ? undefined : -1,
        }, still);
        make("title", {}, dot, point.title ?? [point.name, point.count > 1 ? `× ${point.count}` : ""].filter(Boolean).join(" "));
    }
    return { height };
}

/** Return the samples of a row: "1101?" as given, or the right ones first. */
const samplesOf = row => row.samples ?? "1".repeat(row.right) + "0".repeat(row.n - row.right);

/** Draw problems as rows and samples as squares; many rows in several columns. */
function drawSquares(figure, svg, width) {
    const rows = figure.rows.map(samplesOf);
    const most = Math.max(1, ...rows.map(row => row.length));
    const wish = figure.height ?? (width < NARROW ? 320 : 400);
    // The number of columns with which squares are largest within the wished height.
    let best = { size: 0 };
    for (let blocks = 1; blocks <= Math.max(1, rows.length); blocks++) {
        const down = Math.ceil(rows.length / blocks);
        const size = Math.min(32, width / (most * blocks + (blocks - 1) * 0.8), figure.height === null ? Infinity : wish / down);
        if (size > best.size) best = { size, blocks, down };
    }
    const { size, down } = best;
    const gap = size > 9 ? 3 : size > 4 ? 1 : 0.5;
    const side = Math.max(0.5, size - gap);
    const radius = Math.min(3.5, side / 5);
    const square = (x, y) => `M${round(x + radius)} ${round(y)}h${round(side - 2 * radius)}q${radius} 0 ${radius} ${radius}v${round(side - 2 * radius)}q0 ${radius} ${-radius} ${radius}h${-round(side - 2 * radius)}q${-radius} 0 ${-radius} ${-radius}v${-round(side - 2 * radius)}q0 ${-radius} ${radius} ${-radius}z`;
    const paths = { 1: [], 0: [], "?": [] };
    rows.forEach((row, i) => {
        const left = Math.floor(i / down) * (most + 0.8) * size;
        const top = (i % down) * size;
        [...row].forEach((sample, j) => (paths[sample] ?? paths["?"]).push(square(left + j * size, top)));
    });
    const height = Math.ceil(down * size);
    const still = make("g", {}, svg);
    make("path", { class: "wrong", d: paths[0].join(""), "data-count": paths[0].length }, still);
    make("path", { class: "missing", d: paths["?"].join(""), "data-count": paths["?"].length }, still);
    make("path", { class: "right", d: paths[1].join(""), fill: colour(figure.color ?? "pass"), "data-count": paths[1].length }, still);
    for (const [row, place] of figure.drawn ?? []) {
        make("rect", { class: "drawn", x: round(place * size), y: round(row * size), width: round(side), height: round(side), rx: radius }, still);
    }
    return { height, squares: { size, down, most } };
}

function findRow(host, event) {
    const { squares, figure, svg } = state.get(host);
    if (!squares) return undefined;
    const box = svg.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / ((squares.most + 0.8) * squares.size));
    const row = Math.floor((event.clientY - box.top) / squares.size);
    return row < squares.down ? figure.rows[column * squares.down + row]?.name : undefined;
}

// ---------------------------------------------------------------- drawing

const KINDS = { lines: drawLines, scatter: drawScatter, squares: drawSquares };

/** Draw a figure in an element: a description as data, see `at_k.demo.figures`. */
export function drawFigure(host, figure) {
    const before = state.get(host);
    const width = Math.floor(host.clientWidth);
    if (width < 40 || !KINDS[figure.kind]) {
        state.set(host, { ...before, figure, width: 0 });
        widths.observe(host);
        return;
    }
    let { svg } = before ?? {};
    if (!svg?.isConnected || svg.parentNode !== host) {
        svg = make("svg", { role: "img" });
        host.replaceChildren(svg);
        listen(host, svg);
    }
    // The handle stays, or it would lose the focus; all else is made anew, which takes less than a millisecond.
    const handle = before?.svg === svg ? before.handle : undefined;
    for (const child of [...svg.childNodes]) if (child !== handle) child.remove();
    const content = make("g", {});
    svg.prepend(content);
    const drawn = { ...before, squares: undefined, bands: undefined, figure, svg, handle, width, ...KINDS[figure.kind](figure, content, width) };
    svg.setAttribute("width", width);
    svg.setAttribute("height", drawn.height);
    svg.setAttribute("viewBox", `0 0 ${width} ${drawn.height}`);
    // With a handle or buttons in it, it is a group: what is within an image is not read out.
    svg.setAttribute("role", drawn.bands || Number.isFinite(figure.handle) ? "group" : "img");
    svg.setAttribute("aria-label", figure.label ?? figure.title ?? "");
    state.set(host, drawn);
    if (figure.kind === "lines") {
        drawValues(drawn, figure.handle, false);
        showHandle(host);
    }
    clearTimeout(before?.waiting);
    drawn.waiting = setTimeout(() => writeTable(host, figure), TABLE_WAIT);
    widths.observe(host);
}

/** List the numbers of a figure: heads, and rows of cells. */
function listNumbers(figure) {
    const { kind, x, y, points, rows } = figure;
    if (kind === "lines") {
        const lines = shownLines(figure);
        const every = [...new Set(lines.flatMap(line => [...line.x]))].sort((a, b) => a - b);
        const write = value => (Number.isFinite(value) ? (y?.percent ? writeTick(value, y) : writeNumber(value)) : "–");
        return [[x?.title ?? "k", ...lines.map(line => line.words ?? line.name)], every.map(k => [k, ...lines.map(line => write(findValue(line, k)))])];
    }
    if (kind === "scatter") return [["", x?.title ?? "", y?.title ?? ""], points.map(point => [point.title ?? point.name, writeNumber(point.x), writeNumber(point.y)])];
    return [["", "✓"], rows.map(row => [row.name, `${[...samplesOf(row)].filter(sample => sample === "1").length}/${samplesOf(row).length}`])];
}

/** Write the numbers of a figure as a table that is read out, and not seen. */
function writeTable(host, figure) {
    const { svg } = state.get(host);
    if (!svg.isConnected) return;
    const table = document.createElement("table");
    table.createCaption().textContent = figure.label ?? figure.title;
    const [heads, rows] = listNumbers(figure);
    for (const cells of [heads, ...rows]) {
        const row = table.insertRow();
        cells.forEach((cell, i) => {
            const head = cells === heads ? "col" : i ? null : "row";
            const place = head && cell !== "" ? Object.assign(document.createElement("th"), { scope: head }) : document.createElement("td");
            place.textContent = cell;
            row.append(place);
        });
    }
    const unseen = Object.assign(document.createElement("div"), { className: "unseen" });
    unseen.append(table);
    host.querySelector(".unseen")?.remove();
    host.append(unseen);
}

const widths = new ResizeObserver(entries => {
    for (const { target } of entries) {
        const drawn = state.get(target);
        if (drawn && Math.floor(target.clientWidth) !== drawn.width) drawFigure(target, drawn.figure);
    }
});

function readFigure(host) {
    const text = host.dataset.figure;
    if (text === undefined || state.get(host)?.text === text) return;
    try {
        drawFigure(host, JSON.parse(text));
    } catch (reason) {
        console.error("a figure cannot be drawn:", reason);
    }
    state.set(host, { ...state.get(host), text });
}

function readAll() {
    for (const host of document.querySelectorAll(".figure[data-figure]")) readFigure(host);
}

// ---------------------------------------------------------------- downloads

/** Return a figure as the text of an SVG on white, with its title, the titles of its axes and the data's name. */
export function writeSvg(figure) {
    const host = document.createElement("div");
    host.className = "figure at-k-print";
    host.style.cssText = `position: absolute; left: -9999px; top: 0; width: ${SAVED_WIDTH}px`;
    document.body.append(host);
    try {
        drawFigure(host, { ...figure, handle: undefined });
        const { svg, height } = state.get(host);
        const lines = [figure.title, figure.data].filter(Boolean);
        const above = 20 + 24 * lines.length;
        for (const element of [svg, ...svg.querySelectorAll("*")]) copyStyle(element);
        const saved = make("svg", {
            xmlns: SVG, width: SAVED_WIDTH + 40, height: height + above + 20, viewBox: `0 0 ${SAVED_WIDTH + 40} ${height + above + 20}`,
            "font-family": "system-ui, 'Segoe UI', 'Noto Sans', 'Noto Sans CJK SC', sans-serif",
        });
        make("rect", { width: "100%", height: "100%", fill: "#ffffff" }, saved);
        lines.forEach((line, i) => make("text", {
            x: 20, y: 30 + 24 * i, "font-size": i ? 14 : 18, "font-weight": i ? 400 : 600, fill: i ? "#5b626e" : "#16181d",
        }, saved, line));
        const inner = make("g", { transform: `translate(20 ${above})` }, saved);
        inner.append(...svg.childNodes);
        return new XMLSerializer().serializeToString(saved);
    } finally {
        widths.unobserve(host);
        host.remove();
    }
}

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "font-size", "font-weight", "opacity", "paint-order"];

function copyStyle(element) {
    const style = getComputedStyle(element);
    for (const name of STYLES) {
        const value = style.getPropertyValue(name);
        if (name === "fill" || !["", "none", "normal", "auto"].includes(value)) element.setAttribute(name, value);
    }
    for (const name of ["class", "tabindex", "data-problem", "data-name"]) element.removeAttribute(name);
}

function download(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Return a figure's SVG as a PNG of twice its size. */
async function drawPng(svg) {
    const picture = new Image();
    picture.src = URL.createObjectURL(svg);
    await picture.decode();
    const drawing = document.createElement("canvas");
    [drawing.width, drawing.height] = [picture.width * 2, picture.height * 2];
    drawing.getContext("2d").drawImage(picture, 0, 0, drawing.width, drawing.height);
    URL.revokeObjectURL(picture.src);
    return new Promise(done => { drawing.toBlob(done, "image/png"); });
}

// <button data-save="png" data-of="#score_curves">: saves the figure that the element is.
document.addEventListener("click", async event => {
    const button = event.target.closest?.("[data-save]");
    const place = button && document.querySelector(button.dataset.of);
    const figure = state.get(place?.querySelector(".figure") ?? place)?.figure;
    if (!figure) return;
    const svg = new Blob([writeSvg(figure)], { type: "image/svg+xml" });
    download(button.dataset.save === "png" ? await drawPng(svg) : svg, `${figure.name ?? "at-k"}.${button.dataset.save}`);
});

// Figures come with the parts of a page.
new MutationObserver(readAll).observe(document.documentElement, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["data-figure"],
});
readAll();
