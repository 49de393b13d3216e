// Random histories of one payment that a person moves at Stripe while we do: after all webhooks and one sweep each
// amount is the twin's, or is open for an operator.
import { expect } from 'chai';
import fc from 'fast-check';
import { isDifferenceOpen } from '../../../src/domain/payment/standing.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { lookUpDue, merchant } from '../../support/node.ts';
import { BEHIND_MS, type ConnectedShop, openConnectedShop } from './connected-shop.ts';
import { atStripe } from './twin-service.ts';

/** What somebody does at Stripe itself. */
const THERE = [
  'capture',
  'capture a part',
  'raise',
  'refund',
  'refund a part',
  'cancel: duplicate',
  'cancel: fraudulent',
  'cancel: requested_by_customer',
  'cancel: abandoned',
  'dispute',
  'inquiry',
  'dispute prevented by a resolution',
  'dispute blocked',
  'dispute won',
  'dispute lost',
] as const;
/** What a caller of ours asks for. */
const OURS = ['we capture', 'we capture a part', 'we refund', 'we cancel', 'we raise'] as const;
/** What becomes of the webhooks that are not told yet. */
const WORDS = ['told', 'told twice', 'told late', 'lost'] as const;
type Step = (typeof THERE)[number] | (typeof OURS)[number] | (typeof WORDS)[number] | 'an hour';
const STEPS: readonly Step[] = [...THERE, ...OURS, ...WORDS, ...WORDS, 'an hour'];

const HOUR_MS = 3_600_000;
/** CI runs these many; `HISTORIES=10000` is for a night. */
const RUNS = Number(process.env['HISTORIES'] ?? 120);

/** What Stripe or the service refuses is a history, too. */
const unlessRefused = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

class History {
  readonly #connected: ConnectedShop;
  readonly #id: string;
  readonly #intent: string;
  #told = 0;
  #late: object[] = [];

  constructor(connected: ConnectedShop, id: string, intent: string) {
    this.#connected = connected;
    this.#id = id;
    this.#intent = intent;
  }

  async does(step: Step): Promise<void> {
    const { shop, service, accountId, world } = this.#connected;
    const [account] = shop.twin.accounts;
    const caller = merchant(accountId, world);
    const { payments } = service;
    const post = (path: string, form: Record<string, string> = {}) =>
      unlessRefused(atStripe(shop, `payment_intents/${this.#intent}/${path}`, form));
    const refund = (form: Record<string, string>) =>
      unlessRefused(atStripe(shop, 'refunds', { payment_intent: this.#intent, ...form }));
    const control = (work: () => unknown): void => {
      try {
        work();
      } catch {
        // as at the bank
      }
    };
    const newest = (): string => {
      const opened = account.events.findLast(({ type }) => type === 'charge.dispute.created');
      return opened !== undefined && 'id' in opened.data.object ? String(opened.data.object.id) : '';
    };
    switch (step) {
      case 'capture':
        return void (await post('capture'));
      case 'capture a part':
        return void (await post('capture', { amount_to_capture: '400' }));
      case 'raise':
        return void (await post('increment_authorization', { amount: '1300' }));
      case 'refund':
        return void (await refund({}));
      case 'refund a part':
        return void (await refund({ amount: '150' }));
      case 'cancel: duplicate':
      case 'cancel: fraudulent':
      case 'cancel: requested_by_customer':
      case 'cancel: abandoned':
        return void (await post('cancel', { cancellation_reason: step.replace('cancel: ', '') }));
      case 'dispute':
        return control(() => account.openDispute(this.#intent));
      case 'inquiry':
        return control(() => account.openDispute(this.#intent, { isInquiry: true }));
      case 'dispute prevented by a resolution':
        return control(() => account.openDispute(this.#intent, { prevented: 'resolution' }));
      case 'dispute blocked':
        return control(() => account.openDispute(this.#intent, { prevented: 'block' }));
      case 'dispute won':
      case 'dispute lost':
        return control(() => account.decideDispute(newest(), step === 'dispute won' ? 'won' : 'lost'));
      case 'we capture':
        return void (await payments.capturePayment(this.#id, {}, caller));
      case 'we capture a part':
        return void (await payments.capturePayment(this.#id, { amount: 300, final: false }, caller));
      case 'we refund':
        return void (await payments.refundPayment(this.#id, { amount: 200 }, caller));
      case 'we cancel':
        return void (await payments.cancelPayment(this.#id, {}, caller));
      case 'we raise':
        return void (await payments.adjustAuthorization(this.#id, { amount: 1_200 }, caller));
      case 'told':
        return this.#tell(this.#untold());
      case 'told twice': {
        const events = this.#untold();
        return this.#tell([...events, ...events]);
      }
      case 'told late':
        this.#late.push(...this.#untold().reverse());
        return;
      case 'lost':
        return void this.#untold();
      case 'an hour':
        return this.#hour();
      default:
        step satisfies never;
    }
  }

  #untold(): object[] {
    const { events } = this.#connected.shop.twin.accounts[0];
    const untold = events.slice(this.#told).filter(({ type }) => type !== 'payment_intent.created');
    this.#told = events.length;
    return untold;
  }

  async #tell(events: readonly object[]): Promise<void> {
    for (const event of events) await this.#connected.tell(event);
  }

  /** What is due is done; the twin's days go on with ours. */
  async #hour(): Promise<void> {
    this.#connected.world.advance(HOUR_MS);
    await lookUpDue(this.#connected);
  }

  async end(): Promise<void> {
    await this.#tell(this.#late);
    this.#connected.world.pass(BEHIND_MS);
    while ((await this.#connected.sweep()) === undefined); // on a slow machine a call may be given up
    for (let hours = 0; hours < 3; hours += 1) await this.#hour();
  }

  /** Undefined if each amount is the twin's, or somebody has to look. */
  async disagreement(): Promise<string | undefined> {
    const { shop, service } = this.#connected;
    const state = await this.#connected.stateOf(this.#id);
    if (isDifferenceOpen(state)) return undefined;
    const parked = await service.readModels.find(notifications, { where: { parkedAt: { from: 0 } }, limit: 1 });
    if (parked.length > 0) return undefined;
    const sum = (kind: string): number =>
      shop.twin.effects().reduce((total, one) => (one.kind === kind ? total + one.amount : total), 0);
    const there = {
      captured: sum('capture'),
      refunded: sum('refund') - sum('refund_returned'),
      held: sum('hold') + sum('increase') - sum('release') - sum('capture'),
    };
    const prevented = state.disputes.reduce((total, { refunded }) => total + (refunded?.amount ?? 0), 0);
    const here = {
      captured: state.amountCaptured,
      refunded: state.amountRefunded + prevented,
      held: state.restReleased || state.status === 'CANCELLED' ? 0 : state.amountCapturable,
    };
    return JSON.stringify(there) === JSON.stringify(here)
      ? undefined
      : `Stripe has ${JSON.stringify(there)}, the record ${JSON.stringify(here)} (${state.status})`;
  }
}

describe('whatever a person does to a payment at Stripe', () => {
  it('each amount is Stripe’s after all webhooks and one sweep, or is open for an operator', async function () {
    this.timeout(60_000 + RUNS * 2_000);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 10 }), async (steps) => {
        const connected = await openConnectedShop();
        try {
          const id = await connected.paid();
          const intent = connected.shop.twin.effects().at(-1)?.paymentIntent ?? '';
          const history = new History(connected, id, intent);
          for (const step of steps) await history.does(step);
          await history.end();
          expect(await history.disagreement(), steps.join(', ')).to.equal(undefined);
        } finally {
          await connected.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
});
