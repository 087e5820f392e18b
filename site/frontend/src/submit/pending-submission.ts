/** What was handed in and has no verdict yet, kept in the browser: a reload loses nothing of it. */

export interface Attempt {
  readonly source: string;
  readonly key: string; // by which the service knows a request that comes again
  readonly person: string;
  readonly id: string | null; // of the submission, once the service has answered
}

export class Attempts {
  private readonly name: string;
  private latest: Attempt | null; // also where the browser keeps nothing

  constructor(exercise: string) {
    this.name = `etude.submitted.${exercise}`;
    this.latest = this.read();
  }

  /** The one that was made last and is not settled, if it is this person's. */
  of(person: string): Attempt | null {
    return this.latest?.person === person ? this.latest : null;
  }

  keep(attempt: Attempt): void {
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

  private read(): Attempt | null {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.name) ?? "null");
      return isAttempt(kept) ? kept : null;
    } catch {
      return null;
    }
  }
}

function isAttempt(kept: unknown): kept is Attempt {
  if (typeof kept !== "object" || kept === null) return false;
  const { source, key, person, id } = kept as Record<string, unknown>;
  return [source, key, person].every((each) => typeof each === "string") && (id === null || typeof id === "string");
}
