// counterfoil doctor: whether the settings fit the machine and the network around it; exits 1 when a check found
// something.
import { access } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Config, unknownVariables } from '../../config.ts';
import { ALL_SETTINGS, type CommonOptions, configOf, declare } from '../command.ts';
import { EXIT, explain } from '../exit.ts';
import { print, tell } from '../output.ts';
import { table } from '../table.ts';
import type { Examining } from './examine.ts';

export function doctor(parent: Command): void {
  declare(parent, {
    usage: 'doctor',
    summary:
      'Compare the settings with the machine, its network and the stores: public URL, proxies, memory, TLS, open files, data directory, clock, stores, log, keys, conservation, retention',
    examples: ['doctor', 'doctor --public-url https://pay.example --json'],
    rules: [
      'Checks from the machine and as the user that run it, and exits 1 if a check found something. Each start does the same and logs a warning for each finding, except for the log and the reading of every key.',
    ],
    json: '{data: [{check, ok, says}]} with publicUrl, trustedProxies, memory, tls, openFiles, dataDir, clock, log, keys, conservation, retention',
    settings: ALL_SETTINGS,
    appends: false,
  }).action(show);
}

async function show(options: CommonOptions): Promise<void> {
  const config = configOf(options);
  const { examine } = await import('./examine.ts');
  const { signal } = new AbortController();
  const checks = await Promise.all(
    examine(config, { ...(await examiningStores(config, options)), patienceMs: 0, signal }),
  );
  const rows = checks.flatMap(({ check, isFine, sentences }) => sentences.map((says) => ({ check, ok: isFine, says })));
  const text = table(
    ['check', 'ok', 'says'],
    rows.map(({ check, ok, says }) => [check, ok ? 'yes' : 'no', says]),
  );
  print({ json: { data: rows }, text }, options);
  for (const variable of unknownVariables(process.env)) tell(`${variable} is not a setting; it is ignored.`);
  if (rows.some(({ ok }) => !ok)) process.exitCode = EXIT.refused;
}

/** What the stores show; a service that was never started has none yet. */
async function examiningStores(
  config: Config,
  options: CommonOptions,
): Promise<Pick<Examining, 'clocks' | 'unusable' | 'damage' | 'keys' | 'notConserved'>> {
  const { clocksOf, notConservedIn, orFault } = await import('./examine.ts');
  const { liveWorld } = await import('../../world.ts');
  const machine = { now: liveWorld.now(), machineNow: liveWorld.now(), newest: undefined };
  const { eventStore } = config;
  if (eventStore.kind === 'sqlite' && !(await exists(eventStore.file)))
    return { clocks: async () => machine, keys: async () => 'none', notConserved: async () => undefined };
  const { checkKeysHere, withEventLog, withProjections } = await import('../open/with-stores.ts');
  const { damageInWords, logDamage } = await import('../../stores/sqlite/log-damage.ts');
  const sentence = (fault: unknown): string => explain(fault).message ?? String(fault);
  return {
    unusable: async () => (await import('./use-stores.ts')).unusableStores(config, options, sentence),
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
