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
import { type Opened, openCounterfoil, reportTo, storeWaitOf, waitForAll } from './open.ts';
import { openEventStore, openReadModels } from './stores.ts';
import { openAgain } from './wait-for-store.ts';

/** The read models themselves, and the log that they are of. */
export interface RepairStores {
  readonly projections: Projections;
  readonly events: EventStore;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** Runs a command's work on existing stores, with or without a running service, and closes them. */
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

/** Opens what is needed for work that only reads the event log: it takes no secret and changes nothing. */
export async function withEventLog<T>(
  options: Flags,
  work: (events: EventStore, world: World) => Promise<T>,
): Promise<T> {
  return withClock(options, ({ events, clock }) => work(events, clock.world));
}

/** Opens what is needed for work on the business clock of a store, which may be in live mode. */
export async function withClock<T>(
  options: Flags,
  work: (of: ClockParts & { readonly clock: BusinessClock }) => Promise<T>,
): Promise<T> {
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
 * Opens what is needed for work on the read models themselves: it takes no secret. It also opens read models that know
 * more than the log, because a rebuild repairs them. `signal`: ends the wait for stores; without it a signal to the
 * process ends both.
 */
export async function withProjections<T>(
  options: Flags,
  work: (of: RepairStores) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const config = configOf(options);
  await mustExist(config);
  const waiting = { world: liveWorld, report: reportTo(lazyLog(config.logLevel)) };
  const { close, ...stores } = await openAgain(waitForAll(config, signal), waiting, () =>
    openRepairStores(config, signal),
  );
  try {
    return await work(stores);
  } finally {
    await close();
  }
}

async function openRepairStores(
  config: Config,
  signal: AbortSignal | undefined,
): Promise<RepairStores & { readonly close: () => Promise<void> }> {
  const clock = new BusinessClock(liveWorld);
  const common = { world: clock.world, report: reportTo(lazyLog(config.logLevel)), wait: storeWaitOf(config, signal) };
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const events = await openEventStore(config.eventStore, common);
    closing.push(() => events.close());
    await clock.look({ events }).catch(common.report);
    const readModels = await openReadModels(config.readModels, common);
    closing.push(() => readModels.close());
    const projections = await openProjections({
      events,
      readModels,
      projections: allProjections,
      foldModule,
      forRepair: true,
      ...common,
    });
    return { projections, events, ...common, close };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** A command must not make an empty store for a mistyped path; a server makes its stores. */
async function mustExist({ eventStore, dataDir }: Config): Promise<void> {
  if (eventStore.kind !== 'sqlite') return;
  const { file } = eventStore;
  await access(file).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw new WrongSettings([`${file} cannot be used: ${fault.message}`]);
    throw new WrongUsage(
      `There is no store in ${dataDir} yet. \`counterfoil serve\` creates one. To use another directory, set --data-dir.`,
    );
  });
}
