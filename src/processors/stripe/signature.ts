// The signature of Stripe's webhooks: `Stripe-Signature: t=<unix s>,v1=<hex HMAC-SHA256 of "t.body">[,v1=…]`
// (docs.stripe.com/webhooks).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Into the past and into the future, seconds. */
const TOLERANCE_SECONDS = 300;
/** Stripe signs with two secrets for a day after one was replaced; more are none of its. */
const MOST_SIGNATURES = 10;

/** Over the very characters that came, by one of the secrets, and not far from `now` (ms); in constant time. */
export function isSigned(secrets: readonly string[], raw: string, header: string, now: number): boolean {
  const parts = header.split(',').map((part) => part.trim());
  const times = parts.flatMap((part) => /^t=(\d{1,12})$/.exec(part)?.[1] ?? []);
  const signatures = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? []);
  const [seconds, ...others] = times;
  if (seconds === undefined || others.length > 0 || signatures.length > MOST_SIGNATURES) return false;
  if (Math.abs(now / 1_000 - Number(seconds)) > TOLERANCE_SECONDS) return false;
  const expected = secrets
    .filter((secret) => secret !== '')
    .map((secret) => createHmac('sha256', secret).update(`${seconds}.${raw}`).digest());
  return signatures.some((hex) => expected.some((mac) => timingSafeEqual(mac, Buffer.from(hex, 'hex'))));
}
