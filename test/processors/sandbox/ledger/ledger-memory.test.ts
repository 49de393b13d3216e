// The writer's memory of the ledger: a payment's operations are one statement each, and what others write counts at
// once.
import { expect } from 'chai';
import { openHandler, type Write, writeText } from '../../../../src/processors/sandbox/ledger/ledger-handler.ts';
import { prepareLedgerSchema } from '../../../../src/processors/sandbox/ledger/ledger-tables.ts';
import type { Sandbox } from '../../../../src/processors/sandbox/sandbox-interface.ts';
import { type Database, openDatabase, type Statement } from '../../../../src/stores/sqlite/file/database.ts';
import type { OpenHandler } from '../../../../src/stores/sqlite/file/handler.ts';
import { ACCOUNT, openOn, succeeded, TestPayment, temporaryDirectory } from '../sandbox-setup.ts';

/** The database; `run` is called with each statement that is run. */
function watched(database: Database, run: (sql: string) => void): Database {
  const prepare = <Row>(sql: string): Statement<Row> => {
    const statement = database.prepare<Row>(sql);
    return {
      run: (...values) => {
        run(sql);
        return statement.run(...values);
      },
      get: (...values) => {
        run(sql);
        return statement.get(...values);
      },
      all: (...values) => {
        run(sql);
        return statement.all(...values);
      },
      iterate: (...values) => statement.iterate(...values),
      setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
    };
  };
  return {
    isOpen: true,
    isTransaction: false,
    exec: (sql) => database.exec(sql),
    prepare,
    close: () => database.close(),
  };
}

const AUTHORIZATION = {
  operation: 'authorization',
  accountId: ACCOUNT,
  amount: 100,
  currencyCode: 'EUR',
  processorToken: 'token',
} as const;

describe('the memory of the ledger', () => {
  it('makes of a card, an authorization and a capture one statement each', async () => {
    const database = await openDatabase({ file: ':memory:', synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 1_024 });
    prepareLedgerSchema(database);
    const ran: string[] = [];
    const open: OpenHandler = openHandler;
    const { handle } = open(watched(database, (sql) => ran.push(sql.split(' ').slice(0, 4).join(' '))));
    const write = (...call: Write): unknown => JSON.parse(String(handle(writeText(call)) ?? 'null'));
    const pay = (paymentId: string): void => {
      write('keepCard', 'token', ACCOUNT, 'approved', 'MATCH');
      const answer = write('perform', { ...AUTHORIZATION, reference: `${paymentId}.a`, paymentId }, 1_000);
      expect(answer).to.have.nested.property('outcome.kind', 'succeeded');
      const { amount, currencyCode } = AUTHORIZATION;
      const about = { reference: `${paymentId}.c`, accountId: ACCOUNT, paymentId, amount, currencyCode };
      const authorization = Reflect.get(Object(answer), 'outcome');
      const captured = write('perform', { ...about, operation: 'capture', authorization, final: true }, 1_000);
      expect(captured).to.have.nested.property('outcome.kind', 'succeeded');
    };
    pay('pay_1');
    ran.length = 0;
    pay('pay_2');
    expect(ran).to.deep.equal([
      'INSERT OR IGNORE INTO',
      'INSERT INTO operations (reference,',
      'INSERT INTO operations (reference,',
    ]);
    database.close();
  });

  describe('of two processes', () => {
    let directory: ReturnType<typeof temporaryDirectory>;
    let one: Sandbox;
    let other: Sandbox;
    beforeEach(async () => {
      directory = temporaryDirectory();
      one = await openOn(`${directory.path}/sandbox.db`);
      other = await openOn(`${directory.path}/sandbox.db`);
    });
    afterEach(async () => {
      await Promise.all([one.close(), other.close()]);
      directory.remove();
    });

    it('never lets both capture the same money', async () => {
      const payment = new TestPayment(one);
      await payment.authorize('4242424242424242', 1_000);
      const authorization = { processorTransactionId: payment.transactionId };
      const there = new TestPayment(other);
      for (const at of [0, 1, 2, 3]) {
        const by = at % 2 === 0 ? there : payment;
        succeeded(await by.ask('capture', `c${at}`, 250, { authorization, final: false }));
      }
      expect(await payment.ask('capture', 'c4', 1, { authorization })).to.include({ code: 'AMOUNT_ABOVE_CAPTURABLE' });
      expect(await there.ask('capture', 'c5', 1, { authorization })).to.include({ code: 'AMOUNT_ABOVE_CAPTURABLE' });
    });

    it('lets rules that one sets strike the next call of the other, and counts for both', async () => {
      const payment = new TestPayment(one);
      await payment.authorize('4242424242424242', 1_000);
      const authorization = { processorTransactionId: payment.transactionId };
      succeeded(await payment.ask('capture', 'c0', 100, { authorization, final: false }));
      const rule = { match: { operation: 'capture', nth: 2 }, do: { phase: 'before_effect', fault: '500' } };
      await other.setFaults(ACCOUNT, { seed: 0, rules: [rule] });
      succeeded(await payment.ask('capture', 'c1', 100, { authorization, final: false }));
      expect(await new TestPayment(other).ask('capture', 'c2', 100, { authorization, final: false })).to.include({
        kind: 'unknown',
      });
      await other.reset(ACCOUNT);
      expect(await payment.ask('capture', 'c3', 100, { authorization })).to.include({ code: 'TRANSACTION_UNKNOWN' });
    });
  });
});
