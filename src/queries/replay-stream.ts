// A stream for auditors, by its name or the id of its subject: its events as stored, the change that each makes to
// the state, and the state at the end.
import { account } from '../domain/account.ts';
import { act } from '../domain/act.ts';
import { agreement } from '../domain/agreement/state.ts';
import { apiKey } from '../domain/api-key.ts';
import type { Category, DomainEvent } from '../domain/category.ts';
import { checkpoints } from '../domain/checkpoint.ts';
import { clientSession } from '../domain/client-session/state.ts';
import { connection } from '../domain/connection.ts';
import { customerWallet } from '../domain/customer-wallet.ts';
import type { Decider } from '../domain/decider.ts';
import { email } from '../domain/email.ts';
import { idempotency } from '../domain/idempotency.ts';
import { notification } from '../domain/notification/state.ts';
import { payment } from '../domain/payment/state.ts';
import { paymentInstrument } from '../domain/payment-instrument/state.ts';
import { paymentNote } from '../domain/payment-note.ts';
import { retryLedger } from '../domain/retry-ledger/ledger.ts';
import { savedView } from '../domain/saved-view.ts';
import { store } from '../domain/store.ts';
import { user } from '../domain/user/state.ts';
import { webhookEndpoint } from '../domain/webhook-endpoint.ts';
import { webhookQueue } from '../domain/webhook-queue/state.ts';
import { readUntilBreak } from '../journal/chain.ts';
import { EventMetadata, unseal } from '../journal/envelope.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { categoryOf, streamOf } from '../stores/stream-name.ts';
import { formatTime } from '../world.ts';

export interface Replay {
  readonly category: Pick<Category<DomainEvent>, 'name' | 'data' | 'upcasters'>;
  /** The state that the events so far make; `next` adds one. */
  readonly state: object;
  next(stored: StoredEvent): Replay;
}

/** Each closes over its own state and event types: a list of different things. */
export const FOLDS: ReadonlyMap<string, Replay> = new Map([
  start(store),
  start(account),
  start(apiKey),
  start(user),
  start(email),
  start(clientSession),
  start(payment),
  start(paymentNote),
  start(savedView),
  start(paymentInstrument),
  start(customerWallet),
  start(agreement),
  start(retryLedger),
  start(idempotency),
  start(notification),
  start(connection),
  start(act),
  start(webhookEndpoint),
  start(webhookQueue),
  start(checkpoints),
]);

function start<State extends object, Event extends DomainEvent>(
  decider: Decider<State, Event>,
): readonly [string, Replay] {
  const { category, evolve, initial } = decider;
  const from = (state: State): Replay => ({
    category,
    state,
    next(stored) {
      const { event, recorded } = unseal(category, stored);
      return from(evolve(state, event, recorded));
    },
  });
  return [category.name, from(initial)];
}

/** The state before the first event of a stream; undefined for a category that this version does not know. */
export const replayOf = (stream: string): Replay | undefined => FOLDS.get(categoryOf(stream));

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['pay', 'payment'],
  ['agr', 'agreement'],
  ['cs', 'clientSession'],
  ['pm', 'paymentInstrument'],
  ['key', 'apiKey'],
  ['acc', 'account'],
  ['act', 'act'],
]);

/** `payment-pay_…` for `payment-pay_…` and for `pay_…`; undefined for a text that is neither. */
export function namedStream(text: string): string | undefined {
  if (text.indexOf('-') > 0) return text;
  const category = CATEGORIES.get(text.slice(0, Math.max(0, text.indexOf('_'))));
  return category === undefined ? undefined : streamOf(category, text);
}

/** Members that no page needs: hashes of secrets and passwords, wrapped keys, one-time codes. */
const SECRET = /hash$|hashes$|secret|password|totp|wrapped|recovery|credential/i;
const HIDDEN = '(hidden)';

/** The value with the texts under such names replaced. */
export function withoutSecrets(value: unknown, name = ''): unknown {
  if (SECRET.test(name) && value !== undefined && value !== null && typeof value !== 'boolean') return hidden(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [member, withoutSecrets(its, member)]));
}

const hidden = (value: unknown): unknown => (Array.isArray(value) ? value.map(() => HIDDEN) : HIDDEN);

/** True if a path such as `$.secret.hash` leads through such a name. */
export const isSecretPath = (path: string): boolean => path.split(/[.[\]]/).some((name) => SECRET.test(name));

export interface EventView {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly recordedAt: string;
  readonly data: unknown;
  readonly metadata: unknown;
}

/** Throws BrokenStream for an event that is no longer readable. */
export function eventView(stored: StoredEvent): EventView {
  const { stream, revision, position, id, type } = stored;
  const { recordedAt } = metadataIn(stored);
  const common = { stream, revision, position: String(position), id, type, recordedAt: formatTime(recordedAt) };
  return { ...common, data: parsedIn(stored, stored.data), metadata: parsedIn(stored, stored.metadata) };
}

/** The place where a stream stops, and the reason. */
export const breakView = ({ revision, message }: BrokenStream): object => ({ revision, fault: message });

/**
 * The actor of an event: `apiKey key_…`; `shown`: how ids are written. Throws BrokenStream for an event that is no
 * longer readable.
 */
export function actorOf(stored: StoredEvent, shown: (id: string) => string = (id) => id): string {
  const { actor } = metadataIn(stored);
  return `${actor.kind} ${shown(actor.id)}`;
}

function metadataIn(stored: StoredEvent): EventMetadata {
  const read = EventMetadata.safeParse(parsedIn(stored, stored.metadata));
  if (!read.success) throw new BrokenStream(stored, 'its metadata is not readable');
  return read.data;
}

function parsedIn(stored: StoredEvent, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BrokenStream(stored, 'it is not JSON');
  }
}

export interface Step {
  readonly stored: StoredEvent;
  readonly event: EventView;
  readonly changes: readonly DocumentChange[];
}

interface Story {
  /** After the last step. */
  readonly state: object;
  readonly steps: readonly Step[];
  /** Where the stream stops before the story is over. */
  readonly broken: BrokenStream | undefined;
}

/** Folds the events that `isPart`, which are the first ones; `start`: the state before the first (see replayOf). */
export async function replayStream(
  events: Pick<EventStore, 'read'>,
  stream: string,
  start: Replay,
  isPart: (event: EventView) => boolean,
): Promise<Story> {
  let folded = start;
  const steps: Step[] = [];
  const take = (stored: StoredEvent): boolean => {
    const event = eventView(stored);
    if (!isPart(event)) return false;
    const next = folded.next(stored);
    steps.push({ stored, event, changes: changesBetween(folded.state, next.state) });
    folded = next;
    return true;
  };
  const broken = await readUntilBreak(events, stream, take);
  return { state: folded.state, steps, broken };
}

/** The changes of an event: the members that differ between two states, by path. */
export interface DocumentChange {
  /** As in `$.attempts[0].state`. */
  readonly path: string;
  /** Absent: the member was not there. */
  readonly before?: unknown;
  /** Absent: the member is gone. */
  readonly after?: unknown;
}

/** In the order of the members, new members last. Objects and arrays are compared member by member. */
export function changesBetween(before: unknown, after: unknown, path = '$'): readonly DocumentChange[] {
  if (Object.is(before, after)) return [];
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
  }
  const was = new Map(Object.entries(before));
  const is = new Map(Object.entries(after));
  const names = [...was.keys(), ...[...is.keys()].filter((name) => !was.has(name))];
  const step = (name: string): string => (Array.isArray(after) ? `${path}[${name}]` : `${path}.${name}`);
  return names.flatMap((name) => changesBetween(was.get(name), is.get(name), step(name)));
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
