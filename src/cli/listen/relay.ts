// Relays the messages of a short-lived endpoint to a developer's receiver, with the misfortunes that the developer has
// asked for.
import { hash } from 'node:crypto';
import { httpCaller } from '../../processors/http-call.ts';
import { type World, within } from '../../world.ts';
import type { ArrivedMessage, ReceiverAnswer } from './endpoint.ts';

/**
 * first: as it came · again: the service has delivered it before · late: later ones have passed it · copy: the second
 * of the same.
 */
type Sent = 'first' | 'again' | 'late' | 'copy';

/** The result for one message, or for its copy. */
export type Relayed = { readonly at: number; readonly delivery: ArrivedMessage } & (
  | { readonly kind: 'sent'; readonly sent: Sent; readonly answer: Forwarded }
  /** The service got a 500, and the receiver nothing. */
  | { readonly kind: 'refused' }
  /** The service got a 204, and the receiver nothing. */
  | { readonly kind: 'lost' }
);

interface RelayParts {
  readonly forward: Forward;
  readonly misfortunes: Misfortunes;
  readonly world: Pick<World, 'now' | 'sleep'>;
  readonly onRelayed: (relayed: Relayed) => void;
  /**
   * Asks the service to send a message again: it was acknowledged while it was held, and the receiver did not accept
   * it.
   */
  readonly resend: (delivery: ArrivedMessage) => Promise<void>;
}

interface HeldMessage {
  readonly delivery: ArrivedMessage;
  readonly sent: Sent;
  /** For a message with a copy: how many messages pass between the two. */
  readonly copyAfter: number | undefined;
  /** Messages that have still to pass. */
  left: number;
  readonly over: AbortController;
}

/** Messages that are held at a time; later ones are not held then. */
const MOST_HELD = 64;
/** How long a message is held at most: where no later one comes, nothing passes it. */
const HELD_MS = 1_500;
/** Ids of messages that a choice was made for already. The oldest are forgotten. */
const MOST_KNOWN = 100_000;

export class Relay {
  readonly #parts: RelayParts;
  readonly #known = new Set<string>();
  readonly #held = new Set<HeldMessage>();
  readonly #underWay = new Set<Promise<unknown>>();
  #arrived = 0;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /**
   * Handles a delivery; the result is the response to the service. Never rejects; the signal ends the call to the
   * receiver.
   */
  async take(delivery: ArrivedMessage, signal: AbortSignal): Promise<ReceiverAnswer> {
    const isKnown = this.#known.has(delivery.told.eventId);
    const choice = isKnown ? PASS : this.#choose(delivery);
    switch (choice.kind) {
      case 'refuse':
        this.#tell({ kind: 'refused', delivery });
        return { status: 500, body: 'refused by counterfoil listen --drop' };
      case 'lose':
        this.#tell({ kind: 'lost', delivery });
        return { status: 204 };
      case 'pass':
        return this.#pass(delivery, isKnown ? 'again' : 'first', choice, signal);
      default:
        return choice satisfies never;
    }
  }

  /** Sends what is held, and resolves when everything under way is over. */
  async close(): Promise<void> {
    while (this.#held.size + this.#underWay.size > 0) {
      this.#release([...this.#held]); // one that is released may hold its copy
      await Promise.all(this.#underWay);
    }
  }

  /** A message that comes again is dropped and held no second time, so that each comes to its end. */
  #choose({ told: { eventId } }: ArrivedMessage): Fate {
    const [oldest] = this.#known;
    if (this.#known.size >= MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    this.#known.add(eventId);
    const place = this.#arrived;
    this.#arrived += 1;
    return choiceOf(this.#parts.misfortunes, place);
  }

  async #pass(
    delivery: ArrivedMessage,
    sent: Sent,
    { after, copyAfter }: Extract<Fate, { kind: 'pass' }>,
    signal: AbortSignal,
  ): Promise<ReceiverAnswer> {
    if (after > 0 && this.#held.size < MOST_HELD) {
      this.#hold(delivery, 'late', after, copyAfter);
      return { status: 202, body: 'held by counterfoil listen --shuffle' };
    }
    const answer = await this.#send(delivery, sent, signal);
    this.#copy(delivery, copyAfter);
    return 'fault' in answer
      ? { status: answer.status, body: answer.fault }
      : { status: answer.status, body: answer.body };
  }

  /** Undefined: none. */
  #copy(delivery: ArrivedMessage, after: number | undefined): void {
    if (after === 0) void this.#follow(this.#send(delivery, 'copy', new AbortController().signal));
    else if (after !== undefined) this.#hold(delivery, 'copy', after);
  }

  /** `left`: messages that pass before it. */
  #hold(delivery: ArrivedMessage, sent: Sent, left: number, copyAfter?: number): void {
    const held: HeldMessage = { delivery, sent, copyAfter, left, over: new AbortController() };
    this.#held.add(held);
    const timed = this.#parts.world.sleep(HELD_MS, held.over.signal).then(
      () => this.#release([held]),
      () => undefined, // it was released before
    );
    void this.#follow(timed);
  }

  #release(released: readonly HeldMessage[]): void {
    for (const held of released) {
      if (!this.#held.delete(held)) continue;
      held.over.abort();
      void this.#follow(this.#sendLate(held));
    }
  }

  async #sendLate({ delivery, sent, copyAfter }: HeldMessage): Promise<void> {
    const answer = await this.#send(delivery, sent, new AbortController().signal);
    this.#copy(delivery, copyAfter);
    const isTaken = answer.status >= 200 && answer.status < 300;
    if (!isTaken && sent === 'late') await this.#parts.resend(delivery);
  }

  async #send(delivery: ArrivedMessage, sent: Sent, signal: AbortSignal): Promise<Forwarded> {
    const at = this.#parts.world.now();
    const answer = await this.#parts.forward(delivery, signal);
    this.#parts.onRelayed({ kind: 'sent', at, delivery, sent, answer });
    for (const held of this.#held) held.left -= 1;
    this.#release([...this.#held].filter(({ left }) => left <= 0));
    return answer;
  }

  #tell(dropped: { readonly kind: 'refused' | 'lost'; readonly delivery: ArrivedMessage }): void {
    this.#parts.onRelayed({ ...dropped, at: this.#parts.world.now() });
  }

  /** `close` waits for it. */
  async #follow(work: Promise<unknown>): Promise<void> {
    this.#underWay.add(work);
    await work.finally(() => this.#underWay.delete(work));
  }
}

export interface Misfortunes {
  /** Every message is sent twice. */
  readonly duplicate: boolean;
  /** Some are held until later ones have passed. */
  readonly shuffle: boolean;
  /** The part of the messages that is dropped, 0 to 1. */
  readonly drop: number;
  readonly seed: number;
}

/**
 * refuse: the service hears a 500, and delivers again · lose: it hears a 204, and the receiver nothing · pass: on to
 * the receiver, after `after` later ones have passed; the copy, if there is one, after `copyAfter` more.
 */
type Fate =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'lose' }
  | { readonly kind: 'pass'; readonly after: number; readonly copyAfter?: number };

const PASS: Fate = { kind: 'pass', after: 0 };

/** How likely `shuffle` holds a message, and how many later ones pass it at most. */
const HELD = 0.4;
const MOST_PASS = 4;

/**
 * `place`: 0 and up, among the messages that have arrived for the first time. One seed and one place make one choice.
 */
export function choiceOf({ duplicate, shuffle, drop, seed }: Misfortunes, place: number): Fate {
  const chance = (of: string): number => hash('sha256', `${seed}\n${place}\n${of}`, 'buffer').readUInt32BE() / 2 ** 32;
  if (chance('drop') < drop) return { kind: chance('which') < 0.5 ? 'refuse' : 'lose' };
  const passing = (of: string): number =>
    shuffle && chance(of) < HELD ? 1 + Math.floor(chance(`${of} by`) * MOST_PASS) : 0;
  return { kind: 'pass', after: passing('held'), ...(duplicate && { copyAfter: passing('copy held') }) };
}

/**
 * A receiver's answer. Where there was none, `fault` says why, and `status` is what the service is told: it will
 * deliver again.
 */
export type Forwarded =
  | { readonly status: number; readonly ms: number; readonly body: string }
  | { readonly status: 502 | 504; readonly ms: number; readonly fault: string };

/** Never rejects. */
type Forward = (delivery: ArrivedMessage, signal: AbortSignal) => Promise<Forwarded>;

/** As long as the service waits for an answer (contract §8). */
const ANSWER_WITHIN_MS = 10_000;
/** Bytes of an answer that are read. */
const ANSWER_BYTES = 16 * 1024;

/** `to`: the receiver's URL. */
export function forwardTo(to: URL, world: World): { readonly forward: Forward; close(): void } {
  const caller = httpCaller({ base: to.origin, world, maxAnswerBytes: ANSWER_BYTES, cutsAnswer: true });
  const path = `${to.pathname}${to.search}`;
  const forward: Forward = async ({ headers, text: body }, outer) => {
    const begun = world.monotonic();
    const answer = await within(world, ANSWER_WITHIN_MS, (deadline) =>
      caller.call({ method: 'POST', path, headers, body }, AbortSignal.any([outer, deadline])),
    );
    const ms = Math.round(world.monotonic() - begun);
    if (answer === 'timeout' || outer.aborted)
      return { status: 504, ms, fault: `no response within ${ANSWER_WITHIN_MS / 1_000} s` };
    return answer.kind === 'answered'
      ? { status: answer.status, ms, body: answer.body }
      : { status: 502, ms, fault: answer.detail };
  };
  return { forward, close: () => caller.close() };
}
