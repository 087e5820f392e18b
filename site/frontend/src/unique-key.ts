/** A random text that nothing else has; `randomUUID` is not there on a page that came by plain HTTP. */
export function uniqueKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
