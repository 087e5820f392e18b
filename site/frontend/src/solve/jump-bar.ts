/** The bar at the foot of a narrow screen: where on the page one is, and the way to its other parts. */

/** Mark the part that fills most of the screen; a part that is not on the page has no way to it. */
export function startJumpBar(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".jump a")];
  const parts = new Map<Element, HTMLAnchorElement>();
  for (const link of links) {
    const part = document.querySelector(link.hash);
    link.hidden = part === null;
    if (part) parts.set(part, link);
  }
  const visible = new Map<Element, number>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, intersectionRect } of entries) visible.set(target, intersectionRect.height);
      const [largestPart] = [...visible].reduce((one, other) => (other[1] > one[1] ? other : one));
      for (const [part, link] of parts) {
        if (part === largestPart) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { threshold: Array.from({ length: 21 }, (_, step) => step / 20) },
  );
  for (const part of parts.keys()) observer.observe(part);
}
