// The checkout in the frame: it reads the session, takes one payment to its end, and shows only known outcomes.
import { claimsOf } from '../shared/client-token.ts';
import type { ChallengeReturn, Configuration, FromFrame } from '../shared/protocol.ts';
import { AwaitingFunds } from './awaiting-funds.ts';
import { CardForm } from './card-form.ts';
import { Challenge } from './challenge.ts';
import type { Checkout } from './checkout.ts';
import { Following } from './following.ts';
import { hasMethod } from './methods.ts';
import { isOutage, type Payment, type Refused, type Session } from './pay/answers.ts';
import { forgetAttempt, hasOpenAttempt } from './pay/attempt-mark.ts';
import { isDecline, noticeOf, outcomeOf } from './pay/outcome.ts';
import { backoffMs, pause } from './pay/pause.ts';
import { CheckoutService } from './pay/service.ts';
import { actionPage } from './required-action.ts';
import { Runs } from './runs.ts';
import { Shop } from './shop.ts';
import { Stage } from './stage.ts';
import { applyAppearance } from './style.ts';
import type { Notice } from './words/words.ts';

const READS_BEFORE_DOWN = 4;

export class CheckoutFrame implements Checkout {
  readonly shop: Shop;
  readonly stage: Stage;
  readonly runs = new Runs();
  service = new CheckoutService('');
  sessionId = '';
  isTest = false;
  isBusy = false;
  hasPaid = false;
  readonly #address: URL;
  readonly #following = new Following(this);
  readonly #form = new CardForm(this, this.#following);
  readonly #challenge = new Challenge(this, this.#following);
  readonly #awaiting = new AwaitingFunds(this, this.#following, (id) => void this.#challenge.giveUp(id));
  #clientToken: string | undefined;

  /** `address`: of this page, with the account, and with the connection whose fields it may load. */
  constructor(root: HTMLElement, address: URL, tell: (news: FromFrame) => void) {
    this.#address = address;
    this.shop = new Shop(tell);
    this.stage = new Stage(root, this.shop);
  }

  /** Takes the merchant's configuration, the first or a newer one. */
  configure(configuration: Configuration): void {
    const { clientToken, locale, appearance = {} } = configuration;
    this.stage.speak(locale);
    applyAppearance(document.documentElement, appearance);
    this.#form.configure(configuration);
    if (this.#clientToken === clientToken) return;
    this.#clientToken = clientToken;
    void this.#begin(clientToken);
  }

  /** Reads the session again. During a payment nothing changes. */
  async refresh(): Promise<void> {
    if (this.isBusy || this.#form.session === undefined) return;
    const counts = this.runs.begin();
    const answer = await this.service.readSession();
    if (!counts() || this.isBusy) return;
    if (answer.kind === 'answered') {
      if (!this.#hasMoved(answer.body)) this.showForm(answer.body);
    } else if (answer.kind === 'refused' && !isOutage(answer)) this.refuseSession(answer);
    else this.shop.error('service_unavailable', 'The session could not be read again.');
  }

  /** The shopper has closed the bank's window. */
  challengeClosed(paymentId: string): void {
    this.#challenge.closed(paymentId);
  }

  /** The shopper is back from the bank. */
  challengeReturned(returned: ChallengeReturn): Promise<void> {
    return this.#challenge.returned(returned);
  }

  showForm(session: Session, notice?: Notice, isDecline = false): void {
    if (session.payment !== undefined) return void this.settle(session.payment);
    // The amount may have changed, and with it the connection that the rules choose.
    if (this.#hasMoved(session)) return;
    if (hasMethod(session, this.isTest)) this.#form.show(session, notice, isDecline);
    else this.stage.withoutMethod(() => void this.#load());
  }

  async settle(payment: Payment): Promise<void> {
    const outcome = outcomeOf(payment);
    if (outcome !== 'pending') this.#challenge.over();
    switch (outcome) {
      case 'complete':
        return this.#complete(payment);
      case 'refused':
        return this.#declined(payment);
      case 'pending':
        return this.#wait(payment);
      default:
        return outcome satisfies never;
    }
  }

  refuseSession({ status, errorId }: Refused): void {
    if (status === 401 || status === 400 || errorId === 'ClientSessionValidationError') this.#expired();
    else this.#down();
  }

  async #begin(clientToken: string): Promise<void> {
    this.runs.next();
    const claims = claimsOf(clientToken);
    // The page's address decided who may frame it, so a token of another account is not accepted here.
    if (claims === undefined || claims.account !== this.#address.searchParams.get('account')) return this.#expired();
    this.service = new CheckoutService(clientToken);
    this.sessionId = claims.session;
    this.isTest = claims.isTest;
    this.hasPaid = false;
    this.#challenge.forget();
    await this.#load();
  }

  async #load(): Promise<void> {
    const counts = this.runs.begin();
    this.isBusy = false;
    this.#form.drop();
    this.stage.loading();
    for (let read = 0; ; read += 1) {
      const answer = await this.service.readSession();
      if (!counts()) return;
      if (answer.kind === 'answered') return this.#hasMoved(answer.body) ? undefined : this.#open(answer.body);
      if (answer.kind === 'refused' && !isOutage(answer)) return this.refuseSession(answer);
      if (read + 1 === READS_BEFORE_DOWN) return this.#down();
      await pause(backoffMs(read));
      if (!counts()) return;
    }
  }

  /**
   * A page loads the fields of the connections in its address, or none: its policy is made for them. True if the
   * session needs others, whose page then takes the place of this one.
   */
  #hasMoved({ fields }: Session): boolean {
    const connections = fields.map(({ connectionId }) => connectionId).join();
    if ((this.#address.searchParams.get('connection') ?? '') === connections) return false;
    const there = new URL(connections === '' ? 'frame' : 'fields', this.#address);
    there.searchParams.set('account', this.#address.searchParams.get('account') ?? '');
    if (connections !== '') there.searchParams.set('connection', connections);
    window.location.replace(there);
    return true;
  }

  /** Shows a session that was read for the first time on this page. A payment may already be in progress. */
  async #open(session: Session): Promise<void> {
    if (session.payment !== undefined) return this.settle(session.payment);
    if (!hasOpenAttempt(this.sessionId)) return this.showForm(session);
    await this.#following.whetherBegun(session);
  }

  #complete(payment: Payment): void {
    forgetAttempt(this.sessionId);
    this.isBusy = true;
    this.#form.clear();
    this.stage.complete(payment, !this.hasPaid);
  }

  /** Handles a payment that is over and took no money. The form accepts another card. */
  async #declined(payment: Payment): Promise<void> {
    forgetAttempt(this.sessionId);
    const counts = this.runs.begin();
    const answer = await this.service.readSession();
    if (!counts()) return;
    const session = answer.kind === 'answered' ? answer.body : this.#form.session;
    if (session === undefined) return this.#down();
    const isGivenUp = this.#challenge.isGivenUp(payment.id) && payment.status === 'CANCELLED';
    if (isGivenUp) this.#form.clear();
    const other = session.payment?.id === payment.id ? undefined : session.payment;
    const givenUp = payment.method === 'PAYMENT_CARD' ? 'givenUp' : 'otherWay';
    this.showForm({ ...session, payment: other }, isGivenUp ? givenUp : noticeOf(payment), isDecline(payment));
  }

  async #wait(payment: Payment): Promise<void> {
    const page = actionPage(payment);
    if (page !== undefined) return this.#challenge.begin(payment, page);
    if (payment.reasonType === 'AWAITING_FUNDS') return this.#awaiting.begin(payment);
    if (payment.requiredAction !== undefined) {
      const message = `The payment requires ${payment.requiredAction.name}, which this version of the checkout does not support.`;
      this.shop.error('action_not_supported', message, payment.id);
    }
    await this.#following.untilOver(payment.id);
  }

  #expired(): void {
    this.isBusy = true;
    this.stage.expired();
  }

  #down(): void {
    this.stage.unavailable('The session could not be read.', () => void this.#load());
  }
}
