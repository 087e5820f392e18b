/**
 * `<etude-exercise src="…">`: an exercise of this site in a page of another one, which loads this script.
 * The page's own content stands in the element until the exercise is there, and if it never comes.
 */

const LOAD_TIMEOUT_MS = 20_000; // generous, because a page on a slow line reports its height late
const LOAD_MARGIN = "300px"; // the distance from the viewport at which an exercise is loaded
const DARK_LIGHTNESS = 0.5; // a background below this lightness, from 0 to 1, is dark

// The script is at the root of its site, so `src` may be relative to that root.
const SITE_ADDRESS = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : document.baseURI;

const style = new CSSStyleSheet(); // a constructed sheet, which a strict content security policy allows
style.replaceSync(`
  :host { display: block; margin-block: 1em }
  iframe { display: block; border: 0; width: 100%; color-scheme: auto }
  iframe:not([data-ready]) { height: 0 }
  div { min-height: 30rem }
  div.failed { min-height: 0 }
  iframe[data-ready] ~ div { display: none }
  p { margin-block: .5em }
  p:empty { display: none }
`);

class EtudeExercise extends HTMLElement {
  readonly #placeholder = document.createElement("div"); // shown until the exercise is ready
  readonly #note = document.createElement("p");
  #frame: HTMLIFrameElement | null = null;
  #exerciseAddress = new URL(SITE_ADDRESS);
  #connection = new AbortController();

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style];
    this.#note.setAttribute("role", "status");
    this.#note.textContent = "";
    this.#placeholder.className = "";
    this.#placeholder.replaceChildren(document.createElement("slot"), this.#note);
    root.replaceChildren(this.#placeholder);
    this.#exerciseAddress = new URL(this.getAttribute("src") ?? "", SITE_ADDRESS);
    this.#connection = new AbortController();
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      this.#loadFrame(root);
    }, { rootMargin: LOAD_MARGIN });
    observer.observe(this);
    this.#connection.signal.addEventListener("abort", () => observer.disconnect());
  }

  disconnectedCallback(): void {
    this.#connection.abort();
    this.#frame = null;
  }

  #loadFrame(root: ShadowRoot): void {
    const { signal } = this.#connection;
    if (!/^https?:$/.test(this.#exerciseAddress.protocol)) return this.#reportFailure();
    const address = new URL(this.#exerciseAddress);
    address.searchParams.set("embed", "");
    address.searchParams.set("theme", this.#currentTheme());
    this.#frame = document.createElement("iframe");
    this.#frame.title = this.textContent?.trim() || "Exercise";
    this.#frame.allow = "clipboard-write";
    addEventListener("message", (event) => this.#handleMessage(event), { signal });
    root.prepend(this.#frame);
    this.#frame.src = address.href;
    const timer = setTimeout(() => this.#reportFailure(), LOAD_TIMEOUT_MS);
    const themes = new MutationObserver(() => this.#sendTheme());
    for (const each of [document.documentElement, document.body]) themes.observe(each, { attributes: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#sendTheme(), { signal });
    signal.addEventListener("abort", () => {
      themes.disconnect();
      clearTimeout(timer);
    });
  }

  #handleMessage({ source, origin, data }: MessageEvent<unknown>): void {
    const frame = this.#frame;
    if (!frame || source !== frame.contentWindow || origin !== this.#exerciseAddress.origin) return;
    const { kind, height, subject, location: exercise, name, data: result } = (data ?? {}) as Record<string, unknown>;
    if (kind === "etude:height" && typeof height === "number") {
      frame.height = String(height);
      frame.dataset.ready = "";
      this.#note.textContent = "";
      this.#sendTheme(); // the frame may show another page now
    } else if (subject === "SPLICE.sendEvent" && name === "check") {
      const detail = { exercise, ...(result as object) };
      this.dispatchEvent(new CustomEvent("etude-check", { detail, bubbles: true, composed: true }));
    }
  }

  #reportFailure(): void {
    if (this.#frame?.dataset.ready !== undefined) return;
    this.#placeholder.className = "failed";
    this.#note.textContent = "The exercise did not load here; the link leads to it.";
    if (!this.textContent?.trim()) {
      const link = document.createElement("a");
      [link.href, link.textContent] = [this.#exerciseAddress.href, this.#exerciseAddress.href];
      this.#note.append(" ", link);
    }
    console.warn(`${this.#exerciseAddress.href} sent nothing: no page of Etude is there, or its site was built without --embed-in ${location.origin}`);
  }

  #sendTheme(): void {
    this.#frame?.contentWindow?.postMessage({ kind: "etude:theme", theme: this.#currentTheme() }, this.#exerciseAddress.origin);
  }

  /** Return the `theme` attribute, or else the theme of the background behind the element. */
  #currentTheme(): string {
    const attribute = this.getAttribute("theme");
    if (attribute === "light" || attribute === "dark") return attribute;
    for (let each: Element | null = this; each; each = each.parentElement) {
      const [red = 0, green = 0, blue = 0, opacity = 1] = getComputedStyle(each).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [];
      if (opacity > 0) return (0.299 * red + 0.587 * green + 0.114 * blue) / 255 < DARK_LIGHTNESS ? "dark" : "light";
    }
    const scheme = getComputedStyle(document.documentElement).colorScheme;
    return scheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
}

customElements.get("etude-exercise") ?? customElements.define("etude-exercise", EtudeExercise);

export {};
