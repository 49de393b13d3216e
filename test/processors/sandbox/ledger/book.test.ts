// The sandbox's memory against a model of it in plain maps: after any writes in any order both say the same.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Entry } from '../../../../src/processors/sandbox/entry.ts';
import { type Book, openBook, TABLES } from '../../../../src/processors/sandbox/ledger/book.ts';
import { EXPIRY_NUMBER } from '../../../../src/processors/sandbox/notifications/announcement.ts';
import { FaultReport } from '../../../../src/processors/sandbox/rules/fault-plan.ts';
import { openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { bookModel } from './book-model.ts';

const ACCOUNTS = ['acc_1', 'acc_2'] as const;
const RULES = [{ match: { operation: 'capture' }, do: { drop: true } }];

const reportOf = (struck: number): FaultReport => FaultReport.parse({ seed: 3, rules: RULES, counts: [{ fitted: struck + 1, struck }] });

const account = fc.constantFrom(...ACCOUNTS);
const place = fc.nat({ max: 5 });
const moment = fc.nat({ max: 60 });

/** One write, and its place in the story: every record has to have names of its own. */
type Step = (book: Book, place: number, now: number) => unknown;

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
      (book: Book) =>
        book.keepCard(`token_${card}`, accountId, `card_${card}`),
  ),
  fc.tuple(account, place).map(
    ([accountId, authorization]) =>
      (book: Book, number: number) =>
        book.record(entry(number, accountId, authorization)),
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
        (book: Book, number: number, now: number) =>
          book.announce(entry(number, accountId, authorization), {
            id: `ntf_${number}`,
            body: `{"number":${number}}`,
            dueAt: now + inMs,
            number: expiry === 0 ? EXPIRY_NUMBER : number,
            ...(held !== null && { heldUntil: now + inMs + held }),
            badAttempts: bad,
          }),
    ),
  fc.nat({ max: 3 }).map((limit) => (book: Book, _number: number, now: number) => book.take(now, now + 20, limit + 1)),
  fc.record({ id: fc.nat({ max: 60 }), attempt: fc.integer({ min: 1, max: 3 }), inMs: fc.option(moment) }).map(
    ({ id, attempt, inMs }) =>
      (book: Book, _number: number, now: number) =>
        book.finish(`ntf_${id}`, attempt, inMs === null ? null : now + inMs),
  ),
  fc.nat({ max: 60 }).map((id) => (book: Book) => book.withdraw(`ntf_${id}`)),
  fc.tuple(account, place).map(
    ([accountId, key]) =>
      (book: Book) =>
        book.connect(accountId, `key_${key}`),
  ),
  fc.tuple(account, fc.boolean(), place).map(
    ([accountId, some, struck]) =>
      (book: Book) =>
        book.keepFaults(accountId, some ? reportOf(struck) : { seed: 0 }),
  ),
  fc
    .option(account)
    .map((accountId) => (book: Book, number: number) => (number % 7 === 0 ? book.reset(accountId ?? undefined) : undefined)),
);

/** Everything that can be read of a book. */
function allOf(book: Book, now: number): unknown {
  const accounts = [undefined, ...ACCOUNTS];
  return {
    cards: ACCOUNTS.flatMap((accountId) => Array.from({ length: 6 }, (_, card) => book.cardOf(`token_${card}`, accountId))),
    entries: Array.from({ length: 60 }, (_, number) => book.entryOf(`pay.${number}`)?.amount),
    chains: ACCOUNTS.flatMap((accountId) =>
      Array.from({ length: 6 }, (_, one) => book.entriesOf(`${accountId}_${one}`).map(({ number }) => number)),
    ),
    pages: accounts.map((accountId) => book.page(accountId, 0, 100).map(({ entry: { reference } }) => reference)),
    halves: accounts.map((accountId) => {
      const [first] = book.page(accountId, 0, 1);
      return book.page(accountId, first?.sequence ?? 0, 2).map(({ entry: { reference } }) => reference);
    }),
    nextAt: book.nextAt(now),
    waiting: Array.from({ length: 60 }, (_, id) => book.waits(`ntf_${id}`)),
    undelivered: accounts.map((accountId) => book.undelivered(accountId, now)),
    connected: book.connectedAccounts(),
    faults: ACCOUNTS.map((accountId) => book.faultsOf(accountId)),
  };
}

describe('the book of the sandbox', () => {
  it('says what its model says, after any writes in any order', async () => {
    const database = await openDatabase({ file: ':memory:', synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 1_024 });
    database.exec(TABLES);
    let taken = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, fc.nat({ max: 15 })), { minLength: 40, maxLength: 60 }), (story) => {
        database.exec('BEGIN');
        try {
          const books = [openBook(database), bookModel()] as const;
          let now = 1_000;
          for (const [number, [step, ms]] of story.entries()) {
            now += ms;
            const [one, other] = books.map((book) => step(book, number, now));
            expect(other).to.deep.equal(one);
            if (Array.isArray(one)) taken += one.length;
            expect(allOf(books[1], now)).to.deep.equal(allOf(books[0], now));
          }
        } finally {
          database.exec('ROLLBACK');
        }
      }),
      { numRuns: 150 },
    );
    expect(taken, 'notifications that were taken').to.be.greaterThan(100);
    database.close();
  });
});
