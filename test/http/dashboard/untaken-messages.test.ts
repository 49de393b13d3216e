// Webhooks that fail in part, and the messages that no endpoint of the account took: counted by endpoint, resent as a
// whole, once for each count.
import { expect } from 'chai';
import { z } from 'zod';
import { actsOf, type Dashboard, openDashboard, signedInUser } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { until } from '../../support/until.ts';
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts';

const Endpoint = z.looseObject({
  id: z.string(),
  health: z.string(),
  lastHour: z.strictObject({ taken: z.number(), tried: z.number(), isMore: z.boolean() }),
  lastAttempt: z.looseObject({ fault: z.string().nullable(), why: z.string().nullable() }).optional(),
});
const Untaken = z.strictObject({
  data: z.array(z.strictObject({ endpointId: z.string(), url: z.string(), count: z.number(), isMore: z.boolean() })),
  asOf: z.string(),
});
const Resent = z.strictObject({ resent: z.number(), nextCursor: z.string().optional() });
const Needs = z.looseObject({ data: z.array(z.looseObject({ kind: z.string(), count: z.number() })) });
const Deliveries = z.looseObject({
  data: z.array(z.looseObject({ nextAttemptAt: z.string().nullable(), status: z.string() })),
});

const PATH = '/dashboard/api';
const SINCE = new Date(0).toISOString();

describe('messages that webhook endpoints take in part, or not at all', () => {
  let dashboard: Dashboard;
  let shop: Shop;
  let receivers: readonly Receiver[];
  let ids: readonly string[];
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
    receivers = [await openReceiver(), await openReceiver(), await openReceiver()];
    const added: string[] = [];
    for (const { url } of receivers) added.push(await add(url));
    ids = added;
  });
  after(async () => {
    await dashboard.close();
    for (const receiver of receivers) await receiver.close();
  });

  const ask = (method: string, path: string, body?: object) =>
    dashboard.ask('developer', method, `${PATH}${path}`, body);
  const add = async (url: string): Promise<string> =>
    z
      .looseObject({ endpoint: z.looseObject({ id: z.string() }) })
      .parse((await ask('POST', '/webhook-endpoints', { url })).body).endpoint.id;
  const endpoint = async (id: string) => Endpoint.parse((await ask('GET', `/webhook-endpoints/${id}`)).body);
  const refuse = (receiver: Receiver | undefined): void => {
    if (receiver !== undefined)
      receiver.answering = (_message, response) => void response.writeHead(500).end('out of order');
  };
  const failing = async (): Promise<number | undefined> =>
    Needs.parse((await ask('GET', '/needs')).body).data.find(({ kind }) => kind === 'failing_endpoints')?.count;
  const counted = async () => Untaken.parse((await ask('GET', `/webhooks/untaken?since=${SINCE}`)).body);
  /** Refused twice: the next call is minutes away. */
  const untilRefusedTwice = (id: string) =>
    until(async () => {
      const { data } = Deliveries.parse((await ask('GET', `/webhook-endpoints/${id}/deliveries?status=retrying`)).body);
      return (
        data.length > 0 && data.every(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') > Date.now() + 60_000)
      );
    });

  it('make an endpoint healthy, failing in part or failing by the calls of the last hour, and needs work while one waits', async () => {
    const [whole, part, none] = receivers;
    await shop.paid();
    for (const id of ids) await until(async () => (await endpoint(id)).lastHour.taken === 1);
    expect(await failing()).to.equal(0);
    refuse(part);
    refuse(none);
    await shop.paid();
    for (const id of ids) await until(async () => (await endpoint(id)).lastHour.tried >= 2);
    expect(await endpoint(ids[0] ?? '')).to.deep.include({
      health: 'healthy',
      lastHour: { taken: 2, tried: 2, isMore: false },
    });
    for (const id of ids.slice(1))
      expect(await endpoint(id))
        .to.deep.include({ health: 'failing_in_part' })
        .and.nested.include({
          'lastHour.taken': 1,
        });
    expect(await failing()).to.equal(2);
    // one of them takes at its retry what it had refused: it has failed in part, and nothing is left to do
    if (part !== undefined) part.answering = undefined;
    await until(async () => (await endpoint(ids[1] ?? '')).lastHour.taken === 2);
    expect((await endpoint(ids[1] ?? '')).health).to.equal('failing_in_part');
    expect(await failing()).to.equal(1);
    expect(whole?.received.length).to.equal(2);
    const dead = await add('http://127.0.0.1:1/webhooks');
    await shop.paid();
    await until(async () => (await endpoint(dead)).lastHour.tried === 1);
    const { health, lastAttempt } = await endpoint(dead);
    expect(health).to.equal('failing');
    expect(lastAttempt?.why).to.equal('Nothing listens at that address (connection refused).');
    expect(lastAttempt?.fault).to.contain('ECONNREFUSED');
    await ask('POST', `/webhook-endpoints/${dead}/disable`, {});
  });

  it('are counted by endpoint, and resent by one action, which is on record for each endpoint', async () => {
    for (const receiver of receivers.slice(1)) refuse(receiver);
    await shop.paid();
    for (const id of ids.slice(1)) await untilRefusedTwice(id);
    const { data, asOf } = await counted();
    expect(data.map(({ endpointId }) => endpointId).toSorted()).to.deep.equal(ids.slice(1).toSorted());
    const messages = data.reduce((sum, { count }) => sum + count, 0);
    expect(messages).to.be.at.least(2);
    for (const receiver of receivers) receiver.answering = undefined;
    const resendAll = async (): Promise<{ readonly resent: number; readonly batches: number }> => {
      let [resent, batches] = [0, 0];
      let cursor: string | undefined;
      do {
        const answer = await ask('POST', '/webhooks/resend', { since: SINCE, asOf, ...(cursor && { cursor }) });
        expect(answer.status, answer.text).to.equal(200);
        const batch = Resent.parse(answer.body);
        resent += batch.resent;
        batches += 1;
        cursor = batch.nextCursor;
      } while (cursor !== undefined);
      return { resent, batches };
    };
    const twice = await Promise.all([resendAll(), resendAll()]); // a second press
    expect(twice[0].resent + twice[1].resent).to.equal(messages);
    expect(Math.max(...twice.map(({ batches }) => batches))).to.be.at.least(2); // an endpoint a batch
    await until(async () => (await failing()) === 0);
    expect((await resendAll()).resent).to.equal(0);
    const acts = (await actsOf(dashboard)).filter(({ type }) => type === 'WebhookResendRequested');
    expect(acts.map(({ by }) => by)).to.deep.equal(ids.slice(1).map(() => dashboard.userIdOf('developer')));
    expect((await counted()).data).to.deep.equal([]);
  });

  it('go on after an endpoint that was disabled between two batches, and take no cursor of another request', async () => {
    for (const receiver of receivers.slice(1)) refuse(receiver);
    await shop.paid();
    for (const id of ids.slice(1)) await untilRefusedTwice(id);
    const { asOf, data } = await counted();
    const [first, second] = data.map(({ endpointId }) => endpointId).toSorted();
    const begun = Resent.parse((await ask('POST', '/webhooks/resend', { since: SINCE, asOf })).body);
    expect(begun.nextCursor).to.be.a('string');
    const other = { since: new Date(1).toISOString(), asOf, cursor: begun.nextCursor };
    expect((await ask('POST', '/webhooks/resend', other)).status).to.equal(400);
    await ask('POST', `/webhook-endpoints/${first}/disable`, {});
    let [cursor, resent] = [begun.nextCursor, 0];
    while (cursor !== undefined) {
      const batch: z.infer<typeof Resent> = Resent.parse(
        (await ask('POST', '/webhooks/resend', { since: SINCE, asOf, cursor })).body,
      );
      resent += batch.resent;
      cursor = batch.nextCursor;
    }
    expect(resent).to.equal(data.find(({ endpointId }) => endpointId === second)?.count);
  });

  it('are none to another account', async () => {
    const { access } = dashboard.service;
    const account = await access.createAccount('Stranger');
    if (account.kind === 'rejected') throw new Error(account.description);
    const { cookie } = await signedInUser(dashboard.service, account.id, 'owner', 'owner@stranger.example');
    const as = { cookie: `counterfoil_session=${cookie}` };
    const path = `${PATH}/webhooks/untaken?since=${SINCE}`;
    const seen = Untaken.parse((await dashboard.ask('anybody', 'GET', path, undefined, as)).body);
    expect(seen.data).to.deep.equal([]);
    const resent = await dashboard.ask(
      'anybody',
      'POST',
      `${PATH}/webhooks/resend`,
      { since: SINCE, asOf: seen.asOf },
      as,
    );
    expect(resent.body).to.deep.equal({ resent: 0 });
  });
});
