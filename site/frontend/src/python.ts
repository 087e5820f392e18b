/** Python for a page: one worker at a time, whose state is always known and can always be shown. */

import { STARTED } from "./keeping";
import { page } from "./page";
import type { Call, FromWorker, ToWorker } from "./worker/messages";

export type PythonState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting"; readonly since: number }
  | { readonly kind: "ready" }
  | { readonly kind: "running"; readonly since: number }
  | { readonly kind: "failed"; readonly reason: string };

/** Why a call gave nothing. */
export class Interrupted extends Error {
  constructor(
    readonly why: "stopped" | "too long" | "broken" | "not started",
    message: string,
  ) {
    super(message);
  }
}

interface Waiting {
  readonly call: Call;
  resolve(text: string): void;
  reject(reason: Interrupted): void;
}

const LIMIT_MS = 10_000;
const MOST_HEAP = 1_000_000_000;
const OUT_OF_MEMORY = /"out of memory"|MemoryError|asked for more memory/; // an outcome, or a sentence for the learner

/**
 * One call at a time. A worker cannot be interrupted, so stopping a call ends the worker, and another
 * one starts. One that could not start is left alone until somebody asks for another.
 */
export class Python {
  state: PythonState = { kind: "idle" };
  seconds = 0; // that the last call took
  private worker: Worker | undefined;
  private waiting: Waiting | undefined;
  private calls = 0;
  private timer: number | undefined;

  /**
   * @param prepare - the call that makes Python ready for the page, after each start
   * @param onState - is told of every change of the state
   */
  constructor(
    private readonly prepare: Call,
    private readonly onState: (state: PythonState) => void,
  ) {}

  /** Start, unless it has started or could not. */
  start(): void {
    if (this.state.kind === "idle") this.restart();
  }

  /** Forget everything and start anew. */
  reset(): void {
    this.interrupt(new Interrupted("stopped", "Python was reset."));
  }

  /** Call a function of `grader.browser.page`, as soon as Python is ready. */
  call(...call: Call): Promise<string> {
    this.start();
    return new Promise((resolve, reject) => {
      this.waiting?.reject(new Interrupted("stopped", "Something else was asked for."));
      this.waiting = { call, resolve, reject };
      if (this.state.kind === "failed") this.restart();
      if (this.state.kind === "ready") this.send();
    });
  }

  /** Give up on the call that runs or waits. */
  stop(): void {
    if (this.state.kind === "running") {
      this.interrupt(new Interrupted("stopped", "Stopped. Python starts anew; your code is safe."));
    } else {
      this.drop(new Interrupted("stopped", "Stopped before it began."));
    }
  }

  private restart(): void {
    this.end();
    this.set({ kind: "starting", since: Date.now() });
    try {
      this.worker = this.spawn();
    } catch (error) {
      this.fail(String(error));
    }
  }

  private spawn(): Worker {
    const worker = new Worker(new URL("./python-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    worker.onerror = ({ message }) => this.fail(message || "its script could not be loaded");
    const { pyodide, bundle } = page;
    this.post(worker, { kind: "start", pyodide, bundle, prepare: this.prepare });
    return worker;
  }

  private hear(message: FromWorker): void {
    if (message.kind === "ready") {
      this.set({ kind: "ready" });
      dispatchEvent(new Event(STARTED));
      if (this.waiting) this.send();
    } else if (message.kind === "failed") {
      this.fail(message.reason);
    } else if (message.id === this.calls && message.kind === "result") {
      this.finish(message.text, message.heap);
    } else if (message.id === this.calls && message.kind === "broken") {
      const said = `Python broke down and starts anew: ${message.reason}`;
      this.interrupt(new Interrupted("broken", said));
    }
  }

  private send(): void {
    if (!this.worker || !this.waiting) return;
    this.calls += 1;
    this.set({ kind: "running", since: Date.now() });
    this.post(this.worker, { kind: "call", id: this.calls, call: this.waiting.call });
    this.timer = setTimeout(() => {
      const said = `Stopped after ${LIMIT_MS / 1000} seconds. Is there a loop without an end?`;
      this.interrupt(new Interrupted("too long", said));
    }, LIMIT_MS);
  }

  private finish(text: string, heap: number): void {
    clearTimeout(this.timer);
    const { waiting, state } = this;
    this.waiting = undefined;
    if (state.kind === "running") this.seconds = (Date.now() - state.since) / 1000;
    // Memory that was used once is never given back, and after a MemoryError little of it is left.
    if (heap > MOST_HEAP || OUT_OF_MEMORY.test(text)) this.restart();
    else this.set({ kind: "ready" });
    waiting?.resolve(text);
  }

  private interrupt(reason: Interrupted): void {
    this.drop(reason);
    this.restart();
  }

  private fail(reason: string): void {
    this.end();
    this.set({ kind: "failed", reason });
    this.drop(new Interrupted("not started", `Python could not start: ${reason}`));
  }

  private drop(reason: Interrupted): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.reject(reason);
  }

  private end(): void {
    clearTimeout(this.timer);
    this.worker?.terminate();
    this.worker = undefined;
  }

  private set(state: PythonState): void {
    this.state = state;
    this.onState(state);
  }

  private post(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }
}
