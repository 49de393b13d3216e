// The output for an auditor of an altered stream: its events up to the break, the place of the break, and exit code 1.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { logDamage } from '../../src/stores/sqlite/log-damage.ts';
import { alterLog } from '../support/altered-log.ts';
import { until } from '../support/until.ts';
import type { Ran } from './command-hosts.ts';
import { Place } from './processes.ts';

const Paid = z.looseObject({ paymentId: z.string() });
const Streams = z.looseObject({ data: z.array(z.looseObject({ stream: z.string() })) });
const Events = z.looseObject({ data: z.array(z.looseObject({ revision: z.number() })), broken: z.unknown() });
const Ready = z.looseObject({ status: z.string(), streams: z.array(z.string()) });

describe('counterfoil on a log that was altered', () => {
  const place = new Place();
  let stream: string;
  before(async () => {
    const serving = await place.serve();
    const { paymentId } = Paid.parse(await place.json(`demo --url ${serving.url}`));
    stream = `payment-${paymentId}`;
    for (const by of ['1h', '2h']) expect(await place.run(`sandbox clock advance ${by}`)).to.include({ code: 0 });
    await serving.end('SIGTERM');
  });
  after(() => place.remove());
  const revisionsIn = ({ stdout }: Ran): readonly unknown[] =>
    stdout
      .trim()
      .split('\n')
      .map((line) => z.looseObject({ revision: z.number() }).parse(JSON.parse(line)).revision);

  it('says which revision is the last one when a later one is asked for', async () => {
    const ran = await place.run(`audit replay ${stream} --revision 99`);
    expect(ran).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `${stream} has no revision 99: its last revision is 6.\n`,
    });
  });

  it('tells that a column hides a stream, in every command that looks, and a restore writes it again', async () => {
    const file = join(place.dir, 'data/events.db');
    const alter = async (category: string): Promise<void> => {
      const database = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, cacheKiB: 64 });
      database.prepare('UPDATE streams SET category = ? WHERE name = ?').run(category, stream);
      database.close();
    };
    await alter('note');
    const says = `the category of the stream ${stream} is recorded as note`;
    const backup = `backup --out ${join(place.dir, 'backup')}`;
    for (const command of ['audit verify', 'doctor --json', backup]) {
      const ran = await place.run(command);
      expect(ran.code, command).to.equal(1);
      expect(ran.stdout + ran.stderr, command).to.include(says);
    }
    const added = await place.run(backup);
    expect(added.code, 'nothing was added').to.equal(0);
    const restored = ['--from', join(place.dir, 'backup'), '--data-dir', join(place.dir, 'restored')].join(' ');
    const env = { COUNTERFOIL_SECRET: (await readFile(join(place.dir, 'data/secret.key'), 'utf8')).trim() };
    expect(await place.run(`restore ${restored}`, { env })).to.include({ code: 0 });
    expect(await logDamage(join(place.dir, 'restored/events.db'))).to.deep.equal([]);
    await alter('payment');
    expect(await place.run('audit verify')).to.include({ code: 0 });
  });

  it('shows and replays a stream up to its break, and a rebuild counts it', async () => {
    await alterLog(join(place.dir, 'data/events.db'), stream, { kind: 'dataAltered', n: 3 });
    const why = `${stream} is broken at revision 4: its previousHash is not the hash of the previous event; one of the two was altered`;
    const lines = await place.run(`audit show ${stream} --jsonl`);
    expect({ ...lines, stdout: revisionsIn(lines) }).to.deep.equal({
      code: 1,
      stdout: [0, 1, 2, 3],
      stderr: `${why}\n`,
    });
    const shown = await place.run(`audit show ${stream} --json`);
    const { data, broken } = Events.parse(JSON.parse(shown.stdout));
    expect([shown.code, data.length, broken]).to.deep.equal([1, 4, { revision: 4, fault: why }]);
    const replayed = await place.run(`audit replay ${stream}`);
    expect(replayed).to.include({ code: 1, stderr: `${why}\n` });
    expect(replayed.stdout).to.contain(`${stream} at revision 3`);
    expect(await place.run(`audit replay ${stream} --revision 2`)).to.include({ code: 0, stderr: '' });

    const rebuilt = await place.run('projections rebuild payments --dry-run');
    expect(rebuilt.code).to.equal(1);
    expect(rebuilt.stdout).to.contain('DIFFERENT, not swapped, 1 broken');
    expect(rebuilt.stderr).to.contain(`payments: the log is broken in 1 stream, such as ${stream}.`);
    expect(await place.run(`projections retry log ${stream}`)).to.include({ code: 1 });
  });

  it('still starts, even if the stream of the store itself is broken after its first event', async () => {
    await alterLog(join(place.dir, 'data/events.db'), 'store-0', { kind: 'deleted', n: 1 });
    const serving = await place.serve();
    let answer: unknown;
    await until(async () => {
      answer = await (await fetch(`${serving.url}/health/ready`)).json();
      return JSON.stringify(answer).includes('store-0');
    });
    expect(Ready.parse(answer))
      .to.include({ status: 'degraded' })
      .and.to.have.deep.property('streams', [stream, 'store-0']);
    await serving.end('SIGTERM');
  });

  it('starts all the same where the streams of the first account and of the keys are broken', async () => {
    const listed = await place.run('audit streams --json');
    expect(listed.code).to.equal(1);
    const { data } = Streams.parse(JSON.parse(listed.stdout));
    const held = data.flatMap((one) => (/^(account|apiKey)-/.test(one.stream) ? [one.stream] : []));
    expect(held).to.have.length.of.at.least(3);
    for (const one of held) await alterLog(join(place.dir, 'data/events.db'), one, { kind: 'dataCut', n: 0 });
    const serving = await place.serve();
    expect((await fetch(`${serving.url}/health/live`)).status).to.equal(200);
    const ready = await (await fetch(`${serving.url}/health/ready`)).json();
    expect(JSON.stringify(ready)).to.contain(held.find((one) => one.startsWith('account-')));
    await serving.end('SIGTERM');
  });

  it('does not start without the event that holds the key of the store, and says so in a line', async () => {
    await alterLog(join(place.dir, 'data/events.db'), 'store-0', { kind: 'deleted', n: 0 });
    expect(await place.run('serve --port 0')).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'store-0 is broken at revision 2: the events before it are missing\n',
    });
  });
});
