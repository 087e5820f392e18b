/**
 * A page in a frame of another site, requested by `?embed`. It has no header and footer, is as high as its
 * content, and takes that site's theme. Messages go to and come from the origins that the site's builder
 * names. Links within the site stay embedded.
 */

import { page } from "./page";
import { uniqueKey } from "./unique-key";

const EMBED_PARAMETER = "embed"; // empty, or the path of the page that the frame showed first

/** Report this page's height to the site around it, now and after each change, if it is embedded. */
export function reportHeight(): void {
  if (!isEmbedded()) return;
  let lastHeight = 0;
  const tell = (): void => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === lastHeight) return;
    lastHeight = height;
    postToEmbedder({ kind: "etude:height", height, page: location.pathname });
    postToEmbedder({ subject: "lti.frameResize", message_id: uniqueKey(), height });
  };
  if (parent !== window) new ResizeObserver(tell).observe(document.body);
  addEventListener("message", ({ source, origin, data }: MessageEvent<{ kind?: unknown; theme?: unknown } | null>) => {
    if (source !== parent || !isTrustedEmbedder(origin) || data?.kind !== "etude:theme") return;
    if (data.theme === "light" || data.theme === "dark") document.documentElement.dataset.theme = data.theme;
  });
  document.addEventListener("click", ({ target }) => keepLinkEmbedded(target), { capture: true });
}

/** Send a message to the site around this page, if it is a trusted one. */
export function postToEmbedder(message: object): void {
  for (const origin of trustedEmbedders()) parent.postMessage(message, origin);
}

/** Return whether the builder named an origin as one that embeds pages. */
export function isTrustedEmbedder(origin: string): boolean {
  return trustedEmbedders().includes(origin);
}

/** Return whether the frame was made for this page, not for one from which a link led here. */
export function isFirstInFrame(): boolean {
  return isEmbedded() && parent !== window && firstPath() === currentPath();
}

function firstPath(): string {
  const value = new URLSearchParams(location.search).get(EMBED_PARAMETER) ?? "";
  return value.startsWith("/") ? value : currentPath();
}

function currentPath(): string {
  return location.pathname.replace(/\/index\.html$/, "/");
}

function isEmbedded(): boolean {
  return document.documentElement.classList.contains("embedded");
}

function trustedEmbedders(): string[] {
  return (document.documentElement.dataset.embedIn ?? "").split(" ").filter(Boolean);
}

function keepLinkEmbedded(target: EventTarget | null): void {
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || link.getAttribute("href")?.startsWith("#") || link.hasAttribute("download")) return;
  const address = new URL(link.href);
  if (!address.href.startsWith(page.root)) {
    link.target = "_blank";
    return;
  }
  address.searchParams.set(EMBED_PARAMETER, firstPath());
  link.href = address.href;
}
