/**
 * The worker that runs Python, which the page can end whatever a program does.
 *
 * A program may come from someone else. So the page starts this worker from a `data:` address: it has an
 * origin of its own, without storage and cookies, and the page's content security policy, under which it
 * reaches no other host. It cannot even read the site's files; the page sends them until Python has started.
 */

import type { Call, FileRequest, FromWorker, StartRequest, ToWorker } from "./messages";

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

const MODULES_FOLDER = "/etude";

/** Firefox 140 loads fonts from any host, whatever the policy; a nested worker would have both globals again. */
const WITHHELD_GLOBALS = ["FontFace", "Worker"];

/** The first bytes of a WebAssembly module. */
const WASM_MAGIC = [0, 0x61, 0x73, 0x6d];

const DAMAGE_SENTENCE = "A file of Python may be damaged, or a network sent its sign-in page in place of one.";

let python: Python | undefined;

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") void startPython(data);
  else answerCall(data.id, data.call);
});

async function startPython(message: StartRequest): Promise<void> {
  try {
    python = await bootPyodide(message);
    for (const name of WITHHELD_GLOBALS) Reflect.deleteProperty(self, name);
    postToPage({ kind: "ready", names: python.call(["names"]) });
  } catch (error) {
    reportFailure(error);
  }
}

function reportFailure(error: unknown): void {
  if (python === undefined) postToPage({ kind: "failed", reason: `${errorReason(error)}. ${DAMAGE_SENTENCE}` });
}

async function bootPyodide({ pyodide, bundle, packages }: StartRequest): Promise<Python> {
  self.fetch = fetchFromPage;
  const [pyodideModule, modules] = await Promise.all([loadPyodide(pyodide), fetch(bundle).then((file) => file.arrayBuffer())]);
  const imports = `import ${["sys", "numpy", ...packages].join(", ")}`;
  if (packages.length > 0) await pyodideModule.loadPackagesFromImports(imports, { checkIntegrity: true });
  pyodideModule.unpackArchive(modules, "zip", { extractDir: MODULES_FOLDER });
  pyodideModule.runPython(`import shutil\nshutil.unpack_archive("${MODULES_FOLDER}/modules.zip", "${MODULES_FOLDER}")`);
  // Without its lock file Pyodide starts without NumPy and only logs the missing package, so import them all here.
  pyodideModule.runPython(`${imports}\nsys.path.insert(0, ${JSON.stringify(MODULES_FOLDER)})`);
  const module = pyodideModule.pyimport("grader.browser.page");
  return {
    call: ([name, ...values]) => module[name]?.(...values) ?? "",
    heap: () => pyodideModule._module.HEAPU8.length,
  };
}

async function loadPyodide(folder: string): Promise<Pyodide> {
  // Pyodide would import the second by its address, which this origin cannot, unless it is loaded already.
  const [loader] = await Promise.all([importModule(`${folder}pyodide.mjs`), importModule(`${folder}pyodide.asm.js`)]);
  return (loader as Loader).loadPyodide({
    indexURL: folder,
    lockFileURL: `${folder}pyodide-lock.json`,
    packages: ["numpy"],
  });
}

async function importModule(address: string): Promise<unknown> {
  const script = new Blob([await (await fetch(address)).arrayBuffer()], { type: "text/javascript" });
  return import(URL.createObjectURL(script));
}

/** Replace `fetch`: the page sends the file. */
async function fetchFromPage(input: string | URL | Request, { integrity = "" }: RequestInit = {}): Promise<Response> {
  const address = String(input instanceof Request ? input.url : input);
  const { port1, port2 } = new MessageChannel();
  const sent = new Promise<ArrayBuffer | null>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<ArrayBuffer | null>) => resolve(data);
  });
  postMessage({ kind: "wanted", address, integrity } satisfies FileRequest, [port2]);
  const bytes = await sent;
  if (!bytes) {
    const reason = `${address} could not be fetched. Is there a connection?`;
    if (python === undefined) postToPage({ kind: "failed", reason }); // Pyodide may wait forever, or report no file name
    throw new Error(reason);
  }
  const isProgram = address.endsWith(".wasm");
  // Pyodide would wait forever. Only the first bytes are checked: WebAssembly.validate takes a third of a second.
  if (isProgram && !WASM_MAGIC.every((byte, index) => new Uint8Array(bytes)[index] === byte)) reportFailure(`${address} is no program`);
  const type = isProgram ? "application/wasm" : "";
  return new Response(bytes, { headers: { "Content-Type": type } });
}

function answerCall(id: number, call: Call): void {
  try {
    if (python === undefined) throw new Error("Python has not started");
    postToPage({ kind: "result", id, text: python.call(call), heap: python.heap() });
  } catch (error) {
    postToPage({ kind: "broken", id, reason: errorReason(error) });
  }
}

function postToPage(message: FromWorker): void {
  postMessage(message);
}

/** Return the last line of an error's message, which names a Python exception. */
function errorReason(error: unknown): string {
  const { message, name } = Object(error) as Partial<Error>; // Pyodide also throws objects that are not an Error
  const lines = String(message || name || error).trim().split("\n");
  return (lines.at(-1) ?? "").slice(0, 300);
}
