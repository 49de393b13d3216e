// Checks a checkpoint and the proof of a payment or an agreement with nothing but SHA-256 and Ed25519 of the platform:
// Node or a browser.
import {
  CHECKPOINT_FORMAT,
  type Checkpoint,
  checkpointText,
  eventText,
  leafText,
  NotProof,
  type ProvenStream,
  provenIn,
  readCheckpoint,
  readProof,
  type SubjectProof,
} from './format.ts';

const { subtle } = crypto;
const utf8 = new TextEncoder();

/** Hex of SHA-256 over bytes or UTF-8. */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await subtle.digest('SHA-256', bytes)));
}

const leafOf = (text: string): Promise<string> => sha256(joined(0, utf8.encode(text)));
const nodeOf = (left: string, right: string): Promise<string> => sha256(joined(1, bytesOf(left + right)));

/** True if the key made the signature of this checkpoint. */
async function isSigned(checkpoint: Checkpoint, publicKey: string): Promise<boolean> {
  const key = await subtle.importKey('raw', fromBase64Url(publicKey), 'Ed25519', false, ['verify']);
  return subtle.verify(
    'Ed25519',
    key,
    fromBase64Url(checkpoint.signature),
    new Uint8Array(utf8.encode(checkpointText(checkpoint))),
  );
}

/** RFC 9162, section 2.1.3.2. True if the leaf stands at `index` in the tree of this size and root. */
export async function isIncluded(
  { leaf, index, path }: { readonly leaf: string; readonly index: number; readonly path: readonly string[] },
  { treeSize, root }: Pick<Checkpoint, 'treeSize' | 'root'>,
): Promise<boolean> {
  if (index >= treeSize) return false;
  let [own, last] = [index, treeSize - 1];
  let hash = await leafOf(leaf);
  for (const other of path) {
    if (last === 0) return false;
    if (isOdd(own) || own === last) {
      hash = await nodeOf(other, hash);
      while (!isOdd(own) && own !== 0) [own, last] = [half(own), half(last)];
    } else hash = await nodeOf(hash, other);
    [own, last] = [half(own), half(last)];
  }
  return last === 0 && hash === root;
}

/** RFC 9162, section 2.1.4.2. True if the newer tree begins with the whole of the older one. */
export async function isExtended(
  older: Pick<Checkpoint, 'treeSize' | 'root'>,
  newer: Pick<Checkpoint, 'treeSize' | 'root'>,
  path: readonly string[],
): Promise<boolean> {
  if (older.treeSize === newer.treeSize) return older.root === newer.root;
  if (older.treeSize === 0 || older.treeSize > newer.treeSize) return false;
  let [own, last] = [older.treeSize - 1, newer.treeSize - 1];
  while (isOdd(own)) [own, last] = [half(own), half(last)];
  const [first, ...rest] = own === 0 ? [older.root, ...path] : path;
  if (first === undefined) return false;
  let [oldRoot, newRoot] = [first, first];
  for (const other of rest) {
    if (last === 0) return false;
    if (isOdd(own) || own === last) {
      oldRoot = await nodeOf(other, oldRoot);
      newRoot = await nodeOf(other, newRoot);
      while (!isOdd(own) && own !== 0) [own, last] = [half(own), half(last)];
    } else newRoot = await nodeOf(newRoot, other);
    [own, last] = [half(own), half(last)];
  }
  return last === 0 && oldRoot === older.root && newRoot === newer.root;
}

/** A file with more faults than these is as wrong as one with these. */
const MOST_FAULTS = 100;

/** The faults of a proof as sentences; none: all that it says is proven. */
async function faultsOf(proof: SubjectProof): Promise<readonly string[]> {
  const faults: string[] = [];
  const [first] = proof.streams;
  const { kind, id } = provenIn(proof);
  if (first === undefined || first.stream !== `${kind}-${id}`)
    faults.push(`The first stream is not that of the ${kind} ${id}.`);
  if (new Set(proof.streams.map(({ stream }) => stream)).size < proof.streams.length)
    faults.push('A stream comes twice.');
  for (const stream of proof.streams)
    for (const fault of await faultsOfStream(stream, proof.checkpoint)) {
      if (faults.length === MOST_FAULTS) return faults;
      faults.push(fault);
    }
  return faults;
}

async function faultsOfStream({ stream, events }: ProvenStream, checkpoint: Checkpoint): Promise<readonly string[]> {
  const faults: string[] = [];
  if (events.length === 0) faults.push(`${stream} has no events.`);
  let [previous, index] = ['', -1];
  for (const [place, event] of events.entries()) {
    const at = `${stream}, event ${event.revision} (${event.type})`;
    const hash = await sha256(new Uint8Array(utf8.encode(eventText(event))));
    if (event.revision !== place) faults.push(`${at}: its place in the stream should be ${place}.`);
    if (event.index <= index) faults.push(`${at}: it does not come after the event before it in the log.`);
    if (previousHashIn(event.metadata) !== previous)
      faults.push(`${at}: it does not name the hash of the event before it.`);
    if (!(await isIncluded({ leaf: leafText(stream, event.revision, hash), ...event }, checkpoint)))
      faults.push(`${at}: it is not in the log that the checkpoint signs. It was altered, or belongs to another log.`);
    [previous, index] = [hash, event.index];
  }
  return faults;
}

function previousHashIn(metadata: string): unknown {
  try {
    return JSON.parse(metadata)?.previousHash;
  } catch {
    return undefined;
  }
}

/** Whole numbers up to 2^53: bit operations end at 2^32. */
const half = (n: number): number => Math.floor(n / 2);
const isOdd = (n: number): boolean => n % 2 === 1;

function joined(prefix: number, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(1 + rest.length);
  all[0] = prefix;
  all.set(rest, 1);
  return all;
}
const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

/** A sentence of a report, and whether it speaks for the file. */
interface Finding {
  readonly isGood: boolean;
  readonly text: string;
}

/** The findings about a file, and its proof where it is one. */
export interface Report {
  /** Good if every finding is. */
  readonly verdict: Finding;
  readonly findings: readonly Finding[];
  /** What the findings do not say; empty unless all are good. */
  readonly open: readonly string[];
  readonly proof?: SubjectProof;
}

/** The material of a report. */
interface VerifyInput {
  /** The parsed JSON of a proof or a checkpoint. */
  readonly file: unknown;
  /** The public keys that the reader trusts, base64url of 32 bytes. */
  readonly keys: readonly string[];
  /** The parsed JSON of a checkpoint that the reader has kept. */
  readonly kept?: unknown;
  /** The payment, or the agreement, that the file has to prove. */
  readonly payment?: string;
  readonly agreement?: string;
}

/** Checks everything that is given. Throws NotProof for what is neither a proof nor a checkpoint. */
export async function reportOn({ file, keys, kept: keptFile, ...wanted }: VerifyInput): Promise<Report> {
  const proof = isCheckpoint(file) ? undefined : readProof(file);
  const checkpoint = proof?.checkpoint ?? readCheckpoint(file);
  const findings = [await signatureFinding(checkpoint, keys, 'The checkpoint')];
  if (keptFile !== undefined) {
    const kept = readCheckpoint(keptFile, 'The kept checkpoint');
    findings.push(await signatureFinding(kept, keys, 'The kept checkpoint'), await keptFinding(kept, checkpoint));
  }
  const proven = proof && provenIn(proof);
  for (const kind of ['payment', 'agreement'] as const)
    if (wanted[kind] !== undefined && (proven?.kind !== kind || proven.id !== wanted[kind]))
      findings.push(bad(`The file does not prove the ${kind} ${wanted[kind]}.`));
  if (proof === undefined) return reported(findings, 'The checkpoint alone does not show what the events are.');
  if (findings.some(({ isGood }) => !isGood)) return { ...reported(findings, ''), proof };
  const faults = await faultsOf(proof);
  const events = proof.streams.reduce((count, stream) => count + stream.events.length, 0);
  const whole = `${counted(events, 'event')} of ${counted(proof.streams.length, 'stream')}`;
  findings.push(
    ...(faults.length === 0
      ? [good(`${whole}: each is in the signed log as it is here, from the first of its stream on, without a gap.`)]
      : faults.map(bad)),
  );
  const open = `Events after the checkpoint (${checkpoint.madeAt}) are not in it, and the proof does not show that no later event of these streams, and no whole stream beside them, was left out.`;
  return { ...reported(findings, open), proof };
}

function reported(findings: readonly Finding[], open: string): Report {
  const isProven = findings.every(({ isGood }) => isGood);
  return {
    verdict: isProven ? good('Everything that is said here holds.') : bad('This proves nothing.'),
    findings,
    open: isProven ? [open, UNSIGNED_KEY] : [],
  };
}

const UNSIGNED_KEY =
  'The key that the file names (publicKey) is not signed. What is said here holds for a key that you have from the operator of the service, and not from the file.';

const isCheckpoint = (file: unknown): boolean =>
  typeof file === 'object' && file !== null && 'format' in file && file.format === CHECKPOINT_FORMAT;

async function signatureFinding(checkpoint: Checkpoint, keys: readonly string[], name: string): Promise<Finding> {
  for (const key of keys)
    if (await isSigned(checkpoint, key))
      return good(
        `${name} of ${checkpoint.madeAt} over ${counted(checkpoint.treeSize, 'event')} of the store ${checkpoint.storeId} is signed by the key ${key}.`,
      );
  const other = keys.includes(checkpoint.publicKey)
    ? 'It was altered after it was signed.'
    : `It names the key ${checkpoint.publicKey}. Nothing signs that name, so get the key from the operator of the service.`;
  return bad(`${name} is not signed by a key that you gave. ${other}`);
}

async function keptFinding(kept: Checkpoint, newer: Checkpoint): Promise<Finding> {
  if (kept.storeId !== newer.storeId)
    return bad(`The kept checkpoint is of another store: ${kept.storeId}, not ${newer.storeId}.`);
  const { extends: since } = newer;
  const isSaid = since?.treeSize === kept.treeSize;
  if (!isSaid && kept.treeSize !== newer.treeSize)
    return bad(
      'Nothing here shows that the checkpoint extends the kept one. Ask for a file that was made with --since and the kept one.',
    );
  const path = isSaid ? since.path : [];
  return (!isSaid || since.root === kept.root) && (await isExtended(kept, newer, path))
    ? good(`The log of the checkpoint begins with the ${counted(kept.treeSize, 'event')} of the kept one, unchanged.`)
    : bad('The log of the checkpoint does not begin with that of the kept one: events were changed or removed.');
}

const good = (text: string): Finding => ({ isGood: true, text });
const bad = (text: string): Finding => ({ isGood: false, text });
const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** A public key as it is typed. Throws NotProof. */
export function readKey(text: string): string {
  const key = text.trim();
  if (!/^[A-Za-z0-9_-]{43}$/.test(key))
    throw new NotProof(`${JSON.stringify(text)} is not a public key: allowed is base64url of 32 bytes.`);
  return key;
}
