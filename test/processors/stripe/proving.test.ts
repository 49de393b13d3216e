// The run that tries what the fences rely on: a twin that is faithful passes it, and lies of a twin fail it.
import { expect } from 'chai';
import type { ProofStep } from '../../../src/processors/processor.ts';
import type { FaultKind, SeenRequest } from '../../support/stripe-twin/faults.ts';
import type { Lie } from '../../support/stripe-twin/lies.ts';
import { openTwinShop, type TwinShop } from './twin-shop.ts';

const steps = async ({ stripe, call }: TwinShop, own = call(30_000)): Promise<readonly ProofStep[]> => {
  const made: ProofStep[] = [];
  for await (const step of stripe.prove?.(own, 'run_1') ?? []) made.push(step);
  return made;
};
const named = (all: readonly ProofStep[], result: ProofStep['result']) =>
  all.filter((one) => one.result === result).map(({ name }) => name);

describe('the run that tries what the fences of Stripe rely on', () => {
  let shop: TwinShop;
  afterEach(() => shop.close());

  it('passes at a Stripe that does what it says, and leaves some steps to a person', async () => {
    shop = await openTwinShop();
    const all = await steps(shop);
    expect(named(all, 'failed')).to.deep.equal([]);
    expect(named(all, 'passed')).to.have.length(20);
    expect(named(all, 'person')).to.include.members(['3-D Secure in a browser', 'the order of events']);
  });

  it('keeps every request and response, without keys and client secrets', async () => {
    shop = await openTwinShop();
    const text = JSON.stringify((await steps(shop)).map(({ exchanges }) => exchanges));
    expect(text).to.contain('/confirm').and.contain('"client_secret":"[redacted]"').and.contain('idempotency_error');
    expect(text, 'of no payment of ours').not.to.contain('counterfoil_');
    expect(text).not.to.match(/_secret_[0-9a-f]/);
    expect(text).not.to.contain(shop.connection.secrets['secretKey']);
  });

  const LIES: readonly (readonly [lie: Lie, step: string])[] = [
    ['key_per_endpoint', 'a burnt key refuses the confirmation'],
    ['key_ignores_parameters', 'a used key refuses a burn'],
    ['key_ignored', 'a burnt key refuses the confirmation'],
    ['key_per_endpoint', 'a burnt key refuses a capture'],
    ['key_per_endpoint', 'the used key of a capture refuses a burn'],
    ['key_per_endpoint', 'a burnt key refuses a refund'],
    ['key_ignored', 'the used key of a refund refuses a burn'],
    ['key_per_endpoint', 'a burnt key refuses an increment'],
    ['key_ignored', 'the used key of an increment refuses a burn'],
    ['cancel_hides_charge', 'a cancellation shows the charge that it released'],
    ['stale_read', 'a read during a confirmation, and a burn of its key'],
    ['iso_digits', 'ISK has two decimals that are 00'],
  ];
  for (const [lie, step] of LIES)
    it(`fails at a Stripe with ${lie}: ${step}`, async () => {
      shop = await openTwinShop({ lies: new Set([lie]) });
      expect(named(await steps(shop), 'failed')).to.include(step);
    });

  /** The last of these requests, which follow each other in this order among others. */
  const following = (...order: readonly RegExp[]) => {
    let at = 0;
    return ({ method, path, form }: SeenRequest): boolean => {
      if (order[at]?.test(`${method} ${path} ${JSON.stringify(form)}`) !== true) return false;
      at += 1;
      return at === order.length;
    };
  };
  const REFUSED: FaultKind = { kind: 'refused', status: 400, code: 'payment_intent_unexpected_state' };
  const PART = /capture .*"final_capture":"false"/;
  const DIFFERENT: readonly (readonly [step: string, order: readonly RegExp[], answer: FaultKind])[] = [
    [
      'a note is taken while a debit is processed',
      [/test_helpers/, /confirm /, /POST \/v1\/payment_intents\/\w+ /],
      REFUSED,
    ],
    [
      'a saved debit is charged with its customer present',
      [/test_helpers/, /test_helpers/, /confirm /, /confirm /],
      REFUSED,
    ],
    ['several captures may be asked for on every account', [PART], REFUSED],
    [
      'a void after a partial capture keeps what was captured',
      [PART, PART, /cancel /, /GET/],
      { kind: 'altered', members: { amount_received: 0 } },
    ],
  ];
  for (const [step, order, answer] of DIFFERENT)
    it(`fails at a Stripe that does otherwise: ${step}`, async () => {
      shop = await openTwinShop();
      shop.twin.fault({ where: following(...order) }, answer);
      expect(named(await steps(shop), 'failed')).to.deep.equal([step]);
    });

  it('goes on where the account has neither debits nor several captures, and says so', async () => {
    shop = await openTwinShop();
    shop.twin.fault({ where: following(PART, PART) }, REFUSED);
    for (const nth of [1, 2])
      shop.twin.fault({ nth, where: ({ form }) => JSON.stringify(form).includes('sepa_debit') }, REFUSED);
    const all = await steps(shop);
    expect(named(all, 'failed')).to.deep.equal([]);
    expect(all.filter(({ value }) => value.startsWith('not possible here')).map(({ name }) => name)).to.deep.equal([
      'a note is taken while a debit is processed',
      'a saved debit is charged with its customer present',
      'a void after a partial capture keeps what was captured',
    ]);
  });

  it('fails where nobody answers, and goes on to the next step', async () => {
    shop = await openTwinShop();
    shop.twin.fault({ path: /confirm$/ }, { kind: 'bad_gateway', effect: 'done' });
    const all = await steps(shop);
    expect(named(all, 'failed')).to.deep.equal(['a used key refuses a burn']);
    expect(all.find(({ result }) => result === 'failed')?.value).to.contain('502');
  });

  it('sends nothing by a live key', async () => {
    shop = await openTwinShop();
    const call = shop.call();
    const connection = { ...call.connection, secrets: { secretKey: 'sk_live_1' } };
    expect(named(await steps(shop, { ...call, connection }), 'failed')).to.deep.equal(['mode']);
    expect(shop.lines()).to.deep.equal([]);
  });
});
