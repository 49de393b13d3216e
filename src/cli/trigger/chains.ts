// The chain of objects that each type of message comes of: the calls of a shop and its customer, and rules of the
// sandbox.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { MessageType } from '../../domain/payment/message.ts';
import type { World } from '../../world.ts';
import { authorize, Payment } from '../demo/checkout.ts';
import type { Client } from '../demo/exchange.ts';
import { Refused } from '../exit.ts';
import type { InTurn } from './rule-turn.ts';

/** The way to a service, and the key of the shop. */
export interface ChainParts {
  readonly client: Client;
  readonly apiKey: string;
  readonly world: World;
  /** Of changes of the sandbox's rules. */
  readonly inTurn: InTurn;
}

/** Answers the payment's id. Throws Refused and Unavailable. */
type Chain = (parts: ChainParts) => Promise<string>;

const APPROVED = '4242424242424242';
const CAPTURE_REFUSED_LATER = '4000009900003057';
const REFUND_REFUSED = '4000009900004014';
const DISPUTED = '4000000000000259';

/** 422: refused by the processor, or never there; that is what some of the chains are about. */
const REFUSED = 422;
/** Minor units. */
const PART = 2_500;

export const CHAINS: { readonly [T in MessageType]: Chain } = {
  'PAYMENT.STATUS': (parts) => captured(parts, APPROVED),
  'PAYMENT.REFUND': async (parts) => {
    const id = await captured(parts, APPROVED);
    await change(parts, id, 'refund', { amount: PART });
    return id;
  },
  'PAYMENT.CAPTURE.FAILED': (parts) => captured(parts, CAPTURE_REFUSED_LATER),
  'PAYMENT.REFUND.FAILED': async (parts) => {
    const id = await captured(parts, REFUND_REFUSED);
    await change(parts, id, 'refund', { amount: PART }, REFUSED);
    return id;
  },
  'PAYMENT.CANCELLATION.FAILED': async (parts) => {
    const id = await authorized(parts, APPROVED);
    await withRule(parts, 'cancellation', () => change(parts, id, 'cancel', {}, REFUSED));
    return id;
  },
  'PAYMENT.ADJUSTMENT.FAILED': async (parts) => {
    const id = await authorized(parts, APPROVED, { paymentMethod: { authorizationType: 'ESTIMATED' } });
    await withRule(parts, 'adjustment', () => change(parts, id, 'adjust-authorization', { amount: PART }, REFUSED));
    return id;
  },
  'DISPUTE.OPENED': (parts) => captured(parts, DISPUTED),
  'DISPUTE.STATUS': async (parts) => {
    const id = await captured(parts, DISPUTED);
    await change(parts, id, `disputes/${await openDispute(parts, id)}/accept`, {});
    return id;
  },
};

async function authorized({ client, apiKey, world }: ChainParts, card: string, fields: object = {}): Promise<string> {
  const { body } = await authorize(client, apiKey, card, world, fields);
  return Payment.parse(body).id;
}

async function captured(parts: ChainParts, card: string): Promise<string> {
  const id = await authorized(parts, card);
  await change(parts, id, 'capture', {});
  return id;
}

async function change(
  { client, apiKey }: ChainParts,
  id: string,
  what: string,
  body: object,
  mayBe?: number,
): Promise<void> {
  const path = `/payments/${id}/${what}`;
  await client.send({
    method: 'POST',
    path,
    credential: ['X-Api-Key', apiKey],
    body,
    ...(mayBe !== undefined && { mayBe }),
  });
}

const LOOK_EVERY_MS = 250;
const DISPUTED_WITHIN_MS = 30_000;
const Disputed = z.looseObject({ disputes: z.array(z.looseObject({ id: z.string() })).default([]) });

async function openDispute({ client, apiKey, world }: ChainParts, id: string): Promise<string> {
  const deadline = world.monotonic() + DISPUTED_WITHIN_MS;
  const isOpen = (answer: unknown): boolean => Disputed.parse(answer).disputes.length > 0;
  while (world.monotonic() < deadline) {
    const { body } = await client.look(
      { method: 'GET', path: `/payments/${id}`, credential: ['X-Api-Key', apiKey] },
      isOpen,
    );
    const [dispute] = Disputed.parse(body).disputes;
    if (dispute !== undefined) return dispute.id;
    await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
  }
  throw new Refused(`No dispute was opened within ${DISPUTED_WITHIN_MS / 1_000} s.`);
}

const Plan = z.looseObject({ seed: z.number(), rules: z.array(z.unknown()).default([]) });

/**
 * The account's own rules come after this one; at the end it alone is taken out, whatever a person has changed
 * meanwhile.
 */
const withRule = (
  { client, apiKey, inTurn }: ChainParts,
  operation: 'cancellation' | 'adjustment',
  work: () => Promise<void>,
): Promise<void> =>
  inTurn(async () => {
    const credential = ['X-Api-Key', apiKey] as const;
    const path = '/sandbox/faults';
    const own = { match: { operation }, do: { phase: 'before_send', fault: 'reset', times: 1 } };
    const replace = async (change: (rules: readonly unknown[]) => readonly unknown[]): Promise<void> => {
      const { seed, rules } = Plan.parse((await client.look({ method: 'GET', path, credential }, () => false)).body);
      await client.send({ method: 'PUT', path, credential, body: { seed, rules: change(rules) } });
    };
    await replace((rules) => [own, ...rules]);
    try {
      await work();
    } finally {
      await replace((rules) => {
        const place = rules.findIndex((rule) => isDeepStrictEqual(rule, own));
        return rules.filter((_, at) => at !== place);
      });
    }
  });
