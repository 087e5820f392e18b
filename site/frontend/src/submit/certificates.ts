/** What the service has certified for whoever is signed in; nothing where no service is. */

import { page } from "../page";
import { Service } from "./service";

/** The best verdict that the service has published of somebody's submissions of one exercise. */
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

  /** Whose they are; nobody's while nobody is signed in. */
  get name(): string | null {
    return this.#loaded?.name ?? null;
  }

  of(exercise: string): Certificate | null {
    return this.#loaded?.exercises.find((each) => each.exercise === exercise) ?? null;
  }

  get passed(): readonly Certificate[] {
    return this.#loaded?.exercises.filter(({ passed }) => passed) ?? [];
  }

  get xp(): number {
    return this.#loaded?.xp ?? 0;
  }

  /** Hear of them whenever they were fetched; at once if that was before. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
    if (this.#loaded) listener();
  }

  /** Fetch them. They are an addition to the page, so that without an answer it stays as it is. */
  async load(): Promise<void> {
    try {
      if (service?.me) this.#loaded = (await service.ask("progress")) as CertifiedProgress;
      else this.#loaded = null;
    } catch {
      return;
    }
    for (const listener of this.#listeners) listener();
  }
}

export const certificates = new Certificates();

/** Who the service knew when this page was loaded; a page for nobody asks nothing. */
export const sessionLoaded: Promise<void> = loadSession();

async function loadSession(): Promise<void> {
  if (service === null || !page.isSignedIn) return;
  await service.recall().catch(() => null);
  await certificates.load();
}
