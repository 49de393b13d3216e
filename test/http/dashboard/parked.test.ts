// Parked work in the dashboard: a stream that cannot be projected, one that was broken and mended, a notification of no
// known payment.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { userCategory } from '../../../src/domain/user/events.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { beforeFirst, seal } from '../../../src/journal/envelope.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../../src/processors/sandbox/notifications.ts';
import { takeOut } from '../../support/altered-log.ts';
import { actsOf, type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { paidOver } from '../../support/paid-over.ts';
import { until } from '../../support/until.ts';

const Parked = z.object({
  data: z.array(
    z.looseObject({ projection: z.string(), stream: z.string(), revision: z.number(), reason: z.string() }),
  ),
  others: z.number(),
});
const ParkedNotifications = z.object({ data: z.array(z.looseObject({ id: z.string(), status: z.string() })) });
const Events = z.object({ data: z.array(z.looseObject({ type: z.string(), actor: z.object({ id: z.string() }) })) });
const STREAMS = '/dashboard/api/parked-streams';
const NOTIFICATIONS = '/dashboard/api/parked-notifications';

describe('parked work in the dashboard', () => {
  let dir: string;
  let dashboard: Dashboard;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'counterfoil-parked-'));
    dashboard = await openDashboard({ dir });
  });
  after(async () => {
    await dashboard.close();
    await rm(dir, { recursive: true });
  });

  const parked = async () => Parked.parse((await dashboard.ask('developer', 'GET', STREAMS)).body);
  const ask = (path: string, body: unknown = {}) => dashboard.ask('developer', 'POST', path, body);
  const developer = () => dashboard.userIdOf('developer');

  /** An event that its fold does not take: the first of its stream says that a user who never was is disabled. */
  async function poisoned(accountId: string, id: string): Promise<string> {
    const { events, world } = dashboard.opened;
    const context = operatorContext(world, accountId);
    const [sealed] = seal(userCategory, [{ type: 'UserDisabled', data: {} }], context, beforeFirst, world);
    if (sealed === undefined) throw new Error('nothing was sealed');
    await events.append(`user-${id}`, -1, [sealed.stored]);
    return `user-${id}`;
  }

  it('has a stream that no fold accepts: a retry fails, the event is skipped, and both requests are recorded first', async () => {
    const stream = await poisoned(dashboard.accountId, 'usr_poisoned');
    const elsewhere = await poisoned('acc_other', 'usr_of_another');
    await until(async () => (await parked()).others === 1 && (await parked()).data.length === 1);
    const named = { projection: 'users', stream };
    expect((await parked()).data[0]).to.include({ ...named, revision: 0, reason: 'poison' });
    expect((await ask(`${STREAMS}/retry`, named)).body).to.deep.equal({ ...named, goesOn: false });
    expect((await parked()).data).to.have.length(1);
    expect((await ask(`${STREAMS}/discard`, named)).body).to.deep.equal({ ...named, goesOn: true });
    expect(await parked()).to.deep.equal({ data: [], others: 1 });
    // Neither what is parked no longer, nor a stream of another account, leaves an event.
    for (const gone of [stream, elsewhere])
      for (const verb of ['retry', 'discard'])
        expect((await ask(`${STREAMS}/${verb}`, { ...named, stream: gone })).status, `${verb} ${gone}`).to.equal(404);
    const data = { ...named, revision: 0 };
    expect(await actsOf(dashboard)).to.deep.equal([
      { type: 'ParkedStreamDiscardRequested', by: developer(), data },
      { type: 'ParkedStreamRetryRequested', by: developer(), data },
    ]);
  });

  it('has a broken stream, which goes on when its log was put back, and cannot be passed over', async () => {
    const stream = `payment-${await paidOver(dashboard)}`;
    const putBack = await takeOut(join(dir, 'events.db'), stream, 1);
    expect((await ask(`/dashboard/api/projections/payments/rebuild`, { dryRun: true })).status).to.equal(200);
    await until(async () => (await parked()).data.length === 1);
    const named = { projection: 'log', stream };
    expect((await parked()).data[0]).to.include({ ...named, reason: 'broken' });
    expect((await ask(`${STREAMS}/discard`, named)).status).to.equal(409);
    expect((await ask(`${STREAMS}/retry`, named)).body).to.deep.equal({ ...named, goesOn: false });
    await putBack();
    // The service tries a broken stream once on its own: where that is now, the request finds nothing parked.
    const last = await ask(`${STREAMS}/retry`, named);
    const isAsked = last.status !== 404;
    if (isAsked) expect(last.body).to.deep.equal({ ...named, goesOn: true });
    expect((await parked()).data).to.deep.equal([]);
    const types = (await actsOf(dashboard)).map(({ type }) => type);
    const asked = [
      'ParkedStreamRetryRequested',
      ...(isAsked ? ['ParkedStreamRetryRequested'] : []),
      'RebuildRequested',
    ];
    expect(types.slice(0, asked.length)).to.deep.equal(asked);
  });

  it('has a notification without a known payment: a retry fails, it is discarded, both as events of the user', async () => {
    const [key] = dashboard.opened.secrets.keys('sandbox-signature');
    if (key === undefined) throw new Error('no key to sign with');
    const told = {
      notificationId: 'n-1',
      type: 'authorization.succeeded',
      occurredAt: '2026-01-01T00:00:00Z',
      reference: 'nobody0',
    };
    const body = JSON.stringify({ ...told, processorTransactionId: 'sbx_1', amount: 1_000, currencyCode: 'EUR' });
    const headers = {
      'x-api-key': dashboard.key,
      'content-type': 'application/json',
      [SIGNATURE_HEADER]: signatureOf(key, body, dashboard.opened.world.now()),
    };
    const answer = await fetch(`${dashboard.url}/webhooks/sandbox`, { method: 'POST', headers, body });
    expect(answer.status).to.equal(202);
    const waiting = async () =>
      ParkedNotifications.parse((await dashboard.ask('developer', 'GET', NOTIFICATIONS)).body).data;
    await until(async () => (await waiting()).length === 1);
    const [{ id } = expect.fail('nothing is parked')] = await waiting();
    expect((await ask(`${NOTIFICATIONS}/${id}/retry`)).body).to.include({
      id,
      status: 'parked',
      reason: 'The notification names no known payment of the account.',
    });
    expect((await ask(`${NOTIFICATIONS}/${id}/discard`)).body).to.include({ id, status: 'discarded' });
    expect(await waiting()).to.deep.equal([]);
    expect((await ask(`${NOTIFICATIONS}/${id}/retry`)).status).to.equal(404);
    const { data } = Events.parse(
      (await dashboard.ask('auditor', 'GET', '/dashboard/api/events?category=notification')).body,
    );
    expect(data.slice(0, 2).map(({ type, actor }) => [type, actor.id])).to.deep.equal([
      ['NotificationDiscarded', developer()],
      ['NotificationRetryRequested', developer()],
    ]);
  });
});
