// A separate process for the engine's tests: a node that writes and reads its own writes, or a rebuild that a test
// kills.

import { accept } from '../../../src/domain/decider.ts';
import { Streams } from '../../../src/journal/streams.ts';
import { transact } from '../../../src/journal/transact.ts';
import { liveWorld, newId } from '../../../src/world.ts';
import { ledger, ledgers, opened, paid } from './ledger.ts';
import { openEngine, sharedDirectory, timings } from './setup.ts';

const [what = '', directory = ''] = process.argv.slice(2);

/** The rebuilder beside it may be paused, and is not over for that. */
const patient = { ...timings, ...sharedDirectory.timings, abandonedMs: 60_000 };
/** However slow the disk is, so many writes are made. */
const FEWEST_WRITES = 21;

/**
 * Writes until stdin ends; prints `<acknowledged> <lost>`: lost are own writes that a read after the acknowledgement
 * did not show.
 */
async function write(): Promise<void> {
  const { events, projections, faults, run, close } = await openEngine(directory, {
    ...sharedDirectory,
    timings: patient,
  });
  run();
  const streams = new Streams(
    ledger,
    { events, world: liveWorld, report: (fault) => faults.push(fault) },
    projections.onFolded(ledgers),
  );
  let isOver = false;
  process.stdin.resume();
  process.stdin.once('end', () => {
    isOver = true;
  });
  const counts = { acknowledged: 0, lost: 0 };
  const writer = async (name: string): Promise<void> => {
    const ids = Array.from({ length: 5 }, (_, n) => `${name}-${process.pid}-${n}`);
    for (let turn = 0; !isOver || counts.acknowledged < FEWEST_WRITES; turn += 1) {
      const id = ids[turn % ids.length] ?? name;
      const operationId = newId(liveWorld, 'op');
      const context = {
        accountId: 'acc_1',
        actor: { kind: 'operator', id: 'test' },
        at: liveWorld.now(),
        correlationId: 'req',
        operationId,
      } as const;
      const done = await transact(streams, id, context, (state) =>
        state.owner === '' ? accept(opened('ann')) : accept(paid(1)),
      );
      if (done.kind !== 'written') throw new Error(done.kind);
      counts.acknowledged += 1;
      const [row] = await projections.readModels.get(ledgers, [id]);
      if ((row?.revision ?? -1) < done.folded.head.revision) counts.lost += 1;
    }
  };
  console.log('writing');
  await Promise.all(['x', 'y', 'z'].map(writer));
  await close();
  for (const fault of faults) console.error(fault);
  console.log(`${counts.acknowledged} ${counts.lost} ${faults.length}`);
}

/** Rebuilds again and again, until it is killed. */
async function rebuild(): Promise<void> {
  const { projections } = await openEngine(directory, sharedDirectory);
  console.log('rebuilding');
  for (;;) await projections.rebuild('ledgers');
}

await (what === 'write' ? write() : rebuild());
