/** A text that grows letter by letter, with each letter's alternatives and the attention of each head. */

import { button, createSvg, element } from "../dom";
import { formatPercent } from "../text";
import { type AttentionLink, attentionLinks, type GenerationStep, HEADS_PER_BLOCK, letterName } from "./generation-step";

const MIN_THREAD_WEIGHT = 0.06; // least weight for a thread of the selected letter
const MIN_WEB_WEIGHT = 0.5; // least weight for a thread in the picture of the whole text
const MIN_PROBABILITY = 0.005; // least probability for the list of alternatives
const ALL_HEADS = -1;

export const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

export class GeneratedText {
  readonly place: HTMLElement;
  readonly #paragraph = element("p", { class: "gpt-text", id: "gpt-text", "aria-label": "The tale", role: "group" });
  readonly #threads = createSvg("svg", { class: "threads", "aria-hidden": "true" });
  readonly #choices = element("ol", { class: "choices" });
  readonly #description = element("p", { class: "gpt-said" });
  readonly #letterSlider = element("input", { type: "range", id: "gpt-letter", min: 0, max: 0, step: 1, value: 0, autocomplete: "off" });
  readonly #headButtons: readonly HTMLButtonElement[];
  readonly #steps: GenerationStep[] = [];
  #letters: HTMLElement[] = [];
  #promptLength = 0;
  #acceptedDrafts = 0;
  #selectedHead = ALL_HEADS;
  #showsWholeText = false;

  constructor(place: HTMLElement, ...controls: Node[]) {
    this.place = place;
    this.#headButtons = [ALL_HEADS, ...Array.from({ length: 2 * HEADS_PER_BLOCK }, (_, head) => head)].map((head) => {
      const label = head === ALL_HEADS ? "All" : String((head % HEADS_PER_BLOCK) + 1);
      const name = head === ALL_HEADS ? "All heads" : headName(head);
      return button(label, () => this.#selectHead(head), { class: headClass(head), "aria-label": name, "aria-pressed": String(head === ALL_HEADS) });
    });
    const [all, ...heads] = this.#headButtons;
    const ofBlock = (block: number): HTMLElement => element("span", {}, `Block ${block + 1}`, ...heads.slice(block * HEADS_PER_BLOCK, (block + 1) * HEADS_PER_BLOCK));
    this.#letterSlider.addEventListener("input", () => {
      this.#showsWholeText = false;
      this.#draw(Number(this.#letterSlider.value));
    });
    const sliderRow = element("div", { class: "gpt-scrub" }, element("label", { for: "gpt-letter" }, "Letter"), this.#letterSlider, ...controls);
    place.append(
      element("div", { class: "gpt-sheet" }, this.#threads, this.#paragraph),
      element("div", { class: "gpt-next" }, element("h3", {}, "The next letter"), this.#choices),
      sliderRow,
      element("div", { class: "gpt-heads", role: "group", "aria-label": "Attention heads" }, all, ofBlock(0), ofBlock(1)),
      this.#description,
    );
    new ResizeObserver(() => this.#draw(this.#position)).observe(this.#paragraph);
  }

  get text(): string {
    return this.#paragraph.textContent ?? "";
  }

  begin(prompt: string): void {
    this.#steps.length = 0;
    this.#showsWholeText = false;
    this.#letters = [...prompt].map((letter) => element("b", {}, letter));
    this.#promptLength = this.#letters.length;
    this.#acceptedDrafts = 0;
    this.#paragraph.replaceChildren(...this.#letters);
    this.#letterSlider.max = this.#letterSlider.value = "0";
    this.#draw(-1);
  }

  /** Append a letter. Its attention is drawn unless more letters follow at once. */
  add(step: GenerationStep, isDrawn = true): void {
    this.#steps.push(step);
    const [accepted] = step.counts ?? [0];
    const letter = element("span", { "data-draft": accepted > this.#acceptedDrafts }, step.letter);
    this.#acceptedDrafts = accepted;
    this.#letters.push(letter);
    this.#paragraph.append(letter);
    this.#letterSlider.max = this.#letterSlider.value = String(this.#steps.length - 1);
    if (isDrawn) this.#draw(this.#position);
  }

  /** Show the threads of the whole text, and select the letter of which the model was least sure. */
  finish(): void {
    const certainties = this.#steps.map(({ choices }) => Math.max(...choices.map(([, share]) => share)));
    this.#showsWholeText = this.#steps.length > 0;
    this.#letterSlider.value = String(certainties.indexOf(Math.min(...certainties)));
    this.#draw(this.#position);
  }

  get #position(): number {
    return this.#steps.length ? Number(this.#letterSlider.value) : -1;
  }

  #selectHead(head: number): void {
    this.#selectedHead = head;
    for (const [index, each] of this.#headButtons.entries()) each.ariaPressed = String(index - 1 === head);
    this.#draw(this.#position);
  }

  #draw(index: number): void {
    const step = this.#steps[index];
    const links = step ? this.#selectedLinks(step, index, 0) : [];
    const web = this.#showsWholeText ? this.#steps.flatMap((each, to) => this.#threadPaths(this.#selectedLinks(each, to, MIN_WEB_WEIGHT), to, 0.3)) : [];
    this.#threads.replaceChildren(...web, ...(this.#showsWholeText ? [] : this.#threadPaths(links.filter(({ weight }) => weight > MIN_THREAD_WEIGHT), index, 1)));
    for (const each of this.#paragraph.querySelectorAll("[data-now]")) each.removeAttribute("data-now");
    if (step) this.#letters[this.#promptLength + index]?.setAttribute("data-now", "");
    if (step) this.#letterSlider.setAttribute("aria-valuetext", `${index + 1}: ${letterName(step.letter)}`);
    this.#choices.replaceChildren(...(step?.choices ?? []).filter(([, share]) => share >= MIN_PROBABILITY).map(([letter, share]) => choiceBar(letter, share, letter === step?.letter)));
    this.#description.replaceChildren(...(step ? this.#renderDescription(step, links[0]) : ["No letter is written yet."]));
  }

  #selectedLinks(step: GenerationStep, index: number, minWeight: number): AttentionLink[] {
    return attentionLinks(step, this.#promptLength + index, minWeight).filter(({ head }) => this.#selectedHead === ALL_HEADS || head === this.#selectedHead);
  }

  /** Draw threads from a letter to the letters that the heads looked at. */
  #threadPaths(links: readonly AttentionLink[], index: number, strength: number): SVGElement[] {
    const from = threadEnd(this.#letters[this.#promptLength + index]);
    return links.map(({ head, index: to, weight }) => {
      const [x, y] = threadEnd(this.#letters[to]);
      const lift = Math.min(48, 12 + Math.abs(from[0] - x) / 5) + 3 * head;
      const d = `M${from[0]} ${from[1]}C${from[0]} ${from[1] - lift} ${x} ${y - lift} ${x} ${y}`;
      const opacity = (strength * (0.2 + 0.8 * weight)).toFixed(2);
      return createSvg("path", { class: headClass(head), d, "stroke-width": (0.6 + 2.8 * weight * strength).toFixed(1), "stroke-opacity": opacity });
    });
  }

  #renderDescription({ letter }: GenerationStep, link: AttentionLink | undefined): (string | Node)[] {
    const name = element("b", {}, letterName(letter));
    if (!link) return [name, ": no attention to show."];
    const source = element("b", {}, letterName(this.#letters[link.index]?.textContent ?? ""));
    const word = this.#wordAt(link.index);
    return ["For ", name, `, ${headName(link.head)} looked most at `, source, word && ` in “${word}”`, ` (${formatPercent(link.weight)}).`];
  }

  #wordAt(index: number): string {
    const text = this.#letters.map((each) => each.textContent).join("");
    const [before, after] = [/[A-Za-z]*$/.exec(text.slice(0, index))?.[0] ?? "", /^[A-Za-z]*/.exec(text.slice(index))?.[0] ?? ""];
    return after && before + after;
  }
}

function headName(head: number): string {
  return `block ${Math.floor(head / HEADS_PER_BLOCK) + 1}, head ${(head % HEADS_PER_BLOCK) + 1}`;
}

function headClass(head: number): string {
  return head === ALL_HEADS ? "" : head < HEADS_PER_BLOCK ? "head-first" : "head-second";
}

function threadEnd(letter: HTMLElement | undefined): [number, number] {
  return letter ? [letter.offsetLeft + letter.offsetWidth / 2, letter.offsetTop + 0.2 * letter.offsetHeight] : [0, 0];
}

function choiceBar(letter: string, share: number, isChosen: boolean): HTMLElement {
  const line = element("span", { class: "choice-bar" });
  line.style.setProperty("--share", String(share));
  return element("li", { "data-chosen": isChosen }, element("code", {}, letterName(letter)), line, element("span", {}, formatPercent(share)));
}
