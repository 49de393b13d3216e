// The idempotency key of a dialog that creates something. It is created when the dialog opens, so that two clicks have
// one effect.

/** `what`: kebab-case. Not `crypto.randomUUID`, which browsers have on https and localhost alone. */
export function requestKey(what: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `dash-${what}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The header that gives a request one effect for each `key` (contract §6). */
export const under = (key: string) => ({ headers: { 'X-Idempotency-Key': key } });
