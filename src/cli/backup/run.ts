// What the commands backup and restore have around their work: the open stores, progress, and the result in words.
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Config, readConfig } from '../../config.ts';
import { copyLog } from '../../journal/copy-log.ts';
import { shownUrl } from '../../store-urls.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { damageInWords } from '../../stores/sqlite/log-damage.ts';
import { liveWorld, type World } from '../../world.ts';
import type { GivenValues } from '../command.ts';
import { interruptible, Refused } from '../exit.ts';
import { lazyLog, reportTo } from '../log.ts';
import { isFaultOfKeys } from '../open/keys-of-log.ts';
import { checkEnd } from '../open/log-end.ts';
import { isKeysFile, keyStoreOf, openEventStore, openKeyStore, storeWaitOf } from '../open/stores.ts';
import { checkKeysHere, keysOf, secretsHere, withEventLog } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import { ShownSteps } from '../progress.ts';
import type { backup as rows } from '../rows/stores.ts';
import { type BackupContent, FILES, REGISTER, readManifest } from './backup-directory.ts';
import { type AppliedErasures, readErasures } from './erasures.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';

const STOPPING = 'Stopping. Run the same command again to finish it.';

export async function backup(options: GivenValues<typeof rows.backup>): Promise<CommandResult> {
  const config = readConfig(options, process.env);
  const { eventStore, dataDir, logLevel } = config;
  const directory = resolve(options.out);
  return withEventLog(options, async (events, world) => {
    const { secrets, isMissing } = await keysOf(options, events);
    if (isMissing || secrets.keys('erasure-register').length === 0) throw new Refused(WITHOUT_SECRET);
    const steps = new ShownSteps(world, SHOWN_EVERY);
    const report = reportTo(lazyLog(logLevel));
    const foundBefore = await checkKeysHere(config, events, world, { everyKey: true }).then(
      () => undefined,
      (fault: unknown) => unlessNew(directory, fault),
    );
    await mustHaveEnd(config, events, world);
    let damage: readonly string[] = [];
    const onDamage = (found: readonly string[]): void => {
      damage = found;
    };
    const made = await interruptible(STOPPING, (signal) => {
      const keys = isKeysFile(config)
        ? { file: keyStoreOf(config) }
        : { open: () => openKeyStore(config, { world, report, wait: storeWaitOf(config, signal) }) };
      const onProgress = steps.show;
      const parts = { source: eventStore, dataDir, keys, onDamage, secrets, events, world, report };
      return makeBackup(directory, { ...parts, signal, onProgress, readsAll: options.verify });
    }).finally(steps.end);
    const { added, broken, keysFault = foundBefore } = made;
    const lines = [
      `${directory} holds ${wordsOf(made)}`,
      `${added === 0 ? 'No event is' : added === 1 ? '1 event is' : `${added} events are`} new. ${partsOf(made)}`,
      'The secret of the store is not in it: keep that in another place.',
    ];
    const warnings = [
      ...(broken > 0 ? [brokenInWords(broken)] : []),
      ...(keysFault === undefined ? [] : [keysFault.message]), // the backup has all keys that exist
      ...(damage.length > 0 ? [damageInWords(damage)] : []),
    ];
    return {
      json: { ...asJson(made), directory, added, damage },
      text: lines.join('\n'),
      warnings,
      isRefused: warnings.length > 0,
    };
  });
}

const brokenInWords = (broken: number): string =>
  `The log has ${broken === 1 ? '1 break' : `${broken} breaks`}, and so has the backup: run \`counterfoil audit verify\`.`;

/** Units between two updates of the display; megabytes are few. */
const SHOWN_EVERY = { events: 10_000, MB: 10 };

/** Read models, which a backup needs for nothing else, are not asked. Throws ShorterLog. */
async function mustHaveEnd(config: Config, events: EventStore, world: World): Promise<void> {
  if (isKeysFile(config) && !(await isThere(keyStoreOf(config)))) return;
  const keys = await openKeyStore(config, {
    world,
    report: reportTo(lazyLog(config.logLevel)),
    wait: storeWaitOf(config),
  });
  await checkEnd({ events, keys }, false).finally(() => keys.close());
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const WITHOUT_SECRET =
  'The secret of the store is not on this machine. It signs the register of erasures, without which erased people could come back. Set COUNTERFOIL_SECRET as for `counterfoil serve`.';

/** Keys that are lost for good must not end all backups, and no backup that may have them gets older ones. */
async function unlessNew(directory: string, fault: unknown): Promise<Error> {
  if (!isFaultOfKeys(fault)) throw fault;
  if ((await readManifest(directory)) === undefined) return fault;
  throw new Refused(
    `${fault.message} ${directory} may have them: keep it. A new directory takes a backup without them.`,
  );
}

export async function restore(options: GivenValues<typeof rows.restore>): Promise<CommandResult> {
  const config = readConfig(options, process.env);
  const { eventStore: target, dataDir } = config;
  const from = resolve(options.from);
  const content = await readManifest(from);
  if (content === undefined) throw new Refused(`${from} is not a backup: it has no manifest.json.`);
  const { storeId, parts: files } = content;
  const secrets = await secretsHere(config);
  const needsRegister = options.erasures !== undefined || files.some(({ part }) => part === 'keys');
  const register = options.erasures ?? join(from, REGISTER);
  const erasures = needsRegister ? await readErasures(register, { secrets, storeId }) : [];
  const steps = new ShownSteps(liveWorld, SHOWN_EVERY);
  const report = reportTo(lazyLog(config.logLevel));
  const restored = await interruptible(STOPPING, (signal) => {
    const parts = { world: liveWorld, report, wait: storeWaitOf(config, signal) };
    const copyToTarget = async (file: string): Promise<void> => {
      const source = await openEventStore({ kind: 'sqlite', file }, parts);
      try {
        const there = await openEventStore(target, { ...parts, inOrder: true });
        try {
          await copyLog(source, there, {
            signal,
            onProgress: ({ step, events, done }) => steps.show(step, 'events', events, done),
          });
        } finally {
          await there.close();
        }
      } finally {
        await source.close();
      }
    };
    const onProgress = steps.show;
    const common = { target, dataDir, erasures, secrets, world: liveWorld, report, signal, onProgress };
    const isBeside = keyStoreOf(config) === join(dataDir, 'keys.db');
    const openKeys = (): Promise<KeyStore> => openKeyStore(config, parts);
    return restoreBackup(from, { ...common, copyToTarget, ...(!isBeside && { openKeys }) });
  }).finally(steps.end);
  const text = [
    `${shownUrl(target)} holds ${wordsOf(restored)}`,
    `${partsOf(restored)} ${erasedInWords(restored.applied)}`,
    'Start the service with the secret of the store. It builds the read models from the log.',
  ].join('\n');
  const fault = restored.keysFault; // nothing is taken back: the store has all keys that exist
  return {
    json: { ...asJson(restored), erasures: { named: erasures.length, ...restored.applied } },
    text,
    warnings: fault === undefined ? [] : [fault.message],
    isRefused: fault !== undefined,
  };
}

function erasedInWords({ destroyed, already, absent }: AppliedErasures): string {
  const named = destroyed + already + absent;
  if (named === 0) return 'The register names no erasure.';
  const keys = destroyed === 1 ? '1 key was' : `${destroyed} keys were`;
  return `The register names ${named === 1 ? '1 erasure' : `${named} erasures`}: ${keys} destroyed, ${already} before the backup, and ${absent} not found in the backup.`;
}

const wordsOf = ({ events, position, lastRecordedAt }: BackupContent): string =>
  `the log up to position ${position}, ${events} events, the last one recorded at ${lastRecordedAt}.`;

function partsOf({ parts }: BackupContent): string {
  const words = FILES.filter(({ part }) => parts.some((one) => one.part === part)).map((one) => one.words);
  return words.length === 0 ? 'There is nothing beside the log.' : `Beside the log: ${words.join(', ')}.`;
}

const asJson = ({ storeId, events, broken, position, lastRecordedAt, madeAt, parts }: BackupContent): object => ({
  storeId,
  events,
  broken,
  position,
  lastRecordedAt,
  madeAt,
  parts,
});
