/** The workers that run Python. A page leaves one in which no program has run to the next page. */

import type { NumpyNames } from "./completion";
import { page } from "./page";
import type { Call, FileRequest, FromWorker, ToWorker } from "./worker/messages";

/** The script of a worker, which the builder puts here. */
declare const PYTHON_WORKER: string;

type MessageHandler = (message: FromWorker) => void;

const PYODIDE_FILE = /^[\w.+-]+$/;

/** A worker; one that is ready has loaded Python, and knows nothing of a page yet. */
export class PythonWorker {
  readonly since = Date.now();
  readonly packages = page.packages; // that it loads beside NumPy
  isReady = false;
  receivedBytes = 0; // bytes of Python so far
  onMessage: MessageHandler = () => undefined; // of the page that uses it
  readonly #worker = new Worker(`data:text/javascript,${encodeURIComponent(PYTHON_WORKER)}`, { type: "module" });

  constructor() {
    this.#worker.onmessage = ({ data, ports }: MessageEvent<FromWorker | FileRequest>) => {
      if (data.kind === "wanted") void this.#fetchFile(data).then((file) => ports[0]?.postMessage(file, file ? [file] : []));
      else this.#handleMessage(data);
    };
    this.#worker.onerror = ({ message }) => this.#handleMessage({ kind: "failed", reason: message || "its script could not be loaded" });
    this.#postToWorker({ kind: "start", pyodide: page.pyodide, bundle: page.bundle, packages: this.packages });
  }

  /** Ask it for a call, and return the number that is in the answer. */
  post(call: Call): number {
    callCount += 1;
    this.#postToWorker({ kind: "call", id: callCount, call });
    return callCount;
  }

  end(): void {
    this.#worker.terminate();
  }

  /** A file that Python starts from; whoever asks later is not Python. */
  async #fetchFile({ address, integrity }: FileRequest): Promise<ArrayBuffer | null> {
    const isOfPython = address.startsWith(page.pyodide) && PYODIDE_FILE.test(address.slice(page.pyodide.length));
    if (this.isReady || (address !== page.bundle && !isOfPython)) return null;
    const response = await fetch(address, { integrity }).catch(() => undefined);
    if (!response?.ok) return null;
    const countedResponse = isOfPython && response.body ? new Response(response.body.pipeThrough(this.#countBytes())) : response;
    return countedResponse.arrayBuffer().catch(() => null);
  }

  #countBytes(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.receivedBytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
  }

  #postToWorker(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #handleMessage(message: FromWorker): void {
    if (message.kind === "ready") {
      if (this.isReady) return; // whoever says so again is not Python
      this.isReady = true;
      completionNames = JSON.parse(message.names) as NumpyNames;
    }
    if (message.kind === "failed") freeWorkers = freeWorkers.filter((each) => each !== this); // whoever needs it starts another
    this.onMessage(message);
  }
}

let freeWorkers: readonly PythonWorker[] = []; // those that a page has left, and the spare one
let callCount = 0; // no two have one number
let completionNames: NumpyNames = {};

/** The names of NumPy, once a worker was ready. */
export function numpyNames(): NumpyNames {
  return completionNames;
}

/** Whether a worker has started before it is asked for. */
export function hasPython(): boolean {
  return freeWorkers.length > 0;
}

/** A worker that is free and has the page's packages, best one that is ready, or else a new one. */
export function takeWorker(hear: MessageHandler): PythonWorker {
  const matchingWorkers = freeWorkers.filter(({ packages }) => page.packages.every((name) => packages.includes(name)));
  const worker = matchingWorkers.find(({ isReady }) => isReady) ?? matchingWorkers[0] ?? new PythonWorker();
  for (const each of freeWorkers) if (!matchingWorkers.includes(each)) each.end(); // its memory serves no page now
  freeWorkers = matchingWorkers.filter((each) => each !== worker);
  worker.onMessage = hear;
  return worker;
}

export function releaseWorker(worker: PythonWorker): void {
  worker.onMessage = () => undefined;
  freeWorkers = [worker, ...freeWorkers];
}

/** Start a worker that nobody uses yet. */
export function startSpareWorker(): void {
  if (freeWorkers.length === 0) freeWorkers = [new PythonWorker()];
}
