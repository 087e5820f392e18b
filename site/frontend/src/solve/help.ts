/** Hints, one at a time at their price, and the solution: after a pass, or for all of the XP. */

import { button, type Child, element, findElement, renderInlineCode } from "../dom";
import { progress, availableXp } from "../progress";
import { certificates, service } from "../submit/certificates";
import { askInDialog } from "./dialog";
import type { Exercise, Solution } from "./exercise";
import { renderExplanation, solutionLoader } from "./solution";

const FAILURES_BEFORE_OFFER = 2;

export class Help {
  private readonly hints: readonly HTMLDetailsElement[];
  private readonly next = element("div", { class: "next-hint" });
  private readonly solution = element("details", { class: "solution" });
  private isShown = false; // the solution

  constructor(private readonly exercise: Exercise) {
    this.hints = [...document.querySelectorAll<HTMLDetailsElement>(".hints details")];
    const place = findElement("#help", HTMLElement);
    this.hints.at(-1)?.after(this.next);
    place.append(this.solution);
    this.paint();
    progress.subscribe(() => this.paint());
    certificates.subscribe(() => this.paint());
  }

  /** What leads to a hint: a link if it was taken, else the offer of the next one. */
  leadTo(number: number): HTMLElement {
    const missing = number - this.standing.hints;
    const order = missing > 1 ? "; what comes before it is shown first" : "";
    const made = element("span", {}, `Hint ${number} helps with this${order}. `);
    const label = missing > 0 ? this.offer() : `Read hint ${number} again`;
    const open = (): void => void this.open(number).then(() => made.replaceWith(this.leadTo(number)));
    if (label) made.append(button(label, open, { class: "link" }));
    return made;
  }

  /** The offer after failures in a row, while there is a hint left; else nothing. */
  afterFailures(): HTMLElement | null {
    if (this.standing.failures < FAILURES_BEFORE_OFFER || !this.offer()) return null;
    const take = button(this.offer(), () => void this.take(), { class: "button" });
    return element("div", { class: "stuck" }, element("p", {}, "Stuck? A hint may help."), take);
  }

  private get standing() {
    return progress.standing(this.exercise.id);
  }

  private offer(): string {
    const number = this.standing.hints + 1;
    if (number > this.hints.length) return "";
    const price = this.price(number);
    return `Show hint ${number} of ${this.hints.length}${price ? ` for ${price} XP` : ""}`;
  }

  private price(number: number): number {
    return this.standing.closed ? 0 : (this.exercise.hints[number - 1]?.price ?? 0);
  }

  private async open(number: number): Promise<void> {
    if (this.standing.hints < number) await this.take();
    else this.reveal(number);
  }

  /** Record the next hint, then show it: what was seen is paid, even if the page is closed. */
  private async take(): Promise<void> {
    const number = this.standing.hints + 1;
    const price = this.price(number);
    if (price && !(await this.agrees(number, price))) return;
    progress.hint(this.exercise.id, number, price);
    this.reveal(number);
  }

  private agrees(number: number, price: number): Promise<boolean> {
    const now = availableXp(this.standing, this.exercise.xp);
    const after = Math.max(0, now - price);
    return askInDialog({
      title: `Hint ${number} costs ${price} XP`,
      text: `A pass then earns ${after} XP instead of ${now}.`,
      yes: "Show it",
    });
  }

  private reveal(number: number): void {
    const hint = this.hints[number - 1];
    if (!hint) return;
    hint.open = true;
    hint.querySelector("summary")?.focus({ preventScroll: true });
    hint.scrollIntoView({ block: "center" });
  }

  private paint(): void {
    const { hints, failures } = this.standing;
    this.hints.forEach((hint, index) => {
      hint.hidden = index >= hints;
    });
    const label = this.offer();
    this.next.replaceChildren();
    this.next.hidden = !label;
    this.next.classList.toggle("offered", failures >= FAILURES_BEFORE_OFFER);
    if (label) this.next.append(button(label, () => void this.take(), { class: "button" }));
    if (!this.isShown) this.paintSolution();
  }

  private paintSolution(): void {
    const title = element("summary", {}, "Solution");
    this.solution.replaceChildren(title, element("div", { class: "prose" }, ...this.wayToSolution()));
  }

  private wayToSolution(): Child[] {
    const { id, xp } = this.exercise;
    const isCertified = certificates.of(id)?.passed ?? false;
    const load = solutionLoader(this.exercise, isCertified);
    if (load === null) {
      if (service) return [element("p", {}, "It is here for you once the service has certified a pass.")];
      const how = `It is not on this page. In a terminal, \`etude solution ${id}\` shows it once you have passed there.`;
      return [element("p", {}, renderInlineCode(how))];
    }
    const show = (): void => void this.show(load);
    if (this.standing.closed || isCertified) return [button("Show the solution", show, { class: "button" })];
    const price = availableXp(this.standing, xp);
    const said = `It is here for you once you have passed. You can give up and see it now, for the ${price} XP that a pass would earn.`;
    const giveUp = (): void => void this.giveUp(price, load);
    return [element("p", {}, said), button("Give up and show it", giveUp, { class: "button" })];
  }

  private async giveUp(price: number, load: () => Promise<Solution>): Promise<void> {
    const text = `Its ${price} XP are lost then: a later pass earns none. You can still solve it.`;
    if (!(await askInDialog({ title: "Give up this exercise?", text, yes: "Give up" }))) return;
    progress.surrender(this.exercise.id);
    await this.show(load);
  }

  private async show(load: () => Promise<Solution>): Promise<void> {
    const place = findElement(".prose", HTMLElement, this.solution);
    try {
      const solution = await load();
      const program = element("div");
      program.innerHTML = solution.code; // made by the builder, as the page itself was
      place.replaceChildren(program, ...renderExplanation(solution));
      this.isShown = true;
      this.solution.open = true;
    } catch (error) {
      const said = `The solution could not be loaded: ${String(error)}`;
      place.append(element("p", { class: "problem", role: "alert" }, said));
    }
  }
}
