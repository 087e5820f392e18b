/** Answers of predictions: Python literals, validated by the grader's rules. */

import { parser } from "@lezer/python";

type Tree = ReturnType<typeof parser.parse>;
type SyntaxNode = Tree["topNode"];

const CONTAINERS = ["TupleExpression", "ArrayExpression", "SetExpression", "DictionaryExpression"];
const ATOMS = ["Number", "String", "ContinuedString", "Boolean", "None"];
const CONSTANTS = ["np.nan", "np.inf", "np.pi", "np.e", "np.newaxis"];
const ARRAYS = ["np.array", "np.asarray"];

const BARE_WORDS = /^[A-Za-z_][\w ]*$/;

/** Return an answer as a literal; bare words become a string. */
export function toLiteral(answer: string): string {
  const plain = answer.trim();
  return BARE_WORDS.test(plain) && answerError(plain) ? JSON.stringify(plain) : plain;
}

/** Return a literal as a learner writes it; a string loses its quotes where they are not needed. */
export function toAnswer(literal: string): string {
  const plain = literal.replace(/^(["'])(.*)\1$/, "$2");
  return plain !== literal && toLiteral(plain) === JSON.stringify(plain) ? plain : literal;
}

/** Return a sentence on the mistake in an answer's form, or "". */
export function answerError(answer: string): string {
  if (!answer.trim()) return "Write an answer.";
  const source = `(${answer.trim()})`; // so that 1, 2 is a tuple
  if (/[\n;]/.test(source)) return "Write one value, on one line.";
  const value = singleExpression(source);
  if (value && isLiteral(value, source)) return "";
  return 'Write a value, such as 3, 0.5, (2, 3), [1, 2] or "a text"; nothing is computed here.';
}

/** Return the one expression of a source, or null. */
function singleExpression(source: string): SyntaxNode | null {
  const { topNode } = parser.parse(`${source}\n`);
  const statement = topNode.firstChild;
  if (statement?.name !== "ExpressionStatement" || statement.nextSibling) return null;
  const [value, ...others] = childNodes(statement);
  return value && others.length === 0 ? value : null;
}

function isLiteral(node: SyntaxNode, source: string): boolean {
  const text = source.slice(node.from, node.to);
  if (node.type.isError) return false;
  if (ATOMS.includes(node.name)) return true;
  if (node.name === "UnaryExpression") return isSignedLiteral(node, source);
  if (node.name === "ParenthesizedExpression" || CONTAINERS.includes(node.name)) {
    return childNodes(node).every((child) => isPunctuation(child) || isLiteral(child, source));
  }
  if (node.name === "MemberExpression") return CONSTANTS.includes(text.replaceAll(" ", ""));
  return node.name === "CallExpression" && isArrayLiteral(node, source);
}

function isSignedLiteral(node: SyntaxNode, source: string): boolean {
  const [sign, operand] = childNodes(node);
  const isSign = sign !== undefined && /^[+-]$/.test(source.slice(sign.from, sign.to));
  return isSign && operand !== undefined && isLiteral(operand, source);
}

/** Return whether a call is `np.array` of a list or a tuple. */
function isArrayLiteral(node: SyntaxNode, source: string): boolean {
  const [callee, list] = childNodes(node);
  if (!callee || !list || !ARRAYS.includes(source.slice(callee.from, callee.to))) return false;
  const [items, ...others] = childNodes(list).filter((child) => !isPunctuation(child));
  if (!items || others.length > 0) return false;
  const isList = items.name === "ArrayExpression" || items.name === "TupleExpression";
  return isList && isLiteral(items, source);
}

function isPunctuation(node: SyntaxNode): boolean {
  return /^[()[\]{},:]$/.test(node.name);
}

function childNodes(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
