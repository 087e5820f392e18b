/** The signal that ends a page: one document may show several pages in turn; see `navigation.ts`. */

/** Event on the window, after another page is shown in it. */
export const PAGE_CHANGED_EVENT = "etude:page-changed";

let controller = new AbortController();

/** Return the signal that aborts when another page replaces the current one. */
export function pageSignal(): AbortSignal {
  return controller.signal;
}

/** Abort the current page's signal, and so its listeners outside of its own elements. */
export function leavePage(): void {
  const ending = controller;
  controller = new AbortController();
  ending.abort();
}
