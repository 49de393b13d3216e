// The ledger's tables against a model of them in plain maps: after any writes in any order both say the same.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Entry } from '../../../../src/processors/sandbox/entry.ts';
import { FaultReport } from '../../../../src/processors/sandbox/fault-plan.ts';
import { remembering } from '../../../../src/processors/sandbox/ledger/ledger-memory.ts';
import {
  type LedgerTables,
  ledgerTables,
  prepareLedgerSchema,
} from '../../../../src/processors/sandbox/ledger/ledger-tables.ts';
import { EXPIRY_NUMBER } from '../../../../src/processors/sandbox/notifications.ts';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { ledgerModel } from './ledger-model.ts';

const ACCOUNTS = ['acc_1', 'acc_2'] as const;
const RULES = [{ match: { operation: 'capture' }, do: { drop: true } }];

const reportOf = (applied: number): FaultReport =>
  FaultReport.parse({ seed: 3, rules: RULES, counts: [{ matched: applied + 1, applied }] });

const account = fc.constantFrom(...ACCOUNTS);
const place = fc.nat({ max: 5 });
const moment = fc.nat({ max: 60 });

/** One write, and its place in the story: every record has to have names of its own. */
type Step = (tables: LedgerTables & { forget?(): void }, place: number, now: number) => unknown;

const entry = (number: number, accountId: string, authorization: number): Entry => ({
  reference: `pay.${number}`,
  operation: 'capture',
  accountId,
  paymentId: `pay_${authorization}`,
  authorizationId: `${accountId}_${authorization}`,
  number,
  transactionId: `tx_${number}`,
  amount: number,
  currencyCode: 'EUR',
  final: false,
  at: number,
  result: 'succeeded',
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(account, place).map(
    ([accountId, card]) =>
      (tables: LedgerTables) =>
        tables.keepCard(`token_${card}`, {
          accountId,
          card: `card_${card}`,
          cvcResult: card % 2 === 0 ? 'MATCH' : 'NO_MATCH',
        }),
  ),
  fc.tuple(account, place).map(
    ([accountId, authorization]) =>
      (tables: LedgerTables, number: number) =>
        tables.record(entry(number, accountId, authorization)),
  ),
  fc
    .record({
      accountId: account,
      authorization: place,
      inMs: moment,
      held: fc.option(moment),
      bad: fc.nat({ max: 1 }),
      expiry: fc.nat({ max: 9 }),
    })
    .map(
      ({ accountId, authorization, inMs, held, bad, expiry }) =>
        (tables: LedgerTables, number: number, now: number) =>
          tables.announce(entry(number, accountId, authorization), {
            id: `ntf_${number}`,
            body: `{"number":${number}}`,
            dueAt: now + inMs,
            number: expiry === 0 ? EXPIRY_NUMBER : number,
            ...(held !== null && { heldUntil: now + inMs + held }),
            badAttempts: bad,
          }),
    ),
  fc
    .nat({ max: 3 })
    .map((limit) => (tables: LedgerTables, _number: number, now: number) => tables.take(now, now + 20, limit + 1)),
  fc.record({ id: fc.nat({ max: 60 }), attempt: fc.integer({ min: 1, max: 3 }), inMs: fc.option(moment) }).map(
    ({ id, attempt, inMs }) =>
      (tables: LedgerTables, _number: number, now: number) =>
        tables.finish(`ntf_${id}`, attempt, inMs === null ? undefined : now + inMs),
  ),
  fc.nat({ max: 60 }).map((id) => (tables: LedgerTables) => {
    const known = tables.entryOf(`pay.${id}`);
    return known && tables.record(known);
  }),
  fc.nat({ max: 60 }).map((id) => (tables: LedgerTables, number: number) => {
    const known = tables.entryOf(`pay.${id}`);
    return known && tables.change({ ...known, amount: number });
  }),
  fc.constant((tables: { forget?(): void }) => tables.forget?.()),
  fc.nat({ max: 60 }).map((id) => (tables: LedgerTables) => tables.withdraw(`ntf_${id}`)),
  fc.tuple(account, place).map(
    ([accountId, key]) =>
      (tables: LedgerTables) =>
        tables.connect(accountId, `key_${key}`),
  ),
  fc.tuple(account, fc.boolean(), place).map(
    ([accountId, some, applied]) =>
      (tables: LedgerTables) =>
        tables.keepFaults(accountId, some ? reportOf(applied) : { seed: 0 }),
  ),
  fc
    .option(account)
    .map(
      (accountId) => (tables: LedgerTables, number: number) =>
        number % 7 === 0 ? tables.reset(accountId ?? undefined) : undefined,
    ),
);

/** Everything that can be read. */
function allOf(tables: LedgerTables, now: number): unknown {
  const accounts = [undefined, ...ACCOUNTS];
  return {
    cards: Array.from({ length: 6 }, (_, card) => tables.cardOf(`token_${card}`)),
    entries: Array.from({ length: 60 }, (_, number) => tables.entryOf(`pay.${number}`)?.amount),
    chains: ACCOUNTS.flatMap((accountId) =>
      Array.from({ length: 6 }, (_, one) =>
        tables.entriesOf(`pay_${one}`, `${accountId}_${one}`).map(({ number, amount }) => [number, amount]),
      ),
    ),
    pages: accounts.map((accountId) => tables.page(accountId, 0, 100).map(({ entry: { reference } }) => reference)),
    halves: accounts.map((accountId) => {
      const [first] = tables.page(accountId, 0, 1);
      return tables.page(accountId, first?.sequence ?? 0, 2).map(({ entry: { reference } }) => reference);
    }),
    nextAt: tables.nextAt(now),
    waiting: Array.from({ length: 60 }, (_, id) => tables.waits(`ntf_${id}`)),
    undelivered: accounts.map((accountId) => tables.undelivered(accountId, now)),
    connected: tables.connectedAccounts(),
    faults: ACCOUNTS.map((accountId) => tables.faultsOf(accountId)),
  };
}

describe('the tables of the ledger', () => {
  it('say the same as their model, with a memory and without one, after any writes in any order', async () => {
    const database = await openDatabase({ file: ':memory:', synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 1_024 });
    prepareLedgerSchema(database);
    let taken = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, fc.nat({ max: 15 })), { minLength: 40, maxLength: 60 }), (story) => {
        database.exec('BEGIN');
        try {
          const both = [remembering(ledgerTables(database)), ledgerModel()] as const;
          let now = 1_000;
          for (const [number, [step, ms]] of story.entries()) {
            now += ms;
            const [one, other] = both.map((tables) => step(tables, number, now));
            expect(other).to.deep.equal(one);
            if (Array.isArray(one)) taken += one.length;
            expect(allOf(both[1], now)).to.deep.equal(allOf(both[0], now));
          }
          expect(allOf(ledgerTables(database), now)).to.deep.equal(allOf(both[0], now));
        } finally {
          database.exec('ROLLBACK');
        }
      }),
      { numRuns: 150 },
    );
    expect(taken, 'notifications that were taken').to.be.greaterThan(100);
    database.close();
  });

  it('have no member of an entry twice, and read the rows of earlier versions, which have', async () => {
    const database = await openDatabase({ file: ':memory:', synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 1_024 });
    prepareLedgerSchema(database);
    const tables = ledgerTables(database);
    const [old, capture] = [entry(0, 'acc_1', 1), entry(1, 'acc_1', 1)];
    const authorization: Entry = { ...entry(2, 'acc_1', 2), operation: 'authorization', transactionId: 'acc_1_2' };
    const insert =
      'INSERT INTO operations (reference, account_id, payment_id, authorization_id, number, entry) VALUES (?, ?, ?, ?, ?, ?)';
    database
      .prepare(insert)
      .run(old.reference, old.accountId, old.paymentId, old.authorizationId, old.number, JSON.stringify(old));
    for (const made of [capture, authorization]) tables.record(made);
    const all = [old, capture, authorization];
    expect(all.map(({ reference }) => tables.entryOf(reference))).to.deep.equal(all);
    expect(tables.page('acc_1', 0, 9).map((row) => row.entry)).to.deep.equal(all);
    const texts = database.prepare<{ readonly entry: string }>('SELECT entry FROM operations WHERE number > 0').all();
    for (const { entry: text } of texts)
      for (const name of ['pay.', 'pay_', 'acc_1', 'number']) expect(text).not.to.contain(name);
    tables.change({ ...old, amount: 7 });
    expect(tables.entryOf(old.reference)).to.deep.equal({ ...old, amount: 7 });
    database.close();
  });
});
