// The acquirer Stub as a processor: one HTTP request a call, graded by what its answer proves (contract §1).
import type { LookUp, Outcome } from '../../../src/domain/payment/outcome.ts';
import { cardDataOf } from '../../../src/processors/card-data.ts';
import { type HttpAnswer, type HttpCall, httpCaller } from '../../../src/processors/http-call.ts';
import type { Call, CardDetails, Connection, Processor, Tokenized } from '../../../src/processors/processor.ts';
import type { World } from '../../../src/world.ts';
import { isSigned, read } from './notifications.ts';
import { outcomeOf, questionOf, Refusal, readAs, Token, Transaction } from './wire.ts';

export interface StubSecrets {
  readonly apiKey: string;
  readonly webhookSecret: string;
}
export interface StubOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly world: Pick<World, 'sleep'>;
  /** The secrets of a connection that has none of its own. */
  readonly secrets: StubSecrets;
}
export interface Stub extends Processor {
  /** One request by the key of the call's connection. */
  ask(method: HttpCall['method'], path: string, call: Call, question?: object): Promise<HttpAnswer>;
  /** Ends the calls that are under way, and the connections that are kept. */
  close(): void;
}

/** Connects to nothing yet. */
export function openStub({ url, world, secrets }: StubOptions): Stub {
  const caller = httpCaller({ base: url, world });
  const secretsOf = (connection: Connection): StubSecrets => ({ ...secrets, ...connection.secrets });
  const ask: Stub['ask'] = (method, path, { connection, signal }, question) => {
    const headers = { Authorization: `Bearer ${secretsOf(connection).apiKey}`, 'Content-Type': 'application/json' };
    return caller.call(
      { method, path, headers, ...(question !== undefined && { body: JSON.stringify(question) }) },
      signal,
    );
  };
  return {
    ask,
    name: 'stub',
    consistencyWindowMs: 10_000,
    capabilities: () => ({ partialCapture: true, multipleCaptures: true, adjustment: 'none' }),
    async tokenize({ reference, from }, call) {
      if (!('card' in from)) return { kind: 'refused', description: 'Stub has no fields of its own that make tokens.' };
      return tokenized(from.card, await ask('POST', '/v1/tokens', call, { reference, card: from.card }));
    },
    perform: async (request, call) => performed(await ask('POST', '/v1/transactions', call, questionOf(request))),
    lookUp: async ({ reference }, call) => lookedUp(await ask('GET', `/v1/transactions/${reference}`, call)),
    notifications(raw, headers, connection, now) {
      if (!isSigned(secretsOf(connection).webhookSecret, raw, headers, now)) return 'bad_signature';
      return read(raw) ?? 'unparsable';
    },
    reread: read,
    close: () => caller.close(),
  };
}

/**
 * Everything that is neither unsent nor the acquirer's own word leaves the outcome unknown: a status alone proves
 * nothing.
 */
export function performed(answer: HttpAnswer): Outcome {
  if (answer.kind === 'not_sent') return answer;
  if (answer.kind === 'lost') return { kind: 'unknown', detail: answer.detail };
  const transaction = answer.status === 200 ? readAs(Transaction, answer.body) : undefined;
  if (transaction !== undefined) return outcomeOf(transaction);
  const refusal = answer.status >= 400 && answer.status < 500 ? readAs(Refusal, answer.body) : undefined;
  // The request that used it first may have moved money.
  if (refusal?.error === 'reference_used') return { kind: 'unknown', detail: 'the reference was used already' };
  if (refusal !== undefined) return { kind: 'not_sent', detail: `it took nothing up: ${refusal.error}` };
  return { kind: 'unknown', detail: `it answered with status ${answer.status}` };
}

/** "Not found" is the acquirer's own word as well: a 404 of a proxy is none. */
export function lookedUp(answer: HttpAnswer): LookUp {
  if (answer.kind !== 'answered') return { kind: 'unreachable', detail: answer.detail };
  const transaction = answer.status === 200 ? readAs(Transaction, answer.body) : undefined;
  if (transaction !== undefined) return outcomeOf(transaction);
  if (answer.status === 404 && readAs(Refusal, answer.body)?.error === 'unknown_reference')
    return { kind: 'not_found' };
  return { kind: 'unreachable', detail: `it answered with status ${answer.status}` };
}

/** Throws when the acquirer is unavailable: nothing was charged, and the caller tries again with the same reference. */
function tokenized(card: CardDetails, answer: HttpAnswer): Tokenized {
  if (answer.kind !== 'answered') throw new Error(`Stub cannot be used: ${answer.detail}`);
  const made = answer.status === 200 ? readAs(Token, answer.body) : undefined;
  if (made !== undefined) return { kind: 'token', processorToken: made.token, card: cardDataOf(card) };
  if (readAs(Refusal, answer.body)?.error === 'card_not_taken')
    return { kind: 'refused', description: 'Stub does not take this card.' };
  throw new Error(`Stub answered with status ${answer.status}`);
}
