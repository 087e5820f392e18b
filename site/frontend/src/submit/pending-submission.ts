/** What was handed in and has no verdict yet, kept in the browser: a reload loses nothing of it. */

export interface PendingSubmission {
  readonly source: string;
  readonly key: string; // by which the service knows a request that comes again
  readonly person: string;
  readonly id: string | null; // of the submission, once the service has answered
}

export class PendingSubmissionStore {
  private readonly name: string;
  private latest: PendingSubmission | null; // also where the browser keeps nothing

  constructor(exercise: string) {
    this.name = `etude.submitted.${exercise}`;
    this.latest = this.read();
  }

  /** The one that was made last and is not settled, if it is this person's. */
  of(person: string): PendingSubmission | null {
    return this.latest?.person === person ? this.latest : null;
  }

  keep(attempt: PendingSubmission): void {
    this.latest = attempt;
    try {
      localStorage.setItem(this.name, JSON.stringify(attempt));
    } catch {
      return; // then a reload forgets it, and the service does not
    }
  }

  settle(): void {
    this.latest = null;
    try {
      localStorage.removeItem(this.name);
    } catch {
      return;
    }
  }

  private read(): PendingSubmission | null {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.name) ?? "null");
      return isPendingSubmission(kept) ? kept : null;
    } catch {
      return null;
    }
  }
}

function isPendingSubmission(kept: unknown): kept is PendingSubmission {
  if (typeof kept !== "object" || kept === null) return false;
  const { source, key, person, id } = kept as Record<string, unknown>;
  return [source, key, person].every((each) => typeof each === "string") && (id === null || typeof id === "string");
}
