/**
 * The service worker, with which pages that were read once can be read and solved without a network.
 *
 * Files whose names change with their content come from the cache. Pages come from the network as long as
 * it answers, and are cached on the way. A new build brings a new copy of this file. It takes over when no
 * page of the old build is open, and fetches the pages that the old one had cached.
 */

import type { FromPage } from "./messages";

declare const self: ServiceWorkerGlobalScope;

/** The site's builder writes this in front of this file; addresses are relative to it. */
declare const ETUDE_BUILD: {
  readonly version: string;
  readonly pyodide: string; // the folder of Python, which may lie on another host
  readonly assets: readonly string[];
  readonly index: string; // the search index, which lists every page
  readonly pages: readonly string[]; // the pages that are cached at once
  readonly lost: string; // the page that replaces a page that is not cached
};

/** An entry of Pyodide's lock file. */
interface PyodidePackage {
  readonly file_name: string;
  readonly imports?: readonly string[];
  readonly depends?: readonly string[];
}

const NETWORK_TIMEOUT_MS = 4_000; // after this the cached copy is used
const PARALLEL_FETCHES = 3; // few, so that background requests do not slow the page
const MAX_PAGES_PER_VISIT = 400;

const SERVER_PATHS = ["v1/", "staff", "lti", "oidc"]; // the paths that `etude serve` adds to the site

const { scope } = self.registration;
const pyodide = new URL(ETUDE_BUILD.pyodide, scope).href;
const assets = new URL("assets/", scope).href;
const CACHE_PREFIX = `etude ${scope} `; // several sites may be on one host
const PAGE_CACHE = `${CACHE_PREFIX}pages ${ETUDE_BUILD.version}`;
const ASSET_CACHE = `${CACHE_PREFIX}assets`;
const PYTHON_CACHE = `${CACHE_PREFIX}python ${pyodide}`;

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => event.waitUntil(handleMessage(event.data as FromPage)));
self.addEventListener("fetch", (event) => {
  const { url, method, headers } = event.request;
  if (method !== "GET" || headers.has("range")) return;
  if (headers.get("accept") === "text/event-stream") return; // an event stream never ends
  // A request that is sent from here lacks the Sec-Fetch headers that the server checks.
  if (SERVER_PATHS.some((path) => url.startsWith(new URL(path, scope).href))) return;
  if (url.startsWith(pyodide)) event.respondWith(respondFromCache(PYTHON_CACHE, event));
  else if (url.startsWith(assets)) event.respondWith(respondFromCache(ASSET_CACHE, event));
  else if (url.startsWith(scope)) event.respondWith(respondFromNetwork(event));
});

async function install(): Promise<void> {
  const cache = await caches.open(ASSET_CACHE);
  const missing = [];
  for (const address of assetAddresses()) if (!(await cache.match(address))) missing.push(address);
  await cache.addAll(missing); // fails as a whole if any request fails
  await cachePages(ETUDE_BUILD.pages);
}

function assetAddresses(): string[] {
  return ETUDE_BUILD.assets.map((path) => new URL(path, scope).href);
}

async function activate(): Promise<void> {
  await self.clients.claim();
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE_PREFIX));
  const stale = names.filter((name) => ![PAGE_CACHE, ASSET_CACHE, PYTHON_CACHE].includes(name));
  for (const name of stale) {
    const requests = await (await caches.open(name)).keys();
    if (name.startsWith(`${CACHE_PREFIX}pages `)) await cachePages(requests.map(({ url }) => url));
    await caches.delete(name);
  }
  const currentAssets = new Set(assetAddresses());
  const cache = await caches.open(ASSET_CACHE);
  for (const request of await cache.keys()) if (!currentAssets.has(request.url)) await cache.delete(request);
}

async function handleMessage(message: FromPage): Promise<void> {
  if (message.kind === "python") await cachePython(message.packages);
  else await cachePages([...message.pages, ...(await trackPages(message.track))]);
}

async function trackPages(track: string): Promise<string[]> {
  const index = await (await caches.open(ASSET_CACHE)).match(new URL(ETUDE_BUILD.index, scope).href);
  if (!track || !index) return [];
  const { pages } = (await index.json()) as { pages: readonly (readonly [string, string])[] };
  return pages.map(([, path]) => path).filter((path) => path.startsWith(`${track}/`));
}

/** Fetch and cache pages, a few at a time, with the files they need; skip pages that fail. */
async function cachePages(addresses: readonly string[]): Promise<void> {
  const cache = await caches.open(PAGE_CACHE);
  const absolute = addresses.map((each) => withoutQuery(new URL(each, scope).href));
  const isPage = (each: string) => each.startsWith(scope) && !each.startsWith(assets);
  const waiting = [...new Set(absolute)].filter(isPage).slice(0, MAX_PAGES_PER_VISIT);
  const keepSome = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (await cache.match(next)) continue;
      const response = await fetch(next, { cache: "no-cache" }).catch(() => undefined);
      if (!response?.ok) continue;
      waiting.push(...(await neededFiles(response, next)));
      await cacheResponse(PAGE_CACHE, next, response);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_FETCHES }, keepSome));
}

/** Return the files that a page or an exercise.json needs. */
async function neededFiles(response: Response, address: string): Promise<string[]> {
  const names: string[] = [];
  if (response.headers.get("content-type")?.startsWith("text/html")) {
    const html = await response.clone().text();
    if (html.includes(' data-page="exercise"')) names.push("exercise.json");
    // The builder refers to images and data files in a page's own folder by name only.
    for (const [, name = ""] of html.matchAll(/ (?:src|data-files)="([\w.-]+\.(?:png|jpe?g|json))"/g)) names.push(name);
  } else if (address.endsWith("/exercise.json")) {
    const { engine } = (await response.clone().json()) as { engine: string };
    if (engine) names.push(engine); // the file from which Python judges
  }
  return names.map((name) => new URL(name, address).href);
}

/** Cache the files from which Python has just started, as listed in Pyodide's lock file. */
async function cachePython(modules: readonly string[]): Promise<void> {
  const cache = await caches.open(PYTHON_CACHE);
  const keepFile = async (name: string): Promise<Response> => {
    if (!(await cache.match(pyodide + name))) await cache.add(pyodide + name);
    return (await cache.match(pyodide + name)) ?? Response.error();
  };
  const lock = await (await keepFile("pyodide-lock.json")).json();
  const { packages } = lock as { packages: Record<string, PyodidePackage> };
  const core = ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"];
  for (const name of core.concat(requiredWheels(packages, ["numpy", ...modules]))) await keepFile(name);
}

/** Return the files of the packages that provide some modules, and of their dependencies. */
function requiredWheels(packages: Record<string, PyodidePackage>, modules: readonly string[]): string[] {
  const has = ({ imports }: PyodidePackage) => (imports ?? []).some((each) => modules.includes(each.split(".")[0] ?? ""));
  const waiting = Object.keys(packages).filter((name) => name === "numpy" || has(packages[name] as PyodidePackage));
  const files = new Set<string>();
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const entry = packages[name];
    if (!entry || files.has(entry.file_name)) continue;
    files.add(entry.file_name);
    waiting.push(...(entry.depends ?? []));
  }
  return [...files];
}

async function respondFromCache(name: string, event: FetchEvent): Promise<Response> {
  const cached = await (await caches.open(name)).match(event.request.url);
  if (cached) return cached;
  const response = await fetch(event.request);
  event.waitUntil(cacheResponse(name, event.request.url, response.clone()));
  return response;
}

async function respondFromNetwork(event: FetchEvent): Promise<Response> {
  const address = withoutQuery(event.request.url);
  const cached = await (await caches.open(PAGE_CACHE)).match(address);
  const response = fetch(event.request).then((response) => {
    event.waitUntil(cacheResponse(PAGE_CACHE, address, response.clone()));
    return response;
  });
  event.waitUntil(response.catch(() => undefined));
  try {
    return await (cached ? Promise.race([response, rejectAfterTimeout()]) : response);
  } catch (error) {
    if (cached) return cached;
    if (event.request.mode !== "navigate") throw error;
    return Response.redirect(new URL(ETUDE_BUILD.lost, scope).href);
  }
}

/** Cache a complete successful response: no error, redirect, or opaque response. */
async function cacheResponse(name: string, address: string, response: Response): Promise<void> {
  const { type, status, redirected } = response;
  if ((type !== "basic" && type !== "cors") || status !== 200 || redirected) return;
  if (response.headers.get("cache-control")?.includes("no-store")) return; // a personal page
  // On a full disk there is just no copy.
  await (await caches.open(name)).put(address, response).catch(() => undefined);
}

/** Return an address without query and fragment; that of a folder becomes that of its index. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname + (pathname.endsWith("/") ? "index.html" : "");
}

function rejectAfterTimeout(): Promise<never> {
  return new Promise((_, reject) => setTimeout(() => reject(new Error("no answer yet")), NETWORK_TIMEOUT_MS));
}
