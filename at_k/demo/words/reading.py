"""What is said of results that cannot be read."""

WORDS = {
    "cells": (
        "The file has more than {limit:,} cells.",
        "文件的单元格多于 {limit:,} 个。",
    ),
    "empty": (
        "There are no results here yet: paste some, or open a file or an example.",
        "这里还没有结果：请粘贴结果，或打开文件或示例。",
    ),
    "too_large": (
        "These results have {size:,} bytes; at most {limit:,} are read here.",
        "这些结果有 {size:,} 字节；这里最多读取 {limit:,} 字节。",
    ),
    "rows": ("There are more than {limit:,} rows, the most that are read here.", "超过了这里最多读取的 {limit:,} 行。"),
    "columns": (
        "There are {count:,} columns; at most {limit:,} are read here.",
        "共有 {count:,} 列；这里最多读取 {limit:,} 列。",
    ),
    "long_name": (
        "The name of a column has {length:,} characters, at most {limit:,} are read here: column “{column}”.",
        "列名有 {length:,} 个字符，这里最多读取 {limit:,} 个：列 “{column}”。",
    ),
    "json_line": (
        "This is not valid JSON: line {line}, near {near}.",
        "这不是有效的 JSON：第 {line} 行，{near} 附近。",
    ),
    "json_row": ("This is not valid JSON: row {row}, near {near}.", "这不是有效的 JSON：第 {row} 行，{near} 附近。"),
    "deep": ("This JSON is nested too deeply to be read.", "这段 JSON 嵌套过深，无法读取。"),
    "repeated_name": (
        "An object has the name “{name}” more than once (row {row}).",
        "同一个对象中多次出现名称 “{name}”（第 {row} 行）。",
    ),
    "long_number": (
        "A number has too many digits to be read (row {row}).",
        "数字的位数过多，无法读取（第 {row} 行）。",
    ),
    "surrogate": (
        "A text has half of a character in it, which no file can hold (row {row}).",
        "文本中含有不完整的字符，无法写入任何文件（第 {row} 行）。",
    ),
    "not_object": (
        'Each row must be an object such as {{"correct": [1, 0]}}; {value} is not (row {row}).',
        '每一行必须是一个对象，例如 {{"correct": [1, 0]}}；{value} 不是（第 {row} 行）。',
    ),
    "unequal_columns": (
        "All columns must be equally long: “{column}” has {count:,} entries, “{other}” has {other_count:,}.",
        "各列的长度必须相同：“{column}” 有 {count:,} 项，“{other}” 有 {other_count:,} 项。",
    ),
    "quotes": (
        "The quotation marks do not match: one is not closed, or text follows one that is (row {row}).",
        "引号不匹配：引号没有闭合，或闭合之后还有文字（第 {row} 行）。",
    ),
    "header_quotes": (
        "The quotation marks in the header line do not match.",
        "标题行中的引号不匹配。",
    ),
    "fields": (
        "A row has {count:,} cells, the header line {expected:,} (row {row}).",
        "此行有 {count:,} 个单元格，而标题行有 {expected:,} 个（第 {row} 行）。",
    ),
    "repeated_column": (
        "The header line has column “{column}” more than once.",
        "标题行中列 “{column}” 多次出现。",
    ),
}
