/** Heatmaps that describe the row that a reader selects. The headings of the rows become buttons. */

import { element } from "./dom";
import { describeHeatmapRow } from "./heatmap-sentences";

const KEY_STEPS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

/** Make the rows of every heatmap in a part of the page selectable. */
export function makeHeatmapsExplorable(within: ParentNode): void {
  const first = document.querySelector("[data-explore]"); // only the first heatmap of a page shows the invitation
  for (const figure of within.querySelectorAll<HTMLElement>("[data-explore]")) makeHeatmapExplorable(figure, figure === first);
}

/** Make the rows of a heatmap selectable, with an invitation if it is the first; ignore other figures. */
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
  const buttons = rows.map((row, index) => addRowButton(row, labels[index] ?? "", index));

  const selectRow = (selected: number | null): void => {
    rows.forEach((row, index) => row.toggleAttribute("data-chosen", index === selected));
    buttons.forEach((name, index) => {
      name.setAttribute("aria-pressed", String(index === selected));
      name.tabIndex = index === (selected ?? 0) ? 0 : -1;
    });
    explanation.textContent = selected === null ? invitation : sentence(selected);
  };
  const sentence = (index: number): string => {
    const texts = [...(rows[index]?.cells ?? [])].slice(1).map(({ textContent }) => textContent ?? "");
    const isShares = figure.dataset.explore === "shares";
    return describeHeatmapRow({ index, texts, columns, labels, isShares });
  };

  rows.forEach((row, index) => {
    row.addEventListener("click", () => {
      selectRow(row.hasAttribute("data-chosen") ? null : index);
      buttons[index]?.focus({ preventScroll: true });
    });
    row.addEventListener("keydown", (event) => {
      const to = event.key === "Escape" ? null : KEY_STEPS[event.key]?.(index, rows.length - 1);
      if (to === undefined) return;
      event.preventDefault();
      selectRow(to);
      buttons[to ?? index]?.focus();
    });
  });
  buttons.forEach((name, index) => (name.tabIndex = index === 0 ? 0 : -1));
}

/** Turn the heading of a row into a button. Its clicks bubble up to the row. */
function addRowButton(row: HTMLTableRowElement, label: string, index: number): HTMLButtonElement {
  const name = element("button", { type: "button", class: "row-name", "aria-pressed": "false" }, label || String(index));
  row.cells[0]?.replaceChildren(name);
  return name;
}
