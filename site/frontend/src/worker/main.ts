/**
 * Runs Python away from the page: whatever a submission does, the page can end this worker.
 *
 * It runs only what its page sends, and a page sends only what is in its editor. That may come from
 * somebody else, and it can reach all that this worker has; so the worker gives up what is the site's.
 */

import type { Call, FromWorker, Start, ToWorker } from "./messages";

interface Pyodide {
  readonly _module: { readonly HEAPU8: Uint8Array };
  loadPackagesFromImports(code: string, options: { checkIntegrity: boolean }): Promise<unknown>;
  unpackArchive(buffer: ArrayBuffer, format: string, options: { extractDir: string }): void;
  runPython(code: string): unknown;
  pyimport(name: string): Record<string, (...values: string[]) => string | undefined>;
}

interface Loader {
  loadPyodide(options: {
    indexURL: string;
    lockFileURL: string;
    packages: string[];
  }): Promise<Pyodide>;
}

interface Python {
  call(call: Call): string;
  heap(): number;
}

const OURS = "/etude";

/** Ways to the site's server, in the learner's name, and to what it keeps, its own scripts among it. */
const WITHHELD = [
  "BroadcastChannel",
  "EventSource",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "Worker",
  "XMLHttpRequest",
  "caches",
  "cookieStore",
  "fetch",
  "indexedDB",
];

let python: Python | undefined;

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") void start(data);
  else answer(data.id, data.call);
});

async function start(message: Start): Promise<void> {
  try {
    python = await boot(message);
    withhold();
    say({ kind: "ready", names: python.call(["names"]) });
  } catch (error) {
    say({ kind: "failed", reason: reasonOf(error) });
  }
}

async function boot({ pyodide, bundle, packages }: Start): Promise<Python> {
  const [inside, modules] = await Promise.all([load(pyodide), download(bundle)]);
  const imports = `import ${["sys", "numpy", ...packages].join(", ")}`;
  if (packages.length > 0) await inside.loadPackagesFromImports(imports, { checkIntegrity: true });
  inside.unpackArchive(modules, "zip", { extractDir: OURS });
  // Without its lock file Pyodide starts just as well and has no NumPy; and it only logs which package it lacks.
  inside.runPython(`${imports}\nsys.path.insert(0, ${JSON.stringify(OURS)})`);
  const module = inside.pyimport("grader.browser.page");
  return {
    call: ([name, ...values]) => module[name]?.(...values) ?? "",
    heap: () => inside._module.HEAPU8.length,
  };
}

/** In the same realm nothing can make them anew. */
function withhold(): void {
  for (let owner: object | null = self; owner !== null; owner = Object.getPrototypeOf(owner) as object | null) {
    for (const name of WITHHELD) Reflect.deleteProperty(owner, name);
  }
}

async function load(folder: string): Promise<Pyodide> {
  const loader = (await import(`${folder}pyodide.mjs`).catch(() => {
    throw new Error(`it could not be fetched from ${folder}. Is there a connection?`);
  })) as Loader;
  return loader.loadPyodide({
    indexURL: folder,
    lockFileURL: `${folder}pyodide-lock.json`,
    packages: ["numpy"],
  });
}

async function download(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address).catch(() => undefined);
  if (!response?.ok) throw new Error(`${address} could not be fetched. Is there a connection?`);
  return response.arrayBuffer();
}

function answer(id: number, call: Call): void {
  try {
    if (python === undefined) throw new Error("Python has not started");
    say({ kind: "result", id, text: python.call(call), heap: python.heap() });
  } catch (error) {
    say({ kind: "broken", id, reason: reasonOf(error) });
  }
}

function say(message: FromWorker): void {
  postMessage(message);
}

/** The last line of an error: of one from Python, that is what was raised. */
function reasonOf(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).trim().split("\n");
  return (lines.at(-1) ?? "").slice(0, 300);
}
