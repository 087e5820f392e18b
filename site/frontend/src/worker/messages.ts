/** The messages between a page and the worker that runs Python. */

/** The name and the arguments of a function of `grader.browser.page`. */
export type Call = readonly [name: string, ...arguments: string[]];

export interface StartRequest {
  readonly kind: "start";
  readonly pyodide: string; // the address of its folder, absolute and with a slash at the end
  readonly bundle: string;
  readonly packages: readonly string[]; // modules other than NumPy
}

export interface CallRequest {
  readonly kind: "call";
  readonly id: number;
  readonly call: Call;
}

export type ToWorker = StartRequest | CallRequest;

/** A request for a file. The page sends its bytes, or null, to the port that comes with this message. */
export interface FileRequest {
  readonly kind: "wanted";
  readonly address: string;
  readonly integrity: string; // as in `fetch`
}

export type FromWorker =
  | { readonly kind: "ready"; readonly names: string } // the result of `names` of `grader.browser.page`
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "result"; readonly id: number; readonly text: string; readonly heap: number }
  | { readonly kind: "broken"; readonly id: number; readonly reason: string };
