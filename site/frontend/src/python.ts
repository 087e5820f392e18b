/** Python for a page: one worker at a time, whose state is always known and can always be shown. */

import type { Names } from "./completion";
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

/** A worker, and how far its start is. */
interface Started {
  readonly worker: Worker;
  readonly since: number;
  isReady: boolean;
}

interface Waiting {
  readonly call: Call;
  resolve(text: string): void;
  reject(reason: Interrupted): void;
}

const LIMIT_MS = 10_000; // Python stops its own loops before; this is for computing in C
const SPARE_MS = 1_500; // a call that takes longer may have to be stopped
const MOST_HEAP = 1_000_000_000;
const OUT_OF_MEMORY = /"out of memory"|MemoryError|asked for more memory/; // an outcome, or a sentence for the learner

/**
 * One call at a time. A worker cannot be interrupted, so stopping a call ends the worker. Another one
 * takes its place: a spare one starts when a call takes long, and is ready when that is stopped. One
 * that could not start is left alone until somebody asks for another.
 */
export class Python {
  state: PythonState = { kind: "idle" };
  seconds = 0; // that the last call took
  names: Names = {}; // of NumPy, once Python has started
  private worker: Started | undefined;
  private spare: Started | undefined;
  private waiting: Waiting | undefined;
  private calls = 0;
  private timer: number | undefined;
  private spareTimer: number | undefined;

  /**
   * @param prepare - the call that makes Python ready for the page, after each start
   * @param onState - is told of every change of the state
   * @param data - the address of a file whose text `prepare` is given too, or nothing
   */
  constructor(
    private readonly prepare: Call,
    private readonly onState: (state: PythonState) => void,
    private readonly data = "",
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
    try {
      this.worker = this.spare ?? this.spawn();
    } catch (error) {
      this.fail(String(error));
      return;
    }
    this.spare = undefined;
    if (this.worker.isReady) this.becomeReady();
    else this.set({ kind: "starting", since: this.worker.since });
  }

  private spawn(): Started {
    const worker = new Worker(new URL("./python-worker.js", import.meta.url), { type: "module" });
    const started: Started = { worker, since: Date.now(), isReady: false };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(started, data);
    worker.onerror = ({ message }) => this.couldNotStart(started, message || "its script could not be loaded");
    const { pyodide, bundle } = page;
    this.post(started, { kind: "start", pyodide, bundle, prepare: this.prepare, data: this.data });
    return started;
  }

  private hear(from: Started, message: FromWorker): void {
    if (message.kind === "ready") {
      from.isReady = true;
      this.names = JSON.parse(message.names) as Names;
      if (from === this.worker) this.becomeReady();
    } else if (message.kind === "failed") {
      this.couldNotStart(from, message.reason);
    } else if (message.id === this.calls && message.kind === "result") {
      this.finish(message.text, message.heap);
    } else if (message.id === this.calls && message.kind === "broken") {
      const said = `Python broke down and starts anew: ${message.reason}`;
      this.interrupt(new Interrupted("broken", said));
    }
  }

  private becomeReady(): void {
    this.set({ kind: "ready" });
    dispatchEvent(new Event(STARTED));
    if (this.waiting) this.send();
  }

  private couldNotStart(what: Started, reason: string): void {
    if (what === this.worker) this.fail(reason);
    else this.spare = undefined; // whoever needs it starts another
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
    this.spareTimer = setTimeout(() => {
      this.spare ??= this.spawn();
    }, SPARE_MS);
  }

  private finish(text: string, heap: number): void {
    this.clearTimers();
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
    this.clearTimers();
    this.worker?.worker.terminate();
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

  private post({ worker }: Started, message: ToWorker): void {
    worker.postMessage(message);
  }
}
