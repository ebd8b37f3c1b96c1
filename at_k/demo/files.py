"""The button that opens files. The visitor's browser reads it; the server gets its content, and stores nothing."""

from __future__ import annotations

from typing import Any

from at_k.demo.limits import LIMITS
from at_k.demo.words import WORDS
from at_k.readers.roles import VERDICT_NAMES
from at_k.readers.table import PROBLEM_NAMES

MARKUP = """
<label class="file-input"><span>{open_file}</span>
<input type="file" multiple
accept=".json,.jsonl,.ndjson,.csv,.tsv,.txt,.eval,.parquet,.gz,.zst,.zip,application/json"></label>
<span class="file-hint">{drop_file}</span>
"""

ON_LOAD = """
const rules = RULES;
rules.words = rules.words[navigator.language.startsWith("zh") ? 1 : 0];
const { words } = rules;
const input = element.querySelector("input");
const label = element.querySelector("label span");
label.textContent = words.open_file;
element.querySelector(".file-hint").textContent = words.drop_file;
const reading = import(new URL("READER", document.baseURI));
input.addEventListener("change", async () => {
    const files = [...input.files];
    if (!files.length) return;
    const { readFiles } = await reading;
    const show = share => { label.textContent = words.reading_file.replace("{share}", Math.round(100 * share)); };
    const found = await readFiles(files, rules, show);
    label.textContent = words.open_file;
    input.value = "";  // so that the same files can be opened again
    const time = Date.now();  // so that the value changes
    if (found.refused) {
        props.value = { ...props.value, refused: found.refused, time };
        return;
    }
    const dropped = found.dropped?.length ? words.file_slimmed.replace("{columns}", found.dropped.join(", ")) : "";
    props.value = { ...found, time, dropped };
    trigger("submit");
});
"""

TO_MESSAGES = """opened => ["refused", "opened"].map(kind => {
    const said = document.createElement("p");
    said.className = kind;
    said.setAttribute("role", kind === "refused" ? "alert" : "status");
    const about = [opened?.packed && opened.name, opened?.dropped].filter(Boolean).join(". ");
    said.textContent = kind === "refused" ? opened?.refused : about;
    return said.textContent && said.outerHTML;
})"""
"""Make the message why a file cannot be used, and what is said of the one that is open; runs after a change."""

TO_TEXT = """opened => [
    opened.text ?? "", null, opened.packed ? opened : { dropped: opened.dropped }, opened.name
]"""
"""Take the text of a file and its name, and clear the choice of an example; runs after a file was submitted. A file
that is not text stays where it is."""

FORGET = "(text, opened) => text.trim() && opened?.packed ? null : opened"
"""Forget a file that is not text if a text has taken its place; runs whenever the text changes."""


_NAMES = (
    *("open_file", "drop_file", "reading_file", "file_slimmed", "file_too_large", "file_not_text", "file_array"),
    *("several_files", "files_too_large", "file_broken", "file_line", "file_no_verdicts", "file_still_large"),
)
"""The words of `assets/reader.js`."""


def list_rules() -> dict[str, Any]:
    """List what `assets/reader.js` must know: the limit in bytes, the columns that it keeps, and words per language."""
    words = [{name: WORDS[f"score.{name}"][place] for name in _NAMES} for place in range(2)]
    return {"limit": LIMITS.max_bytes, "verdicts": VERDICT_NAMES, "problems": PROBLEM_NAMES, "words": words}
