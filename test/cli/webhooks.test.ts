// counterfoil webhooks endpoints, deliveries and resend, beside a running service and a receiver on a real port.
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { MESSAGE_TYPES } from '../../src/domain/message.ts';
import { until } from '../support/until.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { Place, type Serving } from './processes.ts';

const Added = z.strictObject({
  id: z.string(),
  url: z.string(),
  secret: z.string(),
  events: z.array(z.string()),
  accountId: z.string(),
});
const Deliveries = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      eventType: z.string(),
      status: z.string(),
      attempts: z.array(z.looseObject({ status: z.number() })),
    }),
  ),
});

describe('counterfoil webhooks', () => {
  const place = new Place();
  let serving: Serving;
  let receiver: Receiver;
  let endpoint: z.infer<typeof Added>;
  before(async () => {
    receiver = await openReceiver();
    serving = await place.serve('--log-level error');
    endpoint = Added.parse(await place.json(`webhooks endpoints add --url ${receiver.url}`));
  });
  after(async () => {
    await place.remove();
    await receiver.close();
  });
  const deliveries = async () => Deliveries.parse(await place.json('webhooks deliveries')).data;

  it('brings a running service to tell a new endpoint, signed with the secret that was printed', async () => {
    expect(await place.run(`demo --url ${serving.url}`)).to.include({ code: 0 });
    await until(() => receiver.received.length === 3);
    expect(receiver.received.map(({ body }) => body.eventType)).to.deep.equal([
      'PAYMENT.STATUS',
      'PAYMENT.STATUS',
      'PAYMENT.REFUND',
    ]);
    for (const { text, headers } of receiver.received) new Webhook(endpoint.secret).verify(text, headers);
  });

  it('lists the types of messages that a new endpoint gets, and its account', async () => {
    const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(await place.json('accounts list'));
    expect(endpoint).to.deep.include({ events: [...MESSAGE_TYPES], accountId: data[0]?.id });
    const some = Added.parse(
      await place.json('webhooks endpoints add --url https://shop.example/some --events DISPUTE.OPENED'),
    );
    expect(some.events).to.deep.equal(['DISPUTE.OPENED']);
  });

  it('reports a second endpoint with the same URL and the same types, and no other', async () => {
    const add = async (rest: string) =>
      place.run(`webhooks endpoints add --json --url https://shop.example/twice ${rest}`);
    const first = Added.parse(JSON.parse((await add('--events DISPUTE.OPENED,DISPUTE.STATUS')).stdout));
    expect((await add('')).stderr).to.equal('');
    const second = await add('--events DISPUTE.STATUS,DISPUTE.OPENED');
    expect(second.stderr).to.equal(
      `${first.id} has the same URL and types, so each message is sent to both. Consider disabling one of them.\n`,
    );
    await place.run(`webhooks endpoints disable ${first.id}`);
    await place.run(`webhooks endpoints disable ${Added.parse(JSON.parse(second.stdout)).id}`);
    expect((await add('--events DISPUTE.OPENED,DISPUTE.STATUS')).stderr).to.equal('');
  });

  it('lists deliveries, and resends one', async () => {
    await until(async () => (await deliveries()).every(({ status }) => status === 'delivered'));
    const [newest] = await deliveries();
    expect(newest?.eventType).to.equal('PAYMENT.REFUND');
    expect(await place.run(`webhooks resend ${newest?.id}`)).to.deep.equal({
      code: 0,
      stdout: `${newest?.id} will be delivered again.\n`,
      stderr: '',
    });
    await until(() => receiver.received.length === 4);
    await until(async () => (await deliveries())[0]?.attempts.length === 2);
    expect(await place.run('webhooks deliveries --failed')).to.deep.equal({
      code: 0,
      stdout: 'No deliveries.\n',
      stderr: '',
    });
    expect(await place.run('webhooks resend we_1.pay_1.1')).to.include({
      code: 1,
      stderr: 'There is no delivery we_1.pay_1.1.\n',
    });
  });

  it('lists how an endpoint does: last response, backlog, failures, and the calls of the last hour', async () => {
    const Listed = z.object({
      data: z.array(
        z.looseObject({
          id: z.string(),
          health: z.string(),
          lastAttempt: z.looseObject({ status: z.number().nullable() }).nullable(),
          retrying: z.looseObject({ count: z.number() }),
          lastHour: z.object({ tried: z.number(), taken: z.number(), isMore: z.boolean() }),
        }),
      ),
    });
    const own = async () =>
      Listed.parse(await place.json('webhooks endpoints list')).data.find(({ id }) => id === endpoint.id);
    const line = async (): Promise<string> =>
      (await place.run('webhooks endpoints list', { env: { COLUMNS: '' } })).stdout
        .split('\n')
        .find((one) => one.startsWith(endpoint.id)) ?? '';
    await until(async () => (await own())?.retrying.count === 0);
    expect(await own()).to.deep.include({ health: 'healthy', lastHour: { tried: 4, taken: 4, isMore: false } });
    expect(await line()).to.match(/ enabled +204, \d+ (?:s|min) ago +0 +0 +4 of 4 /);
    receiver.answering = (_message, response) => void response.writeHead(503).end();
    await place.run(`demo --url ${serving.url}`);
    await until(async () => (await own())?.lastHour.tried === 10); // each is refused twice
    expect(await own()).to.nested.include({ health: 'failing_in_part', 'lastAttempt.status': 503 });
    expect(await line()).to.match(/ enabled +503, \d+ (?:s|min) ago +3 +0 +4 of 10 /);
    receiver.answering = undefined;
    await place.json(`webhooks resend --endpoint ${endpoint.id} --since 1h`);
    await until(async () => (await own())?.retrying.count === 0 && (await own())?.lastHour.taken === 7);
  });

  it('counts and resends what an endpoint has not taken since a time', async () => {
    const before = receiver.received.length;
    const own = async () => Deliveries.parse(await place.json(`webhooks deliveries --endpoint ${endpoint.id}`)).data;
    receiver.answering = (_message, response) => void response.writeHead(500).end();
    await place.run(`demo --url ${serving.url}`);
    await until(() => receiver.received.length === before + 6); // each is refused twice; the next call is minutes away
    await until(async () => (await own()).slice(0, 3).every(({ attempts }) => attempts.length === 2));
    receiver.answering = undefined;
    const resend = (rest: string) => place.json(`webhooks resend --endpoint ${endpoint.id} ${rest}`);
    expect(await resend('--since 1h --dry-run')).to.include({ messages: 3, dryRun: true });
    expect(await resend('--since 1h')).to.include({ messages: 3, dryRun: false });
    await until(async () => (await own()).every(({ status }) => status === 'delivered'));
    expect(await resend('--since 2026-01-01T00:00:00Z')).to.include({ messages: 0 });
    expect(await place.run('webhooks resend --since 1h')).to.include({ code: 2 });
    for (const flag of ['', ' --dry-run'])
      expect(await place.run(`webhooks resend --endpoint we_0 --since 1h${flag}`), flag).to.include({
        code: 1,
        stdout: '',
        stderr: 'There is no webhook endpoint we_0.\n',
      });
  });

  it('rotates a secret: both sign for a while', async () => {
    const { stdout: secret } = await place.run(`webhooks endpoints rotate-secret ${endpoint.id}`);
    const before = receiver.received.length;
    await place.run(`demo --url ${serving.url}`);
    await until(() => receiver.received.length === before + 3);
    for (const { text, headers } of receiver.received.slice(before)) {
      new Webhook(endpoint.secret).verify(text, headers);
      new Webhook(secret.trim()).verify(text, headers);
    }
  });

  it('changes an endpoint in place, and deletes it', async () => {
    const { id } = Added.parse(await place.json('webhooks endpoints add --url https://shop.example/first'));
    const change = (rest: string) => place.run(`webhooks endpoints change ${id.slice(0, 12)} ${rest}`);
    expect(await change('--url https://shop.example/second --events PAYMENT.REFUND,PAYMENT.STATUS')).to.deep.equal({
      code: 0,
      stdout: `${id} gets PAYMENT.STATUS, PAYMENT.REFUND at https://shop.example/second\n`,
      stderr: '',
    });
    expect((await change('--events all')).stdout).to.equal(`${id} gets all types at https://shop.example/second\n`);
    expect(await change('')).to.include({ code: 2 });
    expect(await change('--url ftp://shop.example')).to.include({
      code: 1,
      stderr: 'The URL must begin with https:// or http://.\n',
    });
    expect((await place.run(`webhooks endpoints delete ${id}`)).stdout).to.equal(`${id} is deleted.\n`);
    expect((await place.run('webhooks endpoints list')).stdout).not.to.contain(id);
    expect(await change('--events all')).to.include({ code: 1, stderr: `There is no webhook endpoint ${id}.\n` });
  });

  it('ends an endpoint, and shows no secret in a list', async () => {
    expect((await place.run(`webhooks endpoints disable ${endpoint.id}`)).stdout).to.equal(
      `${endpoint.id} is disabled.\n`,
    );
    const listed = await place.run('webhooks endpoints list');
    expect(listed.stdout).to.contain(endpoint.id).and.to.contain('disabled').and.not.to.contain('whsec_');
    for (const line of listed.stdout.split('\n')) expect(line.length).to.be.at.most(80);
    expect(await place.run(`webhooks endpoints rotate-secret ${endpoint.id}`)).to.include({ code: 1 });
  });

  it('says what is wrong with a URL or a type', async () => {
    expect(await place.run('webhooks endpoints add --url ftp://shop.example/')).to.include({
      code: 1,
      stderr: 'The URL must begin with https:// or http://.\n',
    });
    const { code, stderr } = await place.run(
      'webhooks endpoints add --url https://shop.example/ --events PAYMENT.LOST',
    );
    expect(code).to.equal(1);
    expect(stderr).to.contain('PAYMENT.LOST is not a type of message. The types are: PAYMENT.STATUS');
  });
});
