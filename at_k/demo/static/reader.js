// Reads files that a visitor opens, drops or pastes. What is larger than the page takes loses the columns that are not
// needed, as it is read: whole completions beside verdicts.

import { say } from "./base.js";
import { LIMIT, PROBLEMS, VERDICTS } from "./rules.js";

const LOOKED_AT = 200; // rows from which it is decided which columns are needed
const SHORT = 64; // characters of a cell, or of an item of a list, on average, up to which a column is kept
const PACKED = ["31,139", "40,181,47,253", "80,75,3,4", "80,75,5,6", "80,65,82,49"]; // gzip, Zstandard, zip, Parquet
const GZIP = PACKED[0];

/** A file that cannot be used, and the reason in the language of the page. */
class Refused extends Error {}

function refuse(words, values = {}) {
  throw new Refused(say(words, values));
}

/** Read files: {name, text} of a text, {name, packed} of bytes, {refused} with the reason; of several, `packed` lists them. */
export async function readFiles(files) {
  if (files.length === 1) return { name: files[0].name, ...await readFile(files[0]) };
  const sorted = [...files].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  const packed = [];
  let size = 0;
  for (const file of sorted) {
    const found = await readFile(file);
    if (found.refused) return { refused: `${file.name}: ${found.refused}` };
    size += found.packed ? file.size : found.text.length;
    packed.push({ name: file.name, ...found });
    if (size > LIMIT) return { refused: say("These files are larger than 5 MB together. Score them on your own machine with `at-k score`.") };
  }
  const names = sorted.map((file) => file.name).join(", ");
  return { name: say("{count} files: {names}", { count: sorted.length, names }), packed };
}

async function readFile(file) {
  const marks = new Uint8Array(await file.slice(0, 4).arrayBuffer()).join();
  const isPacked = PACKED.some((mark) => marks.startsWith(mark));
  const isGzip = marks.startsWith(GZIP);
  try {
    if (file.size <= LIMIT && !(isGzip && await isLong(file))) return isPacked ? { packed: await readPacked(file) } : { text: await readText(file, marks) };
    if (isPacked && !isGzip) refuse("This file is larger than 5 MB. Score it on your own machine with `at-k score`.");
    return { text: await slim(file, isGzip) };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    return { refused: say("This file cannot be read to its end. Copy it again.") };
  }
}

const unpack = (file) => file.stream().pipeThrough(new DecompressionStream("gzip"));

async function isLong(file) {
  let size = 0;
  const reader = unpack(file).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > LIMIT) return true;
    }
  } catch { /* the server says what is wrong with the file */ } finally {
    reader.cancel().catch(() => {});
  }
  return false;
}

function readPacked(file) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result)); // base64, after a comma
    reader.readAsDataURL(file);
  });
}

async function readText(file, marks) {
  const bytes = await file.arrayBuffer();
  const encoding = { "255,254": "utf-16le", "254,255": "utf-16be" }[marks.split(",", 2).join()] ?? "utf-8";
  let text;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder("gb18030").decode(bytes); // what spreadsheets write in China
  }
  if (text.includes("\0")) refuse("This file is neither text nor of a kind that can be read here.");
  return text;
}

/** Read a large text without the columns that are not needed. */
async function slim(file, isGzip) {
  const stream = isGzip ? unpack(file) : file.stream();
  const reader = stream.pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
  const parts = [];
  let table = null;
  let size = 0;
  const collect = (text) => {
    size += text.length;
    if (size > LIMIT) refuse("Without {columns}, this file is still larger than 5 MB. Score it on your own machine with `at-k score`.", { columns: [...table.choice?.dropped ?? []].join(", ") });
    parts.push(text);
  };
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      table ??= startTable(part.value);
      collect(table.add(part.value));
    }
    if (!table) refuse("This file is larger than 5 MB. Score it on your own machine with `at-k score`.");
    collect(table.end());
  } finally {
    reader.cancel().catch(() => {});
  }
  return parts.join("");
}

function startTable(text) {
  const [first] = text.trimStart();
  if (first === "[") refuse("This file is larger than 5 MB, and one list of JSON. Write a line for each row (JSONL), and open it again.");
  if (first === undefined) refuse("This file is larger than 5 MB. Score it on your own machine with `at-k score`."); // it begins with nothing
  if (text.includes("\0")) refuse("This file is neither text nor of a kind that can be read here.");
  return first === "{" ? new Lines() : new Cells();
}

const normalize = (name) => name.trim().toLowerCase().replace(/[\s.-]+/g, "_");
const isNamed = (names) => (name) => names.includes(normalize(name));
const isProblem = isNamed(PROBLEMS);

const GRADE = /^(\[[\s\d.,a-z]*\]|true|false|null|none|[01](\.\d*)?)$/i;

/** The columns that are needed, by the first rows: objects from names to the raw text of a cell. */
class Choice {
  constructor(rows) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const cells = (name) => rows.map((row) => row[name]).filter((cell) => cell !== undefined && cell !== "");
    const verdicts = names.filter(isNamed(VERDICTS)).filter((name) => cells(name).every((cell) => GRADE.test(cell.trim())));
    if (!verdicts.length) refuse("This file is larger than 5 MB, and no column says which samples are correct. Leave out columns that are not needed.");
    const isShort = (name) => cells(name).reduce((sum, cell) => sum + measure(cell), 0) <= SHORT * cells(name).length;
    this.kept = new Set(names.filter((name) => verdicts.includes(name) || isShort(name)));
    const isListed = verdicts.some((name) => cells(name).every((cell) => cell.trimStart()[0] === "["));
    // Samples are brought together by the text of their problem if nothing shorter names it: the text is numbered.
    const isNumbered = !isListed && ![...this.kept].some(isProblem);
    this.numbered = isNumbered ? names.find(isProblem) : undefined;
    this.numbers = new Map();
    this.dropped = new Set(names.filter((name) => !this.kept.has(name) && name !== this.numbered));
  }

  /** Return the raw text that stands for a cell; null if its column is left out. */
  keep(name, raw, quote) {
    if (this.kept.has(name)) return raw;
    if (name === this.numbered) {
      if (!this.numbers.has(raw)) this.numbers.set(raw, this.numbers.size + 1);
      return quote(`${name} ${this.numbers.get(raw)}`);
    }
    if (this.dropped.has(name) || raw.length > SHORT) {
      this.dropped.add(name);
      return null;
    }
    this.kept.add(name); // a column that begins later
    return raw;
  }
}

/** The characters of a cell; of a list, those of its items on average. */
function measure(cell) {
  const text = cell.trim();
  if (text[0] !== "[") return text.length;
  try {
    const items = JSON.parse(text);
    return items.length ? text.length / items.length : 0;
  } catch {
    return text.length;
  }
}

// Numbers are passed on as they were written, where the browser tells that: one with many digits keeps them.
const keepDigits = (_, value, context) => (typeof value === "number" && context?.source && JSON.rawJSON ? JSON.rawJSON(context.source) : value);

/** JSON lines. A line that is empty stays one: lines are counted as in the file. */
class Lines {
  choice = null;
  first = [];
  rest = "";
  count = 0;

  add(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop();
    return lines.map((line) => this.pass(line)).join("");
  }

  end() {
    const last = this.pass(this.rest);
    return this.choice ? last : last + this.decide();
  }

  pass(line) {
    this.count += 1;
    const cells = this.split(line);
    if (this.choice) return this.write(cells);
    this.first.push(cells);
    return this.first.length === LOOKED_AT ? this.decide() : "";
  }

  split(line) {
    if (!line.trim()) return [];
    try {
      const row = JSON.parse(line, keepDigits);
      if (row.constructor === Object) return Object.entries(row).map(([name, value]) => [name, JSON.stringify(value)]);
    } catch { /* it is refused as what is no object */ }
    return refuse("Line {line} of this file is broken.", { line: this.count });
  }

  decide() {
    this.choice = new Choice(this.first.filter((cells) => cells.length).map(Object.fromEntries));
    return this.first.map((cells) => this.write(cells)).join("");
  }

  write(cells) {
    const kept = cells.map(([name, raw]) => [name, this.choice.keep(name, raw, JSON.stringify)]).filter(([, raw]) => raw !== null);
    return cells.length ? `{${kept.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(",")}}\n` : "\n";
  }
}

/** CSV or TSV, with a header line. */
class Cells {
  choice = null;
  first = [];
  cell = "";
  row = [];
  isQuoted = false; // inside quotation marks
  isEnded = false; // a quotation mark was just closed, or doubled
  header = null;
  delimiter = null;
  count = 0;
  start = "";

  add(text) {
    if (this.delimiter !== null) return this.pass(text);
    this.start += text;
    if (!this.start.includes("\n")) return "";
    const line = this.start.slice(0, this.start.indexOf("\n"));
    this.delimiter = line.includes("\t") ? "\t" : line.includes(";") && !line.includes(",") ? ";" : ",";
    this.marks = new RegExp(`["\\n${this.delimiter}]`, "g");
    return this.pass(this.start.replace(/^\ufeff/, ""));
  }

  pass(text) {
    let out = "";
    let from = 0;
    for (const mark of text.matchAll(this.marks)) {
      this.take(text.slice(from, mark.index));
      from = mark.index + 1;
      if (mark[0] === '"') {
        if (this.isEnded) this.cell += '"'; // it was doubled
        this.isEnded = this.isQuoted;
        this.isQuoted = !this.isQuoted;
      } else if (this.isQuoted) this.cell += mark[0];
      else {
        this.isEnded = false;
        this.row.push(this.cell);
        this.cell = "";
        if (mark[0] === "\n") out += this.finishRow();
      }
    }
    this.take(text.slice(from));
    return out;
  }

  take(piece) {
    this.cell += piece;
    if (piece) this.isEnded = false;
  }

  end() {
    let out = "";
    if (this.isQuoted) refuse("Line {line} of this file is broken.", { line: this.count + 1 });
    if (this.cell || this.row.length) {
      this.row.push(this.cell);
      out = this.finishRow();
    }
    return this.choice || !this.header ? out : out + this.decide();
  }

  finishRow() {
    const row = this.row.map((cell, i) => (i === this.row.length - 1 ? cell.replace(/\r$/, "") : cell));
    this.row = [];
    this.count += 1;
    if (row.length === 1 && row[0] === "") return "";
    if (!this.header) {
      this.header = row.map((name, i) => name.trim() || `column ${i + 1}`);
      return "";
    }
    if (row.length !== this.header.length || new Set(this.header).size < this.header.length) refuse("Line {line} of this file is broken.", { line: this.count });
    if (this.choice) return this.write(row);
    this.first.push(row);
    return this.first.length === LOOKED_AT ? this.decide() : "";
  }

  decide() {
    const rows = this.first.map((row) => Object.fromEntries(row.map((cell, i) => [this.header[i], cell])));
    this.choice = new Choice(rows);
    this.columns = this.header.filter((name) => !this.choice.dropped.has(name));
    return this.writeCells(this.columns) + this.first.map((row) => this.write(row)).join("");
  }

  write(row) {
    const places = this.columns.map((name) => this.header.indexOf(name));
    return this.writeCells(places.map((i) => this.choice.keep(this.header[i], row[i], (text) => text)));
  }

  writeCells(cells) {
    return `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(this.delimiter)}\n`;
  }
}
