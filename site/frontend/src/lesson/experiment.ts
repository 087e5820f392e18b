/** An experiment of a lesson: a guess, a change of a cell's code, and the outcome of its run. */

import { findElement } from "../dom";

/** The page's functions that an experiment calls. */
interface ExperimentActions {
  source(cell: number): string; // returns the lesson's own code
  replaceCode(cell: number, code: string, line: number): void;
}

export class Experiment {
  readonly #cell: number;
  readonly #changedCode: string;
  readonly #outcome: HTMLElement;
  readonly #guesses: readonly HTMLInputElement[];

  constructor(
    private readonly card: HTMLElement,
    actions: ExperimentActions,
  ) {
    const { changes, find: from = "", put = "" } = card.dataset;
    this.#cell = Number(changes);
    this.#outcome = findElement(".experiment-seen", HTMLElement, card);
    this.#guesses = [...card.querySelectorAll("input")];
    const source = actions.source(this.#cell);
    const index = source.indexOf(from);
    this.#changedCode = source.slice(0, index) + put + source.slice(index + from.length);
    const line = source.slice(0, index).split("\n").length;
    const button = findElement("button", HTMLButtonElement, card);
    button.addEventListener("click", () => actions.replaceCode(this.#cell, this.#changedCode, line));
  }

  /** Show the outcome if the cell that has run was this experiment's, with its change. */
  showOutcome(cell: number, code: string): void {
    if (cell !== this.#cell || code !== this.#changedCode || this.card.dataset.is === "done") return;
    const guess = this.#guesses.find(({ checked }) => checked);
    const rightGuess = this.#guesses.find((each) => each.dataset.right !== undefined);
    const why = findElement(".experiment-why", HTMLElement, this.card);
    const verdict = document.createElement("strong");
    verdict.append(judgeGuess(guess, rightGuess));
    this.#outcome.replaceChildren(verdict, " ", ...why.cloneNode(true).childNodes);
    this.card.dataset.is = "done";
  }
}

function judgeGuess(guess?: HTMLInputElement, rightGuess?: HTMLInputElement): string {
  if (guess && guess === rightGuess) return "As you guessed.";
  const answer = `It is “${labelText(rightGuess)}”.`;
  return guess ? `You guessed “${labelText(guess)}”. ${answer}` : answer;
}

function labelText(input?: HTMLInputElement): string {
  return input?.labels?.[0]?.textContent?.trim() ?? "";
}
