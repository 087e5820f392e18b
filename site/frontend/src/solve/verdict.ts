/** Python's answers: the verdict, as in `etude check --format json`, and the result of a run. */

import type { MatrixFigure } from "../lesson/figures";
import type { MatrixRows, NumberTable } from "../matrix";
import { parseNumber } from "../numerals";

export type Outcome =
  | "passed"
  | "failed"
  | "errored"
  | "timed out"
  | "out of memory"
  | "output limit"
  | "not run";

/** A value for display: a short text, and the numbers of a small array. */
export interface ValueDisplay {
  readonly summary: string; // for example "float64 (3, 3)"
  readonly text: string;
  readonly rows: readonly (readonly (number | boolean | string)[])[] | null;
  readonly vector: boolean;
}

export interface TestResult {
  readonly id: string;
  readonly description: string;
  readonly hidden?: boolean; // only the service, the command line and practice pages have hidden tests
  readonly outcome: Outcome;
  readonly points: number;
  readonly max_points: number;
  readonly message: string;
  readonly line: number | null;
  readonly output: string;
  readonly inputs?: readonly { readonly name: string; readonly value: ValueDisplay }[];
  readonly expected?: ValueDisplay | null;
  readonly got?: ValueDisplay | null;
  readonly worst?: readonly number[] | null; // the index where the two differ most
  readonly seconds?: number | null;
}

export interface Diagnosis {
  readonly kind: "misconception" | "mutation" | "ambiguous" | "pair" | "repair" | "expression";
  readonly ids: readonly string[];
  readonly feedback: string;
  readonly hint: number | null;
}

/** A small input on which the code is wrong, if only hidden tests failed. */
export interface SmallExample {
  readonly code: string;
  readonly result: TestResult;
}

export interface Verdict {
  readonly exercise: string;
  readonly outcome: Outcome;
  readonly score: number;
  readonly max_score: number;
  readonly message: string;
  readonly line: number | null;
  readonly output: string;
  readonly notes?: readonly string[]; // sentences on parts that were left out or are not supported
  readonly diagnosis: Diagnosis | null;
  readonly example?: SmallExample | null;
  readonly tests: readonly TestResult[];
  readonly exercise_hash: string;
  readonly submission_hash: string;
  readonly grader_version: string;
}

/** A fault of the grader itself, which is not a verdict. */
export interface GraderFault {
  readonly outcome: "grader fault";
  readonly message: string;
}

export interface RunResult {
  readonly output: string;
  readonly truncated: number; // bytes that were left out
  readonly figures: readonly MatrixFigure[];
  readonly problem: { readonly message: string; readonly line: number | null } | null;
}

/** Return a value's numbers as a table, or null. NaN and infinity, which JSON lacks, are sent as text. */
export function toNumberTable(value: ValueDisplay | null | undefined): NumberTable | null {
  if (!value?.rows) return null;
  const rows: MatrixRows = value.rows.map((row) => row.map((value) => parseNumber(value)));
  return { rows, isVector: value.vector, areIntegers: /^u?int/.test(value.summary) };
}
