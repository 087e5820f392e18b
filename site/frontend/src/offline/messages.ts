/** What a page tells the worker that keeps the site. */

export type FromPage =
  /** What somebody may read next: the pages that this one links to, and the track that it is of. */
  | { readonly kind: "next"; readonly pages: readonly string[]; readonly track: string }
  /** Python has started, so its files are worth their place. */
  | { readonly kind: "python"; readonly packages: readonly string[] };
