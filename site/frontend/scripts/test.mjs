// Runs tests/*.test.mjs with Node's own runner; they import the TypeScript sources, which are bundled first.
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));

const tests = (await readdir(join(HERE, "tests"))).filter((name) => name.endsWith(".test.mjs")).sort();
const output = await mkdtemp(join(tmpdir(), "etude-frontend-"));
try {
  await build({
    absWorkingDir: HERE,
    entryPoints: tests.map((name) => `tests/${name}`),
    outdir: output,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    sourcemap: "inline",
    loader: { ".json": "json" },
  });
  const files = tests.map((name) => join(output, name));
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} finally {
  await rm(output, { recursive: true });
}
