#!/usr/bin/env node
// The command line: runs the command that was typed, and turns its faults into a message and an exit code.
import { endBy } from './exit.ts';
import { endLogs } from './log.ts';
import { onBrokenOutput, untilTaken } from './output.ts';

onBrokenOutput();
try {
  await giveWay(process.argv.slice(2));
  const { program } = await import('./program.ts'); // in here: loading it opens files, and may be refused them
  await program().parseAsync(process.argv);
} catch (fault) {
  endBy(fault, process.argv);
}
await endLogs();
await untilTaken();
// Nothing else is waited for: a processor's call that was cut off may still hold a timer, and the reader of stderr may
// have stopped.
process.exit();

/**
 * Lowers the priority of the process where its command is such work. The words are those of the command line, without
 * program and script.
 */
async function giveWay([group, command]: readonly string[]): Promise<void> {
  if (group !== 'backup' && !(group === 'projections' && command === 'rebuild')) return;
  // no other command loads it for this
  const { lowerProcessPriority } = await import('../stores/sqlite/file/priority.ts');
  lowerProcessPriority();
}
