/** The submission that has no verdict yet, kept in the browser so that a reload does not lose it. */

import { readStored, writeStored } from "../storage";

export interface PendingSubmission {
  readonly source: string;
  readonly key: string; // idempotency key, which identifies a repeated request
  readonly person: string;
  readonly id: string | null; // the submission's id, once the service has answered
}

export class PendingSubmissionStore {
  readonly #storageKey: string;
  #latest: PendingSubmission | null; // lasts as long as the page without storage

  constructor(exercise: string) {
    this.#storageKey = `etude.submitted.${exercise}`;
    this.#latest = this.#read();
  }

  /** Return the pending submission, if it is this person's. */
  forPerson(person: string): PendingSubmission | null {
    return this.#latest?.person === person ? this.#latest : null;
  }

  store(submission: PendingSubmission): void {
    this.#latest = submission;
    writeStored(this.#storageKey, JSON.stringify(submission)); // without storage a reload forgets it, but not the service
  }

  clear(): void {
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
