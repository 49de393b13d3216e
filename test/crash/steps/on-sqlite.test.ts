// kill -9 between any two steps of authorizations and refunds, on SQLite files.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killedAtEveryStep } from './killed-at-every-step.ts';

killedAtEveryStep('SQLite', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'counterfoil-steps-'));
  return { retriesAtAStep: 'all', at: { dir }, close: () => rm(dir, { recursive: true }) };
});
