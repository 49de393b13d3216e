// The one place that makes adapters of the configuration, and closes them again.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Notice } from '../app-error.ts';
import { type Config, type Flags, WrongSettings } from '../config.ts';
import type { Processor } from '../processors/processor.ts';
import { openSandbox, type Sandbox } from '../processors/sandbox/sandbox.ts';
import { allProjections } from '../projections/all.ts';
import { openProjections, type Projections } from '../projections/engine/engine.ts';
import { Secrets } from '../secrets.ts';
import { openService, type Service } from '../service.ts';
import type { EventStore } from '../stores/event-store.ts';
import { openMemoryEventStore } from '../stores/memory/event-store.ts';
import { memoryReadModels } from '../stores/memory/read-models.ts';
import type { ReadModelStore } from '../stores/read-models.ts';
import { openSqliteEventStore } from '../stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../stores/sqlite/read-models.ts';
import { liveWorld, type World } from '../world.ts';
import { configOf } from './command.ts';
import { WrongUsage } from './exit.ts';
import { type Log, lazyLog } from './log.ts';
import { loadSecrets } from './secrets.ts';

/** The service on its stores, doing nothing yet. */
export interface Opened {
  readonly config: Config;
  readonly log: Log;
  readonly world: World;
  readonly service: Service;
  /** In test mode only. */
  readonly sandbox: Sandbox | undefined;
  close(): Promise<void>;
}

/** Faults that no caller can act on, and notices, in the log. */
export const reportTo =
  (log: Pick<Log, 'warn' | 'error'>) =>
  (fault: unknown): void => {
    if (fault instanceof Notice) log.warn(fault.message);
    else log.error({ err: fault }, 'fault');
  };

/** Opens what the configuration names and makes what is missing. Throws WrongSettings, StoreUnavailable, AppError WrongMode and WrongSecret. */
export async function openCounterfoil(config: Config, log: Log): Promise<Opened> {
  const { eventFile, readModelFile, dataDir } = config;
  const secrets = new Secrets(await loadSecrets(config, liveWorld, (warning) => log.warn(warning)));
  return assemble(config, log, secrets, {
    events: (common) => openSqliteEventStore({ file: eventFile, ...common }),
    readModels: (common) => openSqliteReadModels({ file: readModelFile, ...common }),
    sandboxFile: join(dataDir, 'sandbox.db'),
  });
}

/** The same with everything in this process, on a secret of its own: nothing is read and nothing stays. */
export function openInMemory(config: Config, log: Log): Promise<Opened> {
  const secrets = new Secrets([Buffer.from(liveWorld.randomBytes(32))]);
  return assemble(config, log, secrets, { events: openMemoryEventStore, readModels: memoryReadModels, sandboxFile: 'memory' });
}

interface Common {
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

interface Parts {
  readonly events: (common: Common) => EventStore | Promise<EventStore>;
  readonly readModels: (common: Common) => ReadModelStore | Promise<ReadModelStore>;
  /** As openSandbox takes it. */
  readonly sandboxFile: string;
}

async function assemble(config: Config, log: Log, secrets: Secrets, parts: Parts): Promise<Opened> {
  const { mode, rateLimit } = config;
  const common = { world: liveWorld, report: reportTo(log) };
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one().catch(common.report);
  };
  try {
    const events = await parts.events(common);
    closing.push(() => events.close());
    const readModels = await parts.readModels(common);
    closing.push(() => readModels.close());
    const sandbox =
      mode === 'test' ? await openSandbox({ file: parts.sandboxFile, secrets: secrets.keys('sandbox-signature'), ...common }) : undefined;
    if (sandbox !== undefined) closing.push(() => sandbox.close());
    const processors = new Map<string, Processor>(sandbox === undefined ? [] : [[sandbox.name, sandbox]]);
    const cardTestingLimits = rateLimit > 0;
    const service = await openService({ events, readModels, processors, ...common }, { mode, secrets, cardTestingLimits });
    return { config, log, world: common.world, service, sandbox, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** Runs a command's work on stores that exist, beside a running service or without one, and closes them. */
export async function withService<T>(options: Flags, work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const opened = await openCounterfoil(config, lazyLog(config.logLevel));
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** The same for work that only reads the event log: it takes no secret and changes nothing. */
export async function withEventLog<T>(options: Flags, work: (events: EventStore, world: World) => Promise<T>): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const events = await openSqliteEventStore({ file: config.eventFile, world: liveWorld, report: reportTo(lazyLog(config.logLevel)) });
  try {
    return await work(events, liveWorld);
  } finally {
    await events.close();
  }
}

/**
 * The same for work on the read models themselves: it takes no secret, and opens them also when they know more than the
 * log, because rebuilding them is what helps then.
 */
export async function withProjections<T>(options: Flags, work: (projections: Projections, world: World) => Promise<T>): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const common = { world: liveWorld, report: reportTo(lazyLog(config.logLevel)) };
  const events = await openSqliteEventStore({ file: config.eventFile, ...common });
  try {
    const readModels = await openSqliteReadModels({ file: config.readModelFile, ...common });
    try {
      return await work(
        await openProjections({ events, readModels, projections: allProjections, forRepair: true, ...common }),
        common.world,
      );
    } finally {
      await readModels.close();
    }
  } finally {
    await events.close();
  }
}

/** A command must not make an empty store where somebody mistyped a path. */
async function mustExist({ eventFile, dataDir }: Config): Promise<void> {
  await access(eventFile).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw new WrongSettings([`${eventFile} cannot be used: ${fault.message}`]);
    throw new WrongUsage(`There is no store in ${dataDir} yet. \`counterfoil serve\` makes one; --data-dir names another place.`);
  });
}
