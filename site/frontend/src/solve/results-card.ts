/** The card under the editor, with the results of the last run or check. */

import { element } from "../dom";

type ResultTone = "good" | "bad" | "plain";

export class ResultsCard {
  readonly #facts = element("p", { class: "facts" });
  readonly #head = element(
    "header",
    {},
    element("h2", { id: "results-title" }, "Results"),
    this.#facts,
  );
  readonly #summary = element("p", { class: "summary", role: "status" });
  readonly #staleNote = element("p", { class: "stale", hidden: true });
  readonly #content = element("div", { class: "results-inside" });
  #judgedSource: string | null = null; // the code of the results
  readonly card = element(
    "section",
    { class: "card outcome-card", id: "results", "aria-labelledby": "results-title" },
    this.#head,
    this.#staleNote,
    this.#summary,
    this.#content,
  );

  /** A card that shows `invitation` until there are results, and `staleSentence` once the work has changed since. */
  constructor(invitation: string, staleSentence: string) {
    this.#staleNote.textContent = staleSentence;
    this.#content.append(element("p", { class: "quiet" }, invitation));
  }

  /** Show the results of some code: a sentence, and the content below it. */
  show(source: string, tone: ResultTone, summary: string, facts: string, content: readonly Node[]): void {
    this.#judgedSource = source;
    this.#staleNote.hidden = true;
    this.card.dataset.tone = tone;
    this.#summary.textContent = summary;
    this.#facts.textContent = facts;
    this.#content.replaceChildren(...content);
    this.#scrollIntoView();
  }

  /** Replace the sentence alone. */
  showSentence(summary: string): void {
    this.#summary.textContent = summary;
  }

  /** Show a note if the code has changed since the results. */
  markStale(source: string): void {
    this.#staleNote.hidden = this.#judgedSource === null || this.#judgedSource === source;
  }

  /**
   * Scroll the results into view. In two columns the results are below the editor, so scroll only as far as
   * the pass panel or the first failing test's message. On a narrow screen show them from the top.
   */
  #scrollIntoView(): void {
    const target = this.card.querySelector(".won, .outcomes details[open] .message") ?? this.#head;
    if (matchMedia("(min-width: 60rem)").matches) target.scrollIntoView({ block: "nearest" });
    else this.card.scrollIntoView({ block: "start" });
  }
}
