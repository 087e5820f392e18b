/** A line-by-line comparison of two programs. */

import { parser } from "@lezer/python";

export interface DiffLine {
  readonly kind: "same" | "yours" | "solution";
  readonly text: string;
}

/** A line as written, and without its comment. */
interface CodeLine {
  readonly text: string;
  readonly code: string;
}

/**
 * Return the lines of both programs in order, with the longest common subsequence as the solution writes
 * it, and yours before the solution's. Comments and docstrings are ignored.
 */
export function diffPrograms(yours: string, solution: string): DiffLine[] {
  const [a, b] = [codeLines(yours), codeLines(solution)];
  // shared[i][j]: the number of lines that a[i:] and b[j:] can share.
  const shared = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => shared[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = shared[i] ?? [];
      row[j] = a[i]?.code === b[j]?.code ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i]?.code === b[j]?.code) {
      lines.push({ kind: "same", text: b[j++]?.text ?? "" });
      i++;
    } else if (i < a.length && at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: "yours", text: a[i++]?.text ?? "" });
    } else {
      lines.push({ kind: "solution", text: b[j++]?.text ?? "" });
    }
  }
  return lines;
}

/** Return the lines that have code. */
function codeLines(program: string): CodeLine[] {
  let code = program;
  parser.parse(program).iterate({
    enter({ name, from, to, node }) {
      const isText = name === "ExpressionStatement" && node.firstChild?.name === "String" && !node.firstChild.nextSibling;
      if (name !== "Comment" && !isText) return;
      code = code.slice(0, from) + code.slice(from, to).replace(/[^\n]/g, " ") + code.slice(to);
    },
  });
  const texts = program.split("\n");
  const lines = code.split("\n").map((line, index) => ({ code: line.trimEnd(), text: texts[index]?.trimEnd() ?? "" }));
  return lines.filter((line) => line.code !== "");
}
