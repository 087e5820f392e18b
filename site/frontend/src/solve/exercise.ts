/** The data of an exercise, which the site's builder writes for the page's script. */

import { page } from "../page";

export interface Exercise {
  readonly id: string;
  readonly hash: string;
  readonly title: string;
  readonly xp: number;
  readonly kind: "write" | "fix" | "predict" | "test";
  readonly defines: readonly string[];
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  readonly starter: string;
  readonly tests: readonly { readonly id: string }[];
  readonly inputs: readonly string[]; // the names of the inputs of the first visible test that has any
  readonly asks: Readonly<Record<string, readonly string[]>>; // the names that each test reads, if the page judges answers
  readonly hidden_tests: number;
  readonly hints: readonly { readonly price: number }[];
  readonly feedback: Readonly<Record<string, string>>; // HTML by misconception
  readonly engine: string; // the file from which Python judges, or an empty text
  readonly solution: string | null; // the file, if the site carries it
  readonly breaks?: string; // the file with wrong programs to break, if the site carries it
}

export interface Solution {
  readonly code: string; // HTML
  readonly source: string; // the same program as text
  readonly explanation: string; // HTML
  readonly others: readonly { readonly code: string; readonly when: string }[]; // HTML
}

/** Load the exercise of this page; null on a site that was built only for reading. */
export async function loadExercise(): Promise<Exercise | null> {
  const response = await fetch(fileAddress("exercise.json"));
  if (response.status === 404) return null;
  return (await readJson(response)) as Exercise;
}

/** Return the address of a file that this page's exercise names. */
export function fileAddress(file: string): string {
  return new URL(`${page.track}/${page.exercise}/${file}`, page.root).href;
}

/** Load the solution from the file that the exercise names. */
export async function loadSolution(file: string): Promise<Solution> {
  return (await readJson(await fetch(fileAddress(file)))) as Solution;
}

/** Return the command that grades a file with all tests, including hidden ones. */
export function checkCommand({ id }: Exercise): string {
  return `etude check ${id} ${submissionName(id)}`;
}

export function submissionName(id: string): string {
  return `${id}.py`;
}

async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return response.json();
}
