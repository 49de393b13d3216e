// A process that rebuilds in threads, prints the step that it is told to wait at, and is killed there.
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { openEngine, sharedDirectory } from '../setup.ts';

const [directory = '', at = ''] = process.argv.slice(2);

const { projections } = await openEngine(directory, {
  ...sharedDirectory,
  spread: { from: 0, threads: 2 },
  foldModule: { url: besides('./ledger-fold-handler', import.meta.url) },
});
const onProgress = ({ step }: { readonly step: string }): void => {
  if (step !== at) return;
  console.log(step);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // its threads go on until it is killed
};
await projections.rebuild('ledgers', { onProgress });
