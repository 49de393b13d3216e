// What the commands backup and restore have around their work: the open stores, progress, and the result in words.
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { shownUrl } from '../../store-urls.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { damageInWords } from '../../stores/sqlite/log-damage.ts';
import { liveWorld, type World } from '../../world.ts';
import { type CommonOptions, configOf } from '../command.ts';
import { EXIT, Refused } from '../exit.ts';
import { interruptible } from '../interrupt.ts';
import { lazyLog } from '../log.ts';
import { isFaultOfKeys } from '../open/keys-of-log.ts';
import { reportTo } from '../open/report-to.ts';
import { isKeysFile, keyStoreOf, openEventStore, openKeyStore } from '../open/stores.ts';
import { storeWaitOf } from '../open/wait-for-store.ts';
import { checkKeysHere, keysOf, secretsHere, withEventLog } from '../open/with-stores.ts';
import { print, tell } from '../output.ts';
import { openProgress, type Progress, totalBy } from '../progress.ts';
import { type BackupContent, FILES, REGISTER, readManifest } from './backup-directory.ts';
import { type AppliedErasures, readErasures } from './erasures.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';

export interface BackupOptions extends CommonOptions {
  readonly out: string;
  readonly verify?: boolean;
}
export interface RestoreOptions extends CommonOptions {
  readonly from: string;
  readonly erasures?: string;
}

const STOPPING = 'Stopping. Run the same command again to finish it.';

export async function runBackup(options: BackupOptions): Promise<void> {
  const config = configOf(options);
  const { eventStore, dataDir, logLevel } = config;
  const directory = resolve(options.out);
  await withEventLog(options, async (events, world) => {
    const { secrets, isMissing } = await keysOf(options, events);
    if (isMissing || secrets.keys('erasure-register').length === 0) throw new Refused(WITHOUT_SECRET);
    const steps = new ShownSteps(world);
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
    print({ json: { ...asJson(made), directory, added, damage }, text: lines.join('\n') }, options);
    if (broken > 0) {
      tell(
        `The log has ${broken === 1 ? '1 break' : `${broken} breaks`}, and so has the backup: run \`counterfoil audit verify\`.`,
      );
      process.exitCode = EXIT.refused;
    }
    if (keysFault !== undefined) refuseKeys(keysFault);
    if (damage.length > 0) {
      tell(damageInWords(damage));
      process.exitCode = EXIT.refused;
    }
  });
}

/** Nothing is taken back: the backup or store has all keys that exist. */
function refuseKeys(fault: Error): void {
  tell(fault.message);
  process.exitCode = EXIT.refused;
}

/** Read models, which a backup needs for nothing else, are not asked. Throws ShorterLog. */
async function mustHaveEnd(config: Config, events: EventStore, world: World): Promise<void> {
  if (isKeysFile(config) && !(await isThere(keyStoreOf(config)))) return;
  const { checkEnd } = await import('../open/log-end.ts');
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

export async function runRestore(options: RestoreOptions): Promise<void> {
  const config = configOf(options);
  const { eventStore: target, dataDir } = config;
  const from = resolve(options.from);
  const content = await readManifest(from);
  if (content === undefined) throw new Refused(`${from} is not a backup: it has no manifest.json.`);
  const { storeId, parts: files } = content;
  const secrets = await secretsHere(config);
  const needsRegister = options.erasures !== undefined || files.some(({ part }) => part === 'keys');
  const register = options.erasures ?? join(from, REGISTER);
  const erasures = needsRegister ? await readErasures(register, { secrets, storeId }) : [];
  const steps = new ShownSteps(liveWorld);
  const report = reportTo(lazyLog(config.logLevel));
  const restored = await interruptible(STOPPING, (signal) => {
    const parts = { world: liveWorld, report, wait: storeWaitOf(config, signal) };
    const copyToTarget = async (file: string): Promise<void> => {
      const { copyLog } = await import('../../journal/copy-log.ts');
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
  print({ json: { ...asJson(restored), erasures: { named: erasures.length, ...restored.applied } }, text }, options);
  if (restored.keysFault !== undefined) refuseKeys(restored.keysFault);
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

/** Units between two updates of the display; megabytes are few. */
const SHOWN_EVERY = { events: 10_000, MB: 10 };

/** The progress of one step after the other. */
class ShownSteps {
  readonly #world: World;
  #step = '';
  #shown = 0;
  #progress: Promise<Progress> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  readonly show = (step: string, unit: string, done: number, share: number): void => {
    if (step === this.#step && done - this.#shown < (unit === 'MB' ? SHOWN_EVERY.MB : SHOWN_EVERY.events)) return;
    if (step !== this.#step) {
      this.end();
      this.#step = step;
      this.#progress = openProgress(step, unit, this.#world);
    }
    this.#shown = done;
    void this.#progress?.then((progress) => progress.update(done, totalBy(done, share)));
  };

  readonly end = (): void => {
    void this.#progress?.then((progress) => progress.stop());
    this.#progress = undefined;
  };
}
