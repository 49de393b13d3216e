// counterfoil sandbox faults, wait and reset, beside a running service.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { type Payment, pay, paymentIn } from '../support/load-calls.ts';
import { Client } from '../support/load-client.ts';
import { firstKeyIn, Place, type Serving } from './processes.ts';

const Wait = z.strictObject({
  settled: z.boolean(),
  waitedMs: z.int(),
  attempts: z.array(
    z.strictObject({ attemptId: z.string(), operation: z.string(), state: z.string(), lookUpAt: z.iso.datetime() }),
  ),
  notifications: z.array(z.string()),
  undelivered: z.int(),
});
const PENDING = '4000009900001010';

/** A payment of 10 EUR with a card, over HTTP. */
async function paid(url: string, key: string, number: string): Promise<Payment> {
  const client = new Client(url, key);
  const answer = await pay(client, {}, number);
  client.close();
  return paymentIn(answer);
}

describe('counterfoil sandbox, in control of a running service', () => {
  const place = new Place();
  let serving: Serving;
  let key: string;
  before(async () => {
    serving = await place.serve();
    key = firstKeyIn(serving.stdout());
  });
  after(() => place.remove());

  const write = (name: string, text: string): void => writeFileSync(join(place.dir, name), text);

  it('faults take rules from a file, apply at once, are shown with the number of their calls, and are cleared', async () => {
    const rules = [
      { match: { operation: 'authorization', amount: 1_000 }, do: { phase: 'before_send', fault: 'reset', times: 1 } },
    ];
    write('faults.json', JSON.stringify({ seed: 7, rules }));
    expect(await place.json('sandbox faults faults.json')).to.deep.equal({
      seed: 7,
      rules,
      counts: [{ matched: 0, applied: 0 }],
    });
    expect(await paid(serving.url, key, '4242424242424242')).to.include({ status: 'FAILED' });
    expect(await paid(serving.url, key, '4242424242424242')).to.include({ status: 'AUTHORIZED' });
    const { stdout } = await place.run('sandbox faults --show');
    expect(stdout.split('\n')).to.deep.equal([
      'RULE  STATE    APPLIED  MATCH                                             DO',
      '0     used up  1 of 2   { "operation": "authorization", "amount": 1000 }',
      '  { "phase": "before_send", "fault": "reset", "times": 1 }',
      'seed 7',
      '',
    ]);
    expect(await place.run('sandbox faults --clear')).to.include({
      code: 0,
      stdout: 'No rules. Only the test cards cause faults.\n',
    });
    expect(await place.json('sandbox faults --show')).to.deep.equal({ seed: 0 });
  });

  it('faults names the fault in a file, by its path, and keeps the rules: 2', async () => {
    write(
      'wrong.json',
      '{"rules": [{"match": {"operation": "sale"}, "do": {"phase": "before_send", "fault": "drop"}}]}',
    );
    write('broken.json', '{"rules": [');
    const { code, stdout, stderr } = await place.run('sandbox faults wrong.json');
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    expect(stderr)
      .to.contain('wrong.json was rejected')
      .and.to.match(/^ {2}rules\.0\.match\.operation: /m);
    const wrong = [
      'sandbox faults broken.json',
      'sandbox faults none.json',
      'sandbox faults',
      'sandbox faults wrong.json --show',
    ];
    expect(await place.codes(wrong)).to.deep.equal([2, 2, 2, 2]);
    expect(await place.json('sandbox faults --show')).to.deep.equal({ seed: 0 });
  });

  it('wait names the open attempts when the time is over, and returns when all of it is settled', async () => {
    // The notification comes an hour late: no attempt is settled while commands start and end.
    const late = {
      match: { operation: 'authorization' },
      do: { phase: 'after_reply', fault: 'delay', delayMs: 3_600_000 },
    };
    write('late.json', JSON.stringify({ rules: [late] }));
    await place.json('sandbox faults late.json');
    const { id } = await paid(serving.url, key, PENDING);
    await place.json('sandbox faults --clear');
    const early = await place.run('sandbox wait --until-settled --timeout 1s');
    expect(early.code).to.equal(1);
    expect(early.stdout).to.match(
      new RegExp(
        `^Unresolved after \\d+\\.\\d s:\n${id}\\.\\S+: authorization pending, next look-up at \\S+Z\nthe sandbox has 1 notification to deliver\n$`,
      ),
    );
    await place.run('sandbox clock advance 2h');
    expect(Wait.parse(await place.json('sandbox wait --until-settled --timeout 120s'))).to.deep.include({
      settled: true,
      attempts: [],
      notifications: [],
      undelivered: 0,
    });
    expect((await place.run('sandbox diff')).code).to.equal(0);
    expect(await place.codes(['sandbox wait', 'sandbox wait --until-settled --timeout soon'])).to.deep.equal([2, 2]);
  });

  it('reset asks first, and empties the ledger of an account or of all', async () => {
    const asked = await place.run('sandbox reset');
    expect({ code: asked.code, stdout: asked.stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(asked.stderr).to.contain('its ledger is emptied').and.to.contain('--yes');
    expect(await place.codes(['sandbox reset --account acc_none --yes'])).to.deep.equal([1]);
    expect(await place.json('sandbox ledger')).not.to.deep.equal({ data: [] });
    expect(await place.json('sandbox reset --yes')).to.deep.equal({ reset: true, accountId: null });
    expect(await place.json('sandbox ledger')).to.deep.equal({ data: [] });
    expect((await place.run('sandbox diff')).code).to.equal(1);
  });

  it('each has a help with an example', async () => {
    for (const command of ['clock', 'faults', 'ledger', 'diff', 'wait', 'reset']) {
      const { code, stdout } = await place.run(`sandbox ${command} --help`);
      expect(code).to.equal(0);
      expect(stdout).to.contain(`$ counterfoil sandbox ${command}`).and.to.contain('--json');
    }
  });
});

describe('counterfoil sandbox on another node', () => {
  const place = new Place();
  after(() => place.remove());

  it('is reset, told its faults, read and compared from there', async () => {
    const shared = { COUNTERFOIL_SECRET: Buffer.alloc(32, 5).toString('base64url'), COUNTERFOIL_LOG_LEVEL: 'warn' };
    const owner = await place.serve('--data-dir here', shared);
    const env = { ...shared, COUNTERFOIL_SANDBOX_URL: owner.url, COUNTERFOIL_DATA_DIR: 'there' };
    const guest = await place.serve('', env);
    await paid(guest.url, firstKeyIn(guest.stdout()), '4242424242424242');
    const run = async (command: string): Promise<unknown> => {
      const { code, stdout, stderr } = await place.run(`sandbox ${command} --json`, { env });
      expect(code, `${command}: ${stderr}`).to.equal(0);
      return JSON.parse(stdout);
    };
    expect(await run('ledger')).to.have.nested.property('data[0].amount', 1_000);
    expect(await run('diff')).to.include({ equal: true, lines: 1, payments: 1 });
    expect(await run('wait --until-settled')).to.include({ settled: true });
    write(
      place,
      'faults.json',
      '{"rules": [{"match": {"operation": "refund"}, "do": {"phase": "before_send", "fault": "429"}}]}',
    );
    expect(await run('faults faults.json')).to.have.nested.property('rules[0].do.fault', '429');
    expect(await run('faults --clear')).to.deep.equal({ seed: 0 });
    expect(await run('reset --yes')).to.include({ reset: true });
    expect(await run('ledger')).to.deep.equal({ data: [] });
    await owner.end('SIGTERM');
    expect((await place.run('sandbox diff', { env })).code).to.equal(3);
  });

  const write = (at: Place, name: string, text: string): void => writeFileSync(join(at.dir, name), text);
});
