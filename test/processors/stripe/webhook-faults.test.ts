// Every fault of a webhook at every operation by Stripe: the answer of the operation is lost, and the event about it
// comes early, twice, reversed, or from somebody who may not send it.
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf } from '../../support/http-merchant.ts';
import type { Answer } from '../../support/http-request.ts';
import { type HttpService, serveHttp } from '../../support/http-service.ts';
import { signatureOf } from '../../support/stripe-twin/webhooks.ts';
import { until } from '../../support/until.ts';
import { atTwin } from './twin-service.ts';
import { openTwinShop, type TwinShop, WEBHOOK_SECRET } from './twin-shop.ts';

const LATER_THAN_ANY_CALL = 60_000;
const TOO_FAR_IN_THE_FUTURE = 600_000;

const Paid = z.looseObject({
  id: z.string(),
  status: z.string(),
  processor: z.looseObject({
    amountAuthorized: z.number(),
    amountCaptured: z.number(),
    amountRefunded: z.number(),
    processorTransactionId: z.string().optional(),
  }),
  disputes: z.array(z.looseObject({ id: z.string(), status: z.string() })).default([]),
});
type Paid = z.infer<typeof Paid>;

/** Somebody who delivers events. */
interface Sender {
  readonly secret?: string;
  readonly aheadMs?: number;
  readonly livemode?: boolean;
}

interface Operation {
  /** The path of its request at Stripe. */
  readonly path: RegExp;
  /** The calls that lead to it; answers the one that asks for it. */
  readonly prepare: () => Promise<() => Promise<Answer>>;
  readonly isDone: (payment: Paid) => boolean;
  /** What it moves. */
  readonly effects: readonly string[];
}

describe('a webhook of Stripe', () => {
  let shop: TwinShop;
  let http: HttpService;
  before(async () => {
    shop = await openTwinShop();
    http = await serveHttp({ processor: atTwin(shop) });
  });
  after(async () => {
    await http.stop();
    await shop.close();
  });

  const account = () => shop.twin.accounts[0];
  const read = async (id: string): Promise<Paid> => bodyOf(await http.shop.ask('GET', `/payments/${id}`), Paid);
  const send = async (event: object, { secret = WEBHOOK_SECRET, aheadMs = 0, livemode = false }: Sender = {}) => {
    const text = JSON.stringify({ ...event, livemode });
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': signatureOf([secret], text, http.world.now() + aheadMs),
    };
    return (await http.request('POST', '/webhooks/stripe', { key: http.shop.key, text, headers })).status;
  };
  const on = (id: string, what: string, body: object) => () => http.shop.ask('POST', `/payments/${id}/${what}`, body);
  const disputed = async (): Promise<{ readonly id: string; readonly disputeId: string }> => {
    const { id } = await http.shop.captured();
    account().openDispute((await read(id)).processor.processorTransactionId ?? '');
    const event = account().events.findLast(({ type }) => type === 'charge.dispute.created') ?? {};
    expect(await send(event)).to.equal(202);
    await until(async () => (await read(id)).disputes.length > 0);
    return { id, disputeId: (await read(id)).disputes[0]?.id ?? '' };
  };

  const OPERATIONS: { readonly [name: string]: Operation } = {
    authorization: {
      path: /confirm$/,
      prepare: async () => {
        const clientToken = await http.shop.session();
        const paymentMethodToken = await http.shop.tokenize(clientToken);
        return () => http.shop.ask('POST', '/payments', { clientToken, paymentMethodToken });
      },
      isDone: ({ status }) => status === 'AUTHORIZED',
      effects: ['hold 1000'],
    },
    capture: {
      path: /capture$/,
      prepare: async () => on((await http.shop.paid()).id, 'capture', {}),
      isDone: ({ processor }) => processor.amountCaptured === 1_000,
      effects: ['capture 1000'],
    },
    cancellation: {
      path: /cancel$/,
      prepare: async () => on((await http.shop.paid()).id, 'cancel', {}),
      isDone: ({ status }) => status === 'CANCELLED',
      effects: ['release 1000'],
    },
    refund: {
      path: /refunds$/,
      prepare: async () => on((await http.shop.captured()).id, 'refund', { amount: 400 }),
      isDone: ({ processor }) => processor.amountRefunded === 400,
      effects: ['refund 400'],
    },
    adjustment: {
      path: /increment_authorization$/,
      prepare: async () => {
        const session = { paymentMethod: { authorizationType: 'ESTIMATED' } };
        return on((await http.shop.paid({ session })).id, 'adjust-authorization', { amount: 1_500 });
      },
      isDone: ({ processor }) => processor.amountAuthorized === 1_500,
      effects: ['increase 500'],
    },
    'dispute answer': {
      path: /disputes\/dp_\w+$/,
      prepare: async () => {
        const { id, disputeId } = await disputed();
        return on(id, `disputes/${disputeId}/evidence`, { text: 'It was delivered.', submit: true });
      },
      isDone: ({ disputes }) => disputes[0]?.status === 'CHALLENGED',
      effects: [],
    },
  };

  for (const [name, { path, prepare, isDone, effects }] of Object.entries(OPERATIONS))
    describe(`about a${/^[aeiou]/.test(name) ? 'n' : ''} ${name} whose answer is lost`, () => {
      let id: string;
      let moved: number;
      let told: number;
      /** The events since the operation was asked for, and the movements of money. */
      const events = () => account().events.slice(told);
      const isSettled = async () => isDone(await read(id));
      const expectOnce = async () => {
        await until(isSettled);
        expect(
          shop.twin
            .effects()
            .slice(moved)
            .map(({ kind, amount }) => `${kind} ${amount}`),
        ).to.deep.equal(effects);
      };
      /** From then on an event, and the resolver, may look it up. */
      const later = (): void => http.world.advance(LATER_THAN_ANY_CALL);
      const lost = async () => {
        const ask = await prepare();
        [moved, told] = [shop.twin.effects().length, account().events.length];
        shop.twin.fault({ path }, { kind: 'reset', effect: 'done' });
        const answer = await ask();
        expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 202]);
        id = bodyOf(answer, Paid).id;
        expect(await isSettled(), 'before any event').to.equal(false);
      };
      const sendAll = async (list: readonly object[], sender?: Sender): Promise<readonly number[]> => {
        const statuses: number[] = [];
        for (const event of list) statuses.push(await send(event, sender));
        return statuses;
      };

      it('settles it once, even if it comes twice', async () => {
        await lost();
        later();
        for (const status of await sendAll(events().flatMap((event) => [event, event]))) expect(status).to.equal(202);
        await expectOnce();
      });

      it('settles it once if the events come in reverse', async () => {
        await lost();
        later();
        for (const status of await sendAll(events().toReversed())) expect(status).to.equal(202);
        await expectOnce();
      });

      it('settles it once if it comes before the answer', async () => {
        const ask = await prepare();
        [moved, told] = [shop.twin.effects().length, account().events.length];
        const held = shop.twin.fault({ path }, { kind: 'hold', at: 'response' });
        const asking = ask();
        await held.applied;
        for (const status of await sendAll(events())) expect(status).to.equal(202);
        await held.release();
        const answer = await asking;
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        id = bodyOf(answer, Paid).id;
        await expectOnce();
      });

      for (const [what, sender] of [
        ['in the future', { aheadMs: TOO_FAR_IN_THE_FUTURE }],
        ['signed by a secret that was replaced', { secret: 'whsec_older' }],
        ["signed by another connection's secret", { secret: 'whsec_of_another' }],
        ['of the other mode', { livemode: true }],
      ] as const)
        it(`changes nothing ${what}`, async () => {
          await lost();
          for (const status of await sendAll(events(), sender)) expect(status).to.equal(401);
          expect(await isSettled()).to.equal(false);
          later();
          await sendAll(events());
          await expectOnce();
        });

      it('changes nothing if it is about an object that no payment names', async () => {
        await lost();
        const foreign = JSON.parse(
          JSON.stringify(events())
            .replaceAll(/"(pi|re|ch|dp|evt)_\w+"/g, '"$1_foreign"')
            .replaceAll(/"r?[0-9a-f]{40}"/g, '"foreign"'),
        );
        for (const status of await sendAll(z.array(z.looseObject({})).parse(foreign))) expect(status).to.equal(202);
        expect(await isSettled()).to.equal(false);
        later();
        await sendAll(events());
        await expectOnce();
      });
    });

  it('reports no fault', () => expect(http.faults).to.deep.equal([]));
});
