/** The certificates of the signed-in learner: the best verdicts that the service has published. */

import { page } from "../page";
import { Service } from "./service";

/** The best published verdict on the learner's submissions of one exercise. */
export interface Certificate {
  readonly exercise: string;
  readonly score: number;
  readonly max_score: number;
  readonly passed: boolean;
  readonly xp: number;
}

interface CertifiedProgress {
  readonly name: string;
  readonly xp: number;
  readonly exercises: readonly Certificate[];
}

export const service = page.service === null ? null : new Service(page.service);

class Certificates {
  #loaded: CertifiedProgress | null = null;
  readonly #listeners: (() => void)[] = [];

  /** The name of the learner; null if no one is signed in. */
  get personName(): string | null {
    return this.#loaded?.name ?? null;
  }

  forExercise(exercise: string): Certificate | null {
    return this.#loaded?.exercises.find((each) => each.exercise === exercise) ?? null;
  }

  get passed(): readonly Certificate[] {
    return this.#loaded?.exercises.filter(({ passed }) => passed) ?? [];
  }

  get xp(): number {
    return this.#loaded?.xp ?? 0;
  }

  /** Call a function after each load, and at once if the certificates are loaded. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
    if (this.#loaded) listener();
  }

  /** Load the certificates. On an error the page stays unchanged, since they only add to it. */
  async load(): Promise<void> {
    try {
      if (service?.session) this.#loaded = (await service.get("progress")) as CertifiedProgress;
      else this.#loaded = null;
    } catch {
      return;
    }
    for (const listener of this.#listeners) listener();
  }
}

export const certificates = new Certificates();

/** Settles once the session is loaded; without a signed-in learner nothing is requested. */
export const sessionLoaded: Promise<void> = loadSession();

async function loadSession(): Promise<void> {
  if (service === null || !page.isSignedIn) return;
  await service.loadSession().catch(() => null);
  await certificates.load();
}
