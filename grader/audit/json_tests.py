"""Ready tests as entries of the list in a folder of a problem."""

import ast
import json


def json_tests(module: str) -> str:
    """Return the tests of a module as a list in JSON.

    Each is a program that defines the test, calls it and prints `passed`.
    """
    tree = ast.parse(module)
    tests = [
        {
            "test": (
                "import numpy as np\n\n\n"
                f"{ast.get_source_segment(module, node)}\n\n\n{node.name}()\nprint('passed')"
            ),
            "expected_output": "passed",
        }
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]
    return json.dumps(tests, indent=2, ensure_ascii=False) + "\n"
