/**
 * A page in a frame of another site, asked for by `?embed`: without header and footer, as high as its
 * content, in that site's colours. The site's builder names who is sent messages and heard; links within
 * the site stay embedded.
 */

import { page } from "./page";
import { uniqueKey } from "./unique-key";

const EMBED_PARAMETER = "embed"; // its value is the path of the page that the frame showed first, once there is another

/** Keep the frame's site up to date on the height, if this page is embedded. */
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

/** Send a message to the site around this page, if the builder named it. */
export function postToEmbedder(message: object): void {
  for (const origin of trustedEmbedders()) parent.postMessage(message, origin);
}

/** Whether the builder named a site as one that embeds pages. */
export function isTrustedEmbedder(origin: string): boolean {
  return trustedEmbedders().includes(origin);
}

/** Whether this page is embedded, and the frame was made for it, not for one from which a link led here. */
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
