// Rules of routing in the dashboard's API: set for the version that was seen, tried on past payments, and read with
// their authors.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';

const Routing = z.looseObject({
  versions: z.array(
    z.looseObject({
      version: z.number(),
      by: z.strictObject({ kind: z.string(), id: z.string(), name: z.string().nullable() }),
    }),
  ),
  connections: z.array(z.strictObject({ name: z.string(), connectionId: z.string() })),
  choices: z.strictObject({
    methodTypes: z.array(z.string()),
    networks: z.array(z.string()),
    refusals: z.array(z.string()),
  }),
});
const Tried = z.looseObject({ payments: z.number(), rules: z.array(z.looseObject({ rule: z.string() })) });

const PATH = '/dashboard/api/routing';
const rules = { rules: [], default: { use: [{ connection: 'sandbox', weight: 1 }] } };

describe('routing in the dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  it('is read by owners and developers alone, without rules at first', async () => {
    const { ask } = dashboard;
    const { versions, connections, choices } = Routing.parse((await ask('developer', 'GET', PATH)).body);
    expect(choices.methodTypes).to.include('PAYMENT_CARD');
    expect(choices.networks).to.include('JCB');
    expect(choices.refusals).to.include('SUSPECTED_FRAUD');
    expect(versions).to.deep.equal([]);
    expect(connections).to.deep.equal([{ name: 'sandbox', connectionId: 'sandbox' }]);
    expect((await ask('support', 'GET', PATH)).status).to.equal(403);
    expect((await ask('support', 'PUT', PATH, { rules, version: 0 })).status).to.equal(403);
  });

  it('is set for the version that was seen, with the user on record, and a later one is a conflict', async () => {
    const { ask, userIdOf, emailOf } = dashboard;
    const set = await ask('owner', 'PUT', PATH, { rules, version: 0 });
    expect(set.status, set.text).to.equal(200);
    const [first] = Routing.parse(set.body).versions;
    expect(first?.version).to.equal(1);
    expect(first?.by).to.deep.equal({ kind: 'user', id: userIdOf('owner'), name: emailOf('owner') });
    expect((await ask('developer', 'PUT', PATH, { rules, version: 0 })).status).to.equal(409);
    const same = await ask('owner', 'PUT', PATH, { rules, version: 1 });
    expect(Routing.parse(same.body).versions).to.have.length(1);
  });

  it('is removed for the version that was seen, and set again as a later one', async () => {
    const { ask, userIdOf, emailOf } = dashboard;
    expect((await ask('support', 'PUT', PATH, { rules: null, version: 1 })).status).to.equal(403);
    expect((await ask('owner', 'PUT', PATH, { rules: null, version: 0 })).status).to.equal(409);
    const removed = await ask('owner', 'PUT', PATH, { rules: null, version: 1 });
    const by = { kind: 'user', id: userIdOf('owner'), name: emailOf('owner') };
    expect(Routing.parse(removed.body).versions[0]).to.deep.include({ version: 2, rules: null, by });
    const set = await ask('owner', 'PUT', PATH, { rules, version: 2 });
    expect(Routing.parse(set.body).versions.map(({ version }) => version)).to.deep.equal([3, 2, 1]);
  });

  it('refuses a file with a sentence for each mistake, when it is set and when it is tried', async () => {
    const { ask } = dashboard;
    const wrong = { rules: [], default: { use: [{ connection: 'third', weight: 0 }] } };
    const tried = await ask('owner', 'POST', `${PATH}/test`, { rules: wrong, days: 7 });
    const set = await ask('owner', 'PUT', PATH, { rules: wrong, version: 3 });
    for (const { status, text } of [tried, set]) {
      expect(status).to.equal(422);
      expect(text).to.contain('default.use[0].connection').and.to.contain('more than 0');
    }
  });

  it('is tried on the payments of the last days without a change', async () => {
    const { ask } = dashboard;
    const { payments, rules: tried } = Tried.parse(
      (await ask('owner', 'POST', `${PATH}/test`, { rules, days: 7 })).body,
    );
    expect({ payments, tried: tried.map(({ rule }) => rule) }).to.deep.equal({ payments: 0, tried: ['default'] });
    expect(Routing.parse((await ask('owner', 'GET', PATH)).body).versions).to.have.length(3);
  });
});
