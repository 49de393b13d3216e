// How a call between nodes is signed: HMAC-SHA256 over method, path, time and body, with a key that only nodes of one
// service have.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { movedAheadMs, type World } from '../../../world.ts';

/** A call is `POST <here>/<its name>`; not a part of the public API. */
export const CALLS_PATH = '/internal/sandbox';
/**
 * `t=<ms since the epoch by the machine's clock>,v1=<hex>`; where business time is ahead of that:
 * `t=<ms>+<ms ahead>,v1=<hex>`.
 */
export const CALL_SIGNATURE_HEADER = 'X-Counterfoil-Signature';

/**
 * A time as a node knows it. The machine's clock says whether a signature is fresh, because nodes learn of a movement
 * of the business clock at different moments; how far business time is ahead says whether it was moved while the call
 * was on its way.
 */
export interface CallTime {
  /** ms since the epoch */
  readonly machine: number;
  /** How far business time is ahead of the machine's, ms. */
  readonly aheadMs: number;
}

export function callTime(world: Pick<World, 'now' | 'steady' | 'monotonic'>): CallTime {
  const aheadMs = movedAheadMs(world);
  return { machine: world.now() - aheadMs, aheadMs };
}

/** How far the clocks of two nodes may be apart, and how long a call may be on its way. */
const TOLERANCE_MS = 300_000;

interface SignedCall {
  readonly method: string;
  /** Without any prefix that a proxy may have added. */
  readonly path: string;
  readonly body: string;
}

// The body comes last, so that no part can be mistaken for another: none of the others holds a line break.
const mac = (key: Buffer, { method, path, body }: SignedCall, at: string): Buffer =>
  createHmac('sha256', key).update(`${method}\n${path}\n${at}\n${body}`).digest();

/** The header's value. */
export function signCall(key: Buffer, call: SignedCall, { machine, aheadMs }: CallTime): string {
  const at = aheadMs > 0 ? `${machine}+${aheadMs}` : String(machine);
  return `t=${at},v1=${mac(key, call, at).toString('hex')}`;
}

/**
 * When the call was signed, if any of the keys signed it at most 5 minutes from `now` (ms, the machine's clock);
 * compared in constant time.
 */
export function signedAt(
  keys: readonly Buffer[],
  header: string | undefined,
  call: SignedCall,
  now: number,
): CallTime | undefined {
  const [, at, machine, aheadMs = '0', hex] =
    /^t=((\d{1,15})(?:\+(\d{1,15}))?),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (at === undefined || hex === undefined || Math.abs(now - Number(machine)) > TOLERANCE_MS) return undefined;
  const given = Buffer.from(hex, 'hex');
  const isSigned = keys.some((key) => timingSafeEqual(mac(key, call, at), given));
  return isSigned ? { machine: Number(machine), aheadMs: Number(aheadMs) } : undefined;
}
