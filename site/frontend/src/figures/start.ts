/** Starts the figures of a page; the script of a kind is loaded only where there is one. */

const KINDS: Readonly<Record<string, () => Promise<{ start(figure: HTMLElement): void }>>> = {
  explorer: () => import("./explorer"),
  curves: () => import("./curves"),
  positions: () => import("./positions"),
  stepper: () => import("./stepper"),
};

export function startFigures(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("[data-figure]")) {
    void KINDS[figure.dataset.figure ?? ""]?.().then(({ start }) => start(figure));
  }
}
