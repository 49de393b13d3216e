// One shopper and the shop: a session, a card, a payment, captures and refunds. By chance calls are repeated, doubled,
// raced or given up.
import type { Answer, Caller, Completed } from '../../src/commands/caller.ts';
import type { Rejection } from '../../src/domain/decider.ts';
import { waitingAuthorization } from '../../src/domain/payment/authentication.ts';
import { isFinal, type KnownPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { CARDS } from '../../src/processors/sandbox/cards.ts';
import type { Sandbox } from '../../src/processors/sandbox/sandbox-interface.ts';
import type { Service } from '../../src/service.ts';
import type { World } from '../../src/world.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { type Act, actOn, CURRENCY, doIt, GIVING_BACK, labelOf, openRefund } from './acts.ts';
import { answerTo } from './answering.ts';
import { customer, isToBeRepeated, merchant, type Network } from './network.ts';
import type { Operator } from './operator.ts';
import { NOT_MADE, type PastAudit } from './past-audit.ts';
import { between, chance, type Random, weighted } from './random.ts';
import type { Timeline } from './timeline.ts';
import type { ShopperCard, Twins } from './twins.ts';

export interface ShopperParts {
  readonly timeline: Timeline;
  readonly network: Network;
  readonly acknowledged: Acknowledgements;
  readonly past: PastAudit;
  readonly operator: Pick<Operator, 'sayFailed' | 'tellOfCard'>;
  /** The pages on which customers are challenged. */
  readonly challenges: Pick<Sandbox | Twins, 'answerChallenge'>;
  /** Undefined: cards go to the sandbox. */
  readonly twins: Twins | undefined;
  /** True if cards go to two sandboxes. */
  readonly isRouted: boolean;
  readonly tell: (line: () => string) => void;
  /** True if shoppers no longer begin anything new. */
  readonly isClosing: () => boolean;
}

type Ask<Doc> = (service: Service, caller: Caller) => Promise<Answer<Doc>>;
type CallerOf = (world: World, key: string) => Caller;

/** A call is given up after this many tries. */
const TRIES = 6;
const LEAST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

const ALL = CARDS.map(
  ({ id, numbers: [number = ''], disputes, method, ibans: [iban = ''] = [] }): ShopperCard => ({
    id,
    isDisputed: disputes !== undefined,
    given: () => {
      if (method === 'SEPA_DEBIT')
        return { method: { type: method, iban, accountHolderName: 'Ada', mandateAccepted: true } };
      return method === undefined || method === 'PAYMENT_CARD'
        ? { card: { number, expirationMonth: '12', expirationYear: '2039', cvc: '123', cardholderName: 'Ada' } }
        : { method: { type: method } };
    },
  }),
);
const [APPROVED, ...OTHERS] = ALL;
/** A card out of a wallet, which routed worlds have as well. */
const WALLETS = (['APPLE_PAY', 'GOOGLE_PAY'] as const).map(
  (type): ShopperCard => ({
    id: type,
    isDisputed: false,
    given: () => ({ method: { type, token: 'sandbox:approved' } }),
  }),
);
const DISPUTED = ALL.filter(({ isDisputed }) => isDisputed);
const REFUNDED_LATER = ALL.find(({ id }) => id === 'refund-later-succeeds');

export class Shopper {
  readonly #name: string;
  readonly #random: Random;
  readonly #parts: ShopperParts;
  /** The customer still has a voucher, and pays it after all. */
  #paysLate: (() => Promise<void>) | undefined;

  constructor(name: string, random: Random, parts: ShopperParts) {
    this.#name = name;
    this.#random = random;
    this.#parts = parts;
  }

  /** Makes all calls, from the first to the last. No answer of the service makes it throw. */
  async shop(): Promise<void> {
    const random = this.#random;
    const amount = between(random, 1, 20_000);
    const isAutomatic = chance(random, 0.3);
    const isEstimated = chance(random, 0.1);
    // no card is saved by a connection, and an operator has no hearsay about Stripe
    const isAtSandbox = this.#parts.twins === undefined;
    const vaults = chance(random, 0.05) && isAtSandbox;
    const vaultsFirst = chance(random, 0.05) && isAtSandbox;
    const givesBack = chance(random, 0.05) && isAtSandbox;
    const customerId = `customer-${between(random, 1, 9)}`;
    const fields = {
      orderId: this.#name,
      currencyCode: CURRENCY,
      amount,
      ...((vaults || vaultsFirst) && { customerId }),
      paymentMethod: {
        captureMode: isAutomatic && !givesBack ? ('AUTOMATIC' as const) : ('MANUAL' as const),
        authorizationType: isEstimated ? ('ESTIMATED' as const) : ('FINAL' as const),
        vaultOnSuccess: vaults,
      },
    };
    let clientToken = '';
    const session = await this.#insist('session', merchantsCall, async (service, caller) => {
      const made = await service.sessions.createClientSession(fields, caller);
      if (made.kind === 'completed') clientToken = made.clientToken;
      return made;
    });
    if (session === undefined) return;
    if (chance(random, 0.15))
      await this.#insist('patch', merchantsCall, (service, caller) =>
        service.sessions.patchClientSession(
          { clientToken, customer: { emailAddress: `${this.#name}@example.com` } },
          caller,
        ),
      );
    // A declined customer tries another card, once or twice, in the same session.
    for (let round = 0; round < 3 && !this.#parts.isClosing(); round += 1) {
      const card = givesBack ? REFUNDED_LATER : this.#anyCard();
      const paid = await this.#pay(session.id, clientToken, round, card, vaultsFirst ? customerId : undefined);
      if (paid === undefined) return;
      const payment = await this.#act(paid.id, paid.doc, round);
      if (!isFinal(payment.doc.status)) {
        await (givesBack ? this.#giveBack(payment.id, payment.doc) : this.#goOn(payment.id, payment.doc, isEstimated));
        await this.#paysLate?.();
        return card?.isDisputed === true ? this.#answerDispute(payment.id) : undefined;
      }
      if (chance(random, 0.5)) return;
    }
  }

  #anyCard(): ShopperCard | undefined {
    const random = this.#random;
    const { twins } = this.#parts;
    if (twins !== undefined) return twins.anyCard(random);
    if (chance(random, 0.05)) return DISPUTED[between(random, 0, DISPUTED.length - 1)];
    if (this.#parts.isRouted && chance(random, 0.05)) return WALLETS[between(random, 0, WALLETS.length - 1)];
    return chance(random, 0.55) || OTHERS.length === 0 ? APPROVED : OTHERS[between(random, 0, OTHERS.length - 1)];
  }

  /** `vaultFor`: the customer for whom the card is vaulted before it pays. */
  async #pay(
    sessionId: string,
    clientToken: string,
    round: number,
    card: ShopperCard | undefined,
    vaultFor: string | undefined,
  ): Promise<{ readonly id: string; readonly doc: KnownPayment } | undefined> {
    const random = this.#random;
    const given = card?.given();
    if (given === undefined) return undefined;
    const token = await this.#insist(
      `token-${round}`,
      (world, key) => customer(world, sessionId, key),
      (service, caller) => service.instruments.tokenizeCard(given, caller),
    );
    if (token === undefined) return undefined;
    const paymentMethodToken = vaultFor === undefined ? token.id : await this.#vault(token.id, vaultFor, round);
    // A payment without a session: the single-use token alone guards against paying twice.
    const asked =
      chance(random, 0.1) && vaultFor === undefined
        ? { paymentMethodToken, orderId: this.#name, currencyCode: CURRENCY, amount: between(random, 1, 9_999) }
        : { clientToken, paymentMethodToken };
    this.#parts.tell(() => `${this.#name} pays with ${card?.id} in ${sessionId}`);
    const pay: Ask<Payment> = (service, caller) =>
      service.payments.authorizePayment({ ...asked, metadata: labelOf(caller) }, caller);
    const paying = [this.#insist(`pay-${round}`, merchantsCall, pay)];
    // the same call twice at once
    if (chance(random, 0.06)) paying.push(this.#insist(`pay-${round}`, merchantsCall, pay));
    // another key: the customer clicked twice
    if (chance(random, 0.06)) paying.push(this.#insist(`pay-again-${round}`, merchantsCall, pay));
    const paid = (await Promise.all(paying)).find((answer) => answer !== undefined);
    if (paid === undefined || !isKnown(paid.doc)) return undefined;
    if (paid.status === 200 || chance(random, 0.5)) return { id: paid.id, doc: paid.doc };
    return this.#untilKnown(paid.id);
  }

  /**
   * Answers the challenge of a payment that waits for its customer, and comes back: once, twice at a time, or never.
   */
  async #act(
    id: string,
    doc: KnownPayment,
    round: number,
  ): Promise<{ readonly id: string; readonly doc: KnownPayment }> {
    const { challenges, timeline } = this.#parts;
    const random = this.#random;
    const action = waitingAuthorization(doc)?.action;
    const url = action?.kind === 'show' ? action.data['url'] : action?.kind === 'redirect' ? action.url : undefined;
    if (typeof url !== 'string' || chance(random, 0.15)) return { id, doc }; // nobody acts
    await timeline.wait(between(random, 100, 20_000));
    const page = url.split('/').at(-1) ?? '';
    if (action?.kind === 'show') {
      // a voucher is paid while the shop waits for it, or after the shop has cancelled it
      const pay = async (): Promise<void> => {
        this.#parts.network.keepNotifications(id); // the shop may have cancelled the voucher by then
        await challenges.answerChallenge(page, true);
      };
      if (chance(random, 0.5)) await pay();
      else this.#paysLate = pay;
      return { id, doc };
    }
    const isApproved = chance(random, 0.8);
    const { returnUrl } = (await challenges.answerChallenge(page, isApproved)) ?? {};
    if (!isApproved && chance(random, 0.5)) this.#parts.twins?.confirmAgain(page, between(random, 0, 60_000));
    // A closed tab: the notification tells. A slow way back: it comes first.
    if (returnUrl === undefined || chance(random, 0.2)) return { id, doc };
    await timeline.wait(chance(random, 0.3) ? between(random, 5_000, 15_000) : between(random, 0, 500));
    const resumeToken = new URL(returnUrl).searchParams.get('resumeToken') ?? '';
    const resume: Ask<Payment> = (service, caller) => service.payments.resumePayment(id, { resumeToken }, caller);
    const resuming = [this.#insist(`resume-${round}`, merchantsCall, resume, () => undefined)];
    if (chance(random, 0.3))
      resuming.push(this.#insist(`resume-again-${round}`, merchantsCall, resume, () => undefined));
    const resumed = (await Promise.all(resuming)).find((answer) => answer !== undefined);
    return { id, doc: resumed !== undefined && isKnown(resumed.doc) ? resumed.doc : doc };
  }

  /** The vaulted token, or the one that was given when no answer came. */
  async #vault(token: string, customerId: string, round: number): Promise<string> {
    const vault: Ask<unknown> = (service, caller) => service.instruments.vaultInstrument(token, { customerId }, caller);
    const vaulted = await this.#insist(`vault-${round}`, merchantsCall, vault, () => undefined);
    return vaulted?.id ?? token;
  }

  /** Reads the payment up to four times, until it is no longer PENDING. */
  async #untilKnown(id: string): Promise<{ readonly id: string; readonly doc: KnownPayment } | undefined> {
    const { timeline, isClosing } = this.#parts;
    let last: { readonly id: string; readonly doc: KnownPayment } | undefined;
    for (let look = 0; look < 4 && !isClosing(); look += 1) {
      await timeline.wait(between(this.#random, 2_000, 20_000));
      const doc = await this.#read(id);
      if (doc === undefined) continue;
      last = { id, doc };
      if (doc.status !== 'PENDING') break;
    }
    return last;
  }

  async #read(id: string): Promise<KnownPayment | undefined> {
    const heard = await this.#parts.network.request(this.#random, between(this.#random, 0, 1), (service) =>
      service.queries.readPayment(id, merchant(service.world).accountId),
    );
    await this.#lookBack(id);
    return heard.kind !== 'heard' || 'kind' in heard.answer ? undefined : heard.answer.doc;
  }

  /** Asks for the payment at the newest moment that is final. */
  async #lookBack(id: string): Promise<void> {
    const { network, past } = this.#parts;
    const random = this.#random;
    const heard = await network.request(random, between(random, 0, 1), async ({ world, queries }) => {
      const at = world.now() - past.finalAfterMs;
      return { at, past: await queries.readPaymentAt(id, merchant(world).accountId, { at }) };
    });
    if (heard.kind !== 'heard') return;
    const { at, past: shown } = heard.answer;
    past.note(id, { at, revision: 'kind' in shown ? NOT_MADE : shown.revision });
  }

  /**
   * Captures what is left, looks for an open dispute, and mostly answers it; sometimes twice at once, and with a refund
   * beside it.
   */
  async #answerDispute(id: string): Promise<void> {
    const random = this.#random;
    await this.#insist('capture to be disputed', merchantsCall, (service, caller) =>
      service.payments.capturePayment(id, {}, caller),
    );
    for (let look = 0; look < 4 && !this.#parts.isClosing(); look += 1) {
      await this.#parts.timeline.wait(between(random, 3_000, 6_000));
      const known = await this.#read(id);
      const dispute = known?.disputes.find(({ status }) => status === 'OPEN');
      if (known === undefined || dispute === undefined) continue;
      if (chance(random, 0.15)) return; // nobody answers in time
      const answers = Array.from({ length: chance(random, 0.3) ? 2 : 1 }, (_, index) => {
        const answer = answerTo(random);
        return this.#insist(`answer ${index}`, merchantsCall, (service, caller) =>
          answer(service, id, dispute.disputeId, caller),
        );
      });
      if (chance(random, 0.3)) {
        const asked = { ...this.#part(this.#partOf(known)), known };
        answers.push(
          this.#insist('refund disputed', merchantsCall, (service, caller) =>
            doIt(service, id, 'refund a part', asked, caller),
          ),
        );
      }
      await Promise.all(answers);
      return;
    }
  }

  /** Captures, cancels, refunds or adjusts the payment, sometimes several at once. */
  async #goOn(id: string, payment: KnownPayment, isEstimated: boolean): Promise<void> {
    const random = this.#random;
    let known = payment;
    let refused: { readonly act: Act; readonly part: number } | undefined;
    const rounds = weighted(random, [
      [3, 0],
      [5, 1],
      [2, 2],
      [0.5, 4],
    ]);
    for (let round = 0; round < rounds && !this.#parts.isClosing(); round += 1) {
      const atOnce = chance(random, 0.12) ? between(random, 2, 3) : 1;
      const doing = Array.from({ length: atOnce }, (_, index) => {
        // A refused refund is requested again.
        const again = refused !== undefined && chance(random, 0.7) ? refused : undefined;
        const act = again?.act ?? actOn(random, known, isEstimated);
        const part = again?.part ?? this.#partOf(payment);
        const callerOf = chance(random, 0.08) ? callWithoutKey : merchantsCall;
        const asked = { ...this.#part(part), known };
        const done = this.#insist(`${act} ${round}.${index}`, callerOf, (service, caller) =>
          doIt(service, id, act, asked, caller),
        );
        return done.then((answer) => ({ answer, act, part }));
      });
      for (const { answer, act, part } of await Promise.all(doing)) {
        refused = answer === undefined && act.startsWith('refund') ? { act, part } : undefined;
        if (answer !== undefined && isKnown(answer.doc)) known = answer.doc;
      }
      await this.#parts.timeline.wait(between(random, 0, 3_000));
      if (chance(random, 0.5)) await this.#lookBack(id);
    }
  }

  /** At Stripe, a capture of a part releases the rest. */
  #part = (part: number) => ({ part, isLast: this.#parts.twins !== undefined });

  #partOf = ({ amount }: KnownPayment): number => between(this.#random, 1, Math.max(1, Math.floor(amount / 2)));

  /**
   * Refunds a part again after an operator called its first refund failed, and later all the rest, when the truth may
   * be known.
   */
  async #giveBack(id: string, payment: KnownPayment): Promise<void> {
    const { timeline, operator, isClosing } = this.#parts;
    const part = this.#partOf(payment);
    let known = payment;
    for (const [round, act] of GIVING_BACK.entries()) {
      if (isClosing()) return;
      if (round === GIVING_BACK.length - 1) await timeline.wait(between(this.#random, 8_000, 40_000));
      const asked = { ...this.#part(part), known };
      const done = await this.#insist(`${act} back ${round}`, merchantsCall, (service, caller) =>
        doIt(service, id, act, asked, caller),
      );
      if (done !== undefined && isKnown(done.doc)) known = done.doc;
      const refund = openRefund(known);
      if (round === GIVING_BACK.indexOf('refund a part') && refund !== undefined) await operator.sayFailed(id, refund);
    }
  }

  /**
   * Repeats a call at random nodes until it is completed. Notes the answer: the log must hold it. Undefined if refused
   * or given up.
   */
  async #insist<Doc>(
    what: string,
    callerOf: CallerOf,
    ask: Ask<Doc>,
    note = (key: string, answer: Completed<Doc>): void => this.#parts.acknowledged.note(key, answer),
  ): Promise<Exclude<Answer<Doc>, Rejection> | undefined> {
    const { timeline, network, tell } = this.#parts;
    const random = this.#random;
    const key = `${this.#name} ${what}`;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const node = between(random, 0, 1);
      const heard = await network.request(random, node, (service) => ask(service, callerOf(service.world, key)));
      tell(() => `${key}: ${said(heard)}`);
      if (heard.kind === 'heard') {
        const { answer } = heard;
        if (answer.kind === 'completed') {
          note(key, answer);
          return answer;
        }
        if (!isToBeRepeated(answer)) return undefined;
      }
      if (callerOf === callWithoutKey) return undefined; // without a key a repetition might have a second effect
      if (chance(random, 0.1)) return undefined;
      await timeline.wait(between(random, LEAST_PAUSE_MS, LONGEST_PAUSE_MS));
    }
    return undefined;
  }
}

const merchantsCall: CallerOf = (world, key) => merchant(world, key, key);

const callWithoutKey: CallerOf = (world) => merchant(world);

function said(
  heard: { readonly kind: 'lost' | 'unavailable' } | { readonly kind: 'heard'; readonly answer: Answer<unknown> },
): string {
  if (heard.kind !== 'heard') return heard.kind;
  const { answer } = heard;
  return answer.kind === 'rejected' ? answer.errorId : `${answer.status} ${answer.id}@${answer.revision}`;
}
