/** Every array of one attention head from the reader's own matrices, and the sum behind every number. */

import { numeral } from "../numerals";

export type Matrix = readonly (readonly number[])[];

/** What a lesson's cells may have made; nothing for what is no small matrix of numbers. */
export type Given = Readonly<Record<(typeof GIVEN)[number], Matrix | null>>;

export const GIVEN = ["X", "W_Q", "W_K", "W_V"] as const;

/** What a figure is told when cells of its lesson have run; the detail is what they made. */
export const RAN = "etude:ran";

export interface Step {
  readonly values: Matrix;
  sum(row: number, column: number): string;
}

/** The arrays by name, or nothing where these matrices make no head. */
export function headArrays({ X, W_Q, W_K, W_V }: Given, hasMask: boolean): Record<string, Step> | null {
  if (!X || !W_Q || !W_K || !W_V) return null;
  const features = width(X);
  if ([W_Q, W_K, W_V].some((each) => each.length !== features) || width(W_Q) !== width(W_K)) return null;
  const [Q, K, V] = [product(X, W_Q), product(X, W_K), product(X, W_V)];
  const KT = given(transposed(K.values));
  const S = product(Q.values, KT.values);
  const d = width(W_Q);
  const scaled = {
    values: S.values.map((row) => row.map((value) => value / Math.sqrt(d))),
    sum: (i: number, j: number) => `${number(at(S, i, j))} / √${d} = ${number(at(scaled, i, j))}`,
  };
  const M = given(S.values.map((row, i) => row.map((_, j) => (j > i ? -Infinity : 0))));
  const masked: Step = {
    values: scaled.values.map((row, i) => row.map((value, j) => value + at(M, i, j))),
    sum: (i, j) => `${number(at(scaled, i, j))} + ${term(at(M, i, j))} = ${number(at(masked, i, j))}`,
  };
  const A = softmax(hasMask ? masked.values : scaled.values);
  const weighted = hasMask ? masked : scaled;
  return { X: given(X), W_Q: given(W_Q), W_K: given(W_K), W_V: given(W_V), Q, K, V, KT, S, scaled, M, masked, weighted, A, O: product(A.values, V.values) };
}

function given(values: Matrix): Step {
  return { values, sum: (i, j) => number(values[i]?.[j] ?? NaN) };
}

function product(left: Matrix, right: Matrix): Step {
  const columns = transposed(right);
  const values = left.map((row) => columns.map((column) => row.reduce((sum, value, k) => sum + value * (column[k] ?? NaN), 0)));
  const sum = (i: number, j: number): string => {
    const pairs = (left[i] ?? []).map((value, k) => [value, columns[j]?.[k] ?? NaN] as const);
    const terms = pairs.filter(([a, b]) => a && b).map(([a, b]) => `${term(a)} · ${term(b)}`);
    const rest = terms.length > 0 && terms.length < pairs.length ? "; the other terms are 0" : "";
    return `${terms.join(" + ") || "each term is 0"} = ${number(values[i]?.[j] ?? NaN)}${rest}`;
  };
  return { values, sum };
}

function softmax(scores: Matrix): Step {
  const values = scores.map((row) => {
    const powers = row.map((score) => Math.exp(score - Math.max(...row)));
    const all = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / all);
  });
  const sum = (i: number, j: number): string => {
    const powers = (scores[i] ?? []).map((score) => `exp(${number(score)})`);
    return `${powers[j]} / (${powers.join(" + ")}) = ${number(values[i]?.[j] ?? NaN)}`;
  };
  return { values, sum };
}

function transposed(values: Matrix): Matrix {
  return (values[0] ?? []).map((_, column) => values.map((row) => row[column] ?? NaN));
}

function width(values: Matrix): number {
  return values[0]?.length ?? 0;
}

function at({ values }: Pick<Step, "values">, row: number, column: number): number {
  return values[row]?.[column] ?? NaN;
}

export function number(value: number): string {
  return value === 0 ? "0" : numeral(value, 2);
}

function term(value: number): string {
  return value < 0 ? `(${number(value)})` : number(value);
}
