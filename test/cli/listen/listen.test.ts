// counterfoil listen beside a running service: what a receiver gets, what is drawn, and what is left at the end.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { listen as listenOn } from '../../../src/cli/serve/http-listener.ts';
import { paidOver } from '../../support/paid-over.ts';
import { until } from '../../support/until.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { firstKeyIn, Place, type Serving } from '../processes.ts';

const Endpoints = z.object({ data: z.array(z.looseObject({ url: z.string(), state: z.string() })) });
const Announced = z.looseObject({
  endpointId: z.string(),
  secret: z.string(),
  forwardTo: z.string(),
  seed: z.number(),
});
const Triggered = z.looseObject({ agreementId: z.string().optional() });
const Line = z.strictObject({
  at: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  paymentId: z.string().nullable(),
  agreementId: z.string().nullable(),
  sequence: z.number(),
  previousSequence: z.number().nullable(),
  sent: z.string(),
  status: z.number(),
  ms: z.number().nullable(),
  fault: z.string().nullable(),
});

describe('counterfoil listen', () => {
  const place = new Place();
  let serving: Serving;
  let receiver: Receiver;
  let key: string;
  before(async () => {
    serving = await place.serve('--log-level error');
    key = firstKeyIn(serving.stdout());
  });
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());
  after(() => place.remove());

  /** Three messages: authorized, settled, refunded. */
  const pay = async (): Promise<void> => {
    const id = await paidOver({ url: serving.url, key });
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
    await (
      await fetch(`${serving.url}/payments/${id}/refund`, { method: 'POST', headers, body: '{"amount":100}' })
    ).arrayBuffer();
  };
  const endpoints = async () => Endpoints.parse(await place.json('webhooks endpoints list')).data;
  const linesOf = (listening: Serving) =>
    listening
      .stdout()
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => Line.parse(JSON.parse(line)));

  it('forwards each message as it came, draws it in 80 columns, and ends its endpoint', async () => {
    const listening = await place.listen(`--forward-to ${receiver.url}`);
    const [, secret = ''] = /^Secret: (whsec_\S+)$/m.exec(listening.stdout()) ?? [];
    await pay();
    await until(
      () =>
        listening
          .stdout()
          .split('\n')
          .filter((line) => line.includes('PAYMENT.')).length === 3,
    );
    const [first, second, third] = receiver.received;
    for (const { text, headers, body } of receiver.received)
      expect(new Webhook(secret).verify(text, headers)).to.deep.equal(body);
    expect(first?.headers).to.include({ 'content-type': 'application/json', 'user-agent': 'Counterfoil-Webhooks/1.0' });
    expect([second?.body.previousSequence, third?.body.previousSequence]).to.deep.equal([
      first?.body.sequence,
      second?.body.sequence,
    ]);
    const { code, stdout, stderr } = await listening.end('SIGINT');
    expect(code).to.equal(0);
    expect(stderr).to.contain('Ended. 3 messages: sent 3 times, accepted 3 times.');
    for (const line of stdout.split('\n').filter((one) => !one.startsWith('Secret')))
      expect(line.length, line).to.be.at.most(80);
    expect(stdout).to.match(
      new RegExp(
        `^\\d\\d:\\d\\d:\\d\\d  PAYMENT.REFUND  .*${third?.body.payment.id.slice(-6)} .* 6 ← 4 .* 204 +\\d+ ms$`,
        'm',
      ),
    );
    expect(await endpoints()).to.deep.equal([]);
  });

  it('tells two listeners side by side, each of the types that it wants', async () => {
    const other = await openReceiver();
    const all = await place.listen(`--forward-to ${receiver.url} --json`);
    const refunds = await place.listen(`--forward-to ${other.url} --json --events payment.refund`);
    await pay();
    await until(() => receiver.received.length === 3 && linesOf(refunds).length === 1);
    expect(linesOf(refunds)[0]).to.include({
      eventType: 'PAYMENT.REFUND',
      previousSequence: null,
      sent: 'first',
      status: 204,
    });
    expect(other.received.length).to.equal(1);
    await Promise.all([all.end('SIGINT'), refunds.end('SIGTERM')]);
    expect(await endpoints()).to.deep.equal([]);
    await other.close();
  });

  for (const [what, type, content] of [
    ['a checkpoint of the log', 'AUDIT.CHECKPOINT', 'counterfoil-checkpoint-1'],
    ['the charge of an agreement', 'AGREEMENT.CHARGE', '"outcome":"SUCCEEDED"'],
  ] as const)
    it(`forwards ${what} to a listener that names the type`, async () => {
      const bodies: string[] = [];
      const server = createServer(async (request, response) => {
        bodies.push(await text(request));
        response.writeHead(204).end();
      });
      const origin = await listenOn(server, { host: '127.0.0.1', port: 0 });
      const listening = await place.listen(`--forward-to ${origin} --json --events ${type.toLowerCase()}`);
      try {
        const { agreementId = null } = Triggered.parse(await place.json(`trigger ${type} --url ${serving.url}`));
        await until(() => linesOf(listening).length > 0);
        expect(linesOf(listening)[0]).to.include({ eventType: type, paymentId: null, agreementId, status: 204 });
        expect(bodies[0]).to.include(content);
      } finally {
        await listening.end('SIGINT');
        server.close();
      }
    });

  it('says when no service runs, and receives messages once the service has restarted', async () => {
    const listening = await place.listen(`--forward-to ${receiver.url}`);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
    await until(() => listening.stderr().includes('No service is running on '));
    serving = await place.serve('--log-level error');
    await until(() => listening.stderr().includes('A service is running now.'));
    await pay();
    await until(() => receiver.received.length === 3);
    expect(await listening.end('SIGINT')).to.include({ code: 0 });
  });

  it('leaves, after it was killed, an endpoint that the service ends automatically', async () => {
    const listening = await place.listen(`--forward-to ${receiver.url}`);
    await listening.end('SIGKILL');
    expect((await endpoints()).map(({ state }) => state)).to.deep.equal(['enabled']);
    await pay();
    await until(async () => (await endpoints()).length === 0);
    expect(receiver.received).to.deep.equal([]);
  });

  it('says that no receiver is there, and has the service deliver again', async () => {
    const gone = await openReceiver();
    await gone.close();
    const listening = await place.listen(`--forward-to ${gone.url}`);
    await pay();
    await until(() => listening.stdout().split('502, no receiver').length >= 4);
    await until(() => listening.stderr().includes(`No answer from ${gone.url}: connect ECONNREFUSED`));
    const waiting = z.object({ data: z.array(z.looseObject({ status: z.string(), endpointId: z.string() })) });
    // The service records a failed call after the line about it is printed.
    await until(async () => {
      const { data } = waiting.parse(await place.json('webhooks deliveries --limit 1'));
      return data.length === 3 && data.every(({ status }) => status === 'retrying');
    });
    expect(await listening.end('SIGINT')).to.include({ code: 0 });
  });

  it('ends when the receiver answers 410, as the endpoint does', async () => {
    receiver.answering = (_message, response) => void response.writeHead(410).end();
    const listening = await place.listen(`--forward-to ${receiver.url}`);
    const over = new Promise((resolve) => listening.process.once('close', resolve));
    await pay();
    expect(await over).to.equal(1);
    expect(listening.stderr()).to.contain('The receiver returned 410, which disables an endpoint');
  });

  it('sends twice, drops and tells what it did, by the seed', async () => {
    const listening = await place.listen(
      `--forward-to ${receiver.url} --json --duplicate --shuffle --drop 0.5 --seed 7`,
    );
    const { secret } = Announced.parse(JSON.parse(listening.stdout().split('\n')[0] ?? ''));
    await pay();
    await pay();
    const isOver = (lines: readonly z.infer<typeof Line>[]): boolean => {
      const of = (sent: string) => lines.filter((line) => line.sent === sent).length;
      return (
        of('first') + of('late') + of('lost') + of('refused') === 6 &&
        of('copy') === of('first') + of('late') &&
        of('again') === of('refused')
      );
    };
    const arrived = () => linesOf(listening).filter(({ sent }) => sent !== 'copy' && sent !== 'again').length;
    await until(() => arrived() === 6);
    expect(await place.run('sandbox clock advance 7s')).to.include({ code: 0 });
    await until(() => isOver(linesOf(listening)));
    for (const { text, headers } of receiver.received) new Webhook(secret).verify(text, headers);
    const lines = linesOf(listening);
    expect(receiver.received.length).to.equal(lines.filter(({ sent }) => sent !== 'lost' && sent !== 'refused').length);
    expect(lines.filter(({ sent }) => sent === 'lost' || sent === 'refused').length).to.be.above(0);
    await listening.end('SIGINT');
  });

  const WRONG: readonly (readonly [flags: string, says: string])[] = [
    ['', '--forward-to'],
    ['--forward-to ftp://127.0.0.1/', 'Allowed is an http:// or https:// URL'],
    ['--forward-to 3000 --drop 1.5', 'Allowed is a number from 0 to 1'],
    ['--forward-to 3000 --drop half', 'Allowed is a number from 0 to 1'],
    ['--forward-to 3000 --seed -1', 'Allowed is a whole number'],
    ['--forward-to 3000 --events PAYMENT.REFUNDED', 'Did you mean PAYMENT.REFUND?'],
    ['--forward-to 3000 --address 192.0.2.1', '--address is "192.0.2.1": allowed is an address of this machine.'],
    ['--forward-to 3000 --mode live', 'In live mode messages go to public https:// addresses'],
  ];
  for (const [flags, says] of WRONG)
    it(`is wrong usage with ${flags === '' ? 'no flag' : flags}`, async () => {
      const { code, stderr } = await place.run(`listen ${flags}`);
      expect(code).to.equal(2);
      expect(stderr).to.contain(says);
    });
});
