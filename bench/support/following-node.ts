// A node that follows the log, does due work and answers no one: prints every 20 ms up to where all its read models
// have followed.

import { lazyLog } from '../../src/cli/log.ts';
import { openCounterfoil } from '../../src/cli/open/open.ts';
import { readConfig } from '../../src/config.ts';

const EVERY_MS = 20;
const [, , dataDir = ''] = process.argv;

const opened = await openCounterfoil(readConfig({ dataDir }, {}), lazyLog('error'));
const { projections } = opened.service;
const ended = new AbortController();
process.once('SIGTERM', () => ended.abort());
const running = opened.service.run(ended.signal);
while (!ended.signal.aborted) {
  const reached = Math.min(...projections.names.map((name) => Number(projections.followedTo(name))));
  const { user, system } = process.cpuUsage();
  process.stdout.write(`Followed ${JSON.stringify({ at: Date.now(), reached, cpuMs: (user + system) / 1_000 })}\n`);
  await opened.world.sleep(EVERY_MS, ended.signal).catch(() => undefined);
}
await running;
await opened.close();
