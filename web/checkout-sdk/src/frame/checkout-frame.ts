// The checkout in the frame: it reads the session, takes one payment through to its end, and shows only what is known.

import type { CheckoutErrorCode, CheckoutState } from '../sdk/public.ts';
import { claimsOf } from '../shared/client-token.ts';
import type { ChallengeReturn, Configuration, FromFrame } from '../shared/protocol.ts';
import { formatMoney } from './money.ts';
import { isOutage, type Payment, type Refused, type Session } from './pay/answers.ts';
import { forgetAttempt, hasOpenAttempt, markAttempt } from './pay/attempt-mark.ts';
import { stateOf } from './pay/notice-state.ts';
import { noticeOf, outcomeOf } from './pay/outcome.ts';
import { backoffMs, pause } from './pay/pause.ts';
import { mayHaveBegun, sendPayment, sendResume } from './pay/send-payment.ts';
import { CheckoutService } from './pay/service.ts';
import { challengeUrl } from './required-action.ts';
import { applyAppearance } from './style.ts';
import { type Chosen, PaymentForm } from './view/form.ts';
import { showLoading, showMessage } from './view/message.ts';
import { type Language, languageOf } from './words/language.ts';
import type { Notice } from './words/words.ts';

const READS_BEFORE_DOWN = 4;
/** A request that reached the service is on record within milliseconds; these looks take some 6 s. */
const LOOKS_FOR_ATTEMPT = 5;
const LONG_MS = 8_000;
const VERY_LONG_MS = 90_000;

export class CheckoutFrame {
  readonly #root: HTMLElement;
  readonly #tell: (news: FromFrame) => void;
  /** The account that this page's address names. */
  readonly #account: string | null;
  #configuration: Configuration | undefined;
  #service = new CheckoutService('');
  #language: Language = languageOf('en');
  #sessionId = '';
  #isTest = false;
  #form: PaymentForm | undefined;
  #session: Session | undefined;
  #busy = false;
  /** Whether the shopper has pressed the button on this page; a payment without it was found when the page was loaded. */
  #hasPaid = false;
  /** The payment whose shopper is, or may go, at the bank. */
  #challenged: string | undefined;
  /** Work that a newer token or session has made meaningless compares its own number with this one. */
  #run = 0;

  constructor(root: HTMLElement, account: string | null, tell: (news: FromFrame) => void) {
    this.#root = root;
    this.#account = account;
    this.#tell = tell;
  }

  /** Takes the merchant's configuration, the first or a newer one. */
  configure(configuration: Configuration): void {
    const before = this.#configuration;
    this.#configuration = configuration;
    this.#language = languageOf(configuration.locale);
    document.documentElement.lang = this.#language.lang;
    document.title = this.#language.words.title;
    this.#tell({ kind: 'title', text: this.#language.words.title });
    applyAppearance(document.documentElement, configuration.appearance ?? {});
    if (before?.clientToken === configuration.clientToken) this.#redraw();
    else void this.#begin(configuration.clientToken);
  }

  /** Reads the session again; while a payment is under way there is nothing to change. */
  async refresh(): Promise<void> {
    if (this.#busy || this.#form === undefined) return;
    const run = this.#run;
    const answer = await this.#service.readSession();
    if (run !== this.#run || this.#busy) return;
    if (answer.kind === 'answered') this.#show(answer.body);
    else if (answer.kind === 'refused' && !isOutage(answer)) this.#refusedSession(answer);
    else this.#error('service_unavailable', 'The session could not be read again.');
  }

  async #begin(clientToken: string): Promise<void> {
    this.#run += 1;
    const claims = claimsOf(clientToken);
    // The page's address decided who may frame it, so a token of another account has no place here.
    if (claims === undefined || claims.account !== this.#account) return this.#expired();
    this.#service = new CheckoutService(clientToken);
    this.#sessionId = claims.session;
    this.#isTest = claims.isTest;
    this.#hasPaid = false;
    this.#challenged = undefined;
    await this.#load();
  }

  async #load(): Promise<void> {
    const run = this.#run;
    this.#busy = false;
    this.#form = undefined;
    this.#state('loading');
    showLoading(this.#root, this.#language.words.loading);
    for (let read = 0; ; read += 1) {
      const answer = await this.#service.readSession();
      if (run !== this.#run) return;
      if (answer.kind === 'answered') return this.#open(answer.body);
      if (answer.kind === 'refused' && !isOutage(answer)) return this.#refusedSession(answer);
      if (read + 1 === READS_BEFORE_DOWN) return this.#down();
      await pause(backoffMs(read));
      if (run !== this.#run) return;
    }
  }

  /** A session that was read for the first time on this page: a payment may have been under way before. */
  async #open(session: Session): Promise<void> {
    if (session.payment !== undefined) return this.#settle(session.payment);
    if (!hasOpenAttempt(this.#sessionId)) return this.#show(session);
    await this.#look(session, LOOKS_FOR_ATTEMPT);
  }

  /** Looks whether a payment that was sent has reached the service. */
  async #look(session: Session, looks: number): Promise<void> {
    const run = this.#run;
    const { words } = this.#language;
    showMessage(this.#root, { kind: 'pending', title: words.checking, text: '' });
    let latest = session;
    for (let look = 0; look < looks; look += 1) {
      await pause(backoffMs(look));
      if (run !== this.#run) return;
      const answer = await this.#service.readSession();
      if (run !== this.#run) return;
      if (answer.kind === 'refused' && !isOutage(answer)) return this.#refusedSession(answer);
      if (answer.kind !== 'answered') continue;
      latest = answer.body;
      if (latest.payment !== undefined) return this.#settle(latest.payment);
    }
    forgetAttempt(this.#sessionId);
    this.#show(latest, 'lastAttempt');
  }

  /** The form, for a session without a payment. */
  #show(session: Session, notice?: Notice): void {
    if (session.payment !== undefined) return void this.#settle(session.payment);
    this.#session = session;
    if (this.#form === undefined) {
      this.#form = new PaymentForm(this.#shown(session), () => void this.#pay());
      this.#root.replaceChildren(this.#form.element);
    } else {
      this.#form.show(this.#shown(session));
      if (!this.#form.element.isConnected) this.#root.replaceChildren(this.#form.element);
    }
    this.#free(notice);
    if (session.currencyCode === undefined || session.amount === undefined)
      this.#error('session_incomplete', 'The session has no amount, or no currencyCode.');
  }

  /** The form takes a payment again. */
  #free(notice?: Notice): void {
    this.#busy = false;
    this.#form?.setBusy(false);
    this.#form?.notice(notice);
    this.#state(stateOf(notice));
    if (notice === 'unavailable') this.#error('service_unavailable', 'The service did not answer, and no payment was sent.');
    if (notice === 'tooManyAttempts') this.#error('service_unavailable', 'The service had too many calls (429), and no payment was made.');
  }

  #redraw(): void {
    if (this.#form !== undefined && this.#session !== undefined) this.#form.show(this.#shown(this.#session));
  }

  #shown(session: Session): ConstructorParameters<typeof PaymentForm>[0] {
    return { session, language: this.#language, withOrder: this.#configuration?.orderSummary !== false, isTest: this.#isTest };
  }

  /** Pays with what the form holds; a press while one payment is under way does nothing. */
  async #pay(): Promise<void> {
    if (this.#busy || this.#form === undefined) return;
    const chosen = this.#form.read();
    if (chosen === undefined) return;
    this.#busy = true;
    this.#hasPaid = true;
    this.#form.setBusy(true);
    this.#state('paying');
    const slow = setTimeout(() => this.#form?.setStatus(this.#language.words.payingLong), LONG_MS);
    try {
      await this.#send(chosen);
    } finally {
      clearTimeout(slow);
    }
  }

  async #send(chosen: Chosen): Promise<void> {
    const run = this.#run;
    const token = await this.#tokenOf(chosen);
    if (token === undefined || run !== this.#run) return;
    // The amount that the shopper pressed is paid, or none: the shop may have changed the order meanwhile.
    const now = await this.#service.readSession();
    if (run !== this.#run) return;
    if (now.kind === 'unreachable' || (now.kind === 'refused' && isOutage(now))) return this.#free('unavailable');
    if (now.kind === 'refused') return this.#refusedSession(now);
    const { amount, currencyCode, payment } = now.body;
    if (payment !== undefined) return this.#settle(payment);
    if (amount !== this.#session?.amount || currencyCode !== this.#session?.currencyCode) return this.#show(now.body, 'amountChanged');

    markAttempt(this.#sessionId);
    const save = chosen.kind === 'new' && chosen.save !== undefined ? { vaultOnSuccess: chosen.save } : {};
    const answer = await sendPayment(this.#service, { paymentMethodToken: token, ...save });
    if (run !== this.#run) return;
    if (answer.kind === 'answered') return this.#settle(answer.body);
    if (answer.kind === 'unreachable' || mayHaveBegun(answer)) return this.#unreachable(now.body);
    await this.#refused(answer);
  }

  /** Undefined: the card was refused, and the form says so; or the answer is of an earlier session. */
  async #tokenOf(chosen: Chosen): Promise<string | undefined> {
    if (chosen.kind === 'saved') return chosen.card.token;
    const run = this.#run;
    const answer = await this.#service.tokenize(chosen.card);
    if (run !== this.#run) return undefined; // the shop has given another session meanwhile
    if (answer.kind === 'answered') return answer.body;
    if (answer.kind === 'unreachable' || answer.status >= 500) this.#free('unavailable');
    else if (answer.status === 401 || answer.status === 400) this.#refusedSession(answer);
    else if (answer.status === 429) this.#free('tooManyAttempts');
    else {
      this.#free(answer.paths.length === 0 ? 'cardRefused' : undefined);
      // The digits were checked before they were sent; the sandbox knows the cards of its table only.
      if (answer.paths.includes('$.card.number')) this.#form?.showFault('number', this.#isTest ? 'numberUnknownInTest' : 'numberWrong');
      else if (answer.paths.some((path) => path.startsWith('$.card.expiration'))) this.#form?.showFault('expiry', 'expired');
      else if (answer.paths.includes('$.card.cvc')) this.#form?.showFault('cvc', 'cvcIncomplete');
      else if (answer.paths.length > 0) this.#form?.showFault('name', 'nameWrong');
    }
    return undefined;
  }

  /** A payment that was refused before it began, or that another page of this session has made. */
  async #refused(answer: Refused): Promise<void> {
    forgetAttempt(this.#sessionId);
    const { errorId, paymentId, status } = answer;
    if (errorId === 'ClientSessionCompleted' && paymentId !== undefined) return this.#follow(paymentId);
    if (status === 401 || errorId === 'ClientSessionValidationError') return this.#refusedSession(answer);
    if (status === 429) return this.#free('tooManyAttempts');
    const run = this.#run;
    const again = await this.#service.readSession();
    if (run !== this.#run) return;
    const notice = errorId === 'InvalidPaymentInstrumentToken' ? 'cardGone' : 'notSent';
    if (again.kind === 'answered') this.#show(again.body, notice);
    else this.#free(notice);
  }

  /** The payment was sent, and no answer came: only the service can say what became of it. */
  async #unreachable(session: Session): Promise<void> {
    const run = this.#run;
    const { words } = this.#language;
    this.#state('pending');
    showMessage(this.#root, { kind: 'offline', title: words.offline, text: words.offlineText });
    for (let read = 0; ; read += 1) {
      await pause(backoffMs(read));
      if (run !== this.#run) return;
      const answer = await this.#service.readSession();
      if (run !== this.#run) return;
      if (answer.kind === 'answered') return this.#look(session, LOOKS_FOR_ATTEMPT);
      if (answer.kind === 'refused' && !isOutage(answer)) return this.#refusedSession(answer);
    }
  }

  /** Shows where a payment stands, and goes on from there. */
  async #settle(payment: Payment): Promise<void> {
    const outcome = outcomeOf(payment);
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

  #complete({ id, status, amount, currencyCode }: Payment): void {
    forgetAttempt(this.#sessionId);
    this.#busy = true;
    this.#form?.clear();
    const { words, locale } = this.#language;
    showMessage(this.#root, {
      kind: 'complete',
      title: words.complete,
      text: words.completeText(formatMoney(amount, currencyCode, locale)),
    });
    this.#state('complete');
    this.#tell({ kind: 'complete', payment: { paymentId: id, status, amount, currencyCode, resumed: !this.#hasPaid } });
  }

  async #declined(payment: Payment): Promise<void> {
    forgetAttempt(this.#sessionId);
    const run = this.#run;
    const answer = await this.#service.readSession();
    if (run !== this.#run) return;
    const session = answer.kind === 'answered' ? answer.body : this.#session;
    if (session === undefined) return this.#down();
    this.#show({ ...session, payment: session.payment?.id === payment.id ? undefined : session.payment }, noticeOf(payment));
  }

  async #wait(payment: Payment): Promise<void> {
    const url = challengeUrl(payment);
    if (url !== undefined) return this.#challenge(payment.id, url);
    if (payment.requiredAction !== undefined) {
      const message = `The payment waits for ${payment.requiredAction.name}, which this version of the checkout cannot show.`;
      this.#error('action_not_supported', message, payment.id);
    }
    await this.#follow(payment.id);
  }

  /** Over the merchant's page when the shopper has just pressed the button; else, and after the window was closed, there is one to open it. */
  async #challenge(paymentId: string, url: string): Promise<void> {
    const { words } = this.#language;
    const open = (): void =>
      this.#tell({ kind: 'challenge', challenge: { paymentId, url, title: words.challenge, close: words.challengeClose } });
    this.#busy = true;
    this.#challenged = paymentId;
    this.#state('challenge');
    const action = { label: words.challengeGo, run: open };
    showMessage(this.#root, { kind: 'challenge', title: words.challenge, text: words.challengeText, action });
    if (this.#hasPaid) open();
    // The bank's own word may come first, or another tab.
    await this.#watch(paymentId, url);
  }

  /** The shopper has closed the bank's window. */
  challengeClosed(paymentId: string): void {
    if (this.#challenged === paymentId) this.#error('challenge_closed', 'The shopper has closed the window; the payment waits.', paymentId);
  }

  /** The shopper is back from the bank. Whatever keeps the payment from going on is an outage, and says nothing about the card. */
  async challengeReturned({ paymentId, resumeToken }: ChallengeReturn): Promise<void> {
    if (this.#challenged !== paymentId) return;
    this.#challenged = undefined;
    this.#run += 1;
    const run = this.#run;
    const { words } = this.#language;
    this.#state('paying');
    showMessage(this.#root, { kind: 'pending', title: words.pending, text: '' });
    const answer = await sendResume(this.#service, paymentId, resumeToken);
    if (run !== this.#run) return;
    if (answer.kind === 'answered') return this.#settle(answer.body);
    if (answer.kind === 'refused' && answer.status === 401) return this.#refusedSession(answer);
    if (answer.kind === 'refused' && !isOutage(answer)) return this.#follow(paymentId);
    this.#challenged = paymentId;
    this.#unavailable('The payment could not be gone on with.', () => void this.challengeReturned({ paymentId, resumeToken }), paymentId);
  }

  /** Asks until the outcome is known. */
  async #follow(paymentId: string): Promise<void> {
    const { words } = this.#language;
    this.#busy = true;
    this.#state('pending');
    const show = (text: string): void => showMessage(this.#root, { kind: 'pending', title: words.pending, text });
    show(words.pendingText);
    await this.#watch(paymentId, undefined, () => show(words.pendingLong));
  }

  /** Asks, less and less often, until the payment is over or waits for another challenge than the one at `url`. */
  async #watch(paymentId: string, url: string | undefined, whenLong: () => void = () => undefined): Promise<void> {
    const run = this.#run;
    const began = Date.now();
    let isLong = false;
    for (let read = 0; ; read += 1) {
      const answer = await this.#service.readPayment(paymentId);
      if (run !== this.#run) return;
      if (answer.kind === 'answered' && (outcomeOf(answer.body) !== 'pending' || challengeUrl(answer.body) !== url))
        return this.#settle(answer.body);
      if (answer.kind === 'refused' && answer.status === 401) return this.#refusedSession(answer);
      if (!isLong && Date.now() - began > VERY_LONG_MS) {
        isLong = true;
        whenLong();
      }
      await pause(backoffMs(read));
      if (run !== this.#run) return;
    }
  }

  #refusedSession({ status, errorId }: Refused): void {
    if (status === 401 || status === 400 || errorId === 'ClientSessionValidationError') this.#expired();
    else this.#down();
  }

  #expired(): void {
    this.#busy = true;
    const { words } = this.#language;
    showMessage(this.#root, { kind: 'expired', title: words.over, text: words.overText });
    this.#state('expired');
    this.#error('session_expired', 'The client token is not valid any more, or not of this account.');
  }

  #down(): void {
    this.#unavailable('The session could not be read.', () => void this.#load());
  }

  /** The service does not answer; a button tries again. */
  #unavailable(message: string, run: () => void, paymentId?: string): void {
    const { words } = this.#language;
    showMessage(this.#root, { kind: 'unavailable', title: words.down, text: words.downText, action: { label: words.tryAgain, run } });
    this.#state('unavailable');
    this.#error('service_unavailable', message, paymentId);
  }

  #error(code: CheckoutErrorCode, message: string, paymentId?: string): void {
    this.#tell({ kind: 'error', error: { code, message, ...(paymentId === undefined ? {} : { paymentId }) } });
  }

  #state(state: CheckoutState): void {
    this.#tell({ kind: 'state', state });
  }
}
