/** Python for a page: one worker at a time, with a state that the page can show. */

import { pageSignal } from "./page-signal";
import { PYTHON_STARTED_EVENT } from "./service-worker-client";
import { errorMessage } from "./text";
import type { Call, FromWorker } from "./worker/messages";
import { type PythonWorker, releaseWorker, startSpareWorker, takeWorker } from "./workers";

export type PythonState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting"; readonly since: number; readonly load: { readonly receivedBytes: number } }
  | { readonly kind: "ready" }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "failed"; readonly reason: string };

/** The reason why a call returned nothing. */
export class InterruptedCall extends Error {
  constructor(
    readonly reason: "stopped" | "too long" | "broken" | "not started",
    message: string,
  ) {
    super(message);
  }
}

interface PendingCall {
  readonly call: Call;
  resolve(text: string): void;
  reject(reason: InterruptedCall): void;
}

const LIMIT_SECONDS = 15; // Python itself stops endless loops earlier; this limit is for long computations in C
const SPARE_MS = 1_500; // after this time a call may have to be stopped, so a spare worker starts
const MAX_HEAP = 1_000_000_000;
const OUT_OF_MEMORY = /"out of memory"|MemoryError|asked for more memory/; // an outcome, an exception, or a sentence for the learner

/**
 * Runs one call at a time. A worker cannot be interrupted, so stopping a call ends the worker, and a spare
 * one, which starts when a call takes long, takes its place. A worker that could not start is replaced only
 * at the next call. A worker that ran a program ends with its page, since the program could answer in the
 * grader's place; the next page gets a fresh one.
 */
export class Python {
  state: PythonState = { kind: "idle" };
  seconds = 0; // the duration of the last call
  #worker: PythonWorker | undefined;
  #pendingCall: PendingCall | undefined;
  #lastCallId = 0; // the answer to any other call is ignored
  #isFresh = true; // no program has run in the worker
  #limitTimer: number | undefined;
  #spareTimer: number | undefined;
  #dataText: Promise<string> | undefined;

  /**
   * @param prepare - the call that prepares Python for the page, after each start
   * @param onState - called after each change of the state
   * @param data - the address of a file whose text is an argument of `prepare`, or an empty text
   * @param limit - seconds after which a call is stopped
   */
  constructor(
    private readonly prepare: Call,
    private readonly onState: (state: PythonState) => void,
    private readonly data = "",
    private readonly limit = LIMIT_SECONDS,
  ) {
    pageSignal().addEventListener("abort", () => this.#leavePage());
  }

  /** Start Python, unless it has started or failed to start. */
  start(): void {
    if (this.state.kind === "idle") this.#restart();
  }

  /** Start Python again, without the definitions of earlier programs. */
  reset(): void {
    this.#interrupt(new InterruptedCall("stopped", "Python was reset."));
  }

  /** Call a function of `grader.browser.page`, as soon as Python is ready. */
  call(...call: Call): Promise<string> {
    this.start();
    return new Promise((resolve, reject) => {
      this.#pendingCall?.reject(new InterruptedCall("stopped", "Something else was asked for."));
      this.#pendingCall = { call, resolve, reject };
      if (this.state.kind === "failed") this.#restart();
      if (this.state.kind === "ready") this.#sendCall();
    });
  }

  /** Cancel the call that runs or waits. */
  stop(): void {
    if (this.state.kind === "running") {
      this.#interrupt(new InterruptedCall("stopped", "Stopped. Python is starting again; your code is safe."));
    } else {
      this.#rejectCall(new InterruptedCall("stopped", "Stopped before it began."));
    }
  }

  #restart(): void {
    this.#endWorker();
    this.#isFresh = true;
    try {
      this.#worker = takeWorker((message) => this.#handleMessage(message));
    } catch (error) {
      this.#fail(String(error));
      return;
    }
    this.#setState({ kind: "starting", since: this.#worker.startTime, load: this.#worker });
    void this.#loadData().catch(() => undefined); // in parallel; `#prepareWorker` reports a failure
    if (this.#worker.isReady) void this.#prepareWorker();
  }

  #handleMessage(message: FromWorker): void {
    const isStarting = this.state.kind === "starting";
    if (message.kind === "ready") void this.#prepareWorker();
    else if (message.kind === "failed") this.#fail(message.reason);
    else if (message.id !== this.#lastCallId) return;
    else if (message.kind === "result" && isStarting) this.#becomeReady();
    else if (message.kind === "result") this.#finishCall(message.text, message.heap);
    else if (isStarting) this.#fail(message.reason);
    else this.#interrupt(new InterruptedCall("broken", `Python stopped working and is starting again: ${message.reason}`));
  }

  /** Prepare the worker for this page: it is new, or was prepared for another page. */
  async #prepareWorker(): Promise<void> {
    const worker = this.#worker;
    try {
      const data = await this.#loadData();
      if (worker && worker === this.#worker) this.#lastCallId = worker.post([...this.prepare, ...data]);
    } catch (error) {
      if (worker === this.#worker) this.#fail(errorMessage(error));
    }
  }

  async #loadData(): Promise<string[]> {
    if (!this.data) return [];
    this.#dataText ??= fetchText(this.data);
    this.#dataText.catch(() => (this.#dataText = undefined)); // the next call fetches it again
    return [await this.#dataText];
  }

  #becomeReady(): void {
    this.#clearTimers();
    this.#setState({ kind: "ready" });
    dispatchEvent(new Event(PYTHON_STARTED_EVENT));
    if (this.#pendingCall) this.#sendCall();
  }

  #sendCall(): void {
    if (!this.#worker || !this.#pendingCall) return;
    this.#setState({ kind: "running", since: Date.now() });
    this.#isFresh = false;
    this.#lastCallId = this.#worker.post(this.#pendingCall.call);
    this.#limitTimer = setTimeout(() => {
      const message = `Stopped after ${this.limit} seconds. Is there a loop without an end?`;
      this.#interrupt(new InterruptedCall("too long", message));
    }, this.limit * 1000);
    this.#spareTimer = setTimeout(startSpareWorker, SPARE_MS);
  }

  #finishCall(text: string, heap: number): void {
    this.#clearTimers();
    const waiting = this.#pendingCall;
    const state = this.state;
    this.#pendingCall = undefined;
    if (state.kind === "running") this.seconds = (Date.now() - state.since) / 1000;
    // A worker's memory never shrinks, and after a MemoryError little of it is left.
    if (heap > MAX_HEAP || OUT_OF_MEMORY.test(text)) this.#restart();
    else this.#setState({ kind: "ready" });
    waiting?.resolve(text);
  }

  #interrupt(reason: InterruptedCall): void {
    this.#rejectCall(reason);
    this.#restart();
  }

  #fail(reason: string): void {
    this.#endWorker();
    this.#setState({ kind: "failed", reason });
    this.#rejectCall(new InterruptedCall("not started", `Python could not start: ${reason}`));
  }

  /** Release a fresh worker to the next page, or end a used one. */
  #leavePage(): void {
    if (this.#worker && this.#isFresh) releaseWorker(this.#worker);
    else {
      if (this.#worker) startSpareWorker();
      this.#endWorker();
    }
    this.#worker = undefined;
    this.#clearTimers();
    this.#setState({ kind: "idle" });
    this.#rejectCall(new InterruptedCall("stopped", "Stopped, as another page was opened."));
  }

  #rejectCall(reason: InterruptedCall): void {
    const waiting = this.#pendingCall;
    this.#pendingCall = undefined;
    waiting?.reject(reason);
  }

  #endWorker(): void {
    this.#clearTimers();
    this.#worker?.end();
    this.#worker = undefined;
  }

  #clearTimers(): void {
    clearTimeout(this.#limitTimer);
    clearTimeout(this.#spareTimer);
  }

  #setState(state: PythonState): void {
    this.state = state;
    this.onState(state);
  }
}

async function fetchText(address: string): Promise<string> {
  const response = await fetch(address).catch(() => undefined);
  if (!response?.ok) throw new Error(`${address} could not be fetched. Is there a connection?`);
  return response.text();
}
