// One browser's live stream: server-sent events in a bounded queue. A browser that reads too slowly is cut off, and
// resumes.
import type { LiveMessage } from './live-message.ts';

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
