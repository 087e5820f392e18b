/** The bar at the foot of a narrow screen, with links to the parts of the page. */

/** Mark the link of the part that fills most of the screen, and hide the links of missing parts. */
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
