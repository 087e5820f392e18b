/** Starts the figures of a page; the script of a kind is loaded only where there is one. */

const STARTERS: Readonly<Record<string, () => Promise<(figure: HTMLElement) => void>>> = {
  arrows: async () => (await import("./arrows")).startArrows,
  explorer: async () => (await import("./explorer")).startExplorer,
  curves: async () => (await import("./curves")).startCurves,
  positions: async () => (await import("./positions")).startPositions,
  shares: async () => (await import("./shares")).startShares,
  stepper: async () => (await import("./stepper")).startStepper,
};

export function startFigures(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("[data-figure]")) {
    // After a reload some browsers restore the inputs, but the figure is drawn as built.
    for (const input of figure.querySelectorAll("input")) input.checked = input.defaultChecked;
    void STARTERS[figure.dataset.figure ?? ""]?.().then((start) => start(figure));
  }
}
