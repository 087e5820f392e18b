/** Python for a page: one worker at a time, whose state is always known and can always be shown. */

import { PYTHON_STARTED_EVENT } from "./service-worker-client";
import { pageSignal } from "./page-signal";
import type { Call, FromWorker } from "./worker/messages";
import { releaseWorker, startSpareWorker, type PythonWorker, takeWorker } from "./workers";

export { hasPython, numpyNames } from "./workers";

export type PythonState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting"; readonly since: number; readonly load: { readonly received: number } }
  | { readonly kind: "ready" }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "failed"; readonly reason: string };

/** Why a call gave nothing. */
export class InterruptedCall extends Error {
  constructor(
    readonly why: "stopped" | "too long" | "broken" | "not started",
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

const LIMIT_SECONDS = 15; // Python stops three loops before; this is for computing in C
const SPARE_MS = 1_500; // a call that takes longer may have to be stopped
const MAX_HEAP = 1_000_000_000;
const OUT_OF_MEMORY = /"out of memory"|MemoryError|asked for more memory/; // an outcome, or a sentence for the learner

/**
 * One call at a time. A worker cannot be interrupted, so stopping a call ends the worker. Another one
 * takes its place: a spare one starts when a call takes long, and is ready when that is stopped. One
 * that could not start is left alone until somebody asks for another. A worker that was called ends
 * with the stay on its page: a program that ran in it could answer in the grader's place. The next page
 * gets a fresh one.
 */
export class Python {
  state: PythonState = { kind: "idle" };
  seconds = 0; // that the last call took
  private worker: PythonWorker | undefined;
  private waiting: PendingCall | undefined;
  private sent = 0; // the number of what was asked of the worker last
  private isFresh = true; // no program has run in the worker
  private timer: number | undefined;
  private spareTimer: number | undefined;
  private text: Promise<string> | undefined;

  /**
   * @param prepare - the call that makes Python ready for the page, after each start
   * @param onState - is told of every change of the state
   * @param data - the address of a file whose text `prepare` is given too, or nothing
   * @param limit - seconds after which a call is stopped
   */
  constructor(
    private readonly prepare: Call,
    private readonly onState: (state: PythonState) => void,
    private readonly data = "",
    private readonly limit = LIMIT_SECONDS,
  ) {
    pageSignal().addEventListener("abort", () => this.leave());
  }

  /** Start, unless it has started or could not. */
  start(): void {
    if (this.state.kind === "idle") this.restart();
  }

  /** Forget everything and start anew. */
  reset(): void {
    this.interrupt(new InterruptedCall("stopped", "Python was reset."));
  }

  /** Call a function of `grader.browser.page`, as soon as Python is ready. */
  call(...call: Call): Promise<string> {
    this.start();
    return new Promise((resolve, reject) => {
      this.waiting?.reject(new InterruptedCall("stopped", "Something else was asked for."));
      this.waiting = { call, resolve, reject };
      if (this.state.kind === "failed") this.restart();
      if (this.state.kind === "ready") this.send();
    });
  }

  /** Give up on the call that runs or waits. */
  stop(): void {
    if (this.state.kind === "running") {
      this.interrupt(new InterruptedCall("stopped", "Stopped. Python is starting again; your code is safe."));
    } else {
      this.drop(new InterruptedCall("stopped", "Stopped before it began."));
    }
  }

  private restart(): void {
    this.end();
    this.isFresh = true;
    try {
      this.worker = takeWorker((message) => this.hear(message));
    } catch (error) {
      this.fail(String(error));
      return;
    }
    this.set({ kind: "starting", since: this.worker.since, load: this.worker });
    void this.loadData().catch(() => undefined); // meanwhile; a failure is told when it is needed
    if (this.worker.isReady) void this.open();
  }

  private hear(message: FromWorker): void {
    const isStarting = this.state.kind === "starting";
    if (message.kind === "ready") void this.open();
    else if (message.kind === "failed") this.fail(message.reason);
    else if (message.id !== this.sent) return;
    else if (message.kind === "result" && isStarting) this.becomeReady();
    else if (message.kind === "result") this.finish(message.text, message.heap);
    else if (isStarting) this.fail(message.reason);
    else this.interrupt(new InterruptedCall("broken", `Python stopped working and is starting again: ${message.reason}`));
  }

  /** Open what the page is about: a worker knows nothing of it, or has another page's open. */
  private async open(): Promise<void> {
    const { worker } = this;
    try {
      const data = await this.loadData();
      if (worker && worker === this.worker) this.sent = worker.post([...this.prepare, ...data]);
    } catch (error) {
      if (worker === this.worker) this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private async loadData(): Promise<string[]> {
    if (!this.data) return [];
    this.text ??= fetchText(this.data);
    this.text.catch(() => (this.text = undefined)); // to be tried again
    return [await this.text];
  }

  private becomeReady(): void {
    this.clearTimers();
    this.set({ kind: "ready" });
    dispatchEvent(new Event(PYTHON_STARTED_EVENT));
    if (this.waiting) this.send();
  }

  private send(): void {
    if (!this.worker || !this.waiting) return;
    this.set({ kind: "running", since: Date.now() });
    this.isFresh = false;
    this.sent = this.worker.post(this.waiting.call);
    this.timer = setTimeout(() => {
      const said = `Stopped after ${this.limit} seconds. Is there a loop without an end?`;
      this.interrupt(new InterruptedCall("too long", said));
    }, this.limit * 1000);
    this.spareTimer = setTimeout(startSpareWorker, SPARE_MS);
  }

  private finish(text: string, heap: number): void {
    this.clearTimers();
    const { waiting, state } = this;
    this.waiting = undefined;
    if (state.kind === "running") this.seconds = (Date.now() - state.since) / 1000;
    // Memory that was used once is never given back, and after a MemoryError little of it is left.
    if (heap > MAX_HEAP || OUT_OF_MEMORY.test(text)) this.restart();
    else this.set({ kind: "ready" });
    waiting?.resolve(text);
  }

  private interrupt(reason: InterruptedCall): void {
    this.drop(reason);
    this.restart();
  }

  private fail(reason: string): void {
    this.end();
    this.set({ kind: "failed", reason });
    this.drop(new InterruptedCall("not started", `Python could not start: ${reason}`));
  }

  /** Leave a fresh worker to the next page. */
  private leave(): void {
    if (this.worker && this.isFresh) releaseWorker(this.worker);
    else {
      if (this.worker) startSpareWorker();
      this.end();
    }
    this.worker = undefined;
    this.clearTimers();
    this.set({ kind: "idle" });
    this.drop(new InterruptedCall("stopped", "Stopped, as another page was opened."));
  }

  private drop(reason: InterruptedCall): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.reject(reason);
  }

  private end(): void {
    this.clearTimers();
    this.worker?.end();
    this.worker = undefined;
  }

  private clearTimers(): void {
    clearTimeout(this.timer);
    clearTimeout(this.spareTimer);
  }

  private set(state: PythonState): void {
    this.state = state;
    this.onState(state);
  }
}

async function fetchText(address: string): Promise<string> {
  const response = await fetch(address).catch(() => undefined);
  if (!response?.ok) throw new Error(`${address} could not be fetched. Is there a connection?`);
  return response.text();
}
