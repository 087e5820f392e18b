/** What was handed in and has no verdict yet, kept in the browser: a reload loses nothing of it. */

import { readStored, writeStored } from "../storage";

export interface PendingSubmission {
  readonly source: string;
  readonly key: string; // by which the service knows a request that comes again
  readonly person: string;
  readonly id: string | null; // of the submission, once the service has answered
}

export class PendingSubmissionStore {
  readonly #storageKey: string;
  #latest: PendingSubmission | null; // also where the browser keeps nothing

  constructor(exercise: string) {
    this.#storageKey = `etude.submitted.${exercise}`;
    this.#latest = this.#read();
  }

  /** The one that was made last and is not settled, if it is this person's. */
  of(person: string): PendingSubmission | null {
    return this.#latest?.person === person ? this.#latest : null;
  }

  keep(submission: PendingSubmission): void {
    this.#latest = submission;
    writeStored(this.#storageKey, JSON.stringify(submission)); // without storage a reload forgets it, but not the service
  }

  settle(): void {
    this.#latest = null;
    writeStored(this.#storageKey, null);
  }

  #read(): PendingSubmission | null {
    try {
      const stored: unknown = JSON.parse(readStored(this.#storageKey) ?? "null");
      return isPendingSubmission(stored) ? stored : null;
    } catch {
      return null;
    }
  }
}

function isPendingSubmission(stored: unknown): stored is PendingSubmission {
  if (typeof stored !== "object" || stored === null) return false;
  const { source, key, person, id } = stored as Record<string, unknown>;
  return [source, key, person].every((each) => typeof each === "string") && (id === null || typeof id === "string");
}
