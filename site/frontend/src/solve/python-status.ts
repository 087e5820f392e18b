/** The line that always says what Python is doing, and the one thing to do about it. */

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
const SLOW_SECONDS = 20; // a slow network needs them; then a download may as well have stalled

export class PythonStatusLine {
  readonly line = element("p", { class: "python" });
  private readonly words = element("span", { "aria-hidden": "true" });
  private readonly said = element("span", { class: "unseen", role: "status" });
  private readonly bar = element("progress", { "aria-hidden": "true", max: page.pythonBytes, hidden: true });
  private timer: number | undefined;

  constructor(private readonly reset: () => void) {}

  show(state: PythonState): void {
    clearInterval(this.timer);
    this.line.dataset.state = state.kind;
    this.bar.hidden = state.kind !== "starting" || page.pythonBytes === 0;
    this.line.replaceChildren(this.words, this.bar, this.said, ...this.action(state));
    if (state.kind === "failed") {
      this.words.textContent = `Python could not start: ${state.reason}`;
    } else {
      this.count(state);
    }
    // The seconds would be read out one by one, so a screen reader gets the words alone.
    this.said.textContent = state.kind === "failed" ? this.words.textContent : STATE_SENTENCES[state.kind];
  }

  private count(state: Exclude<PythonState, { kind: "failed" }>): void {
    const words = STATE_SENTENCES[state.kind];
    this.words.textContent = words;
    if (!("since" in state)) return;
    this.timer = setInterval(() => {
      const seconds = Math.round((Date.now() - state.since) / 1000);
      this.words.textContent = `${words}, ${seconds} s${state.kind === "starting" ? this.loaded(state.load.received) : ""}`;
      const isSlow = state.kind === "starting" && seconds >= SLOW_SECONDS;
      if (isSlow && this.line.lastChild === this.said) this.line.append(this.again("Start anew"));
    }, 1000);
  }

  /** How much of Python has arrived, of how much where that is known. */
  private loaded(bytes: number): string {
    this.bar.value = bytes;
    if (bytes === 0) return "";
    const total = Math.max(bytes, page.pythonBytes) / MEGABYTE;
    const loaded = (bytes / MEGABYTE).toFixed(1);
    return page.pythonBytes ? `, ${loaded} of ${total.toFixed(1)} MB` : `, ${loaded} MB loaded`;
  }

  private action({ kind }: PythonState): Node[] {
    if (kind === "failed") return [this.again("Try again")];
    return kind === "ready" ? [this.again("Reset Python")] : [];
  }

  private again(label: string): Node {
    return button(label, this.reset, { class: "link" });
  }
}
