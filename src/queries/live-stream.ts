// One browser's live stream: server-sent events in a bounded queue. A browser that reads too slowly is cut off, and
// resumes.
import { accountCategory } from '../domain/account.ts';
import { actCategory } from '../domain/act.ts';
import { agreementCategory } from '../domain/agreement/events.ts';
import { apiKeyCategory } from '../domain/api-key.ts';
import { clientSessionCategory } from '../domain/client-session/events.ts';
import { connectionCategory } from '../domain/connection.ts';
import { notificationCategory } from '../domain/notification/events.ts';
import { paymentCategory } from '../domain/payment/events.ts';
import { paymentInstrumentCategory } from '../domain/payment-instrument/events.ts';
import { paymentNoteCategory } from '../domain/payment-note.ts';
import { savedViewCategory } from '../domain/saved-view.ts';
import { userCategory } from '../domain/user/events.ts';
import { webhookEndpointCategory } from '../domain/webhook-endpoint.ts';
import { webhookQueueCategory } from '../domain/webhook-queue/events.ts';
import { metadataOf } from '../journal/envelope.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import { categoryOf, idOf } from '../stores/stream-name.ts';

/** Messages that wait for the connection to take more. */
const WAITING = 500;
/** The pause of a browser before it connects again, ms. */
const RETRY_MS = 2_000;

/** Tells a page to ask for everything again. */
const EVERYTHING = { topic: 'everything' };
const SIGNED_OUT = { topic: 'signed-out' };

export class LiveStream implements AsyncIterableIterator<string> {
  readonly #onEnd: () => void;
  #waiting: string[] = [];
  #taker: ((result: IteratorResult<string>) => void) | undefined;
  #begun = false;
  #isOver = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /**
   * Sends the first message: the position from which the browser gets everything, after the missed messages. Undefined:
   * too many.
   */
  begin(position: bigint, missed: readonly LiveMessage[] | undefined): void {
    const first = missed === undefined ? [textOf(EVERYTHING, position)] : missed.map(messageText);
    this.#waiting = [
      `retry: ${RETRY_MS}\n${textOf({ topic: 'hello' })}`,
      ...first,
      textOf({ topic: 'caught-up' }, position),
      ...this.#waiting,
    ];
    this.#begun = true;
    this.#hand();
  }

  tell(messages: readonly LiveMessage[]): void {
    for (const message of messages) this.#push(messageText(message));
  }

  /** Sends a message that is not an event of the log. */
  tellNow(message: object): void {
    this.#push(textOf(message));
  }

  /** `position`: everything up to it has been sent. `lagSeconds`: undefined while it is not known. */
  tick(position: bigint, lagSeconds: number | undefined): void {
    this.#push(textOf({ topic: 'tick', ...(lagSeconds !== undefined && { lagSeconds }) }, position));
  }

  /** Sends only `last`; waiting messages are dropped. */
  end(last?: { readonly topic: string }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = last === undefined ? [] : [textOf(last)];
    const taker = this.#taker;
    this.#taker = undefined;
    taker?.(this.#rest());
    this.#onEnd();
  }

  /** The page shows the sign-in at once. */
  endSignedOut(): void {
    this.end(SIGNED_OUT);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#isOver) return Promise.resolve(this.#rest());
    return new Promise((taken) => {
      this.#taker = taken;
      this.#hand();
    });
  }

  /** The client has hung up. */
  return(): Promise<IteratorResult<string>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The results after the end. */
  #rest(): IteratorResult<string> {
    const value = this.#waiting.join('');
    this.#waiting = [];
    return value === '' ? { done: true, value: undefined } : { done: false, value };
  }

  #push(text: string): void {
    if (this.#isOver) return;
    this.#waiting.push(text);
    if (this.#waiting.length > WAITING) this.end();
    else this.#hand();
  }

  /** All that waits, in one piece. */
  #hand(): void {
    const taker = this.#taker;
    if (!this.#begun || taker === undefined || this.#waiting.length === 0) return;
    const value = this.#waiting.join('');
    this.#waiting = [];
    this.#taker = undefined;
    taker({ done: false, value });
  }
}

const messageText = ({ topic, type, id, position }: LiveMessage): string =>
  textOf({ topic, ...(type !== undefined && { type }), ...(id !== undefined && { id }) }, position);

/** A server-sent event; its id is the position in the log that a browser resumes after. */
const textOf = (data: object, position?: bigint): string =>
  `${position === undefined ? '' : `id: ${position}\n`}data: ${JSON.stringify(data)}\n\n`;

export interface LiveMessage {
  readonly position: bigint;
  readonly accountId: string;
  /** The category of the event's stream. */
  readonly topic: string;
  /** Left out where one message stands for many. */
  readonly type?: string;
  /**
   * The id of the payment, session, API key, user, act, webhook endpoint, queue of messages or connection. A token must
   * not be shown, and the name of an HMAC says nothing.
   */
  readonly id?: string;
}

/** Topics whose streams are named by ids that a page shows. */
const NAMED: readonly string[] = [
  paymentCategory,
  paymentNoteCategory,
  clientSessionCategory,
  agreementCategory,
  apiKeyCategory,
  userCategory,
  actCategory,
  webhookEndpointCategory,
  webhookQueueCategory,
  connectionCategory,
].map(({ name }) => name);

/** The categories that pages show; wallets and idempotency keys are not among them. */
export const LIVE_CATEGORIES: readonly string[] = [
  ...NAMED,
  ...[accountCategory, paymentInstrumentCategory, notificationCategory, savedViewCategory].map(({ name }) => name),
];

/** True if an event may have ended a session of a user. */
export const endsSessions = ({ topic }: LiveMessage): boolean => topic === userCategory.name;

/** Undefined of an event whose envelope cannot be read: projections park it. */
export function liveMessageOf(stored: StoredEvent): LiveMessage | undefined {
  const topic = categoryOf(stored.stream);
  try {
    const { accountId } = metadataOf(stored);
    const { position, type } = stored;
    return { position, accountId, topic, type, ...(NAMED.includes(topic) && { id: idOf(stored.stream) }) };
  } catch {
    return undefined;
  }
}

/** More than so many of one account at once are told as their topics alone: a page asks again, whatever the number. */
const TOLD_ONE_BY_ONE = 50;

/** The messages condensed into few, with the last position on the last of them. */
export function condensed(messages: readonly LiveMessage[]): readonly LiveMessage[] {
  const last = messages.at(-1);
  if (last === undefined || messages.length <= TOLD_ONE_BY_ONE) return messages;
  const { accountId, position } = last;
  return [...new Set(messages.map(({ topic }) => topic))].map((topic) => ({ accountId, position, topic }));
}
