/** The messages of a page to the service worker. */

export type FromPage =
  /** The learner may continue with the pages that this one links to, or that belong to its track. */
  | { readonly kind: "next"; readonly pages: readonly string[]; readonly track: string }
  /** Python has started, so its files are worth the space. */
  | { readonly kind: "python"; readonly packages: readonly string[] };
