// The routes of the page Proof: checkpoints page by page, lines of JSON that end with a result, and no payment of
// another account.
import { expect } from 'chai';
import { z } from 'zod';
import { readProof } from '../../../src/verify/format.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { shopOf } from '../../support/dashboard-shop.ts';
import { until } from '../../support/until.ts';
import { newAccount, pay } from '../../webhooks/told-node.ts';

const HOUR = 3_600_000;
const Page = z.looseObject({
  data: z.array(z.looseObject({ treeSize: z.number() })),
  publicKeys: z.array(z.string()).length(1),
  everyMs: z.literal(HOUR),
  nextCursor: z.string().optional(),
});

describe('the routes of the page Proof', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
    const { opened, service } = dashboard;
    for (let hour = 1; hour <= 3; hour += 1) {
      await opened.clock?.advance({ events: opened.events }, HOUR);
      await until(async () => (await service.queries.listCheckpoints(20)).rows.length === hour);
    }
  });
  after(() => dashboard.close());

  const page = async (query = '') =>
    Page.parse((await dashboard.ask('auditor', 'GET', `/dashboard/api/checkpoints${query}`)).body);
  const lines = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const { status, text } = await dashboard.ask('auditor', 'GET', path);
    expect(status).to.equal(200);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));
  };

  it('list the checkpoints page by page, newest first', async () => {
    const { data: all, nextCursor } = await page();
    expect([all.length, nextCursor]).to.deep.equal([3, undefined]);
    const first = await page('?limit=2');
    const second = await page(`?limit=2&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data]).to.deep.equal(all);
    const { status } = await dashboard.ask('auditor', 'GET', '/dashboard/api/checkpoints?cursor=x');
    expect(status).to.equal(400);
  });

  it('compare the log, and prove a payment as an extension of the newest checkpoint', async () => {
    const compared = (await lines('/dashboard/api/checkpoints/comparison')).at(-1);
    expect(compared).to.deep.include({ kind: 'compared', held: 3, failed: 0 });
    const { id } = await shopOf(dashboard).paid();
    const told = (await lines(`/dashboard/api/payments/${id}/proof`)).at(-1);
    const proof = readProof(told?.['proof']);
    const [newest] = (await page()).data;
    expect(proof).to.include({ paymentId: id });
    expect(proof.checkpoint.extends?.treeSize).to.equal(newest?.treeSize);
  });

  it('prove no payment of another account', async () => {
    const other = await pay(dashboard.service, await newAccount(dashboard.service));
    const { status } = await dashboard.ask('owner', 'GET', `/dashboard/api/payments/${other}/proof`);
    expect(status).to.equal(404);
  });
});
