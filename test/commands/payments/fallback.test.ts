// A second authorization at another connection happens by proof alone; services that are broken on purpose are noticed.
import { expect } from 'chai';
import { makePayments } from '../../../src/commands/payments/payments.ts';
import type { StoreKey } from '../../../src/secrets.ts';
import { drawViolations, ENDS, type FallbackVariant, violationsOf } from './fallback.suite.ts';
import { routedShop } from './routed-shop.ts';

/** Takes what nobody knows for what was not sent. */
const onUnknown: FallbackVariant = {
  name: 'falls back on unknown',
  breaks: /before the outcome of the first was proven/,
  processor: (processor) => ({
    ...processor,
    async perform(request, call) {
      const outcome = await processor.perform(request, call);
      return outcome.kind === 'unknown' ? { kind: 'not_sent', detail: outcome.detail } : outcome;
    },
  }),
};

/** The node that only looks an attempt up asks the next connection as well. */
const byAnotherNode: FallbackVariant = {
  name: 'falls back by another node too',
  breaks: /asked the second|before the outcome of the first was proven/,
  onSecondNode: (processor) => ({
    ...processor,
    async lookUp(request, call) {
      const found = await processor.lookUp(request, call);
      const connection = { ...call.connection, connectionId: 'con_of_the_other_node' };
      if (request.operation === 'authorization' && found.kind === 'not_found')
        await processor.perform({ ...request, reference: `${request.reference}o` }, { ...call, connection });
      return found;
    },
  }),
};

/** Draws the connection by chance. */
const drawnAgain: FallbackVariant = {
  name: 'draws the weights again on a retry',
  breaks: /drew another connection/,
  payments: (parts) => makePayments({ ...parts, storeKey: byChance(parts.storeKey) }),
};

const byChance = (storeKey: StoreKey): StoreKey =>
  new Proxy(storeKey, {
    get(key, member) {
      if (member === 'draw') return () => Math.random();
      const value: unknown = Reflect.get(key, member);
      return typeof value === 'function' ? value.bind(key) : value;
    },
  });

describe('fallback', () => {
  it('asks the second connection after proof, and never after anything else', async () => {
    expect(await violationsOf({})).to.deep.equal([]);
  });

  it('draws the same connection when a request is tried again', async () => {
    expect(await drawViolations({})).to.deep.equal([]);
  });

  it('is on record in one append with the refusal, and the payment is authorized at the second connection', async () => {
    const { accountId, connect, set, paid, service, sandbox } = await routedShop();
    const second = await connect('second');
    const use = [{ connection: 'sandbox', weight: 1 }];
    await set({ rules: [], default: { use, then: ['second'] }, fallbackOn: ['NOT_SENT'], never: [], mostAttempts: 2 });
    const rules = [{ match: { operation: 'authorization' }, do: { phase: 'before_send', fault: 'reset' } }];
    await sandbox.setFaults(accountId, { rules });
    const { id, status, connectionId, attempts } = await paid();
    expect({ status, connectionId }).to.deep.equal({ status: 'AUTHORIZED', connectionId: second });
    const [first, next] = attempts;
    expect(next?.follows).to.deep.equal({ attemptId: first?.attemptId, because: 'fallback' });
    const types: string[] = [];
    for await (const { event } of service.streams.payments.history(id, -1)) types.push(event.type);
    expect(types).to.deep.equal([
      'PaymentCreated',
      'RouteChosen',
      'AuthorizationRequested',
      'AuthorizationNotSent',
      'RouteChosen',
      'AuthorizationRequested',
      'PaymentAuthorized',
    ]);
  });

  it('ends as declined when the last connection refuses as well, and asks no more than mostAttempts', async () => {
    const { connect, set, paid } = await routedShop();
    await connect('second');
    await connect('third');
    const use = [{ connection: 'sandbox', weight: 1 }];
    const then = ['second', 'third'];
    await set({ rules: [], default: { use, then }, fallbackOn: ['SOFT'], never: [], mostAttempts: 2 });
    const { status, attempts } = await paid({ number: '4000000000000119' });
    expect({ status, attempts: attempts.length }).to.deep.equal({ status: 'DECLINED', attempts: 2 });
  });

  for (const variant of [onUnknown, byAnotherNode])
    it(`is noticed when a service ${variant.name}`, async () => {
      const ends = ENDS.filter(({ name }) => ['unknown', 'lost', 'not sent'].includes(name));
      expect((await violationsOf(variant, ends)).join('\n')).to.match(variant.breaks);
    });

  it(`is noticed when a service ${drawnAgain.name}`, async () => {
    expect((await drawViolations(drawnAgain)).join('\n')).to.match(drawnAgain.breaks);
  });
});
