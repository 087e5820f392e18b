/** Starts the figures of a page; the script of a kind is loaded only where there is one. */

const KINDS: Readonly<Record<string, () => Promise<{ start(figure: HTMLElement): void }>>> = {
  arrows: () => import("./arrows"),
  explorer: () => import("./explorer"),
  curves: () => import("./curves"),
  positions: () => import("./positions"),
  shares: () => import("./shares"),
  stepper: () => import("./stepper"),
};

export function startFigures(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("[data-figure]")) {
    // After a reload some browsers restore what was chosen; the figure is drawn as it first was.
    for (const input of figure.querySelectorAll("input")) input.checked = input.defaultChecked;
    void KINDS[figure.dataset.figure ?? ""]?.().then(({ start }) => start(figure));
  }
}
