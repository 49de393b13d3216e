// The proof of a payment: its streams as they are stored, each event with its path to the root of a checkpoint.
import { type PaymentEvent, paymentCategory } from '../domain/payment/events.ts';
import { chained } from '../journal/chain.ts';
import { unseal } from '../journal/envelope.ts';
import type { StoreKey } from '../secrets.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { streamOf } from '../stores/stream-name.ts';
import { type Checkpoint, type PaymentProof, PROOF_FORMAT, type ProvenEvent } from '../verify/format.ts';
import type { LogWalk } from './verify-log.ts';

/** A proof whose events are collected during a walk over the log. */
interface ProofDraft {
  readonly take: NonNullable<LogWalk['take']>;
  /** Undefined: the log has no such payment. */
  finished(checkpoint: Checkpoint): PaymentProof | undefined;
}

/** Throws BrokenStream if the payment's stream is broken. */
export async function draftProof(events: EventStore, paymentId: string, storeKey: StoreKey): Promise<ProofDraft> {
  const names = await streamsOf(events, paymentId, storeKey);
  const streams = new Map(names.map((stream) => [stream, [] as ProvenEvent[]]));
  return {
    take: {
      streams,
      event: ({ stream, revision, id, type, data, metadata }, index, path) =>
        void streams.get(stream)?.push({ revision, id, type, data, metadata, index, path }),
    },
    finished(checkpoint) {
      const found = [...streams].map(([stream, of]) => ({ stream, events: of })).filter((one) => one.events.length > 0);
      return found.length === 0 ? undefined : { format: PROOF_FORMAT, paymentId, checkpoint, streams: found };
    },
  };
}

/** The payment, its session, the instrument that paid, and the notifications on which an event of it rests. */
async function streamsOf(events: EventStore, paymentId: string, storeKey: StoreKey): Promise<readonly string[]> {
  const payment = streamOf('payment', paymentId);
  const names = new Set([payment]);
  for await (const { stored } of chained(events, payment, -1))
    for (const name of dependenciesOf(stored, storeKey)) names.add(name);
  return [...names];
}

function dependenciesOf(stored: StoredEvent, storeKey: StoreKey): readonly string[] {
  // the export has the events as they are stored, and no person
  const { event, metadata } = unseal<PaymentEvent>(paymentCategory, { ...stored, key: 'destroyed' });
  if (event.type === 'PaymentCreated') {
    const { sessionId, paymentMethod } = event.data;
    return [
      ...(sessionId === undefined ? [] : [streamOf('clientSession', sessionId)]),
      streamOf('paymentInstrument', paymentMethod.paymentMethodToken),
    ];
  }
  const evidence = 'evidence' in event.data ? event.data.evidence : undefined;
  if (evidence === undefined || evidence.source !== 'notification' || evidence.notificationId === undefined) return [];
  const { accountId, actor } = metadata;
  return [streamOf('notification', storeKey.notificationStream(accountId, actor.id, evidence.notificationId))];
}
