// What the reader of files needs to know of the server: the most bytes, and names of columns. `make texts` writes the names.

export const LIMIT = 5_000_000;
export const VERDICTS = ["correct", "is_correct", "correctness", "passed", "pass", "grade", "grades", "verdict", "verdicts", "success"];
export const PROBLEMS = ["problem_id", "task_id", "doc_id", "question_id", "problem_number", "problem_idx", "question_number", "problem", "problems", "id", "idx", "uid", "task", "question", "prompt", "\u9898\u76ee\u7f16\u53f7", "\u9898\u53f7", "\u9898\u76ee", "\u95ee\u9898", "\u95ee\u9898\u7f16\u53f7", "\u554f\u984c", "aufgabe", "exercice", "probl\u00e8me", "problema", "frage", "pregunta"];
