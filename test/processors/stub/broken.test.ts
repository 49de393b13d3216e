// Broken variants of the stub: what would charge twice, lose a report, or guess. The suite of processors finds each.
import { expect } from 'chai';
import { z } from 'zod';
import type { LookUp, Outcome, TakenBack } from '../../../src/domain/payment/outcome.ts';
import type { HttpAnswer } from '../../../src/processors/http-call.ts';
import type { Call, OperationRequest, Processor, ProcessorNotification } from '../../../src/processors/processor.ts';
import { failed, rowsFor } from '../../contract/processor.suite.ts';
import { SECRETS } from './acquirer.ts';
import { ONE_STEP, stubOnTrial, TWO_STEPS } from './harness.ts';
import { openStub, performed, type Stub } from './stub.ts';
import { openTwoStepStub } from './two-step.ts';
import { outcomeOf, readAs, Transaction } from './wire.ts';

type Change = (stub: Stub) => Processor;

/** Another outcome of operations than the stub's own. */
const told =
  (change: (outcome: Outcome, request: OperationRequest, call: Call) => Outcome): Change =>
  (stub) => ({
    ...stub,
    perform: async (request, call) => change(await stub.perform(request, call), request, call),
  });

/** Another request than the service's. */
const asked =
  (change: (request: OperationRequest) => OperationRequest): Change =>
  (stub) => ({ ...stub, perform: (request, call) => stub.perform(change(request), call) });

type Items = readonly ProcessorNotification[];
/** Other notifications than those of the body. */
const heard =
  (change: (items: Items) => Items): Change =>
  (stub) => ({
    ...stub,
    notifications(raw, headers, connection, now) {
      const items = stub.notifications(raw, headers, connection, now);
      return typeof items === 'string' ? items : change(items);
    },
    reread(raw) {
      const items = stub.reread(raw);
      return items && change(items);
    },
  });

const isUnknownBy = (outcome: Outcome, detail: RegExp): boolean =>
  outcome.kind === 'unknown' && detail.test(outcome.detail);
const NOT_FOUND = { kind: 'not_found' } as const;
const NOT_SENT = { kind: 'not_sent', detail: 'it was refused' } as const;

const Body = z.object({ events: z.array(z.unknown()) });
/** The body without the items that the stub cannot read. */
const readable = (stub: Stub, raw: string): string =>
  JSON.stringify({
    events: readAs(Body, raw)?.events.filter((event) => stub.reread(JSON.stringify({ events: [event] })) !== undefined),
  });

const Order = z.object({ id: z.string(), reference: z.string(), transaction: Transaction.optional() });
const Orders = z.object({ orders: z.array(Order) });
const shapeIn = <Shape>(answer: HttpAnswer, shape: z.ZodType<Shape>): Shape | undefined =>
  answer.kind === 'answered' && answer.status === 200 ? readAs(shape, answer.body) : undefined;

interface Broken {
  /** The stub of two steps, where a duty of these is broken. */
  readonly open?: typeof openStub;
  readonly change: Change;
  /** The rows that find it, by words of their names. */
  readonly rows: readonly RegExp[];
}

const BROKEN: { readonly [name: string]: Broken } = {
  'reports a decline as a success': {
    change: told((outcome, { amount, currencyCode }) =>
      outcome.kind === 'declined'
        ? { kind: 'succeeded', processorTransactionId: 'st-0', amount, currencyCode }
        : outcome,
    ),
    rows: [/the issuer refused as declined/],
  },
  'reports what is pending as declined': {
    change: told((outcome) =>
      outcome.kind === 'pending' ? { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' } : outcome,
    ),
    rows: [/not decided yet as pending/],
  },
  'takes any 404 of a look-up for "not found"': {
    change: (stub) => ({
      ...stub,
      async lookUp(request, call) {
        const found = await stub.lookUp(request, call);
        return found.kind === 'unreachable' && found.detail.includes('status 404') ? { kind: 'not_found' } : found;
      },
    }),
    rows: [/look-up whose server is page_404_before unanswered/],
  },
  'takes any 4xx for "not sent"': {
    change: told((outcome) => (isUnknownBy(outcome, /status 4\d\d/) ? NOT_SENT : outcome)),
    rows: [
      /grades .* page_403_before/,
      /grades .* page_404_before/,
      /grades .* page_408_after/,
      /grades .* status_409/,
      /grades .* status_429/,
    ],
  },
  'believes a notification of any age': {
    change: (stub) => ({
      ...stub,
      notifications(raw, headers, connection, now) {
        const [, seconds] = /^t=(\d+)/.exec(headers['x-stub-signature'] ?? '') ?? [];
        return stub.notifications(raw, headers, connection, seconds === undefined ? now : Number(seconds) * 1_000);
      },
    }),
    rows: [/no notification of an hour ago/],
  },
  "ignores the connection's secrets": {
    change(stub) {
      const byOwn = (call: Call): Call => ({ ...call, connection: { ...call.connection, secrets: SECRETS } });
      return {
        ...stub,
        tokenize: (request, call) => stub.tokenize(request, byOwn(call)),
        perform: (request, call) => stub.perform(request, byOwn(call)),
        lookUp: (request, call) => stub.lookUp(request, byOwn(call)),
        notifications: (raw, headers, connection, now) =>
          stub.notifications(raw, headers, { ...connection, secrets: SECRETS }, now),
      };
    },
    rows: [/account of the connection/, /secrets that the processor refuses/, /another connection could have signed/],
  },
  'drops the items of a body that it cannot read': {
    change: (stub) => ({
      ...stub,
      notifications(raw, headers, connection, now) {
        const items = stub.notifications(raw, headers, connection, now);
        return items === 'unparsable' ? (stub.reread(readable(stub, raw)) ?? items) : items;
      },
      reread: (raw) => stub.reread(raw) ?? stub.reread(readable(stub, raw)),
    }),
    rows: [/nothing of a body with an item/],
  },
  'sends 1000 in every refund': {
    change: asked((request) => (request.operation === 'refund' ? { ...request, amount: 1_000 } : request)),
    rows: [/every operation once/],
  },
  'reads a notification of a refusal as a success': {
    change: heard((items) =>
      items.map((item) => {
        if (!('subject' in item && 'outcome' in item.about) || item.about.outcome.kind !== 'declined') return item;
        const outcome = {
          kind: 'succeeded',
          processorTransactionId: 'st-0',
          amount: 1_000,
          currencyCode: 'EUR',
        } as const;
        return { ...item, about: { ...item.about, outcome } };
      }),
    ),
    rows: [/notification of a refusal/, /every item of a body/],
  },
  'says of every notification that it happened in 1970': {
    change: heard((items) => items.map((item) => ({ ...item, occurredAt: 0 }))),
    rows: [/notification of a success/, /notification of a refusal/, /every item of a body/],
  },
  'drops all items of a body but the first': {
    change: heard((items) => items.slice(0, 1)),
    rows: [/every item of a body/],
  },
  'takes "this reference was used" for "not sent"': {
    change: told((outcome) => (isUnknownBy(outcome, /used already/) ? NOT_SENT : outcome)),
    rows: [/used for something else/],
  },
  'never sends that a capture is final': {
    change: asked((request) => (request.operation === 'capture' ? { ...request, final: false } : request)),
    rows: [/rest of an authorization after a capture/],
  },
  'says its API key in the detail of a lost call': {
    change: told((outcome, _request, { connection }) =>
      outcome.kind === 'unknown'
        ? { ...outcome, detail: `${outcome.detail}, sent with ${connection.secrets['apiKey']}` }
        : outcome,
    ),
    rows: [/as unknown,/],
  },
  'makes and confirms an order in one call, and looks it up in a list': {
    change: (stub) => ({
      ...stub,
      async perform(request, call) {
        if (request.operation !== 'authorization') return stub.perform(request, call);
        const { reference, amount, currencyCode: currency, processorToken: token } = request;
        const made = await stub.ask('POST', '/v1/orders', call, { reference, amount, currency });
        const order = shapeIn(made, Order);
        if (order === undefined) return performed(made);
        return performed(await stub.ask('POST', `/v1/orders/${order.id}/confirm`, call, { reference, token }));
      },
      async lookUp(request, call): Promise<LookUp | TakenBack> {
        if (request.operation !== 'authorization') return stub.lookUp(request, call);
        const list = shapeIn(await stub.ask('GET', '/v1/orders', call), Orders);
        if (list === undefined) return { kind: 'unreachable', detail: 'no list came' };
        const found = list.orders.find(({ reference }) => reference === request.reference)?.transaction;
        return found === undefined ? { kind: 'not_found' } : outcomeOf(found);
      },
    }),
    rows: [/asked for again 25 hours later/, /finds a payment 25 hours later/],
  },
  'takes a lost call for "not sent"': {
    change: told((outcome) => (outcome.kind === 'unknown' ? NOT_SENT : outcome)),
    rows: [/as unknown,/, /lost at any of its requests/, /arrived after a look-up/],
  },
  'takes an unanswered look-up for "not found"': {
    change: (stub) => ({
      ...stub,
      async lookUp(request, call) {
        const found = await stub.lookUp(request, call);
        return found.kind === 'unreachable' ? { kind: 'not_found' } : found;
      },
    }),
    rows: [/unanswered, never not found/, /one of the reads is lost/],
  },
  'answers with the amount that was asked for': {
    change: told((outcome, { amount, currencyCode }) =>
      outcome.kind === 'succeeded' ? { ...outcome, amount, currencyCode } : outcome,
    ),
    rows: [/another currency than asked/, /another amount than asked/],
  },
  'sends by a reference of its own': {
    change(stub) {
      let sent = 0;
      return asked((request) => {
        sent += 1;
        return { ...request, reference: `${request.reference}x${sent}` };
      })(stub);
    },
    rows: [/every operation once/, /one reference that it is asked for/],
  },
  'has a deadline of its own': {
    change: (stub) => ({
      ...stub,
      perform: (request, call) => stub.perform(request, { ...call, signal: AbortSignal.timeout(60_000) }),
    }),
    rows: [/when the deadline has passed/],
  },
  'believes what is not signed': {
    change: (stub) => ({ ...stub, notifications: (raw) => stub.reread(raw) ?? 'unparsable' }),
    rows: [/over the very bytes/, /an hour ago/],
  },
  'counts a currency without decimals in hundredths': {
    change: asked((request) =>
      request.currencyCode === 'JPY' ? { ...request, amount: request.amount * 100 } : request,
    ),
    rows: [/every currency/],
  },
  'keeps the number of the card': {
    change: (stub) => ({
      ...stub,
      async tokenize(request, call) {
        const made = await stub.tokenize(request, call);
        if (!('card' in made) || !('card' in request.from)) return made;
        return { ...made, card: { ...made.card, cardholderName: request.from.card.number } };
      },
    }),
    rows: [/one token of one reference/],
  },
  'knows an authorization by its name alone': {
    change: told((outcome, request) =>
      'authorization' in request && 'reference' in request.authorization ? NOT_SENT : outcome,
    ),
    rows: [/authorization by our own reference/],
  },
  'sends an operation to look it up': {
    change: (stub) => ({
      ...stub,
      async lookUp(request, call) {
        const outcome = await stub.perform(request, call);
        return outcome.kind === 'not_sent' || outcome.kind === 'refused'
          ? { kind: 'unreachable', detail: outcome.detail }
          : outcome;
      },
    }),
    rows: [/a look-up changes nothing/],
  },
  'takes what was not sent for lost': {
    change: told((outcome) => (outcome.kind === 'not_sent' ? { ...outcome, kind: 'unknown' } : outcome)),
    rows: [/whose server is refused as not_sent/, /when the deadline has passed/, /secrets that the processor refuses/],
  },
  'refuses a card when nobody answers': {
    change: (stub) => ({
      ...stub,
      tokenize: (request, call) =>
        stub.tokenize(request, call).catch(() => ({ kind: 'refused', description: 'Stub does not take this card.' })),
    }),
    rows: [/no token that its server has not made/],
  },
  'reads no stored notification': {
    change: (stub) => ({ ...stub, reread: () => undefined }),
    rows: [/stored notification/],
  },
  'gives all notifications one id': {
    change: heard((items) => items.map((item) => ({ ...item, notificationId: 'n-1' }))),
    rows: [/the same id each time/, /every item of a body/],
  },
  'takes a body that it cannot read for an empty one': {
    change: (stub) => ({
      ...stub,
      notifications(raw, headers, connection, now) {
        const items = stub.notifications(raw, headers, connection, now);
        return items === 'unparsable' ? [] : items;
      },
    }),
    rows: [/a signed body unparsable/, /nothing of a body with an item/],
  },
  'confirms while it prepares': {
    open: openTwoStepStub,
    change: (stub) => ({
      ...stub,
      async prepare(request, call) {
        const ready = (await stub.prepare?.(request, call)) ?? NOT_SENT;
        if (ready.kind === 'prepared')
          await stub.perform({ ...request, processorTransactionId: ready.processorTransactionId }, call);
        return ready;
      },
    }),
    rows: [/nothing by what is prepared/],
  },
  'takes an unanswered preparation for a refusal': {
    open: openTwoStepStub,
    change: (stub) => ({
      ...stub,
      async prepare(request, call) {
        const ready = (await stub.prepare?.(request, call)) ?? NOT_SENT;
        return ready.kind === 'unknown' ? { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' } : ready;
      },
    }),
    rows: [/by a preparation that/],
  },
  'cancels by its fence': {
    open: openTwoStepStub,
    change: (stub) => ({
      ...stub,
      async fence(request, call) {
        const fenced = (await stub.fence?.(request, call)) ?? NOT_FOUND;
        if (fenced.kind !== 'succeeded' || request.operation !== 'authorization') return fenced;
        const { processorTransactionId, amount, currencyCode } = fenced;
        const { accountId, paymentId, requestedAt, reference } = request;
        const about = { accountId, paymentId, requestedAt, currencyCode, amount: 0, reference: `${reference}x` };
        await stub.perform({ ...about, operation: 'cancellation', authorization: { processorTransactionId } }, call);
        return { kind: 'released', processorTransactionId, amount, currencyCode };
      },
    }),
    rows: [/by the fence of what succeeded/],
  },
  'prepares again where nothing is on record': {
    open: openTwoStepStub,
    change: (stub) => ({
      ...stub,
      async perform(request, call) {
        if (request.operation !== 'authorization' || request.processorTransactionId !== undefined)
          return stub.perform(request, call);
        const ready = (await stub.prepare?.(request, call)) ?? NOT_SENT;
        return ready.kind === 'prepared'
          ? stub.perform({ ...request, processorTransactionId: ready.processorTransactionId }, call)
          : ready;
      },
    }),
    rows: [/nothing without the name/],
  },
  'takes a look-up for a fence': {
    open: openTwoStepStub,
    change: (stub) => ({ ...stub, fence: (request, call) => stub.lookUp(request, call) }),
    rows: [/arrives after its fence/, /arrives 25 hours after its fence/],
  },
  'takes an unanswered fence for one that proves': {
    open: openTwoStepStub,
    change: (stub) => ({
      ...stub,
      async fence(request, call) {
        const fenced = (await stub.fence?.(request, call)) ?? NOT_FOUND;
        return fenced.kind === 'unreachable' ? NOT_FOUND : fenced;
      },
    }),
    rows: [/fence for done whose requests were lost/],
  },
};

describe('a broken processor is found that', () => {
  for (const [name, { open = openStub, change, rows: words }] of Object.entries(BROKEN))
    it(name, async () => {
      const rows = rowsFor(open === openStub ? ONE_STEP : TWO_STEPS);
      const finding = rows.filter((row) => words.some((word) => word.test(row.name)));
      for (const word of words)
        expect(
          finding.some((row) => word.test(row.name)),
          String(word),
        ).to.equal(true);
      expect(await failed(finding, stubOnTrial(open, change))).to.deep.equal(finding.map((row) => row.name));
    });
});

/** Rows that the adapter of Stripe breaks in test/processors/stripe/broken.test.ts: the acquirer has nothing of it. */
const AT_STRIPE = [/server is busy as/, /gets the request twice/];

it('each row of the suite of processors finds something broken', () => {
  const found = [...Object.values(BROKEN).flatMap(({ rows }) => rows), ...AT_STRIPE];
  const others = rowsFor(TWO_STEPS).filter(({ name }) => !found.some((word) => word.test(name)));
  expect(others.map(({ name }) => name)).to.deep.equal([]);
});
