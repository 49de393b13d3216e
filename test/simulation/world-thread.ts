// A thread that runs one world after another: it gets a world's seed and size, and sends back the outcome.
import { parentPort, workerData } from 'node:worker_threads';
import { planOf } from './plan.ts';
import { run } from './run.ts';
import { SOUND } from './variant.ts';
import { VARIANTS } from './variants.ts';
import { END, type WantedWorld } from './worlds.ts';

/** Without stacks, which would cost too much at thousands of refusals a second. A replay of the seed has them. */
Error.stackTraceLimit = 0;

/** The thread is told a variant by its name, because functions cannot be sent to a thread. */
const variant = VARIANTS.find(({ name }) => name === workerData) ?? SOUND;
const port = parentPort;
if (port === null) throw new TypeError('world-thread.ts runs as a worker thread of worlds.ts');
port.on('message', (wanted: WantedWorld | typeof END) => {
  if (wanted === END) process.exit(); // from within: between two calls of SQLite
  const { seed, payments, kind } = wanted;
  run(planOf(seed, payments, kind), { variant }).then(
    (outcome) => port.postMessage(outcome),
    // A fault of the simulator itself: it ends the thread, and so the whole simulation.
    (fault: unknown) => setImmediate(() => Promise.reject(fault)),
  );
});
