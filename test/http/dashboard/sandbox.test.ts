// The sandbox in the dashboard: cards and faults, the clock that names its mover, the ledger and its comparison with
// the payments.
import { expect } from 'chai';
import { z } from 'zod';
import { machineTime } from '../../../src/commands/users/machine-time.ts';
import { accept } from '../../../src/domain/decider.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { STORE_ID } from '../../../src/journal/store-stamp.ts';
import { transact } from '../../../src/journal/transact.ts';
import { streamOf } from '../../../src/stores/stream-name.ts';
import { actsOf, type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { paidOver } from '../../support/paid-over.ts';

const FAULTS = '/dashboard/api/sandbox/faults';
const RULE = { match: { operation: 'capture' }, do: { phase: 'during_reply', fault: 'reset', times: 1 } };

describe('the sandbox in the dashboard', () => {
  let dashboard: Dashboard;
  let paymentId: string;
  before(async () => {
    dashboard = await openDashboard();
    paymentId = await paidOver(dashboard);
  });
  after(() => dashboard.close());

  const read = async (path: string) => (await dashboard.ask('developer', 'GET', path)).body;

  it('lists the cards of the code itself, and the faults with what they do', async () => {
    const { data } = z
      .object({ data: z.array(z.looseObject({ title: z.string() })) })
      .parse(await read('/dashboard/api/sandbox/cards'));
    const { sandbox } = dashboard.opened;
    expect(data).to.deep.equal(sandbox?.scenarios());
    const kinds = z.looseObject({ faults: z.array(z.looseObject({ name: z.string() })) });
    expect(kinds.parse(await read('/dashboard/api/sandbox/fault-kinds')).faults.map(({ name }) => name)).to.include(
      'reset',
    );
  });

  it('sets and clears the rules of the account, and says what is wrong with one', async () => {
    const set = await dashboard.ask('developer', 'PUT', FAULTS, { seed: 0, rules: [RULE] });
    expect(set.body).to.deep.equal({ seed: 0, rules: [RULE], counts: [{ matched: 0, applied: 0, isUsedUp: false }] });
    expect(await read(FAULTS)).to.deep.equal(set.body);
    const wrong = await dashboard.ask('developer', 'PUT', FAULTS, {
      rules: [{ match: { operation: 'capture' }, do: { fault: 'reset' } }],
    });
    expect([wrong.status, wrong.text]).to.satisfy(
      ([status, text]: [number, string]) => status === 422 && text.includes('phase'),
    );
    expect((await dashboard.ask('developer', 'PUT', FAULTS)).status, 'without a body').to.equal(400);
    expect((await dashboard.ask('developer', 'PUT', FAULTS, {})).status, 'without rules').to.equal(422);
    expect(await read(FAULTS), 'afterwards').to.deep.equal(set.body);
    const cleared = await dashboard.ask('developer', 'PUT', FAULTS, { seed: 0, rules: [] });
    expect(cleared.body).to.deep.equal({ seed: 0, rules: [], counts: [] });
    const by = dashboard.userIdOf('developer');
    expect(await actsOf(dashboard)).to.deep.equal([
      { type: 'SandboxFaultsRequested', by, data: { seed: 0, rules: [] } },
      { type: 'SandboxFaultsRequested', by, data: { seed: 0, rules: [RULE] } },
    ]);
  });

  it('keeps the name of a test card in the event of a rule, and never its number', async () => {
    const rule = { match: { operation: 'capture', card: '4242 4242 4242 4242' }, do: { drop: true } };
    expect((await dashboard.ask('owner', 'PUT', FAULTS, { seed: 3, rules: [rule] })).status).to.equal(200);
    const [act = expect.fail('there is no act')] = await actsOf(dashboard);
    expect(JSON.stringify(act.data))
      .to.match(/"seed":3,.*"card":"[a-z]/)
      .and.not.match(/4242/);
    await dashboard.ask('owner', 'PUT', FAULTS, { seed: 0, rules: [] });
  });

  it('shows the ledger of the account, page by page, and finds it equal to the payments', async () => {
    const Page = z.looseObject({
      data: z.array(z.looseObject({ operation: z.string(), paymentId: z.string() })),
      nextCursor: z.string().optional(),
    });
    const first = Page.parse(await read('/dashboard/api/sandbox/ledger?limit=1'));
    const next = Page.parse(await read(`/dashboard/api/sandbox/ledger?limit=1&cursor=${first.nextCursor}`));
    expect([...first.data, ...next.data].map(({ operation }) => operation)).to.deep.equal(['authorization', 'capture']);
    expect(first.data[0]?.paymentId).to.equal(paymentId);
    const { tookMs: _took, ...diff } = z
      .looseObject({ tookMs: z.number() })
      .parse(await read('/dashboard/api/sandbox/diff'));
    const totals = [{ currencyCode: 'EUR', authorized: 5_000, captured: 5_000, refunded: 0 }];
    const held: readonly object[] = [];
    expect(diff).to.deep.equal({
      equal: true,
      payments: 1,
      lines: 2,
      open: 0,
      differences: 0,
      shown: [],
      totals,
      held,
    });
  });

  it('moves the business clock, on record as an act of the user', async () => {
    const Clock = z.object({ now: z.string(), offsetMs: z.number() });
    const before = Clock.parse(await read('/dashboard/api/sandbox/clock'));
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 3_600_000 });
    expect(Clock.parse(moved.body).offsetMs).to.equal(before.offsetMs + 3_600_000);
    const actors: unknown[] = [];
    for await (const { type, metadata } of dashboard.opened.events.read(streamOf('store', STORE_ID), -1))
      if (type === 'BusinessClockMoved') actors.push(JSON.parse(metadata).actor);
    expect(actors).to.deep.equal([{ kind: 'user', id: dashboard.userIdOf('developer') }]);
    const listed = await dashboard.ask('auditor', 'GET', '/dashboard/api/events?category=store');
    expect(listed.text).to.include('BusinessClockMoved').and.not.include('StoreCreated');
    expect(
      (await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: -1 })).status,
    ).to.equal(422);
  });

  it('is for owners and developers alone', async () => {
    for (const role of ['support', 'auditor'] as const)
      expect((await dashboard.ask(role, 'GET', FAULTS)).status, role).to.equal(403);
  });

  it('moves the business clock by more than 90 days only after the password was given again', async () => {
    const { service, accountId } = dashboard;
    const day = 86_400_000;
    const [, sessionId = ''] = dashboard.cookieOf('developer').split('.');
    const given = async (agoMs: number): Promise<void> => {
      const confirmed = {
        type: 'PasswordConfirmed',
        data: { sessionId, at: machineTime(service.world) - agoMs },
      } as const;
      await transact(
        service.streams.users,
        dashboard.userIdOf('developer'),
        operatorContext(service.world, accountId),
        () => accept(confirmed),
      );
    };
    const move = (byMs: number) => dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs });
    await given(11 * 60_000);
    expect((await move(90 * day + 1)).body).to.have.nested.property('error.errorId', 'PasswordNeeded');
    expect((await move(90 * day)).status).to.equal(200);
    expect((await move(366 * day)).status).to.equal(403);
    await given(0);
    expect((await move(91 * day)).status).to.equal(200);
  });
});
