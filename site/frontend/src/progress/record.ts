/** The learner's record in the browser's storage, which may be off, full, damaged, or changed by another tab. */

import { fromJson, InvalidHistory, NewerFormat, toJson } from "./exchange";
import { countNew, EMPTY_HISTORY, type History, mergeHistories } from "./history";

export const RECORD_KEY = "etude.progress";
export const UNREADABLE_KEY = "etude.progress.unreadable";

const TROUBLE_SENTENCES = {
  off: "This browser keeps nothing for this site, so your progress lasts only until you leave this page.",
  full: "The browser has no room left for your progress: what is new is lost when you leave this page. Export it first.",
  newer: "Your progress was written by a newer version of these pages. It is left as it is, and what you do here is not kept.",
  unreadable: "What was kept of your progress could not be read, so a new record has begun. The old one is put aside.",
};

/** The stored history, or the reason why it is missing; `text` is the stored text, which an unreadable record keeps. */
interface StoredRecord {
  readonly history: History;
  readonly trouble: keyof typeof TROUBLE_SENTENCES | "";
  readonly text: string | null;
}

/**
 * One learner's record. Its methods do not throw: events that cannot be stored last as long as the page, and
 * `trouble` says so.
 */
export class LearnersRecord {
  #history = EMPTY_HISTORY;
  #trouble: StoredRecord["trouble"] = "";
  #pageEvents = EMPTY_HISTORY; // this page's events, stored again if another tab overwrites them
  readonly #storage: () => Storage;
  readonly #listeners = new Set<() => void>();

  /** @param storage - a function, since even reading `localStorage` throws where it is switched off */
  constructor(storage: () => Storage) {
    this.#storage = storage;
    this.#useRecord(this.#load());
  }

  get history(): History {
    return this.#history;
  }

  /** A sentence for the learner, or an empty text. */
  get trouble(): string {
    return this.#trouble && TROUBLE_SENTENCES[this.#trouble];
  }

  /** The text of a record that could not be read, or null. */
  get unreadable(): string | null {
    try {
      return this.#storage().getItem(UNREADABLE_KEY);
    } catch {
      return null;
    }
  }

  /** Delete the record that could not be read. */
  forgetUnreadable(): void {
    try {
      this.#storage().removeItem(UNREADABLE_KEY);
    } catch {
      // Without storage there is nothing to delete.
    }
    this.#useRecord(this.#load());
    this.#notify();
  }

  /** Add events that are not recorded yet, and store them. */
  add(events: History): void {
    this.#pageEvents = mergeHistories(this.#pageEvents, events);
    const stored = this.#load();
    this.#useRecord(stored);
    this.#save(stored);
    this.#notify();
  }

  /** Delete all events, in the storage too. */
  erase(): void {
    this.#pageEvents = EMPTY_HISTORY;
    try {
      this.#storage().removeItem(RECORD_KEY);
      this.#storage().removeItem(UNREADABLE_KEY);
    } catch {
      // Without storage nothing was stored.
    }
    this.#useRecord(this.#load());
    this.#notify();
  }

  /** Read the storage again after another tab has written; `erased` if it has deleted the record. */
  reload(erased: boolean): void {
    if (erased) this.#pageEvents = EMPTY_HISTORY;
    const stored = this.#load();
    this.#useRecord(stored);
    this.#save(stored); // two tabs may have written at once
    this.#notify();
  }

  /** Call a function after each change; return a function that unsubscribes it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #useRecord(stored: StoredRecord): void {
    this.#history = mergeHistories(stored.history, this.#pageEvents);
    this.#trouble = stored.trouble || (this.unreadable === null ? "" : "unreadable");
  }

  #load(): StoredRecord {
    let text: string | null = null;
    try {
      text = this.#storage().getItem(RECORD_KEY);
      return { history: text === null ? EMPTY_HISTORY : fromJson(text), trouble: "", text };
    } catch (error) {
      const trouble =
        error instanceof NewerFormat ? "newer" : error instanceof InvalidHistory ? "unreadable" : "off";
      return { history: EMPTY_HISTORY, trouble, text };
    }
  }

  #save(stored: StoredRecord): void {
    const isNew = countNew(this.#pageEvents, stored.history) > 0;
    if (stored.trouble === "newer" || stored.trouble === "off" || !isNew) return;
    try {
      if (stored.trouble === "unreadable") this.#storage().setItem(UNREADABLE_KEY, stored.text ?? "");
      this.#storage().setItem(RECORD_KEY, toJson(this.#history));
    } catch (error) {
      this.#trouble = error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "off";
    }
  }
}
