// The counts of the work that waits for a person: as many as the list of each kind has, and only lists that the user
// may open.
import { expect } from 'chai';
import { z } from 'zod';
import type { Role } from '../../../src/domain/user/roles.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { LISTS, PARKED_STREAM, rowsOf, workOfEachKind } from '../../support/work-of-each-kind.ts';

const Needs = z.strictObject({
  data: z.array(
    z.strictObject({ kind: z.string(), count: z.number(), isMore: z.boolean(), dueAt: z.string().optional() }),
  ),
});
const Due = z.looseObject({ data: z.array(z.looseObject({ challengeRequiredBy: z.string() })) });
const KINDS = Object.keys(LISTS);

describe('the work that waits for a person', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const needs = async (role: Role) => {
    const { status, body } = await dashboard.ask(role, 'GET', '/dashboard/api/needs');
    expect(status).to.equal(200);
    return Needs.parse(body).data;
  };

  it('is counted by kind, nothing at first', async () => {
    const none = KINDS.map((kind) => ({ kind, count: 0, isMore: false }));
    expect(await needs('owner')).to.deep.equal(none);
  });

  it('has the number of rows of the list of its kind, and the deadline of the first dispute', async () => {
    await workOfEachKind(dashboard);
    const rows = await Promise.all(Object.values(LISTS).map((path) => rowsOf(dashboard, path)));
    const counted = await needs('developer');
    expect(counted.map(({ kind, count }) => [kind, count])).to.deep.equal(KINDS.map((kind, at) => [kind, rows[at]]));
    expect(counted.map(({ count }) => count)).to.deep.equal([1, 1, 1, 1, 1]);
    const { data } = Due.parse((await dashboard.ask('support', 'GET', LISTS.disputes)).body);
    expect(counted.map(({ dueAt }) => dueAt)).to.deep.equal([
      data[0]?.challengeRequiredBy,
      ...[undefined, undefined, undefined, undefined],
    ]);
  });

  for (const role of ['support', 'auditor'] as const)
    it(`is counted for ${role} only in the lists that the role may open`, async () => {
      for (const { kind } of await needs('owner')) {
        const path = Object.entries(LISTS).find(([name]) => name === kind)?.[1] ?? expect.fail(`no list of ${kind}`);
        const mayOpen = (await dashboard.ask(role, 'GET', path)).status === 200;
        const isCounted = (await needs(role)).some((one) => one.kind === kind);
        expect(isCounted, kind).to.equal(mayOpen);
      }
    });

  it('says that there may be more parked streams while the event store is unavailable', async () => {
    const { events } = dashboard.opened;
    const read = events.read.bind(events);
    events.read = (stream, ...more) => {
      if (stream === PARKED_STREAM) throw new StoreUnavailable('The event store is unavailable');
      return read(stream, ...more);
    };
    const parked = (await needs('owner')).find(({ kind }) => kind === 'parked_streams');
    events.read = read;
    expect(parked).to.include({ count: 0, isMore: true });
  });
});
