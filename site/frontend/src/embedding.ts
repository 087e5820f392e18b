/**
 * A page in a frame of another site, asked for by `?embed`: without header and footer, as high as its
 * content. The site's builder names who is told of its height; links within the site stay embedded.
 */

import { page } from "./page";

/** Keep the frame's site up to date on the height, if this page is embedded. */
export function embed(): void {
  const root = document.documentElement;
  if (!root.classList.contains("embedded")) return;
  const origins = (root.dataset.embedIn ?? "").split(" ").filter(Boolean);
  let told = 0;
  const tell = (): void => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    for (const origin of origins) parent.postMessage({ kind: "etude:height", height, page: location.pathname }, origin);
  };
  if (parent !== window) new ResizeObserver(tell).observe(document.body);
  document.addEventListener("click", ({ target }) => stay(target), { capture: true });
}

function stay(target: EventTarget | null): void {
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || link.getAttribute("href")?.startsWith("#") || link.hasAttribute("download")) return;
  const to = new URL(link.href);
  if (!to.href.startsWith(page.root)) {
    link.target = "_blank";
    return;
  }
  to.searchParams.set("embed", "");
  link.href = to.href;
}
