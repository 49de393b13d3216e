// Races with a fence, at the twin: a request that is late, one that runs, and a customer who acts meanwhile.
import { expect } from 'chai';
import type { AuthorizationRequest } from '../../../src/processors/processor.ts';
import { nameOf, openTwinShop, type TwinShop } from './twin-shop.ts';

const INTENT = '/v1/payment_intents';
const READ = `GET ${INTENT}/{pi}`;
const BURN = `POST ${INTENT}/{pi} R`;
const CANCEL = `POST ${INTENT}/{pi}/cancel`;
const DAY_MS = 86_400_000;

describe('a fence of the Stripe adapter', () => {
  let shop: TwinShop;
  beforeEach(async () => {
    shop = await openTwinShop();
  });
  afterEach(() => shop.close());

  const fence = (request: AuthorizationRequest) => shop.stripe.fence?.(request, shop.call());
  const held = (request: AuthorizationRequest) => shop.twin.unreversed(request.paymentId).length;
  const name = (request: AuthorizationRequest) => nameOf(request);
  /** A confirmation that is held by the twin, and whose answer is no longer awaited. */
  async function lost(request: AuthorizationRequest, at: 'arrival' | 'running' | 'response') {
    const fault = shop.twin.fault({ path: /confirm$/ }, { kind: 'hold', at });
    const deadline = new AbortController();
    const performed = shop.stripe.perform(request, { ...shop.call(), signal: deadline.signal });
    await fault.applied;
    deadline.abort(); // not earlier: a request that never left is not lost
    expect(await performed).to.have.property('kind', 'unknown');
    shop.lines();
    return fault;
  }

  it('holds nothing, if the confirmation is delivered after it', async () => {
    const request = await shop.prepared();
    const confirmation = await lost(request, 'arrival');
    expect(await fence(request)).to.deep.equal({ kind: 'not_found' });
    expect(shop.lines()).to.deep.equal([BURN, READ, CANCEL]);
    await confirmation.release();
    expect(held(request)).to.equal(0);
    expect(shop.twin.effects()).to.deep.equal([]);
  });

  it('holds nothing, if the confirmation is delivered when all keys are pruned', async () => {
    const request = await shop.prepared();
    const confirmation = await lost(request, 'arrival');
    expect(await fence(request)).to.deep.equal({ kind: 'not_found' });
    await shop.twin.moveClock(DAY_MS + 3_600_000);
    await confirmation.release();
    expect(shop.twin.effects()).to.deep.equal([]);
  });

  for (const [what, path] of [
    ['cancellation', /cancel$/],
    ['burn', /payment_intents\/pi_\w+$/],
  ] as const)
    it(`is asked again after a fault of its ${what} that Stripe saved, and proves then`, async () => {
      const request = await shop.prepared();
      await lost(request, 'arrival');
      shop.twin.fault({ path, method: 'POST' }, { kind: 'server_error', effect: 'none' });
      expect(await fence(request)).to.have.property('kind', 'unreachable');
      expect(await fence(request)).to.deep.equal({ kind: 'not_found' });
      expect(held(request)).to.equal(0);
    });

  it('never says "not found" while the confirmation runs', async () => {
    const request = await shop.prepared();
    const confirmation = await lost(request, 'running');
    expect(await fence(request)).to.have.property('kind', 'unknown');
    expect(shop.lines(), 'and cancels nothing').to.deep.equal([BURN, READ]);
    await confirmation.release();
    expect(await fence(request)).to.include({ kind: 'succeeded', amount: 1_000 });
    expect(held(request)).to.equal(1);
  });

  it('finds a confirmation whose answer was lost, even if its key is pruned', async () => {
    for (const later of [0, DAY_MS + 3_600_000]) {
      const request = await shop.prepared();
      await lost(request, 'response');
      await shop.twin.moveClock(later);
      expect(await fence(request), String(later)).to.include({ kind: 'succeeded', amount: 1_000 });
      expect(shop.lines()).to.deep.equal([BURN, READ]);
      expect(held(request)).to.equal(1);
    }
  });

  it('says nothing of a confirmation that died before its effect, until its key is pruned', async () => {
    const request = await shop.prepared();
    shop.twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'none' });
    expect(await shop.stripe.perform(request, shop.call())).to.have.property('kind', 'unknown');
    expect(await fence(request)).to.have.property('kind', 'unknown');
    await shop.twin.moveClock(DAY_MS + 3_600_000);
    expect(await fence(request)).to.deep.equal({ kind: 'not_found' });
    expect(held(request)).to.equal(0);
  });

  it('never disagrees with what is held, in many races', async () => {
    const ends: string[] = [];
    for (let race = 0; race < 100; race += 1) {
      const request = await shop.prepared();
      const fencing = () => shop.stripe.fence?.(request, shop.call());
      const [, ...found] = await Promise.all([shop.stripe.perform(request, shop.call()), fencing(), fencing()]);
      const last = found.some((one) => one?.kind === 'unknown') ? [...found, await fencing()] : found;
      for (const one of last) {
        if (one?.kind === 'not_found') expect(held(request)).to.equal(0);
        if (one?.kind === 'succeeded') expect(held(request)).to.equal(1);
        ends.push(one?.kind ?? 'none');
      }
      expect(ends.at(-1)).to.be.oneOf(['succeeded', 'not_found']);
    }
    expect(ends).not.to.include('released');
  });

  describe('of a customer at the bank', () => {
    const waiting = async () => {
      const request = await shop.prepared({ processorToken: 'pm_card_threeDSecure2Required' });
      const outcome = await shop.stripe.perform(request, shop.call());
      if (outcome.kind !== 'requires_action' || outcome.action.kind !== 'redirect') throw new Error(outcome.kind);
      expect(outcome.action.url).to.include('/challenge/');
      expect(await shop.stripe.lookUp(request, shop.call())).to.deep.equal(outcome);
      shop.lines();
      return request;
    };

    it('is not needed once the customer has answered', async () => {
      const request = await waiting();
      shop.twin.accounts[0].approve(name(request));
      const found = await shop.stripe.lookUp(request, shop.call());
      expect(found).to.have.property('kind', 'succeeded');
      expect(found.kind === 'succeeded' && found.authorization?.threeDSecure).to.deep.equal({
        responseCode: 'AUTH_SUCCESS',
        protocolVersion: '2.2.0',
        challengeIssued: true,
        eci: '05',
      });
      const failed = await waiting();
      shop.twin.accounts[0].fail(name(failed));
      const declined = await shop.stripe.lookUp(failed, shop.call());
      expect(declined).to.include({ kind: 'declined', code: 'AUTHENTICATION_FAILED', declineType: 'SOFT' });
    });

    it('withdraws what was to be done, and says the same again', async () => {
      const request = await waiting();
      expect(await fence(request)).to.have.property('kind', 'requires_action');
      expect(shop.lines()).to.deep.equal([BURN, READ, CANCEL]);
      expect(() => shop.twin.accounts[0].approve(name(request))).to.throw();
      expect(await fence(request)).to.have.property('kind', 'requires_action');
      expect(shop.lines(), 'nothing is cancelled twice').to.deep.equal([BURN, READ]);
      expect(await shop.stripe.lookUp(request, shop.call())).to.have.property('kind', 'requires_action');
      expect(held(request)).to.equal(0);
    });

    it('finds what was canceled at Stripe itself, and shows the dead page to nobody', async () => {
      const request = await waiting();
      const cancel = { method: 'POST', headers: { Authorization: `Bearer ${shop.connection.secrets['secretKey']}` } };
      const path = `${INTENT}/${name(request)}/cancel`;
      await fetch(`${shop.twin.url}${path}`, { ...cancel, body: 'cancellation_reason=requested_by_customer' });
      const declined = {
        kind: 'declined',
        code: 'AUTHENTICATION_FAILED',
        declineType: 'SOFT',
        processorTransactionId: name(request),
      };
      expect(await shop.stripe.lookUp(request, shop.call())).to.deep.equal(declined);
      expect(await fence(request)).to.deep.equal(declined);
      expect(held(request)).to.equal(0);
    });

    it('says what it took back, if the customer was faster by a moment', async () => {
      const request = await waiting();
      const cancel = shop.twin.fault({ path: /cancel$/ }, { kind: 'hold', at: 'arrival' });
      const fencing = fence(request);
      await cancel.applied;
      shop.twin.accounts[0].approve(name(request));
      await cancel.release();
      const released = { kind: 'released', processorTransactionId: name(request), amount: 1_000, currencyCode: 'EUR' };
      expect(await fencing).to.deep.equal(released);
      expect(held(request)).to.equal(0);
      expect(await fence(request), 'again').to.deep.equal(released);
      expect(await shop.stripe.lookUp(request, shop.call())).to.deep.equal(released);
    });

    it('is asked again, if the answer to its cancel is lost', async () => {
      const request = await waiting();
      shop.twin.fault({ path: /cancel$/ }, { kind: 'reset', effect: 'none' });
      expect(await fence(request)).to.have.property('kind', 'unreachable');
      shop.twin.fault({ path: /cancel$/ }, { kind: 'bad_gateway', effect: 'done' });
      expect(await fence(request)).to.have.property('kind', 'unreachable');
      expect(await fence(request)).to.have.property('kind', 'requires_action');
    });

    it('is not there for a merchant without the customer', async () => {
      const request = await shop.prepared({ processorToken: 'pm_card_authenticationRequired', offSession: true });
      const declined = await shop.stripe.perform(request, shop.call());
      expect(declined).to.include({ kind: 'declined', code: 'AUTHENTICATION_REQUIRED', declineType: 'SOFT' });
      expect(declined).to.have.property('fence', 'owed');
    });
  });

  describe('of a decline', () => {
    const declined = async () => {
      const request = await shop.prepared({ processorToken: 'pm_card_chargeDeclinedInsufficientFunds' });
      const told = await shop.stripe.perform(request, shop.call());
      const outcome = {
        kind: 'declined',
        code: 'INSUFFICIENT_FUNDS',
        declineType: 'SOFT',
        advice: 'RETRY_LATER',
        networkCode: '51',
        processorTransactionId: request.processorTransactionId,
      };
      expect(told, 'not final').to.deep.equal({ ...outcome, fence: 'owed' });
      // a read shows the charge, and with it the network's name of the refusal
      const read = await shop.stripe.lookUp(request, shop.call());
      expect(read).to.deep.include(told);
      expect(read).to.have.property('networkTransactionId');
      shop.lines();
      return { request, outcome };
    };

    it('makes it final', async () => {
      const { request, outcome } = await declined();
      expect(await fence(request)).to.deep.include(outcome);
      expect(shop.lines()).to.deep.equal([BURN, READ, CANCEL]);
      expect(() => shop.twin.accounts[0].confirmAgain(name(request), 'pm_card_visa')).to.throw();
      expect(await fence(request)).to.deep.include(outcome);
      expect(await shop.stripe.lookUp(request, shop.call())).to.deep.include(outcome);
      expect(held(request)).to.equal(0);
    });

    it('finds the success of a second confirmation', async () => {
      const { request } = await declined();
      shop.twin.accounts[0].confirmAgain(name(request), 'pm_card_visa');
      expect(await shop.stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded', amount: 1_000 });
      expect(await fence(request)).to.include({ kind: 'succeeded', amount: 1_000 });
      expect(held(request)).to.equal(1);
    });

    it('takes a second confirmation back that comes between its read and its cancel', async () => {
      const { request } = await declined();
      const cancel = shop.twin.fault({ path: /cancel$/ }, { kind: 'hold', at: 'arrival' });
      const fencing = fence(request);
      await cancel.applied;
      shop.twin.accounts[0].confirmAgain(name(request), 'pm_card_visa');
      await cancel.release();
      expect(await fencing).to.include({ kind: 'released', amount: 1_000 });
      expect(held(request)).to.equal(0);
    });
  });

  it('waits for a payment that is processing', async () => {
    const request = await shop.prepared({ processorToken: 'pm_card_processing' });
    expect(await shop.stripe.perform(request, shop.call())).to.have.property('kind', 'pending');
    expect(await fence(request)).to.have.property('kind', 'pending');
    shop.twin.accounts[0].approve(name(request));
    expect(await shop.stripe.lookUp(request, shop.call())).to.have.property('kind', 'succeeded');
  });
});
