// The views that users of an account share, over HTTP: by whom, once for a key, two at once, bad input, and those of
// another account.
import { expect } from 'chai';
import { z } from 'zod';
import type { Role } from '../../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard, signedInUser } from '../../support/dashboard.ts';

const Views = z.strictObject({
  data: z.array(
    z.strictObject({
      view: z.number(),
      list: z.string(),
      name: z.string(),
      search: z.record(z.string(), z.string()),
      author: z.strictObject({ id: z.string(), email: z.string().optional() }),
    }),
  ),
});
const Refusal = z.object({ error: z.looseObject({ errorId: z.string() }) });
const PATH = '/dashboard/api/views';

describe('the views that users share', () => {
  let dashboard: Dashboard;
  beforeEach(async () => {
    dashboard = await openDashboard();
  });
  afterEach(() => dashboard.close());

  const save = (role: Role, name: string, key?: string, list = 'payments') =>
    dashboard.ask(
      role,
      'POST',
      PATH,
      { list, name, search: { status: 'DECLINED,FAILED', sort: 'oldest' } },
      key === undefined ? {} : { 'x-idempotency-key': key },
    );
  const remove = (role: Role, view: number) => dashboard.ask(role, 'POST', `${PATH}/${view}/remove`, {});
  const views = async (role: Role = 'auditor') => Views.parse((await dashboard.ask(role, 'GET', PATH)).body).data;
  const errorIn = ({ body }: { readonly body: unknown }) => Refusal.parse(body).error.errorId;

  it('are read by everyone, by name, with their authors', async () => {
    expect((await save('support', ' Refused ')).status).to.equal(200);
    expect((await save('developer', 'Failed')).status).to.equal(200);
    expect(await views()).to.deep.equal([
      {
        view: 1,
        list: 'payments',
        name: 'Failed',
        search: { status: 'DECLINED,FAILED', sort: 'oldest' },
        author: { id: dashboard.userIdOf('developer'), email: 'developer@example.org' },
      },
      {
        view: 0,
        list: 'payments',
        name: 'Refused',
        search: { status: 'DECLINED,FAILED', sort: 'oldest' },
        author: { id: dashboard.userIdOf('support'), email: 'support@example.org' },
      },
    ]);
    const stream = `/dashboard/api/streams/savedView-${dashboard.accountId}/events`;
    const { body } = await dashboard.ask('auditor', 'GET', stream);
    expect(body).to.have.nested.property('data[0].type', 'ViewSaved');
    expect(body).to.have.nested.property('data[0].metadata.actor.id', dashboard.userIdOf('support'));
  });

  it('have a name once in a list, even if two users save it at once', async () => {
    const both = await Promise.all([save('support', 'Refused'), save('owner', 'Refused')]);
    expect(both.map(({ status }) => status).toSorted()).to.deep.equal([200, 409]);
    expect(await views()).to.have.length(1);
    expect((await save('owner', 'Refused', undefined, 'disputes')).status).to.equal(200);
  });

  it('are saved once for a key', async () => {
    await save('support', 'Refused', 'k-1');
    const again = await save('support', 'Refused', 'k-1');
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    expect(await views()).to.have.length(1);
  });

  it('are removed by their author or an owner alone, once', async () => {
    await save('support', 'Refused');
    await save('support', 'Failed');
    expect(errorIn(await remove('developer', 0))).to.equal('InsufficientScope');
    const both = await Promise.all([remove('support', 0), remove('owner', 0)]);
    expect(both.map(({ status }) => status).toSorted()).to.deep.equal([200, 404]);
    expect((await remove('owner', 1)).status).to.equal(200);
    expect(await views()).to.deep.equal([]);
  });

  it('are refused if they are blank, of no list, hold a card number or are by an auditor', async () => {
    const sent = (body: object) => dashboard.ask('support', 'POST', PATH, body);
    const view = { list: 'payments', name: 'Refused', search: {} };
    expect(errorIn(await sent({ ...view, name: ' ' }))).to.equal('RequestValidationError');
    expect(errorIn(await sent({ ...view, name: 'x'.repeat(61) }))).to.equal('RequestValidationError');
    expect(errorIn(await sent({ ...view, list: 'users' }))).to.equal('RequestValidationError');
    expect(errorIn(await sent({ ...view, search: { 'Not a filter': 'x' } }))).to.equal('RequestValidationError');
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`filter_${at}`, 'x']));
    expect(errorIn(await sent({ ...view, search: many }))).to.equal('RequestValidationError');
    const card = { order_id: '4242 4242 4242 4242' };
    expect(errorIn(await sent({ ...view, search: card }))).to.equal('CardNumberNotAllowed');
    expect(errorIn(await save('auditor', 'Refused'))).to.equal('InsufficientScope');
    expect(await views()).to.deep.equal([]);
  });

  it('are of their account alone', async () => {
    await save('support', 'Refused');
    const { service, url } = dashboard;
    const other = await service.access.createAccount('Another', false);
    if (other.kind === 'rejected') throw new Error(other.description);
    const { cookie } = await signedInUser(service, other.id, 'owner', 'owner@another.example');
    const headers = { cookie: `counterfoil_session=${cookie}`, 'x-csrf': '1', 'content-type': 'application/json' };
    const read = await fetch(`${url}${PATH}`, { headers });
    expect(Views.parse(await read.json()).data).to.deep.equal([]);
    const removed = await fetch(`${url}${PATH}/0/remove`, { method: 'POST', headers, body: '{}' });
    expect(removed.status).to.equal(404);
    expect(await views()).to.have.length(1);
  });
});
