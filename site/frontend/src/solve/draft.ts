/** A learner's code in the browser's storage: drafts, and programs that passed. */

import { button, element } from "../dom";
import { pageSignal } from "../page-signal";
import { type Programs } from "../progress/exchange";
import { reportCode } from "../splice";
import { readStored, writeStored } from "../storage";

const PAUSE_MS = 300;
const DRAFT_PREFIX = "etude.draft.";
const PASSED_PREFIX = "etude.passed.";

/** Store the program that passed, so that later drafts do not replace it. */
export function storePassedProgram(exercise: string, source: string): void {
  writeStored(PASSED_PREFIX + exercise, source); // the draft reports it if storage is full
}

/** Read the program that passed last in this browser, or else the draft, or else null. */
export function readProgram(exercise: string): string | null {
  return readStored(PASSED_PREFIX + exercise) ?? readStored(DRAFT_PREFIX + exercise);
}

/** Store a draft for an exercise without code in this browser. */
export function suggestDraft(exercise: string, source: string): void {
  if (readProgram(exercise) === null) writeStored(DRAFT_PREFIX + exercise, source);
}

/** Read the programs that passed last in this browser, by exercise. */
export function readPassedPrograms(): Programs {
  try {
    const names = Object.keys(localStorage).filter((key) => key.startsWith(PASSED_PREFIX));
    return Object.fromEntries(names.sort().map((key) => [key.slice(PASSED_PREFIX.length), localStorage.getItem(key) ?? ""]));
  } catch {
    return {};
  }
}

/** Return the programs whose exercises have no code in this browser. */
export function withoutLocalCode(programs: Programs): Programs {
  return Object.fromEntries(Object.entries(programs).filter(([exercise]) => readProgram(exercise) === null));
}

/** Store programs that passed elsewhere, for exercises without code in this browser. */
export function importPrograms(programs: Programs): void {
  for (const [exercise, source] of Object.entries(withoutLocalCode(programs))) {
    storePassedProgram(exercise, source);
    writeStored(DRAFT_PREFIX + exercise, source);
  }
}

/**
 * The draft of one exercise. If another tab has changed it, nothing is stored until the learner has chosen
 * one of the two.
 */
export class Draft {
  readonly notice = element("p", { class: "trouble", role: "status" });
  readonly #key: string;
  #lastStored: string | null; // the stored text when this tab last read it
  #currentText: string; // the text that this tab shows
  #unsaved: string | null = null;
  #saveTimer: number | undefined;
  isKept = true; // false once it could not be stored

  /** @param replace - shows another text in this tab */
  constructor(
    private readonly exercise: string,
    private readonly starter: string,
    private readonly replace: (text: string) => void,
  ) {
    this.#key = DRAFT_PREFIX + exercise;
    this.#lastStored = readStored(this.#key);
    this.#currentText = this.#lastStored ?? starter;
    addEventListener("pagehide", () => this.#save(), { signal: pageSignal() });
    addEventListener("storage", ({ key }) => (key === this.#key || key === null) && this.#detectConflict(), { signal: pageSignal() });
    pageSignal().addEventListener("abort", () => this.#save());
  }

  /** Return the current text: the draft, or the starter code. */
  read(): string {
    return this.#currentText;
  }

  /** Store a text once the typing pauses. */
  write(text: string): void {
    this.#currentText = text;
    this.#unsaved = text;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), PAUSE_MS);
  }

  #save(): void {
    const text = this.#unsaved;
    if (text === null) return;
    reportCode(this.exercise, text);
    if (this.#detectConflict()) return;
    if (writeStored(this.#key, text === this.starter ? null : text)) {
      this.#lastStored = readStored(this.#key);
      this.#unsaved = null;
    } else {
      this.isKept = false;
    }
  }

  /** Return whether another tab has stored another text; if so, let the learner choose. */
  #detectConflict(): boolean {
    const stored = readStored(this.#key);
    const other = stored ?? this.starter;
    if (stored === this.#lastStored || other === this.#currentText) {
      this.#resolveConflict(stored);
      return false;
    }
    const take = (): void => {
      this.#resolveConflict(stored);
      this.#unsaved = null;
      this.replace(other);
    };
    const keep = (): void => {
      this.#resolveConflict(stored);
      this.write(this.#currentText);
    };
    this.notice.replaceChildren(
      "You changed this exercise in another tab. Until you choose, nothing you write here is kept. ",
      button("Show that text", take, { class: "link" }),
      " ",
      button("Keep this one", keep, { class: "link" }),
    );
    return true;
  }

  #resolveConflict(stored: string | null): void {
    this.#lastStored = stored;
    this.notice.replaceChildren();
  }
}
