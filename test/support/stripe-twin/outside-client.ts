// Stripe's own client on the twin: its requests are not repeated, and report nothing.
import { AssertionError } from 'chai';
import Stripe from 'stripe';
import type { StripeTwin } from './stripe-twin.ts';

export function clientOf(twin: StripeTwin, secretKey = twin.accounts[0].secretKey): Stripe {
  const { hostname, port } = new URL(twin.url);
  return new Stripe(secretKey, {
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
