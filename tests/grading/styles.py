"""Styles in which models reply with a function of HumanEval, each from its prompt, its body and its name."""

import ast
from textwrap import dedent, indent

HERE = "Here is the solution:\n\n"
PYTHON = "```python\n{whole}```"

# A style is a template. `{whole}` is the prompt with the body, `{before}` what precedes the function in the prompt, and
# `{function}` the function alone.
TEMPLATES = {
    "whole": "{whole}",
    "fence": HERE + PYTHON + "\n\nIt works by looping.",
    "fence closed by a token": HERE + PYTHON + "<|im_end|>",
    "fence closed by DeepSeek's token": PYTHON + "<｜end▁of▁sentence｜>",
    "fence with its language on a line": "```\npython\n{whole}```",
    "fence in a quotation": "> So:\n>\n{quoted}\n",
    "thought of Sky-T1": "<|begin_of_thought|>def {name} is easy<|end_of_thought|>\n<|begin_of_solution|>\n" + PYTHON,
    "thought of Magistral": "[THINK]def {name} is easy[/THINK]\n" + PYTHON,
    "fence in a list": "1. So:\n\n   ```python\n{listed}   ```\n\n2. It is linear.",
    "fence of another language": "```text\n{whole}```",
    "fence of tildes": "~~~py\n{whole}~~~",
    "fence that is not closed": "Sure!\n```python\n{whole}",
    "fence cut off": "```python\n{whole}\n\n# Example\nprint({name}",
    "turn of a chat": "<|im_start|>assistant\n" + PYTHON + "\n<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>",
    "turn of Llama": "<|start_header_id|>assistant<|end_header_id|>\n\n{whole}<|eot_id|>",
    "channels of gpt-oss": "<|channel|>analysis<|message|>def {name} is simple.<|end|><|start|>assistant"
    "<|channel|>final<|message|>" + PYTHON + "<|return|>",
    "reasoning": "<think>\nMaybe\n```python\ndef {name}(): pass\n```\nno, let's see.\n</think>\n\n" + PYTHON,
    "answer": "<answer>\n" + PYTHON + "\n</answer>",
    "marks of DS-1000": "<code>\n{whole}</code>\nEND",
    "marks of MBPP": "[BEGIN]\n{whole}\n[DONE]\n\nYou are an expert Python programmer, and here is your task: (b",
    "mark at the end": "{whole}[DONE]",
    "prose": "To solve this, we don't sort it.\n\n{whole}\n\nThis function isn't slow; it's linear.",
    "prose with headings": "**Solution**\n{whole}\n**Explanation**\n- It loops.\n- It returns.",
    "prose with a list": "{whole}\n\nExplanation:\n1. We do it.\n2. It's done.",
    "script part": "```python\n{whole}\n\nif __name__ == '__main__':\n    n = int(input())\n    print({name}(n))\n```",
    "usage": HERE + PYTHON + "\n\nUse it so:\n\n```python\nprint({name})\n```\n\nOutput:\n\n```\n<function>\n```\n",
    "assertions": PYTHON + "\n\n```python\n# tests\nassert callable({name})\n```",
    "two versions": "First:\n```python\ndef {name}():\n    raise NotImplementedError\n```\nThen:\n" + PYTHON,
    "function without its imports": "```python\n{function}```",
    "imports in a first fence": "The imports:\n```python\n{before}\n```\nThe function:\n```python\n{function}```",
    "helper in a first fence": "```python\n{before}\n{helper}```\n\nThe function calls it:\n\n```python\n{call}```",
    "completion": "{body}",
    "completion with a token": "{stripped}<|endoftext|>",
    "completion with another token": "{stripped}</s>",
    "completion and another document": "{stripped}\n<|endoftext|>import numpy as np\nThis is a document (something",
    "completion and prose": "{body}\n\nThis function doesn't need more than one pass (it is linear).",
    "completion and a test": "{body}\n\ndef test_{name}():\n    assert {name}(1) == [1, 2, ",
    "body in a fence": "```python\n{body}```",
    "body in a fence, dedented": "The body is:\n```python\n{dedented}```\nThis completes the function.",
    "body in a fence, its first line dedented": "```python\n{trimmed}\n```",
}  # fmt: skip


def write_reply(style, problem, body):
    """Write a reply with a body for a problem."""
    prompt, name = problem["prompt"], problem["entry_point"]
    start = prompt.index(f"def {name}(")
    function = prompt[start:] + body
    names = ", ".join(arg.arg for arg in ast.parse(function).body[0].args.args)
    return TEMPLATES[style].format(
        whole=prompt + body,
        before=prompt[:start] or "import math",
        function=function,
        body=body,
        name=name,
        quoted=indent(f"```python\n{prompt}{body}```", "> ", lambda line: True),
        listed=indent(prompt + body, "   "),
        helper=function.replace(f"{name}(", f"help_{name}("),
        call=f"def {name}({names}):\n    return help_{name}({names})\n",
        stripped=body.rstrip(),
        dedented=dedent(body),
        trimmed=body.strip(),
    )
