// A customer with a saved card, and the merchant's billing jobs: each period is charged by two jobs at once, under keys
// of their own, while the agreement is paused, resumed, cancelled and given another card.
import type { z } from 'zod';
import type { CreateAgreement } from '../../src/commands/agreements/agreements.ts';
import type { Answer, Caller, Completed } from '../../src/commands/caller.ts';
import type { Rejection } from '../../src/domain/decider.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { cardOfId } from '../../src/processors/sandbox/cards.ts';
import type { Service } from '../../src/service.ts';
import { formatTime } from '../../src/world.ts';
import { CURRENCY } from './acts.ts';
import { customer, isToBeRepeated, merchant } from './network.ts';
import { between, chance, type Random, weighted } from './random.ts';
import type { ShopperParts } from './shopper.ts';

type Ask<Doc> = (service: Service, caller: Caller) => Promise<Answer<Doc>>;

const TRIES = 8;
const AMOUNT = 1_900;
const PERIODS = 4;

/** Cards by the outcome of later charges, and how often each is given. */
const CARDS: readonly [readonly [number, string], ...(readonly [number, string])[]] = [
  [6, 'approved'],
  [5, 'insufficient-funds-later'],
  [3, 'retry-after-1-hour'],
  [2, 'retry-after-72-hours'],
  [1, 'retry-after-10-days'],
  [2, 'link-needed-later'],
  [1, 'never-later'],
  [1, 'stolen-later'],
  [1, 'revoked-for-all-later'],
  [1, 'mandate-revoked'],
  [1, 'authentication-later'],
  [1, 'timeout-after-effect'],
  [1, 'pending-then-authorized'],
];
const RETRIES: readonly z.input<typeof CreateAgreement>['retry'][] = [
  undefined,
  { policy: 'ADVISED' },
  { policy: 'DAYS', days: [1, 1, 2, 3, 5, 8] },
];

export class Subscriber {
  readonly #name: string;
  readonly #random: Random;
  readonly #parts: ShopperParts;
  /** The tokens of the cards that were entered, the first one first. */
  readonly #tokens: string[] = [];

  constructor(name: string, random: Random, parts: ShopperParts) {
    this.#name = name;
    this.#random = random;
    this.#parts = parts;
  }

  /** Makes all calls, from the first to the last. No answer of the service makes it throw. */
  async shop(): Promise<void> {
    const random = this.#random;
    const paymentId = await this.#pays(0);
    const [token] = this.#tokens;
    if (paymentId === undefined || token === undefined) return;
    // two of one card share what its network counts
    const agreements: string[] = [];
    for (let number = chance(random, 0.3) ? 2 : 1; number > 0; number -= 1) {
      const made = await this.#agrees(paymentId, number);
      if (made !== undefined) agreements.push(made);
    }
    for (let period = 0; period < PERIODS && !this.#parts.isClosing(); period += 1) {
      const jobs = agreements.flatMap((id) => [this.#charges(id, period, 'a'), this.#charges(id, period, 'b')]);
      if (chance(random, 0.2)) jobs.push(this.#changes(agreements[0] ?? '', period));
      if (chance(random, 0.1)) jobs.push(this.#hearsOfCard(token));
      await Promise.all(jobs);
      await this.#parts.timeline.wait(between(random, 0, 8_000));
      // a job of another day runs again over all that was
      if (chance(random, 0.3))
        for (const id of agreements) await this.#charges(id, between(random, 0, period), `again-${period}`);
    }
  }

  /** Pays with a card that is saved; the payment, if it was authorized. */
  async #pays(round: number): Promise<string | undefined> {
    const random = this.#random;
    const row = cardOfId(weighted(random, CARDS));
    const fields = {
      orderId: `${this.#name}-${round}`,
      currencyCode: CURRENCY,
      amount: AMOUNT,
      customerId: this.#name,
      paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' as const },
    };
    let clientToken = '';
    const session = await this.#insist(`session-${round}`, async (service, caller) => {
      const made = await service.sessions.createClientSession(fields, caller);
      if (made.kind === 'completed') clientToken = made.clientToken;
      return made;
    });
    if (session === undefined) return undefined;
    const card = { number: row?.numbers[0] ?? '', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
    const token = await this.#insist(
      `token-${round}`,
      (service, caller) => service.instruments.tokenizeCard({ card }, caller),
      session.id,
    );
    if (token === undefined) return undefined;
    this.#tokens.push(token.id);
    const asked = { clientToken, paymentMethodToken: token.id };
    const paid = await this.#insist(`pay-${round}`, (service, caller) =>
      service.payments.authorizePayment(asked, caller),
    );
    return paid !== undefined && isKnown(paid.doc) ? paid.id : undefined;
  }

  async #agrees(paymentId: string, number: number): Promise<string | undefined> {
    const random = this.#random;
    const retry = RETRIES[between(random, 0, RETRIES.length - 1)];
    const isExact = chance(random, 0.5);
    const count = chance(random, 0.2) ? 2 : undefined;
    const made = await this.#insist(`agree-${number}`, (service, caller) => {
      const accepted = service.world.now() - 1_000_000;
      return service.agreements.createAgreement(
        {
          paymentId,
          kind: 'UNSCHEDULED',
          terms: {
            amountRule: isExact ? 'EXACT' : 'MAXIMUM',
            amount: AMOUNT,
            currencyCode: CURRENCY,
            description: 'top-ups',
            startsAt: 0,
            ...(count !== undefined && { count }),
          },
          consent: { acceptedAt: accepted, channel: 'ONLINE', textDigest: 'ab' },
          ...(retry !== undefined && { retry }),
        },
        caller,
      );
    });
    return made?.id;
  }

  /** One run of a billing job: under its own key, or none. Now and then it asks for more than was agreed. */
  async #charges(id: string, period: number, job: string): Promise<void> {
    const random = this.#random;
    const amount = chance(random, 0.05) ? AMOUNT + 1 : AMOUNT;
    const isKeyed = chance(random, 0.6);
    await this.#parts.timeline.wait(between(random, 0, 2_000));
    const asked = { periodKey: `p-${period}`, orderId: `${this.#name} p-${period}`, amount };
    await this.#insist(
      `charge ${id} ${period} ${job}`,
      (service, caller) => service.payments.chargeAgreement(id, asked, isKeyed ? caller : merchant(service.world)),
      undefined,
      () => undefined, // a later try is another payment's answer
    );
  }

  /** The network reports about the card between the calls of the jobs. */
  async #hearsOfCard(token: string): Promise<void> {
    const isClosed = chance(this.#random, 0.5);
    await this.#parts.timeline.wait(between(this.#random, 0, 2_000));
    await this.#parts.operator.tellOfCard(token, isClosed);
  }

  async #changes(id: string, period: number): Promise<void> {
    const random = this.#random;
    await this.#parts.timeline.wait(between(random, 0, 2_000));
    if (chance(random, 0.2)) {
      await this.#insist(`cancel ${period}`, ({ agreements }, caller) => agreements.cancelAgreement(id, {}, caller));
      return;
    }
    if (chance(random, 0.3)) {
      const paymentId = await this.#pays(period + 1);
      if (paymentId === undefined) return;
      await this.#insist(`replace ${period}`, ({ agreements }, caller) =>
        agreements.replaceAgreementInstrument(id, { paymentId }, caller),
      );
      return;
    }
    await this.#insist(`pause ${period}`, ({ agreements }, caller) => agreements.pauseAgreement(id, caller));
    await this.#parts.timeline.wait(between(random, 0, 3_000));
    await this.#insist(`resume ${period}`, ({ agreements }, caller) => agreements.resumeAgreement(id, caller));
  }

  /** Repeats a call at random nodes until it is completed. Undefined if refused or given up. */
  async #insist<Doc>(
    what: string,
    ask: Ask<Doc>,
    sessionId?: string,
    note = (key: string, answer: Completed<Doc>): void => this.#parts.acknowledged.note(key, answer),
  ): Promise<Exclude<Answer<Doc>, Rejection> | undefined> {
    const { timeline, network, tell } = this.#parts;
    const random = this.#random;
    const key = `${this.#name} ${what}`;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const heard = await network.request(random, between(random, 0, 1), (service) =>
        ask(
          service,
          sessionId === undefined ? merchant(service.world, key, key) : customer(service.world, sessionId, key),
        ),
      );
      tell(() => `${key}: ${heard.kind === 'heard' ? said(heard.answer) : heard.kind}`);
      if (heard.kind === 'heard') {
        const { answer } = heard;
        if (answer.kind === 'completed') {
          note(key, answer);
          return answer;
        }
        if (!isToBeRepeated(answer)) return undefined;
      }
      await timeline.wait(between(random, 50, 5_000));
    }
    return undefined;
  }
}

const said = (answer: Answer<unknown>): string =>
  answer.kind === 'rejected'
    ? `${answer.errorId}${answer.notBefore === undefined ? '' : ` until ${formatTime(answer.notBefore)}`}`
    : `${answer.status} ${answer.id}@${answer.revision}`;
