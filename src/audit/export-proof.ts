// The proof of a payment or an agreement: its streams as they are stored, each event with its path to the root of a
// checkpoint.
import { type AgreementEvent, agreementCategory } from '../domain/agreement/events.ts';
import { type PaymentEvent, paymentCategory } from '../domain/payment/events.ts';
import { chained } from '../journal/chain.ts';
import { unseal } from '../journal/envelope.ts';
import { readLog } from '../journal/read-log.ts';
import type { StoreKey } from '../secrets.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import { idOf, streamOf } from '../stores/stream-name.ts';
import {
  type Checkpoint,
  PROOF_FORMAT,
  type Proven,
  type ProvenEvent,
  provenIn,
  type SubjectProof,
} from '../verify/format.ts';
import type { LogWalk } from './verify-log.ts';

/**
 * What a proof is asked for. `answersDispute`: of a payment, with the agreement that it charges, and each payment by
 * which the customer gave a payment method to it.
 */
export type WantedProof = Proven & { readonly answersDispute?: true };

/** A proof whose events are collected during a walk over the log. */
interface ProofDraft {
  readonly take: NonNullable<LogWalk['take']>;
  /** Undefined: the log has no such payment or agreement. */
  finished(checkpoint: Checkpoint): SubjectProof | undefined;
}

/** Throws BrokenStream if a stream that names others is broken. */
export async function draftProof(events: EventStore, wanted: WantedProof, storeKey: StoreKey): Promise<ProofDraft> {
  const names = await streamsOf({ events, storeKey }, wanted);
  const streams = new Map(names.map((stream) => [stream, [] as ProvenEvent[]]));
  const { answersDispute: _, ...proven } = wanted;
  return {
    take: {
      streams,
      event: ({ stream, revision, id, type, data, metadata }, index, path) =>
        void streams.get(stream)?.push({ revision, id, type, data, metadata, index, path }),
    },
    finished(checkpoint) {
      const found = [...streams].map(([stream, of]) => ({ stream, events: of })).filter((one) => one.events.length > 0);
      const [first] = found;
      const { kind, id } = provenIn(proven);
      return first?.stream === streamOf(kind, id)
        ? { format: PROOF_FORMAT, ...proven, checkpoint, streams: found }
        : undefined;
    },
  };
}

interface ProvenLog {
  readonly events: EventStore;
  readonly storeKey: StoreKey;
}

/** Its own stream first, each once. */
async function streamsOf(log: ProvenLog, wanted: WantedProof): Promise<readonly string[]> {
  if ('agreementId' in wanted) return agreementStreams(log, wanted.agreementId, 'all');
  const { paymentId, answersDispute } = wanted;
  const { names, agreementId } = await paymentStreams(log, paymentId);
  if (answersDispute === undefined || agreementId === undefined) return names;
  return [...new Set([...names, ...(await agreementStreams(log, agreementId, 'customer made'))])];
}

/** The agreement and its payments, each with the streams that it depends on. */
async function agreementStreams(
  log: ProvenLog,
  agreementId: string,
  payments: 'all' | 'customer made',
): Promise<readonly string[]> {
  const agreement = streamOf('agreement', agreementId);
  const named = new Set<string>();
  for await (const { stored } of chained(log.events, agreement, -1)) {
    const { event } = unseal<AgreementEvent>(agreementCategory, { ...stored, key: 'destroyed' });
    if (event.type === 'AgreementActivated' || event.type === 'AgreementInstrumentReplaced')
      named.add(event.data.initialPaymentId);
    else if (payments === 'all' && event.type === 'ChargeClaimed') named.add(event.data.paymentId);
  }
  const names = new Set([agreement]);
  for (const paymentId of named) for (const name of (await paymentStreams(log, paymentId)).names) names.add(name);
  return [...names];
}

interface PaymentStreams {
  readonly names: readonly string[];
  /** The agreement that it charges. */
  readonly agreementId: string | undefined;
}

/** The payment, its session, the instrument that paid, and the notifications on which an event of it rests. */
async function paymentStreams({ events, storeKey }: ProvenLog, paymentId: string): Promise<PaymentStreams> {
  const payment = streamOf('payment', paymentId);
  const names = new Set([payment]);
  let agreementId: string | undefined;
  for await (const { stored } of chained(events, payment, -1)) {
    const { event, names: others } = dependenciesOf(stored, storeKey);
    if (event.type === 'PaymentCreated') agreementId = event.data.agreement?.agreementId;
    for (const name of others) names.add(name);
  }
  return { names: [...names], agreementId };
}

function dependenciesOf(
  stored: StoredEvent,
  storeKey: StoreKey,
): { readonly event: PaymentEvent; readonly names: readonly string[] } {
  // the export has the events as they are stored, and no person
  const { event, metadata } = unseal<PaymentEvent>(paymentCategory, { ...stored, key: 'destroyed' });
  if (event.type === 'PaymentCreated') {
    const { sessionId, paymentMethod } = event.data;
    const session = sessionId === undefined ? [] : [streamOf('clientSession', sessionId)];
    return { event, names: [...session, streamOf('paymentInstrument', paymentMethod.paymentMethodToken)] };
  }
  const evidence = 'evidence' in event.data ? event.data.evidence : undefined;
  if (evidence === undefined || evidence.source !== 'notification' || evidence.notificationId === undefined)
    return { event, names: [] };
  const { accountId, actor } = metadata;
  const { notificationId } = evidence;
  return { event, names: [streamOf('notification', storeKey.notificationStream(accountId, actor.id, notificationId))] };
}

/** The payment that has this dispute; undefined if none has it. Reads the log's payments. */
export async function paymentOfDispute(
  events: EventStore,
  disputeId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const part = { after: -1n, to: await events.head(), categories: [paymentCategory.name] };
  for await (const batch of readLog(events, part, signal))
    for (const stored of batch.events) {
      if (stored.type !== 'DisputeOpened') continue;
      const { event } = unseal<PaymentEvent>(paymentCategory, { ...stored, key: 'destroyed' });
      if (event.type === 'DisputeOpened' && event.data.disputeId === disputeId) return idOf(stored.stream);
    }
  return undefined;
}
