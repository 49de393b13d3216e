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
 * Settled payments that are refunded once each. Answers how many refunds a second. `begin`: when the payments are made.
 */
export async function refundsPerSecond(
  { url, key }: { readonly url: string; readonly key: string },
  run: (args: readonly string[]) => ChildProcess,
  begin?: () => Promise<void>,
): Promise<number> {
  const script = fileURLToPath(new URL('payments-load.ts', import.meta.url));
  const child = run(['--import', 'tsx', script, url, key, 'refunds']);
  await lineOf(child, /^(Paid)$/);
  await begin?.();
  child.kill('SIGUSR2'); // it waits, so that nothing is refunded before the caller counts
  return answered(await lineOf(child, /^Loaded (.*)$/));
}
