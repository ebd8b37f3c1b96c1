"""Sixty pastes as people make them: name → (text, the share of right samples; None where only a person can tell)."""

ROWS = (("a", "true"), ("a", "false"), ("b", "true"), ("b", "true"))
TEXTS = ("a77", "a87", "b11", "b11")
MATRIX = "1 0 1 1\n0 0 1 0\n1 1 1 1"
PASTES = {
    # those that were refused once
    "percents": ("problem,accuracy,n\na,75%,4\nb,25%,4\nc,100%,4", 2 / 3),
    "columns s1 … s4": ("problem,s1,s2,s3,s4\na,1,0,1,1\nb,0,0,1,0\nc,1,1,1,1", 2 / 3),
    "columns s1 … s4 alone": ("s1,s2,s3,s4\n1,0,1,1\n0,0,1,0\n1,1,1,1", 2 / 3),
    "a matrix of blanks": (MATRIX, 2 / 3),
    "a matrix of commas": (MATRIX.replace(" ", ","), 2 / 3),
    "a matrix of tabs": (MATRIX.replace(" ", "\t"), 2 / 3),
    "a matrix of brackets": ("[[1, 0, 1, 1],\n [0, 0, 1, 0],\n [1, 1, 1, 1]]", 2 / 3),
    "PASS and FAIL": ("task,result\na,PASS\na,FAIL\nb,PASS\nb,PASS", 3 / 4),
    "passed and failed": ("task,status\na,passed\na,failed\nb,passed\nb,passed", 3 / 4),
    "Chinese": ("问题,结果\n甲,正确\n甲,错误\n乙,正确\n乙,正确", 3 / 4),
    "Chinese, numbers": ("题目,正确\n甲,1\n甲,0\n乙,1\n乙,1", 3 / 4),
    "a Markdown table": ("| task | correct |\n|---|---|\n| a | 1 |\n| a | 0 |\n| b | 1 |\n| b | 1 |", 3 / 4),
    "a wide Markdown table": ("| task | run 1 | run 2 |\n|:--|--:|--:|\n| a | 1 | 0 |\n| b | 1 | 1 |", 3 / 4),
    # JSON
    "lists of verdicts": ('{"correct": [1, 0]}\n{"correct": [1, 1]}', 3 / 4),
    "lists of truth values": ('{"id": "a", "passed": [true, false]}\n{"id": "b", "passed": [true, true]}', 3 / 4),
    "a row a sample": ("\n".join(f'{{"task_id": "{p}", "passed": {v}}}' for p, v in ROWS), 3 / 4),
    "one list of objects": ('[{"id": 1, "correct": [1, 0]}, {"id": 2, "correct": [1, 1]}]', 3 / 4),
    "indented JSON": (
        '[\n  {\n    "id": 1,\n    "correct": [1, 0]\n  },\n  {\n    "id": 2,\n    "correct": [1, 1]\n  }\n]',
        3 / 4,
    ),
    "a mapping of lists": ('{"a": [1, 0], "b": [1, 1]}', 3 / 4),
    "a mapping of truth values": ('{"a": [true, false], "b": [true, true]}', 3 / 4),
    "a mapping of columns": ('{"problem": ["a", "b"], "grades": [[1, 0], [1, 1]]}', 3 / 4),
    "rows under a key": ('{"results": [{"id": 1, "correct": [1, 0]}, {"id": 2, "correct": [1, 1]}]}', 3 / 4),
    "answers and a reference": (
        '{"answers": ["7", "8"], "reference": "7"}\n{"answers": ["1", "1"], "reference": "1"}',
        3 / 4,
    ),
    "predictions and a target": (
        '{"predictions": ["7", "8"], "target": "7"}\n{"predictions": ["1", "1"], "target": "1"}',
        3 / 4,
    ),
    "a prediction a row": (
        "\n".join(f'{{"id": "{p}", "prediction": "{a}", "answer": "{r}"}}' for p, a, r in TEXTS), 3 / 4
    ),
    "scores beside": ('{"correct": [1, 0], "scores": [0.9, 0.1]}\n{"correct": [1, 1], "scores": [0.5, 0.6]}', 3 / 4),
    "soft grades": ('{"id": "a", "grade": [1.0, 0.2]}\n{"id": "b", "grade": [0.9, 1.0]}', 3 / 4),
    "rewards": (
        '{"task_id": 0, "reward": 1.0}\n{"task_id": 0, "reward": 0.0}\n{"task_id": 1, "reward": 1.0}\n'
        '{"task_id": 1, "reward": 1.0}',
        3 / 4,
    ),
    "a Python list": ("[[True, False], [True, True]]", 3 / 4),
    "a Python dict": ("{'a': [1, 0], 'b': [1, 1]}", 3 / 4),
    "rows of Python": ("{'id': 'a', 'correct': [1, 0]}\n{'id': 'b', 'correct': [1, 1]}", 3 / 4),
    "n and c": ("problem,n,c\na,4,3\nb,4,1", 1 / 2),
    "n and c in JSON": ('{"problem": "a", "n": 4, "c": 3}\n{"problem": "b", "n": 4, "c": 1}', 1 / 2),
    "counts in words": ("task,samples,correct\na,4,3\nb,4,1", 1 / 2),
    # CSV and what spreadsheets write
    "a row a sample in CSV": ("task_id,passed\na,True\na,False\nb,True\nb,True", 3 / 4),
    "with a seed": ("task_id,seed,correct\na,0,1\na,1,0\nb,0,1\nb,1,1", 3 / 4),
    "semicolons": ("task;correct\na;1\na;0\nb;1\nb;1", 3 / 4),
    "tabs": ("task\tcorrect\na\t1\na\t0\nb\t1\nb\t1", 3 / 4),
    "quoted": ('"task","correct"\n"a","1"\n"a","0"\n"b","1"\n"b","1"', 3 / 4),
    "blanks after commas": ("task, correct\na, 1\na, 0\nb, 1\nb, 1", 3 / 4),
    "an index column": (",task,correct\n0,a,1\n1,a,0\n2,b,1\n3,b,1", 3 / 4),
    "a byte order mark": ("\ufefftask,correct\na,1\na,0\nb,1\nb,1", 3 / 4),
    "carriage returns": ("task,correct\r\na,1\r\na,0\r\nb,1\r\nb,1\r\n", 3 / 4),
    "blank lines": ("\n\ntask,correct\na,1\n\na,0\nb,1\nb,1\n\n", 3 / 4),
    "capitals": ("Task,Correct\nA,TRUE\nA,FALSE\nB,TRUE\nB,TRUE", 3 / 4),
    "yes and no": ("task,correct\na,yes\na,no\nb,yes\nb,yes", 3 / 4),
    "ticks": ("task,correct\na,✓\na,✗\nb,✓\nb,✓", 3 / 4),
    "emoji": ("task,result\na,✅\na,❌\nb,✅\nb,✅", 3 / 4),
    "AC and WA": ("problem,verdict\na,AC\na,WA\nb,AC\nb,AC", 3 / 4),
    "solved": ("problem,solved\na,solved\na,unsolved\nb,solved\nb,solved", 3 / 4),
    "wide runs": ("task,run_1,run_2\na,1,0\nb,1,1", 3 / 4),
    "wide trials": ("task,trial1,trial2\na,1,0\nb,1,1", 3 / 4),
    "wide seeds": ("task,seed_0,seed_1,seed_2\na,1,0,1\nb,1,1,0", 2 / 3),
    "numbered columns": ("task,1,2\na,1,0\nb,1,1", 3 / 4),
    "bit strings": ("task,results\na,10\nb,11", 3 / 4),
    "fractions": ("task,correct\na,3/4\nb,1/4", 1 / 2),
    "answers in CSV": ("id,answer,gold\na,7,7\na,8,7\nb,1,1\nb,1,1", 3 / 4),
    "a matrix with names": ("a 1 0\nb 1 1", 3 / 4),
    "one column": ("1\n0\n1\n1", None),
    "prose": ("The model solved 3 of 4 problems.", None),
}  # fmt: skip
