// Bundles every page's script into the site's assets: the same bytes from the same sources and lock.
import { readdir, readFile, rm, writeFile, mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const OUTPUT = resolve(process.argv[2] ?? join(HERE, "../assets"));
const CHUNK = /^chunk-[A-Z0-9]+\.js$/;

const COMMON = {
  absWorkingDir: HERE,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none", // the licences are in a file of their own
  metafile: true,
  write: false,
  outdir: OUTPUT,
};

/** One entry for each file in src/pages; what several of them import is in chunks that they share. */
async function bundlePages(worker) {
  const names = (await readdir(join(HERE, "src/pages"))).filter((name) => name.endsWith(".ts"));
  return build({
    ...COMMON,
    entryPoints: names.sort().map((name) => `src/pages/${name}`),
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    splitting: true,
    define: { PYTHON_WORKER: JSON.stringify(worker) }, // a page starts it without an address
  });
}

/** What runs apart from any page of the site shares nothing with them. */
async function bundleAlone(folder, out, format) {
  const entry = { in: `src/${folder}/main.ts`, out };
  return build({ ...COMMON, format, entryPoints: [entry] });
}

/** The licences of the packages from which anything went into a bundle. */
async function licences(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) => Object.values(outputs)).flatMap(shipped);
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const texts = await Promise.all([...folders].sort().map(licenceOf));
  return `The scripts of these pages contain parts of the packages below.\n\n${texts.join("\n")}`;
}

function shipped({ inputs }) {
  return Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput ? [path] : []));
}

function packageFolder(input) {
  return /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

async function licenceOf(folder) {
  const path = join(HERE, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const file = (await readdir(path)).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  const title = `${name} ${version} (${license})`;
  return `${title}\n${"-".repeat(title.length)}\n\n${(await readFile(join(path, file), "utf8")).trim()}\n`;
}

async function write(files) {
  await mkdir(OUTPUT, { recursive: true });
  const names = new Set(files.map(({ path }) => basename(path)));
  const stale = (await readdir(OUTPUT)).filter((name) => CHUNK.test(name) && !names.has(name));
  await Promise.all(stale.map((name) => rm(join(OUTPUT, name))));
  await Promise.all(files.map(({ path, contents }) => writeFile(path, contents)));
}

const python = await bundleAlone("worker", "python-worker", "esm");
const results = await Promise.all([
  bundlePages(python.outputFiles[0].text),
  bundleAlone("offline", "offline", "iife"), // not every browser lets a service worker be a module
  bundleAlone("embed", "embed", "iife"), // for pages of others
]);
const files = results.flatMap(({ outputFiles }) => outputFiles);
const notice = Buffer.from(await licences([python, ...results].map(({ metafile }) => metafile)));
await write([...files, { path: join(OUTPUT, "licences.txt"), contents: notice }]);
for (const { path, contents } of files) console.log(`${basename(path)}  ${contents.length} bytes`);
