/** Hints, each at its price, and the solution after a pass or for all of the XP. */

import { askInDialog } from "../confirmation";
import { button, type Child, element, findElement, renderInlineCode } from "../dom";
import { progress } from "../progress";
import { availableXp } from "../progress/status";
import { certificates, service } from "../submit/certificates";
import type { Exercise, Solution } from "./exercise";
import { renderExplanation, solutionLoader } from "./solution";

const FAILURES_BEFORE_OFFER = 2;

export class Help {
  readonly #hintPanels: readonly HTMLDetailsElement[];
  readonly #nextHint = element("div", { class: "next-hint" });
  readonly #solutionPanel = element("details", { class: "solution" });
  #isSolutionShown = false;

  constructor(private readonly exercise: Exercise) {
    this.#hintPanels = [...document.querySelectorAll<HTMLDetailsElement>(".hints details")];
    const place = findElement("#help", HTMLElement);
    this.#hintPanels.at(-1)?.after(this.#nextHint);
    place.append(this.#solutionPanel);
    this.#paint();
    progress.subscribe(() => this.#paint());
    certificates.subscribe(() => this.#paint());
  }

  /** Render the way to a hint: a link if it was taken, else the offer of the next one. */
  renderHintLead(number: number): HTMLElement {
    const missing = number - this.#status.hints;
    const order = missing > 1 ? "; what comes before it is shown first" : "";
    const lead = element("span", {}, `Hint ${number} helps with this${order}. `);
    const label = missing > 0 ? this.#offerLabel() : `Read hint ${number} again`;
    const open = (): void => void this.#openHint(number).then(() => lead.replaceWith(this.renderHintLead(number)));
    if (label) lead.append(button(label, open, { class: "link" }));
    return lead;
  }

  /** Render the offer of a hint after several failures in a row; null without one. */
  renderOfferAfterFailures(): HTMLElement | null {
    if (this.#status.failures < FAILURES_BEFORE_OFFER || !this.#offerLabel()) return null;
    const take = button(this.#offerLabel(), () => void this.#takeHint(), { class: "button" });
    return element("div", { class: "stuck" }, element("p", {}, "Stuck? A hint may help."), take);
  }

  get #status() {
    return progress.status(this.exercise.id);
  }

  #offerLabel(): string {
    const number = this.#status.hints + 1;
    if (number > this.#hintPanels.length) return "";
    const price = this.#hintPrice(number);
    return `Show hint ${number} of ${this.#hintPanels.length}${price ? ` for ${price} XP` : ""}`;
  }

  #hintPrice(number: number): number {
    return this.#status.isDone ? 0 : (this.exercise.hints[number - 1]?.price ?? 0);
  }

  async #openHint(number: number): Promise<void> {
    if (this.#status.hints < number) await this.#takeHint();
    else this.#revealHint(number);
  }

  /** Record the next hint, then show it, so that it is paid for even if the page is closed at once. */
  async #takeHint(): Promise<void> {
    const number = this.#status.hints + 1;
    const price = this.#hintPrice(number);
    if (price && !(await this.#confirmPrice(number, price))) return;
    progress.recordHint(this.exercise.id, number, price);
    this.#revealHint(number);
  }

  #confirmPrice(number: number, price: number): Promise<boolean> {
    const xp = availableXp(this.#status, this.exercise.xp);
    const xpAfterHint = Math.max(0, xp - price);
    return askInDialog({
      title: `Hint ${number} costs ${price} XP`,
      text: `A pass then earns ${xpAfterHint} XP instead of ${xp}.`,
      yes: "Show it",
    });
  }

  #revealHint(number: number): void {
    const hint = this.#hintPanels[number - 1];
    if (!hint) return;
    hint.open = true;
    hint.querySelector("summary")?.focus({ preventScroll: true });
    hint.scrollIntoView({ block: "center" });
  }

  #paint(): void {
    const { hints, failures } = this.#status;
    this.#hintPanels.forEach((hint, index) => {
      hint.hidden = index >= hints;
    });
    const label = this.#offerLabel();
    this.#nextHint.replaceChildren();
    this.#nextHint.hidden = !label;
    this.#nextHint.classList.toggle("offered", failures >= FAILURES_BEFORE_OFFER);
    if (label) this.#nextHint.append(button(label, () => void this.#takeHint(), { class: "button" }));
    if (this.#isSolutionShown) return;
    const title = element("summary", {}, "Solution");
    this.#solutionPanel.replaceChildren(title, element("div", { class: "prose" }, ...this.#renderSolutionAccess()));
  }

  #renderSolutionAccess(): Child[] {
    const { id, xp } = this.exercise;
    const isCertified = certificates.forExercise(id)?.passed ?? false;
    const load = solutionLoader(this.exercise, isCertified);
    if (load === null) {
      if (service) return [element("p", {}, "It is here for you once the service has certified a pass.")];
      const how = `It is not on this page. In a terminal, \`etude solution ${id}\` shows it once you have passed there.`;
      return [element("p", {}, renderInlineCode(how))];
    }
    const show = (): void => void this.#showSolution(load);
    if (this.#status.isDone || isCertified) return [button("Show the solution", show, { class: "button" })];
    const price = availableXp(this.#status, xp);
    const offer = `It is here for you once you have passed. You can give up and see it now, for the ${price} XP that a pass would earn.`;
    const giveUp = (): void => void this.#giveUp(price, load);
    return [element("p", {}, offer), button("Give up and show it", giveUp, { class: "button" })];
  }

  async #giveUp(price: number, load: () => Promise<Solution>): Promise<void> {
    const text = `Its ${price} XP are lost then: a later pass earns none. You can still solve it.`;
    if (!(await askInDialog({ title: "Give up this exercise?", text, yes: "Give up" }))) return;
    progress.recordSurrender(this.exercise.id);
    await this.#showSolution(load);
  }

  async #showSolution(load: () => Promise<Solution>): Promise<void> {
    const place = findElement(".prose", HTMLElement, this.#solutionPanel);
    try {
      const solution = await load();
      const program = element("div");
      program.innerHTML = solution.code; // made by the builder, as the page itself was
      place.replaceChildren(program, ...renderExplanation(solution));
      this.#isSolutionShown = true;
      this.#solutionPanel.open = true;
    } catch (error) {
      const message = `The solution could not be loaded: ${String(error)}`;
      place.append(element("p", { class: "problem", role: "alert" }, message));
    }
  }
}
