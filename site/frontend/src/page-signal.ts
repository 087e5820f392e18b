/** The stay on a page: one document may show several pages, one after the other; see `navigation.ts`. */

/** What the window is told when another page is shown in it. */
export const PAGE_CHANGED_EVENT = "etude:turned";

let controller = new AbortController();

/** What is aborted when the page that is shown now gives way to another one. */
export function pageSignal(): AbortSignal {
  return controller.signal;
}

/** End the stay: what the page has set going outside of its own elements has to end. */
export function leavePage(): void {
  const ending = controller;
  controller = new AbortController();
  ending.abort();
}
