/** Builders of DOM nodes. Text is always inserted as text: nothing here parses HTML. */

export type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const SVG = "http://www.w3.org/2000/svg";

/** Create an element. An attribute that is `true` has no value; `false`, null and undefined omit it. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Create a button that is not a submit button. */
export function button(
  label: string | Node,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const node = element("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", onClick);
  return node;
}

/** Draw an icon of one path in the colour of the text around it. Screen readers skip it. */
export function createIcon(path: string): SVGSVGElement {
  const picture = createSvg("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  const line = { d: path, fill: "none", stroke: "currentColor", "stroke-width": 2 };
  picture.append(createSvg("path", { ...line, "stroke-linecap": "round", "stroke-linejoin": "round" }));
  return picture;
}

/** Create an SVG element. */
export function createSvg<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes: Attributes): SVGElementTagNameMap[Tag] {
  const node = document.createElementNS(SVG, tag);
  setAttributes(node, attributes);
  return node;
}

/** Find an element that the page must have; throw if it is missing. */
export function findElement<Kind extends Element>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind {
  const match = within.querySelector(selector);
  if (!(match instanceof kind)) throw new Error(`this page has no ${selector}`);
  return match;
}

/** Render a sentence; the text between backticks becomes `<code>`. */
export function renderInlineCode(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  text.split(/(`[^`\n]+`)/).forEach((part, index) => {
    if (index % 2) fragment.append(element("code", {}, part.slice(1, -1)));
    else if (part) fragment.append(part);
  });
  return fragment;
}

/** Render text as paragraphs, which empty lines separate. */
export function renderParagraphs(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim());
  fragment.append(...paragraphs.map((each) => element("p", {}, renderInlineCode(each.trim()))));
  return fragment;
}

function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) target.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      target.setAttribute(name, String(value));
    }
  }
}
