// Where results come from: a file that is opened or dropped, a text that is pasted, an example; and what mends a refusal.

import { button, make, mark, say } from "./base.js";

const LONGEST = 1500; // characters of a text that an address carries

/** Read the text that an address carries after its #; null if it carries none. */
export function readHash(name = "data") {
  const found = new URLSearchParams(location.hash.slice(1)).get(name);
  return found ? { text: found } : null;
}

/** Write short texts as the end of an address; empty if one is too long. */
export function writeHash(given) {
  const pairs = Object.entries(given).filter(([, each]) => each?.text !== undefined);
  if (!pairs.length || pairs.some(([, each]) => each.text.length > LONGEST)) return "";
  return `#${new URLSearchParams(pairs.map(([name, each]) => [name, each.text]))}`;
}

/** Whether results can stand in an address. */
export const isCarried = (given) => given?.text !== undefined && given.text.length <= LONGEST;

/** Read files that were opened, dropped or pasted. */
export async function read(files, take, refuse) {
  const { readFiles } = await import("./reader.js");
  const found = await readFiles(files);
  if (found.refused) refuse({ error: found.refused, mends: [] });
  else if (Array.isArray(found.packed)) take(found.packed);
  else take({ name: found.name, text: found.text, packed: found.packed });
}

/** A button that opens files. */
export function makeOpen(take) {
  const input = make("input", { type: "file", multiple: true, "aria-label": say("Open a file"), onchange: (event) => take(event.target.files) });
  return make("label", { class: "open solid" }, say("Open a file"), input);
}

/** Make a box to paste results into, and the button that unfolds it. */
export function makePaste(take) {
  const box = make("textarea", { "aria-label": say("Paste results"), placeholder: say("Lines of JSON or CSV, a table, or the address of a file on the Hub"), spellcheck: false });
  const paste = make("div", { hidden: true, class: "paste" }, box, button(say("Read"), () => box.value.trim() && take(box.value), { class: "solid" }));
  const unfold = button(say("Paste"), () => { paste.hidden = !paste.hidden; unfold.setAttribute("aria-expanded", String(!paste.hidden)); if (!paste.hidden) box.focus(); }, { "aria-expanded": "false" });
  return [unfold, paste];
}

/**
 * Write the line above a report: what it is of, examples, a button that opens files, and a box to paste into.
 *
 * `take` gets results as the endpoints take them; `refuse` what is wrong with a file.
 */
export function makeSource({ name, size, examples = [], take, refuse, label = null, drops = true, said = [] }) {
  const [unfold, paste] = makePaste((text) => take({ text }));
  if (drops) catchGiven((files) => read(files, take, refuse), (text) => take({ text }));
  return [
    label, make("b", {}, name), make("span", {}, size ?? ""),
    ...examples.map(([text, open]) => button(text, open)),
    make("span", { class: "right" }, unfold, makeOpen((files) => read(files, take, refuse))),
    paste,
    said.length > 0 && make("p", { class: "read" }, said.join(" · ")),
  ].filter(Boolean);
}

let catcher = null;

/** Take files that are dropped on the page, and texts that are pasted into it. */
export function catchGiven(take, paste) {
  const first = catcher === null;
  catcher = { take, paste };
  if (!first) return;
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) catcher.take(event.dataTransfer.files);
  });
  document.addEventListener("paste", (event) => {
    if (event.target.closest("input, textarea")) return;
    const { files } = event.clipboardData;
    const text = event.clipboardData.getData("text");
    if (files.length) catcher.take(files);
    else if (text.trim()) catcher.paste(text);
  });
}

/** Write why something was refused, or a note, with a button for each choice that helps. */
export function makeNotice(found, mend, kind = "note") {
  const buttons = found.mends.map((each) => button(each.label, () => mend(each)));
  const columns = found.columns?.length > 1 && makeColumns(found.columns, (chosen) => mend({ set: { columns: chosen }, side: found.side }));
  return make("div", { class: kind }, make("span", {}, mark(found.error ?? found.text)), buttons.length > 0 && make("div", { class: "mends" }, ...buttons), columns);
}

/** Let a visitor say which column names the problem, and which has the verdicts. */
function makeColumns(columns, choose) {
  const chosen = {};
  const select = ([role, label]) => make("label", {}, label, make("select", { onchange: (event) => { chosen[role] = event.target.value; if (chosen.problem && chosen.grades) choose(chosen); } },
    make("option", { value: "" }, "–"), ...columns.map((each) => make("option", { value: each }, each))));
  return make("div", { class: "fields" }, ...[["problem", say("Problem")], ["grades", say("Verdicts")]].map(select));
}

/** Merge the options of a choice into those that are set; columns join those that are chosen. */
export function merge(options, more) {
  const found = { ...options, ...more };
  for (const name of ["columns", "where"]) if (more[name] && options[name]) found[name] = { ...options[name], ...more[name] };
  for (const name of ["correct", "wrong", "unjudged"]) if (more[name] && options[name]) found[name] = [...options[name], ...more[name]];
  return found;
}

/** Read options from the state of an address, and write them. */
export const readOptions = (state, prefix = "o.") => Object.fromEntries(Object.entries(state).filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), readValue(value)]));
export const writeOptions = (options, prefix = "o.") => Object.fromEntries(Object.entries(options).map(([name, value]) => [`${prefix}${name}`, typeof value === "string" ? value : JSON.stringify(value)]));

function readValue(text) {
  try {
    const found = JSON.parse(text);
    return typeof found === "object" ? found : text;
  } catch {
    return text;
  }
}
