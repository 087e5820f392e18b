/** The pace at which a text is written, with a button that pauses it. */

import { button } from "../dom";

const LETTER_MS = 75; // slow enough to follow

export class WritingPace {
  readonly button = button("Pause", () => this.#toggle(), { class: "button", hidden: true });
  #isHalted = false;
  #resume: () => void = () => undefined;

  /** Wait for the time of a letter, and until the reader resumes if it is paused. */
  async waitForLetter(): Promise<void> {
    await new Promise((go) => setTimeout(go, LETTER_MS));
    if (this.#isHalted) await new Promise<void>((go) => (this.#resume = go));
  }

  setWriting(isWriting: boolean): void {
    this.#isHalted = false;
    this.button.textContent = "Pause";
    this.button.hidden = !isWriting;
    this.#resume();
  }

  #toggle(): void {
    this.#isHalted = !this.#isHalted;
    this.button.textContent = this.#isHalted ? "Go on" : "Pause";
    if (!this.#isHalted) this.#resume();
  }
}
