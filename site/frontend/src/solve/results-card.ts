/** The card under the editor: what came of the last run, and of the last check. */

import { element } from "../dom";

type Tone = "good" | "bad" | "plain";

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
  #judgedSource: string | null = null; // the code that the results are about
  readonly card = element(
    "section",
    { class: "card outcome-card", id: "results", "aria-labelledby": "results-title" },
    this.#head,
    this.#staleNote,
    this.#summary,
    this.#content,
  );

  /** A card that shows `waiting` until there are results, and `changed` once they are about other work. */
  constructor(invitation: string, staleSentence: string) {
    this.#staleNote.textContent = staleSentence;
    this.#content.append(element("p", { class: "quiet" }, invitation));
  }

  /** Show what came of some code: a sentence, and what is below it. */
  show(source: string, tone: Tone, summary: string, facts: string, content: readonly Node[]): void {
    this.#judgedSource = source;
    this.#staleNote.hidden = true;
    this.card.dataset.tone = tone;
    this.#summary.textContent = summary;
    this.#facts.textContent = facts;
    this.#content.replaceChildren(...content);
    this.#scrollIntoView();
  }

  /** Say how it goes on with what is shown. */
  say(summary: string): void {
    this.#summary.textContent = summary;
  }

  /** Say so if the results are about other code than what is there now. */
  compare(source: string): void {
    this.#staleNote.hidden = this.#judgedSource === null || this.#judgedSource === source;
  }

  /**
   * Beside the brief the results are below the editor, in sight, of a pass the way on too, and else what is
   * said of the first test that fails; on a narrow screen they are far away.
   */
  #scrollIntoView(): void {
    const target = this.card.querySelector(".won, .outcomes details[open] .message") ?? this.#head;
    if (matchMedia("(min-width: 60rem)").matches) target.scrollIntoView({ block: "nearest" });
    else this.card.scrollIntoView({ block: "start" });
  }
}
