// Reads a file that a visitor opens, drops or pastes. What is larger than the page takes loses the columns that are not
// needed, as it is read: whole completions beside verdicts.

const LOOKED_AT = 200; // rows from which it is decided which columns are needed
const SHORT = 64; // characters of a cell, or of an item of a list, on average, up to which a column is kept
const PACKED = ["31,139", "40,181,47,253", "80,75,3,4", "80,75,5,6", "80,65,82,49"]; // gzip, Zstandard, zip, Parquet
const GZIP = PACKED[0];

/** A file that cannot be used, and the reason as words of the page. */
class Refused extends Error {}

/**
 * Read a file: {text} if it is text, {packed} with its bytes if it is not, {refused} with the reason.
 *
 * `rules` has the `limit` in bytes, the names of columns of `verdicts` and `problems`, and the `words`. `progress` is called
 * with the share that was read.
 */
export async function readFile(file, rules, progress = () => {}) {
    const { limit, words } = rules;
    const marks = new Uint8Array(await file.slice(0, 4).arrayBuffer()).join();
    const packed = PACKED.some(mark => marks.startsWith(mark));
    const gzip = marks.startsWith(GZIP);
    try {
        if (file.size <= limit && !(gzip && await isLong(file, limit))) {
            return packed ? { packed: await readPacked(file) } : { text: await readText(file, marks, words) };
        }
        if (packed && !gzip) throw new Refused(words.file_too_large);
        return await slim(file, gzip, rules, progress);
    } catch (error) {
        if (error instanceof Refused) return { refused: error.message };
        return { refused: words.file_broken };
    }
}

/** Read one file or several: as `readFile`, with the `name`. Of several, `packed` lists {name, text} or {name, packed}. */
export async function readFiles(files, rules, progress = () => {}) {
    if (files.length === 1) return { name: files[0].name, ...await readFile(files[0], rules, progress) };
    const sorted = [...files].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
    const packed = [];
    const dropped = [];
    let size = 0;
    for (const [place, file] of sorted.entries()) {
        const found = await readFile(file, rules, share => progress((place + share) / sorted.length));
        if (found.refused) return { refused: `${file.name}: ${found.refused}` };
        size += found.packed ? file.size : found.text.length;
        if (size > rules.limit) return { refused: rules.words.files_too_large };
        dropped.push(...found.dropped ?? []);
        packed.push({ name: file.name, text: found.text, packed: found.packed });
    }
    const names = sorted.map(file => file.name).join(", ");
    return { name: fill(rules.words.several_files, { count: sorted.length, names }), packed, dropped: [...new Set(dropped)] };
}

async function isLong(file, limit) {
    let size = 0;
    const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    try {
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            size += part.value.length;
            if (size > limit) return true;
        }
    } catch { /* the server says what is wrong with the file */ } finally {
        reader.cancel().catch(() => {});
    }
    return false;
}

function readPacked(file) {
    return new Promise(resolve => {
        const reader = new FileReader();
        reader.addEventListener("load", () => resolve(reader.result)); // base64, after a comma
        reader.readAsDataURL(file);
    });
}

async function readText(file, marks, words) {
    const bytes = await file.arrayBuffer();
    const encoding = /^255,254/.test(marks) ? "utf-16le" : /^254,255/.test(marks) ? "utf-16be" : "utf-8";
    let text;
    try {
        text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
        text = new TextDecoder("gb18030").decode(bytes); // what spreadsheets write in China
    }
    if (text.includes("\0")) throw new Refused(words.file_not_text);
    return text;
}

async function slim(file, gzip, rules, progress) {
    const { limit, words } = rules;
    let read = 0;
    const counted = new TransformStream({
        transform(part, out) {
            read += part.length;
            progress(read / file.size);
            out.enqueue(part);
        },
    });
    let stream = file.stream().pipeThrough(counted);
    if (gzip) stream = stream.pipeThrough(new DecompressionStream("gzip"));
    const reader = stream.pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
    let table = null;
    let size = 0;
    const parts = [];
    const collect = text => {
        size += text.length;
        if (size > limit) throw new Refused(fill(words.file_still_large, { columns: table.dropped.join(", ") }));
        parts.push(text);
    };
    try {
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            table ??= startTable(part.value, rules);
            collect(table.add(part.value));
        }
        if (!table) throw new Refused(words.file_too_large);
        collect(table.end());
    } finally {
        reader.cancel().catch(() => {});
    }
    return { text: parts.join(""), dropped: table.dropped, size: file.size };
}

function startTable(text, rules) {
    const first = text.trimStart()[0];
    if (first === "[") throw new Refused(rules.words.file_array);
    if (first === undefined) throw new Refused(rules.words.file_too_large); // it begins with nothing
    if (text.includes("\0")) throw new Refused(rules.words.file_not_text);
    return first === "{" ? new Lines(rules) : new Cells(rules);
}

/** Decides which columns are needed, from the first rows: objects from names to the raw text of a cell. */
class Choice {
    constructor(rows, rules) {
        const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
        const cells = name => rows.map(row => row[name]).filter(cell => cell !== undefined && cell !== "");
        const isVerdict = name => rules.verdicts.includes(normalize(name)) && cells(name).every(isGrade);
        if (!names.some(isVerdict)) throw new Refused(rules.words.file_no_verdicts);
        const isShort = name => cells(name).reduce((sum, cell) => sum + measure(cell), 0) <= SHORT * cells(name).length;
        this.kept = new Set(names.filter(name => isVerdict(name) || isShort(name)));
        const isProblem = name => rules.problems.includes(normalize(name));
        const listed = names.some(name => isVerdict(name) && cells(name).every(cell => cell.trimStart()[0] === "["));
        // Samples are brought together by the text of their problem if nothing shorter names it: the text is numbered.
        const numbered = listed || [...this.kept].some(isProblem) ? undefined : names.find(isProblem);
        this.numbered = numbered === undefined ? null : new Map();
        this.numberedName = numbered;
        this.dropped = new Set(names.filter(name => !this.kept.has(name) && name !== numbered));
    }

    /** Return the raw text that stands for a cell; null if its column is left out. */
    keep(name, raw, quote) {
        if (this.kept.has(name)) return raw;
        if (this.numbered && name === this.numberedName) {
            if (!this.numbered.has(raw)) this.numbered.set(raw, this.numbered.size + 1);
            return quote(`${name} ${this.numbered.get(raw)}`);
        }
        if (!this.dropped.has(name) && raw.length <= SHORT) {
            this.kept.add(name); // a column that begins later
            return raw;
        }
        this.dropped.add(name);
        return null;
    }
}

const normalize = name => name.trim().toLowerCase().replace(/[\s.-]+/g, "_");

const GRADE = /^(\[[\s\d.,a-z]*\]|true|false|null|none|[01](\.\d*)?)$/i;
const isGrade = cell => GRADE.test(cell.trim());

/** The characters of a cell; of a list, those of its items on average. */
function measure(cell) {
    const text = cell.trim();
    if (text[0] !== "[") return text.length;
    let items;
    try {
        items = JSON.parse(text);
    } catch {
        return text.length;
    }
    return items.length ? text.length / items.length : 0;
}

/** A text that is read in parts, of which the `first` rows decide which columns are kept. */
class Rows {
    first = [];
    choice = null;

    constructor(rules) {
        this.rules = rules;
    }

    get dropped() {
        return [...this.choice?.dropped ?? []];
    }
}

/** JSON lines. Cells are passed on as they were written: a number with many digits keeps them. */
class Lines extends Rows {
    rest = "";
    line = 0;

    add(text) {
        const lines = (this.rest + text).split("\n");
        this.rest = lines.pop();
        return this.pass(lines);
    }

    end() {
        const last = this.pass([this.rest]);
        return this.choice ? last : last + this.decide();
    }

    pass(lines) {
        let out = "";
        for (const line of lines) {
            this.line += 1;
            const cells = line.trim() ? splitObject(line) : [];
            if (cells === null) throw new Refused(fill(this.rules.words.file_line, { line: this.line }));
            if (this.choice) {
                out += this.write(cells);
                continue;
            }
            this.first.push(cells);
            if (this.first.length === LOOKED_AT) out += this.decide();
        }
        return out;
    }

    decide() {
        this.choice = new Choice(this.first.filter(cells => cells.length).map(Object.fromEntries), this.rules);
        const out = this.first.map(cells => this.write(cells)).join("");
        this.first = [];
        return out;
    }

    // A line that is empty stays one: lines are counted as in the file.
    write(cells) {
        const parts = [];
        for (const [name, raw] of cells) {
            const kept = this.choice.keep(name, raw, JSON.stringify);
            if (kept !== null) parts.push(`${JSON.stringify(name)}:${kept}`);
        }
        return cells.length ? `{${parts.join(",")}}\n` : "\n";
    }
}

/** Split an object into [name, raw text] of its members; null if it is not an object, or repeats a name. */
export function splitObject(line) {
    const found = [];
    const names = new Set();
    let at = skipBlanks(line, 0);
    if (line[at] !== "{") return null;
    at = skipBlanks(line, at + 1);
    if (line[at] === "}") return skipBlanks(line, at + 1) === line.length ? found : null;
    for (;;) {
        if (line[at] !== '"') return null;
        const nameEnd = endOfText(line, at);
        if (nameEnd < 0) return null;
        let name;
        try {
            name = JSON.parse(line.slice(at, nameEnd));
        } catch {
            return null;
        }
        if (names.has(name)) return null;
        names.add(name);
        at = skipBlanks(line, nameEnd);
        if (line[at] !== ":") return null;
        const start = skipBlanks(line, at + 1);
        const end = endOfValue(line, start);
        if (end <= start) return null;
        found.push([name, line.slice(start, end).trimEnd()]);
        at = skipBlanks(line, end);
        if (line[at] === "}") return skipBlanks(line, at + 1) === line.length ? found : null;
        if (line[at] !== ",") return null;
        at = skipBlanks(line, at + 1);
    }
}

function skipBlanks(line, at) {
    while (at < line.length && " \t\r\n".includes(line[at])) at += 1;
    return at;
}

/** Return the place after the quotation mark that ends a text; −1 if there is none. */
function endOfText(line, start) {
    for (let end = line.indexOf('"', start + 1); end >= 0; end = line.indexOf('"', end + 1)) {
        let slashes = 0;
        while (line[end - 1 - slashes] === "\\") slashes += 1;
        if (slashes % 2 === 0) return end + 1;
    }
    return -1;
}

const MARKS = /["[\]{},]/g;

function endOfValue(line, start) {
    let depth = 0;
    MARKS.lastIndex = start;
    for (let mark = MARKS.exec(line); mark; mark = MARKS.exec(line)) {
        if (mark[0] === '"') {
            const end = endOfText(line, mark.index);
            if (end < 0) return -1;
            MARKS.lastIndex = end;
        } else if (mark[0] === "[" || mark[0] === "{") depth += 1;
        else if (depth === 0) return mark.index;
        else if (mark[0] !== ",") depth -= 1;
    }
    return -1;
}

/** CSV or TSV, with a header line. */
class Cells extends Rows {
    cell = "";
    row = [];
    quoted = false; // inside quotation marks
    ended = false; // a quotation mark was just closed, or doubled
    header = null;
    delimiter = null;
    count = 0;
    start = "";

    add(text) {
        if (this.delimiter === null) {
            this.start += text;
            if (!this.start.includes("\n")) return "";
            const line = this.start.slice(0, this.start.indexOf("\n"));
            this.delimiter = line.includes("\t") ? "\t" : line.includes(";") && !line.includes(",") ? ";" : ",";
            this.marks = new RegExp(`["\\n${this.delimiter}]`, "g");
            [text, this.start] = [this.start.replace(/^\ufeff/, ""), ""];
        }
        let out = "";
        let from = 0;
        this.marks.lastIndex = 0;
        for (let mark = this.marks.exec(text); mark; mark = this.marks.exec(text)) {
            const piece = text.slice(from, mark.index);
            from = mark.index + 1;
            this.cell += piece;
            if (piece) this.ended = false;
            if (mark[0] === '"') {
                if (this.ended) this.cell += '"'; // it was doubled
                this.ended = this.quoted;
                this.quoted = !this.quoted;
            } else if (this.quoted) this.cell += mark[0];
            else {
                this.ended = false;
                this.row.push(this.cell);
                this.cell = "";
                if (mark[0] === "\n") out += this.finishRow();
            }
        }
        this.cell += text.slice(from);
        if (from < text.length) this.ended = false;
        return out;
    }

    end() {
        let out = "";
        if (this.quoted) throw new Refused(fill(this.rules.words.file_line, { line: this.count + 1 }));
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
        if (row.length !== this.header.length || new Set(this.header).size < this.header.length) {
            throw new Refused(fill(this.rules.words.file_line, { line: this.count }));
        }
        if (this.choice) return this.write(row);
        this.first.push(row);
        return this.first.length === LOOKED_AT ? this.decide() : "";
    }

    decide() {
        const rows = this.first.map(row => Object.fromEntries(row.map((cell, i) => [this.header[i], cell])));
        this.choice = new Choice(rows, this.rules);
        this.columns = this.header.filter(name => !this.choice.dropped.has(name));
        const out = this.writeCells(this.columns) + this.first.map(row => this.write(row)).join("");
        this.first = [];
        return out;
    }

    write(row) {
        const cells = [];
        row.forEach((cell, i) => {
            if (this.columns.includes(this.header[i])) cells.push(this.choice.keep(this.header[i], cell, text => text));
        });
        return this.writeCells(cells);
    }

    writeCells(cells) {
        return `${cells.map(cell => `"${cell.replaceAll('"', '""')}"`).join(this.delimiter)}\n`;
    }
}

function fill(text, values) {
    return text.replace(/\{(\w+)\}/g, (blank, name) => (name in values ? String(values[name]) : blank));
}
