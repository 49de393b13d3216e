// A payment in a log, with checkpoints of it and its proof as `audit export` makes it.
import { signedCheckpoint } from '../../src/audit/checkpoint.ts';
import { draftProof } from '../../src/audit/export-proof.ts';
import { walkLog } from '../../src/audit/verify-log.ts';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { recordBeforeBreak } from '../../src/journal/store-stamp.ts';
import { type Secrets, StoreKey } from '../../src/secrets.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { Checkpoint, SubjectProof } from '../../src/verify/format.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { newAccount, pay } from '../webhooks/told-node.ts';

const MADE_AT = 1_800_000_000_000;

export interface ProvenPayment {
  /** A checkpoint of the log before the payment. */
  readonly kept: Checkpoint;
  readonly proof: SubjectProof;
  readonly publicKey: string;
}

export async function provenPayment(): Promise<ProvenPayment> {
  const { events, secrets, ...stores } = await memoryStores();
  const { service } = await nodeOn({ events, secrets, ...stores }, { cardTestingLimits: false });
  const account = await newAccount(service);
  await pay(service, account);
  const before = await walkLog(events, { to: await events.head() }, new AbortController().signal);
  const kept = signedCheckpoint(before, secrets, MADE_AT);
  const proof = await proofOf(await pay(service, account, { captured: true }), events, secrets, kept);
  return { kept, proof, publicKey: publicKeysOf(secrets)[0] ?? '' };
}

/** The proof of a payment in this log, signed with the secrets, as an extension of the kept checkpoint. */
export async function proofOf(
  paymentId: string,
  events: EventStore,
  secrets: Secrets,
  kept: Checkpoint,
): Promise<SubjectProof> {
  const record = await recordBeforeBreak(events);
  const opened = record.status === 'absent' ? undefined : secrets.unwrap(record.wrappedStoreKey);
  if (opened === undefined) throw new Error('the log has no store');
  const draft = await draftProof(events, { paymentId }, new StoreKey(opened.storeKey));
  const walk = { to: await events.head(), since: kept.treeSize, take: draft.take };
  const walked = await walkLog(events, walk, new AbortController().signal);
  const proof = draft.finished(signedCheckpoint(walked, secrets, MADE_AT + 100_000, walked.extended));
  if (proof === undefined) throw new Error(`the log has no payment ${paymentId}`);
  return proof;
}
