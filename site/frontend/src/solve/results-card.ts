/** The card under the editor: what came of the last run, and of the last check. */

import { element } from "../dom";

type Tone = "good" | "bad" | "plain";

export class ResultsCard {
  private readonly facts = element("p", { class: "facts" });
  private readonly head = element(
    "header",
    {},
    element("h2", { id: "results-title" }, "Results"),
    this.facts,
  );
  private readonly summary = element("p", { class: "summary", role: "status" });
  private readonly stale = element("p", { class: "stale", hidden: true });
  private readonly inside = element("div", { class: "results-inside" });
  private checked: string | null = null; // the code that the results are about
  readonly card = element(
    "section",
    { class: "card outcome-card", id: "results", "aria-labelledby": "results-title" },
    this.head,
    this.stale,
    this.summary,
    this.inside,
  );

  /** A card that shows `waiting` until there are results, and `changed` once they are about other work. */
  constructor(waiting: string, changed: string) {
    this.stale.textContent = changed;
    this.inside.append(element("p", { class: "quiet" }, waiting));
  }

  /** Show what came of some code: a sentence, and what is below it. */
  show(source: string, tone: Tone, summary: string, facts: string, inside: readonly Node[]): void {
    this.checked = source;
    this.stale.hidden = true;
    this.card.dataset.tone = tone;
    this.summary.textContent = summary;
    this.facts.textContent = facts;
    this.inside.replaceChildren(...inside);
    this.bringIntoView();
  }

  /** Say how it goes on with what is shown. */
  say(summary: string): void {
    this.summary.textContent = summary;
  }

  /** Say so if the results are about other code than what is there now. */
  compare(source: string): void {
    this.stale.hidden = this.checked === null || this.checked === source;
  }

  /**
   * Beside the brief the results are below the editor, in sight, of a pass the way on too, and else what is
   * said of the first test that fails; on a narrow screen they are far away.
   */
  private bringIntoView(): void {
    const seen = this.card.querySelector(".won, .outcomes details[open] .message") ?? this.head;
    if (matchMedia("(min-width: 60rem)").matches) seen.scrollIntoView({ block: "nearest" });
    else this.card.scrollIntoView({ block: "start" });
  }
}
