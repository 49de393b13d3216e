// The files that prove something about a log to people who have no access to it: a checkpoint of the whole log, and the
// proof of a payment or an agreement. Nothing outside this folder is imported: it is also the program
// counterfoil-verify.

export const CHECKPOINT_FORMAT = 'counterfoil-checkpoint-1';
export const PROOF_FORMAT = 'counterfoil-proof-1';

/** A signed statement: the first `treeSize` events of the log of this store have this Merkle root. */
export interface Checkpoint {
  readonly format: typeof CHECKPOINT_FORMAT;
  /** The id of the store's first event, which every copy of the log has. */
  readonly storeId: string;
  /** The number of events. */
  readonly treeSize: number;
  /** RFC 6962: SHA-256 in hex, over the events in the order of the log. */
  readonly root: string;
  /** The place of the last of them in this store, digits. A copy has others. */
  readonly position: string;
  /** RFC 3339. */
  readonly madeAt: string;
  /** The public key of the signature, Ed25519: base64url of 32 bytes. */
  readonly publicKey: string;
  /** By Ed25519, over `checkpointText`: base64url of 64 bytes. */
  readonly signature: string;
  /** Shows that this checkpoint extends an earlier one of the same log. */
  readonly extends?: Consistency;
}

/** RFC 6962, section 2.1.2: the first `treeSize` events of the newer tree are those of the older. */
export interface Consistency {
  readonly treeSize: number;
  readonly root: string;
  /** Hashes in hex. */
  readonly path: readonly string[];
}

export interface ProvenEvent {
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** The stored texts, character by character. */
  readonly data: string;
  readonly metadata: string;
  /** The place in the log, from 0 on. */
  readonly index: number;
  /** RFC 6962, section 2.1.1: the hashes from the event up to the root, in hex. */
  readonly path: readonly string[];
}

export interface ProvenStream {
  readonly stream: string;
  /** Oldest first, from revision 0 on. */
  readonly events: readonly ProvenEvent[];
}

/** What a proof is of. */
export type Proven = { readonly paymentId: string } | { readonly agreementId: string };

export type SubjectProof = Proven & {
  readonly format: typeof PROOF_FORMAT;
  readonly checkpoint: Checkpoint;
  /** The stream of the payment or the agreement first, then those that it depends on. */
  readonly streams: readonly ProvenStream[];
};

/** Its category and id, which name its stream. */
export const provenIn = (of: Proven): { readonly kind: 'payment' | 'agreement'; readonly id: string } =>
  'agreementId' in of ? { kind: 'agreement', id: of.agreementId } : { kind: 'payment', id: of.paymentId };

/** The text that the hash of an event is over. JSON holds no raw newline: the parts cannot run into each other. */
export const eventText = ({ id, type, data, metadata }: Omit<ProvenEvent, 'revision' | 'index' | 'path'>): string =>
  `${id}\n${type}\n${data}\n${metadata}`;

/** The leaf of an event in the tree; `hash`: of its text, in hex. */
export const leafText = (stream: string, revision: number, hash: string): string => `${stream}\n${revision}\n${hash}`;

/** The text that a checkpoint's signature is over. */
export const checkpointText = ({
  storeId,
  treeSize,
  root,
  position,
  madeAt,
}: Pick<Checkpoint, 'storeId' | 'treeSize' | 'root' | 'position' | 'madeAt'>): string =>
  `${CHECKPOINT_FORMAT}\n${storeId}\n${treeSize}\n${root}\n${position}\n${madeAt}\n`;

/** A file that is none of ours; its message is a sentence for the person who gave it. */
export class NotProof extends Error {}

type JsonMembers = { readonly [member: string]: unknown };
const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const KEY = /^[A-Za-z0-9_-]{43}$/;
const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;

/** Throws NotProof, which names the first member that is missing or wrong. */
export function readCheckpoint(value: unknown, at = 'The checkpoint'): Checkpoint {
  const members = objectOf(value, at);
  if (members['format'] !== CHECKPOINT_FORMAT)
    throw new NotProof(`${at} has the format ${JSON.stringify(members['format'])}, not ${CHECKPOINT_FORMAT}.`);
  const older = members['extends'];
  return {
    format: CHECKPOINT_FORMAT,
    storeId: textOf(members, 'storeId', at, UUID),
    treeSize: countOf(members, 'treeSize', at),
    root: textOf(members, 'root', at, HASH),
    position: textOf(members, 'position', at, /^\d+$/),
    madeAt: textOf(members, 'madeAt', at, TIME),
    publicKey: textOf(members, 'publicKey', at, KEY),
    signature: textOf(members, 'signature', at, SIGNATURE),
    ...(older !== undefined && { extends: consistencyOf(older, `${at}, extends`) }),
  };
}

/** Throws NotProof, which names the first member that is missing or wrong. */
export function readProof(value: unknown): SubjectProof {
  const members = objectOf(value, 'The file');
  if (members['format'] !== PROOF_FORMAT)
    throw new NotProof(`The file has the format ${JSON.stringify(members['format'])}, not ${PROOF_FORMAT}.`);
  return {
    format: PROOF_FORMAT,
    ...(members['agreementId'] === undefined
      ? { paymentId: textOf(members, 'paymentId', 'The file') }
      : { agreementId: textOf(members, 'agreementId', 'The file') }),
    checkpoint: readCheckpoint(members['checkpoint']),
    streams: listOf(members, 'streams', 'The file').map((stream, n) => streamOf(stream, `Stream ${n + 1}`)),
  };
}

function streamOf(value: unknown, at: string): ProvenStream {
  const members = objectOf(value, at);
  return {
    stream: textOf(members, 'stream', at, /^.{1,1000}$/),
    events: listOf(members, 'events', at).map((event, n) => eventOf(event, `${at}, event ${n}`)),
  };
}

function eventOf(value: unknown, at: string): ProvenEvent {
  const members = objectOf(value, at);
  return {
    revision: countOf(members, 'revision', at),
    id: textOf(members, 'id', at),
    type: textOf(members, 'type', at),
    data: textOf(members, 'data', at),
    metadata: textOf(members, 'metadata', at),
    index: countOf(members, 'index', at),
    path: hashesOf(members, at),
  };
}

function consistencyOf(value: unknown, at: string): Consistency {
  const members = objectOf(value, at);
  return {
    treeSize: countOf(members, 'treeSize', at),
    root: textOf(members, 'root', at, HASH),
    path: hashesOf(members, at),
  };
}

function objectOf(value: unknown, at: string): JsonMembers {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotProof(`${at} is not a JSON object.`);
  return { ...value };
}

function textOf(members: JsonMembers, name: string, at: string, shape?: RegExp): string {
  const value = members[name];
  // A half of a surrogate pair has the bytes of U+FFFD: two texts would have one hash.
  if (typeof value !== 'string' || shape?.test(value) === false || /\p{Surrogate}/u.test(value))
    throw new NotProof(`${at} has no right ${JSON.stringify(name)}.`);
  return value;
}

function countOf(members: JsonMembers, name: string, at: string): number {
  const value = members[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new NotProof(`${at} has no right ${JSON.stringify(name)}.`);
  return value;
}

function listOf(members: JsonMembers, name: string, at: string): readonly unknown[] {
  const value = members[name];
  if (!Array.isArray(value)) throw new NotProof(`${at} has no right ${JSON.stringify(name)}.`);
  return value;
}

function hashesOf(members: JsonMembers, at: string): readonly string[] {
  return listOf(members, 'path', at).map((hash) => {
    if (typeof hash !== 'string' || !HASH.test(hash)) throw new NotProof(`${at} has no right "path".`);
    return hash;
  });
}
