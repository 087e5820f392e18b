/** The lines in which two programs differ, and those that they share. */

export interface Line {
  readonly kind: "same" | "yours" | "solution";
  readonly text: string;
}

/** The lines of both programs in order, with as many shared ones as can be; yours come before the solution's. */
export function diff(yours: string, solution: string): Line[] {
  const [a, b] = [linesOf(yours), linesOf(solution)];
  // shared[i][j]: how many lines a[i:] and b[j:] can share.
  const shared = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => shared[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = shared[i] ?? [];
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i++] ?? "" });
      j++;
    } else if (i < a.length && at(i + 1, j) >= at(i, j + 1)) {
      lines.push({ kind: "yours", text: a[i++] ?? "" });
    } else {
      lines.push({ kind: "solution", text: b[j++] ?? "" });
    }
  }
  return lines;
}

/** Without what nobody sees: spaces at the end of a line, and empty lines at the end. */
function linesOf(program: string): string[] {
  return program.trimEnd().split("\n").map((line) => line.trimEnd());
}
