// The shop's operator. He says by hearsay that a refund failed, and the processor's notification corrects him later. He
// settles unknown attempts by the processor's statement, which has no transaction ids. He discards parked notifications
// that name no payment.

import type { Attempt } from '../../src/domain/payment/attempt.ts';
import { paymentIdOf } from '../../src/domain/payment/reference.ts';
import { transactionIdOf } from '../../src/processors/sandbox/names.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';
import { type NotificationKey, notifications } from '../../src/projections/models/notifications.ts';
import { openWork } from '../../src/queries/unknown-outcomes.ts';
import type { Service } from '../../src/service.ts';
import type { Query } from '../../src/stores/read-models.ts';
import { formatTime, type World } from '../../src/world.ts';
import { CURRENCY } from './acts.ts';
import { type Heard, merchant, type Network } from './network.ts';
import { between, chance, type Random } from './random.ts';
import type { Timeline } from './timeline.ts';

export interface OperatorParts {
  readonly timeline: Timeline;
  readonly network: Network;
  /** The processor's world, on the business clock. */
  readonly world: World;
  /** Signs notifications. */
  readonly secret: Buffer;
  /** The statement of the processor's ledger so far on these references, by reference; nothing on an unrecorded one. */
  readonly statement: (references: readonly string[]) => Promise<ReadonlyMap<string, LedgerLine>>;
  /** Where the sandbox that was asked for this reference sends its notifications. */
  readonly notificationUrl: (reference: string) => string;
  readonly tell: (line: () => string) => void;
}

/** A notification of no payment: 32 characters where a payment's own digits would be, and 8 digits. */
const STRAY = 'stray'.padEnd(32, '0');
const STRAY_DIGITS = 8;
const TRIES = 50;
const AGAIN_MS = 1_000;
/** The delay of the processor's own report after the hearsay, ms. */
const CORRECTED_AFTER_MS = [8_000, 20_000] as const;
const MANY = 1_000;
const PARKED: Query<NotificationKey> = {
  where: { parkedAt: { from: 0 } },
  order: { by: 'parkedAt', descending: false },
  limit: MANY,
};

export class Operator {
  readonly #parts: OperatorParts;
  readonly #random: Random;
  /** References of attempts that an operator called failed by hearsay. */
  readonly #hearsay = new Set<string>();
  #corrections = 0;
  /** The number of words about saved cards that it has sent. */
  #words = 0;
  /** Payments with an attempt that an operator vouched for. */
  readonly #vouched = new Set<string>();

  constructor(random: Random, parts: OperatorParts) {
    this.#random = random;
    this.#parts = parts;
  }

  /** Says that a refund failed, without any evidence. */
  async sayFailed(
    paymentId: string,
    { attemptId, reference }: Pick<Attempt, 'attemptId' | 'reference'>,
  ): Promise<void> {
    const { timeline, tell } = this.#parts;
    this.#hearsay.add(reference);
    tell(() => `an operator says by hearsay that ${attemptId} failed`);
    await this.#ask(
      (service) => service.payments.resolvePayment(paymentId, { attemptId, as: 'failed', evidence: 'hearsay' }),
      1,
    );
    timeline.after(between(this.#random, ...CORRECTED_AFTER_MS), undefined, () => void this.#correct([reference]));
  }

  /**
   * Settles about half of the open attempts by the statement. No call may be under way then, and the processor's
   * answers must be lost.
   */
  async settle(): Promise<void> {
    const open = await this.#ask((service) => openWork(service.readModels, MANY));
    if (open.kind !== 'heard') return;
    const statement = await this.#parts.statement(open.answer.attempts.map(({ reference }) => reference));
    for (const { attemptId, reference, operation } of open.answer.attempts) {
      const line = statement.get(reference);
      // The statement does not settle a mismatched currency, nor an operation that is pending or waits for the
      // customer.
      const isUndecided = line?.outcome === 'pending' || line?.outcome === 'requires_action';
      if (!chance(this.#random, 0.5) || isUndecided || (line !== undefined && line.currencyCode !== CURRENCY)) continue;
      const paymentId = paymentIdOf(attemptId);
      const isDone = line?.outcome === 'succeeded';
      const named = isDone && chance(this.#random, 0.3) ? { transactionId: transactionIdOf(operation, reference) } : {};
      const as = isDone ? 'succeeded' : 'failed';
      this.#parts.tell(() => `an operator says by the statement that ${attemptId} ${as}`);
      const said = await this.#ask(
        (service) => service.payments.resolvePayment(paymentId, { attemptId, as, evidence: 'statement', ...named }),
        1,
      );
      if (isDone && said.kind === 'heard' && said.answer.kind === 'resolved') this.#vouched.add(paymentId);
    }
  }

  /** The shop refunds the vouched payments. The service first looks up their ids and amounts at the processor. */
  async goOn(): Promise<void> {
    for (const id of this.#vouched)
      await this.#ask((service) => service.payments.refundPayment(id, {}, merchant(service.world)));
  }

  /** Sends the processor's own report on every attempt that failed by hearsay. */
  readonly correctAll = (): Promise<void> => this.#correct([...this.#hearsay]);

  async #correct(references: readonly string[]): Promise<void> {
    const statement = await this.#parts.statement(references);
    for (const reference of references) {
      const line = statement.get(reference);
      if (line?.outcome !== 'succeeded' || line.operation === 'dispute') continue;
      const { operation, amount, currencyCode } = line;
      const processorTransactionId = transactionIdOf(operation, reference);
      this.#corrections += 1;
      await this.#notify({
        notificationId: `late-${this.#corrections}-${reference}`,
        type: `${operation}.succeeded`,
        reference,
        processorTransactionId,
        amount,
        currencyCode,
      });
    }
  }

  /** Sends a notification that names no payment. */
  readonly stray = (): Promise<void> => {
    const name = `${STRAY}${String(between(this.#random, 1, 1_000_000)).padStart(STRAY_DIGITS, '0')}`;
    const said = { processorTransactionId: name, amount: 1, currencyCode: CURRENCY };
    return this.#notify({ notificationId: name, type: 'capture.succeeded', reference: name, ...said });
  };

  /** Sends what the network says of a saved card, in the middle of whatever goes on: its end, or a new expiry. */
  async tellOfCard(paymentMethodToken: string, isClosed: boolean): Promise<void> {
    const found = await this.#ask((service) => service.streams.instruments.current(paymentMethodToken), 1);
    if (found.kind !== 'heard' || found.answer.state.status !== 'vaulted') return; // it keeps no other
    const { processorToken } = found.answer.state;
    this.#words += 1;
    const type = isClosed ? 'instrument.closed' : 'instrument.updated';
    await this.#notify({
      notificationId: `${type} ${this.#words} ${processorToken}`,
      type,
      reference: processorToken,
      processorToken,
      ...(!isClosed && { card: { expirationYear: '2049' } }),
    });
  }

  /** Discards the parked notifications that name no payment, and of late debits: the money was refunded already. */
  async discard(): Promise<void> {
    const parked = await this.#ask((service) => service.readModels.find(notifications, PARKED));
    if (parked.kind !== 'heard') return;
    for (const { id, doc } of parked.answer)
      if (doc.status === 'parked' && (doc.raw.includes(STRAY) || isOfLateDebit(doc.reason)))
        await this.#ask((service) => service.notifications.discardNotification(id));
  }

  async #notify(said: { readonly reference: string; readonly [member: string]: unknown }): Promise<void> {
    const { network, world, secret, notificationUrl, tell } = this.#parts;
    const body = JSON.stringify({ ...said, occurredAt: formatTime(world.now()) });
    tell(() => `the processor tells ${body}`);
    await network.fetch(notificationUrl(said.reference), {
      method: 'POST',
      body,
      headers: { [SIGNATURE_HEADER]: signatureOf(secret, body, world.now()) },
    });
  }

  /** Asks one node after the other until one answers. */
  async #ask<T>(work: (service: Service) => Promise<T>, tries = TRIES): Promise<Heard<T>> {
    const { network, timeline } = this.#parts;
    for (let number = 1; ; number += 1) {
      const heard = await network.request(this.#random, number, work);
      if (heard.kind === 'heard' || number >= tries) return heard;
      await timeline.wait(AGAIN_MS);
    }
  }
}

/** The bank took a debit back that came too late: the payment has no capture for it. */
const isOfLateDebit = (reason: object): boolean =>
  'code' in reason && reason.code === 'operation_differs' && 'told' in reason && reason.told === 'capture';
