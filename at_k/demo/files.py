"""The button that opens a file. The visitor's browser reads the file into a box; it is never uploaded or stored."""

from __future__ import annotations

import json

import gradio as gr

from at_k.demo.limits import LIMITS
from at_k.demo.words import WORDS

_MARKUP = """
<label class="file-input"><span>{open_file}</span>
<input type="file" accept=".json,.jsonl,.ndjson,.csv,.tsv,.txt,application/json,text/csv,text/plain"></label>
"""

_ON_LOAD = """
const words = WORDS[navigator.language.startsWith("zh") ? 1 : 0];
const input = element.querySelector("input");
element.querySelector("span").textContent = words.open_file;
input.addEventListener("change", async () => {
    const file = input.files[0];
    input.value = "";  // so that the same file can be opened again
    if (!file) return;
    const opened = { name: file.name, time: Date.now() };
    if (file.size > MAX_BYTES) {
        opened.refused = words.file_too_large;
    } else {
        const bytes = await file.arrayBuffer();
        const marks = new Uint8Array(bytes.slice(0, 2)).join();
        const encoding = marks === "255,254" ? "utf-16le" : marks === "254,255" ? "utf-16be" : "utf-8";
        try {
            opened.text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
        } catch {
            opened.text = new TextDecoder("gb18030").decode(bytes);  // what spreadsheets write in China
        }
        if (opened.text.includes("\\0")) {
            delete opened.text;
            opened.refused = words.file_not_text;
        }
    }
    props.value = opened;  // a change
    if (!opened.refused) trigger("submit");
});
"""

TO_MESSAGE = """opened => {
    if (!opened.refused) return "";
    const refused = document.createElement("p");
    refused.className = "refused";
    refused.setAttribute("role", "alert");
    refused.textContent = opened.refused;
    return refused.outerHTML;
}"""
"""Make the message why a file cannot be used; runs after a change."""

TO_TEXT = "opened => [opened.text, null]"
"""Take the text of a file, and clear the choice of an example; runs after a file was submitted."""


def make_file_input() -> gr.HTML:
    """Make the button that opens a file. Its value is {"name", "text"}, which is submitted, or {"name", "refused"}."""
    names = ("open_file", "file_too_large", "file_not_text")
    words = [{name: WORDS[f"score.{name}"][place] for name in names} for place in range(2)]
    return gr.HTML(
        html_template=_MARKUP.format(open_file=words[0]["open_file"]),
        js_on_load=_ON_LOAD.replace("WORDS", json.dumps(words, ensure_ascii=False)).replace(
            "MAX_BYTES", str(LIMITS.max_bytes)
        ),
        elem_id="score_file",
    )
