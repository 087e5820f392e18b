/** Downloads of text as a file. */

import { element } from "./dom";

export function download(name: string, text: string, type = "text/x-python"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address));
}
