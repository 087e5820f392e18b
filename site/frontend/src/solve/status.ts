/** The line that always says what Python is doing, and the one thing to do about it. */

import { button, element } from "../dom";
import type { PythonState } from "../python";

const WORDS = {
  idle: "Python starts when you begin",
  starting: "Python is starting",
  ready: "Python is ready",
  running: "Running",
} as const;

const SLOW_SECONDS = 20; // a slow network needs them; then a download may as well have stalled

export class Status {
  readonly line = element("p", { class: "python" });
  private readonly words = element("span", { "aria-hidden": "true" });
  private readonly said = element("span", { class: "unseen", role: "status" });
  private timer: number | undefined;

  constructor(private readonly reset: () => void) {}

  show(state: PythonState): void {
    clearInterval(this.timer);
    this.line.dataset.state = state.kind;
    this.line.replaceChildren(this.words, this.said, ...this.action(state));
    if (state.kind === "failed") {
      this.words.textContent = `Python could not start: ${state.reason}`;
    } else {
      this.count(state);
    }
    // The seconds would be read out one by one, so a screen reader gets the words alone.
    this.said.textContent = state.kind === "failed" ? this.words.textContent : WORDS[state.kind];
  }

  private count(state: Exclude<PythonState, { kind: "failed" }>): void {
    const words = WORDS[state.kind];
    this.words.textContent = words;
    if (!("since" in state)) return;
    this.timer = setInterval(() => {
      const seconds = Math.round((Date.now() - state.since) / 1000);
      this.words.textContent = `${words}, ${seconds} s`;
      const isSlow = state.kind === "starting" && seconds >= SLOW_SECONDS;
      if (isSlow && this.line.lastChild === this.said) this.line.append(this.again("Start anew"));
    }, 1000);
  }

  private action({ kind }: PythonState): Node[] {
    if (kind === "failed") return [this.again("Try again")];
    return kind === "ready" ? [this.again("Reset Python")] : [];
  }

  private again(label: string): Node {
    return button(label, this.reset, { class: "link" });
  }
}
