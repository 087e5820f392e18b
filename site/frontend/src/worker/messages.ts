/** What a page and the worker that runs Python say to each other. */

/** A function of `grader.browser.page`, with what it is called with. */
export type Call = readonly [name: string, ...arguments: string[]];

export interface StartRequest {
  readonly kind: "start";
  readonly pyodide: string; // addresses are absolute; that of a folder ends with a slash
  readonly bundle: string;
  readonly packages: readonly string[]; // modules beside NumPy
}

export interface CallRequest {
  readonly kind: "call";
  readonly id: number;
  readonly call: Call;
}

export type ToWorker = StartRequest | CallRequest;

/** Asks for a file, which the page sends to the port that comes with this; or null. */
export interface FileRequest {
  readonly kind: "wanted";
  readonly address: string;
  readonly integrity: string; // as in `fetch`
}

export type FromWorker =
  | { readonly kind: "ready"; readonly names: string } // what `names` of `grader.browser.page` returns
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "result"; readonly id: number; readonly text: string; readonly heap: number }
  | { readonly kind: "broken"; readonly id: number; readonly reason: string };
