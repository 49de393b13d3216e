// This checkout against an older one, in turn: CPU time of a PATCH without and with personal data, a GET, a payment, a
// refund, a payment with its deliveries, and a simulated payment. And a charge of an agreement against a payment with
// the same saved card and a key.
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Bench, type Row, rowOf } from './row.ts';
import { firstOf, quiet } from './support/data-directory.ts';
import type { Load } from './support/load.ts';
import { measured, median, sessionPatches } from './support/patches.ts';
import { callsPerSecond, newPayment, paymentsPerSecond } from './support/payments.ts';
import { AS_STARTED, end, LOAD_CORE, lineOf, pinned, SERVER_CORE, unpinned } from './support/pinned.ts';
import { type Rounds, rounds } from './support/rounds.ts';
import { temporary } from './support/temporary.ts';

/** A folder with an older checkout that is built, or a revision of git, which is checked out and built first. */
const OLDER = process.env['BENCH_LAST'] ?? newestVersion();
const CONNECTIONS = 64;
const ROUNDS = Number(process.env['BENCH_LAST_ROUNDS'] ?? 8);
const ROUND_MS = 3_000;
/** V8 compiles for half a minute while payments come, ms. */
const WARM_MS = 20_000;
const SIMULATED = 2_000;
const SIMULATIONS = 3;
/** No call may cost more than this share of what it cost. */
const REACH = { atMost: 1.05 };
/** The reach of a charge, whose period is claimed besides. */
const CHARGE_REACH = { atMost: 1.4 };

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const root = here('..');
const onLoadCore = (args: readonly string[]): ChildProcess => pinned(LOAD_CORE, args);
const git = (...args: readonly string[]): string =>
  execFileSync('git', [...args], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

interface Side {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string;
  readonly accountId: string;
  readonly main: string;
  readonly dataDir: string;
}

export const bench: Bench = async () => {
  const directory = await temporary();
  const older = await checkedOut(directory);
  const receiver = pinned(LOAD_CORE, ['--import', 'tsx', here('support/receiver-server.ts')]);
  const sides: Side[] = [];
  try {
    for (const [name, folder] of Object.entries({ newer: root, older }))
      sides.push(await opened(join(directory, name), folder));
    const receiverUrl = await lineOf(receiver, /^Listening on (\S+)/);
    const rows = [
      ...(await callsOf(directory, sides)),
      await chargesOf(sides),
      await withDeliveries(sides, receiverUrl),
    ];
    await Promise.all(sides.map(({ child }) => end(child)));
    return [...rows, await simulated([root, older])];
  } finally {
    await Promise.all([...sides.map(({ child }) => end(child)), end(receiver)]);
    if (older !== OLDER) git('worktree', 'remove', '--force', older);
    await rm(directory, { recursive: true });
  }
};

/** The newest version that has a tag; without tags the commit before this one. */
function newestVersion(): string {
  const tags = spawnSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], { cwd: root, encoding: 'utf8' });
  return tags.status === 0 ? tags.stdout.trim() : 'HEAD^';
}

async function checkedOut(directory: string): Promise<string> {
  if (existsSync(join(OLDER, 'dist'))) return OLDER;
  const folder = join(directory, 'checkout');
  process.stderr.write(`  ${OLDER} is checked out and built\n`);
  git('worktree', 'add', '--detach', folder, OLDER);
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'ignore' });
  return folder;
}

async function opened(dataDir: string, folder: string): Promise<Side> {
  const main = join(folder, 'dist/cli/main.js');
  const child = pinned(
    SERVER_CORE,
    [...AS_STARTED, main, 'serve', '--json', '--port', '0', '--data-dir', dataDir],
    quiet,
  );
  return { ...(await firstOf(child)), child, main, dataDir };
}

/** The loads of one side, and what its rounds cost. */
interface CallLoads {
  readonly side: Side;
  readonly patch: Load;
  readonly personal: Load;
  readonly get: Load;
  readonly patched: Rounds;
  readonly changed: Rounds;
  readonly read: Rounds;
  readonly paid: Rounds;
  readonly refunded: Rounds;
}

async function callsOf(directory: string, sides: readonly Side[]): Promise<readonly Row[]> {
  const loads: CallLoads[] = [];
  for (const side of sides) {
    const { url, key, child } = side;
    const patch = { ...(await sessionPatches(url, key, CONNECTIONS)), ms: ROUND_MS };
    const personal = { ...(await sessionPatches(url, key, CONNECTIONS, { personal: true })), ms: ROUND_MS };
    const call = { method: 'GET', path: `/payments/${await newPayment(url, key)}`, headers: { 'X-Api-Key': key } };
    const get = { ...patch, connections: patch.connections.map(() => [call]) };
    await measured(directory, patch, onLoadCore);
    await paymentsPerSecond(side, WARM_MS, onLoadCore);
    await callsPerSecond('refunds', side, onLoadCore);
    const counted = (): Rounds => rounds(child, ROUND_MS);
    loads.push({
      side,
      patch,
      personal,
      get,
      patched: counted(),
      changed: counted(),
      read: counted(),
      paid: counted(),
      refunded: rounds(child, Number.POSITIVE_INFINITY),
    });
  }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { side, patch, personal, get, patched, changed, read, paid, refunded } of inTurn(loads, round)) {
      await patched.one(() => measured(directory, patch, onLoadCore));
      await changed.one(() => measured(directory, personal, onLoadCore));
      await read.one(() => measured(directory, get, onLoadCore));
      await paid.one(() => paymentsPerSecond(side, ROUND_MS, onLoadCore));
      await refunded.one((begin) => callsPerSecond('refunds', side, onLoadCore, begin));
    }
  const row = (what: string, of: (load: CallLoads) => Rounds): Row => cpuRow(what, loads.map(of));
  return [
    row('PATCH /client-session', ({ patched }) => patched),
    row('PATCH /client-session with a customer', ({ changed }) => changed),
    row('GET /payments/{id}', ({ read }) => read),
    row('a complete payment (4 calls)', ({ paid }) => paid),
    row('POST /payments/{id}/refund', ({ refunded }) => refunded),
  ];
}

async function chargesOf([side]: readonly Side[]): Promise<Row> {
  if (side === undefined) throw new TypeError('there is a side');
  const [charged, paid] = [rounds(side.child, Number.POSITIVE_INFINITY), rounds(side.child, Number.POSITIVE_INFINITY)];
  const one = (of: Rounds, load: 'charges' | 'saved') =>
    of.one((begin) => callsPerSecond(load, side, onLoadCore, begin));
  await callsPerSecond('charges', side, onLoadCore);
  for (let round = 0; round < ROUNDS; round += 1) {
    await one(charged, 'charges');
    await one(paid, 'saved');
  }
  const what = 'a charge of an agreement, against a saved card and a key';
  return rowOf(what, charged.cpuMicros(), paid.cpuMicros(), CHARGE_REACH, 'µs');
}

async function withDeliveries(sides: readonly Side[], receiverUrl: string): Promise<Row> {
  const loads: { readonly side: Side; readonly paid: Rounds }[] = [];
  for (const side of sides) {
    const { main, accountId, dataDir, child } = side;
    const add = ['webhooks', 'endpoints', 'add', '--url', receiverUrl, '--account', accountId, '--data-dir', dataDir];
    await once(unpinned([main, ...add], quiet), 'exit');
    await paymentsPerSecond(side, ROUND_MS, onLoadCore);
    await delivered(receiverUrl);
    loads.push({ side, paid: rounds(child, ROUND_MS) });
  }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { side, paid } of inTurn(loads, round))
      await paid.one(async () => {
        const rate = await paymentsPerSecond(side, ROUND_MS, onLoadCore);
        await delivered(receiverUrl);
        return rate;
      });
  return cpuRow(
    'a complete payment with its deliveries',
    loads.map(({ paid }) => paid),
  );
}

/** Resolves when the receiver has been sent nothing for a second. */
async function delivered(receiverUrl: string): Promise<void> {
  const received = async (): Promise<number> => Number(await (await fetch(receiverUrl)).text());
  for (let before = -1, now = await received(); before !== now; ) {
    await pause(1_000);
    [before, now] = [now, await received()];
  }
}

async function simulated(folders: readonly string[]): Promise<Row> {
  for (const folder of folders)
    execFileSync('npx', ['tsc', '-p', 'tsconfig.simulation.json'], { cwd: folder, stdio: 'inherit' });
  const costs = folders.map((folder): { readonly folder: string; readonly ms: number[] } => ({ folder, ms: [] }));
  for (let round = 0; round < SIMULATIONS; round += 1)
    for (const { folder, ms } of inTurn(costs, round)) {
      const script = join(folder, 'dist/simulation/test/simulation/simulate.js');
      const run = pinned(SERVER_CORE, [
        '--max-semi-space-size=256',
        script,
        '--seed',
        'last',
        '--payments',
        String(SIMULATED),
        '--cores',
        '1',
      ]);
      ms.push(Number(await lineOf(run, /([\d.]+) ms of CPU each/)));
      await end(run);
    }
  const [newer = Number.NaN, older = Number.NaN] = costs.map(({ ms }) => 1_000 * median(ms));
  return rowOf('a simulated payment', newer, older, REACH, 'µs');
}

/** Neither side is always the first. */
const inTurn = <T>(sides: readonly T[], round: number): readonly T[] => (round % 2 === 0 ? sides : sides.toReversed());

function cpuRow(what: string, [newer, older]: readonly Rounds[]): Row {
  return rowOf(what, newer?.cpuMicros() ?? Number.NaN, older?.cpuMicros() ?? Number.NaN, REACH, 'µs');
}
