"""Messages of the library as a page says them: they name what a visitor can do there, instead of arguments of Python."""

ON_PAGE = {
    "collector.choice": (
        "The {what} is {taken}. The file also has {others}: type a name under “Several scorers, filters or tests”.",
        "{what} 为 {taken}。文件中还有 {others}：请在 “多个评分器、过滤器或测试” 中填写名称。",
    ),
    "collector.same_problem": (
        "Each problem may be there only once; {value} is also in {first} ({place}). Remove one, or give the rows of one "
        "model.",
        "每道题只能出现一次；{value} 也在{first}（{place}）。请删去一个，或只给出一个模型的行。",
    ),
    "collector.steps": (
        "This file holds several training steps, which are different weights: {steps}. Give the rows of one of them.",
        "此文件含有多个训练步，它们的权重不同：{steps}。请只给出其中一个的行。",
    ),
    "evalplus.plus": (
        "A program is correct if it passes the base tests and those that EvalPlus adds. With “base” under “Several scorers, "
        "filters or tests” it needs to pass the base tests alone.",
        "程序须通过基本测试以及 EvalPlus 增加的测试才算正确。在 “多个评分器、过滤器或测试” 中填写 “base” 时只须通过基本测试。",
    ),
    "helm.scorer": (
        "None of the statistics in this file is known to say which samples are correct. Type one under “Scorer”: {names}.",
        "此文件的统计量中，没有一个已知能说明哪些样本正确。请在 “评分器” 中填写其一：{names}。",
    ),
    "inspect_ai.scorers": (
        "There are several scorers: {names}. The grades are those of {name}; type the name of another one under “Scorer”.",
        "有多个评分器：{names}。所用的是 {name} 的判定；可在 “评分器” 中填写另一个的名称。",
    ),
    "left_out.conflict": (
        "{title} is left out: the answer {answer} has two verdicts in one problem ({first}; {second}). The same answer must "
        "have the same verdict.",
        "未计算 {title}：同一题的答案 {answer} 有两种判定（{first}；{second}）。相同的答案必须有相同的判定。",
    ),
    "left_out.scatter": (
        "{title} is left out: hardly any two samples of a problem give the same answer ({repeats} of {chances} repeat an "
        "earlier one), so that a vote says nothing. The column may hold whole texts or sample numbers.",
        "未计算 {title}：同一题几乎没有两个样本给出相同的答案（{chances} 个中只有 {repeats} 个重复之前的），因此投票没有意义。"
        "这一列可能是全文或样本编号。",
    ),
    "lighteval.per_document": (
        "The metrics of this file are of all {n} texts of a document together, so they grade no sample. Leave “Scorer” empty.",
        "此文件的指标是对一道题的全部 {n} 段文本计算的，不能用作单个样本的判定。请将 “评分器” 留空。",
    ),
    "lighteval.texts": (
        "The answers are whole texts, from which nothing was extracted. Extract the answers before a vote.",
        "答案是完整的文本，尚未提取。投票之前请先提取答案。",
    ),
    "lm_eval.grade": (
        "The metric {metric} is {value} in line {line}, which is not a grade from 0 to 1. Type another one under “Scorer”: "
        "{names}.",
        "指标 {metric} 在第 {line} 行是 {value}，不是 0 到 1 之间的判定。请在 “评分器” 中填写其他指标：{names}。",
    ),
    "lm_eval.nothing": (
        "This task gives neither answers nor a metric that is 0 or 1. Its metrics are {metrics}; type one under “Scorer”.",
        "这个任务既没有答案，也没有取值为 0 或 1 的指标。它的指标是 {metrics}；请在 “评分器” 中填写其一。",
    ),
    "lm_eval.per_document": (
        "The metrics of this file are of all {n} responses of a document together, so they grade no sample. Leave “Scorer” "
        "empty to score the answers against the references.",
        "此文件的指标是对一道题的全部 {n} 个回答计算的，不能用作单个样本的判定。请将 “评分器” 留空，以便比较答案与参考答案。",
    ),
    "merging.clash": (
        "Sample {number} of problem {problem} is in {first_file} and in {second_file}. Leave one of the files out or, if they "
        "are two runs, the column with the numbers of the samples.",
        "题目 {problem} 的样本 {number} 同时在 {first_file} 和 {second_file} 中。请去掉其中一个文件；若它们是两次运行，请去掉样本编号这一列。",
    ),
    "merging.columns": (
        "These files do not have the same columns: {first} in {first_file}, and {second} in {second_file}. Open them one at "
        "a time, or leave out a column.",
        "这些文件的列不同：{first_file} 中有 {first}，{second_file} 中有 {second}。请逐个打开，或略去一列。",
    ),
    "merging.models": (
        "These files are not of the same {name}: {found}. Open those of one, or give two of them to the page Compare.",
        "这些文件的 {name} 不同：{found}。请打开属于同一个的文件，或在 “比较” 页给出其中两个。",
    ),
    "merging.names": (
        "By their names, {first} and {second} may be of two models, checkpoints or data sets. Open one at a time or, if all "
        "are samples of one model, name them run_0, run_1 and so on.",
        "从名称看，{first} 和 {second} 可能属于两个模型、检查点或数据集。请逐个打开；若它们都是同一模型的样本，请命名为 run_0、run_1 等。",
    ),
    "merging.questions": (
        "Problem {problem} is not the same in both files: {first} in {first_file}, and {second} in {second_file}. Open one "
        "file at a time.",
        "题目 {problem} 在两个文件中并不相同：{first_file} 中是 {first}，{second_file} 中是 {second}。请逐个打开文件。",
    ),
    "models.several": (
        "Column “{column}” has several values: {values}. Give the rows of one of them. If each has problems of its own, "
        "choose this column for “Groups” instead.",
        "列 “{column}” 有多个值：{values}。请只给出其中一个的行。若它们的题目各不相同，也可将此列选为 “分组”。",
    ),
    "nemo_skills.repeated": (
        "The problem of {first} is there again ({place}), but NeMo-Skills writes a file for each sample. Give each file by "
        "itself.",
        "{first} 的题目再次出现（{place}），而 NeMo-Skills 为每个样本写一个文件。请分别给出每个文件。",
    ),
    "note.no_match": (
        "No answer is correct: none of them equals its reference, for instance {answer} beside {reference}. Bring answers and "
        "references into one form.",
        "没有正确的答案：没有一个与参考答案相同，例如 {answer} 与 {reference}。请把答案与参考答案写成同一种形式。",
    ),
    "plain.own_names": (
        "Every row has its own value in column “{problem}”, so that it would be a problem of its own, but column “{column}” "
        "repeats: {example}. Choose the column of the problems under “Columns”.",
        "每一行在列 “{problem}” 中的值都不同，因而各成一道题，但列 “{column}” 有重复：{example}。请在 “列” 中选择题目的列。",
    ),
    "plain.several_sets": (
        "Problem {problem} is in several sets of problems by column “{column}”: {values}. Give the rows of one set, or give "
        "every problem a name of its own.",
        "按列 “{column}”，题目 {problem} 属于多个题集：{values}。请只给出一个题集的行，或给每道题不同的名称。",
    ),
    "plain.two_questions": (
        "Problem {problem} has two different values in column “{column}”: {first} and {second}. Choose the column of the "
        "problems under “Columns”.",
        "题目 {problem} 在列 “{column}” 中有两个不同的值：{first} 和 {second}。请在 “列” 中选择题目的列。",
    ),
    "plain.two_verdicts": (
        "Columns “{taken}” and “{column}” contradict each other in {count:,} of {total:,} samples, first at {place}. Choose "
        "the column of the grades under “Columns”.",
        "列 “{taken}” 与 “{column}” 在 {total:,} 个样本中有 {count:,} 个相互矛盾，第一处在{place}。请在 “列” 中选择判定的列。",
    ),
    "plain.zip": (
        "No harness that is known here wrote this zip file. Its members are: {members}. Extract the one with the results, and "
        "open it.",
        "没有已知的评测框架会写出这个 zip 文件。其中的成员：{members}。请解压出含有结果的文件，再打开它。",
    ),
    "trl.no_rewards": (
        "There is no column of rewards, of type double, between “completion” and “advantage”. Open a file that TRL wrote "
        "with the rewards.",
        "“completion” 与 “advantage” 之间没有双精度的奖励列。请打开 TRL 写出的含有奖励的文件。",
    ),
    "verifiers.reward": (
        "The grade {scorer} must be from 0 to 1; got {value} ({place}). Type another one under “Scorer”: {found}.",
        "判定 {scorer} 必须在 0 到 1 之间；得到 {value}（{place}）。请在 “评分器” 中填写另一个：{found}。",
    ),
    "verl.score": (
        "The scores of this file, from {low} to {high}, do not say which samples are correct. Add a column “acc” of numbers "
        "from 0 to 1.",
        "此文件的分数从 {low} 到 {high}，不能说明哪些样本正确。请加入一列 “acc”，取值在 0 到 1 之间。",
    ),
}
"""Code → (English, Chinese). Blanks may be left out."""
