// Random histories of one payment at the twin: faults, late requests, a customer, days that pass. Whatever happens, at
// most one hold, and no word that is wrong.
import { expect } from 'chai';
import fc from 'fast-check';
import type { AuthorizationRequest } from '../../../src/processors/processor.ts';
import type { Fault, FaultKind } from '../../support/stripe-twin/faults.ts';
import { nameOf, openTwinShop, type TwinShop } from './twin-shop.ts';

const HOUR_MS = 3_600_000;
const CARDS = [
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_threeDSecure2Required',
  'pm_card_threeDSecureRequiredChargeDeclined',
] as const;
const FAULTS: readonly (FaultKind | undefined)[] = [
  undefined,
  { kind: 'reset', effect: 'none' },
  { kind: 'reset', effect: 'done' },
  { kind: 'server_error', effect: 'none' },
  { kind: 'server_error', effect: 'done' },
  { kind: 'bad_gateway', effect: 'done' },
  { kind: 'truncated' },
  { kind: 'rate_limit' },
  { kind: 'hold', at: 'arrival' },
  { kind: 'hold', at: 'running' },
  { kind: 'hold', at: 'response' },
];
const STEPS = [
  'look up',
  'fence',
  'fence',
  'fence, unsent',
  'fence, unanswered',
  'approve',
  'fail',
  'again',
  'release',
  'a day',
] as const;
type Step = (typeof STEPS)[number];

class History {
  readonly #shop: TwinShop;
  readonly #request: AuthorizationRequest;
  readonly #late: Fault | undefined;
  /** The words of fences that were certain. */
  readonly words: string[] = [];

  constructor(shop: TwinShop, request: AuthorizationRequest, late: Fault | undefined) {
    this.#shop = shop;
    this.#request = request;
    this.#late = late;
  }

  async does(step: Step): Promise<void> {
    const { twin, stripe } = this.#shop;
    const [account] = twin.accounts;
    const call = this.#shop.call(2_000);
    switch (step) {
      case 'look up':
        await stripe.lookUp(this.#request, call);
        break;
      case 'fence, unsent':
      case 'fence, unanswered':
        twin.fault({ path: /cancel$/ }, { kind: 'reset', effect: step === 'fence, unsent' ? 'none' : 'done' });
        await this.#fence();
        break;
      case 'fence':
        await this.#fence();
        break;
      case 'approve':
      case 'fail':
        attempt(() => account[step](nameOf(this.#request)));
        break;
      case 'again':
        attempt(() => account.confirmAgain(nameOf(this.#request), 'pm_card_visa'));
        break;
      case 'release':
        await this.#late?.release();
        break;
      case 'a day':
        await twin.moveClock(25 * HOUR_MS);
        break;
      default:
        step satisfies never;
    }
    this.holdsOnce();
  }

  async #fence(): Promise<void> {
    const { stripe } = this.#shop;
    const fenced = await stripe.fence?.(this.#request, this.#shop.call(2_000));
    const kind = fenced?.kind ?? 'none';
    if (kind === 'succeeded' && this.#isInTime()) expect(this.#held(), 'it said that it is held').to.equal(1);
    // It stays true, whatever comes later.
    if (kind === 'not_found' || kind === 'released' || kind === 'requires_action' || kind === 'declined')
      this.words.push(kind);
    this.holdsOnce();
  }

  /** A hold ends seven days after its PaymentIntent was made. */
  #isInTime(): boolean {
    return this.#shop.twin.effects().every(({ kind }) => kind !== 'release');
  }

  #held(): number {
    return this.#shop.twin.unreversed(this.#request.paymentId).length;
  }

  holdsOnce(): void {
    const holds = this.#shop.twin.effects().filter(({ kind }) => kind === 'hold');
    expect(holds.length, 'holds').to.be.at.most(1);
    if (this.words.length === 0) return;
    expect(this.#held(), `held after ${this.words.join()}`).to.equal(0);
    expect(new Set(this.words).size, `words: ${this.words.join()}`).to.equal(1);
  }
}

/** What the twin refuses the customer changes nothing. */
function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // as at the bank
  }
}

describe('whatever happens to a payment at Stripe', () => {
  it('it is held once at most, and what a fence says stays true', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CARDS),
        fc.constantFrom(...FAULTS),
        fc.array(fc.constantFrom(...STEPS), { maxLength: 8 }),
        async (processorToken, fault, steps) => {
          const shop = await openTwinShop();
          try {
            const request = await shop.prepared({ processorToken });
            const late = fault && shop.twin.fault({ path: /confirm$/ }, fault);
            await shop.stripe.perform(request, shop.call(fault?.kind === 'hold' ? 40 : 2_000));
            const history = new History(shop, request, fault?.kind === 'hold' ? late : undefined);
            for (const step of steps) await history.does(step);
            await history.does('release');
          } finally {
            await shop.close();
          }
        },
      ),
      {
        numRuns: 300,
        // So that a history that hangs is named.
        timeout: 30_000,
        // Each further try of one that hangs would take as long; its seed and path repeat it.
        endOnFailure: true,
        examples: [
          ['pm_card_threeDSecure2Required', undefined, ['fence, unsent', 'approve', 'fence']],
          ['pm_card_visa', { kind: 'hold', at: 'arrival' }, ['fence, unsent', 'a day', 'release', 'fence']],
        ],
      },
    );
  });
});
