// What the reader of files needs to know of the server: the most bytes, and names of columns. `make texts` writes the names.

import { say } from "./base.js";

export const LIMIT = 5_000_000;
export const VERDICTS = ["correct", "is_correct", "correctness", "passed", "pass", "grade", "grades", "verdict", "verdicts", "success"];
export const PROBLEMS = ["problem_id", "task_id", "doc_id", "question_id", "problem_number", "problem_idx", "question_number", "problem", "problems", "id", "idx", "uid", "task", "question", "prompt", "\u9898\u76ee\u7f16\u53f7", "\u9898\u53f7", "\u9898\u76ee", "\u95ee\u9898", "\u95ee\u9898\u7f16\u53f7", "\u554f\u984c", "aufgabe", "exercice", "probl\u00e8me", "problema", "frage", "pregunta"];

const WORDS = {
  several_files: "{count} files: {names}",
  files_too_large: "These files are larger than 5 MB together. Score them on your own machine with `at-k score`.",
  file_too_large: "This file is larger than 5 MB. Score it on your own machine with `at-k score`.",
  file_still_large: "Without {columns}, this file is still larger than 5 MB. Score it on your own machine with `at-k score`.",
  file_array: "This file is larger than 5 MB, and one list of JSON. Write a line for each row (JSONL), and open it again.",
  file_no_verdicts: "This file is larger than 5 MB, and no column says which samples are correct. Leave out columns that are not needed.",
  file_not_text: "This file is neither text nor of a kind that can be read here.",
  file_broken: "This file cannot be read to its end. Copy it again.",
  file_line: "Line {line} of this file is broken.",
};

export const rules = () => ({ limit: LIMIT, verdicts: VERDICTS, problems: PROBLEMS, words: Object.fromEntries(Object.entries(WORDS).map(([name, text]) => [name, say(text)])) });
