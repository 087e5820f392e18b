/** Registers the service worker that keeps pages for reading without a network: `offline/main.ts`. */

import type { FromPage } from "./offline/messages";
import { page } from "./page";
import { PAGE_CHANGED_EVENT } from "./page-signal";

/** Event on the window, when Python is ready. */
export const PYTHON_STARTED_EVENT = "etude:python";

/** Register the service worker after the page has loaded. */
export function registerServiceWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  const begin = () => void register().catch(() => undefined); // reading without a network is optional
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
}

async function register(): Promise<void> {
  let started = false;
  let tell: ((message: FromPage) => void) | undefined;
  addEventListener(PYTHON_STARTED_EVENT, () => {
    started = true;
    tell?.({ kind: "python", packages: page.packages });
  });
  const script = new URL("offline.js", page.root);
  await navigator.serviceWorker.register(script, { scope: page.root, updateViaCache: "none" });
  const { active } = await navigator.serviceWorker.ready;
  tell = (message) => active?.postMessage(message);
  const tellNext = (): void => void (prefersReducedData() || tell?.({ kind: "next", pages: linkedPages(), track: page.track }));
  tellNext();
  addEventListener(PAGE_CHANGED_EVENT, tellNext);
  if (started) tell({ kind: "python", packages: page.packages });
}

function linkedPages(): string[] {
  const links = [location.href, ...[...document.querySelectorAll("a")].map(({ href }) => href)];
  const pages = links.map((link) => new URL(link)).map(({ origin, pathname }) => origin + pathname);
  return [...new Set(pages)].filter((each) => each.startsWith(page.root) && /(\/|\.html)$/.test(each));
}

function prefersReducedData(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  return connection?.saveData ?? false;
}
