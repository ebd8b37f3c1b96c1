// The address: page, language, theme, and the state of each page. And the words and the header of every page.
//
//     import { getState, onState, setState } from "./address.js";
//     setState("explore", { n: 64, c: 32 }); // ?page=explore&n=64&c=32, a moment later
//     onState("explore", state => …);              // called when a visitor goes back or forward

const OWN = new Set(["page", "open", "lang", "theme", "__theme", "__sign"]);
const KEPT = "at-k-states";
const WAIT = 250; // browsers refuse more than some hundred changes of the address in half a minute

const header = document.querySelector(".at-k-header");

/** The words of the visitor's language, by key: the files of words that `at_k.demo.shell` names. */
const words = JSON.parse(document.getElementById("at-k-words")?.textContent ?? "{}");

/** Return the words of a key, filled in with the values of its blanks. */
export function say(key, values = {}) {
    return (words[key] ?? key).replace(/\{(\w+)\}/g, (blank, name) => (name in values ? String(values[name]) : blank));
}

/** The language of the page, "en" or "zh". */
export const language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

const states = readKept();
const listeners = {};
let page = null;
let timer = 0;

function readKept() {
    try {
        return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
    } catch {
        return {};
    }
}

function keep() {
    try {
        sessionStorage.setItem(KEPT, JSON.stringify(states));
    } catch { /* storage is closed or full: the address still has the state of the page in sight */ }
}

function readAddress() {
    const asked = new URLSearchParams(location.search);
    const known = pages();
    const named = asked.get("page") ?? asked.get("open");
    const found = known.includes(named) ? named : document.documentElement.dataset.start ?? known[0];
    const own = Object.fromEntries([...asked].filter(([name]) => !OWN.has(name)));
    return [found, own];
}

function pages() {
    return [...document.querySelectorAll("[data-section]")].map(section => section.dataset.section);
}

/** Return the page that is open. */
export function getPage() {
    return page;
}

/** Return the state of a page, names → texts. */
export function getState(name) {
    return { ...states[name] };
}

/** Change the state of a page: the names that are given; `null` removes one. The address follows a moment later. */
export function setState(name, values) {
    const state = { ...states[name] };
    for (const [key, value] of Object.entries(values)) {
        if (value === null || value === undefined || value === "") delete state[key];
        else state[key] = String(value);
    }
    states[name] = state;
    if (name === page) {
        clearTimeout(timer);
        timer = setTimeout(writeAddress, WAIT);
    }
}

/** Call a function with the state of a page whenever a visitor goes back or forward to another one. */
export function onState(name, listener) {
    (listeners[name] ??= []).push(listener);
}

/** Return the address of what is in sight. */
export function makeLink() {
    const now = new URLSearchParams(location.search);
    const parts = new URLSearchParams({ page });
    for (const name of ["lang", "theme"]) if (now.get(name)) parts.set(name, now.get(name));
    for (const [name, value] of Object.entries(states[page] ?? {})) parts.set(name, value);
    return `${location.pathname}?${parts}`;
}

function writeAddress(push = false) {
    clearTimeout(timer);
    keep();
    const link = makeLink();
    if (link !== location.pathname + location.search) history[push === true ? "pushState" : "replaceState"](null, "", link);
}

/** Open a page, as a click on its link does. */
export function openPage(name, { push = true } = {}) {
    if (name === page || !pages().includes(name)) return;
    if (push) writeAddress();
    page = name;
    for (const link of document.querySelectorAll("nav a, .at-k-footer a[data-page]")) {
        if (link.dataset.page === name) {
            link.setAttribute("aria-current", "page");
            link.scrollIntoView({ block: "nearest", inline: "nearest" });
        } else link.removeAttribute("aria-current");
    }
    document.documentElement.dataset.page = name;
    document.title = `at-k · ${words.titles[name]}`;
    for (const section of document.querySelectorAll("[data-section]")) section.hidden = section.dataset.section !== name;
    if (push) {
        writeAddress(true);
        scrollTo(0, 0);
    }
    document.dispatchEvent(new CustomEvent("at-k:page", { detail: { name } }));
}

function goTo() {
    const [name, state] = readAddress();
    states[name] = state;
    keep();
    openPage(name, { push: false });
    for (const listener of listeners[name] ?? []) listener(getState(name));
}

function start() {
    const [name, state] = readAddress();
    // A link without any state opens a page as it was left in this tab of the browser.
    if (Object.keys(state).length || !states[name]) states[name] = state;
    openPage(name, { push: false });
    addEventListener("popstate", goTo);
    addEventListener("pagehide", () => writeAddress());
    document.addEventListener("click", follow);
    nameTheme();
}

const THEMES = ["system", "light", "dark"];

function nameTheme() {
    const button = header.querySelector("[data-theme]");
    const theme = document.documentElement.dataset.theme;
    button.textContent = { system: "◐", light: "☀", dark: "☾" }[theme];
    button.title = say(`app.theme_${theme}`);
    button.setAttribute("aria-label", button.title);
}

function follow(event) {
    const link = event.target.closest?.("a[data-page]");
    const plain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
    if (link && plain) {
        event.preventDefault();
        openPage(link.dataset.page);
        return;
    }
    const button = event.target.closest?.(".at-k-header button");
    if (!button) return;
    if (button.dataset.language) chooseLanguage(button.dataset.language);
    else if ("theme" in button.dataset) chooseTheme();
    else if ("copy" in button.dataset) copyLink(button);
}

function replaceAsked(name, value) {
    const asked = new URLSearchParams(location.search);
    asked.delete("__theme");
    asked.set(name, value);
    history.replaceState(null, "", `${location.pathname}?${asked}`);
}

// The words of a page come from the server as well as from the browser: it is loaded again, as it stands.
function chooseLanguage(chosen) {
    writeAddress();
    replaceAsked("lang", chosen);
    const framed = location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
    document.cookie = `at-k-language=${chosen}; path=/; max-age=31536000${framed}`;
    location.reload();
}

function chooseTheme() {
    const root = document.documentElement;
    root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
    writeAddress();
    replaceAsked("theme", root.dataset.theme);
    try {
        localStorage.setItem("at-k-theme", root.dataset.theme);
    } catch { /* the theme is chosen for this visit alone */ }
    nameTheme();
}

async function copyLink(button) {
    writeAddress();
    const text = location.origin + makeLink();
    document.dispatchEvent(new CustomEvent("at-k:link", { detail: { page } }));
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // A page in a frame may not use the clipboard: the link is shown, to be copied by hand.
        prompt(say("app.copy"), text);
        return;
    }
    button.textContent = say("app.copied");
    setTimeout(() => { button.textContent = say("app.copy"); }, 2000);
}

start();
