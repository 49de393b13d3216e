// The work of counterfoil doctor: whether the settings fit the machine and the network around it, and whether each
// store can be used as requests use it.
import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../app-error.ts';
import { type Config, readConfig, unknownVariables } from '../../config.ts';
import { NotBuilt } from '../../projections/engine/generations/write-copies.ts';
import { isUnavailable, useOf } from '../../projections/engine/health/used-read-models.ts';
import { allProjections } from '../../projections/models/all.ts';
import type { EventStore } from '../../stores/event-store.ts';
import { damageInWords, logDamage } from '../../stores/sqlite/log-damage.ts';
import { liveWorld, newUuid, type World } from '../../world.ts';
import type { CommonOptions, StoreFlags } from '../command.ts';
import { explain } from '../exit.ts';
import { checkKeysHere, type RepairStores, withEventLog, withProjections } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import { table } from '../table.ts';
import { staleRules } from './checks.ts';
import { clocksOf, type Examining, examine, notConservedIn, orFault } from './examine.ts';

export async function doctor(given: CommonOptions): Promise<CommandResult> {
  const config = readConfig(given, process.env);
  const { signal } = new AbortController();
  const checks = await Promise.all(
    examine(config, { ...(await examiningStores(config, given)), patienceMs: 0, signal }),
  );
  const data = checks.flatMap(({ check, isFine, sentences }) => sentences.map((says) => ({ check, ok: isFine, says })));
  return {
    json: { data },
    text: table(
      ['check', 'ok', 'finding'],
      data.map(({ check, ok, says }) => [check, ok ? 'yes' : 'no', says]),
    ),
    warnings: [
      ...unknownVariables(process.env).map((variable) => `${variable} is not a setting; it is ignored.`),
      ...staleRules(liveWorld.now()),
    ],
    isRefused: data.some(({ ok }) => !ok),
  };
}

/** What the stores show; a service that was never started has none yet. */
async function examiningStores(
  config: Config,
  options: CommonOptions,
): Promise<Pick<Examining, 'clocks' | 'unusable' | 'damage' | 'keys' | 'notConserved'>> {
  const machine = { now: liveWorld.now(), machineNow: liveWorld.now(), newest: undefined };
  const { eventStore } = config;
  if (eventStore.kind === 'sqlite' && !(await exists(eventStore.file)))
    return { clocks: async () => machine, keys: async () => 'none', notConserved: async () => undefined };
  const sentence = (fault: unknown): string => explain(fault).message ?? String(fault);
  return {
    unusable: async () => unusableStores(config, options, sentence),
    ...(eventStore.kind === 'sqlite' && {
      damage: () =>
        logDamage(eventStore.file).then((found) => (found.length === 0 ? undefined : damageInWords(found)), sentence),
    }),
    clocks: () =>
      withEventLog(options, clocksOf).catch((fault: unknown) => ({
        ...machine,
        unread: sentence(fault),
      })),
    keys: () =>
      orFault(
        withEventLog(options, (events, world) =>
          checkKeysHere(config, events, world, { everyKey: true, everyEvent: true }),
        ),
      ),
    notConserved: () =>
      withProjections(options, ({ projections }) => notConservedIn(projections.readModels), { onlyLooks: true }).catch(
        () => undefined,
      ),
  };
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** A sentence for each store that requests could not use, by `inWords` for faults. */
async function unusableStores(
  config: Config,
  options: StoreFlags,
  inWords: (fault: unknown) => string,
): Promise<readonly string[]> {
  const foreign = await filesOfOthers(config);
  const log = await withEventLog(options, appendNothing).then(
    () => [],
    (fault: unknown) => [inWords(fault)],
  );
  const models = await withProjections(options, (stores) => unusableModels(stores, inWords), {
    onlyLooks: true,
  }).catch((fault: unknown) => [inWords(fault)]);
  return [...new Set([...foreign, ...log, ...models])];
}

/** An append that no stream can take is refused by what would have written it. */
async function appendNothing(events: EventStore, world: World): Promise<void> {
  const event = { id: newUuid(world), type: 'Nothing', data: '{}', metadata: '{}' };
  const appended = await events.append(`doctor-${newUuid(world)}`, 0, [event]);
  if (appended !== 'conflict') throw new AppError('NotAnEventStore', 'The event store takes events at any revision.');
}

async function unusableModels(
  { projections: { readModels } }: Pick<RepairStores, 'projections'>,
  inWords: (fault: unknown) => string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, open } of allProjections)
    await open((of) => useOf(readModels, of)).catch((fault: unknown) => {
      if (fault instanceof NotBuilt) return; // the next start builds it
      if (!isUnavailable(fault)) throw fault;
      found.push(`${name} can be neither read nor written: ${inWords(fault)}`);
    });
  return found;
}

/** Of these many are named. */
const NAMED = 3;

/** The service runs as the owner of its directory; this command may not. */
async function filesOfOthers({ dataDir }: Config): Promise<readonly string[]> {
  const directory = await stat(dataDir).catch(() => undefined);
  if (directory === undefined || directory.uid === 0) return [];
  const names = await readdir(dataDir);
  const owners = await Promise.all(
    names.map(async (name) => ({ name, uid: (await stat(join(dataDir, name)).catch(() => directory)).uid })),
  );
  const foreign = owners.filter(({ uid }) => uid !== directory.uid).map(({ name }) => name);
  if (foreign.length === 0) return [];
  const more = foreign.length > NAMED ? ` and ${foreign.length - NAMED} more` : '';
  return [
    `${foreign.slice(0, NAMED).join(', ')}${more} in ${dataDir} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user than the directory, whose service cannot open them: chown -R ${directory.uid} ${dataDir}.`,
  ];
}
