// The idempotency key of a dialog that makes something new: made when the dialog opens, so that whatever is clicked twice happens once.

/** `what`: kebab-case. Not `crypto.randomUUID`, which browsers have on https and localhost alone. */
export function requestKey(what: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dash-${what}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The header that makes a request happen once for `key`, which is one for each thing that a user wants done (contract §6). */
export const under = (key: string) => ({ headers: { 'X-Idempotency-Key': key } });
