/** What the site's builder wrote about an exercise for its page's script. */

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
  readonly inputs: readonly string[]; // the names of those of the first visible test that has some
  readonly asks: Readonly<Record<string, readonly string[]>>; // what each test looks at, if a page judges answers
  readonly hidden_tests: number;
  readonly hints: readonly { readonly price: number }[];
  readonly feedback: Readonly<Record<string, string>>; // HTML by misconception
  readonly engine: string; // the file for Python alone, or nothing where Python judges nothing
  readonly solution: string | null; // the file, if the site carries it
  readonly breaks?: string; // the file with wrong programs to break, if the site carries it
}

export interface Solution {
  readonly code: string; // HTML
  readonly source: string; // the same as text
  readonly explanation: string; // HTML
  readonly others: readonly { readonly code: string; readonly when: string }[]; // HTML
}

/** The exercise of this page, or nothing where the site was built to be read only. */
export async function loadExercise(): Promise<Exercise | null> {
  const response = await fetch(fileAddress("exercise.json"));
  if (response.status === 404) return null;
  return (await readJson(response)) as Exercise;
}

/** The address of a file that the exercise of this page names. */
export function fileAddress(file: string): string {
  return new URL(`${page.track}/${page.exercise}/${file}`, page.root).href;
}

/** The model answer, from the file that the exercise names. */
export async function loadSolution(file: string): Promise<Solution> {
  return (await readJson(await fetch(fileAddress(file)))) as Solution;
}

/** The command that grades a file with every test, the hidden ones too. */
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
