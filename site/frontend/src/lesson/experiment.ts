/** A *try this* of a lesson: a guess, a change of a cell's code, and what its run shows. */

import { findElement } from "../dom";

/** What an experiment asks of the page. */
interface ExperimentActions {
  source(cell: number): string; // the lesson's own code
  put(cell: number, code: string, line: number): void;
}

export class Experiment {
  readonly #cell: number;
  readonly #code: string; // of the changed cell
  readonly #seen: HTMLElement;
  readonly #guesses: readonly HTMLInputElement[];

  constructor(
    private readonly card: HTMLElement,
    asked: ExperimentActions,
  ) {
    const { changes, find: from = "", put = "" } = card.dataset;
    this.#cell = Number(changes);
    this.#seen = findElement(".experiment-seen", HTMLElement, card);
    this.#guesses = [...card.querySelectorAll("input")];
    const source = asked.source(this.#cell);
    const at = source.indexOf(from);
    this.#code = source.slice(0, at) + put + source.slice(at + from.length);
    const line = source.slice(0, at).split("\n").length;
    const button = findElement("button", HTMLButtonElement, card);
    button.addEventListener("click", () => asked.put(this.#cell, this.#code, line));
  }

  /** A cell has run to its end: tell what this change does, if it was this one. */
  ran(cell: number, code: string): void {
    if (cell !== this.#cell || code !== this.#code || this.card.dataset.is === "done") return;
    const guess = this.#guesses.find(({ checked }) => checked);
    const right = this.#guesses.find((each) => each.dataset.right !== undefined);
    const why = findElement(".experiment-why", HTMLElement, this.card);
    const verdict = document.createElement("strong");
    verdict.append(judgeGuess(guess, right));
    this.#seen.replaceChildren(verdict, " ", ...why.cloneNode(true).childNodes);
    this.card.dataset.is = "done";
  }
}

function judgeGuess(guess?: HTMLInputElement, right?: HTMLInputElement): string {
  if (guess && guess === right) return "As you guessed.";
  const answer = `It is “${labelText(right)}”.`;
  return guess ? `You guessed “${labelText(guess)}”. ${answer}` : answer;
}

function labelText(input?: HTMLInputElement): string {
  return input?.labels?.[0]?.textContent?.trim() ?? "";
}
