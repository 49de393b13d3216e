// The Operations area over HTTP: streams with their proof, rebuilds that anybody can watch, and the roles that may do
// what.
import { expect } from 'chai';
import { z } from 'zod';
import { STORE_ID } from '../../../src/journal/store-stamp.ts';
import { streamOf } from '../../../src/stores/stream-name.ts';
import { actsOf, type Dashboard, openDashboard, PASSWORD } from '../../support/dashboard.ts';
import { paidOver } from '../../support/paid-over.ts';
import { type SlowedLog, slowedLog } from '../../support/slowed-log.ts';
import { until } from '../../support/until.ts';

const Rebuild = z.looseObject({
  state: z.string(),
  step: z.string(),
  share: z.number(),
  userId: z.string(),
  proof: z
    .looseObject({
      equal: z.boolean(),
      swapped: z.boolean(),
      documents: z.number(),
      digestBefore: z.string(),
      digestAfter: z.string(),
    })
    .optional(),
});
const Projections = z.looseObject({
  data: z.array(
    z.looseObject({
      documents: z.number().optional(),
      parked: z.number().optional(),
      rebuild: z.looseObject({ proof: z.unknown().optional(), fault: z.unknown().optional() }).optional(),
    }),
  ),
});
const Circuits = z.looseObject({
  data: z.array(
    z.looseObject({
      accountId: z.string(),
      processor: z.string(),
      open: z.boolean(),
      operation: z.object({ calls: z.number(), failed: z.number() }),
    }),
  ),
});
const Events = z.looseObject({
  stream: z.string(),
  data: z.array(
    z.looseObject({
      revision: z.number(),
      type: z.string(),
      hash: z.string(),
      data: z.record(z.string(), z.unknown()),
      changes: z.array(z.looseObject({ path: z.string() })),
    }),
  ),
  nextAfter: z.number().optional(),
});
const Refused = z.object({ error: z.object({ errorId: z.string(), description: z.string() }) });
const REBUILD = '/dashboard/api/projections/payments/rebuild';

describe('the Operations area of the dashboard', () => {
  let dashboard: Dashboard;
  let log: SlowedLog;
  let paymentId: string;
  before(async () => {
    dashboard = await openDashboard();
    log = slowedLog(dashboard.opened.events);
    paymentId = await paidOver(dashboard);
  });
  after(() => dashboard.close());

  const read = async (path: string) => (await dashboard.ask('developer', 'GET', path)).body;
  const rebuildNow = async () => Rebuild.parse(await read(REBUILD));
  const ended = async () => {
    await until(async () => (await rebuildNow()).state !== 'running');
    return rebuildNow();
  };

  describe('shows a stream', () => {
    it('by the id of its subject: each event with its hash and the change that it made', async () => {
      const { stream, data, nextAfter } = Events.parse(await read(`/dashboard/api/streams/${paymentId}/events`));
      expect(stream).to.equal(`payment-${paymentId}`);
      expect(data.map(({ revision }) => revision)).to.deep.equal(data.map((_, place) => place));
      expect(data.map(({ type }) => type)).to.include.members([
        'PaymentCreated',
        'PaymentAuthorized',
        'PaymentCaptured',
      ]);
      expect(data.every(({ changes, hash }) => changes.length > 0 && /^[0-9a-f]{64}$/.test(hash))).to.equal(true);
      expect(nextAfter).to.equal(undefined);
    });

    it('page by page', async () => {
      const first = Events.parse(await read(`/dashboard/api/streams/${paymentId}/events?limit=2`));
      expect([first.data.length, first.nextAfter]).to.deep.equal([2, 1]);
      const next = Events.parse(await read(`/dashboard/api/streams/${paymentId}/events?limit=2&after=1`));
      expect(next.data.map(({ revision }) => revision)).to.deep.equal([2, 3]);
    });

    it('in its state at any revision', async () => {
      const State = z.looseObject({ revision: z.number(), state: z.looseObject({ status: z.string() }) });
      const early = State.parse(await read(`/dashboard/api/streams/${paymentId}/state?revision=1`));
      expect([early.revision, early.state.status]).to.deep.equal([1, 'PENDING']);
      const now = State.parse(await read(`/dashboard/api/streams/${paymentId}/state`));
      expect(now.state.status).to.equal('SETTLED');
    });

    it('with the proof of its chain: each event names the hash of the previous one', async () => {
      const Proof = z.looseObject({
        intact: z.boolean(),
        events: z.number(),
        links: z.array(z.looseObject({ previousHash: z.string(), hash: z.string() })),
      });
      const { intact, events, links } = Proof.parse(await read(`/dashboard/api/streams/${paymentId}/verification`));
      expect([intact, events]).to.deep.equal([true, links.length]);
      expect(links.map(({ previousHash }) => previousHash)).to.deep.equal([
        '',
        ...links.slice(0, -1).map(({ hash }) => hash),
      ]);
    });

    it('without the hashes of secrets that are in it', async () => {
      const [keyId = ''] = /key_\w+/.exec((await dashboard.ask('owner', 'GET', '/dashboard/api/keys')).text) ?? [];
      const { data } = Events.parse(await read(`/dashboard/api/streams/${keyId}/events`));
      expect(data[0]?.data['secretHash']).to.equal('(hidden)');
      const user = await dashboard.ask(
        'owner',
        'GET',
        `/dashboard/api/streams/${streamOf('user', dashboard.userIdOf('owner'))}/events`,
      );
      expect([user.status, user.text.includes('(hidden)'), user.text.includes('argon2')]).to.deep.equal([
        200,
        true,
        false,
      ]);
    });

    it('of the own account alone, and to no user of support', async () => {
      expect((await dashboard.ask('auditor', 'GET', `/dashboard/api/streams/${paymentId}/events`)).status).to.equal(
        200,
      );
      expect((await dashboard.ask('support', 'GET', `/dashboard/api/streams/${paymentId}/events`)).status).to.equal(
        403,
      );
      // The store's own stream is of no account.
      expect(
        (await dashboard.ask('owner', 'GET', `/dashboard/api/streams/${streamOf('store', STORE_ID)}/events`)).status,
      ).to.equal(404);
      expect((await dashboard.ask('owner', 'GET', '/dashboard/api/streams/pay_nobodys/events')).status).to.equal(404);
    });
  });

  describe('rebuilds a read model', () => {
    it('while everybody watches, once at a time, and ends with the proof', async () => {
      log.hold();
      const started = await dashboard.ask('developer', 'POST', REBUILD, { dryRun: false });
      expect(started.status).to.equal(200);
      await until(async () => (await rebuildNow()).share > 0);
      const going = await rebuildNow();
      expect([going.state, going.step, going.userId]).to.deep.equal([
        'running',
        'building',
        dashboard.userIdOf('developer'),
      ]);
      expect(going.share).to.be.within(0.01, 0.99);
      const second = await dashboard.ask('owner', 'POST', REBUILD, { dryRun: true });
      expect(second.status).to.equal(409);
      expect(Refused.parse(second.body).error.description).to.include(dashboard.userIdOf('developer'));
      // On record before it is over; the second one was never begun.
      expect(await actsOf(dashboard)).to.deep.equal([
        {
          type: 'RebuildRequested',
          by: dashboard.userIdOf('developer'),
          data: { projection: 'payments', dryRun: false },
        },
      ]);
      log.letGo();
      const { state, proof } = await ended();
      expect(state).to.equal('done');
      expect([proof?.equal, proof?.swapped, proof?.documents]).to.deep.equal([true, true, 1]);
      expect(proof?.digestBefore).to.equal(proof?.digestAfter);
    });

    it('and shows another account neither its user nor the figures of all', async () => {
      const cookie = await ownerOfAnother(dashboard);
      const { status, text } = await dashboard.ask('anybody', 'GET', '/dashboard/api/projections', undefined, {
        cookie,
      });
      expect([status, text.includes('"state":"done"'), text.includes('usr_')]).to.deep.equal([200, true, false]);
      // nor what the accounts have together
      const { data } = Projections.parse(JSON.parse(text));
      for (const { documents, parked, rebuild } of data)
        expect([documents, parked, rebuild?.proof, rebuild?.fault]).to.deep.equal([
          undefined,
          undefined,
          undefined,
          undefined,
        ]);
      const ask = async (path: string) =>
        (await dashboard.ask('anybody', 'GET', `/dashboard/api/${path}`, undefined, { cookie })).body;
      expect(await ask('nodes')).not.to.have.property('degraded');
      expect(await ask('projections/payments/rebuild')).not.to.have.any.keys('proof', 'fault');
      const own = Circuits.parse(await ask('circuits')).data;
      expect(own.map(({ processor, operation }) => [processor, operation.calls])).to.deep.equal([['sandbox', 0]]);
      expect(own.map(({ accountId }) => accountId)).not.to.include(dashboard.accountId);
      const accounts = Circuits.parse(await read('/dashboard/api/circuits')).data.map(({ accountId }) => accountId);
      expect(accounts, 'for operators of the store').to.have.members([dashboard.accountId, own[0]?.accountId]);
    });

    it('without the swap, when it is a dry run', async () => {
      await dashboard.ask('developer', 'POST', REBUILD, { dryRun: true });
      const { proof } = await ended();
      expect([proof?.equal, proof?.swapped]).to.deep.equal([true, false]);
    });

    it('not for other roles, and not one that does not exist', async () => {
      for (const role of ['support', 'auditor'] as const)
        expect((await dashboard.ask(role, 'POST', REBUILD, {})).status).to.equal(403);
      expect((await dashboard.ask('owner', 'POST', '/dashboard/api/projections/nothing/rebuild', {})).status).to.equal(
        404,
      );
      expect((await actsOf(dashboard)).map(({ data }) => data)).to.deep.equal([
        { projection: 'payments', dryRun: true },
        { projection: 'payments', dryRun: false },
      ]);
    });
  });

  it('lists read models, parked work, nodes and circuits', async () => {
    const rows = z.looseObject({
      data: z.array(z.looseObject({ name: z.string(), state: z.string(), lagEvents: z.number() })),
    });
    const { data } = rows.parse(await read('/dashboard/api/projections'));
    expect(data.map(({ name }) => name)).to.include('payments');
    expect(await read('/dashboard/api/parked-streams')).to.deep.equal({ data: [], others: 0, isWhole: true });
    expect(await read('/dashboard/api/parked-notifications')).to.deep.equal({ data: [], hasMore: false });
    const nodes = z.looseObject({ ready: z.boolean(), data: z.array(z.looseObject({ isThis: z.boolean() })) });
    const known = nodes.parse(await read('/dashboard/api/nodes'));
    expect([known.ready, known.data.map(({ isThis }) => isThis)]).to.deep.equal([true, [true]]);
    const { data: circuits } = Circuits.parse(await read('/dashboard/api/circuits'));
    const sandbox = circuits.find(({ accountId }) => accountId === dashboard.accountId);
    expect([sandbox?.processor, sandbox?.open, sandbox?.operation]).to.deep.equal([
      'sandbox',
      false,
      { calls: 2, failed: 0 },
    ]);
  });

  it('finds nothing parked under a stream that is not', async () => {
    const named = { projection: 'payments', stream: `payment-${paymentId}` };
    for (const verb of ['retry', 'discard'])
      expect(
        (await dashboard.ask('owner', 'POST', `/dashboard/api/parked-streams/${verb}`, named)).status,
        verb,
      ).to.equal(404);
  });
});

/** The cookie of an owner of a second account. */
async function ownerOfAnother({ service: { access, users, world } }: Dashboard): Promise<string> {
  const account = await access.createAccount('Another shop');
  if (account.kind === 'rejected') throw new Error(account.description);
  const invited = await users.inviteUser(
    { accountId: account.id, email: 'other@example.org', role: 'owner' },
    'operator',
  );
  if (invited.kind === 'rejected') throw new Error(invited.description);
  const request = {
    password: PASSWORD,
    address: '127.0.0.1',
    device: 'a test',
    at: world.now(),
    requestId: 'req_test',
  };
  const done = await users.welcome({ token: invited.token, ...request });
  if (done.kind === 'rejected') throw new Error(done.description);
  return `counterfoil_session=${done.cookie}`;
}
