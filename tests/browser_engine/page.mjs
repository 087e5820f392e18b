// Calls functions of the page's Python in Pyodide, under Node: one call in each line of a file, as
// [function, argument...]. Prints the answers as one array, and anything on the console before it.
import { readFileSync } from "node:fs";
import { argv, stdout } from "node:process";
import { pathToFileURL } from "node:url";

const [pyodideFolder, bundle, calls] = argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodideFolder}/pyodide.mjs`).href);
const shown = [];
const python = await loadPyodide({
  indexURL: pyodideFolder,
  packages: ["numpy"],
  stdout: () => {}, // of its own package loader
  stderr: (line) => shown.push(line),
});
python.unpackArchive(new Uint8Array(readFileSync(bundle)), "zip", { extractDir: "/etude" });
python.runPython('import shutil\nshutil.unpack_archive("/etude/modules.zip", "/etude")');
python.runPython("import sys; sys.path.insert(0, '/etude')");
const page = python.pyimport("grader.browser.page");
const answers = readFileSync(calls, "utf-8")
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [name, ...given] = JSON.parse(line);
    return page[name](...given) ?? null;
  });
stdout.write(JSON.stringify({ answers, shown }));
