// Turns of routes whose work grows with a history, or with all that matches (contract §7): a few at once, the parties
// that wait one after another.

import type { Socket } from 'node:net';
import { NotAdmitted, type TurnLimits, Turns } from '../commands/limits/admission.ts';
import type { Admitted, Exchange } from './exchange.ts';
import type { Handled } from './route.ts';

/**
 * One of four turns is for parties that come for the first time in a while. Work that waits is answered within seconds,
 * or refused.
 */
const LIMITS: TurnLimits = { atOnce: 4, strangersAtOnce: 4, repeatedAtOnce: 3, waiting: 64 };

interface LongAsker {
  /** The keys of an account are one party, and its people another. */
  readonly party: string;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

export class LongWork {
  readonly #turns: Turns;

  constructor(limits: TurnLimits = LIMITS) {
    this.#turns = new Turns({ ...limits, fromNow: true });
  }

  /** Works that wait now. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /**
   * Does the work when its turn comes; of content that is streamed each piece has a turn, so that a client who reads
   * slowly takes nobody's, and so has a piece without content, which tells that there is more to look at. Throws
   * NotAdmitted where too many wait, or the caller is gone.
   */
  async run({ party, signal }: LongAsker, work: () => Promise<Handled> | Handled): Promise<Handled> {
    const asker = { lane: 'stranger', network: party, signal } as const;
    const [handled, begun] = await this.#turns.run(asker, async () => {
      const made = await work();
      return made.kind === 'streamed' ? [made, await begin(made.pieces)] : [made, undefined];
    });
    if (handled.kind !== 'streamed' || begun === undefined) return handled;
    const next = () => this.#turns.run({ ...asker, goesOn: true }, () => begun.rest.next());
    return { ...handled, pieces: goOn(begun, next, signal) };
  }
}

export const partyOf = ({ holder }: Admitted): string => `${'keyId' in holder ? 'keys' : 'people'} ${holder.accountId}`;

interface Begun {
  readonly first: IteratorResult<string>;
  readonly rest: AsyncIterator<string>;
}

/** The first piece is made before the answer begins: a fault of it is still a refusal. */
async function begin(pieces: AsyncIterable<string>): Promise<Begun> {
  const rest = pieces[Symbol.asyncIterator]();
  return { first: await rest.next(), rest };
}

async function* goOn(
  { first, rest }: Begun,
  next: () => Promise<IteratorResult<string>>,
  gone: AbortSignal,
): AsyncIterable<string> {
  try {
    for (let piece = first; piece.done !== true; piece = await next()) if (piece.value !== '') yield piece.value;
  } catch (fault) {
    if (!(fault instanceof NotAdmitted && gone.aborted)) throw fault;
  } finally {
    await rest.return?.();
  }
}

/** The requests of a connection that are not answered yet. One listener for all of them: a client may pipeline many. */
const waiting = new WeakMap<Socket, Set<AbortController>>();

/** Aborts when the connection ends, and also when the answer was sent: nothing waits then. */
export function goneSignal({ req: { socket }, res }: Pick<Exchange, 'req' | 'res'>): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed || socket.destroyed) {
    gone.abort();
    return gone.signal;
  }
  const ofConnection = waitingOn(socket);
  ofConnection.add(gone);
  // Of pipelined requests only the first response hears that the connection has ended.
  res.once('close', () => {
    ofConnection.delete(gone);
    gone.abort();
  });
  return gone.signal;
}

function waitingOn(socket: Socket): Set<AbortController> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const made = new Set<AbortController>();
  waiting.set(socket, made);
  socket.once('close', () => {
    for (const gone of made) gone.abort();
  });
  return made;
}
