// What every page shares: language, theme, address, elements, and the three endpoints.

import { chinese } from "./words.js";

const kept = { get: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
  set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* storage is closed */ } } };
const asked = new URLSearchParams(location.search);
const KEPT = ["lang", "theme", "embed"]; // of an address, whatever the page writes into it

/** The language of the page: the address says it, or an earlier choice, or the browser. */
export const language = ["en", "zh"].find((each) => each === asked.get("lang")) ?? kept.get("at-k-lang")
  ?? (navigator.language.startsWith("zh") ? "zh" : "en");

/** Return the words of a control in the language of the page, filled in. */
export function say(words, values = {}) {
  const text = language === "zh" ? chinese[words] ?? words : words;
  return text.replace(/\{(\w+)\}/g, (blank, name) => values[name] ?? blank);
}

/** Make an element: make("p", {class: "lead"}, "text", child). Texts are never read as HTML. */
export function make(name, attributes = {}, ...children) {
  const drawn = ["svg", "rect", "line", "path", "text", "g", "title"].includes(name);
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

export const at = (id) => document.getElementById(id);

/** Show a report: elements, without those that are false. */
export const fill = (...parts) => at("report").replaceChildren(...parts.filter(Boolean));

/** Return a button. */
export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

/** Join sentences; in Chinese, no space stands between them. */
export const join = (sentences) => sentences.join(language === "zh" ? "" : " ");

/** Write the parts of a text that are in backticks as code. */
export const mark = (text) => text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? make("code", {}, part) : part));

/** Read the state in the address: name → text. */
export function readState() {
  return Object.fromEntries([...new URLSearchParams(location.search)].filter(([name]) => ![...KEPT, "__theme", "__sign"].includes(name)));
}

let timer = 0;

/** Write the state of the page into the address, a moment later: browsers refuse very many changes. */
export function writeState(state, hash = "") {
  document.body.classList.toggle("own", Boolean(state.own)); // nobody else can open such results
  clearTimeout(timer);
  timer = setTimeout(() => {
    const next = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined));
    for (const name of KEPT) if (asked.has(name)) next.set(name, asked.get(name));
    history.replaceState(null, "", `${location.pathname}${`${next}` && `?${next}`}${hash}`);
  }, 150);
}

/** Fetch an answer that was prepared. */
export async function fetchPrepared(name) {
  return (await fetch(`pages/data/${name}.${language}.json`)).json();
}

let latest = 0;

/** Ask an endpoint: what it answers, {error, mends} if it cannot, or null if a later question came first. */
export async function ask(name, values) {
  const own = ++latest;
  const main = document.querySelector("main");
  main.classList.add("busy");
  main.setAttribute("aria-busy", "true");
  let found;
  try {
    const body = JSON.stringify({ ...values, language, session });
    const answer = await fetch(`api/${name}`, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    found = await answer.json();
  } catch {
    found = { error: say("The server does not answer. Try again in a moment."), mends: [] };
  }
  if (own !== latest) return null;
  main.classList.remove("busy");
  main.removeAttribute("aria-busy");
  return found;
}

const session = Math.random().toString(36).slice(2);

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

function turnTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  setTheme(dark ? "light" : "dark");
  kept.set("at-k-theme", dark ? "light" : "dark");
}

function turnLanguage() {
  const next = language === "zh" ? "en" : "zh";
  kept.set("at-k-lang", next);
  const state = new URLSearchParams(location.search);
  state.set("lang", next);
  location.search = state;
}

async function copyLink(event) {
  await copy(location.href, event.target);
}

/** Copy a text, and say so on the button that was pressed. */
export async function copy(text, pressed) {
  const before = pressed.textContent;
  try {
    await navigator.clipboard.writeText(text);
    pressed.textContent = say("Copied");
  } catch {
    pressed.textContent = say("Copying is not allowed here");
  }
  setTimeout(() => { pressed.textContent = before; }, 1500);
}

/** A command or a script, with a button that copies it. */
export function makeCode(text) {
  return make("div", {}, make("pre", { tabindex: 0 }, text), button(say("Copy"), (event) => copy(text, event.target)));
}

const CONTROLS = "a, button, input, select, summary, [tabindex]";

/** Draw anew, and put the focus back on the control at the same place: who uses keys goes on from there. */
export function keepFocus(draw) {
  const focused = document.activeElement;
  const place = focused?.closest("main [id]");
  const index = place ? [...place.querySelectorAll(CONTROLS)].indexOf(focused) : -1;
  draw();
  if (index >= 0 && document.activeElement !== focused) place.querySelectorAll(CONTROLS)[index]?.focus({ preventScroll: true });
}

/** A part that unfolds. */
export function fold(title, ...inside) {
  return make("details", {}, make("summary", {}, title), make("div", {}, ...inside));
}

setTheme(["light", "dark"].find((each) => each === asked.get("theme") || each === asked.get("__theme")) ?? kept.get("at-k-theme"));
document.body.classList.toggle("embedded", asked.has("embed"));
document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.textContent.trim());
for (const link of document.querySelectorAll("header nav a")) {
  const { id } = document.querySelector("main");
  if (link.getAttribute("href") === (id.includes("_at_") ? "gpassk" : id)) link.setAttribute("aria-current", "page");
  const keep = new URLSearchParams(["lang", "theme"].filter((name) => asked.has(name)).map((name) => [name, asked.get(name)]));
  if (`${keep}`) link.setAttribute("href", `${link.getAttribute("href")}?${keep}`); // relative, as others look for it
}
document.querySelector(".tools").append(
  button(language === "zh" ? "EN" : "中文", turnLanguage, { lang: language === "zh" ? "en" : "zh-CN" }),
  button("◐", turnTheme, { "aria-label": say("Light or dark"), title: say("Light or dark") }),
  button(say("Copy link"), copyLink),
);
