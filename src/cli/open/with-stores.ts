// Runs a command's work on existing stores, opened as far as the work needs them, and closes them again.
import { access } from 'node:fs/promises';
import { type Config, type Flags, WrongSettings } from '../../config.ts';
import { BusinessClock, type ClockParts } from '../../journal/business-clock.ts';
import { openProjections, type Projections } from '../../projections/engine/engine.ts';
import { allProjections } from '../../projections/models/all.ts';
import { foldModule } from '../../projections/threads/fold-module.ts';
import type { EventStore } from '../../stores/event-store.ts';
import { liveWorld, type World } from '../../world.ts';
import { configOf } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { lazyLog } from '../log.ts';
import { type Opened, openCounterfoil, reportTo, storeWaitOf } from './open.ts';
import { openEventStore, openReadModels } from './stores.ts';

/** The read models themselves, and the log that they are of. */
export interface RepairStores {
  readonly projections: Projections;
  readonly events: EventStore;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** Runs a command's work on stores that exist, beside a running service or without one, and closes them. */
export async function withService<T>(options: Flags, work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const opened = await openCounterfoil(config, lazyLog(config.logLevel), { forCommand: true });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** The same for work that only reads the event log: it takes no secret and changes nothing. */
export async function withEventLog<T>(options: Flags, work: (events: EventStore, world: World) => Promise<T>): Promise<T> {
  return withClock(options, ({ events, clock }) => work(events, clock.world));
}

/** The same for work on the business clock of a store, which may be one of live mode. */
export async function withClock<T>(options: Flags, work: (of: ClockParts & { readonly clock: BusinessClock }) => Promise<T>): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const clock = new BusinessClock(liveWorld);
  const report = reportTo(lazyLog(config.logLevel));
  const events = await openEventStore(config.eventStore, { world: clock.world, report, wait: storeWaitOf(config) });
  try {
    await clock.look({ events }).catch(report); // a damaged log must open, because the command may look for the damage
    return await work({ events, report, clock });
  } finally {
    await events.close();
  }
}

/**
 * The same for work on the read models themselves: it takes no secret. It also opens read models that know more than the
 * log, because a rebuild is the help for them.
 */
export async function withProjections<T>(options: Flags, work: (of: RepairStores) => Promise<T>): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const clock = new BusinessClock(liveWorld);
  const common = { world: clock.world, report: reportTo(lazyLog(config.logLevel)), wait: storeWaitOf(config) };
  const events = await openEventStore(config.eventStore, common);
  try {
    await clock.look({ events }).catch(common.report);
    const readModels = await openReadModels(config.readModels, common);
    try {
      const projections = await openProjections({
        events,
        readModels,
        projections: allProjections,
        foldModule,
        forRepair: true,
        ...common,
      });
      return await work({ projections, events, ...common });
    } finally {
      await readModels.close();
    }
  } finally {
    await events.close();
  }
}

/** A command must not make an empty store for a mistyped path; a server makes its stores. */
async function mustExist({ eventStore, dataDir }: Config): Promise<void> {
  if (eventStore.kind !== 'sqlite') return;
  const { file } = eventStore;
  await access(file).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw new WrongSettings([`${file} cannot be used: ${fault.message}`]);
    throw new WrongUsage(`There is no store in ${dataDir} yet. \`counterfoil serve\` makes one; --data-dir names another place.`);
  });
}
