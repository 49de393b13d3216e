// Appends payments to an embedded log at a rate, as several nodes on one store do together. Their documents are written
// first: the node that appends writes them, so the one that follows finds them there. Prints where the log ended at
// which time.
import { setTimeout as pause } from 'node:timers/promises';
import { openProjections } from '../../src/projections/engine/engine.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { liveWorld } from '../../src/world.ts';
import { type ReadyPayment, readyPayment, STEPS, writeDocuments } from './ready-payments.ts';

/** One commit each. */
const TURN_MS = 10;
/** The turns between two steps of a payment. */
const TURNS_APART = 5;
/** Payments that begin in one turn, at most. */
const BEGUN_A_TURN = 500;

const [, , dataDir = '', accountId = '', count = '', perSecond = ''] = process.argv;
const parts = { world: liveWorld, report: (fault: unknown) => console.error(fault), projections: allProjections };
const events = await openSqliteEventStore({ ...parts, file: `${dataDir}/events.db` });
const readModels = await openSqliteReadModels({ ...parts, file: `${dataDir}/read-models.db` });
const projections = await openProjections({ ...parts, events, readModels });

const ready = Array.from({ length: Number(count) }, () => readyPayment(accountId));
await writeDocuments(projections.readModels, ready);

/** In ms since the epoch. */
const marks: (readonly [at: number, head: number])[] = [[Date.now(), Number(await events.head())]];
const turns: (readonly ReadyPayment[])[] = [];
const areUnderWay = (): boolean => turns.slice(-STEPS * TURNS_APART).some(({ length }) => length > 0);
const startedAt = performance.now();
for (let begun = 0, turn = 0; begun < ready.length || areUnderWay(); turn += 1) {
  const due = Math.ceil(((performance.now() - startedAt) * Number(perSecond)) / 1_000 + 1);
  const some = ready.slice(begun, Math.min(due, begun + BEGUN_A_TURN));
  turns.push(some);
  begun += some.length;
  const appends = Array.from(
    { length: STEPS },
    (_, step) => turns[turn - step * TURNS_APART]?.flatMap(({ steps }) => steps[step] ?? []) ?? [],
  ).flat();
  if (appends.length > 0) {
    if ((await events.appendAll?.(appends)) !== 'written') throw new Error('a payment exists already');
    const [, head] = marks.at(-1) ?? [0, -1];
    marks.push([Date.now(), head + appends.reduce((sum, { events: its }) => sum + its.length, 0)]);
  }
  await pause(Math.max(0, startedAt + (turn + 1) * TURN_MS - performance.now()));
}
process.stdout.write(`Appended ${JSON.stringify(marks)}\n`);
await readModels.close();
await events.close();
