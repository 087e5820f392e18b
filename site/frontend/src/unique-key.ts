/** Return a random text. `crypto.randomUUID` is missing on pages of plain HTTP. */
export function uniqueKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
