// Every fault at every operation of the Stripe adapter: what is answered, what is read afterwards, what a fence says
// then, and what has happened.
import { expect } from 'chai';
import type { LookUp, Outcome, TakenBack } from '../../../src/domain/payment/outcome.ts';
import type { Connection, OperationRequest } from '../../../src/processors/processor.ts';
import type { FaultKind, RequestMatch } from '../../support/stripe-twin/faults.ts';
import { type FollowUp, newReference, openTwinShop, type TwinShop } from './twin-shop.ts';

const DAY_MS = 86_400_000;
const HTML = '<html><body><h1>404 Not Found</h1></body></html>';
type Kind = (Outcome | LookUp | TakenBack)['kind'];

interface Row {
  /** None: the connection is refused, TLS fails, or a proxy answers. */
  readonly fault?: FaultKind;
  /** The server of the connection speaks no TLS. */
  readonly isWithoutTls?: true;
  readonly proxy?: number;
  readonly outcome: Kind;
  readonly found: Kind;
  /** What a fence then says; by default as found. */
  readonly fenced?: Kind;
  /** Keys are pruned before anything is read. */
  readonly isLate?: true;
}
const HAPPENED = { outcome: 'unknown', found: 'succeeded' } as const;
const NOTHING = { outcome: 'unknown', found: 'not_found' } as const;
/** A fault that Stripe itself answers: the payment is read at once. */
const READ = { outcome: 'succeeded', found: 'succeeded' } as const;
/** Its key was used up, and nothing happened: nobody can tell that from a request that runs. */
const USED_UP = { ...NOTHING, fenced: 'unknown' } as const;

const ROWS: { readonly [fault: string]: Row } = {
  'a refused connection': { outcome: 'not_sent', found: 'not_found' },
  'a server without TLS': { isWithoutTls: true, outcome: 'not_sent', found: 'not_found' },
  'a reset before it': { fault: { kind: 'reset', effect: 'none' }, ...NOTHING },
  'a reset after it': { fault: { kind: 'reset', effect: 'done' }, ...HAPPENED },
  'silence before it': { fault: { kind: 'hang', effect: 'none' }, ...NOTHING },
  'silence after it': { fault: { kind: 'hang', effect: 'done' }, ...HAPPENED },
  'a rate limit': { fault: { kind: 'rate_limit' }, outcome: 'not_sent', found: 'not_found' },
  'a lock': { fault: { kind: 'refused', status: 429, code: 'lock_timeout' }, ...USED_UP },
  'a key in use': { fault: { kind: 'refused', status: 409, code: 'idempotency_key_in_use' }, ...USED_UP },
  'another state': { fault: { kind: 'refused', status: 400, code: 'payment_intent_unexpected_state' }, ...USED_UP },
  'a missing PaymentIntent': { fault: { kind: 'refused', status: 404, code: 'resource_missing' }, ...USED_UP },
  'a wrong parameter': {
    fault: { kind: 'refused', status: 400, code: 'parameter_unknown' },
    outcome: 'refused',
    found: 'not_found',
    fenced: 'unknown',
  },
  'a key without rights': {
    fault: { kind: 'refused', status: 403, code: 'more_permissions_required' },
    outcome: 'not_sent',
    found: 'not_found',
    fenced: 'unknown',
  },
  'a 500 before it': { fault: { kind: 'server_error', effect: 'none' }, ...USED_UP },
  'a 500 before it, until its key is pruned': {
    fault: { kind: 'server_error', effect: 'none' },
    ...NOTHING,
    isLate: true,
  },
  'a 500 after it': { fault: { kind: 'server_error', effect: 'done' }, ...READ },
  "a proxy's 502 before it": { fault: { kind: 'bad_gateway', effect: 'none' }, ...NOTHING },
  "a proxy's 502 after it": { fault: { kind: 'bad_gateway', effect: 'done' }, ...READ },
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 409, 429].map((proxy) => [`a proxy's ${proxy}`, { proxy, ...NOTHING }] as const),
  ),
  'half an answer': { fault: { kind: 'truncated' }, ...HAPPENED },
  'an answer about another': { fault: { kind: 'altered', members: { id: 'pi_other' } }, ...HAPPENED },
  'no answer, until its key is pruned': { fault: { kind: 'reset', effect: 'done' }, ...HAPPENED, isLate: true },
};

interface Tried {
  /** Which request at Stripe. */
  readonly match: RequestMatch;
  /** The movement of money by it. */
  readonly effect: string;
  request(shop: TwinShop): Promise<OperationRequest>;
  /** The member in which Stripe tells the amount. */
  readonly told?: string;
}
const following = (operation: FollowUp, path: string): Pick<Tried, 'match' | 'request'> => ({
  match: { method: 'POST', path: new RegExp(path) },
  async request(shop) {
    const more = { isEstimated: true } as const;
    return shop.follow(await (operation === 'refund' ? shop.captured(more) : shop.authorized(more)), operation);
  },
});
const OPERATIONS: { readonly [operation: string]: Tried } = {
  authorization: {
    match: { path: /confirm$/ },
    effect: 'hold 1000',
    request: (shop) => shop.prepared(),
    told: 'amount_capturable',
  },
  capture: { ...following('capture', 'capture$'), effect: 'capture 1000', told: 'amount_received' },
  cancellation: { ...following('cancellation', 'cancel$'), effect: 'release 1000' },
  refund: { ...following('refund', '/v1/refunds'), effect: 'refund 1000', told: 'amount' },
  adjustment: { ...following('adjustment', 'increment_authorization$'), effect: 'increase 500', told: 'amount' },
};

describe('a fault at the Stripe adapter', () => {
  let shop: TwinShop;
  beforeEach(async () => {
    shop = await openTwinShop();
  });
  afterEach(() => shop.close());

  const effectsOf = ({ reference }: OperationRequest) =>
    shop.twin
      .effects()
      .filter(({ key }) => key === reference)
      .map(({ kind, amount }) => `${kind} ${amount}`);
  const REFUSED: Connection = { connectionId: 'stripe', processor: 'stripe', secrets: { secretKey: 'sk_test_1' } };
  /** `struck`: the fault at the twin. The deadline of a request that hangs passes after it arrived there. */
  const callFor = ({ fault, proxy, isWithoutTls }: Row, struck?: { readonly applied: Promise<unknown> }) => {
    const isRefused = fault === undefined && proxy === undefined;
    const deadline = new AbortController();
    void struck?.applied.then(() => deadline.abort());
    const call = { ...shop.call(), ...(fault?.kind === 'hang' && { signal: deadline.signal }) };
    if (isWithoutTls) return { ...call, connection: { ...REFUSED, apiUrl: shop.twin.url.replace('http:', 'https:') } };
    return isRefused ? { ...call, connection: { ...REFUSED, apiUrl: 'http://127.0.0.1:1' } } : call;
  };

  for (const [operation, { match, effect, request: made, told }] of Object.entries(OPERATIONS))
    describe(`during ${operation}`, () => {
      for (const [name, row] of Object.entries(ROWS)) {
        const { fault, proxy, outcome, found, fenced = found, isLate } = row;
        it(`${name}: ${outcome}, then ${found}, fenced ${fenced}`, async () => {
          const request = await made(shop);
          shop.lines();
          const struck = fault && shop.twin.fault(match, inPlaceOf(fault, operation));
          if (proxy !== undefined) shop.answerNext({ status: proxy, body: HTML });
          expect(await shop.stripe.perform(request, callFor(row, struck))).to.have.property('kind', outcome);
          const sent = shop.lines().filter((line) => !line.startsWith('GET'));
          expect(sent.length, 'requests').to.be.at.most(1);
          if (isLate) await shop.twin.moveClock(DAY_MS + 3_600_000);
          expect(await shop.stripe.lookUp(request, shop.call())).to.have.property('kind', found);
          expect(await shop.stripe.fence?.(request, shop.call())).to.have.property('kind', fenced);
          const effects = effectsOf(request);
          if (found === 'succeeded') expect(effects[0]).to.equal(effect);
          else expect(effects).to.deep.equal([]);
        });
      }

      it('another amount is reported as told', async () => {
        const request = await made(shop);
        if (told === undefined) return; // a cancellation has none
        shop.twin.fault(match, { kind: 'altered', members: { [told]: 777 } });
        const outcome = await shop.stripe.perform(request, shop.call());
        expect(outcome).to.include({ kind: 'succeeded', amount: 777, currencyCode: 'EUR' });
      });

      it('another currency is reported as told', async () => {
        const request = await made(shop);
        shop.twin.fault(match, { kind: 'altered', members: { currency: 'usd' } });
        expect(await shop.stripe.perform(request, shop.call())).to.include({ kind: 'succeeded', currencyCode: 'USD' });
      });

      it('a read without an answer of Stripe is none', async () => {
        const request = await made(shop);
        const read: RequestMatch = { method: 'GET' };
        const faults: readonly FaultKind[] = [
          { kind: 'reset', effect: 'none' },
          { kind: 'rate_limit' },
          { kind: 'bad_gateway', effect: 'done' },
          { kind: 'truncated' },
          { kind: 'server_error', effect: 'none' },
          { kind: 'altered', members: { id: 'pi_other', object: 'other' } },
        ];
        for (const fault of faults) {
          shop.twin.fault(read, fault);
          expect(await shop.stripe.lookUp(request, shop.call()), fault.kind).to.have.property('kind', 'unreachable');
        }
        for (const status of [200, 404, 429, 502]) {
          shop.answerNext({ status, body: HTML });
          expect(await shop.stripe.lookUp(request, shop.call()), `${status}`).to.have.property('kind', 'unreachable');
        }
      });

      it('a PaymentIntent that Stripe does not know proves nothing', async () => {
        const request = renamed(await made(shop));
        expect(await shop.stripe.lookUp(request, shop.call())).to.have.property('kind', 'unknown');
        expect(await shop.stripe.fence?.(request, shop.call())).to.have.property('kind', 'unknown');
      });

      it('a fence is none without an answer to each of its requests', async () => {
        const faults: readonly FaultKind[] = [
          { kind: 'reset', effect: 'none' },
          { kind: 'rate_limit' },
          { kind: 'bad_gateway', effect: 'none' },
        ];
        for (const [which, isRead] of [
          [{ method: 'POST' }, false],
          [{ method: 'GET' }, true],
        ] as const)
          for (const fault of faults) {
            const request = await made(shop);
            shop.lines();
            shop.twin.fault(which, fault);
            const fenced = await shop.stripe.fence?.(request, shop.call());
            expect(fenced, fault.kind).to.have.property('kind', 'unreachable');
            expect(shop.lines().length, 'requests').to.equal(isRead ? 2 : 1);
            const again = await shop.stripe.fence?.(request, shop.call());
            expect(again, `${fault.kind}, again`).to.have.property('kind', 'not_found');
          }
      });
    });

  describe('during a dispute answer', () => {
    for (const [name, row] of Object.entries(ROWS))
      it(`${name}: ${unread(row)}, then ${row.found === 'succeeded' ? 'challenged' : 'open'}`, async () => {
        const { fault, proxy, found, isLate } = row;
        const { processorTransactionId = '' } = await shop.captured();
        const { id: disputeId } = shop.twin.accounts[0].openDispute(processorTransactionId);
        const about = { disputeId, accountId: 'acc_1' };
        const answer = { evidence: { text: 'It was delivered.' }, submit: true };
        const match: RequestMatch = { method: 'POST', path: `/v1/disputes/${disputeId}` };
        shop.lines();
        const altered = fault?.kind === 'altered' ? { ...fault, members: { id: 'dp_other' } } : fault;
        const struck = altered && shop.twin.fault(match, altered);
        if (proxy !== undefined) shop.answerNext({ status: proxy, body: HTML });
        const sent = await shop.stripe.dispute?.({ ...about, reference: newReference(), answer }, callFor(row, struck));
        expect(sent).to.have.property('kind', unread(row));
        expect(shop.lines().length, 'requests').to.be.at.most(1);
        if (isLate) await shop.twin.moveClock(DAY_MS + 3_600_000);
        const read = await shop.stripe.lookUpDispute?.(about, shop.call());
        expect(read).to.have.nested.property('dispute.status', found === 'succeeded' ? 'CHALLENGED' : 'OPEN');
      });
  });

  describe('during a preparation', () => {
    for (const [name, row] of Object.entries(ROWS).filter(([, { isLate }]) => !isLate)) {
      if (name === 'an answer about another') continue; // any name is the first one
      it(`${name}: ${unread(row)}, and nothing moves`, async () => {
        const { fault, proxy } = row;
        const request = shop.authorization();
        const struck = fault && shop.twin.fault({ path: '/v1/payment_intents' }, fault);
        if (proxy !== undefined) shop.answerNext({ status: proxy, body: HTML });
        expect(await shop.stripe.prepare?.(request, callFor(row, struck))).to.have.property('kind', unread(row));
        expect(shop.twin.effects()).to.deep.equal([]);
      });
    }

    for (const members of [{ amount: 999 }, { currency: 'usd' }, { status: 'requires_capture' }, { metadata: 'none' }])
      it(`an answer with ${JSON.stringify(members)} is never confirmed`, async () => {
        shop.twin.fault({ path: '/v1/payment_intents' }, { kind: 'altered', members });
        const prepared = await shop.stripe.prepare?.(shop.authorization(), shop.call());
        expect(prepared).to.have.property('kind', 'unknown');
      });
  });
});

/** Only operations are read at once. */
function unread({ outcome }: Row): Kind {
  return outcome === 'succeeded' ? 'unknown' : outcome;
}

/** A refund has an id of its own: another one's answer is known by its PaymentIntent. */
const inPlaceOf = (fault: FaultKind, operation: string): FaultKind =>
  fault.kind === 'altered' && operation === 'refund' ? { ...fault, members: { payment_intent: 'pi_other' } } : fault;

function renamed(request: OperationRequest): OperationRequest {
  const processorTransactionId = 'pi_unknown';
  return request.operation === 'authorization'
    ? { ...request, processorTransactionId }
    : { ...request, authorization: { processorTransactionId } };
}
