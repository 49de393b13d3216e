// counterfoil copy: an event log into another store, as it is; the way from the first day's data to production, and
// back.
import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { Notice } from '../app-error.ts';
import type { Config } from '../config.ts';
import type { Copied, CopyProgress } from '../journal/copy-log.ts';
import {
  EVENT_STORE_ALLOWED,
  EventStoreUrl,
  READ_MODELS_ALLOWED,
  ReadModelsUrl,
  shownUrl,
  withoutPassword,
} from '../store-urls.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { World } from '../world.ts';
import { type CommonOptions, configOf, declare } from './command.ts';
import { Refused, WrongUsage } from './exit.ts';
import type { StoreParts } from './open/stores.ts';
import { print, tell } from './output.ts';
import { openProgress, type Progress, totalBy } from './progress.ts';

interface CopyFlags extends CommonOptions {
  readonly from: string;
  readonly to: string;
  readonly toKeyStore?: string;
}

export function copy(parent: Command): void {
  declare(parent, {
    usage: 'copy',
    summary: 'Copy an event log and the keys of its personal data into another store, as they are',
    examples: [
      'copy --from sqlite:data/events.db --to "esdb://localhost:2113?tls=false" --read-models "mongodb://localhost:27017/counterfoil?tls=false"',
    ],
    rules: [
      'Revisions, ids, metadata and hashes are kept; a copy is resumable, and verified at the end.',
      'The keys of personal data go to --to-key-store, otherwise next to an embedded log, into the MongoDB of the read models, or the data directory.',
      'Refused: one key store for both logs, and a key store that has another key under an id of the source. Exits 1 if an event’s key is not in the key store of the copy.',
    ],
    settings: ['storeWait', 'dataDir', 'readModels'],
  })
    .requiredOption('--from <url>', 'the log to copy, which may be in use')
    .requiredOption('--to <url>', 'an empty store, or the target of an interrupted copy; a missing file is created')
    .option('--to-key-store <url>', 'the key store of the copy, if it is not where a service on the copy looks for it')
    .action(run);
}

async function run(options: CopyFlags): Promise<void> {
  const [from, to] = [urlOf('--from', options.from), urlOf('--to', options.to)];
  if (shownUrl(from) === shownUrl(to)) throw new WrongUsage('--from and --to are the same store.');
  if (from.kind === 'sqlite') await mustExist(from.file);
  const { liveWorld: world } = await import('../world.ts');
  const { openEventStore } = await import('./open/stores.ts');
  const { storeWaitOf } = await import('./open/wait-for-store.ts');
  const { copyLog } = await import('../journal/copy-log.ts');
  const { onInterrupt } = await import('./interrupt.ts');
  const config = configOf(options);
  const toKeyStore = options.toKeyStore === undefined ? {} : { keyStore: keyUrlOf(options.toKeyStore) };
  const [ofSource, ofTarget] = [
    { ...config, eventStore: from },
    { ...config, eventStore: to, ...toKeyStore },
  ];
  const interrupts = onInterrupt(() => tell('Stopping. Run the same command again to continue.'));
  const parts = {
    world,
    report: (fault: unknown) => tell(fault instanceof Notice ? fault.message : String(fault)),
    wait: storeWaitOf(config, interrupts.signal),
  };
  const keys = await keysBetween(ofSource, ofTarget, parts);
  const steps = new CopySteps(world);
  const source = await openEventStore(from, parts);
  try {
    // An empty log next to data is a log whose other files were not moved with it.
    if ((await source.head()) < 0n) throw new Refused(`${shownUrl(from)} has no events: nothing was copied.`);
    await mustBeApart(ofSource, ofTarget);
    const target = await openEventStore(to, { ...parts, inOrder: true });
    try {
      await keys.copy(); // no event is there before its key
      const onProgress = (progress: CopyProgress): void => steps.show(progress);
      const copied = await copyLog(source, target, { signal: interrupts.signal, onProgress });
      await keys.copy();
      steps.end();
      await keys.check(target, interrupts.signal);
      print({ json: asJson(copied, from, to), text: inWords(copied, from, to) }, options);
    } finally {
      await target.close();
    }
  } finally {
    steps.end();
    await source.close();
    interrupts.stop();
  }
}

interface KeysBetween {
  readonly copy: () => Promise<void>;
  /** Throws as checkKeysOfLog, for the log that was copied. */
  readonly check: (target: EventStore, signal: AbortSignal) => Promise<void>;
}

/** Throws Refused if both logs would have one key store. */
async function mustBeApart(source: Config, target: Config): Promise<void> {
  const { areOneKeyStore, keyStoreShown } = await import('./open/stores.ts');
  if (await areOneKeyStore(source, target))
    throw new Refused(
      `Both logs would have one key store, ${keyStoreShown(target)}: an erasure in the copy would destroy keys of the original. Name another one for the copy with --to-key-store, and start its service with it as COUNTERFOIL_KEY_STORE.`,
    );
}

async function keysBetween(source: Config, target: Config, parts: StoreParts): Promise<KeysBetween> {
  const { openKeyStore } = await import('./open/stores.ts');
  const { checkKeysOfLog } = await import('./open/keys-of-log.ts');
  const { secretsHere } = await import('./open/with-stores.ts');
  const { sameKeyBy } = await import('../journal/personal-keys.ts');
  const { copyKeys } = await import('../stores/copy-keys.ts');
  const secrets = await secretsHere(source);
  return {
    async copy() {
      const keys = await openKeyStore(source, parts);
      try {
        const there = await openKeyStore(target, parts);
        await copyKeys(keys, there, sameKeyBy(secrets)).finally(() => there.close());
      } finally {
        await keys.close();
      }
    },
    async check(events, signal) {
      await checkKeysOfLog(target, events, secrets, parts, { everyKey: true, everyEvent: true, signal });
    },
  };
}

function keyUrlOf(text: string): ReadModelsUrl {
  const parsed = ReadModelsUrl.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new WrongUsage(
    `--to-key-store is ${JSON.stringify(withoutPassword(text))}: allowed is ${READ_MODELS_ALLOWED}.`,
  );
}

function urlOf(option: string, text: string): EventStoreUrl {
  const parsed = EventStoreUrl.safeParse(text);
  if (!parsed.success)
    throw new WrongUsage(`${option} is ${JSON.stringify(withoutPassword(text))}: allowed is ${EVENT_STORE_ALLOWED}.`);
  return parsed.data;
}

async function mustExist(file: string): Promise<void> {
  await access(file).catch((fault: NodeJS.ErrnoException) => {
    throw new WrongUsage(
      fault.code === 'ENOENT' ? `There is no log ${file}.` : `${file} cannot be read: ${fault.message}`,
    );
  });
}

/** Events between two updates of the display; they come in groups. */
const SHOWN_EVERY = 64;

/**
 * The progress of one step after the other; how many events there are is only known from how much of the log they fill.
 */
class CopySteps {
  readonly #world: World;
  #step: CopyProgress['step'] | undefined;
  #progress: Promise<Progress> | undefined;
  #shown = 0;

  constructor(world: World) {
    this.#world = world;
  }

  show({ step, events, done }: CopyProgress): void {
    if (step === this.#step && events - this.#shown < SHOWN_EVERY && done < 1) return;
    if (step !== this.#step) {
      this.end();
      this.#step = step;
      this.#progress = openProgress(step, 'events', this.#world);
    }
    this.#shown = events;
    void this.#progress?.then((progress) => progress.update(events, totalBy(events, done)));
  }

  end(): void {
    void this.#progress?.then((progress) => progress.stop());
    this.#progress = undefined;
    this.#step = undefined;
  }
}

const asJson = (
  { events, found, sourceDigest, targetDigest }: Copied,
  from: EventStoreUrl,
  to: EventStoreUrl,
): object => ({
  from: shownUrl(from),
  to: shownUrl(to),
  events,
  copied: events - found,
  sourceDigest,
  targetDigest,
});

function inWords({ events, found, targetDigest }: Copied, from: EventStoreUrl, to: EventStoreUrl): string {
  const earlier = found === 0 ? '' : ` (${found} of them were already there)`;
  const secret =
    from.kind === 'sqlite' && to.kind !== 'sqlite'
      ? '\nServe it with the secret of the store it came from: COUNTERFOIL_SECRET.'
      : '';
  return `${shownUrl(to)} holds ${events} events${earlier}.\nRead back and equal to ${shownUrl(from)}: SHA-256 ${targetDigest}.${secret}`;
}
