"""Plain files as people have them: what is read from each, or the refusal and the options that settle it."""

import json

import numpy as np
import pandas as pd
import pytest

import at_k
from at_k.errors import InputError, Mention
from at_k.readers import read_samples


def csv(*lines):
    return "\n".join(lines) + "\n"


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def ids(*rows, header="id,correct"):
    """Rows of a table of ids and verdicts: `"a1"` is problem a with verdict 1."""
    return csv(header, *(f"{row[:-1]},{row[-1]}" for row in rows))


def crossed(column, values, m=3):
    """A table in which each problem has one row of every value."""
    lines = [
        f"p{i},{value},{(i + place) % 2}" for i in range(m) for place, value in enumerate(values)
    ]
    return csv(f"id,{column},correct", *lines)


def runs_of(outer, own):
    """A document with two runs of problems a and b, under a key if there is one, and what it says of each run."""
    verdicts = [[("a", True), ("b", True)], [("a", False), ("b", True)]]
    results = [[{"id": name, "correct": verdict} for name, verdict in each] for each in verdicts]
    runs = [
        {name: cells[at] for name, cells in own.items()} | {"results": results[at]} for at in (0, 1)
    ]
    return json.dumps({outer: runs} if outer else runs)


def refused(code, **mended):
    """A refusal, and the options that settle it."""
    return code, mended


def named(options=None, /, **columns):
    """The refusal of columns that have one reading, and its options."""
    mended = {"columns": columns} | (options or {})
    return "plain.unknown", mended, mended


def unsure(options=None, /, **columns):
    """The refusal of columns that have several readings, and the options of one of them."""
    return "plain.unknown", {"columns": columns} | (options or {})


def summed(name, column="id"):
    """The refusal of a row that sums up the others."""
    return refused("structure.summary", where={column: {"!=": name}})


AB = [[1, 0], [1, 1]]

SETTINGS = """
method a b | agent react plan | policy p1 p2 | temperature 0.2 0.8 | prompt_version v1 v2 | run_id 3f2a 9c1d |
lora true false | variant x y | strategy cot direct | condition a b | system_prompt short long | arm A B |
quantization 4bit 8bit 16bit | temp 0 1 | adapter a b | config c1 c3 | language en de | reasoning_effort low high |
ckpt_step 100 200 | backend vllm hf | max_tokens 512 1024 | num_shots 0 5 | tool on off
"""
"""Columns of settings, each with its values."""

READ = {
    # Verdicts in any spelling, under any name where one column alone can hold them.
    "a row a sample": (ids("a1", "a0", "b1", "b1"), AB),
    "semicolons": (csv("id;correct", "a;1", "a;0", "b;1", "b;1"), AB),
    "counts of what failed": (csv("id,passed,failed", "a,1,1", "b,2,0"), AB),
    "3 out of 4": (csv("id,passed", "a,1 out of 2", "b,2 out of 2"), AB),
    "signs of verdicts": (csv("id,passed", "a,✓✗", "b,✓✓"), AB),
    "an array of NumPy": (csv("id,passed", 'a,"array([ True, False])"', 'b,"array([ True, True])"'), AB),
    "a first and a second try": (csv("id,first_try,second_try", "a,yes,no", "b,yes,yes"),
        unsure(problem="id", grades="first_try+second_try")),
    "a list among verdicts": (csv("id,correct", 'a,"[1, 0]"', "b,1", "c,1"), "cells.grade"),
    "lists that follow each other": (
        '[{"id": "a", "correct": 1}, {"id": "b", "correct": 1}]\n'
        '[{"id": "a", "correct": 0}, {"id": "b", "correct": 1}]', AB),
    "a list of samples in each line": (
        '[{"id": "a", "correct": 1}, {"id": "a", "correct": 0}]\n'
        '[{"id": "b", "correct": 1}, {"id": "b", "correct": 1}]', AB),
    "runs by their names": ('{"run1": {"a": 1, "b": 1}, "run2": {"a": 0, "b": 1}}', AB),
    "runs in a list": ('{"runs": [{"a": true, "b": true}, {"a": false, "b": true}]}', AB),
    "runs with their seeds": (
        '[{"seed": 0, "results": {"a": 1, "b": 1}}, {"seed": 1, "results": {"a": 0, "b": 1}}]', AB),
    "runs of objects": (
        '{"run-1": {"a": {"passed": true, "s": 1}, "b": {"passed": true, "s": 1}},'
        ' "run-2": {"a": {"passed": false, "s": 1}, "b": {"passed": true, "s": 1}}}', AB),
    "runs of each problem": ('{"a": {"run_0": true, "run_1": false}, "b": {"run_0": true, "run_1": true}}', AB),
    "counts in each row of a sample": (
        jsonl(*({"id": p, "text": t, "n": 2, "c": c}
            for p, t, c in [("a", "x", 1), ("a", "y", 1), ("b", "z", 2)])), AB),
    "verdicts beside counts of the problem": (csv("id,correct,n,c", "a,1,2,1", "a,0,2,1", "b,1,2,2", "b,1,2,2"), AB),
    "a vote beside counts": (csv("id,correct,n,c", "a,0,2,1", "b,0,2,2"), AB),
    "files with marks of their bytes": (
        '\ufeff{"id": "a", "correct": [1, 0]}\n\ufeff{"id": "b", "correct": [1, 1]}', AB),
    "tabs": (csv("id\tcorrect", "a\t1", "a\t0", "b\t1", "b\t1"), AB),
    "solved and unsolved": (csv("id,status", "a,solved", "a,unsolved", "b,solved", "b,solved"), AB),
    "success and failure": (csv("id,result", "a,success", "a,failure", "b,success", "b,success"), AB),
    "ok and fail": (csv("id,outcome", "a,ok", "a,fail", "b,OK", "b,ok"), AB),
    "marks": (csv("id,x", "a,✅", "a,❌", "b,✅", "b,✅"), AB),
    "verdicts of judges": (csv("id,verdict", "a,AC", "a,wrong", "b,AC", "b,AC"), AB),
    "yes and no": (csv("id,verdict", "a,yes", "a,no", "b,Yes", "b,YES"), AB),
    "one column of truth values": (jsonl(*({"id": p, "ist_gut": v}
        for p, v in [("a", True), ("a", False), ("b", True), ("b", True)])),
        refused("plain.unknown", columns={"problem": "id", "grades": "ist_gut"})),
    "truth values that may mean that something is wrong": (csv("id,defekt", "a,ja", "a,nein"),
        refused("plain.unknown", correct=["nein"], wrong=["ja"], columns={"problem": "id", "grades": "defekt"})),
    "truth values within objects": (csv("id,feedback.correct", "a,yes", "a,false", "b,true", "b,True"), AB),
    "truth values of a name that judges": (csv("id,all_ok", "a,True", "a,False", "b,True", "b,True"), AB),
    "per cent": (csv("id,correct", "a,100%", "a,0%", "b,100%", "b,100 %"), AB),
    "fractions": (csv("id,grade", "a,4/4", "a,3/4", "b,0/4", "b,1/1"), [[1, 0.75], [0, 1]]),
    "decimal commas": (csv("id;grade", "a;1,0", "a;0,0", "b;1,0", "b;0,25"), [[1, 0], [1, 0.25]]),
    "decimal commas in quotation marks": (csv("id,grade", 'a,"1,0"', 'a,"0,5"'), [[1, 0.5]]),
    "bit strings": (csv("id,correct", "a,10", "b,11", "c,01"), [[1, 0], [1, 1], [0, 1]]),
    "bit strings with zeros": (csv("id,correct", "a,0010", "b,1111"), [[0, 0, 1, 0], [1, 1, 1, 1]]),
    "lists in CSV": (csv("id,correct", 'a,"[1, 0]"', 'b,"[1, 1]"'), AB),
    "lists of Python": (csv("id,correct", 'a,"[True, False]"', 'b,"[True, True]"'), AB),
    "tuples of Python": (csv("id,correct", 'a,"(1, 0)"', 'b,"(1, 1)"'), AB),
    "bits with spaces": (csv("id,correct", "a,1 0", "b,1 1", "c,0 1"), [[1, 0], [1, 1], [0, 1]]),
    "a list of lists": ("[[1, 0], [1, 1]]", AB),
    "a flat list": ("[true, false, true]", "standard.no_problem"),
    "a list of answers": (
        jsonl(*({"q": q, "outputs": [label, q], "label": label} for q, label in (("one", "eins"), ("two", "zwei")))),
        unsure(problem="q", answers="outputs", references="label"),
    ),
    "a flat list of answers": ('["a", "b"]', "plain.unknown"),
    "a list of truth values": ("[[true, false], [true, true]]", AB),
    "columns": ('{"id": ["a", "b"], "correct": [[1, 0], [1, 1]]}', AB),
    "names with samples": (
        '{"run": {"a": {"samples": [{"ok": 1}, {"ok": 0}]}, "b": {"samples": [{"ok": 1}, {"ok": 1}]}}}',
        ({"rows_at": "run", "columns": {"grades": "samples.ok"}}, AB)),
    "rows under results": ('{"model": "m", "results": [{"id": "a", "correct": 1}, {"id": "a", "correct": 0}]}',
        [[1, 0]]),
    "a grid": ('{"columns": ["id", "ok"], "data": [["a", true], ["a", false]]}', [[1, 0]]),
    "objects in a list": (jsonl({"id": "a", "samples": [
        {"text": "x", "correct": True}, {"text": "y", "correct": False}]}), [[1, 0]]),
    "numbered columns": (csv("id,run_0,run_1", "a,1,0", "b,1,1"), AB),
    "numbered columns of trials": (csv("task,trial 1,trial 2", "a,pass,fail", "b,pass,pass"), AB),
    "counts": (csv("id,n,c", "a,2,1", "b,2,2"), AB),
    "counts by other names": (csv("task,total,passed", "a,2,1", "b,2,2"), AB),
    "a table of counts without ids": (csv("n,c", "2,1", "2,2"), AB),
    "seeds": (csv("id,seed,correct", "a,42,1", "a,7,0", "b,42,1", "b,7,1"), AB),
    "numbers of samples": (csv("id,sample,correct", "a,0,1", "a,1,0", "b,0,1", "b,1,1"), AB),
    "numbers of trials from one": (csv("id,trial,correct", "a,1,1", "a,2,0", "b,1,1", "b,2,1"), AB),
    "names of runs": (csv("id,run,correct", "a,run_0,1", "a,run_1,0", "b,run_0,1", "b,run_1,1"), AB),
    "a topic": (csv("id,topic,correct", "a,x,1", "a,x,0", "b,y,1", "b,y,1"), AB),
    "a cost": (csv("id,correct,cost", "a,1,0.5", "a,0,0.25", "b,1,0.5", "b,1,0.5"), AB),
    "a column of finish reasons": (csv("id,correct,finish", "a,1,stop", "a,0,length", "b,1,stop", "b,1,stop"), AB),
    "an index without a name": (csv(",id,correct", "0,a,1", "1,a,0", "2,b,1", "3,b,1"), AB),
    "blank lines": (csv("id,correct", "a,1", "", "a,0", "b,1", "b,1", ""), AB),
    "Chinese names": (csv("题号,是否正确", "a,是", "a,否", "b,正确", "b,对"), AB),
    "a problem called total": (csv("id,correct", "total,1", "total,0", "b,1", "b,1"), AB),
    "a problem called sum with samples": (jsonl({"id": "max", "correct": [1, 0]}, {"id": "sum", "correct": [1, 1]}),
        AB),
    "rewards of −1 and 1": (csv("id,reward", "a,1", "a,-1", "b,1", "b,1"), refused("cells.grade", scale=(-1, 1))),
    "points up to 100": (csv("id,grade", "a,100", "a,0", "b,100", "b,100"), refused("cells.grade", scale=(0, 100))),
    # Two settings or models in one table.
    **{f"settings by {column}": (crossed(column, values), refused("models.settings", pool=column))
        for column, *values in map(str.split, SETTINGS.split("|"))},
    "a setting of two rows each": (csv("id,version,sample,correct",
        *(f"p{i},{v},{s},1" for i in range(3) for v in (1, 2) for s in (0, 1))),
        refused("models.settings", pool="version")),
    "a setting beside lists": (csv("id,method,correct", *(f'p{i},{m},"[1, 0]"' for i in range(3) for m in "ab")),
        refused("models.settings", where={"method": "a"})),
    "years of one number": (csv("year,problem_number,correct",
        *(f"{y},{i},1" for y in (2024, 2025) for i in range(1, 4))),
        refused("models.settings", columns={"problem": "year+problem_number"})),
    "two models": (crossed("model", ["gpt", "llama"]), refused("models.settings", where={"model": "gpt"})),
    "predictions of two predictors": (csv("id,pred_1,pred_2,answer", "a,11,12,11", "b,31,31,31"),
        refused("plain.numbered", columns={"answers": "pred_1+pred_2"})),
    "runs beside one verdict": (csv("id,run_0,run_1,correct", "a,0,1,1", "b,1,1,0"),
        refused("plain.beside", columns={"grades": "run_0+run_1"})),
    **{f"runs in a document: {outer!r}, {own}": (runs_of(outer, own), expected)
        for outer, own, expected in [
            ("runs", {}, AB), ("runs", {"seed": [0, 1]}, AB), ("", {"seed": [3, 7], "accuracy": [1, 0.5]}, AB),
            ("", {}, refused("plain.rows", rows_at="results")),
            ("tests", {}, refused("plain.rows", rows_at="tests.results")),
            ("", {"model": ["x", "y"]}, refused("models.settings", where={"model": "x"})),
            ("runs", {"temperature": [0.2, 0.8]}, refused("models.settings", where={"temperature": 0.2})),
        ]},
    "runs of which one does not name its model": (json.dumps([{"model": m, "results": [{"id": "a", "correct": 1}]}
        for m in "xy"] + [{"results": [{"id": "a", "correct": 0}]}]), refused("models.settings", where={"model": "x"})),
    "one run in a document": (json.dumps([{"seed": 3, "results": [{"id": p, "correct": 1} for p in "ab"]}]),
        [[1], [1]]),
    "problems with samples that are numbered": (json.dumps([{"name": p, "results": [{"id": i, "correct": i * v}
        for i in (0, 1)]} for p, v in (("a", 0), ("b", 1))]), [[0, 0], [0, 1]]),
    "lists of verdicts beside a truth": (csv("id,samples,all_ok", 'a,"[1, 0]",False', 'b,"[1, 1]",True'),
        AB),
    "one verdict beside runs": (csv("id,correct,trial 1,trial 2", "a,1,0,1", "b,0,1,1"),
        refused("plain.beside", columns={"grades": "correct"})),
    "verdicts of tests beside the one of each sample": (csv("id,test_1,test_2,correct", "a,1,0,0", "a,1,1,1"),
        [[0, 1]]),
    "numbers of runs beside verdicts": (csv("id,run_1,run_2,correct", "a,7,8,1", "a,9,10,0"), [[1, 0]]),
    # Rows that are no problems.
    "a total of counts": (csv("id,n,c", "a,2,1", "b,2,2", "Total,4,3"), summed("Total")),
    "an unnamed total of counts": (csv("id,n,c", "a,2,1", "b,2,2", "zusammen,4,3"), summed("zusammen")),
    "an average of runs": (csv("id,run_0,run_1", "a,1,0", "b,1,1", "Average,1.0,0.5"), summed("Average")),
    "an unnamed average": (csv("id,run_0,run_1", "a,1,0", "b,1,1", "alle,1.0,0.5"), summed("alle")),
    "a Chinese average": (csv("题号,run_0,run_1", "a,1,0", "b,1,1", "平均,1.0,0.5"), summed("平均", "题号")),
    "mean and deviation": (csv("id,run_0,run_1", "a,1,0", "b,1,1", "Mean ± std,1.0 ± 0.0,0.5 ± 0.5"),
        summed("Mean ± std")),
    "a sum of runs": (csv("id,run_0,run_1", "a,1,0", "b,1,1", "Total,2,1"), summed("Total")),
    "an average in a mapping": ('{"a": [1, 0], "b": [1, 1], "average": [1.0, 0.5]}', summed("average", "problem")),
    "a total behind lists": (jsonl({"id": "a", "correct": [1, 0]}, {"id": "b", "correct": [1, 1]},
        {"id": "overall", "correct": [1.0, 0.5]}), summed("overall")),
    "the header once more": (ids("a1", "b1") + ids("a0", "b1"),
        refused("structure.header", where={"id": {"!=": "id"}})),
    "a file behind itself": (2 * jsonl(*({"id": f"p{i}", "answer": f"text {i}", "correct": i % 2} for i in range(6))),
        refused("structure.repeated", pool="file")),
    "a list behind itself": (json.dumps(2 * [{"id": f"p{i}", "response": f"text {i}", "correct": i % 2}
        for i in range(6)]), refused("structure.repeated", pool="file")),
    "names that differ in case": (ids("p01", "P00", "p11"), refused("samples.white_space", columns={"problem": "id"})),
    # Ways on.
    "rows under a key": ('{"run": {"scores": [{"id": "a", "ok": 1}, {"id": "a", "ok": 0}]}}',
        refused("plain.rows", rows_at="run.scores", columns={"grades": "ok"})),
    "a problem of two columns": (csv("subset,idx,correct", "x,0,1", "y,0,0", "x,1,1", "y,1,1"),
        ({"columns": {"problem": "subset+idx"}}, [[1], [0], [1], [1]])),
    "words of one's own": (csv("id,verdict", "a,AC", "a,KO", "b,AC", "b,XE"),
        refused("cells.word", wrong=["KO", "XE"])),
    "words for right": (csv("id,verdict", "a,gelöst", "a,falsch", "b,gelöst", "b,falsch"),
        refused("cells.word", correct=["gelöst"])),
    "lines are problems": (csv("correct,x", "1,a", "0,b"), [[1], [0]]),
    "numbers of samples, and no verdicts": (csv("qid,sample,score", "a,0,7", "a,1,2", "b,0,10", "b,1,9"),
        "plain.unknown"),
    "numbers of samples of a named problem": (csv("qid,sample,score", "a,0,7", "a,1,2", "b,0,10", "b,1,9"),
        ({"columns": {"problem": "qid"}}, "plain.unknown")),
    "samples that are not numbered": (csv("id,sample,correct", "a,0,1", "a,0,0", "b,0,1", "b,0,1"),
        refused("collector.repeated", columns={"sample": None})),
    "not this value": (csv("id,split,correct", "a,dev,1", "a,test,0", "b,test,1"),
        ({"where": {"split": {"!=": "dev"}}}, [[0], [1]])),
    "none of these": (csv("id,split,correct", "a,dev,1", "a,test,0", "b,x,1"),
        ({"where": {"split": {"!=": ["dev", "x"]}}}, [[0]])),
    "no verdicts at all": (csv("id,alpha,beta", "a,x,y", "b,z,w"), "plain.unknown"),
    "two columns of verdicts": (csv("id,correct,passed", "a,1,0", "a,0,0", "b,1,1"),
        refused("plain.two_verdicts", columns={"grades": "passed"})),
    "a second column that contradicts beside a word of its own": (csv("id,correct,passed", "a,1,1", "a,0,-1", "b,1,0"),
        refused("plain.two_verdicts", columns={"grades": "correct"})),
    "a total of counts, skipped": (csv("id,n,c", "a,2,1", "b,2,2", "zusammen,4,3"),
        ({"errors": "skip"}, "structure.summary")),
    "a judge beside texts": (csv("id,sample,prediction,reference,score", "a,0,4,4,1", "a,1,about 4,4,1", "b,0,3,5,0"),
        refused("plain.ignored", columns={"grades": "score"})),
    "texts beside a judge": (csv("id,sample,prediction,reference,score", "a,0,4,4,1", "a,1,about 4,4,1", "b,0,3,5,0"),
        refused("plain.ignored", columns={"answers": "prediction", "references": "reference"})),
    "a run that succeeded": (csv("id,feedback.correctness,status", "a,1.0,success", "a,0.0,success", "b,1.0,success"),
        refused("plain.unknown", columns={"problem": "id", "grades": "feedback.correctness"})),
    "columns of pandas of any name": (
        json.dumps({"qid": dict(zip("012", "aab", strict=True)), "ok": {"0": 1, "1": 0, "2": 1}}),
        named(problem="qid", grades="ok")),
    "numbered verdicts of problems": (json.dumps({"qid": {"0": 1, "1": 0}, "ok": {"0": 1, "1": 1}}), AB),
    "numbers of samples in other languages": (csv("id,Durchlauf,correct", "a,1,1", "a,2,0", "b,1,1", "b,2,1"), AB),
    "numbers of samples in camel case": (csv("id,sampleIdx,correct", "a,0,1", "a,1,0", "b,0,1", "b,1,1"), AB),
    "a judge of long texts": (jsonl(*({"problem": p, "generations": ["so 4", "so 5"], "answer": "4",
        "correctness_math_verify": [True, p == "b"], "is_complete": [True, False]} for p in "ab")),
        refused("plain.ignored", columns={"grades": "correctness_math_verify"})),
    "a column that judges no texts": (csv("id,n,prediction,reference,short", "a,0,4,4,0", "a,1,3,4,1", "b,0,5,5,1"),
        ({}, None)),
    "runs with lists of problems": (jsonl(*({"seed": seed, "correct": [1, seed]} for seed in (0, 1))),
        refused("plain.runs", columns={"problem": "line"})),
    "runs with lists of objects": (jsonl(*({"run": run, "results": [{"qid": "a", "correct": 1}, {"qid": "b",
        "correct": run}]} for run in (0, 1))), refused("plain.runs", columns={"problem": "line"})),
    "ids with a word and a number": (csv("id,correct", *(f"q{i}-run{j},{j}" for i in (0, 1) for j in (0, 1))),
        refused("plain.numbered_names", columns={"problem": "id.base"})),
    "yes means wrong": (csv("id,sample,error", "a,0,no", "a,1,yes", "b,0,no", "b,1,no"),
        ({"columns": {"grades": "error"}, "wrong": ["yes"]}, [[1, 0], [1, 1]])),
    "no means right": (csv("id,sample,error", "a,0,no", "a,1,yes", "b,0,no", "b,1,no"),
        ({"columns": {"grades": "error"}, "correct": ["no"]}, [[1, 0], [1, 1]])),
    "rates of problems": (csv("id,pass@1,pass@3", "a,0.5,0.6", "b,0.2,1"), unsure(grades="pass@3")),
    "two words, of which none is known": (csv("id,verdict", "a,نعم", "a,لا", "b,نعم", "b,لا"),
        refused("cells.word", correct=["نعم"])),
    "two columns that agree": (csv("id,correct,passed", "a,1,1", "a,0,0", "b,1,1"), [[1, 0], [1]]),
    "one id for two questions": (jsonl(*({"id": i % 2, "question": f"q{i}", "correct": 1} for i in range(4))),
        refused("plain.questions", columns={"problem": "question"})),
    "one question for all ids": (jsonl(*({"uid": i, "question": f"q{i % 2}", "correct": 1} for i in range(4))),
        refused("plain.questions", columns={"problem": "question"})),
    "data sets of one id": (csv("dataset,id,correct", "x,0,1", "y,0,0", "x,1,1", "y,1,1"),
        refused("models.settings", columns={"problem": "dataset+id"})),
    "an accuracy in per cent beside a count": (csv("id,n_samples,accuracy", "a,4,25.0", "b,4,100.0"),
        [[1, 0, 0, 0], [1, 1, 1, 1]]),
    "an accuracy with a comma beside a count": (csv("id;n;accuracy", "a;4;0,25", "b;4;1,0"),
        [[1, 0, 0, 0], [1, 1, 1, 1]]),
    "an accuracy that may be a count": (csv("id,n,accuracy", "a,4,3", "b,4,4"), "shapes.counts"),
    "levels of a header, as pandas writes them": (csv(",run,run", ",0,1", "id,,", "a,1,0", "b,1,1"), "tables.levels"),
    "levels of a header, as sheets have them": (csv("id,run 1,,run 2,", ",answer,correct,answer,correct",
        "a,x,1,y,0", "b,x,1,y,1"), "tables.levels"),
    "points with their unit": (csv("id,correct", "a,1 pt", "a,0.25 pts", "b,1 point", "b,1 pt"), [[1, 0.25], [1, 1]]),
    "an accuracy beside a count": (csv("id,n,accuracy", "a,4,0.25", "b,4,1.0"), [[1, 0, 0, 0], [1, 1, 1, 1]]),
    "a share in per cent beside a count": (csv("id,n,acc", "a,4,25%", "b,2,100%"), [[1, 0, 0, 0], [1, 1]]),
    "lists in lines": ("[1, 0]\n[1, 1]\n", AB),
    "documents that follow each other": ("".join(json.dumps({"id": p, "correct": v}, indent=1) + "\n"
        for p, v in [("a", 1), ("a", 0), ("b", 1)]), [[1, 0], [1]]),
    "columns of counts": ('{"n": [2, 2], "c": [1, 2]}', AB),
    "an average beside lists": ('{"a": [1, 0], "b": [1, 1], "overall": 0.75}', summed("overall", "problem")),
    "resolved and unresolved": (csv("id,status", "a,resolved", "a,unresolved", "b,resolved", "b,resolved"), AB),
    "ends of programs": (csv("id,verdict", "a,AC", "a,TLE", "b,accepted", "b,AC"), AB),
    "a matrix without names": ("1,0\n1,1\n", AB),
    "a matrix of truth values": ("True,False\nTrue,True\n", AB),
    "a matrix as pandas writes it": ("0,1\n1,0\n1,1\n", AB),
    "columns that are numbers": (csv("id,1,2", "a,1,0", "b,1,1"), AB),
    "Chinese numbers of runs": (csv("题目,第1次,第2次", "a,1,0", "b,1,1"), AB),
    "a header whose last name is a number": (csv("idx,1", "a,1", "b,0"), named(problem="idx", grades="1")),
    "rows of words without a header": (csv("a,pass", "a,fail", "b,pass", "b,pass"),
        refused("standard.no_problem", columns={"problem": "column 1"})),
    "a header once more whose name is a word": (csv("name,pass", "a,yes", "name,pass"), "structure.header"),
    "rows without a header": (csv("a,1", "a,0", "b,1", "b,1"), named(problem="column 1", grades="column 2")),
    "ends of programs of another name": (csv("id,state", "a,AC", "a,RE", "b,PE", "b,AC"), [[1, 0], [0, 1]]),
    "ends of programs that are not known": (csv("id,state", "a,AC", "a,KO", "b,XE", "b,AC"),
        ("plain.unknown", {"columns": {"problem": "id", "grades": "state"}, "correct": ["AC"]})),
    "marks in numbered columns": (csv("id,r1,r2", "a,+,-", "b,+,+"),
        unsure({"correct": ["+"]}, problem="id", grades="r1+r2")),
    "objects in CSV": (csv("id,samples", 'a,"[{""ok"": 1, ""correct"": true}, {""correct"": false}]"',
        'b,"[{""correct"": true}]"'), [[1, 0], [1]]),
    "verdicts of any name within objects in CSV": (csv("id,x", 'a,"[{""ok"": 1}, {""ok"": 0}]"', 'b,"[{""ok"": 1}]"'),
        named(problem="id", grades="x.ok")),
    "verdicts of any name within objects": (jsonl(*({"id": p, "x": [{"ok": v, "text": "7"} for v in own]}
        for p, own in [("a", [1, 0]), ("b", [1, 1])])), named(problem="id", grades="x.ok")),
    "rewards of any name": (csv("id,gain", "a,1", "a,-1", "b,-1", "b,-1"),
        unsure({"scale": (-1, 1)}, problem="id", grades="gain")),
    "lists beside a number": (jsonl({"id": "a", "time": 0.5, "gut": [1, 0]}, {"id": "b", "time": 0.25, "gut": [1, 1]}),
        named(problem="id", grades="gut")),
    "problems in columns, or samples": (csv("p0,p1", "1,0", "0,1", "1,0"),
        refused("plain.numbered", columns={"grades": "p0+p1"})),
    "two models of one name": (csv("id,gpt3,gpt4", "a,1,0", "b,1,1"),
        refused("plain.numbered", columns={"grades": "gpt3"})),
    "two models side by side": (csv("id,llama,qwen", "a,1,0", "b,1,1"), unsure(problem="id", grades="qwen")),
    "a verdict for each name": ('{"a": 1, "b": 0}', unsure(problem="line", grades="b")),
    "lists as texts in a document": (
        jsonl({"id": "a", "correct": "[1, 0]"}, {"id": "b", "correct": "[True, True]"}), AB,
    ),
    "words in a flat list": ('["pass", "fail"]', "standard.no_problem"),
    "exit codes with points": (csv("id,exit_code", "a,0.0", "a,1.0", "b,0.0", "b,0.0"),
        named({"correct": ["0"]}, problem="id", grades="exit_code")),
    "names beside notes that repeat": (csv("name,note,ok", "a,x,1", "b,x,0", "c,y,1"),
        ("plain.unknown", {"columns": {"problem": "name", "grades": "ok"}})),
    "objects in CSV that repeat": (csv("name,out", *(f'{p},"{{""ok"": {int(p == "a")}}}"' for p in "abc")),
        named(problem="name", grades="out.ok")),
    "problems in columns without names": (csv("run,0,1", "0,1,1", "1,1,0"),
        refused("plain.numbered", columns={"grades": "1", "problem": "line"})),
    "answers of 0 and 1 beside outputs": (csv("id,model_output,answer", "a,3,1", "b,0,0"),
        unsure(problem="id", answers="model_output", references="answer")),
    "ranks of samples": (csv("id,rank,correct", "a,1,1", "a,2,0", "b,1,1", "b,2,1"), AB),
    "problems beside results": (
        '{"problems": [{"id": "a"}], "results": [{"id": "a", "correct": 1}, {"id": "a", "correct": 0}]}', [[1, 0]]),
    "a number of problems beside results": (
        '{"problems": 1, "results": [{"id": "a", "correct": 1}, {"id": "a", "correct": 0}]}', [[1, 0]]),
    "samples of all problems": ('{"sample_0": [1, 1], "sample_1": [0, 1]}', AB),
    "runs of unequal length": ('{"run_0": [1, 1], "run_1": [0]}', "tables.unequal_columns"),
    "texts that are alike": (csv("qid,gold,out", "1,4,4", "1,4,5", "2,7,7", "2,7,7"),
        unsure(problem="qid", answers="out", references="gold")),
    "letters that are alike": (csv("id,key,choice", "1,A,A", "1,A,B", "2,C,C"),
        unsure(problem="id", answers="choice", references="key")),
    "predictions of two models": (jsonl({"id": 1, "answer": "4", "pred_x": "4", "pred_y": "5"},
        {"id": 2, "answer": "7", "pred_x": "7"}), unsure(problem="id", answers="pred_x", references="answer")),
    "counts of any name": (csv("problem,tried,right", "a,4,3", "b,4,4"),
        named(problem="problem", n="tried", c="right")),
    "fractions that may be counts": (csv("id,passed", "a,2/4", "b,4/4"),
        refused("plain.parts", columns={"n": "passed", "c": "passed"})),
    "fractions that may be shares": (csv("id,passed", "a,2/4", "b,4/4"),
        refused("plain.parts", columns={"grades": "passed"})),
    "fractions of any name": (csv("task,solved", "a,4/5", "b,2/5"), named(problem="task", n="solved", c="solved")),
    "a rate that repeats": (csv("task,pass_rate", "a,75%", "b,50%", "c,75%", "d,50%"),
        ("plain.unknown", {"columns": {"problem": "task", "grades": "pass_rate"}})),
    "fractions of two models": (csv("problem,one,other", "a,0.5,1.0", "b,0.25,0.5", "c,0.5,1.0"),
        ("plain.unknown", {"columns": {"problem": "problem", "grades": "one"}})),
    "counts of tests": (csv("problem,tests_total,tests_passed", "a,4,3", "b,4,4"),
        unsure(problem="problem", n="tests_total", c="tests_passed")),
    "lists of truths": (csv("id,results", 'a,"[True, False]"', 'b,"[True, True]"'),
        named(problem="id", grades="results")),
    "a question as a name": (csv("id,Solved?", "a,Yes", "a,No", "b,Yes", "b,Yes"), AB),
    "a single word": (csv("id,opponent", "a,y", "b,y"), unsure(problem="id", grades="opponent")),
    "prompts that are empty": (jsonl(*({"id": p, "prompt": {}, "correct": True} for p in "ab")), [[1], [1]]),
    "counts of any name beside other numbers": (csv("problem,tried,right,tokens", "a,4,3,9", "b,4,4,8"),
        unsure(problem="problem", n="tried", c="right")),
    "a share of any name beside a count": (csv("Aufgabe;Anzahl;Quote", "a;4;0,75", "b;4;1,0"),
        named(problem="Aufgabe", n="Anzahl", c="Quote")),
    **{f"an id for each row beside {name}": (csv(f"id,{name},correct", "1,a,1", "2,a,0", "3,b,1", "4,b,1"),
        refused("plain.questions", columns={"problem": name})) for name in ("task", "Aufgabe", "idx")},
    "sets of problems, each with an id": (csv("id,task,correct", *(f"{i},x{i % 2},1" for i in range(6))), [[1]] * 6),
    "ids that restart in each group": (csv("subject,id,correct", "x,1,1", "x,2,0", "y,1,1"),
        refused("plain.groups", columns={"problem": "subject+id"})),
    "models whose problems are apart": (crossed("model", ["x", "y"]),
        ({"columns": {"problem": "model+id"}}, [[0], [1], [1], [0], [0], [1]])),
    "one verdict and another that is normalised": (csv("doc_id,acc,acc_norm", "a,1,1", "b,0,1"),
        refused("plain.two_verdicts", columns={"grades": "acc_norm"})),
    "lists whose problem is named within an object": (jsonl(*(
        {"item": {"id": p, "q": "x"}, "results": [{"passed": v}]} for p, v in [("a", 1), ("a", 0), ("b", 1)])),
        "standard.no_problem"),
    "points of any name": (csv("id,points", "a,8.5", "a,3", "b,10", "b,9"),
        unsure({"scale": (0, 10)}, problem="id", grades="points")),
    "answers beside references": (jsonl({"question": "x", "answer": "A", "model_output": "(A)"},
        {"question": "x", "answer": "A"}), unsure(problem="question", answers="model_output", references="answer")),
    "completions as an interface sends them": (jsonl(*(
        {"id": p, "target": "4", "choices": [{"message": {"content": "4"}}]} for p in "ab")),
        unsure(answers="choices.message.content", references="target")),
    "values of NumPy in lists": (csv("id,correct", 'a,"[np.True_, np.float64(0.0)]"', 'b,"[np.int64(1), 1]"'), AB),
    "words for nothing": (csv("id,correct", "a,1", "a,NA", "b,None", "b,1"), [[1, None], [None, 1]]),
    "counts of a problem, twice": (csv("id,n,c", "a,9,3", "b,9,5", "a,9,4"), "collector.same_problem"),
    "rows without a name": (jsonl({"id": "a", "correct": 1}, {"accuracy": 0.5}),
        refused("cells.problem", errors="skip")),
    "`true` alone": ("true", "tables.empty"),
    "numbered columns of any name": (csv("id,s1,s2,mean", "a,1,0,.5", "b,1,1,1"),
        refused("plain.numbered", columns={"grades": "s1+s2"})),
    "a verdict within an object": (jsonl(*({"id": p, "out": {"text": "x", "ok": v}} for p, v in [("a", 1), ("a", 0)])),
        named(problem="id", grades="out.ok")),
    "shards of unequal size whose ids restart": (csv("shard,id,correct", "a,0,1", "a,1,0", "a,2,1", "b,0,1", "b,1,0"),
        refused("models.settings", columns={"problem": "shard+id"})),
    "years of unequal size": (csv("year,problem,correct",
        *(f"{y},{i},{j}" for y, m in ((24, 3), (25, 2)) for i in range(m) for j in (0, 1))),
        refused("models.settings", columns={"problem": "year+problem"})),
    **{f"tests of each sample: {header}": (csv(header, *rows), refused("structure.tests", pool=header.split(",")[-2]))
        for header, *rows in [
            ("id,sample,test_case,passed", *(f"{p},{s},t{t},{t}" for p in "ab" for s in (0, 1) for t in (0, 1))),
            ("id,test_id,passed", "a,1,1", "a,2,0", "a,3,1", "b,1,1", "b,2,0"),
        ]},
    "a test of each problem": (csv("id,test,correct", "a,x,1", "a,x,0", "b,y,1", "b,y,1"), AB),
    "verdicts of any name beside questions that repeat": (csv("id,inputs.question,feedback.correct",
        "x,a,1", "y,a,0", "z,b,1", "w,b,1"), refused("plain.questions",
        columns={"problem": "inputs.question", "grades": "feedback.correct"})),
    **{f"sources that share a problem, with {n} and {m} samples": (csv("source,id,correct",
        *(f"A,{i},{i % 2}" for i in (1, 2, 3) for _ in range(n)), *(f"B,{i},1" for i in (1, 4) for _ in range(m))),
        refused("models.settings", columns={"problem": "source+id"})) for n, m in [(1, 1), (1, 3), (2, 3)]},
    "marks that follow each other by chance": (csv("id,good,correct", "a,1,1", "b,1,1", "c,0,0", "b,0,0"),
        [[1], [1, 0], [0]]),
    "a run that did not end": (csv("run,id,correct", "0,a,1", "0,b,1", "1,a,0"), [[1, 0], [1]]),
    "an unnamed average row": (ids("a1", "b1", "c0", "d1", "e0") + "alle,0.6\n", summed("alle")),
    "nothing that is excluded": (ids("a1", "b1"), ({"exclude": {"x": None}}, "exclusion.unknown")),
    "a verdict that is none": (csv("id,correct", "a,1", "a,0", "b,maybe", "b,1"), "cells.word"),
    "a verdict that is none, skipped": (csv("id,correct", "a,1", "a,0", "b,maybe", "b,1"),
        ({"errors": "skip"}, [[1, 0], [1]])),
    "a broken line, skipped": ('{"id": "a", "correct": 1}\n{"id": "a", "corr\n{"id": "a", "correct": 0}\n',
        ({"errors": "skip"}, [[1, 0]])),
    "a broken line": ('{"id": "a", "correct": 1}\n{"id": "a", "corr\n', refused("decoding.line", errors="skip")),
    # What was once read without a word as something else.
    "two models of equal counts": (csv("id,model,n,c", "a,x,2,1", "a,y,2,1", "b,x,2,2", "b,y,2,2"),
        refused("models.settings", where={"model": "x"})),
    "seeds of equal counts": (csv("id,seed,n,c", "a,0,2,1", "a,1,2,1", "b,0,2,2", "b,1,2,2"),
        "collector.same_problem"),
    "levels of equal counts": (csv("id,level,n,c", "a,0,2,1", "a,1,2,1", "b,0,2,2"), "collector.same_problem"),
    "counts under lists": (jsonl({"id": ["a"], "n": 2, "c": 1}, {"id": ["a"], "n": 2, "c": 1}),
        ({"columns": {"problem": "id"}}, "cells.problem")),
    "counts without names": (jsonl(*({"id": p, "n": 2, "c": 1} for p in (None, None, "a"))),
        ({"errors": "skip"}, [[1, 0]])),
    "pass@1 of all samples": (csv("id,n,pass@1", "a,2,1", "b,2,0"), [[1, 1], [0, 0]]),
    "pass@1 of some samples": (csv("id,n,pass@1", "a,2,0.5", "b,2,1.0"), AB),
    "a rate by its name": (csv("id,n,hit rate", "a,2,1", "b,2,0"),
        ({"columns": {"n": "n", "c": "hit rate"}}, [[1, 1], [0, 0]])),
    "a share among per cent": (csv("id,n,acc (%)", "a,4,0.25", "b,4,75", "c,4,0"),
        ({"columns": {"n": "n", "c": "acc (%)"}}, "shapes.counts")),
    "a share among per cent, skipped": (csv("id,n,acc (%)", "a,4,0.25", "b,4,75", "c,4,0"),
        ({"columns": {"n": "n", "c": "acc (%)"}, "errors": "skip"}, [[1, 1, 1, 0], [0, 0, 0, 0]])),
    "a sign and a word": (csv("id,correct", "a,✅ PASS", "a,❌ FAIL"), refused("cells.word", correct=["✅ PASS"])),
    "a word and a number": (csv("id,correct", "a,yes 1", "a,no 0"), refused("cells.word", correct=["yes 1"])),
    "words that blanks part": (csv("id,correct", "a,pass fail", "b,Pass pass"), AB),
    "two verdicts or a fraction": (csv("id,grade", "a,0/0", "a,1/2"), refused("cells.word", wrong=["0/0"])),
    "runs side by side in objects": ('[{"run_1": 1, "run_2": 0}, {"run_1": 1, "run_2": 1}]', AB),
    "checks of each sample": ('[{"checks": {"form": true, "value": true}}, {"checks": {"form": true, "value": false}}]',
        unsure(problem="line", grades="checks.form")),
    "checks side by side": ('[{"strict": true, "loose": true}, {"strict": false, "loose": true}]',
        unsure(problem="line", grades="strict")),
    "checks under results": ('{"results": [{"strict": true, "loose": true}, {"strict": false, "loose": true}]}',
        unsure(problem="line", grades="strict")),
    "checks of each sample of a model": (jsonl(*({"qid": i, "model": "m", "checks": {"form": True, "value": i == 1}}
        for i in range(2))), unsure(problem="qid", grades="checks.form")),
    "a run without one of the problems": ('{"run1": {"a": 1, "b": 1}, "run2": {"a": 0}}', [[1, 0], [1]]),
    "a run with an empty verdict": ('{"run1": {"a": 1, "b": null}, "run2": {"a": 0, "b": 1}}', [[1, 0], [None, 1]]),
    "confidences without a name": (csv("a,1,0.7", "a,0,0.2", "b,1,0.9", "b,1,0.95"),
        named(problem="column 1", grades="column 2")),
    "runs that are lists": ('{"run_1": [true, true], "run_2": [false, true]}', AB),
    "predictions beside labels": (csv("id,pred,label", "a,1,1", "a,0,1", "b,0,0", "b,0,0"),
        unsure(problem="id", answers="pred", references="label")),
    "predictions that are verdicts": (
        csv("id,run,prediction,seconds", "a,0,1,0.5", "a,1,0,0.2", "b,0,1,3", "b,1,1,1.5"), AB),
    "rows beside an accuracy": ('{"accuracy": 0.5, "details": [{"id": "a", "passed": 1}, {"id": "a", "passed": 0}]}',
        refused("plain.rows", rows_at="details")),
    "rows under two keys": ('{"train": [{"id": "a", "passed": true}], "results": [{"id": "a", "passed": false}]}',
        refused("plain.rows", rows_at="train")),
    "lists under a key": ('{"results": {"a": [true, false], "b": [true, true]}}',
        refused("plain.rows", rows_at="results")),
    "a column of verdicts without a name": ("1\n0\n1\n", named(problem="line", grades="column 1")),
    "an empty list among others": ("[[], [1, 0]]", "collector.no_samples"),
    "a plus in a name": (csv("id,n+m,c,n,m", "a,2,1,5,5", "b,2,2,5,5"),
        ({"columns": {"n": "n+m", "c": "c"}}, AB)),
    "a star behind a name": (csv("id,correct*", "a,1", "a,0"), named(problem="id", grades="correct*")),
    "a model called y": (jsonl(*({"id": p, "model": "y", "points": 7} for p in "ab")), "plain.unknown"),
    "wide blanks around names": (csv("\xa0id\u3000,\xa0correct", "a,1", "a,0", "b,1", "b,1"), AB),
    "models that name problems": ('{"m-4.1": {"a": true, "b": false}, "m-3": {"a": true, "b": true}}',
        refused("plain.models", rows_at="m-4.1")),
    "models with objects": ('{"m": {"a": {"passed": 1}, "b": {"passed": 0}}, "l": {"a": {"passed": 1}, "b": {}}}',
        refused("plain.models", rows_at="m")),
    "models with lists": ('{"m": {"a": [1, 0], "b": [1, 1]}, "l": {"a": [1, 0], "b": [0, 0]}}',
        refused("plain.models", rows_at="m")),
    "models of other problems": ('{"m": {"a": true, "b": false}, "l": {"a": true, "c": true}}',
        ({"rows_at": "m"}, [[1], [0]])),
    "checks of named problems": ('{"a": {"form": true, "value": false}, "b": {"form": true, "value": true}}',
        ({"columns": {"problem": "problem", "grades": "value"}}, [[0], [1]])),
    "only the lines of one model": (crossed("model", ["a", "b"]), ({"where": {"model": "a"}}, [[0], [1], [0]])),
}  # fmt: skip


def write(folder, text):
    path = folder / ("results.json" if text.startswith(("{", "[")) else "results.csv")
    path.write_text(text, encoding="utf-8")
    return path


def read(path, **options):
    return read_samples(path, **options).grades


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in READ.items()])
def test_plain_file(case, tmp_path):
    text, expected = case
    path = write(tmp_path, text)
    if isinstance(expected, list):
        assert read(path) == expected
    elif isinstance(expected, tuple) and isinstance(expected[1], str):
        with pytest.raises(InputError) as caught:
            read(path, **expected[0])
        assert caught.value.code == expected[1]
    elif isinstance(expected, tuple) and isinstance(expected[0], dict):
        assert read(path, **expected[0]) == expected[1]
    else:
        code, mended, *example = expected if isinstance(expected, tuple) else (expected, None)
        with pytest.raises(InputError) as caught:
            read(path)
        assert caught.value.code == code
        if mended is not None:
            assert next(iter(mended)) in str(caught.value)
            found = [dict(reading.options) for reading in caught.value.readings]
            assert [each for each in example if each not in found] == [], found
            assert read_samples(path, **mended).problems


@pytest.mark.parametrize(
    ("words", "notes"), [(["Yes", "it is."], ["note.unseen_words"]), (["AC", "CE"], [])]
)
def test_words_that_no_verdict_is(tmp_path, words, notes):
    path = write(tmp_path, csv("id,verdict", "a,AC", 'a,"Yes, it is."'))
    found = read_samples(path, correct=words).origin.notes
    assert [note.code for note in found if note.code == "note.unseen_words"] == notes


def test_errors_are_raised_or_skipped(tmp_path):
    with pytest.raises(InputError, match='must be "raise" or "skip"; got \'ignore\''):
        read_samples(write(tmp_path, ids("a1", "b0")), errors="ignore")


def test_errors_beside_wrong_verdicts_are_noted(tmp_path):
    text = csv("id,correct,error", "a,1,", "a,0,HTTP 500", "b,0,", "b,1,retried")
    [note] = read_samples(write(tmp_path, text)).origin.notes
    assert (note.code, note.values["count"], note.values["text"]) == (
        "note.errors",
        1,
        "“HTTP 500”",
    )


def test_sources_that_may_share_a_problem_are_noted(tmp_path):
    [note] = read_samples(
        write(tmp_path, csv("source,id,correct", "A,a,1", "B,a,0", "A,b,0", "B,c,1"))
    ).origin.notes
    assert (note.code, note.values["apart"]) == (
        "models.settings",
        Mention(columns={"problem": "source+id"}),
    )


NAMES = "a\nb 2099-12-31\n# flaky\nc, 2020-01-31\n"


@pytest.mark.parametrize("excluded", [{"a": None, "b": "2099-12-31", "c": "2020-01-31"}, NAMES])
def test_problems_are_excluded_until_their_day(tmp_path, excluded):
    if excluded == NAMES:
        (tmp_path / "names.txt").write_text(NAMES, encoding="utf-8")
        excluded = tmp_path / "names.txt"
    samples = read_samples(write(tmp_path, ids("a1", "b0", "c1", "d0")), exclude=excluded)
    notes = {note.code: note.values for note in samples.origin.notes}
    assert (samples.problems, samples.origin.chosen) == (["c", "d"], {"excluded": "2"})
    assert {key: notes["note.excluded"][key] for key in ("count", "total", "names")} == {
        "count": 2,
        "total": 4,
        "names": "“a”, “b”",
    }
    assert notes["note.exclusion_over"] == {"names": "“c” (2020-01-31)"}


@pytest.mark.parametrize(
    ("excluded", "code"), [({"a": "soon"}, "exclusion.day"), (["a", "b"], "exclusion.nothing")]
)
def test_exclusions_that_are_refused(tmp_path, excluded, code):
    with pytest.raises(InputError) as caught:
        read_samples(write(tmp_path, ids("a1", "b0")), exclude=excluded)
    assert caught.value.code == code


def test_few_rows_that_repeat_are_noted(tmp_path):
    samples = read_samples(write(tmp_path, ids("a1", "b0", "c1", "a1", "b0", "c1")))
    assert [note.code for note in samples.origin.notes] == ["note.repeated"]


def test_problems_of_two_contests_are_problems_and_noted(tmp_path):
    samples = read_samples(write(tmp_path, ids("I-11", "I-20", "I-31", "II-10", "II-21", "II-30")))
    [note] = samples.origin.notes
    assert (samples.grades, note.code) == ([[1], [0], [1], [0], [1], [0]], "note.numbered_names")
    assert "id.base" in str(note.values["split"])


def test_objects_with_a_field_called_base_are_no_numbered_names(tmp_path):
    rows = "".join(
        f'{{"meta": {{"base": "q{number}"}}, "correct": {number % 2}}}\n' for number in range(6)
    )
    assert at_k.score(write(tmp_path, rows), metrics="pass@1").values == {"pass@1": 0.5}


TABLES = {
    "rows": [[1, 0], [1, 1]],
    "an array": np.array([[1, 0], [1, 1]]),
    "n and c": {"n": [2, 2], "c": [1, 2]},
    "rows of n and c": [{"n": 2, "c": 1}, {"n": 2, "c": 2}],
    "columns of other names": pd.DataFrame(
        {"problem": list("aabb"), "solved": [True, False, True, True]}
    ),
}


@pytest.mark.parametrize("data", [pytest.param(data, id=name) for name, data in TABLES.items()])
def test_tables_in_memory(data):
    assert at_k.score(data, metrics="pass@k", k=[1, 2]).values == {"pass@1": 0.75, "pass@2": 1.0}


def test_rows_without_names_in_memory():
    with pytest.raises(InputError) as caught:
        at_k.score({"correct": [True, False]})
    assert [reading.options for reading in caught.value.readings] == [
        {"columns": {"problem": "line"}}
    ]
    lists = {"predictions": ["a", "b"], "references": ["a", "c"]}
    assert at_k.score(lists, metrics="pass@1").values == {"pass@1": 0.5}
