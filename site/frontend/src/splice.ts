/**
 * Messages to the learning system around an embedded exercise, by the SPLICE protocol for frames
 * (https://cssplice.org/slcp/). The system receives each score and state, and returns the last state.
 */

import { isFirstInFrame, isTrustedEmbedder, postToEmbedder } from "./embedding";
import { pageSignal } from "./page-signal";
import { uniqueKey } from "./unique-key";

const STATE_TIMEOUT_MS = 3000; // no report is sent before the stored state comes: it must not lower the stored score

/** The state that the learning system stores for an exercise, in a form of our own. */
interface StoredState {
  readonly exercise: string;
  readonly code: string;
  readonly score: number; // the best so far, from 0 to 1
}

let currentConversation: SpliceConversation | null = null;

/**
 * Request the stored state of the page's exercise, if a trusted site embeds it. `restore` is called with
 * its code, unless the learner has changed the code before the answer comes.
 */
export function requestState(exercise: string, restore: (code: string) => void): void {
  currentConversation = isFirstInFrame() ? new SpliceConversation(exercise, restore) : null;
}

/** Report the learner's current code. */
export function reportCode(exercise: string, code: string): void {
  currentConversation?.reportState({ exercise, code, score: 0 });
}

/** Report a judged program. A lower score than before only updates the code. */
export function reportScore(exercise: string, code: string, score: number): void {
  currentConversation?.reportState({ exercise, code, score });
  currentConversation?.logCheck(exercise, score);
}

class SpliceConversation {
  #state: StoredState;
  #isOpen = false; // true once the stored state has arrived or its time is over
  #hasChanged = false;
  readonly #requestId = uniqueKey();

  constructor(
    exercise: string,
    private readonly restore: (code: string) => void,
  ) {
    this.#state = { exercise, code: "", score: 0 };
    addEventListener("message", (event) => this.#handleMessage(event), { signal: pageSignal() });
    postToEmbedder({ subject: "SPLICE.getState", message_id: this.#requestId });
    setTimeout(() => this.#startReporting(), STATE_TIMEOUT_MS);
  }

  reportState({ exercise, code, score }: StoredState): void {
    if (exercise !== this.#state.exercise) return; // the page shows another exercise now
    this.#state = { exercise, code, score: Math.max(score, this.#state.score) };
    this.#hasChanged = true;
    if (this.#isOpen) this.#send();
  }

  /** Send the score of a check for the system's log. It never lowers a score, so it need not wait for the state. */
  logCheck(exercise: string, score: number): void {
    if (exercise !== this.#state.exercise) return;
    postToEmbedder({ subject: "SPLICE.sendEvent", message_id: uniqueKey(), location: exercise, name: "check", data: { score } });
  }

  #handleMessage({ source, origin, data }: MessageEvent<unknown>): void {
    if (source !== parent || !isTrustedEmbedder(origin)) return;
    const { subject, message_id, state } = (data ?? {}) as Record<string, unknown>;
    if (subject !== "SPLICE.getState.response" || message_id !== this.#requestId) return;
    if (isState(state) && state.exercise === this.#state.exercise) {
      if (!this.#hasChanged) this.restore(state.code);
      this.#state = { ...this.#state, score: Math.max(state.score, this.#state.score) };
    }
    this.#startReporting();
  }

  #startReporting(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    if (this.#hasChanged) this.#send();
  }

  #send(): void {
    const { score } = this.#state;
    postToEmbedder({ subject: "SPLICE.reportScoreAndState", message_id: uniqueKey(), score, state: this.#state });
  }
}

function isState(data: unknown): data is StoredState {
  if (typeof data !== "object" || data === null) return false;
  const { exercise, code, score } = data as Record<string, unknown>;
  return typeof exercise === "string" && typeof code === "string" && typeof score === "number" && score >= 0 && score <= 1;
}
