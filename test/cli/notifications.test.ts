// Parked notifications as an operator sees them, beside a running service: listed, tried again, given up.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { readSecretFile, secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { referenceOf } from '../../src/domain/payment/reference.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { Secrets } from '../../src/secrets.ts';
import { pay, paymentIn } from '../support/load-calls.ts';
import { DataDirectory, type ServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const Parked = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      notificationId: z.string(),
      type: z.string(),
      paymentId: z.string(),
      reasonCode: z.string(),
      reason: z.string(),
      retries: z.int(),
      retryAt: z.string().nullable(),
    }),
  ),
});
const Shown = z.looseObject({ status: z.string(), discardedBy: z.string().optional() });

describe('counterfoil notifications, beside a running service', () => {
  const directory = new DataDirectory();
  const { place } = directory;
  let one: ServiceProcess;
  before(async () => {
    one = await directory.serve();
  });
  after(() => directory.remove());

  const parked = async () => Parked.parse(await place.json('notifications parked')).data;
  /** The notification with this id of the processor; it is handled after the answer of its request. */
  const parkedAs = async (notificationId: string) => {
    for (;;) {
      const found = (await parked()).find((one) => one.notificationId === notificationId);
      if (found !== undefined) return found;
      await sleep(50); // no signal from outside shows when it was handled
    }
  };
  const tell = async (type: string, reference: string, notificationId: string): Promise<void> => {
    const secret = await readSecretFile(secretFileIn(directory.dir));
    const [key] = new Secrets([secret?.secret ?? Buffer.alloc(0)]).keys('sandbox-signature');
    if (key === undefined) throw new Error('no key to sign with');
    const told = {
      notificationId,
      type,
      occurredAt: '2026-01-01T00:00:00Z',
      reference,
      processorTransactionId: 'sbx_1',
      amount: 1_000,
    };
    const body = { ...told, currencyCode: 'EUR' };
    const signature = signatureOf(key, JSON.stringify(body), Date.now());
    const { status } = await one.client.call('POST', '/webhooks/sandbox', body, { [SIGNATURE_HEADER]: signature });
    expect(status).to.equal(202);
  };

  it('lists notifications that name no known payment, and says when a manual retry fails', async () => {
    await tell('authorization.succeeded', referenceOf('pay_nobody.1'), 'n-1');
    const found = await parkedAs('n-1');
    expect(found).to.include({
      status: 'parked',
      retries: 0,
      reasonCode: 'payment_unknown',
      reason: 'The notification names no known payment of the account.',
    });
    const retried = await place.run(`notifications retry ${found.id.slice(0, 8)}`);
    expect(retried).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `${found.id} stays parked: The notification names no known payment of the account.\n`,
    });
    const { stdout } = await place.run('notifications parked');
    const [reason, last, headings, , row, below] = stdout.split('\n');
    expect(`${reason} ${last}`).to.match(
      /^sandbox for acc_\w{12}: The notification names no known payment of the account\.$/,
    );
    expect(headings).to.match(/^ID +TYPE +PARKED +TRIES +NEXT$/);
    expect(row).to.match(new RegExp(`^${found.id}  authorization\\.succeeded +\\d+ s +0 +\\d+ s$`));
    expect(below).to.equal('  pay_nobody');
    expect(found).to.include({
      type: 'authorization.succeeded',
      paymentId: 'pay_nobody',
      reference: referenceOf('pay_nobody.1'),
    });
  });

  it('gives one up for good, on record as an act of the operator', async () => {
    await tell('authorization.succeeded', referenceOf('pay_nobody.2'), 'n-2');
    const { id } = await parkedAs('n-2');
    expect(await place.run(`notifications discard ${id}`)).to.deep.equal({
      code: 0,
      stdout: `${id} is discarded.\n`,
      stderr: '',
    });
    expect((await parked()).map(({ notificationId }) => notificationId)).not.to.include('n-2');
    expect(Shown.parse(await place.json(`notifications discard ${id}`))).to.include({
      status: 'discarded',
      discardedBy: 'cli',
    });
    const again = await place.run(`notifications retry ${id}`);
    expect(again).to.deep.equal({ code: 1, stdout: '', stderr: 'The notification has been discarded.\n' });
    const { stdout } = await place.run(`audit show notification-${id}`);
    expect(stdout).to.match(/NotificationDiscarded +operator cli/);
    // The processor may send it again: it stays discarded.
    await tell('authorization.succeeded', referenceOf('pay_nobody.2'), 'n-2');
    expect((await parked()).map(({ notificationId }) => notificationId)).not.to.include('n-2');
  });

  it('shows notifications of different reasons apart, and names the content of each', async () => {
    const { client } = one;
    const { id } = paymentIn(await pay(client));
    const { stdout } = await place.run(`payments show ${id} --json`);
    const [, reference = ''] = /"reference": "([^"]+)"/.exec(stdout) ?? [];
    await tell('capture.failed', reference, 'n-4');
    await tell('authorization.expired', referenceOf(`${id}.strange`), 'n-5');
    const [failed, expired] = [await parkedAs('n-4'), await parkedAs('n-5')];
    expect([failed, expired].map(({ type, paymentId }) => [type, paymentId])).to.deep.equal([
      ['capture.failed', id],
      ['authorization.expired', id],
    ]);
    const parts = (await place.run('notifications parked')).stdout.trimEnd().split('\n\n');
    const under = (reason: string): string => parts.find((part) => part.replaceAll(/\s+/g, ' ').includes(reason)) ?? '';
    expect(under('The notification names no known payment')).to.match(/authorization\.succeeded .*\n {2}pay_nobody$/m);
    expect(under('but the attempt is authorization.')).to.match(
      new RegExp(`^${failed.id} +capture\\.failed .*\\n {2}${id}$`, 'm'),
    );
    expect(under('The notification names no known attempt')).to.match(
      new RegExp(`^${expired.id} +authorization\\.expired .*\\n {2}${id}$`, 'm'),
    );
    expect(Math.max(...parts.flatMap((part) => part.split('\n')).map(({ length }) => length))).to.be.at.most(80);
    expect(await place.codes([failed, expired].map((told) => `notifications discard ${told.id}`))).to.deep.equal([
      0, 0,
    ]);
  });

  it('knows no other ones', async () => {
    const commands = ['retry nobody', 'discard nobody', 'retry', 'discard', 'parked --limit 0'];
    expect(await place.codes(commands.map((command) => `notifications ${command}`))).to.deep.equal([1, 1, 2, 2, 2]);
  });

  it('applies one whose payment has appeared meanwhile, and says so', async () => {
    const { client } = one;
    // The service is not told of the authorization, and asks in 30 s: the payment does not go on while commands start
    // and end.
    const untold = { rules: [{ match: { operation: 'authorization' }, do: { drop: true } }] };
    expect((await client.call('PUT', '/sandbox/faults', untold)).status).to.equal(200);
    const paid = await pay(client, {}, '4000009900001010', { paymentMethod: { captureMode: 'AUTOMATIC' } });
    const { id: paymentId } = paymentIn(paid);
    const { stdout } = await place.run(`audit show payment-${paymentId} --jsonl`);
    const [, attemptId] = /"attemptId":"([^"]+)"/.exec(stdout) ?? [];
    await tell('capture.succeeded', referenceOf(`${attemptId}-capture`), 'n-3');
    const { id } = await parkedAs('n-3');
    await one.serving.end('SIGKILL'); // the awaited payments of that process are forgotten
    one = await directory.serve();
    await place.json('sandbox clock advance 31s');
    const isCaptured = async (): Promise<boolean> => {
      return paymentIn(await one.client.call('GET', `/payments/${paymentId}`)).status === 'SETTLED';
    };
    await until(isCaptured);
    expect(await place.run(`notifications retry ${id}`)).to.deep.equal({
      code: 0,
      stdout: `${id} is applied to ${paymentId}.\n`,
      stderr: '',
    });
    expect((await parked()).map(({ notificationId }) => notificationId)).to.deep.equal(['n-1']);
  });

  it('lists notifications whose retries failed for 30 days, and that are retried manually from then on', async () => {
    expect((await place.run('sandbox clock advance 31d')).code).to.equal(0);
    // the policy has been woken; no signal tells the end
    await until(async () => (await parkedAs('n-1')).retryAt === null);
    const { id } = await parkedAs('n-1');
    const { stdout } = await place.run('notifications parked');
    expect(stdout).to.match(new RegExp(`^${id} .* 31 d +\\d+\\s+by hand\\b`, 'm'));
    const { code, stderr } = await place.run(`notifications retry ${id}`);
    expect([code, stderr]).to.deep.equal([
      1,
      `${id} stays parked: The notification names no known payment of the account.\n`,
    ]);
  });
});
