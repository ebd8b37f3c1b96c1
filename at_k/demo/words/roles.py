"""What is said of columns that do not hold what they are used for."""

WORDS = {
    "no_role": (
        "{role} is nothing that a column can be; choose from {roles}.",
        "{role} 不是列的用途；请从 {roles} 中选择。",
    ),
    "no_column": (
        "There is no column {column}. There are: {columns}.",
        "没有 {column} 列。现有的列：{columns}。",
    ),
    "nothing_to_score": (
        "A column must say which samples are correct, or there must be one of answers and one of references. "
        "These columns were found: {columns}.",
        "需要一列表明哪些样本正确，或者一列答案加一列参考答案。找到的列：{columns}。",
    ),
    "no_problem": (
        "Each row is one sample here, so a column must say to which problem it belongs. Choose one, or give each "
        "problem one row, with lists such as [1, 0, 1].",
        "这里每行是一个样本，因此需要一列说明它属于哪道题。请选择这一列，或让每道题占一行，用 [1, 0, 1] 这样的列表。",
    ),
    "same_problem": (
        "Each problem has one row here, but {value} is also in row {first} (row {row}, column “{column}”).",
        "这里每道题占一行，但 {value} 在第 {first} 行已出现（第 {row} 行，列 “{column}”）。",
    ),
    "no_list": (
        '{value} is no list of samples such as [1, 0] or ["a", "b"], while row {list_row} has one in column '
        "“{list_column}” (row {row}, column “{column}”).",
        '{value} 不是 [1, 0] 或 ["a", "b"] 这样的样本列表，而第 {list_row} 行的 “{list_column}” 列是列表'
        "（第 {row} 行，列 “{column}”）。",
    ),
    "no_samples": (
        "The list has no samples (row {row}, column “{column}”).",
        "列表中没有样本（第 {row} 行，列 “{column}”）。",
    ),
    "lengths": (
        "The lists of a row must be equally long; one has {count:,} samples, that in column “{other}” {other_count:,} "
        "(row {row}, column “{column}”).",
        "同一行的列表长度必须相同；此列表有 {count:,} 个样本，而 “{other}” 列有 {other_count:,} 个"
        "（第 {row} 行，列 “{column}”）。",
    ),
    "differs": (
        "{value} is not what row {first} has for the same problem (row {row}, column “{column}”).",
        "{value} 与同一题第 {first} 行的内容不同（第 {row} 行，列 “{column}”）。",
    ),
    "name": (
        "The name of a problem must be text or a number, not {value} (row {row}, column “{column}”).",
        "题目的名称必须是文本或数字，而不是 {value}（第 {row} 行，列 “{column}”）。",
    ),
    "label": (
        "The name of a group must be text, a number, true or false, not {value} (row {row}, column “{column}”).",
        "分组的名称必须是文本、数字、true 或 false，而不是 {value}（第 {row} 行，列 “{column}”）。",
    ),
    "reference": (
        "A reference must be text or a number, or a list of them, not {value} (row {row}, column “{column}”).",
        "参考答案必须是文本或数字，或由它们组成的列表，而不是 {value}（第 {row} 行，列 “{column}”）。",
    ),
    "answer": (
        "An answer must be text or a number, not {value} (row {row}, column “{column}”).",
        "答案必须是文本或数字，而不是 {value}（第 {row} 行，列 “{column}”）。",
    ),
    "answer_in_list": (
        "An answer must be text or a number, not {value} (row {row}, column “{column}”, sample {sample}).",
        "答案必须是文本或数字，而不是 {value}（第 {row} 行，列 “{column}”，第 {sample} 个样本）。",
    ),
    "grade": (
        "A grade must be true, false, or a number from 0 to 1, not {value} (row {row}, column “{column}”).",
        "判定必须是 true、false 或 0 到 1 之间的数，而不是 {value}（第 {row} 行，列 “{column}”）。",
    ),
    "grade_in_list": (
        "A grade must be true, false, or a number from 0 to 1, not {value} "
        "(row {row}, column “{column}”, sample {sample}).",
        "判定必须是 true、false 或 0 到 1 之间的数，而不是 {value}（第 {row} 行，列 “{column}”，第 {sample} 个样本）。",
    ),
    "score": (
        "A score must be a finite number, not {value} (row {row}, column “{column}”).",
        "分数必须是有限的数，而不是 {value}（第 {row} 行，列 “{column}”）。",
    ),
    "score_in_list": (
        "A score must be a finite number, not {value} (row {row}, column “{column}”, sample {sample}).",
        "分数必须是有限的数，而不是 {value}（第 {row} 行，列 “{column}”，第 {sample} 个样本）。",
    ),
    "long": (
        "A text has {length:,} characters, at most {limit:,} are taken here (row {row}, column “{column}”).",
        "文本有 {length:,} 个字符，这里最多接受 {limit:,} 个（第 {row} 行，列 “{column}”）。",
    ),
    "long_in_list": (
        "A text has {length:,} characters, at most {limit:,} are taken here "
        "(row {row}, column “{column}”, sample {sample}).",
        "文本有 {length:,} 个字符，这里最多接受 {limit:,} 个（第 {row} 行，列 “{column}”，第 {sample} 个样本）。",
    ),
    "many_problems": (
        "There are {count:,} problems; at most {limit:,} are scored here.",
        "共有 {count:,} 道题；这里最多计算 {limit:,} 道。",
    ),
    "many_samples": (
        "A problem has {count:,} samples, at most {limit:,} are scored here (row {row}).",
        "一道题有 {count:,} 个样本，这里最多计算 {limit:,} 个（第 {row} 行）。",
    ),
    "many_samples_in_all": (
        "There are {count:,} samples in all; at most {limit:,} are scored here.",
        "共有 {count:,} 个样本；这里最多计算 {limit:,} 个。",
    ),
    "many_groups": (
        "There are {count:,} different groups, at most {limit:,} are shown here (column “{column}”).",
        "共有 {count:,} 个不同的分组，这里最多显示 {limit:,} 个（列 “{column}”）。",
    ),
}
