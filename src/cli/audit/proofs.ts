// The work of counterfoil audit verify, checkpoint, key and export.
import { writeFile } from 'node:fs/promises';
import { isSignedBy, signedCheckpoint } from '../../audit/checkpoint.ts';
import { draftProof, paymentOfDispute, type WantedProof } from '../../audit/export-proof.ts';
import { heldAgainst, type OwnCheckpoints, readOwnCheckpoints } from '../../audit/own-checkpoints.ts';
import { type LogWalk, type WalkedLog, walkLog } from '../../audit/verify-log.ts';
import { readConfig } from '../../config.ts';
import { readUntilBreak } from '../../journal/chain.ts';
import type { Tombstones } from '../../journal/destroyed-keys.ts';
import { checkReadable } from '../../journal/envelope.ts';
import { knownKeys, publicKeysOf } from '../../journal/signing-keys.ts';
import { recordBeforeBreak } from '../../journal/store-stamp.ts';
import type { Secrets, StoreKey } from '../../secrets.ts';
import type { EventStore } from '../../stores/event-store.ts';
import { damageInWords, logDamage } from '../../stores/sqlite/log-damage.ts';
import { categoryOf, idOf } from '../../stores/stream-name.ts';
import { type Checkpoint, NotProof, provenIn, readCheckpoint } from '../../verify/format.ts';
import { readKey } from '../../verify/verify.ts';
import type { World } from '../../world.ts';
import { commandLine } from '../as-typed.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { explain, interruptible, Refused, WrongUsage } from '../exit.ts';
import { readJsonFile } from '../files.ts';
import { checkKeysHere, keysOf, withEventLog } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import { openProgress, totalBy } from '../progress.ts';
import type { proofs as rows } from '../rows/audit.ts';
import { streamNameOf, wholeStream } from './stream-name.ts';

/** Lines on stderr; --json has more of them. */
const BREAKS_SHOWN = 20;

export const verify = (given: GivenValues<typeof rows.verify>): Promise<CommandResult> =>
  given.stream === undefined ? verifyWhole(given) : verifyStream(given.stream, given);

async function verifyStream(text: string, given: GivenValues<typeof rows.verify>): Promise<CommandResult> {
  if (given.checkpoint !== undefined)
    throw new WrongUsage('A checkpoint signs the whole log: --checkpoint takes no stream.');
  const named = streamNameOf(text);
  return withEventLog(given, async (events) => {
    const stream = await wholeStream(events, named);
    let count = 0;
    const broken = await readUntilBreak(events, stream, (stored) => {
      checkReadable(stored);
      count += 1;
      return true;
    });
    if (broken !== undefined) throw broken;
    if (count === 0) throw new Refused(`There is no stream ${stream}.`, 'NotFound');
    return { json: { stream, events: count }, text: `${stream}: ${count} events, and its chain is whole.` };
  });
}

/** Refused where anything is broken, or a checkpoint does not hold. */
async function verifyWhole(given: GivenValues<typeof rows.verify>): Promise<CommandResult> {
  const checkpoints = await Promise.all(
    (given.checkpoint ?? []).map(async (file) => ({ file, ...(await read(file)) })),
  );
  const publicKeys = (given.key ?? []).map(keyFrom);
  return withEventLog(given, async (events, world) => {
    const own = await keysOf(given, events);
    const keys = await keysKnown(events, own.secrets, publicKeys);
    // All of a forged log can be right in itself, except that it opens with the secret.
    const isOfOtherSecret = own.isMissing && publicKeys.length === 0 && keys.length > 0;
    const recorded = await readOwnCheckpoints(events);
    const sizes = [...checkpoints, ...recorded].map(({ treeSize }) => treeSize);
    const walked = await walkShown(events, world, { sizes });
    return verdictOf({
      walked,
      own: heldAgainst(recorded, walked, keys),
      hasOwn: recorded.length > 0,
      given: checkpoints.map((one) => ({ ...one, fault: faultOf(one, walked, isOfOtherSecret ? [] : keys) })),
      isOfOtherSecret,
      damage: await damageHere(given),
      ...(await personalKeysIn(given, events, world)),
    });
  });
}

interface Findings {
  readonly walked: WalkedLog;
  readonly own: OwnCheckpoints;
  /** The log has recorded checkpoints. */
  readonly hasOwn: boolean;
  /** The checkpoints that were named, each with what speaks against it. */
  readonly given: readonly (Checkpoint & { readonly file: string; readonly fault: string | undefined })[];
  readonly isOfOtherSecret: boolean;
  readonly damage: readonly string[];
  readonly tombstones: Tombstones;
  readonly keysFault: string | undefined;
  /** The setting names a key store: then a fault of the keys counts. */
  readonly needsKeys: boolean;
}

async function personalKeysIn(
  given: CommonOptions,
  events: EventStore,
  world: World,
): Promise<Pick<Findings, 'tombstones' | 'keysFault' | 'needsKeys'>> {
  const config = readConfig(given, process.env);
  let tombstones: Tombstones = { recorded: 0, earlier: 0, unrecorded: [] };
  const onTombstones = (those: Tombstones): void => {
    tombstones = those;
  };
  const check = { everyKey: true, everyEvent: true, onTombstones };
  const keysFault = await checkKeysHere(config, events, world, check).then(
    () => undefined,
    (fault: unknown) => explain(fault).message,
  );
  return { tombstones, keysFault, needsKeys: config.keyStore !== undefined };
}

function verdictOf(found: Findings): CommandResult {
  const { walked, own, given, isOfOtherSecret, damage, tombstones } = found;
  const { events, root, storeId, streams, broken, breaks } = walked;
  const json = {
    events,
    streams,
    root,
    storeId: storeId ?? null,
    broken,
    breaks: breaks.map(({ stream, revision, message }) => ({ stream, revision, fault: message })),
    checkpoints: given.map(({ file, fault }) => ({ file, holds: fault === undefined, ...(fault && { fault }) })),
    ownCheckpoints: ownAsJson(own),
    isOfOtherSecret,
    damage,
    destroyedKeys: tombstones,
  };
  const lines = [
    `${events} events of ${streams} streams, root ${root}.`,
    broken === 0 ? 'The chain of every stream is whole.' : `${broken === 1 ? '1 break' : `${broken} breaks`}:`,
    ...given.filter(({ fault }) => fault === undefined).map(holds),
    ...ownInWords(own, events),
    ...destroyedInWords(tombstones),
    ...(broken === 0 && given.length === 0 && !found.hasOwn ? [WITHOUT] : []),
  ];
  const isRefused =
    (found.keysFault !== undefined && found.needsKeys) ||
    tombstones.unrecorded.length > 0 ||
    isOfOtherSecret ||
    broken > 0 ||
    damage.length > 0 ||
    own.failed > 0 ||
    given.some(({ fault }) => fault !== undefined);
  return { json, text: lines.join('\n'), warnings: warningsOf(found), isRefused };
}

function warningsOf({ walked, own, given, isOfOtherSecret, damage, keysFault }: Findings): readonly string[] {
  const { breaks, broken } = walked;
  return [
    ...breaks.slice(0, BREAKS_SHOWN).map(({ message }) => message),
    ...(broken > BREAKS_SHOWN ? [`And ${broken - BREAKS_SHOWN} more.`] : []),
    ...(damage.length > 0 ? [damageInWords(damage)] : []),
    ...given.flatMap(({ file, fault }) => (fault === undefined ? [] : [`${file}: ${fault}`])),
    ...(keysFault === undefined ? [] : [keysFault]),
    ...(isOfOtherSecret ? [OF_OTHER_SECRET] : []),
    ...(own.firstFailed === undefined ? [] : [failedInWords(own.failed, own.firstFailed)]),
    ...(own.ofOtherKeys > 0 ? [UNKNOWN_KEY] : []),
  ];
}

/** As logDamage; other stores have no columns and no indexes of ours. */
async function damageHere(options: CommonOptions): Promise<readonly string[]> {
  const { eventStore } = readConfig(options, process.env);
  return eventStore.kind === 'sqlite' ? logDamage(eventStore.file) : [];
}

function destroyedInWords({ recorded, earlier }: Tombstones): readonly string[] {
  if (recorded + earlier === 0) return [];
  const before = earlier === 0 ? '' : ` ${earlier} were destroyed before erasures named their keys.`;
  return [`${recorded === 1 ? '1 destroyed key is' : `${recorded} destroyed keys are`} on record.${before}`];
}

const WITHOUT =
  'Without a checkpoint nothing shows whether the last events of streams, or whole streams, were changed or removed.';

const OF_OTHER_SECRET =
  'The secret of this machine does not open the log: the log is of another store, or it was forged. Use the secret of the store, or give --key.';
const UNKNOWN_KEY =
  'A key is known if it belongs to a secret of this machine, or to an earlier secret of the store. Give --key if you have the key from the operator of the store, and not from the log.';

const holds = ({ file, treeSize, madeAt }: Checkpoint & { readonly file: string }): string =>
  `${file} holds: the first ${treeSize} events are those that were signed at ${madeAt}.`;

const ownAsJson = ({ held, failed, ofOtherKeys, newest, firstFailed }: OwnCheckpoints) => ({
  held,
  failed,
  ofOtherKeys,
  newest: newest === undefined ? null : placeOf(newest),
  firstFailed: firstFailed === undefined ? null : { ...placeOf(firstFailed.checkpoint), fault: firstFailed.fault },
});
const placeOf = ({ treeSize, madeAt }: Checkpoint) => ({ treeSize, madeAt });

/** Empty if no checkpoint of the log's own holds. */
function ownInWords({ held, newest }: OwnCheckpoints, events: number): readonly string[] {
  if (newest === undefined) return [];
  const later = events - newest.treeSize;
  return [
    `${held === 1 ? "The log's own checkpoint holds" : `The log's own ${held} checkpoints hold`}, the newest of ${newest.madeAt}: the first ${newest.treeSize} events are those that were signed.`,
    `${later === 1 ? '1 later event has' : `${later} later events have`} no checkpoint yet. Who has the secret of the store can forge these checkpoints too: keep some elsewhere.`,
  ];
}

const failedInWords = (
  failed: number,
  { checkpoint: { treeSize, madeAt }, fault }: NonNullable<OwnCheckpoints['firstFailed']>,
): string =>
  `${failed === 1 ? "1 of the log's own checkpoints does" : `${failed} of the log's own checkpoints do`} not hold, the first of ${treeSize} events at ${madeAt}: ${fault}.`;

/** Why a checkpoint does not hold; undefined: it holds. */
function faultOf(checkpoint: Checkpoint, walked: WalkedLog, keys: readonly string[]): string | undefined {
  const { treeSize, storeId, root } = checkpoint;
  if (keys.length === 0) return 'Its signature cannot be checked: the secret of the store is not here. Give --key.';
  if (!keys.some((key) => isSignedBy(checkpoint, key)))
    return 'It is not signed by the key of this store: it was altered, or belongs to another store.';
  if (storeId !== walked.storeId)
    return `It is of another store, ${storeId}, or the first event of this one was changed.`;
  if (treeSize > walked.events)
    return `It signs ${treeSize} events, and the log has ${walked.events}: events were removed.`;
  if (walked.roots.get(treeSize) !== root)
    return `The first ${treeSize} events are not those that were signed: events were changed, removed or inserted.`;
  return undefined;
}

export async function checkpoint(given: GivenValues<typeof rows.checkpoint>): Promise<CommandResult> {
  return withEventLog(given, async (events, world) => {
    const { secrets } = await keysToSign(given, events);
    const made = await signed(events, world, secrets, given);
    const { streams, root, events: count } = made.walked;
    await writeNew(given.out, made.checkpoint);
    const text = `${given.out} signs ${count} events of ${streams} streams, root ${root}.\nKeep it where no one who can change the log can change it.`;
    return { json: made.checkpoint, text };
  });
}

export async function key(given: CommonOptions): Promise<CommandResult> {
  return withEventLog(given, async (events) => {
    const { secrets } = await keysToSign(given, events);
    const [publicKey, ...older] = await keysKnown(events, secrets);
    const text = [publicKey, ...older.map((one) => `${one} (of an older secret)`)].join('\n');
    return { json: { publicKey, older }, text };
  });
}

export async function exportProof(given: GivenValues<typeof rows.exportProof>): Promise<CommandResult> {
  const { out, subject = '', dispute } = given;
  if (dispute === undefined) provableStream(subject); // before the log is opened
  return withEventLog(given, async (events, world) => {
    const { secrets, storeKey } = await keysToSign(given, events);
    if (storeKey === undefined) throw new Refused('The log has no store yet.');
    const wanted = await wantedOf(events, given);
    // A stream on which the payment rests by then is never missing: its events are looked at after the end is fixed.
    const to = await events.head();
    const draft = await draftProof(events, wanted, storeKey);
    const made = await signed(events, world, secrets, given, { to, take: draft.take });
    const proof = draft.finished(made.checkpoint);
    const { kind, id } = provenIn(wanted);
    if (proof === undefined) throw new Refused(`There is no ${kind} ${id}.`, 'NotFound');
    await writeNew(out, proof);
    const count = proof.streams.reduce((sum, stream) => sum + stream.events.length, 0);
    const lines = [
      `${out} proves ${count} events of ${proof.streams.length} streams.`,
      'Check it with:',
      `  ${commandLine(`${out} --key ${made.checkpoint.publicKey} --${kind} ${id}`, 'counterfoil-verify')}`,
      'It holds the data of the customer as it is in the log: give it to those who may see that.',
    ];
    const json = {
      ...(kind === 'payment' ? { paymentId: id } : { agreementId: id }),
      file: out,
      streams: proof.streams.length,
      events: count,
    };
    return { json, text: lines.join('\n') };
  });
}

/** The stream of a payment or an agreement. Throws WrongUsage for any other text. */
function provableStream(text: string): string {
  const stream = streamNameOf(text);
  const category = categoryOf(stream);
  if (category !== 'payment' && category !== 'agreement')
    throw new WrongUsage(`${JSON.stringify(text)} is not the id of a payment or an agreement.`);
  return stream;
}

async function wantedOf(
  events: EventStore,
  { subject = '', dispute }: GivenValues<typeof rows.exportProof>,
): Promise<WantedProof> {
  if (dispute !== undefined) {
    const paymentId = await paymentOfDispute(events, dispute, new AbortController().signal);
    if (paymentId === undefined) throw new Refused(`There is no dispute ${dispute}.`, 'NotFound');
    return { paymentId, answersDispute: true };
  }
  const stream = await wholeStream(events, provableStream(subject));
  const id = idOf(stream);
  return categoryOf(stream) === 'payment' ? { paymentId: id } : { agreementId: id };
}

/** A checkpoint of the log as it is now. Throws Refused if the log is broken, or does not begin with `since`. */
async function signed(
  events: EventStore,
  world: World,
  secrets: Secrets,
  options: Pick<GivenValues<typeof rows.checkpoint>, 'since'>,
  walk: Partial<Pick<LogWalk, 'to' | 'take'>> = {},
): Promise<{ readonly checkpoint: Checkpoint; readonly walked: WalkedLog }> {
  const since = options.since === undefined ? undefined : await read(options.since);
  const walked = await walkShown(events, world, { ...walk, since: since?.treeSize });
  const [first] = walked.breaks;
  if (first !== undefined)
    throw new Refused(`${first.message}. Nothing is signed while the log is broken: run \`counterfoil audit verify\`.`);
  const fault = since && faultOf(since, walked, await keysKnown(events, secrets));
  if (fault !== undefined) throw new Refused(`${options.since}: ${fault}`);
  return { checkpoint: signedCheckpoint(walked, secrets, world.now(), walked.extended), walked };
}

/** Events between two updates of the display. */
const SHOWN_EVERY = 10_000;

/** Walks to the log's end of now. Throws Interrupted at a signal. */
async function walkShown(
  events: EventStore,
  world: World,
  walk: Pick<LogWalk, 'sizes' | 'since' | 'take'> & { readonly to?: bigint },
): Promise<WalkedLog> {
  const progress = await openProgress('Reading the log', 'events', world);
  const { to = await events.head() } = walk;
  let shown = 0;
  const onProgress = (count: number, position: bigint): void => {
    if (count - shown < SHOWN_EVERY) return;
    shown = count;
    progress.update(count, totalBy(count, Number(position) / Math.max(1, Number(to))));
  };
  try {
    return await interruptible('Stopping.', (signal) => walkLog(events, { ...walk, to, onProgress }, signal));
  } finally {
    progress.stop();
  }
}

/** The keys of the log. Throws Refused if this machine has not got them. */
async function keysToSign(
  options: CommonOptions,
  events: EventStore,
): Promise<{ readonly secrets: Secrets; readonly storeKey?: StoreKey }> {
  const own = await keysOf(options, events);
  if (!own.isMissing && own.secrets.keys('checkpoint').length > 0) return own;
  throw new Refused(
    `The secret of the store is neither in ${readConfig(options, process.env).dataDir} nor in COUNTERFOIL_SECRET. The signing key derives from it.`,
  );
}

/** The public keys of this machine's secrets, the given ones, and those that one of these has signed as older. */
const keysKnown = async (
  events: EventStore,
  secrets: Secrets,
  given: readonly string[] = [],
): Promise<readonly string[]> => knownKeys([...publicKeysOf(secrets), ...given], await recordBeforeBreak(events));

/** Throws WrongUsage for any other file. */
async function read(file: string): Promise<Checkpoint> {
  const value = await readJsonFile(file);
  return orWrongUsage(() => readCheckpoint(value, file));
}

const keyFrom = (text: string): string => orWrongUsage(() => readKey(text));

function orWrongUsage<T>(reading: () => T): T {
  try {
    return reading();
  } catch (fault) {
    if (fault instanceof NotProof) throw new WrongUsage(fault.message);
    throw fault;
  }
}

/** Throws WrongUsage for a file that exists, or cannot be written: a receipt is never replaced. */
async function writeNew(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (fault: NodeJS.ErrnoException) => {
      throw new WrongUsage(
        fault.code === 'EEXIST'
          ? `${file} exists, and is not replaced.`
          : `${file} cannot be written: ${fault.message}`,
      );
    },
  );
}
