// A process that opens a database while it may open 0, 1, … more files, until it can. It prints the message of each
// fault.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';

const [file = ''] = process.argv.slice(2);
const open = () => openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 });
(await open()).close(); // SQLite's module is loaded, and the file exists

const taken: number[] = [];
try {
  for (;;) taken.push(openSync(devNull, 'r'));
} catch {}
const faults: string[] = [];
for (let isOpen = false; !isOpen; ) {
  try {
    (await open()).close();
    isOpen = true;
  } catch (fault) {
    faults.push(fault instanceof Error ? fault.message : String(fault));
    closeSync(taken.pop() ?? Number.NaN);
  }
}
for (const descriptor of taken) closeSync(descriptor);
console.log(faults.join('\n'));
