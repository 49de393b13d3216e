// Payments over HTTP: one that is authorized, and the load of complete ones.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { answered, newSession, post } from './patches.ts';
import { lineOf } from './pinned.ts';

/** Makes an authorized payment. Answers its id. */
export async function newPayment(url: string, key: string): Promise<string> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
  const clientToken = await newSession(url, headers);
  const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
  const checkout = { 'X-Client-Token': clientToken, 'Content-Type': 'application/json' };
  const { token } = z
    .object({ token: z.string() })
    .parse(await post(`${url}/checkout/payment-instruments`, checkout, { card }));
  return z
    .object({ id: z.string() })
    .parse(await post(`${url}/payments`, headers, { clientToken, paymentMethodToken: token })).id;
}

/** Makes complete payments for `ms`, in a process that `run` starts. Answers how many a second. */
export async function paymentsPerSecond(
  { url, key }: { readonly url: string; readonly key: string },
  ms: number,
  run: (args: readonly string[]) => ChildProcess,
): Promise<number> {
  const script = fileURLToPath(new URL('payments-load.ts', import.meta.url));
  return answered(await lineOf(run(['--import', 'tsx', script, url, key, String(ms)]), /^Loaded (.*)$/));
}

/**
 * A number of `refunds` of settled payments, of `charges` of agreements, or of payments with the same `saved` cards
 * under a key. Answers how many a second. `begin`: when what they need is made.
 */
export async function callsPerSecond(
  load: 'refunds' | 'charges' | 'saved',
  { url, key }: { readonly url: string; readonly key: string },
  run: (args: readonly string[]) => ChildProcess,
  begin?: () => Promise<void>,
): Promise<number> {
  const script = fileURLToPath(new URL('payments-load.ts', import.meta.url));
  const child = run(['--import', 'tsx', script, url, key, load]);
  await lineOf(child, /^(Ready)$/);
  await begin?.();
  child.kill('SIGUSR2'); // it waits, so that nothing is refunded before the caller counts
  return answered(await lineOf(child, /^Loaded (.*)$/));
}
