/** The line with Python's state, and the button that restarts it. */

import { button, element } from "../dom";
import { page } from "../page";
import type { PythonState } from "../python";

const STATE_SENTENCES = {
  idle: "Python starts when you begin",
  starting: "Python is starting",
  ready: "Python is ready",
  running: "Running",
} as const;

const MEGABYTE = 1_000_000;
const SLOW_SECONDS = 20; // after this a download may have stalled

export class PythonStatusLine {
  readonly line = element("p", { class: "python" });
  readonly #stateText = element("span", { "aria-hidden": "true" });
  readonly #announcement = element("span", { class: "unseen", role: "status" });
  readonly #progressBar = element("progress", { "aria-hidden": "true", max: page.pythonBytes, hidden: true });
  #timer: number | undefined;

  constructor(private readonly reset: () => void) {}

  show(state: PythonState): void {
    clearInterval(this.#timer);
    this.line.dataset.state = state.kind;
    this.#progressBar.hidden = state.kind !== "starting" || page.pythonBytes === 0;
    this.line.replaceChildren(this.#stateText, this.#progressBar, this.#announcement, ...this.#renderAction(state));
    if (state.kind === "failed") {
      this.#stateText.textContent = `Python could not start: ${state.reason}`;
    } else {
      this.#showSeconds(state);
    }
    // A screen reader would announce every second, so it gets the state without the seconds.
    this.#announcement.textContent = state.kind === "failed" ? this.#stateText.textContent : STATE_SENTENCES[state.kind];
  }

  #showSeconds(state: Exclude<PythonState, { kind: "failed" }>): void {
    const words = STATE_SENTENCES[state.kind];
    this.#stateText.textContent = words;
    if (!("since" in state)) return;
    this.#timer = setInterval(() => {
      const seconds = Math.round((Date.now() - state.since) / 1000);
      this.#stateText.textContent = `${words}, ${seconds} s${state.kind === "starting" ? this.#downloadText(state.load.receivedBytes) : ""}`;
      const isSlow = state.kind === "starting" && seconds >= SLOW_SECONDS;
      if (isSlow && this.line.lastChild === this.#announcement) this.line.append(this.#renderResetButton("Start anew"));
    }, 1000);
  }

  /** Return how much of Python has arrived, with the total if it is known. */
  #downloadText(bytes: number): string {
    this.#progressBar.value = bytes;
    if (bytes === 0) return "";
    const total = Math.max(bytes, page.pythonBytes) / MEGABYTE;
    const loaded = (bytes / MEGABYTE).toFixed(1);
    return page.pythonBytes ? `, ${loaded} of ${total.toFixed(1)} MB` : `, ${loaded} MB loaded`;
  }

  #renderAction({ kind }: PythonState): Node[] {
    if (kind === "failed") return [this.#renderResetButton("Try again")];
    return kind === "ready" ? [this.#renderResetButton("Reset Python")] : [];
  }

  #renderResetButton(label: string): Node {
    return button(label, this.reset, { class: "link" });
  }
}
