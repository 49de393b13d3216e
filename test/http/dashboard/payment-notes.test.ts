// Notes on a payment over HTTP: by whom, once for a key, two at once, bad input, and the payment's own version stays.
import { expect } from 'chai';
import { z } from 'zod';
import type { Role } from '../../../src/domain/user/roles.ts';
import { type Dashboard, openDashboard, signedInUser } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';

const Notes = z.strictObject({
  data: z.array(
    z.strictObject({
      note: z.number(),
      text: z.string(),
      date: z.string(),
      author: z.strictObject({ id: z.string(), email: z.string().optional() }),
    }),
  ),
});
const Refusal = z.object({ error: z.looseObject({ errorId: z.string(), description: z.string() }) });

describe('the notes on a payment', () => {
  let dashboard: Dashboard;
  let shop: Shop;
  let id: string;
  let path: string;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());
  beforeEach(async () => {
    ({ id } = await shop.captured());
    path = `/dashboard/api/payments/${id}/notes`;
  });

  const add = (role: Role, text: string, key?: string) =>
    dashboard.ask(role, 'POST', path, { text }, key === undefined ? {} : { 'x-idempotency-key': key });
  const withdraw = (role: Role, note: number) => dashboard.ask(role, 'POST', `${path}/${note}/withdraw`, {});
  const texts = async (role: Role = 'auditor') =>
    Notes.parse((await dashboard.ask(role, 'GET', path)).body).data.map(({ text }) => text);
  const errorIn = ({ body }: { readonly body: unknown }) => Refusal.parse(body).error.errorId;

  it('are read by everyone, newest first, with their authors; the payment, its version and its ETag stay', async () => {
    const payment = () => dashboard.ask('auditor', 'GET', `/dashboard/api/payments/${id}`);
    const before = await payment();
    expect((await add('support', '  The customer called:\nthe parcel is late. ')).status).to.equal(200);
    const { status, body } = await add('developer', 'It was delivered.');
    expect(status).to.equal(200);
    expect(Notes.parse(body).data.map(({ note, text, author }) => [note, text, author])).to.deep.equal([
      [1, 'It was delivered.', { id: dashboard.userIdOf('developer'), email: 'developer@example.org' }],
      [
        0,
        'The customer called:\nthe parcel is late.',
        { id: dashboard.userIdOf('support'), email: 'support@example.org' },
      ],
    ]);
    expect(await texts()).to.deep.equal(['It was delivered.', 'The customer called:\nthe parcel is late.']);
    const after = await payment();
    expect(after.text).to.equal(before.text);
    expect(after.headers.get('etag')).to.equal(before.headers.get('etag'));
    const stream = await dashboard.ask('auditor', 'GET', `/dashboard/api/streams/paymentNote-${id}/events`);
    expect(stream.body).to.have.nested.property('data[0].type', 'NoteAdded');
    expect(stream.body).to.have.nested.property('data[0].metadata.actor.id', dashboard.userIdOf('support'));
  });

  it('are both kept when two users write at once, and once when one request is sent twice at once', async () => {
    await Promise.all([add('support', 'one'), add('owner', 'two')]);
    expect((await texts()).toSorted()).to.deep.equal(['one', 'two']);
    const twice = await Promise.all([add('support', 'three', 'k-1'), add('support', 'three', 'k-1')]);
    expect(twice.map(({ status }) => status)).to.satisfy((all: readonly number[]) =>
      all.every((status) => status === 200 || status === 409),
    );
    const again = await add('support', 'three', 'k-1');
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    expect(await texts()).to.have.members(['one', 'two', 'three']);
    expect(errorIn(await add('support', 'four', 'k-1'))).to.equal('IdempotencyKeyReused');
  });

  it('are withdrawn by their author or an owner alone, once, and stay in the log', async () => {
    await add('support', 'mine');
    await add('support', 'mine, too');
    expect(errorIn(await withdraw('developer', 0))).to.equal('InsufficientScope');
    expect((await withdraw('support', 0)).status).to.equal(200);
    expect(errorIn(await withdraw('support', 0))).to.equal('NotFound');
    expect((await withdraw('owner', 1)).status).to.equal(200);
    expect(await texts()).to.deep.equal([]);
    const { text } = await dashboard.ask('auditor', 'GET', `/dashboard/api/streams/paymentNote-${id}/events`);
    expect(text).to.include('mine, too').and.include('NoteWithdrawn');
  });

  it('are withdrawn once by two at once', async () => {
    await add('support', 'mine');
    const both = await Promise.all([withdraw('support', 0), withdraw('owner', 0)]);
    expect(both.map(({ status }) => status).toSorted()).to.deep.equal([200, 404]);
  });

  it('are refused if they are blank, too long, hold a card number, or are by an auditor', async () => {
    expect(errorIn(await add('support', ' \n '))).to.equal('RequestValidationError');
    expect(errorIn(await add('support', 'x'.repeat(2_001)))).to.equal('RequestValidationError');
    expect(errorIn(await add('support', 'It was 4242 4242 4242 4242.'))).to.equal('CardNumberNotAllowed');
    expect(errorIn(await add('auditor', 'Looks right.'))).to.equal('InsufficientScope');
    expect(errorIn(await dashboard.ask('support', 'POST', path, { text: 'a', author: 'b' }))).to.equal(
      'RequestValidationError',
    );
    expect((await add('support', '😀'.repeat(2_000))).status).to.equal(200);
    expect(await texts()).to.have.length(1);
  });

  it('are of the payment’s account alone', async () => {
    await add('support', 'ours');
    const { service, url } = dashboard;
    const other = await service.access.createAccount('Another', false);
    if (other.kind === 'rejected') throw new Error(other.description);
    const { cookie } = await signedInUser(service, other.id, 'owner', 'owner@another.example');
    const headers = {
      cookie: `counterfoil_session=${cookie}`,
      'x-csrf': '1',
      'content-type': 'application/json',
    };
    const asked = [
      fetch(`${url}${path}`, { headers }),
      fetch(`${url}${path}`, { method: 'POST', headers, body: '{"text":"theirs"}' }),
      fetch(`${url}${path}/0/withdraw`, { method: 'POST', headers, body: '{}' }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([404, 404, 404]);
    const unknown = await dashboard.ask('support', 'POST', '/dashboard/api/payments/pay_1/notes', { text: 'a' });
    expect(unknown.status).to.equal(404);
    expect(await texts()).to.deep.equal(['ours']);
  });
});
