"""Translation of unittest and pytest modules to bodies of `pytest` tests, one per test.

unittest assertions become `assert`s, `self.assertRaises` becomes `pytest.raises`, and the setup of
`setUp` and the module comes first. Constructs that cannot be translated are reported, so that no
test silently checks less than before.
"""

import ast
import copy
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NoReturn

from grader.authoring.sources.draft import Draft, DraftTest, make_slug
from grader.authoring.sources.program_parts import (
    ParsedProgram,
    find_kind,
    find_operators,
    free_names,
    join,
    parse_or_none,
    read_program,
    rename_modules,
    used_names,
)
from grader.definitions.python_names import find_names

# The condition of each unittest assertion, over its arguments a and b.
_CONDITIONS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("assertEqual", "assertEquals", "assertListEqual", "assertTupleEqual", "assertDictEqual",
         "assertSetEqual", "assertSequenceEqual", "assertMultiLineEqual"), "a == b"
    ),
    "assertNotEqual": "a != b", "assertIs": "a is b", "assertIsNot": "a is not b",
    "assertIn": "a in b", "assertNotIn": "a not in b", "assertLess": "a < b",
    "assertLessEqual": "a <= b", "assertGreater": "a > b", "assertGreaterEqual": "a >= b",
    "assertTrue": "a", "assertFalse": "not a", "assertIsNone": "a is None",
    "assertIsNotNone": "a is not None", "assertIsInstance": "isinstance(a, b)",
    "assertNotIsInstance": "not isinstance(a, b)",
    **dict.fromkeys(
        ("assertCountEqual", "assertItemsEqual"), "sorted(a, key=repr) == sorted(b, key=repr)"
    ),
    "assertRegex": "re.search(b, a)", "assertNotRegex": "not re.search(b, a)",
    "assertAlmostEqual": "round(abs(a - b), places) == 0",
    "assertNotAlmostEqual": "not round(abs(a - b), places) == 0",
}  # fmt: skip
_DELTA_CONDITIONS: Final = {
    "assertAlmostEqual": "abs(a - b) <= delta",
    "assertNotAlmostEqual": "not abs(a - b) <= delta",
}
_RAISES: Final = ("assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
_PLACES: Final = 7  # decimal places, the default of assertAlmostEqual
_SETUP_METHODS: Final = ("setUp", "setUpClass", "setup_method", "setup_class")
_PRESET_NAMES: Final = frozenset({"np", "pytest"})  # available in every body
_IMPORTABLE_MODULES: Final = frozenset(sys.stdlib_module_names) | {"numpy", "pytest"}
_MAX_TESTS: Final = 500  # bounds the size of an imported file
_FIXTURE: Final = re.compile(r"(pytest\.)?fixture\b")
_MARK: Final = re.compile(r"pytest\.mark\.(\w+)")
_UNSUPPORTED_MARKS: Final = ("skip", "skipif", "xfail", "usefixtures", "parametrize")


class _UntranslatableError(Exception):
    """A construct that a pytest body cannot express; the message names it."""


def add_tests(
    draft: Draft,
    sources: Sequence[str],
    modules: Collection[str],
    data: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Translate test modules for a draft, and set the names that its solution must define.

    Args:
        modules: The module names that a submission replaces.
        data: Source by name of modules beside the tests; the parts that tests need are copied to
            the front of their bodies.
    """
    solution = read_program(draft.solution) or ParsedProgram(())
    names: list[str] = []
    for source in sources:
        tree = parse_or_none(source)
        if tree is None:
            draft.remarks.append("the test file is not Python, so no test of it was imported")
            draft.notes.append(("test file", source))
            continue
        module = _Module(tree, modules, data, draft)
        count = len(draft.tests)
        _translate(module)
        if "#" in source:
            draft.remarks.append("comments of the test file are not kept")
        names += module.names
        if module.imports_star:
            used = frozenset[str]().union(*(used_names(test.code) for test in draft.tests[count:]))
            names += sorted(used & solution.sets)
    used = frozenset[str]().union(*(used_names(test.code) for test in draft.tests))
    for name in dict.fromkeys(names):
        if draft.tests and name not in used:
            draft.remarks.append(f"no imported test uses {name!r}, so no one has to define it")
        elif name in solution.sets:
            draft.defines[name] = find_kind(solution, name)
            if operators := find_operators(solution, name):
                draft.operators[name] = operators
        else:
            draft.remarks.append(f"the tests use {name!r}, which the solution does not define")
            draft.defines[name] = "function"


def _translate(module: "_Module") -> None:
    """Add a test to the draft for each function and method, or a note why that is impossible."""
    tests: list[tuple[ast.FunctionDef, ast.ClassDef | None]] = [
        *((node, None) for node in module.test_functions),
        *(
            (method, group)
            for group in module.test_classes
            for method in _list_methods(group)
            if method.name.startswith("test")
        ),
    ]
    draft = module.draft
    for count, (node, group) in enumerate(tests):
        name = node.name
        if count == _MAX_TESTS:
            draft.remarks.append(
                f"more than {_MAX_TESTS} tests; {name} and what follows was left out"
            )
            return
        try:
            code = _join_body(module, node, group)
        except (_UntranslatableError, RecursionError) as error:
            reason = str(error) or "it is nested too deeply"
            draft.remarks.append(
                f"{name} cannot be said in the format: {reason}; it is kept as a note"
            )
            draft.notes.append((name, ast.unparse(node)))
            continue
        label = name.removeprefix("test").strip("_").replace("_", " ")
        draft.tests.append(DraftTest(make_slug(label) or name, "pytest", code, description=label))


class _Module:
    """The parsed parts of a test module."""

    def __init__(
        self,
        tree: ast.Module,
        modules: Collection[str],
        data: Mapping[str, str],
        draft: Draft,
    ) -> None:
        self._data = data
        self._sibling_modules: dict[str, ast.Module] = {}  # those of `data` that are imported
        self.test_functions: list[ast.FunctionDef] = []
        self.test_classes: list[ast.ClassDef] = []
        self.fixtures: dict[str, ast.FunctionDef] = {}
        self.draft = draft
        self.names: list[str] = []  # names imported from the submission
        self.imports_star = False  # True for `from module import *`
        self._renamed: dict[str, str] = {}
        imported: dict[str, str] = {}
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                imported |= {
                    alias.asname or alias.name: package + alias.name for alias in node.names
                }
        aliases = {alias: name for alias, name in imported.items() if name in modules}
        self.names += sorted(rename_modules(tree, aliases))
        aliases = {alias: name for alias, name in imported.items() if self._parse_sibling(name)}
        rename_modules(tree, aliases)
        body = [node for node in tree.body if not ast.unparse(node).startswith("if __name__")]
        nodes = [node for node in body if not self._claim_statement(node, modules)]
        siblings = self._sibling_modules.values()
        nodes = [*(node for sibling in siblings for node in sibling.body), *nodes]
        # Unparsed and parsed again, so that each statement has its own source.
        self.prepared = read_program(ast.unparse(ast.Module(nodes, []))) or ParsedProgram(())

    def _parse_sibling(self, name: str | None) -> bool:
        """Parse the module of `data` with this name, and return whether it exists."""
        tree = parse_or_none(self._data[name]) if name is not None and name in self._data else None
        if name is None or tree is None:
            return False
        self._sibling_modules.setdefault(name, tree)
        return True

    def _claim_statement(self, node: ast.stmt, modules: Collection[str]) -> bool:
        """Store a statement that defines or concerns tests; return False for any other."""
        match node:
            case ast.ImportFrom(module=str(name), names=[alias, *_]) if (
                name == "unittest" or f"{name}.{alias.name}" in modules
            ):
                pass
            case ast.ImportFrom(module=str(name)) if name.split(".")[-1] in modules:
                named = [alias for alias in node.names if alias.name != "*"]
                self.imports_star |= len(named) < len(node.names)
                self.names += [alias.name for alias in named]
                self._renamed |= {alias.asname: alias.name for alias in named if alias.asname}
            case ast.ImportFrom(module=name, names=names) if self._parse_sibling(name):
                self._renamed |= {alias.asname: alias.name for alias in names if alias.asname}
            case ast.Try(body=body) if all(
                isinstance(inner, ast.ImportFrom) and inner.module in modules for inner in body
            ):
                # The handlers only treat a missing file.
                for statement in body:
                    self._claim_statement(statement, modules)
            case ast.Import(names=names):
                node.names = [
                    alias
                    for alias in names
                    if alias.name not in modules
                    and alias.name not in ("unittest", "pytest", *self._sibling_modules)
                ]
                return not node.names
            case ast.FunctionDef(name=name, decorator_list=[maker]) if (
                _FIXTURE.match(decorator := ast.unparse(maker)) and "params" not in decorator
            ):
                self.fixtures[name] = node
            case ast.FunctionDef(name=name) if name.startswith("test"):
                self.test_functions.append(node)
            case ast.ClassDef() if any(m.name.startswith("test") for m in _list_methods(node)):
                self.test_classes.append(node)
            case _:
                return False
        return True

    def prepare(self, names: Collection[str], taken: set[str]) -> list[ast.stmt]:
        """Return statements that compute the values of fixtures, each once."""
        statements: list[ast.stmt] = []
        for name in sorted(names):
            if name in taken:
                continue
            taken.add(name)
            if name not in self.fixtures:
                raise _UntranslatableError(f"it needs the fixture {name!r}")
            fixture = copy.deepcopy(self.fixtures[name])
            arguments = [argument.arg for argument in _list_arguments(fixture)]
            fixture.decorator_list = []
            for number, statement in enumerate(fixture.body):
                match statement:
                    case ast.Expr(value=ast.Yield(value=value)):
                        # Statements after the yield clean up.
                        fixture.body[number:] = [ast.Return(value)]
                        break
            if any(isinstance(node, ast.Yield) for node in ast.walk(fixture)):
                raise _UntranslatableError(f"the fixture {name!r} yields inside of a block")
            statements += self.prepare({*arguments}, taken)
            statements += [fixture, *ast.parse(f"{name} = {name}({', '.join(arguments)})").body]
        return statements

    def finish(self, statements: Sequence[ast.stmt]) -> str:
        """Return a body's source, preceded by the parts of the module that it needs."""
        tree = ast.Module(list(statements), [])
        for inner in ast.walk(tree):
            if isinstance(inner, ast.Name):
                inner.id = self._renamed.get(inner.id, inner.id)
        code = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        front = self.prepared.select_for(free_names(code) - _PRESET_NAMES)
        for statement in front.statements:
            self._check_import(statement.node)
            if "self" in used_names(statement.source):
                raise _UntranslatableError("it needs a part of another test class")
        for inner in ast.walk(tree):
            self._check_import(inner)
        uses_re = "re" in free_names(code) and "re" not in front.sets
        imported = ["import re"] if uses_re else []
        return join([*imported, *(statement.source for statement in front.statements), code])

    @staticmethod
    def _check_import(node: ast.AST) -> None:
        match node:
            case ast.Import(names=names):
                roots = [alias.name.partition(".")[0] for alias in names]
            case ast.ImportFrom(module=module, level=level):
                roots = [(module or "").partition(".")[0] if not level else "."]
            case _:
                return
        for root in roots:
            if root not in _IMPORTABLE_MODULES:
                raise _UntranslatableError(f"it imports {root!r}, which is not there when it runs")


def _list_methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [statement for statement in node.body if isinstance(statement, ast.FunctionDef)]


def _join_body(module: _Module, node: ast.FunctionDef, group: ast.ClassDef | None) -> str:
    """Return a test's body; for a method, preceded by its class's setup."""
    arguments = [argument.arg for argument in _list_arguments(node)]
    loops = []  # argument names and the list of their values, from `pytest.mark.parametrize`
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Attribute(attr="parametrize"),
                args=[ast.Constant() | ast.Tuple() | ast.List() as names, values, *_],
            ):
                text = ast.unparse(names).strip("[]()")  # either 'a, b' or ["a", "b"]
                loops.append((re.findall(r"\w+", text), values))
            case ast.Call(func=ast.Attribute(attr="task")) | ast.Name(id="staticmethod"):
                pass  # `task` only numbers a task
            case _ if (mark := _MARK.match(ast.unparse(decorator))) and mark[
                1
            ] not in _UNSUPPORTED_MARKS:
                pass  # a custom mark is used only to select tests
            case _:
                raise _UntranslatableError(f"it is decorated with {ast.unparse(decorator)}")
    self_name = "" if group is None else _self_name(node)
    extra = set(arguments[1 if self_name else 0 :]) - {name for names, _ in loops for name in names}
    automatic = {
        name
        for name, fixture in module.fixtures.items()
        if "autouse" in ast.dump(fixture.decorator_list[0])
    }
    fixtures = module.prepare(extra | automatic, set())
    if group is None:
        return module.finish(_unroll([*fixtures, *node.body], loops))
    for decorator in group.decorator_list:
        raise _UntranslatableError(f"its class is decorated with {ast.unparse(decorator)}")
    translator = _Translator(self_name or "self", group, module)
    prepared: list[ast.stmt] = []
    for method in _list_methods(group):
        if method.name in _SETUP_METHODS:
            prepared += _Translator(_self_name(method) or "self", group, module).body(method.body)
    body = _unroll([*fixtures, *translator.body(node.body)], loops)
    statements = [*_find_helpers(group, node, module), *prepared, *body]
    used = used_names(ast.unparse(ast.Module(statements, [])))
    class_values = [value for value in _list_class_values(group) if find_names(value).sets & used]
    return module.finish([*class_values, *statements])


def _self_name(node: ast.FunctionDef) -> str:
    """Return the name of a method's `self` parameter, or "" for a static method."""
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    arguments = _list_arguments(node)
    return arguments[0].arg if arguments and not static else ""


def _list_arguments(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _list_class_values(group: ast.ClassDef) -> list[ast.stmt]:
    """Return the assignments in the body of a class."""
    return [node for node in group.body if isinstance(node, (ast.Assign, ast.AnnAssign))]


def _find_helpers(group: ast.ClassDef, method: ast.FunctionDef, module: _Module) -> list[ast.stmt]:
    """Return the methods of the class that a test calls, as functions without `self`."""
    by_name = {helper.name: helper for helper in _list_methods(group)}
    names: list[str] = []
    waiting = [method, *(helper for helper in by_name.values() if helper.name in _SETUP_METHODS)]
    while waiting:
        for node in ast.walk(waiting.pop()):
            match node:
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                    if name in by_name and name not in names and name not in _SETUP_METHODS:
                        names.append(name)
                        waiting.append(by_name[name])
    functions: list[ast.stmt] = []
    for name in reversed(names):
        helper = by_name[name]
        arguments, self_name = copy.deepcopy(helper.args), _self_name(helper)
        for node in ast.walk(arguments):
            if isinstance(node, ast.arg):
                node.annotation = None  # its names may be missing
        if self_name and (first := arguments.posonlyargs or arguments.args):
            first.pop(0)
        body = _Translator(self_name, group, module).body(helper.body)
        function = ast.parse(f"def {name}(): pass").body[0]
        assert isinstance(function, ast.FunctionDef)  # it was written as a function above
        function.args, function.body = arguments, body or [ast.Pass()]
        functions.append(function)
    return functions


def _unroll(
    body: Sequence[ast.stmt], loops: Sequence[tuple[list[str], ast.expr]]
) -> list[ast.stmt]:
    statements = list(body)
    for names, cases in loops:
        values = _ParamValues().visit(copy.deepcopy(cases))
        target: ast.expr = ast.Name(names[0], ast.Store())
        if len(names) > 1:
            target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        statements = [ast.For(target, values, statements, [], lineno=1, col_offset=0)]
    return statements


class _ParamValues(ast.NodeTransformer):
    """A replacement of `pytest.param` by its values."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if ast.unparse(node.func) != "pytest.param":
            return node
        if any(word.arg == "marks" for word in node.keywords):
            raise _UntranslatableError("a case of it has a mark")
        return node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())


class _Translator(ast.NodeTransformer):
    """A translator of methods without `self`: assertions become statements, attributes names."""

    def __init__(self, self_name: str, group: ast.ClassDef, module: _Module) -> None:
        self._self_name = self_name
        self._module = module
        self._caught: set[str] = set()
        self._methods = {method.name for method in _list_methods(group)}
        self._members = self._methods.union(
            *(find_names(value).sets for value in _list_class_values(group))
        )
        for node in ast.walk(group):
            match node:
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                    self._members.add(name)

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Translate a list of statements."""
        copied = ast.parse(ast.unparse(ast.Module(list(statements), []))).body
        if copied and isinstance(copied[0], ast.Expr) and isinstance(copied[0].value, ast.Constant):
            copied = copied[1:]  # without the docstring
        self.generic_visit(ast.Module(copied, []))  # changes the list in place
        return copied

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """Translate a statement that may be an assertion."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=own), attr=name)) as call:
                asserts = name.startswith("assert") or name in ("fail", "skipTest")
                if own == self._self_name and asserts and name not in self._methods:
                    return self._assertion(name, call)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                return ast.Pass()
        self.generic_visit(node)
        return node

    def visit_With(self, node: ast.With) -> ast.stmt | list[ast.stmt]:
        """Translate `with self.assertRaises(...)`, and unwrap `with self.subTest(...)`."""
        inlined = False
        for item in node.items:
            match item.context_expr:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=own), attr=name)) as call:
                    if own != self._self_name:
                        continue
                    # A method of the test may return the result of `assertRaises`.
                    if name in self._methods:
                        self._note_caught_name(item)
                        continue
                    if name == "subTest":
                        inlined = True
                    elif name in _RAISES:
                        item.context_expr = self._raises_call(name, call)
                        self._note_caught_name(item)
                    else:
                        self._refuse(f"there is nothing like self.{name}")
        if inlined and len(node.items) == 1:
            self.generic_visit(ast.Module(node.body, []))
            return node.body
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Translate `self.assertRaises(...)` where its value is used."""
        match node.func:
            case ast.Attribute(value=ast.Name(id=own), attr=name):
                if own == self._self_name and name in _RAISES and name not in self._methods:
                    return self._raises_call(name, node)
        self.generic_visit(node)
        return node

    def _note_caught_name(self, item: ast.withitem) -> None:
        if isinstance(item.optional_vars, ast.Name):
            self._caught.add(item.optional_vars.id)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Compare an exception's type by `isinstance`, as pytest can."""
        match node:
            case ast.Compare(
                left=ast.Call(
                    func=ast.Name(id="type"), args=[ast.Attribute(attr="exception") as what]
                ),
                ops=[ast.Eq() | ast.Is()],
                comparators=[kind],
            ):
                kind = self._catchable_class(self.visit(kind))
                return _expression("isinstance(a, b)", a=self.visit(what), b=kind)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Turn `self.x` into `x`, and `caught.exception` into `caught.value`."""
        match node:
            case ast.Attribute(value=ast.Name(id=own), attr=name) if own == self._self_name:
                if name not in self._members:
                    self._refuse(f"there is nothing like self.{name}")
                return ast.copy_location(ast.Name(name, node.ctx), node)
            case ast.Attribute(value=ast.Name(id=caught), attr="exception"):
                if caught in self._caught:
                    node.attr = "value"
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Refuse `self` as a value, since there is no test object."""
        if self._self_name and node.id == self._self_name:
            self._refuse("it uses the test object itself")
        return node

    def _assertion(self, name: str, call: ast.Call) -> ast.stmt:
        if name in _RAISES:
            return ast.Expr(self._raises_call(name, call))
        arguments, keywords = call.args, {keyword.arg: keyword.value for keyword in call.keywords}
        if name == "fail":
            return ast.Expr(ast.Call(_expression("pytest.fail"), [*map(self.visit, arguments)], []))
        form = (
            _DELTA_CONDITIONS[name]
            if name in _DELTA_CONDITIONS and "delta" in keywords
            else _CONDITIONS.get(name)
        )
        count = 2 if re.search(r"\bb\b", form or "") else 1
        if form is None or len(arguments) < count:
            self._refuse(f"there is nothing like self.{name}")
        values = dict(zip("ab", arguments[:count], strict=False))
        rest, message = arguments[count:], keywords.get("msg")
        if name in _DELTA_CONDITIONS:
            places = keywords.get("places") or (rest or [ast.Constant(_PLACES)])[0]
            values |= {"places": places, "delta": keywords.get("delta", places)}
        elif message is None and rest:
            message = rest[0]
        # Translated first, because it may compare the type of an exception.
        condition = self.visit(_expression(form, **values))
        return ast.Assert(condition, None if message is None else self.visit(message))

    def _raises_call(self, name: str, call: ast.Call) -> ast.expr:
        if not call.args:
            self._refuse(f"self.{name} names no exception")
        kinds, *rest = [self.visit(argument) for argument in call.args]
        caught = self._catchable_class(kinds)
        keywords = [
            ast.keyword(k.arg, self.visit(k.value)) for k in call.keywords if k.arg != "msg"
        ]
        if name != "assertRaises" and rest:
            pattern = rest.pop(0)
            if caught is kinds:
                keywords.insert(0, ast.keyword("match", pattern))
        return ast.Call(_expression("pytest.raises"), [caught, *rest], keywords)

    def _catchable_class(self, kinds: ast.expr) -> ast.expr:
        """Catch any exception if its class is the submission's, which stays in the sandbox."""
        used = {node.id for node in ast.walk(kinds) if isinstance(node, ast.Name)}
        if used & set(self._module.names):
            named = ast.unparse(kinds)
            remark = (
                f"where {named} should be raised any exception with any message will do, since its "
                "class stays in the sandbox"
            )
            if remark not in self._module.draft.remarks:
                self._module.draft.remarks.append(remark)
            return ast.Name("Exception", ast.Load())
        return kinds

    @staticmethod
    def _refuse(reason: str) -> NoReturn:
        raise _UntranslatableError(reason)


def _expression(form: str, **values: ast.expr) -> ast.expr:
    """Parse an expression, and replace some of its names by other expressions."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return values.get(node.id, node)

    filled: ast.expr = Fill().visit(ast.parse(form, mode="eval").body)
    return filled
