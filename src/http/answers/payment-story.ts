// The history of a payment for the dashboard: the API's events, each with a title and its evidence in words; and the
// stored events.
import { z } from 'zod';
import { Operation } from '../../domain/operation.ts';
import { operationAbout, operationsIn, titleOf, toldBy } from '../../domain/payment/event-words.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { EvidenceSource } from '../../domain/payment/outcome.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { formatTime } from '../../world.ts';
import { cutText } from '../answer-size.ts';
import { answer } from './answer.ts';
import { PaymentEventAnswer, paymentEventAnswer } from './payment-event.ts';

const StoryEvent = PaymentEventAnswer.extend({
  /** `name`: of an API key, or the e-mail address of a user. */
  actor: PaymentEventAnswer.shape.actor.extend({ name: z.string().optional() }),
  title: z.string(),
  operation: Operation.optional(),
  /** Minor units of `currencyCode`; a processor may report any number. */
  amount: z.int().optional(),
  currencyCode: z.string().optional(),
  told: z.string().optional(),
  /** The source of the report; `clock`: our own clock, without a report. */
  source: z.enum([...EvidenceSource.options, 'clock']).optional(),
}).meta({ id: 'StoryEvent' });

/** Oldest first; `isWhole` is false if the payment has more events than are listed. */
export const PaymentStoryAnswer = z
  .strictObject({ data: z.array(StoryEvent), isWhole: z.boolean() })
  .meta({ id: 'PaymentStory' });
export type PaymentStoryAnswer = z.infer<typeof PaymentStoryAnswer>;

/** `currencyCode`: the payment's own. `names`: of API keys and users, by id. */
export function paymentStoryAnswer(
  events: readonly Unsealed<PaymentEvent>[],
  currencyCode: string,
  names: ReadonlyMap<string, string>,
): Pick<PaymentStoryAnswer, 'data'> {
  const operations = operationsIn(events.map(({ event }) => event));
  const data = events.map((one) => {
    const { event } = one;
    const operation = operationAbout(event, operations);
    const shown = paymentEventAnswer(one);
    return {
      ...shown,
      actor: { ...shown.actor, name: names.get(shown.actor.id) },
      title: titleOf(event, operation),
      operation,
      ...moneyOf(event, currencyCode),
      told: toldBy(event, operation, toSecond),
      source: 'evidence' in event.data ? event.data.evidence?.source : undefined,
    };
  });
  return { data };
}

/** `2026-01-31 12:00:00 UTC` */
const toSecond = (ms: number): string =>
  formatTime(ms)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

/** A processor may have answered in another currency. */
function moneyOf(
  { data }: PaymentEvent,
  currencyCode: string,
): { readonly amount?: number; readonly currencyCode?: string } {
  if (!('amount' in data) || data.amount === undefined) return {};
  return {
    amount: data.amount,
    currencyCode: ('currencyCode' in data ? data.currencyCode : undefined) ?? currencyCode,
  };
}

const StoredEventAnswer = z
  .strictObject({
    id: z.string(),
    type: z.string(),
    stream: z.string(),
    revision: z.int().min(0),
    /** The JSON text as it is kept: the chain is over these characters. */
    data: z.string(),
    metadata: z.string(),
  })
  .meta({ id: 'StoredEvent' });
export const StoredEventsAnswer = z
  .strictObject({ data: z.array(StoredEventAnswer), isWhole: z.boolean() })
  .meta({ id: 'StoredEvents' });
export type StoredEventsAnswer = z.infer<typeof StoredEventsAnswer>;

/**
 * The most characters in the text of an event: its JSON is at most twice as long, because the text holds no control
 * characters.
 */
const MOST_CHARACTERS = 262_144;

export const storedEventAnswer = (event: StoredEvent): z.infer<typeof StoredEventAnswer> =>
  answer(StoredEventAnswer, event, { data: cutText(event.data, MOST_CHARACTERS) });
