// The signature of a webhook: its headers, its secret, and the bytes that are signed (contract §8, Standard Webhooks
// 1.0).

/** The message's id, its time in seconds, and its signatures. */
export const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

export interface ToSign {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** Makes a signature with the secret, as the header has it: `v1,<base64>`. Throws TypeError for a wrong secret. */
export function signerOf(secret: string): (message: ToSign) => Promise<string> {
  const bytes = bytesOf(secret);
  return async ({ id, timestamp, body }) => {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']);
    const text = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body);
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, text));
    return `v1,${btoa(String.fromCharCode(...signature))}`;
  };
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
/** Standard Webhooks 1.0 asks for 24 to 64. */
const LEAST_BYTES = 24;

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(SECRET.exec(secret)?.[1] ?? ''), (character) => character.charCodeAt(0));
  if (bytes.length < LEAST_BYTES) throw new TypeError('a secret is missing or invalid: secrets begin with whsec_');
  return bytes;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
