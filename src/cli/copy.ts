// The work of counterfoil copy: an event log into another store, as it is; the way from the first day's data to
// production, and back.
import { access } from 'node:fs/promises';
import { Notice } from '../app-error.ts';
import { type Config, readConfig } from '../config.ts';
import { type Copied, type CopyProgress, copyLog } from '../journal/copy-log.ts';
import { sameKeyBy } from '../journal/personal-keys.ts';
import { EVENT_STORE_ALLOWED, READ_MODELS_ALLOWED } from '../settings.ts';
import { EventStoreUrl, ReadModelsUrl, shownUrl, withoutPassword } from '../store-urls.ts';
import { copyKeys } from '../stores/copy-keys.ts';
import type { EventStore } from '../stores/event-store.ts';
import { liveWorld } from '../world.ts';
import type { GivenValues } from './command.ts';
import { onInterrupt, Refused, WrongUsage } from './exit.ts';
import { checkKeysOfLog } from './open/keys-of-log.ts';
import {
  areOneKeyStore,
  keyStoreShown,
  openEventStore,
  openKeyStore,
  type StoreParts,
  storeWaitOf,
} from './open/stores.ts';
import { secretsHere } from './open/with-stores.ts';
import { type CommandResult, tell } from './output.ts';
import { ShownSteps } from './progress.ts';
import type { copy as rows } from './rows/stores.ts';

export async function copy(given: GivenValues<typeof rows.copy>): Promise<CommandResult> {
  const [from, to] = [urlOf('--from', given.from), urlOf('--to', given.to)];
  if (shownUrl(from) === shownUrl(to)) throw new WrongUsage('--from and --to are the same store.');
  if (from.kind === 'sqlite') await mustExist(from.file);
  const config = readConfig(given, process.env);
  const toKeyStore = given.toKeyStore === undefined ? {} : { keyStore: keyUrlOf(given.toKeyStore) };
  const [ofSource, ofTarget] = [
    { ...config, eventStore: from },
    { ...config, eventStore: to, ...toKeyStore },
  ];
  const interrupts = onInterrupt(() => tell('Stopping. Run the same command again to continue.'));
  const parts = {
    world: liveWorld,
    report: (fault: unknown) => tell(fault instanceof Notice ? fault.message : String(fault)),
    wait: storeWaitOf(config, interrupts.signal),
  };
  const keys = await keysBetween(ofSource, ofTarget, parts);
  const steps = new ShownSteps(liveWorld, { events: SHOWN_EVERY });
  const source = await openEventStore(from, parts);
  try {
    // An empty log next to data is a log whose other files were not moved with it.
    if ((await source.head()) < 0n) throw new Refused(`${shownUrl(from)} has no events: nothing was copied.`);
    await mustBeApart(ofSource, ofTarget);
    const target = await openEventStore(to, { ...parts, inOrder: true });
    try {
      await keys.copy(); // no event is there before its key
      const onProgress = ({ step, events, done }: CopyProgress): void => steps.show(step, 'events', events, done);
      const copied = await copyLog(source, target, { signal: interrupts.signal, onProgress });
      await keys.copy();
      steps.end();
      await keys.check(target, interrupts.signal);
      return { json: asJson(copied, from, to), text: inWords(copied, from, to) };
    } finally {
      await target.close();
    }
  } finally {
    steps.end();
    await source.close();
    interrupts.stop();
  }
}

/** Events between two updates of the display; they come in groups. */
const SHOWN_EVERY = 64;

interface KeysBetween {
  readonly copy: () => Promise<void>;
  /** Throws as checkKeysOfLog, for the log that was copied. */
  readonly check: (target: EventStore, signal: AbortSignal) => Promise<void>;
}

/** Throws Refused if both logs would have one key store. */
async function mustBeApart(source: Config, target: Config): Promise<void> {
  if (await areOneKeyStore(source, target))
    throw new Refused(
      `Both logs would have one key store, ${keyStoreShown(target)}: an erasure in the copy would destroy keys of the original. Name another one for the copy with --to-key-store, and start its service with it as COUNTERFOIL_KEY_STORE.`,
    );
}

async function keysBetween(source: Config, target: Config, parts: StoreParts): Promise<KeysBetween> {
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
