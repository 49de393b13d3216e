// How a call between nodes is signed: HMAC-SHA256 over method, path, time and body, with a key that only nodes of one service have.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A call is `POST <here>/<its name>`; not a part of the public API. */
export const CALLS_PATH = '/internal/sandbox';
/** `t=<ms since the epoch>,v1=<hex>` */
export const CALL_SIGNATURE_HEADER = 'X-Counterfoil-Signature';

/** How far the clocks of two nodes may be apart, and how long a call may be on its way. */
const TOLERANCE_MS = 300_000;

export interface SignedCall {
  readonly method: string;
  /** Without what a proxy may have put before it. */
  readonly path: string;
  readonly body: string;
}

// The body comes last, so that no part can be mistaken for another: none of the others holds a line break.
const mac = (key: Buffer, { method, path, body }: SignedCall, at: string): Buffer =>
  createHmac('sha256', key).update(`${method}\n${path}\n${at}\n${body}`).digest();

/** The header's value. `now` in ms. */
export const signCall = (key: Buffer, call: SignedCall, now: number): string =>
  `t=${now},v1=${mac(key, call, String(now)).toString('hex')}`;

/** When the call was signed (ms), if any of the keys signed it at most 5 minutes from now; compared in constant time. */
export function signedAt(keys: readonly Buffer[], header: string | undefined, call: SignedCall, now: number): number | undefined {
  const [, at, hex] = /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (at === undefined || hex === undefined || Math.abs(now - Number(at)) > TOLERANCE_MS) return undefined;
  const given = Buffer.from(hex, 'hex');
  return keys.some((key) => timingSafeEqual(mac(key, call, at), given)) ? Number(at) : undefined;
}
