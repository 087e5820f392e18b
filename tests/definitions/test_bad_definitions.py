"""Messages about wrong definitions: the exact sentence, with line and column.

Each case spoils one spot of `minimal.yaml`: what stands there, what stands there instead, and what
is said about it. Every message begins with the file's name, which the cases leave out.
"""

from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from grader.definitions.collection import load_exercise_file

ProblemsOf = Callable[[str | bytes], str]


def boolean(word: str) -> str:
    return (
        f"some YAML readers take '{word}' for a boolean; "
        f'write "{word}" in quotes if you mean the word, true or false if you mean a boolean'
    )


def number(word: str, float_: str) -> str:
    return (
        f"YAML takes '{word}' for a word; "
        f'write {float_} if you mean the number, "{word}" in quotes for the word'
    )


def disputed(text: str) -> str:
    return (
        f"YAML readers disagree about '{text}'; "
        "write a number in plain decimal digits, or put text in quotes"
    )


def special(sign: str, what: str, whats: str) -> str:
    return (
        f"a value that starts with {sign} is a YAML {what}, and {whats} are not allowed; "
        "put the text in quotes if you mean it literally"
    )


Case = tuple[str, str, str]


def after_xp(more: str, said: str) -> Case:
    return "xp: 5", f"xp: 5\n{more}", said


def after_call(more: str, said: str) -> Case:
    return "    call: double(x)", f"    call: double(x)\n{indent(more, '    ')}", said


def after_given(more: str, said: str) -> Case:
    return "{x: 2}", f"{{x: 2}}\n{indent(more, '    ')}", said


TAB = "a tab cannot indent YAML; use spaces"
NO_KEY = (
    "no 'key: value' can start here; check the indentation, "
    "and put a text that contains ': ' in quotes"
)
ESCAPE = "this backslash starts no YAML escape; use single quotes, or write \\\\ for a backslash"
KIND = "a test has either 'call', 'run', 'holds', 'pytest', 'figure' or 'suite'"
CONTROL = (
    "the text contains the control character U+000C; "
    "in double quotes a backslash starts an escape, in single quotes it does not"
)

SYNTAX = [
    ("xp: 5", "\txp: 5", f"4:1: {TAB}"),
    ("|\n  def double(x):\n      ...", "|\n\tdef double(x): ...", f"9:1: {TAB}"),
    ("title: Double it", "title: Double: it", f"2:14: {NO_KEY}"),
    ("xp: 5", "  xp: 5", f"4:5: {NO_KEY}"),
    ("xp: 5", "xp 5", "4:1: expected ': ' after this key; check the indentation"),
    ("{x: 2}", "{x: [2}", "13:18: expected ',' or ']' here"),
    ("{x: 2}", "{x: 2", "14:9: expected ',' or '}' here"),
    ("{x: 2}", "}", "13:12: expected a value here"),
    ("{x: 2}", "- x", "13:12: a list starts on a line of its own"),
    ("Double it", "'Double it", "2:8: this quoted text is never closed"),
    (
        "Double it",
        '"Double\nx: "it"',
        "2:8: this quoted text is not closed before line 3; close it",
    ),
    ("Double it", "'It's'", "2:12: expected a key here; check the indentation and the quotes"),
    (
        "  - id: prints",
        "  id: prints",
        "15:3: expected '- ' as in the items above; check the indentation",
    ),
    ("Double it", r'"\sqrt"', f"2:9: {ESCAPE}"),
    ("Double it", r'"\frac{1}{2}"', f"2:8: title: {CONTROL}"),
    (
        "Double it",
        '"Double it\ninstructions: $\\sqrt{2}$',
        "2:8: these double quotes are not closed before line 3; close them, or write a text with "
        "backslashes below '|' or in single quotes",
    ),
    ("Double it", r'"\u12"', "2:11: this escape needs more hexadecimal digits"),
    ("Double it", r'"\ud800"', "2:11: this escape is not a Unicode character"),
    (
        "starter: |",
        "starter: | code",
        "8:12: only a comment may follow '|' or '>' on its line",
    ),
    ("Double it", "@double", "2:8: no unquoted text can start with '@'"),
    ("Double it", "*Double* it", f"2:8: {special('*', 'alias', 'aliases')}"),
    ("Double it", "*double", f"2:8: title: {special('*', 'alias', 'aliases')}"),
    ("Double it", "&", f"2:8: {special('&', 'anchor', 'anchors')}"),
    ("xp: 5", "xp: !points 5", f"4:5: {special('!', 'tag', 'tags')}"),
    ("xp: 5", "xp: !!python/name:os.system 5", f"4:5: {special('!', 'tag', 'tags')}"),
    (
        "id: double\n",
        "%YAML 1.2\n---\nid: double\n",
        "1:1: a line that starts with % is a YAML directive, and directives are not allowed",
    ),
    (
        "explanation:",
        "---\nexplanation:",
        "21:1: a second YAML document starts here; a file holds one",
    ),
    ("explanation:", "...\nexplanation:", "22:1: expected the end of the file here"),
    ("Double it", "Double\0it", "2:14: the character U+0000 is not allowed"),
]

KEYS = [
    after_xp("xp: 6", "5:1: duplicate key 'xp'; it is already at x.yaml:4:1"),
    (
        "    stdout",
        "    hiden: true\n    stdout",
        "17:5: unknown key 'hiden' in a test; did you mean 'hidden'?",
    ),
    after_xp("colour: red", "5:1: unknown key 'colour' in an exercise"),
    after_xp("digest: '0'", "5:1: unknown key 'digest' in an exercise; did you mean 'defines'?"),
    after_given(
        "tolerance: {absolute: 1}",
        "14:17: unknown key 'absolute' in a tolerance; it may have 'atol' and 'rtol'",
    ),
    after_xp("on: push", f"5:1: a key: {boolean('on')}"),
    after_xp("7: seven", '5:1: a key must be a text; write "7" in quotes'),
    after_xp("? [a]\n: 5", "5:3: a key must be a word, not a list or a mapping"),
    ("xp: 5\n", "", "1:1: missing key 'xp' in an exercise"),
    (
        "title: Double it\ndifficulty: beginner\nxp: 5\n",
        "",
        "1:1: missing keys 'title', 'difficulty' and 'xp' in an exercise",
    ),
    ("  - id: two\n    given", "  - given", "12:5: missing key 'id' in a test"),
    ("    run: print(double(1))\n", "", f"15:5: {KIND}; this one has 'id' and 'stdout'"),
    (
        "    call: double(x)",
        "    cal: double(x)",
        f"12:5: {KIND}; this one has 'id', 'given' and 'cal'; did you mean 'call'?",
    ),
    after_call("run: double(x)", "14:5: 'call' does not go with 'run'"),
    (
        "  - id: prints",
        "  - {}\n  - id: prints",
        f"15:5: {KIND}; this one has no keys",
    ),
    ("    stdout", "    nan: equal\n    stdout", "17:5: 'nan' does not go with 'run'"),
    ("    stdout", "    expect: 2\n    stdout", "17:5: 'expect' does not go with 'run'"),
    ("    stdout", "    budget: {}\n    stdout", "17:5: 'budget' does not go with 'run'"),
    after_call("pytest: assert double(1) == 2", "14:5: 'call' does not go with 'pytest'"),
    after_call("holds: idempotent\nexpect: 4", "16:5: 'expect' does not go with 'holds'"),
    (
        "    call: double(x)",
        "    run: double(x)\n    holds: idempotent",
        "12:5: missing key 'call' in a test with 'holds'\n"
        "x.yaml:14:5: 'run' does not go with 'holds'",
    ),
    after_call(
        "toleranse: {}", "15:5: unknown key 'toleranse' in a test; did you mean 'tolerance'?"
    ),
    after_call("stdout: '4'", "15:5: 'stdout' does not go with 'call'"),
]

TYPES = [
    ("xp: 5", "xp: ten", "4:5: xp: expected an integer, found the string 'ten'"),
    ("xp: 5", "xp:", "4:4: xp: expected an integer, found nothing"),
    ("xp: 5", "xp: [5]", "4:5: xp: expected an integer, found a list"),
    ("xp: 5", "xp: {n: 5}", "4:5: xp: expected an integer, found a mapping"),
    ("xp: 5", "xp: off", f"4:5: xp: {boolean('off')}"),
    ("xp: 5", "xp: 010", f"4:5: xp: {disputed('010')}"),
    ("xp: 5", "xp: 1e3", "4:5: xp: expected an integer, found the number 1e3"),
    (
        "xp: 5",
        f"xp: {'9' * 5000}",
        "4:5: xp: an integer of 5000 digits is too long; 250 are allowed",
    ),
    (
        "xp: 5",
        f"xp: {'ten ' * 20}",
        "4:5: xp: expected an integer, found the string 'ten ten ten ten ten ten ten ten ten ten…'",
    ),
    ("Double it", "on", f"2:8: title: {boolean('on')}"),
    ("Double it", "nan", f"2:8: title: {number('nan', '.nan')}"),
    (
        "Double it",
        "None",
        (
            "2:8: title: YAML takes 'None' for a word; "
            'write null if you mean no value, "None" in quotes for the word'
        ),
    ),
    ("Double it", "null", "2:8: title: expected a string, found nothing"),
    (
        "beginner",
        "beginer",
        (
            "3:13: difficulty: expected 'beginner', 'intermediate' or 'advanced', "
            "found the string 'beginer'; did you mean 'beginner'?"
        ),
    ),
    (
        "beginner",
        "[beginner]",
        "3:13: difficulty: expected 'beginner', 'intermediate' or 'advanced', found a list",
    ),
    after_xp("hints: Think.", "5:8: hints: expected a list, found the string 'Think.'"),
    after_xp(
        "hints: [Think., 5]",
        "5:17: hints: expected a string, found the integer 5; put it in quotes",
    ),
    (
        '{reference: "reference.demo:double"}',
        "reference.demo:double",
        "7:11: double: expected a mapping, found the string 'reference.demo:double'",
    ),
    (
        '  double: {reference: "reference.demo:double"}',
        "  - double",
        "7:3: defines: expected a mapping, found a list",
    ),
    (
        "  - id: prints",
        "  - 5\n  - id: prints",
        "15:5: tests: expected a mapping, found the integer 5",
    ),
    (
        "{x: 2}",
        "[2]",
        "13:12: given: expected a mapping of inputs, or Python code, found a list",
    ),
    after_given("hidden: 1", "14:13: hidden: expected true or false, found the integer 1"),
    after_given("tolerance: 0.1", "14:16: tolerance: expected a mapping, found the number 0.1"),
    after_given(
        "tolerance: {atol: small}", "14:23: atol: expected a number, found the string 'small'"
    ),
    after_given(
        "tolerance: {atol: 1e999}",
        "14:23: atol: '1e999' is too large for a float; write .inf for infinity",
    ),
]

EXPECT = "    call: double(x)\n    expect: "
UNCLEAR = "is not a place to take the value from; put it in quotes if it is the value itself"

TYPES += [
    (
        "    call: double(x)",
        f"{EXPECT}refrence",
        f"15:13: expect: 'refrence' {UNCLEAR}; did you mean 'reference'?",
    ),
    (
        "    call: double(x)",
        f"{EXPECT}Solution",
        f"15:13: expect: 'Solution' {UNCLEAR}; did you mean 'solution'?",
    ),
    (
        "    call: double(x)",
        f"{EXPECT}{{expresion: x + 2}}",
        "15:13: expect: unknown key 'expresion'; did you mean 'expression'?",
    ),
    (
        "    call: double(x)",
        f"{EXPECT}{{expression: 4}}",
        "15:26: expression: expected a string, found the integer 4; put it in quotes",
    ),
    after_call(
        "nan: nothing", "15:10: nan: expected 'equal' or 'ignored', found the string 'nothing'"
    ),
    after_call("nan: nan", f"15:10: nan: {number('nan', '.nan')}"),
    after_call("budget: {tmie: 2}", "15:14: unknown key 'tmie' in a budget; did you mean 'time'?"),
    after_call(
        "holds: casual",
        "15:12: holds: expected 'rows_sum_to_one', 'shift_invariant', 'causal', "
        "'permutation_equivariant', 'permutation_invariant', 'unchanged_inputs', "
        "'finite_at_large_values', 'gradient', 'idempotent', 'deterministic' or "
        "'two_ways_agree', found the string 'casual'; did you mean 'causal'?",
    ),
    after_call("holds: idempotent\nof: x", "16:9: of: expected a list, found the string 'x'"),
    after_xp("hints: [{price: 1}]", "5:9: missing key 'text' in a hint"),
    after_xp(
        "hints: [{text: Think., prize: 1}]",
        "5:24: unknown key 'prize' in a hint; did you mean 'price'?",
    ),
    after_xp("forbid: [numpy]", "5:9: forbid: expected a mapping, found a list"),
    after_xp(
        "forbid: {import: [numpy]}",
        "5:10: unknown key 'import' in what is forbidden; did you mean 'imports'?",
    ),
    after_xp("equivalent: [{change: a}]", "5:14: missing key 'reason' in an equivalent mutant"),
    (
        '{reference: "reference.demo:double"}',
        "{kind: klass}",
        "7:18: kind: expected 'function', 'class' or 'value', found the string 'klass'; "
        "did you mean 'class'?",
    ),
]

LITERALS = [
    (
        "{x: 2}",
        "{x: [[1, 2], [3, 4, 5]]}",
        "13:25: x: this row has length 3, the first row beside it has length 2",
    ),
    (
        "{x: 2}",
        "{x: [[[1], [2]], [[3, 4], [5, 6]]]}",
        "13:29: x: this part has shape (2, 2), the first part beside it has shape (2, 1)",
    ),
    after_call(
        "expect: [[1, 2], [3, 4, 5]]",
        "15:22: expect: this row has length 3, the first row beside it has length 2; if these are "
        "several arrays, write `expression: (np.array(...), np.array(...))` below `expect:`",
    ),
    after_call(
        "expect: {expression: np.sum(x, axis=0)}",
        "15:13: expect: between braces a comma ends the expression; write `expression:` and the "
        "code on a line of its own below `expect:`, or put the code in quotes",
    ),
    (
        "{x: 2}",
        "{x: [1, [2]]}",
        "13:20: x: a number and a list cannot stand side by side in an array",
    ),
    (
        "{x: 2}",
        "{x: [9223372036854775808, 1]}",
        "13:17: x: 9223372036854775808 does not fit into a 64-bit integer",
    ),
    ("{x: 2}", "{x: [1, nan]}", f"13:20: x: {number('nan', '.nan')}"),
    ("{x: 2}", "{x: {deep: yes}}", f"13:23: deep: {boolean('yes')}"),
    after_given("expect: no", f"14:13: expect: {boolean('no')}"),
]

MEANING = [
    (
        "id: double",
        "id: Double_It",
        "1:5: id: 'Double_It' is not lower-case words joined by hyphens",
    ),
    ("id: prints", "id: two", "15:9: id: 'two' is taken; it is already at x.yaml:12:9"),
    ("xp: 5", "xp: -5", "4:5: xp: -5 is below 0"),
    after_given(
        "points: -1",
        "12:3: tests: all tests together must be worth at least one point\n"
        "x.yaml:14:13: points: -1 is below 0",
    ),
    ("{x: 2}", "x = rng.random()\n    seeds: 0", "14:12: seeds: 0 is below 1"),
    ("{x: 2}", "x = rng.random()\n    seeds: 1001", "14:12: seeds: 1001 is above 1000"),
    after_given(
        "seeds: 2", "14:12: seeds: inputs can only be drawn again if 'given' is Python code"
    ),
    after_given("tolerance: {atol: -1e-3}", "14:23: atol: -0.001 is below 0"),
    after_given("tolerance: {rtol: .inf}", "14:23: rtol: inf is not a finite number"),
    ("{x: 2}", "{x: 2, a-b: 3}", "13:19: given: 'a-b' is not a Python name"),
    (
        '  double: {reference: "reference.demo:double"}',
        "  {}",
        "7:3: defines: a submission has to define at least one name",
    ),
    (
        "  double: {",
        "  my-double: {}\n  double: {",
        "7:3: defines: 'my-double' is not a Python name",
    ),
    (
        "reference.demo:double",
        "reference.demo.double",
        "7:23: reference: 'reference.demo.double' is not spelled 'package.module:name'",
    ),
    ("call: double(x)", "call: x + 2", "14:11: call: the expression never calls 'double'"),
    ("call: double(x)", "call: double", "14:11: call: the expression never calls 'double'"),
    (
        '{reference: "reference.demo:double"}',
        "",
        (
            "14:11: call: no reference to compare with for 'double'; "
            "name one under 'defines', or write the value under 'expect'"
        ),
    ),
]

RUN = '    run: print(double(1))\n    stdout: "2"'
PROPERTY = "    given: {x: [1.0, 2.0], y: [3.0]}\n    call: double(x)\n    holds: "
PREDICT = "kind: predict\ndefines:\n  double:"
ONLY_TWO = "only with 'gradient' and 'two_ways_agree'"
DRAWN = "x = rng.random()\n    seeds: 2"

MEANING += [
    after_given(
        "partial: true",
        "14:14: partial: points in proportion to the draws that pass need 'seeds' above 1",
    ),
    (RUN, f"{RUN}\n    seeds: 0", "18:12: seeds: 0 is below 1"),
    (
        RUN,
        f"{RUN}\n    seeds: 2",
        "18:12: seeds: inputs can only be drawn again if 'given' is Python code",
    ),
    (
        "{x: 2}",
        "{x: 2, double: 3}",
        "13:19: given: 'double' is what a submission defines; call the input otherwise",
    ),
    after_given("budget: {}", "14:13: budget: expected 'time', 'memory' or both"),
    after_given(
        "budget: {time: 0, memory: -1}",
        "14:20: time: 0.0 is not above 0\nx.yaml:14:31: memory: -1.0 is not above 0",
    ),
    (
        RUN,
        f"{RUN}\n    tolerance: {{atol: -1}}",
        "18:23: atol: -1.0 is below 0",
    ),
    after_xp("minutes: 0", "5:10: minutes: 0 is below 1"),
    after_xp("hints: [{text: a, price: -1}]", "5:26: price: -1 is below 0"),
    after_xp(
        "hints: [{text: a, price: 3}, {text: b, price: 3}]",
        "5:8: hints: all hints together cost 6 XP, and the exercise earns only 5",
    ),
    after_xp("concepts: [a, b, a]", "5:18: concepts: 'a' is taken; it is already at x.yaml:5:12"),
    after_xp(
        "misconceptions: [{id: a, code: b = 1, feedback: c, hint: 1}]",
        "5:58: hint: no hint 1; there are no hints",
    ),
    after_xp(
        "hints: [a, b]\nmisconceptions: [{id: a, code: b = 1, feedback: c, hint: 0}]",
        "6:58: hint: 0 is below 1",
    ),
    ("title: Double it", "title: ' '", "2:8: title: cannot be empty"),
    ("Write double.", "''", "5:15: instructions: cannot be empty"),
    ("explanation: Twice.", "explanation: ''", "21:14: explanation: cannot be empty"),
    after_xp(
        "hints: ['', {text: ' '}]",
        "5:9: hints: cannot be empty\nx.yaml:5:20: text: cannot be empty",
    ),
    after_xp(
        "misconceptions: [{id: a, code: 'double = abs', feedback: ' '}]",
        "5:58: feedback: cannot be empty",
    ),
    after_xp(
        "equivalent: [{change: '', reason: ' '}]",
        "5:23: change: cannot be empty\nx.yaml:5:35: reason: cannot be empty",
    ),
    after_xp(
        "equivalent: [{change: a, reason: b}, {change: a, reason: c}]",
        "5:47: change: 'a' is taken; it is already at x.yaml:5:23",
    ),
    after_xp(
        "forbid: {because: I say so.}",
        "5:9: forbid: nothing is forbidden here; "
        "it may have 'imports', 'names', 'calls' and 'loops'",
    ),
    after_xp(
        "forbid: {imports: [np.*], names: [double, for], calls: ['len(']}",
        "5:20: imports: 'np.*' is not names joined by dots\n"
        "x.yaml:5:35: names: a submission has to define 'double'\n"
        "x.yaml:5:43: names: 'for' is not names joined by dots\n"
        "x.yaml:5:57: calls: 'len(' is not names joined by dots",
    ),
    after_xp(
        "forbid: {calls: [sum, sum]}", "5:23: calls: 'sum' is taken; it is already at x.yaml:5:18"
    ),
    after_xp(
        "limits: {cpu_seconds: 0, wall_seconds: .inf, memory_mib: -1, output_kib: 6}",
        "5:23: cpu_seconds: 0 is not above 0\n"
        "x.yaml:5:40: wall_seconds: inf is not a finite number\n"
        "x.yaml:5:58: memory_mib: -1 is not above 0\n"
        "x.yaml:5:74: output_kib: 6 is not a multiple of 4",
    ),
    (
        '{reference: "reference.demo:double"}',
        '{reference: "reference.demo:double", choices: [a, b]}',
        "7:57: choices: there is nothing to choose from for a function; only a value has choices",
    ),
    (
        "defines:\n  double: {",
        f"{PREDICT} {{choices: ['4', ' ', '4'], ",
        "8:27: choices: an answer to choose cannot be empty\n"
        "x.yaml:8:32: choices: '4' is taken; it is already at x.yaml:8:22",
    ),
    (
        "defines:\n  double: {",
        f"{PREDICT} {{choices: [a], ",
        "8:21: choices: a single answer leaves no choice",
    ),
    (
        "defines:\n  double: {",
        f"{PREDICT} {{kind: function, ",
        "8:18: kind: an exercise to predict asks for values, not for a function",
    ),
    (
        "    call: double(x)",
        f"{EXPECT}{{expression: double(x) + y}}",
        "15:38: expression: 'y' is neither given, nor has it a reference",
    ),
]

PROPERTIES = [
    (
        RUN,
        f"{PROPERTY}gradient",
        "18:12: holds: 'gradient' needs a second expression, 'against'",
    ),
    (
        RUN,
        f"{PROPERTY}two_ways_agree",
        "18:12: holds: 'two_ways_agree' needs a second expression, 'against'",
    ),
    (
        RUN,
        f"{PROPERTY}idempotent\n    against: double(y)",
        f"19:14: against: does not go with 'idempotent', {ONLY_TWO}",
    ),
    (
        RUN,
        f"{PROPERTY}gradient\n    against: double(z)",
        "19:21: against: 'z' is neither given nor defined",
    ),
    (
        RUN,
        f"{PROPERTY}gradient\n    against: double(",
        "19:20: against: not valid Python: '(' was never closed",
    ),
    (
        RUN,
        f"{PROPERTY}unchanged_inputs\n    axis: 0",
        "19:11: axis: does not go with 'unchanged_inputs', only with 'causal', "
        "'permutation_equivariant', 'permutation_invariant', 'rows_sum_to_one' and "
        "'shift_invariant'",
    ),
    (RUN, f"{PROPERTY}deterministic\n    of: [x]", "19:9: of: 'deterministic' moves no input"),
    (
        RUN,
        f"{PROPERTY}idempotent\n    of: [x, z]",
        "19:9: of: 'idempotent' moves one input at a time\nx.yaml:19:13: of: 'z' is not given",
    ),
    (
        RUN,
        f"{PROPERTY.replace('[1.0, 2.0]', '1.0')}causal\n    of: [x]",
        "19:10: of: 'x' is not an array",
    ),
    (
        RUN,
        f"{PROPERTY}gradient\n    against: double(y)\n    of: [x]",
        "20:10: of: 'x' is not used in 'against'",
    ),
    (RUN, f"{PROPERTY}causal\n    of: [x, 'y']", "19:13: of: 'y' is not used in 'call'"),
    (
        RUN,
        f"{PROPERTY}causal\n    of: [x, x]",
        "19:13: of: 'x' is taken; it is already at x.yaml:19:10",
    ),
    (
        RUN,
        f"{PROPERTY.replace('1.0, 2.0', '1, 2').replace('3.0', '3')}causal",
        "16:12: given: 'causal' moves arrays of floats, and none is given; "
        "write 1.0 for 1, or name the input under 'of'",
    ),
    (
        RUN,
        f"{PROPERTY.replace('double(x)', 'x')}causal",
        "17:11: call: the expression never calls 'double'",
    ),
    (
        RUN,
        f"{PROPERTY}causal\n    tolerance: {{rtol: -1}}",
        "19:23: rtol: -1.0 is below 0",
    ),
]

NAMES = [
    ("call: double(x)", "call: double(y)", "14:18: call: 'y' is neither given nor defined"),
    (
        "call: double(x)",
        "call: duoble(double(x))",
        "14:11: call: 'duoble' is neither given nor defined; did you mean 'double'?",
    ),
    (
        "call: double(x)",
        "call: 'double(\"é\", y)'",
        "14:24: call: 'y' is neither given nor defined",
    ),
    (
        "call: double(x)",
        "call: double([v for v in x] + [v])",
        "14:36: call: 'v' is neither given nor defined",
    ),
    ("{x: 2}", "_x = 1", "14:18: call: 'x' is neither given nor defined"),
    (
        "{x: 2}",
        "|\n      def x():\n        y = 1\n      if y: pass",
        "16:10: given: 'y' is not known here",
    ),
    ("{x: 2}", "x = rgn.random()", "13:16: given: 'rgn' is not known here; did you mean 'rng'?"),
    (
        'print(double(1))\n    stdout: "2"\nsolution: |\n',
        'print(np.sum(double(1)))\n    stdout: "2"\nsolution: |\n  import numpy as np\n',
        "16:16: run: 'np' is imported by the solution alone; import it here, or in the starter, "
        "so that every submission has it",
    ),
    (
        "print(double(1))",
        "print(double(z))",
        "16:23: run: 'z' is neither given, defined, nor set by the starter or the solution",
    ),
    (
        RUN,
        "    given: {n: 1}\n    pytest: assert double(m) == 2",
        "17:27: pytest: 'm' is neither given nor defined",
    ),
    (RUN, "    pytest: assert 1", "16:13: pytest: these statements never use 'double'"),
    (
        RUN,
        "    pytest: |\n      double = 2\n      assert double",
        "16:13: pytest: these statements never use 'double'",
    ),
    (
        RUN,
        "    pytest: assert (double(1) == 2, 'wrong')",
        "16:20: pytest: this asserts a tuple, which is always true",
    ),
    (
        RUN,
        "    pytest: double(1) == 2",
        "16:13: pytest: nothing looks at this comparison; write 'assert' before it",
    ),
    (
        RUN,
        "    pytest: |\n      y = double(1)\n      assert y = 2",
        "18:16: pytest: not valid Python: invalid syntax",
    ),
    (
        "    call: double(x)",
        f"{EXPECT}{{expression: double(x}}",
        "15:32: expression: not valid Python: '(' was never closed",
    ),
]

PYTHON = [
    ("call: double(x)", "call: double(x", "14:17: call: not valid Python: '(' was never closed"),
    ("call: double(x)", "call: 'double(x'", "14:18: call: not valid Python: '(' was never closed"),
    (
        "call: double(x)",
        r'call: "double\x28x"',
        "14:11: call: not valid Python: '(' was never closed",
    ),
    (
        "call: double(x)",
        "call: double(\n      x",
        "14:11: call: not valid Python: '(' was never closed",
    ),
    ("call: double(x)", "call: double(x) 2", "14:21: call: not valid Python: invalid syntax"),
    (
        "call: double(x)",
        "call: |\n      double(x",
        "15:13: call: not valid Python: '(' was never closed",
    ),
    ("run: print(double(1))", "run: print(", "16:15: run: not valid Python: '(' was never closed"),
    ("{x: 2}", "x = (", "13:16: given: not valid Python: '(' was never closed"),
    (
        "{x: 2}",
        "|\n      y = 1\n\n      x = [",
        "16:11: given: not valid Python: '[' was never closed",
    ),
    (
        "      return 2 * x",
        "      return (2 * x",
        "20:14: solution: not valid Python: '(' was never closed",
    ),
    (
        "explanation",
        (
            "misconceptions:\n  - id: same\n    feedback: No.\n    code: |2\n"
            "      x = 1\n      if x:\n        y = [\nexplanation"
        ),
        "27:13: code: not valid Python: '[' was never closed",
    ),
    (
        "run: print(double(1))",
        "run: " + "-" * 100_000 + "1",
        "16:10: run: this Python is too complex to read",
    ),
]


CASES = SYNTAX + KEYS + TYPES + LITERALS + MEANING + PROPERTIES + NAMES + PYTHON


@pytest.mark.parametrize(("there", "instead", "said"), CASES, ids=[case[2] for case in CASES])
def test_message(
    there: str, instead: str, said: str, minimal: str, problems_of: ProblemsOf
) -> None:
    """A spoiled definition says where it is spoiled, what is there and what should be."""
    assert minimal.count(there) == 1
    assert problems_of(minimal.replace(there, instead)) == f"x.yaml:{said}"


def test_all_problems_at_once(minimal: str, problems_of: ProblemsOf) -> None:
    """All that is wrong with a file is listed in one go, in file order."""
    spoiled = (
        minimal.replace("xp: 5", "xp: ten")
        .replace("beginner", "easy")
        .replace("{x: 2}", "{x: [[1], [2, 3]]}")
        .replace("    stdout", "    point: 2\n    stdout")
    )
    assert [line.split(" ")[0] for line in problems_of(spoiled).splitlines()] == [
        "x.yaml:3:13:",
        "x.yaml:4:5:",
        "x.yaml:13:22:",
        "x.yaml:17:5:",
    ]


def test_all_breaches_at_once(minimal: str, problems_of: ProblemsOf) -> None:
    """All broken rules are listed in one go, in file order."""
    spoiled = (
        minimal.replace("xp: 5", "xp: -5")
        .replace("call: double(x)", "call: double(")
        .replace("2 * x", "2 *")
    )
    assert [line.split(" ")[0] for line in problems_of(spoiled).splitlines()] == [
        "x.yaml:4:5:",
        "x.yaml:14:17:",
        "x.yaml:20:17:",
    ]


def test_minimal_is_valid(minimal: str, workdir: Path) -> None:
    """The definition that these tests spoil is itself in order, and mostly defaults."""
    (workdir / "x.yaml").write_text(minimal, "utf-8")
    exercise = load_exercise_file(Path("x.yaml"))
    assert [test.points for test in exercise.tests] == [1, 1]
    assert (exercise.kind, exercise.requires, exercise.hints) == ("write", (), ())


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("def double(x):\n      ...", "def double(x)\n      return"),
        ("call: double(x)", "call: np.sum([double(v) for v in [x, 2 * x]])"),
        ("call: double(x)", "call: double.of(x).result[0](3)"),
        ("{x: 2}", "{x: 2, y: 3, N: 4}"),
        ("{x: 2}", "{x: 2}\n    expect: 4"),
        ("{x: 2}", "|\n      x = '\\d'"),
        ("id: double", "\ufeffid: double"),
        ('    stdout: "2"', '    stdout: "2"\n    points: 0'),
        ('    stdout: "2"\n', ""),
        ("print(double(1))", "print(double(1), __name__, [n for n in range(3)], sum)"),
        ("print(double(1))", "|\n      import math\n      print(math.pi)"),
        ("print(double(1))", "from math import *; print(pi)"),
        (
            'print(double(1))\n    stdout: "2"\nsolution: |\n',
            'import math; print(math.pi)\n    stdout: "2"\nsolution: |\n  import math\n',
        ),
        ("{x: 2}", "x = 1\n    seeds: 3\n    partial: true"),
        ("{x: 2}", "x, size = sizes(2)"),
        ("{x: 2}", "from math import *\n    keep_inputs: false"),
        ("{x: 2}", "'for x in range(3): pass'"),
        ("{x: 2}", "'[x := 1 for _ in range(2)]'"),
        ("{x: 2}", "|\n      def x():\n        return z\n      z = 1"),
        ("{x: 2}", "|\n      match [1, 2]:\n        case [x, *y]: pass"),
        ("{x: 2}", "|\n      try: x = 1\n      except OSError as error: print(error)"),
        ("{x: 2}", "exec('x = 1')"),
        ("{x: 2}", "{x: 2}\n    expect: {expression: reference.demo.double(x) + double(1)}"),
        ("{x: 2}", "{x: 2}\n    expect: {expression: x, other: 1}"),
        ("{x: 2}", "{x: 2}\n    expect: 'solution'"),
        ("{x: 2}", "{x: 2}\n    expect: solution\n    budget: {memory: 2}"),
        ("{x: 2}", "{x: 2}\n    expect: 4\n    budget: {time: 0.5}"),
        ("xp: 5", "xp: 5\nforbid: {loops: true}"),
        ("xp: 5", "xp: 5\nhints: [a, {text: b, price: 5}]"),
        (RUN, "    pytest: |\n      with pytest.raises(ValueError): double('a')"),
        (RUN, "    pytest: np.testing.assert_allclose(double(1), 2)"),
        (RUN, f"{PROPERTY}rows_sum_to_one\n    axis: 0"),
        (RUN, f"{PROPERTY}causal\n    of: [x]\n    axis: -2"),
        (RUN, f"{PROPERTY}gradient\n    against: np.sum(double(x) * y)"),
        (RUN, f"{PROPERTY.replace('1.0, 2.0', '1, 2')}unchanged_inputs"),
    ],
    ids=lambda text: text[:20],
)
def test_welcome(there: str, instead: str, minimal: str, workdir: Path) -> None:
    """What only looks odd is welcome: a broken starter, `y` and `N` as names, a byte order mark."""
    assert minimal.count(there) == 1
    (workdir / "x.yaml").write_text(minimal.replace(there, instead), "utf-8")
    load_exercise_file(Path("x.yaml"))


def test_windows_line_ends(minimal: str, workdir: Path) -> None:
    """A file with Windows line ends means the same as one without."""
    (workdir / "x.yaml").write_text(minimal, "utf-8", newline="\r\n")
    exercise = load_exercise_file(Path("x.yaml"))
    assert exercise.solution == "def double(x):\n    return 2 * x\n"


def test_windows_line_ends_in_messages(minimal: str, problems_of: ProblemsOf) -> None:
    """Windows line ends do not shift the places of problems."""
    spoiled = minimal.replace("return 2 * x", "return (2 * x").replace("\n", "\r\n")
    assert problems_of(spoiled) == "x.yaml:20:14: solution: not valid Python: '(' was never closed"


PREDICTED = """
id: shape
title: Which shape?
kind: predict
difficulty: beginner
xp: 1
instructions: Say it.
defines:
  shape: {choices: ["(2, 3)", "(3, 2)"]}
  rank:
starter: ""
tests:
  - {id: a, call: shape, expect: "(2, 3)"}
  - {id: b, call: rank, expect: solution}
solution: |
  shape = "(2, 3)"
  rank = 2
explanation: So it is.
"""


def test_predict(workdir: Path) -> None:
    """What is to be predicted is a value, and its name alone is a test's expression."""
    (workdir / "x.yaml").write_text(PREDICTED, "utf-8")
    defines = load_exercise_file(Path("x.yaml")).defines
    assert [definition.kind for definition in defines.values()] == ["value", "value"]


@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        (
            "call: rank",
            'call: "len([1])"',
            "14:19: call: the expression never uses 'shape' or 'rank'",
        ),
        (
            "expect: solution",
            "expect: reference",
            "14:19: call: no reference to compare with for 'rank'; "
            "name one under 'defines', or write the value under 'expect'",
        ),
        (
            'expect: "(2, 3)"',
            'expect: "(2,3)"',
            "13:34: expect: '(2,3)' is none of the answers to choose from, '(2, 3)' and '(3, 2)'",
        ),
        (
            'shape = "(2, 3)"',
            "shape = 2",
            "16:11: solution: 2 is none of the answers to choose from, '(2, 3)' and '(3, 2)'",
        ),
    ],
)
def test_bad_prediction(there: str, instead: str, said: str, problems_of: ProblemsOf) -> None:
    """A test of a value uses it, and what is expected and solved is among the choices."""
    assert PREDICTED.count(there) == 1
    assert problems_of(PREDICTED.replace(there, instead)) == f"x.yaml:{said}"
