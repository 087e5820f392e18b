/** Reading a heatmap row by row: the headings of its rows become buttons. */

import { element } from "./dom";
import { describeRow } from "./heatmap-sentences";

const KEY_STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/** Let one explore every heatmap in a part of the page. */
export function makeHeatmapsExplorable(within: ParentNode): void {
  const first = document.querySelector("[data-explore]"); // one invitation is enough for a page
  for (const figure of within.querySelectorAll<HTMLElement>("[data-explore]")) makeHeatmapExplorable(figure, figure === first);
}

/** Let one explore a heatmap, and say so if it is inviting; any other figure stays as it is. */
export function makeHeatmapExplorable(figure: HTMLElement, isInviting: boolean): void {
  if (!("explore" in figure.dataset)) return;
  const rows = [...figure.querySelectorAll<HTMLTableRowElement>("tbody tr")];
  const explanation = figure.querySelector(".explained");
  if (!explanation || rows.length === 0) return;
  const labels = rows.map(({ cells }) => cells[0]?.textContent ?? "");
  const columns = [...figure.querySelectorAll("thead th")].map(({ textContent }) => textContent ?? "");
  const invitation = isInviting ? "Choose a row to read it." : "";
  explanation.textContent = invitation;
  explanation.setAttribute("role", "status");
  const buttons = rows.map((row, at) => addRowButton(row, labels[at] ?? "", at));

  const selectRow = (selected: number | null): void => {
    rows.forEach((row, at) => row.toggleAttribute("data-chosen", at === selected));
    buttons.forEach((name, at) => {
      name.setAttribute("aria-pressed", String(at === selected));
      name.tabIndex = at === (selected ?? 0) ? 0 : -1;
    });
    explanation.textContent = selected === null ? invitation : sentence(selected);
  };
  const sentence = (at: number): string => {
    const texts = [...(rows[at]?.cells ?? [])].slice(1).map(({ textContent }) => textContent ?? "");
    const isShares = figure.dataset.explore === "shares";
    return describeRow({ at, texts, columns, labels, isShares });
  };

  rows.forEach((row, at) => {
    row.addEventListener("click", () => {
      selectRow(row.hasAttribute("data-chosen") ? null : at);
      buttons[at]?.focus({ preventScroll: true });
    });
    row.addEventListener("keydown", (event) => {
      const to = event.key === "Escape" ? null : KEY_STEPS[event.key]?.(at, rows.length - 1);
      if (to === undefined) return;
      event.preventDefault();
      selectRow(to);
      buttons[to ?? at]?.focus();
    });
  });
  buttons.forEach((name, at) => (name.tabIndex = at === 0 ? 0 : -1));
}

/** The button bubbles its click up to its row. */
function addRowButton(row: HTMLTableRowElement, label: string, at: number): HTMLButtonElement {
  const name = element("button", { type: "button", class: "row-name", "aria-pressed": "false" }, label || String(at));
  row.cells[0]?.replaceChildren(name);
  return name;
}
