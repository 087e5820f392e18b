/** The code that a learner has written, kept in the browser until they come back. */

import { reportCode } from "../splice";
import { whileHere } from "../stay";

const PAUSE_MS = 300;
const DRAFT = "etude.draft.";
const PASSED = "etude.passed.";

/** Keep the program that passed, whatever becomes of the draft. */
export function keepPassed(exercise: string, source: string): void {
  try {
    localStorage.setItem(PASSED + exercise, source);
  } catch {
    // The draft says so where it is written.
  }
}

/** The program that passed last in this browser, or else the draft; nothing where there is neither. */
export function codeOf(exercise: string): string | null {
  try {
    return localStorage.getItem(PASSED + exercise) ?? localStorage.getItem(DRAFT + exercise);
  } catch {
    return null;
  }
}

export class Draft {
  private readonly key: string;
  private unsaved: string | null = null;
  private timer: number | undefined;
  isKept = true; // false once the browser has refused to keep it

  constructor(
    private readonly exercise: string,
    private readonly starter: string,
  ) {
    this.key = DRAFT + exercise;
    addEventListener("pagehide", () => this.save(), { signal: whileHere() });
    whileHere().addEventListener("abort", () => this.save());
  }

  /** What was written last, or the starter code. */
  read(): string {
    try {
      return localStorage.getItem(this.key) ?? this.starter;
    } catch {
      return this.starter;
    }
  }

  /** Keep a text, once there is a pause. */
  write(text: string): void {
    this.unsaved = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE_MS);
  }

  private save(): void {
    const text = this.unsaved;
    if (text === null) return;
    reportCode(this.exercise, text);
    try {
      if (text === this.starter) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, text);
      this.unsaved = null;
    } catch {
      this.isKept = false;
    }
  }
}
