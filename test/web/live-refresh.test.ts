// The dashboard's responses that an event outdates, and how many events become one question.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { LIVE_CATEGORIES } from '../../src/queries/live-stream.ts';
import { LiveRefresh } from '../../web/dashboard/src/app/live-refresh.ts';
import { isCostly, isLong, isOld, KEYS, OLD } from '../../web/dashboard/src/app/query-keys.ts';

const SOURCES = 'web/dashboard/src';
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('query-keys.ts'))
  .map((name) => readFileSync(join(SOURCES, name), 'utf8'));

describe("the dashboard's answers", () => {
  it('are outdated by every topic that the live stream reports from the log', () => {
    expect(Object.keys(OLD)).to.include.members([...LIVE_CATEGORIES]);
  });

  it('have the names by which topics make them old', () => {
    for (const name of Object.keys(KEYS))
      expect(
        sources.some((text) => text.includes(`KEYS.${name}`)),
        name,
      ).to.equal(true);
    const others = sources.flatMap((text) => text.match(/queryKey: \['[^\n]*/g) ?? []);
    // A link's and a second factor's offer are not state of the account.
    expect(others.toSorted()).to.deep.equal(["queryKey: ['two-factor-offer'],", "queryKey: ['welcome'],"]);
  });

  it('are told apart: a payment makes its lists old, and not the comparison of the whole account', () => {
    const paid = new Set(['payment']);
    expect(isOld([KEYS.payments, 'list', {}], paid)).to.equal(true);
    expect(isOld([KEYS.newestEvents, '', ''], paid)).to.equal(true);
    for (const key of [KEYS.ledgerDiff, KEYS.sandboxWords, KEYS.sandboxControls, KEYS.me])
      expect(isOld([key], paid), key).to.equal(false);
    expect(isOld([KEYS.ledgerDiff], new Set(['everything']))).to.equal(true);
    expect(isOld([KEYS.payments], new Set(['caught-up', 'no such topic']))).to.equal(false);
  });

  it('are read again automatically as long as they are few pages', () => {
    expect(isLong({ pages: [1, 2, 3] })).to.equal(false);
    expect(isLong({ pages: [1, 2, 3, 4] })).to.equal(true);
    for (const answer of [undefined, null, { data: [] }]) expect(isLong(answer)).to.equal(false);
  });
});

describe("the dashboard's totals", () => {
  it('are counted again because of an event while they are few rows', () => {
    for (const key of [KEYS.paymentTotals, KEYS.disputeTotals, KEYS.sessionTotals])
      expect(isOld([key, {}], new Set(['payment'])), key).to.equal(true);
    expect([0, 100, 101].map((count) => isCostly({ count, isMore: false, currencies: [] }))).to.deep.equal([
      false,
      false,
      true,
    ]);
    for (const answer of [undefined, null, { data: [] }]) expect(isCostly(answer)).to.equal(false);
  });
});

describe("the dashboard's live refresh", () => {
  let asked: string[][];
  let answer: (() => void)[];
  let waits: { readonly ms: number; readonly run: () => void }[];
  let refresh: LiveRefresh;
  beforeEach(() => {
    [asked, answer, waits] = [[], [], []];
    refresh = new LiveRefresh(
      (topics) => {
        asked.push([...topics]);
        return new Promise<void>((resolve) => answer.push(resolve));
      },
      (ms, run) => {
        const wait = { ms, run };
        waits.push(wait);
        return () => {
          waits = waits.filter((one) => one !== wait);
        };
      },
    );
  });
  const pass = (ms: number): void => {
    const due = waits.filter((one) => one.ms === ms);
    waits = waits.filter((one) => !due.includes(one));
    for (const { run } of due) run();
  };

  it('gathers many messages into one question', () => {
    for (const topic of ['payment', 'payment', 'apiKey']) refresh.hear(topic);
    expect(asked).to.deep.equal([]);
    pass(300);
    expect(asked).to.deep.equal([['payment', 'apiKey']]);
  });

  it('asks again after the answer, and not before it', async () => {
    refresh.hear('payment');
    pass(300);
    refresh.hear('payment');
    pass(300);
    expect(asked).to.have.length(1);
    answer[0]?.();
    await Promise.resolve();
    pass(300);
    expect(asked).to.deep.equal([['payment'], ['payment']]);
  });

  it('waits five seconds for an answer, and no longer', () => {
    refresh.hear('payment');
    pass(300);
    refresh.hear('user');
    pass(5_000);
    pass(300);
    expect(asked).to.deep.equal([['payment'], ['user']]);
  });

  it('asks nothing after it was stopped', () => {
    refresh.hear('payment');
    refresh.stop();
    pass(300);
    expect(asked).to.deep.equal([]);
  });
});
