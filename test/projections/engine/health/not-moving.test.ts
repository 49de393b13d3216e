// Stalled work is reported in words: a read model that waits, and a stream that is parked; and the report ends with the
// wait.
import { expect } from 'chai';
import { openProjections } from '../../../../src/projections/engine/engine.ts';
import { inWords, labelOf, type NotMoving, wordsOf } from '../../../../src/projections/engine/health/not-moving.ts';
import type { EventStore } from '../../../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../../../src/stores/memory/event-store.ts';
import { memoryReadModels } from '../../../../src/stores/memory/read-models.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { parseTime } from '../../../../src/world.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { until } from '../../../support/until.ts';
import { append, ledgers, opened, paid } from '../ledger.ts';
import { refused, totals } from '../log/totals.ts';
import { type Node, Nodes } from '../nodes.ts';
import { putRelease } from '../parked/releasing.ts';
import { timings } from '../setup.ts';

const BAD = 13;

describe('what does not move', () => {
  let nodes: Nodes;
  beforeEach(() => {
    nodes = new Nodes();
  });
  afterEach(async () => {
    refused.amounts.clear();
    await nodes.close();
  });
  const start = async (newerNodeMs: number): Promise<Node> => {
    const node = await nodes.open({ logs: [totals], timings: { newerNodeMs, stillMs: 40 } });
    node.run();
    return node;
  };

  it('is a read model that waits before an event, with the number of events and the time of the first', async () => {
    const before = calmWorld.now();
    const node = await start(3_600_000);
    await append(nodes.events, 'a', -1, opened('ann'), { type: 'Donated', data: { amount: 1 } });
    await append(nodes.events, 'b', -1, opened('bob'), ...Array.from({ length: 30 }, () => paid(1)));
    await until(() => node.projections.notMoving().some(({ stream }) => stream === undefined));
    const [waiting] = node.projections.notMoving();
    expect(waiting).to.deep.include({ projections: ['totals'], events: 32 });
    expect(waiting?.since).to.be.within(before, calmWorld.now());
    expect(node.projections.readiness().ready).to.equal(true);
    await putRelease(nodes.events, 'ledger-a', 1);
    await node.projections.release('ledger-a');
    await until(() => node.projections.notMoving().length === 0);
  });

  it('is a parked stream, with its events from there on, in all read models that cannot read it', async () => {
    refused.amounts.add(BAD);
    const node = await start(10);
    await append(nodes.events, 'a', -1, opened('ann'), paid(1), paid(BAD), paid(2));
    await append(nodes.events, 'b', -1, opened('bob'), paid(5));
    await until(() => node.projections.notMoving().length > 0);
    expect(node.projections.notMoving()).to.have.length(1);
    expect(node.projections.notMoving()[0]).to.deep.include({ projections: ['totals'], stream: 'ledger-a', events: 2 });
    await append(nodes.events, 'a', 3, paid(3));
    await until(() => node.projections.notMoving()[0]?.events === 3);
  });

  it('is nothing while a read model moves, or has all', async () => {
    const node = await start(10);
    for (let n = 0; n < 20; n += 1) {
      await append(nodes.events, `l${n}`, -1, opened('ann'), paid(n));
      await until(async () => (await node.balance(`l${n}`)) === n);
      expect(node.projections.notMoving()).to.deep.equal([]);
    }
    await until(async () => (await node.projections.status()).every(({ lagEvents }) => lagEvents === 0));
    expect(node.projections.notMoving()).to.deep.equal([]);
  });

  it('keeps no process from seeing that the event store went away while it was looked for', async () => {
    const inner = openMemoryEventStore();
    let reads: 'whole' | 'last' | 'none' = 'whole';
    const events: EventStore = {
      append: (...given) => inner.append(...given),
      read: (...given) => inner.read(...given),
      head: () => (reads === 'none' ? Promise.reject(new StoreUnavailable('away')) : inner.head()),
      close: () => inner.close(),
      // As an adapter that follows through every absence: the look that began before it hears nothing.
      async *follow(after, categories, signal) {
        if (reads === 'last') reads = 'none';
        if (reads === 'none') await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        else yield* inner.follow(after, categories, signal);
      },
    };
    const projections = await openProjections({
      events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report: () => undefined,
      projections: [ledgers, totals],
      timings: { ...timings, newerNodeMs: 3_600_000, stillMs: 40 },
    });
    const over = new AbortController();
    const running = projections.run(over.signal);
    try {
      await append(inner, 'a', -1, opened('ann'), { type: 'Donated', data: { amount: 1 } });
      await until(() => projections.notMoving().some(({ stream }) => stream === undefined));
      reads = 'last';
      await until(() => !projections.readiness().ready);
      expect(projections.readiness().reasons.join()).to.contain('the event store has been unavailable');
    } finally {
      over.abort();
      await running;
    }
  });

  it('has words', () => {
    const now = parseTime('2026-11-24T19:00:00Z') ?? Number.NaN;
    const since = parseTime('2026-11-24T18:40:30Z') ?? Number.NaN;
    const said = (one: Partial<NotMoving>): string =>
      inWords({ projections: ['payment-messages'], since, events: 32, ...one }, now);
    expect(said({})).to.equal('webhooks since 18:40, 32 events');
    expect(said({ events: 1, since: since - 86_400_000 })).to.equal('webhooks since 2026-11-23 18:40, 1 event');
    expect(said({ events: 10_000 })).to.equal('webhooks since 18:40, at least 10000 events');
    expect(said({ projections: ['log'], stream: 'payment-pay_1', events: 3 })).to.equal(
      'every answer about payment-pay_1 since 18:40, 3 events',
    );
    expect(
      said({
        projections: ['payments', 'payment-messages', 'daily-totals', 'disputes'],
        stream: 'payment-pay_1',
      }),
    ).to.equal('payments, webhooks, totals and 1 more of payment-pay_1 since 18:40, 32 events');
    expect(wordsOf('client-sessions')).to.equal('client sessions');
    expect(labelOf('payment-messages', {})).to.equal('webhooks');
    expect(labelOf('payment-messages', { stream: 'payment-pay_1' })).to.equal('streams of webhooks');
    expect(labelOf('log', { stream: 'payment-pay_1' })).to.equal('broken streams');
  });
});
