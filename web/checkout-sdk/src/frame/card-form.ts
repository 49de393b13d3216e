// The card form of a session, and the payment with what the shopper has entered.

import type { CheckoutState } from '../sdk/public.ts';
import type { Configuration } from '../shared/protocol.ts';
import type { Checkout } from './checkout.ts';
import type { MadeToken } from './fields/fields-module.ts';
import type { Following } from './following.ts';
import type { MethodName } from './methods.ts';
import { type AgreementText, isOutage, type Refused, type Session } from './pay/answers.ts';
import { forgetAttempt, markAttempt } from './pay/attempt-mark.ts';
import { rememberMethod } from './pay/last-method.ts';
import { mayHaveBegun, sendPayment } from './pay/send-payment.ts';
import type { CheckoutService, Order } from './pay/service.ts';
import type { Chosen, FieldsEntry } from './view/entry.ts';
import { type Acts, PaymentForm } from './view/form.ts';
import type { Notice } from './words/words.ts';

const LONG_MS = 8_000;
/** The notices for refusals that the shopper can act on. Any other refusal only says that nothing was paid. */
const NOTICES: ReadonlyMap<string, Notice> = new Map([
  ['AmountChanged', 'amountChanged'],
  ['TermsChanged', 'termsChanged'],
  ['InvalidPaymentInstrumentToken', 'cardGone'],
]);

/** An empty cart says so on the button already. */
const incompleteNotice = ({ lacks }: Session): Notice | undefined =>
  lacks.some((member) => member !== 'amount' && member !== 'currencyCode') ? 'incomplete' : undefined;

export class CardForm {
  readonly #checkout: Checkout;
  readonly #following: Following;
  #configuration: Configuration | undefined;
  #form: PaymentForm | undefined;
  #session: Session | undefined;

  constructor(checkout: Checkout, following: Following) {
    this.#checkout = checkout;
    this.#following = following;
  }

  /** Undefined before the form was shown. */
  get session(): Session | undefined {
    return this.#form === undefined ? undefined : this.#session;
  }

  configure(configuration: Configuration): void {
    this.#configuration = configuration;
    if (this.#form !== undefined && this.#session !== undefined) this.#form.show(this.#shown(this.#session));
  }

  /** Called before another session is shown. */
  drop(): void {
    this.#form = undefined;
  }

  /** Removes the card from the page after the payment was created or given up. */
  clear(): void {
    this.#form?.clear();
  }

  show(session: Session, notice?: Notice, isDecline = false): void {
    const { stage } = this.#checkout;
    this.#session = session;
    // The frames of a processor's fields end with their place in the page.
    if (session.fields.length > 0 && this.#form?.element.isConnected === false) this.drop();
    if (this.#form?.isFor(session) === false) this.drop();
    this.#form?.show(this.#shown(session));
    this.#form ??= new PaymentForm(this.#shown(session), this.#acts());
    const form = this.#form;
    if (!form.element.isConnected) stage.show(form.element);
    form.ready.then(
      () => {
        if (this.#form === form) this.#open(session, notice, isDecline);
      },
      (fault: unknown) => {
        // Only a new page asks for a script again that did not load.
        if (this.#form === form) stage.unavailable(`The fields did not load. ${fault}`, () => window.location.reload());
      },
    );
  }

  /** Accepts a card for the session. */
  #open(session: Session, notice: Notice | undefined, isDecline: boolean): void {
    const { shop } = this.#checkout;
    this.#free(isDecline ? notice : (incompleteNotice(session) ?? notice), isDecline);
    if (session.lacks.length > 0)
      shop.error(
        'session_incomplete',
        `The session cannot be paid because fields are missing: ${session.lacks.join(', ')}.`,
      );
  }

  /** Enables the form for another payment. */
  #free(notice?: Notice, isDecline = false): void {
    const { shop } = this.#checkout;
    this.#checkout.isBusy = false;
    this.#form?.setBusy(false);
    this.#form?.notice(notice);
    shop.state(stateOf(notice, isDecline, this.#session?.lacks.length === 0));
    if (notice === 'unavailable')
      shop.error('service_unavailable', 'The service did not respond, and no payment was sent.');
    if (notice === 'tooManyAttempts')
      shop.error('service_unavailable', 'The service received too many calls (429), and no payment was created.');
  }

  #shown(session: Session): ConstructorParameters<typeof PaymentForm>[0] {
    const { stage, isTest } = this.#checkout;
    return { session, language: stage.language, withOrder: this.#configuration?.orderSummary !== false, isTest };
  }

  #acts(): Acts {
    const { stage } = this.#checkout;
    /** The amount that the wallet shows: the session's when it opened. */
    let opened: Order['shown'] | undefined;
    return {
      pay: () => {
        const shown = this.#payable();
        const chosen = shown && this.#form?.read();
        if (chosen !== undefined) void this.#pay(chosen, shown);
      },
      mayPay: () => {
        opened = this.#session?.lacks.length === 0 ? this.#payable() : undefined;
        return opened !== undefined;
      },
      payWith: (made) => {
        if (opened !== undefined && this.#payable() !== undefined) void this.#pay(made, opened);
      },
      nothing: () => stage.withoutMethod(() => window.location.reload()),
    };
  }

  /** The amount on the button; undefined if there is none, or while a payment is under way. */
  #payable(): Order['shown'] | undefined {
    const { amount, currencyCode } = this.#session ?? {};
    if (this.#checkout.isBusy || this.#form === undefined) return undefined;
    return amount === undefined || currencyCode === undefined ? undefined : { amount, currencyCode };
  }

  /** Pays with what the shopper has chosen. A press during a payment does nothing. */
  async #pay(chosen: Chosen, shown: Order['shown'] | undefined): Promise<void> {
    if (this.#form === undefined || shown === undefined) return;
    const { stage, shop } = this.#checkout;
    this.#checkout.isBusy = true;
    this.#checkout.hasPaid = true;
    this.#form.setBusy(true);
    shop.state('paying');
    const slow = setTimeout(() => this.#form?.setStatus(stage.language.words.payingLong), LONG_MS);
    try {
      await this.#send(chosen, shown);
    } finally {
      clearTimeout(slow);
    }
  }

  /**
   * `shown`: the amount on the button when it was pressed. The service charges exactly that, even if the shop changes
   * the session.
   */
  async #send(chosen: Chosen, shown: Order['shown']): Promise<void> {
    const { service, sessionId, runs } = this.#checkout;
    const counts = runs.begin();
    const token = await this.#tokenOf(chosen);
    if (token === undefined || !counts()) return;
    // A payment of another tab is shown, and an outage reported, before anything is sent.
    const now = await service.readSession();
    if (!counts()) return;
    if (now.kind === 'unreachable' || (now.kind === 'refused' && isOutage(now))) return this.#free('unavailable');
    if (now.kind === 'refused') return this.#checkout.refuseSession(now);
    const { payment } = now.body;
    if (payment !== undefined) return this.#checkout.settle(payment);

    const agreed = this.#form?.agreedText;
    if (now.body.agreement?.isAgreed === false && !(await this.#agree(agreed, counts))) return;

    markAttempt(sessionId);
    rememberMethod(methodOfChosen(chosen));
    const save = chosen.kind === 'new' && chosen.save !== undefined ? { vaultOnSuccess: chosen.save } : {};
    const answer = await sendPayment(service, { paymentMethodToken: token, ...save, shown });
    if (!counts()) return;
    if (answer.kind === 'answered') return this.#checkout.settle(answer.body);
    if (answer.kind === 'unreachable' || mayHaveBegun(answer)) return this.#following.untilReachable(now.body);
    await this.#refused(answer);
  }

  /** Puts on record what the shopper has agreed to; false if that failed, which the form shows. */
  async #agree(text: AgreementText | undefined, counts: () => boolean): Promise<boolean> {
    const { service } = this.#checkout;
    const { language = '', textDigest = '' } = text ?? {};
    const answer = await service.agree({ language, textDigest });
    if (!counts()) return false;
    if (answer.kind === 'answered') return true;
    if (answer.kind === 'unreachable' || isOutage(answer)) this.#free('unavailable');
    else await this.#refused(answer.errorId === 'Conflict' ? { ...answer, errorId: 'TermsChanged' } : answer);
    return false;
  }

  /**
   * The token, or undefined if the card was refused, which the form shows, or if the response belongs to an earlier
   * session.
   */
  async #tokenOf(chosen: Chosen): Promise<string | undefined> {
    if (chosen.kind === 'saved') return chosen.token;
    const { service, runs, isTest } = this.#checkout;
    const counts = runs.begin();
    const made = await givenBy(chosen);
    if (!counts()) return undefined; // the shop has set another session meanwhile
    if (typeof made === 'string') {
      const refused = methodOfChosen(chosen) === 'PAYMENT_CARD' ? 'cardRefused' : 'methodRefused';
      this.#free(made === 'refused' ? refused : made === 'unreachable' ? 'unavailable' : undefined);
      return undefined;
    }
    const answer = await service.tokenize(made);
    if (!counts()) return undefined;
    if (answer.kind === 'answered') return answer.body;
    if (answer.kind === 'unreachable' || answer.status >= 500) this.#free('unavailable');
    else if (answer.status === 401 || answer.status === 400) this.#checkout.refuseSession(answer);
    else if (answer.status === 429) this.#free('tooManyAttempts');
    else if ('method' in made) {
      const isAccount = answer.paths.includes('$.method.iban');
      this.#free(isAccount ? undefined : 'methodRefused');
      if (isAccount) this.#form?.refuseMethod();
    } else {
      this.#free(answer.paths.length === 0 || 'processorToken' in made ? 'cardRefused' : undefined);
      // The digits were checked before they were sent. The sandbox accepts only the cards in its table.
      if (answer.paths.includes('$.card.number'))
        this.#form?.showFault('number', isTest ? 'numberUnknownInTest' : 'numberWrong');
      else if (answer.paths.some((path) => path.startsWith('$.card.expiration')))
        this.#form?.showFault('expiry', 'expired');
      else if (answer.paths.includes('$.card.cvc')) this.#form?.showFault('cvc', 'cvcIncomplete');
      else if (answer.paths.length > 0) this.#form?.showFault('name', 'nameWrong');
    }
    return undefined;
  }

  /** Handles a payment that was refused before it started, or that another page of this session created. */
  async #refused(answer: Refused): Promise<void> {
    const { service, sessionId, runs, shop } = this.#checkout;
    forgetAttempt(sessionId);
    const { errorId, paymentId, status } = answer;
    if (errorId === 'ClientSessionCompleted' && paymentId !== undefined) return this.#following.untilOver(paymentId);
    if (status === 401 || errorId === 'ClientSessionValidationError') return this.#checkout.refuseSession(answer);
    if (status === 429) return this.#free('tooManyAttempts');
    const counts = runs.begin();
    const again = await service.readSession();
    if (!counts()) return;
    const notice = NOTICES.get(errorId) ?? 'notSent';
    const isExplained = notice !== 'notSent' || (again.kind === 'answered' && again.body.lacks.length > 0);
    if (!isExplained) shop.error('payment_refused', `The service refused the payment: ${errorId}.`);
    if (again.kind === 'answered') this.#checkout.showForm(again.body, notice);
    else if (errorId === 'AmountChanged' && this.#session !== undefined)
      // The lines belong to the previous amount.
      this.show({ ...this.#session, amount: answer.amount, currencyCode: answer.currencyCode, lines: [] }, notice);
    else this.#free(notice);
  }
}

const methodOfChosen = (chosen: Chosen): MethodName => {
  if (chosen.kind === 'method') return chosen.method.type;
  return chosen.kind === 'new' ? 'PAYMENT_CARD' : chosen.method;
};

/** What the service makes a token of, or why the processor's fields made nothing. */
async function givenBy(
  chosen: Exclude<Chosen, { readonly kind: 'saved' }>,
): Promise<Parameters<CheckoutService['tokenize']>[0] | Extract<MadeToken, string>> {
  if (chosen.kind === 'method') return { method: chosen.method };
  const by = chosen.kind === 'made' ? chosen : chosen.entered;
  if ('card' in by) return by;
  const { own, token } = 'fields' in by ? madeBy(by.fields, chosen.kind === 'new' && chosen.keeps) : by;
  const made = await token();
  return typeof made === 'string' ? made : { processorToken: { connectionId: own.connectionId, ...made } };
}
const madeBy = (fields: FieldsEntry, keeps: boolean) => ({ own: fields.own, token: () => fields.token(keeps) });

const OUTAGES: ReadonlySet<Notice> = new Set(['unavailable', 'tooManyAttempts']);

/**
 * The state for the shop's page. `isDecline`: an issuer or a processor has refused the card. Other notices are not
 * about the card.
 */
function stateOf(notice: Notice | undefined, isDecline: boolean, isComplete: boolean): CheckoutState {
  if (isDecline) return 'declined';
  if (notice !== undefined && OUTAGES.has(notice)) return 'unavailable';
  return isComplete ? 'ready' : 'incomplete';
}
