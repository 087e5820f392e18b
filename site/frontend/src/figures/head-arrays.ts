/** The arrays of one attention head, computed from a reader's own matrices, with the sum behind each number. */

import { formatNumber } from "../numerals";
import { type Matrix, softmax } from "./attention";
import type { LessonArrays } from "./lesson-arrays";

export interface ComputedArray {
  readonly values: Matrix;
  sum(row: number, column: number): string;
}

/** Return the arrays by name, or null if the shapes of the matrices do not fit. */
export function computeHeadArrays({ X, W_Q, W_K, W_V }: LessonArrays, hasMask: boolean): Record<string, ComputedArray> | null {
  if (!X || !W_Q || !W_K || !W_V) return null;
  const features = columnCount(X);
  if ([W_Q, W_K, W_V].some((each) => each.length !== features) || columnCount(W_Q) !== columnCount(W_K)) return null;
  const [Q, K, V] = [matrixProduct(X, W_Q), matrixProduct(X, W_K), matrixProduct(X, W_V)];
  const KT = inputArray(transpose(K.values));
  const S = matrixProduct(Q.values, KT.values);
  const d = columnCount(W_Q);
  const scaled = {
    values: S.values.map((row) => row.map((value) => value / Math.sqrt(d))),
    sum: (i: number, j: number) => `${formatValue(valueAt(S, i, j))} / √${d} = ${formatValue(valueAt(scaled, i, j))}`,
  };
  const M = inputArray(S.values.map((row, i) => row.map((_, j) => (j > i ? -Infinity : 0))));
  const masked: ComputedArray = {
    values: scaled.values.map((row, i) => row.map((value, j) => value + valueAt(M, i, j))),
    sum: (i, j) => `${formatValue(valueAt(scaled, i, j))} + ${formatTerm(valueAt(M, i, j))} = ${formatValue(valueAt(masked, i, j))}`,
  };
  const A = rowSoftmax(hasMask ? masked.values : scaled.values);
  const weighted = hasMask ? masked : scaled;
  return { X: inputArray(X), W_Q: inputArray(W_Q), W_K: inputArray(W_K), W_V: inputArray(W_V), Q, K, V, KT, S, scaled, M, masked, weighted, A, O: matrixProduct(A.values, V.values) };
}

function inputArray(values: Matrix): ComputedArray {
  return { values, sum: (i, j) => formatValue(values[i]?.[j] ?? NaN) };
}

function matrixProduct(left: Matrix, right: Matrix): ComputedArray {
  const columns = transpose(right);
  const values = left.map((row) => columns.map((column) => row.reduce((sum, value, k) => sum + value * (column[k] ?? NaN), 0)));
  const sum = (i: number, j: number): string => {
    const pairs = (left[i] ?? []).map((value, k) => [value, columns[j]?.[k] ?? NaN] as const);
    const terms = pairs.filter(([a, b]) => a && b).map(([a, b]) => `${formatTerm(a)} · ${formatTerm(b)}`);
    const rest = terms.length > 0 && terms.length < pairs.length ? "; the other terms are 0" : "";
    return `${terms.join(" + ") || "each term is 0"} = ${formatValue(values[i]?.[j] ?? NaN)}${rest}`;
  };
  return { values, sum };
}

function rowSoftmax(scores: Matrix): ComputedArray {
  const values = scores.map(softmax);
  const sum = (i: number, j: number): string => {
    const powers = (scores[i] ?? []).map((score) => `exp(${formatValue(score)})`);
    return `${powers[j]} / (${powers.join(" + ")}) = ${formatValue(values[i]?.[j] ?? NaN)}`;
  };
  return { values, sum };
}

function transpose(values: Matrix): Matrix {
  return (values[0] ?? []).map((_, column) => values.map((row) => row[column] ?? NaN));
}

function columnCount(values: Matrix): number {
  return values[0]?.length ?? 0;
}

function valueAt({ values }: Pick<ComputedArray, "values">, row: number, column: number): number {
  return values[row]?.[column] ?? NaN;
}

export function formatValue(value: number): string {
  return value === 0 ? "0" : formatNumber(value, 2);
}

function formatTerm(value: number): string {
  return value < 0 ? `(${formatValue(value)})` : formatValue(value);
}
