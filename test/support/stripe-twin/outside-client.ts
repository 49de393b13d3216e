// Stripe's own client on the twin: its requests are not repeated, and report nothing.
import { AssertionError } from 'chai';
import Stripe from 'stripe';
import type { StripeTwin } from './stripe-twin.ts';

/** Where a twin is, and with which key. */
export interface Access {
  readonly url: string;
  readonly secretKey: string;
}

const accessOf = ({ url, accounts: [{ secretKey }] }: StripeTwin): Access => ({ url, secretKey });

/** The first account's client, unless the key is another one's. */
export function clientOf(twin: StripeTwin | Access, secretKey?: string): Stripe {
  const access = 'accounts' in twin ? accessOf(twin) : twin;
  const { hostname, port } = new URL(access.url);
  return new Stripe(secretKey ?? access.secretKey, {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    timeout: 30_000,
  });
}

/** The error of Stripe's client. Throws if the request succeeded. */
export async function refusedWith(request: Promise<unknown>): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  try {
    await request;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new AssertionError('Stripe accepted the request');
}
