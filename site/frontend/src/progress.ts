/** The learner's record on this page; the same one in every tab of the browser. */

import { fromJson, toJson } from "./progress/exchange";
import { BROWSER, dayOf, instant, NOTHING, type Outcome } from "./progress/history";
import { KEY, LearnersRecord } from "./progress/record";
import { standing, type Standing } from "./progress/status";

export { type Standing, worth } from "./progress/status";

/** What of a verdict's JSON becomes an attempt. */
export interface Verdict {
  readonly exercise: string;
  readonly outcome: Outcome;
  readonly score: number;
  readonly max_score: number;
  readonly diagnosis: { readonly id: string } | null;
  readonly submission_hash: string;
  readonly exercise_hash: string;
  readonly grader_version: string;
}

const EMPTY_SUBMISSION = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; // SHA-256 of nothing
const LONGEST = 200; // characters that the exchange format has room for

class Progress extends LearnersRecord {
  standing(exercise: string): Standing {
    return standing(this.history, exercise);
  }

  /**
   * Record a verdict, unless nothing was handed in; `xp` is what the exercise is worth. Throws `NoHistory`
   * where a program has forged one with which the record could not be read again.
   */
  attempt(verdict: Verdict, xp: number): void {
    if (verdict.submission_hash === EMPTY_SUBMISSION) return;
    const now = new Date();
    const attempt = {
      exercise: verdict.exercise,
      at: instant(now),
      day: dayOf(now),
      outcome: verdict.outcome,
      score: verdict.score,
      max_score: verdict.max_score,
      xp: verdict.outcome === "passed" ? xp : 0,
      diagnosis: (verdict.diagnosis?.id ?? "").slice(0, LONGEST),
      submission: verdict.submission_hash,
      definition: verdict.exercise_hash,
      grader: verdict.grader_version,
      sandbox: BROWSER,
    };
    this.add(fromJson(toJson({ ...NOTHING, attempts: [attempt] })));
  }

  /** Record a hint, numbered from 1, before it is shown. */
  hint(exercise: string, number: number, price: number): void {
    this.add({ ...NOTHING, hints: [{ exercise, number, price, at: instant(new Date()) }] });
  }

  /** Record that a call has shown a program to be wrong. */
  broke(exercise: string, misconception: string, call: string): void {
    const broken = [{ exercise, misconception, call: call.trim().replace(/\s+/g, " "), at: instant(new Date()) }];
    this.add(fromJson(toJson({ ...NOTHING, broken })));
  }

  /** Record that a solution is shown before its exercise is passed. */
  surrender(exercise: string): void {
    this.add({ ...NOTHING, given_up: [{ exercise, at: instant(new Date()) }] });
  }
}

export const progress = new Progress(() => localStorage);

addEventListener("storage", ({ key, newValue }) => {
  if (key === KEY || key === null) progress.reload(newValue === null);
});
