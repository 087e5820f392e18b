/** Keeps the site for when there is no network: see `offline/main.ts`. */

import type { FromPage } from "./offline/messages";
import { page } from "./page";
import { TURNED } from "./page-signal";

/** What the window is told when Python has started in its page. */
export const STARTED = "etude:python";

/** Set the worker going that keeps the site, once the page has nothing better to do. */
export function keepSite(): void {
  if (!("serviceWorker" in navigator)) return;
  const begin = () => void keep().catch(() => undefined); // a convenience, whose lack is no error
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
}

async function keep(): Promise<void> {
  let started = false;
  let tell: ((message: FromPage) => void) | undefined;
  addEventListener(STARTED, () => {
    started = true;
    tell?.({ kind: "python", packages: page.packages });
  });
  const script = new URL("offline.js", page.root);
  await navigator.serviceWorker.register(script, { scope: page.root, updateViaCache: "none" });
  const { active } = await navigator.serviceWorker.ready;
  tell = (message) => active?.postMessage(message);
  const tellNext = (): void => void (savesData() || tell?.({ kind: "next", pages: linked(), track: page.track }));
  tellNext();
  addEventListener(TURNED, tellNext);
  if (started) tell({ kind: "python", packages: page.packages });
}

function linked(): string[] {
  const links = [location.href, ...[...document.querySelectorAll("a")].map(({ href }) => href)];
  const pages = links.map((link) => new URL(link)).map(({ origin, pathname }) => origin + pathname);
  return [...new Set(pages)].filter((each) => each.startsWith(page.root) && /(\/|\.html)$/.test(each));
}

function savesData(): boolean {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  return connection?.saveData ?? false;
}
