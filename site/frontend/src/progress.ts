/** The learner's record in this browser, which all tabs share. */

import { fromJson, toJson } from "./progress/exchange";
import { BROWSER_SANDBOX, EMPTY_HISTORY, formatInstant, type Outcome, toLocalDay } from "./progress/history";
import { LearnersRecord, RECORD_KEY } from "./progress/record";
import { exerciseStatus, type ExerciseStatus } from "./progress/status";

/** The part of a verdict's JSON that becomes an attempt. */
export interface RecordedVerdict {
  readonly exercise: string;
  readonly outcome: Outcome;
  readonly score: number;
  readonly max_score: number;
  readonly diagnosis: { readonly id: string } | null;
  readonly submission_hash: string;
  readonly exercise_hash: string;
  readonly grader_version: string;
}

const EMPTY_SUBMISSION = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; // SHA-256 of an empty text
const MAX_DIAGNOSIS = 200; // characters, as in the exchange format

class Progress extends LearnersRecord {
  status(exercise: string): ExerciseStatus {
    return exerciseStatus(this.history, exercise);
  }

  /**
   * Record a verdict, unless the submission is empty; `xp` is what the exercise is worth. Throws
   * `InvalidHistory` for a verdict that a program has forged so that the record could not be read again.
   */
  recordAttempt(verdict: RecordedVerdict, xp: number): void {
    if (verdict.submission_hash === EMPTY_SUBMISSION) return;
    const now = new Date();
    const attempt = {
      exercise: verdict.exercise,
      at: formatInstant(now),
      day: toLocalDay(now),
      outcome: verdict.outcome,
      score: verdict.score,
      max_score: verdict.max_score,
      xp: verdict.outcome === "passed" ? xp : 0,
      diagnosis: (verdict.diagnosis?.id ?? "").slice(0, MAX_DIAGNOSIS),
      submission: verdict.submission_hash,
      definition: verdict.exercise_hash,
      grader: verdict.grader_version,
      sandbox: BROWSER_SANDBOX,
    };
    this.add(fromJson(toJson({ ...EMPTY_HISTORY, attempts: [attempt] })));
  }

  /** Record a hint, numbered from 1, before it is shown. */
  recordHint(exercise: string, number: number, price: number): void {
    this.add({ ...EMPTY_HISTORY, hints: [{ exercise, number, price, at: formatInstant(new Date()) }] });
  }

  /** Record that a call has shown a program to be wrong. */
  recordBreak(exercise: string, misconception: string, call: string): void {
    const broken = [{ exercise, misconception, call: call.trim().replace(/\s+/g, " "), at: formatInstant(new Date()) }];
    this.add(fromJson(toJson({ ...EMPTY_HISTORY, broken })));
  }

  /** Record that a solution is shown before its exercise is passed. */
  recordSurrender(exercise: string): void {
    this.add({ ...EMPTY_HISTORY, given_up: [{ exercise, at: formatInstant(new Date()) }] });
  }
}

export const progress = new Progress(() => localStorage);

addEventListener("storage", ({ key, newValue }) => {
  if (key === RECORD_KEY || key === null) progress.reload(newValue === null);
});
