// A running service records a checkpoint each hour; `audit verify` holds the log against them without a file.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { Secrets } from '../../src/secrets.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { alterLog } from '../support/altered-log.ts';
import { calmWorld } from '../support/calm-world.ts';
import { forged, logOf, writeLog } from '../support/forged-log.ts';
import { until } from '../support/until.ts';
import { firstKeyIn, Place } from './processes.ts';

const Paid = z.looseObject({ paymentId: z.string() });
const Listed = z.object({ data: z.array(z.looseObject({ treeSize: z.number(), madeAt: z.string() })) });
const Verified = z.looseObject({
  events: z.number(),
  ownCheckpoints: z.object({
    held: z.number(),
    ofOtherKeys: z.number(),
    failed: z.number(),
    newest: z.object({ treeSize: z.number(), madeAt: z.string() }).nullable(),
    firstFailed: z.looseObject({ treeSize: z.number(), fault: z.string() }).nullable(),
  }),
});

/** Moves the files of a log, in place of others. */
async function moveLog(from: string, to: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) {
    await rm(to + end, { force: true });
    await rename(from + end, to + end).catch(() => undefined); // SQLite removes two of them when it closes
  }
}

describe('the checkpoints of a running service, and counterfoil audit verify', () => {
  const place = new Place();
  let payment: string;
  before(async () => {
    const serving = await place.serve();
    const key = firstKeyIn(serving.stdout());
    const listed = async () => {
      const response = await fetch(`${serving.url}/audit/checkpoints`, { headers: { 'X-Api-Key': key } });
      return Listed.parse(await response.json()).data;
    };
    ({ paymentId: payment } = Paid.parse(await place.json(`demo --url ${serving.url}`)));
    for (let hour = 1; hour <= 2; hour += 1) {
      await place.json('sandbox clock advance 1h');
      await until(async () => (await listed()).length === hour);
    }
    const [newest] = await listed();
    await writeFile(join(place.dir, 'newest.json'), JSON.stringify(newest));
    await place.json(`demo --url ${serving.url}`);
    await serving.end('SIGTERM');
  });
  after(() => place.remove());

  const verified = async (options = '') => {
    const ran = await place.run(`audit verify --json ${options}`);
    return { ...ran, json: Verified.parse(JSON.parse(ran.stdout)) };
  };

  it('says how many hold, the newest, and how many events came later', async () => {
    const { json } = await verified();
    const { newest, ...own } = json.ownCheckpoints;
    expect(own).to.deep.equal({ held: 2, ofOtherKeys: 0, failed: 0, firstFailed: null });
    const ran = await place.run('audit verify --checkpoint newest.json');
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.contain(
      `The log's own 2 checkpoints hold, the newest of ${newest?.madeAt}: the first ${newest?.treeSize} events`,
    );
    expect(ran.stdout).to.contain(`${json.events - (newest?.treeSize ?? 0)} later events have no checkpoint yet. Who`);
    expect(ran.stdout).to.contain('newest.json holds');
  });

  it('do not hold without their key, and do with it', async () => {
    const { stdout: key } = await place.run('audit key');
    const env = { COUNTERFOIL_SECRET: Buffer.alloc(32, 5).toString('base64url') };
    const without = await place.run('audit verify', { env });
    expect(without.code).to.equal(1);
    expect(without.stderr).to.contain('The secret of this machine does not open the log');
    expect(without.stderr).to.contain("2 of the log's own checkpoints do not hold");
    expect(without.stderr)
      .to.contain(`it is signed by a key that is not known, ${key.trim()}`)
      .and.contain('Give --key');
    const given = await place.run(`audit verify --key ${key.trim()}`, { env });
    expect(given).to.include({ code: 0 });
    expect(given.stdout).to.contain("The log's own 2 checkpoints hold");
  });

  it('finds a log that was forged whole and signed by another secret, unless that key is given', async () => {
    const file = join(place.dir, 'data/events.db');
    await moveLog(file, `${file}.honest`);
    const honest = await openSqliteEventStore({ file: `${file}.honest`, world: calmWorld, report: () => undefined });
    const log = await logOf(honest);
    await honest.close();
    const forger = new Secrets([Buffer.alloc(32, 66)]);
    const otherOrder = log.map(({ stream, event }) => ({
      stream,
      event: { ...event, data: event.data.replace('"amount":', '"amount":9') },
    }));
    const lying = await openSqliteEventStore({ file, world: calmWorld, report: () => undefined });
    await writeLog(lying, forged(otherOrder, forger));
    await lying.close();
    const { code, stderr, json } = await verified();
    expect(json.ownCheckpoints).to.deep.include({ held: 0, failed: 2, ofOtherKeys: 2 });
    expect(stderr).to.contain('it is signed by a key that is not known');
    expect(code).to.equal(1);
    const given = await place.run(`audit verify --key ${publicKeysOf(forger)[0]}`);
    expect(given).to.include({ code: 0, stderr: '' });
    await moveLog(`${file}.honest`, file);
    expect((await verified()).code).to.equal(0);
  });

  it('hold after a rotation, when the older secret is gone, and are continued', async () => {
    const [key] = (await place.run('audit key')).stdout.split('\n');
    for (const command of ['rotate', 'rewrap']) expect(await place.run(`secrets ${command}`)).to.include({ code: 0 });
    const secretFile = join(place.dir, 'data/secret.key');
    const [newest = ''] = (await readFile(secretFile, 'utf8')).trim().split(',');
    await writeFile(secretFile, newest);
    expect((await verified()).json.ownCheckpoints).to.deep.include({ held: 2, failed: 0, ofOtherKeys: 0 });
    const { stdout } = await place.run('audit key');
    expect(stdout.trim().split('\n').slice(1)).to.deep.equal([`${key} (of an older secret)`]);
    const serving = await place.serve();
    await place.json('sandbox clock advance 1h');
    await until(async () => (await verified()).json.ownCheckpoints.held === 3);
    await serving.end('SIGTERM');
    expect((await verified()).code).to.equal(0);
  });

  it('finds without a file that the last event of a stream was changed', async () => {
    await alterLog(join(place.dir, 'data/events.db'), `payment-${payment}`, { kind: 'dataAltered', n: 6 });
    const { code, stderr, json } = await verified();
    expect(code).to.equal(1);
    expect(json.ownCheckpoints).to.deep.include({ held: 0, failed: 3, newest: null });
    expect(stderr).to.match(/^3 of the log's own checkpoints do not hold, the first of \d+ events at .+: the events/);
  });
});
