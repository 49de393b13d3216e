// A projection is a fold and a collection; by default the fold is the decider's own.
import { expect } from 'chai';
import { UnknownEvent } from '../../src/journal/envelope.ts';
import { foldOf, projection } from '../../src/projections/projection.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { append, ledger, ledgers, opened, paid } from './engine/ledger.ts';
import { totals } from './engine/log/totals.ts';

describe('a projection', () => {
  const events = openMemoryEventStore();

  it('folds stored events as the decider does, from its initial state', async () => {
    const stored = await append(events, 'a', -1, opened('ann'), paid(4));
    const first = stored[0] && ledgers.project(undefined, stored[0]);
    expect(first).to.deep.include({ owner: 'ann', balance: 0 });
    expect(stored[1] && ledgers.project(first, stored[1])).to.deep.include({ owner: 'ann', balance: 4, payments: 1 });
    expect(first).to.deep.include({ balance: 0 });
  });

  it('reads the streams of its decider', () => expect(foldOf(ledger).category).to.equal('ledger'));

  it('does not take an event of a newer node for none', async () => {
    const [stored] = await append(events, 'b', -1, { type: 'Donated', data: {} });
    expect(() => stored && ledgers.project(undefined, stored)).to.throw(UnknownEvent);
  });

  it('hands itself, with its types, to work that knows none of them', () => {
    const names = [ledgers, projection(foldOf(ledger), { ...ledgers, name: 'others' })].map((one) =>
      one.open((of) => `${of.name} ${Object.keys(of.keys)}`),
    );
    expect(names).to.deep.equal(['ledgers owner,balance', 'others owner,balance']);
  });
});

describe('a log projection, as it is declared', () => {
  const events = openMemoryEventStore();

  it('reads each stream from its first event, and knows the earlier events', async () => {
    const stored = await append(events, 'c', -1, opened('ann'), paid(4), paid(5));
    const ids: string[] = [];
    let { reader } = totals;
    for (const one of stored) {
      const { changes, next } = reader(one);
      ids.push(...changes.map(({ id }) => id));
      reader = next;
    }
    expect(ids).to.deep.equal(['all', 'of ann', 'all', 'of ann']);
    const [, second] = stored;
    // a reader remembers nothing on its own
    expect(second && totals.reader(second).changes.map(({ id }) => id)).to.deep.equal(['all', 'of nobody']);
  });

  it('names every category that it reads, and is read as what anybody was told is written', () => {
    expect([totals.kind, totals.categories, totals.freshness]).to.deep.equal([
      'log',
      ['ledger', 'gift'],
      'linearizable',
    ]);
    expect([ledgers.kind, ledgers.categories]).to.deep.equal(['stream', ['ledger']]);
  });
});

// A projection whose keys read what its documents do not have must not compile.
// @ts-expect-error there is no such member
projection(foldOf(ledger), { name: 'wrong', version: 1, keys: { owner: ({ missing }) => missing }, indexes: [] });
projection(foldOf(ledger), {
  name: 'wrong',
  version: 1,
  keys: { owner: ({ owner }) => owner },
  // @ts-expect-error an index of a key that is not declared
  indexes: [['balance']],
});
