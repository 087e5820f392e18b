/**
 * Runs Python away from the page: whatever a submission does, the page can end this worker.
 *
 * It runs only what its page sends, and a page sends only what is in its editor. That may come from
 * somebody else. So the page starts this from a `data:` address: the worker has an origin of its own,
 * without storage and cookies, and the page's policy, under which it reaches no other host. It cannot
 * even read the site's files; the page reads them for it until Python has started.
 */

import type { Call, FromWorker, Start, ToWorker, Wanted } from "./messages";

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

/** Firefox 140 loads a font from anywhere, whatever the policy; a worker in this one would have both again. */
const WITHHELD = ["FontFace", "Worker"];

/** What a program for WebAssembly begins with. */
const WASM = [0, 0x61, 0x73, 0x6d];

const MAY_BE_DAMAGED = "A file of Python may be damaged, or a network sent its sign-in page in place of one.";

let python: Python | undefined;

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") void start(data);
  else answer(data.id, data.call);
});

async function start(message: Start): Promise<void> {
  try {
    python = await boot(message);
    for (const name of WITHHELD) Reflect.deleteProperty(self, name);
    say({ kind: "ready", names: python.call(["names"]) });
  } catch (error) {
    failed(error);
  }
}

function failed(error: unknown): void {
  if (python === undefined) say({ kind: "failed", reason: `${reasonOf(error)}. ${MAY_BE_DAMAGED}` });
}

async function boot({ pyodide, bundle, packages }: Start): Promise<Python> {
  self.fetch = fromPage;
  const [inside, modules] = await Promise.all([load(pyodide), fetch(bundle).then((file) => file.arrayBuffer())]);
  const imports = `import ${["sys", "numpy", ...packages].join(", ")}`;
  if (packages.length > 0) await inside.loadPackagesFromImports(imports, { checkIntegrity: true });
  inside.unpackArchive(modules, "zip", { extractDir: OURS });
  inside.runPython(`import shutil\nshutil.unpack_archive("${OURS}/modules.zip", "${OURS}")`);
  // Without its lock file Pyodide starts just as well and has no NumPy; and it only logs which package it lacks.
  inside.runPython(`${imports}\nsys.path.insert(0, ${JSON.stringify(OURS)})`);
  const module = inside.pyimport("grader.browser.page");
  return {
    call: ([name, ...values]) => module[name]?.(...values) ?? "",
    heap: () => inside._module.HEAPU8.length,
  };
}

async function load(folder: string): Promise<Pyodide> {
  // Pyodide imports the second by its address, unless it is there already.
  const [loader] = await Promise.all([importFrom(`${folder}pyodide.mjs`), importFrom(`${folder}pyodide.asm.js`)]);
  return (loader as Loader).loadPyodide({
    indexURL: folder,
    lockFileURL: `${folder}pyodide-lock.json`,
    packages: ["numpy"],
  });
}

async function importFrom(address: string): Promise<unknown> {
  const script = new Blob([await (await fetch(address)).arrayBuffer()], { type: "text/javascript" });
  return import(URL.createObjectURL(script));
}

/** What `fetch` is here: the page sends the file. */
async function fromPage(input: string | URL | Request, { integrity = "" }: RequestInit = {}): Promise<Response> {
  const address = String(input instanceof Request ? input.url : input);
  const { port1, port2 } = new MessageChannel();
  const sent = new Promise<ArrayBuffer | null>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<ArrayBuffer | null>) => resolve(data);
  });
  postMessage({ kind: "wanted", address, integrity } satisfies Wanted, [port2]);
  const bytes = await sent;
  if (!bytes) {
    const reason = `${address} could not be fetched. Is there a connection?`;
    if (python === undefined) say({ kind: "failed", reason }); // Pyodide may wait for it for ever, or name no file
    throw new Error(reason);
  }
  const isProgram = address.endsWith(".wasm");
  // Pyodide would wait for ever; to validate all of it takes a third of a second.
  if (isProgram && !WASM.every((byte, at) => new Uint8Array(bytes)[at] === byte)) failed(`${address} is no program`);
  const type = isProgram ? "application/wasm" : "";
  return new Response(bytes, { headers: { "Content-Type": type } });
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
  const { message, name } = Object(error) as Partial<Error>; // Pyodide throws objects that are no Error, too
  const lines = String(message || name || error).trim().split("\n");
  return (lines.at(-1) ?? "").slice(0, 300);
}
