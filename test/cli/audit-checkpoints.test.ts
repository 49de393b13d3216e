// A running service records a checkpoint each hour; `audit verify` holds the log against them without a file.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { alterLog } from '../support/altered-log.ts';
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

  it('cannot check their signatures without the secret, and says so', async () => {
    const { stdout: key } = await place.run('audit key');
    const env = { COUNTERFOIL_SECRET: Buffer.alloc(32, 5).toString('base64url') };
    const without = await place.run('audit verify', { env });
    expect(without.code).to.equal(0);
    expect(without.stdout).to.contain("The signatures of 2 of the log's own checkpoints cannot be checked");
    const given = await place.run(`audit verify --key ${key.trim()}`, { env });
    expect(given.stdout).to.contain("The log's own 2 checkpoints hold");
  });

  it('finds without a file that the last event of a stream was changed', async () => {
    await alterLog(join(place.dir, 'data/events.db'), `payment-${payment}`, { kind: 'dataAltered', n: 6 });
    const { code, stderr, json } = await verified();
    expect(code).to.equal(1);
    expect(json.ownCheckpoints).to.deep.include({ held: 0, failed: 2, newest: null });
    expect(stderr).to.match(/^2 of the log's own checkpoints do not hold, the first of \d+ events at .+: the events/);
  });
});
