// The checks of counterfoil doctor at a start: a warning in the log for each thing that they find, beside the service's work.
import type { Opened } from '../open/open.ts';
import { clocksOf, examine } from './examine.ts';

/** A proxy in front sends requests to a node only when it has been ready for some seconds. */
const PATIENCE_MS = 30_000;

/** Never rejects. */
export async function warnOfFindings({ config, log, events, world, report }: Opened, signal: AbortSignal): Promise<void> {
  const checks = examine(config, { clocks: () => clocksOf(events, world), patienceMs: PATIENCE_MS, signal });
  const warned = checks.map(async (check) => {
    const { isFine, sentences } = await check;
    if (!isFine) for (const sentence of sentences) log.warn(sentence);
  });
  await Promise.all(warned).catch((fault: unknown) => signal.aborted || report(fault));
}
