// Causes in the log: each change of a payment leads back, event by event, to one root: a call, a notification, or a
// person (contract §4, "why").
import { namedBy } from '../../src/domain/payment/fact-names.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';

/** Besides requests of operations: what somebody asks for. */
const ASKED: ReadonlySet<string> = new Set([
  'PaymentCreated',
  'CancellationIntended',
  'AuthorizationResumed',
  'CustomerActionGivenUp',
  'DisputeEvidenceDrafted',
  'DisputeAnswerRequested',
]);

export class CauseAudit {
  /** Ids of the events of payments, by stream. */
  readonly #events = new Map<string, Set<string>>();
  /** Ids of the events that put notifications on record. */
  readonly #notifications = new Set<string>();

  /** Violations, for each event in the order of the log. */
  take({ id, stream, revision, type, metadata }: StoredEvent, data: object): readonly string[] {
    if (type === 'NotificationReceived') this.#notifications.add(id);
    // A payment that was never created has no history: the reason why its claim was fenced off is in the claim's own
    // stream.
    if (!stream.startsWith('payment-') || type === 'PaymentAbandoned') return [];
    const own = this.#events.get(stream) ?? new Set();
    const cause = memberIn(metadata, '\\$causationId');
    // A notification is the cause of what it tells, and of what it made the service read.
    const isKnown = own.has(cause) || this.#notifications.has(cause);
    this.#events.set(stream, own.add(id));
    if (isKnown || (cause === memberIn(metadata, '\\$correlationId') && isRoot(type, data))) return [];
    return [`${type} in ${stream}@${revision} leads back to nobody: it was caused by ${cause}`];
  }
}

/** Somebody asked for it, or a person said it. */
function isRoot(type: string, data: object): boolean {
  if (ASKED.has(type) || sourceIn(data) === 'operator') return true;
  return namedBy(type)?.result === 'requested' && !('follows' in data);
}

function sourceIn(data: object): unknown {
  const evidence = 'evidence' in data ? data.evidence : undefined;
  return typeof evidence === 'object' && evidence !== null && 'source' in evidence ? evidence.source : undefined;
}

/** The pattern is safe: JSON.stringify wrote the metadata, and no free text precedes this member. */
const memberIn = (metadata: string, name: string): string =>
  new RegExp(`"${name}":"([^"]*)"`).exec(metadata)?.[1] ?? '';
