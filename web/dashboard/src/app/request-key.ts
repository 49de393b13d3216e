// The idempotency key of a dialog that makes something new: made when the dialog opens, so that whatever is clicked twice happens once.

/** `what`: kebab-case. Not `crypto.randomUUID`, which browsers have on https and localhost alone. */
export function requestKey(what: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dash-${what}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
