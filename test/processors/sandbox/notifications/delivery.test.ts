// The sandbox's notifications over real HTTP: signed, with the account's key, until a 2xx, each by one instance only.
import { expect } from 'chai';
import { openSandbox } from '../../../../src/processors/sandbox/sandbox.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { callOf } from '../../../support/call-of.ts';
import { wholeLedger } from '../../../support/whole-ledger.ts';
import {
  ACCOUNT,
  type AdvancingWorld,
  advancingWorld,
  openOn,
  report,
  SECRET,
  TestPayment,
  temporaryDirectory,
} from '../sandbox-setup.ts';
import { type Answer, openReceiver, type Receiver } from './receiver.ts';

const LATER_AUTHORIZED = '4000009900001010';
const DAY_MS = 86_400_000;

describe('sandbox notifications, as they are sent', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let world: AdvancingWorld;
  let sandboxes: Sandbox[];
  let receivers: Receiver[];
  let stop: AbortController;
  let running: Promise<void>[];
  beforeEach(() => {
    directory = temporaryDirectory();
    world = advancingWorld(0, true);
    [sandboxes, receivers, running] = [[], [], []];
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running);
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    await Promise.all(receivers.map((receiver) => receiver.close()));
    directory.remove();
  });

  const open = async (): Promise<Sandbox> => {
    const sandbox = await openOn(`${directory.path}/sandbox.db`, world);
    sandboxes.push(sandbox);
    return sandbox;
  };
  const opened = async (): Promise<Sandbox> => {
    const sandbox = await open();
    await sandbox.connect({ accountId: ACCOUNT, apiKey: 'cf_test_key' });
    return sandbox;
  };
  const receive = async (answerTo?: (place: number) => Answer): Promise<Receiver> => {
    const receiver = await openReceiver(answerTo, world.now);
    receivers.push(receiver);
    return receiver;
  };
  const run = (sandbox: Sandbox, url: string): void => void running.push(sandbox.run(url, stop.signal));
  const pending = async (
    sandbox: Sandbox,
    number = LATER_AUTHORIZED,
    paymentId = 'pay_1',
    accountId = ACCOUNT,
  ): Promise<void> => {
    const outcome = await new TestPayment(sandbox, paymentId, accountId).authorize(number);
    expect(outcome.kind).to.equal('pending');
  };
  /** Nothing more comes, although the clock runs ahead and there is real time to send it in. */
  const staysAt = async (receiver: Receiver, count: number, aheadMs = DAY_MS): Promise<void> => {
    world.advance(aheadMs);
    await new Promise((turn) => setTimeout(turn, 250));
    expect(receiver.received.length).to.equal(count);
  };
  const read = (sandbox: Sandbox, { body, headers }: Receiver['received'][number]) => {
    const signature = headers['x-sandbox-signature'];
    return sandbox.notifications(
      body,
      { 'x-sandbox-signature': typeof signature === 'string' ? signature : undefined },
      callOf().connection,
      world.now(),
    );
  };

  it('come when they are due, with the key of the account and a signature that the port takes', async () => {
    const sandbox = await opened();
    const receiver = await receive();
    run(sandbox, receiver.url);
    await pending(sandbox);
    const [line] = await wholeLedger(sandbox);
    await staysAt(receiver, 0, 4_000);
    world.advance(1_000);
    await receiver.until(1);

    const [request] = receiver.received;
    if (request === undefined || line === undefined) throw new Error('nothing came');
    expect(request).to.include({ method: 'POST', url: '/webhooks/sandbox' });
    expect(request.headers).to.include({ 'x-api-key': 'cf_test_key', 'content-type': 'application/json' });
    const { processorTransactionId, notificationId } = JSON.parse(request.body);
    expect(JSON.parse(request.body)).to.deep.equal({
      notificationId,
      type: 'authorization.succeeded',
      occurredAt: new Date(line.at + 5_000).toISOString(),
      reference: 'pay_1.a',
      processorTransactionId,
      amount: 1_000,
      currencyCode: 'EUR',
      avsResult: 'NOT_CHECKED',
      cvcResult: 'MATCH',
    });
    const authorization = { avsResult: 'NOT_CHECKED', cvcResult: 'MATCH' };
    const outcome = { kind: 'succeeded', processorTransactionId, amount: 1_000, currencyCode: 'EUR', authorization };
    expect(read(sandbox, request)).to.deep.equal([
      {
        notificationId,
        occurredAt: line.at + 5_000,
        subject: { reference: 'pay_1.a' },
        about: { operation: 'authorization', outcome },
      },
    ]);
    await staysAt(receiver, 1);
  });

  it('say why an operation failed', async () => {
    const sandbox = await opened();
    const receiver = await receive();
    await pending(sandbox, '4000009900001028');
    world.advance(5_000);
    run(sandbox, receiver.url);
    await receiver.until(1);
    const [request] = receiver.received;
    expect(JSON.parse(request?.body ?? '{}')).to.include({
      type: 'authorization.failed',
      declineCode: 'GENERIC_DECLINE',
    });
  });

  it('never come for a card of which only a look-up tells', async () => {
    const sandbox = await opened();
    const receiver = await receive();
    await pending(sandbox, '4000009900001036');
    run(sandbox, receiver.url);
    await staysAt(receiver, 0);
  });

  it('come again until a 2xx, word for word, newly signed, after longer and longer pauses', async () => {
    const sandbox = await opened();
    const answers: readonly Answer[] = [500, 'hang_up', 404, 401];
    const receiver = await receive((place) => answers[place] ?? 202);
    await pending(sandbox);
    world.advance(5_000);
    run(sandbox, receiver.url);
    const clock = setInterval(() => world.advance(200), 10);
    await receiver.until(5).finally(() => clearInterval(clock));

    const { received } = receiver;
    expect(new Set(received.map(({ body }) => body)).size).to.equal(1);
    expect(new Set(received.map(({ headers }) => headers['x-sandbox-signature'])).size).to.equal(5);
    for (const request of received)
      expect(read(sandbox, request)).to.have.nested.property('[0].subject.reference', 'pay_1.a');
    const pauses = received.slice(1).map(({ at }, place) => at - (received[place]?.at ?? 0));
    for (const [place, pause] of pauses.entries()) expect(pause).to.be.at.least(1_000 * 2 ** place);
    await staysAt(receiver, 5);
  });

  it('wait for a key, come with the key of their own account, and with the newest one', async () => {
    const sandbox = await open();
    const receiver = await receive();
    await pending(sandbox, LATER_AUTHORIZED, 'pay_1', 'acc_1');
    await pending(sandbox, LATER_AUTHORIZED, 'pay_2', 'acc_2');
    run(sandbox, receiver.url);
    await staysAt(receiver, 0);
    await sandbox.connect({ accountId: 'acc_2', apiKey: 'key of 2' });
    await sandbox.connect({ accountId: 'acc_1', apiKey: 'old key of 1' });
    await sandbox.connect({ accountId: 'acc_1', apiKey: 'key of 1' });
    expect(await sandbox.connected()).to.deep.equal(['acc_1', 'acc_2']);
    world.advance(5_000);
    await receiver.until(2);
    const keys = receiver.received.map(({ body, headers }) => [JSON.parse(body).reference, headers['x-api-key']]);
    expect(keys).to.have.deep.members([
      ['pay_1.a', 'key of 1'],
      ['pay_2.a', 'key of 2'],
    ]);
  });

  it('come after the sandbox was closed and opened again, the key kept in its file', async () => {
    const first = await opened();
    await pending(first);
    await first.close();
    sandboxes.pop();
    world.advance(5_000);
    const receiver = await receive();
    run(await open(), receiver.url);
    await receiver.until(1);
    expect(receiver.received[0]?.headers).to.include({ 'x-api-key': 'cf_test_key' });
  });

  it('come when they are due however rarely the process that announced them looks for others', async () => {
    const hourly = { file: 'memory', world, secrets: [SECRET], report, lookEveryMs: 3_600_000 };
    const sandbox = await openSandbox(hourly);
    sandboxes.push(sandbox);
    await sandbox.connect({ accountId: ACCOUNT, apiKey: 'cf_test_key' });
    const receiver = await receive();
    run(sandbox, receiver.url);
    await new Promise((turn) => setTimeout(turn, 50)); // it sleeps for an hour by now
    await pending(sandbox);
    world.advance(5_000);
    await receiver.until(1);
  });

  it('come once each, although two instances on one file both send', async () => {
    const [one, two] = [await opened(), await open()];
    const receiver = await receive();
    await Promise.all(
      Array.from({ length: 100 }, (_, place) => pending(place % 2 === 0 ? one : two, LATER_AUTHORIZED, `pay_${place}`)),
    );
    run(one, receiver.url);
    run(two, receiver.url);
    world.advance(5_000);
    await receiver.until(100);
    await staysAt(receiver, 100, 0); // the instances note accepted messages, before the clock ends their leases
    await staysAt(receiver, 100);
    expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).notificationId)).size).to.equal(100);
  });

  it('stop with the signal, and messages on their way come later', async () => {
    const sandbox = await opened();
    const silent = await receive(() => 'silence');
    await pending(sandbox);
    world.advance(5_000);
    run(sandbox, silent.url);
    await silent.until(1);
    stop.abort();
    await Promise.all(running);
    stop = new AbortController();
    const receiver = await receive();
    world.advance(60_000);
    run(sandbox, receiver.url);
    await receiver.until(1);
  });
});

describe('two sandboxes on one file', () => {
  const directory = temporaryDirectory();
  const sandboxes: Sandbox[] = [];
  before(async () => {
    for (let count = 0; count < 2; count += 1) sandboxes.push(await openOn(`${directory.path}/sandbox.db`));
  });
  after(async () => {
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
    directory.remove();
  });

  it('do one thing for one reference that both are asked for at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => {
        const sandbox = sandboxes[place % 2];
        if (sandbox === undefined) throw new Error('no sandbox');
        return new TestPayment(sandbox, 'pay_1').authorize('4242424242424242', 500);
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    for (const sandbox of sandboxes) expect(await wholeLedger(sandbox)).to.have.length(1);
  });

  it('never capture more than is authorized, whichever of them is asked', async () => {
    const payments = sandboxes.map((sandbox) => new TestPayment(sandbox, 'pay_2'));
    for (const payment of payments) await payment.authorize('4242424242424242', 1_000);
    const kinds = await Promise.all(
      Array.from({ length: 40 }, async (_, place) => {
        const outcome = await payments[place % 2]?.ask('capture', `c${place}`, 100, { final: false });
        return outcome?.kind;
      }),
    );
    expect(kinds.filter((kind) => kind === 'succeeded')).to.have.length(10);
    expect(kinds.filter((kind) => kind === 'declined')).to.have.length(30);
  });
});
