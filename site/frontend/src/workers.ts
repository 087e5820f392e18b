/** The workers that run Python. A page hands a worker in which no program has run on to the next page. */

import type { NumpyNames } from "./completion";
import { page } from "./page";
import type { Call, FileRequest, FromWorker, ToWorker } from "./worker/messages";

/** The script of a worker, which the build inserts here. */
declare const PYTHON_WORKER: string;

type MessageHandler = (message: FromWorker) => void;

const PYODIDE_FILE = /^[\w.+-]+$/;

/** A worker. Once it is ready it has loaded Python, but nothing of a page. */
export class PythonWorker {
  readonly startTime = Date.now();
  readonly packages = page.packages; // the packages other than NumPy that it loads
  isReady = false;
  receivedBytes = 0; // bytes of Python that have arrived
  onMessage: MessageHandler = () => undefined; // set by the page that uses the worker
  readonly #worker = new Worker(`data:text/javascript,${encodeURIComponent(PYTHON_WORKER)}`, { type: "module" });

  constructor() {
    this.#worker.onmessage = ({ data, ports }: MessageEvent<FromWorker | FileRequest>) => {
      if (data.kind === "wanted") void this.#fetchFile(data).then((file) => ports[0]?.postMessage(file, file ? [file] : []));
      else this.#handleMessage(data);
    };
    this.#worker.onerror = ({ message }) => this.#handleMessage({ kind: "failed", reason: message || "its script could not be loaded" });
    this.#postToWorker({ kind: "start", pyodide: page.pyodide, bundle: page.bundle, packages: this.packages });
  }

  /** Send a call to the worker, and return the id that its answer will have. */
  post(call: Call): number {
    callCount += 1;
    this.#postToWorker({ kind: "call", id: callCount, call });
    return callCount;
  }

  end(): void {
    this.#worker.terminate();
  }

  /** Fetch a file that Python starts from. After the start only a program could ask, so it gets nothing. */
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
      if (this.isReady) return; // a second message of this kind is from a program, not from Python
      this.isReady = true;
      completionNames = JSON.parse(message.names) as NumpyNames;
    }
    if (message.kind === "failed") freeWorkers = freeWorkers.filter((each) => each !== this); // the next page starts another one
    this.onMessage(message);
  }
}

let freeWorkers: readonly PythonWorker[] = []; // released by pages, and the spare one
let callCount = 0; // the ids of calls are unique
let completionNames: NumpyNames = {};

/** The names of NumPy for completion; empty before a worker is ready. */
export function numpyNames(): NumpyNames {
  return completionNames;
}

/** Return whether a worker has already started. */
export function hasPython(): boolean {
  return freeWorkers.length > 0;
}

/** Take a free worker with the page's packages, preferably a ready one, or else a new one. */
export function takeWorker(hear: MessageHandler): PythonWorker {
  const matchingWorkers = freeWorkers.filter(({ packages }) => page.packages.every((name) => packages.includes(name)));
  const worker = matchingWorkers.find(({ isReady }) => isReady) ?? matchingWorkers[0] ?? new PythonWorker();
  for (const each of freeWorkers) if (!matchingWorkers.includes(each)) each.end(); // without the packages it only takes memory
  freeWorkers = matchingWorkers.filter((each) => each !== worker);
  worker.onMessage = hear;
  return worker;
}

export function releaseWorker(worker: PythonWorker): void {
  worker.onMessage = () => undefined;
  freeWorkers = [worker, ...freeWorkers];
}

/** Start a spare worker, unless there is a free one. */
export function startSpareWorker(): void {
  if (freeWorkers.length === 0) freeWorkers = [new PythonWorker()];
}
