// kill -9 of a process that records a checkpoint: the next one finishes it, and no hour has two.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { z } from 'zod';
import { readOwnCheckpoints } from '../../src/audit/own-checkpoints.ts';
import type { Checkpoint } from '../../src/verify/format.ts';
import { createSession } from '../support/load-calls.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;
/** The log is read in more than one page: the first has 32 events. */
const SESSIONS = 40;
const Verified = z.looseObject({
  broken: z.int(),
  ownCheckpoints: z.looseObject({ held: z.int(), failed: z.int(), ofOtherKeys: z.int() }),
});

describe('kill -9 of a process that records a checkpoint', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  before(async () => {
    const { serving, client } = await directory.serve();
    for (let n = 0; n < SESSIONS; n += 1) await createSession(client);
    await serving.end('SIGTERM');
    client.close();
  });
  after(() => directory.remove());

  /** What it printed; undefined if it was killed. */
  async function record(killedAt = ''): Promise<boolean | undefined> {
    const script = scriptBeside('./checkpoint-child', import.meta.url);
    const child = spawn(process.execPath, nodeArguments(script, directory.dir, String(HOUR), killedAt), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const [code, signal] = await once(child, 'close');
    if (signal === 'SIGKILL') return undefined;
    expect(code).to.equal(0);
    return z.boolean().parse(JSON.parse(printed));
  }

  async function recorded(): Promise<readonly Checkpoint[]> {
    const events = await directory.events();
    return readOwnCheckpoints(events).finally(() => events.close());
  }

  async function expectWhole(held: number): Promise<void> {
    const { broken, ownCheckpoints } = Verified.parse(await place.json('audit verify'));
    expect(broken).to.equal(0);
    expect(ownCheckpoints).to.include({ held, failed: 0, ofOtherKeys: 0 });
  }

  it('leaves none or one, whole, wherever it was killed; the next process has nothing else to do', async () => {
    let held = 0;
    for (const killedAt of ['reading', 'appending', 'appended']) {
      await place.json('sandbox clock advance 60m');
      expect(await record(killedAt), killedAt).to.equal(undefined);
      const isRecorded = killedAt === 'appended';
      await expectWhole(held + Number(isRecorded));
      expect(await record(), `after ${killedAt}`).to.equal(!isRecorded);
      expect(await record(), 'within the hour').to.equal(false);
      held += 1;
      await expectWhole(held);
    }
  });

  it('is made good by a service that starts: one for the hour, and none of a size that has one', async () => {
    const before = await recorded();
    await place.json('sandbox clock advance 60m');
    expect(await record('appending')).to.equal(undefined);
    const { serving, client } = await directory.serve();
    await until(async () => (await recorded()).length > before.length);
    await createSession(client);
    await serving.end('SIGTERM');
    client.close();
    expect(errorsIn(serving.stderr())).to.deep.equal([]);
    const after = await recorded();
    expect(after).to.have.length(before.length + 1);
    expect(new Set(after.map(({ treeSize }) => treeSize)).size).to.equal(after.length);
    const times = after.map(({ madeAt }) => Date.parse(madeAt));
    for (const [n, at] of times.slice(1).entries()) expect(at - (times[n] ?? 0)).to.be.at.least(HOUR);
    await expectWhole(after.length);
    expect(await record(), 'within the hour').to.equal(false);
  });
});
