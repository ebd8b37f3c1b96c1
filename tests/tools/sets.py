"""Random data sets for the five modules, by the standard library alone, so that any environment draws the same."""

from random import Random

KINDS = ("answers", "several references", "checker", "soft accuracy", "grades", "graded")


def is_same_letter(prediction, reference):
    """A checker: the first letters are the same, whatever their case."""
    return prediction[:1].lower() == reference[:1].lower()


def find_similarity(prediction, reference):
    """A grade: half for the first letter, half for the length."""
    same = is_same_letter(prediction, reference)
    return (same + (len(prediction) == len(reference))) / 2


def draw_set(name, number):
    """Draw the arguments of one call of a module: its configuration, and the columns and options of `compute`."""
    random = Random(f"{name} {number}")
    kind = KINDS[number % len(KINDS)]
    sizes = [random.randint(1, 24) for _ in range(random.randint(1, 5))]
    answers = [[draw_text(random) for _ in range(n)] for n in sizes]
    inputs = {"predictions": answers, "references": [draw_text(random) for _ in sizes]}
    if kind == "several references":
        inputs["references"] = [[draw_text(random), draw_text(random)] for _ in sizes]
    if kind in ("checker", "soft accuracy"):
        inputs["check_correct_fn"] = is_same_letter if kind == "checker" else find_similarity
    if kind == "grades":
        grade = {text.strip(): random.choice([0, 1, 0.25, 0.7]) for text in TEXTS}
        inputs["grades"] = [[grade[text.strip()] for text in row] for row in answers]
        inputs["predictions"] = [
            [random.choice([text, text + " "]) for text in row] for row in answers
        ]
        if random.random() < 0.5:
            del inputs["references"]
    if kind == "graded":
        levels = random.choice([[0, 1], [0, 0.5, 1], [0.1, 0.55, 0.9]])
        inputs = {"predictions": [[random.choice(levels) for _ in range(n)] for n in sizes]}
    if random.random() < 0.2:
        inputs["correct_above"] = random.choice([0, 0.3, 0.6, ">=0.5"])
    if name != "avg_at_n" and random.random() < 0.8:
        draws = [random.randint(1, min(sizes)) for _ in range(random.randint(1, 3))]
        inputs["k"] = random.choice([draws[0], draws])
    if name == "gpassk" and random.random() < 0.6:
        inputs["thresholds"] = random.choice([0.5, [0.0, 0.3, 1.0], [0.07, 0.55], [1]])
    if name == "cons_at_k" and random.random() < 0.3:
        inputs["ties"] = "random"
    if name == "best_at_k":
        scores = random.choice(
            [[0.1, 0.2, 0.3], [-3, 0, 1e6], [random.gauss(0, 1) for _ in range(9)]]
        )
        inputs["scores"] = [[random.choice(scores) for _ in range(n)] for n in sizes]
        inputs["higher_is_better"] = random.random() < 0.7
    return "graded" if kind == "graded" else "default", inputs


TEXTS = ("a", "b", "A", "ab", " a", "7")


def draw_text(random):
    """Draw an answer."""
    return random.choice(TEXTS)
