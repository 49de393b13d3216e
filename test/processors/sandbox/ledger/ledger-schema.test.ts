// Files of the ledger as they were before: they open, and their payments go on. A newer file is refused.
import { expect } from 'chai';
import { prepareLedgerSchema } from '../../../../src/processors/sandbox/ledger/ledger-tables.ts';
import { type Database, openDatabase } from '../../../../src/stores/sqlite/file/database.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { about, callOf } from '../../../support/call-of.ts';
import { wholeLedger } from '../../../support/whole-ledger.ts';
import { ACCOUNT, never, openOn, TestPayment, temporaryDirectory } from '../sandbox-setup.ts';

/** As version 0 made and filled its tables: cards of three tokens, three authorizations, two captures and a dispute. */
const VERSION_0 = `
CREATE TABLE cards (token TEXT PRIMARY KEY, account_id TEXT NOT NULL, card TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE card_checks (token TEXT PRIMARY KEY, cvc_result TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE operations (
  sequence INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  authorization_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  entry TEXT NOT NULL,
  UNIQUE (authorization_id, number)
) STRICT;
CREATE INDEX operations_of_account ON operations (account_id, sequence);
CREATE TABLE faults (
  account_id TEXT PRIMARY KEY,
  report TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO cards VALUES ('sbx_card_570358f79ac468673b375675254dde87', 'acc_1', 'approved'), ('sbx_card_early', 'acc_1', 'approved');
INSERT INTO card_checks VALUES ('sbx_card_570358f79ac468673b375675254dde87', 'NO_MATCH');
INSERT INTO operations VALUES
  (1, 'pay_1.a', 'acc_1', 'sbx_auth_c6ba58686fcda0f88131a194', 0, '{"operation":"authorization","paymentId":"pay_1","card":"approved","currencyCode":"EUR","final":false,"at":1790000000000,"amount":1000,"result":"succeeded","avsResult":"NOT_CHECKED","cvcResult":"NO_MATCH"}'),
  (2, 'pay_2.a', 'acc_1', 'sbx_auth_605f0503aa153d8d8ecf8892', 0, '{"reference":"pay_2.a","operation":"authorization","accountId":"acc_1","paymentId":"pay_2","authorizationId":"sbx_auth_605f0503aa153d8d8ecf8892","number":0,"transactionId":"sbx_auth_605f0503aa153d8d8ecf8892","card":"disputed","currencyCode":"EUR","final":false,"at":1790000000000,"amount":1000,"result":"succeeded"}'),
  (4, 'pay_2.c', 'acc_1', 'sbx_auth_605f0503aa153d8d8ecf8892', 1, '{"transactionId":"sbx_capt_f2f8bb60c67947cac7c0f679","operation":"capture","paymentId":"pay_2","card":"disputed","currencyCode":"EUR","final":true,"at":1790000000000,"amount":1000,"result":"succeeded"}'),
  (5, 'sbx_disp_ad2f5e0a1ea47ca0aa2d832f', 'acc_1', 'sbx_auth_605f0503aa153d8d8ecf8892', 500000003, '{"transactionId":"sbx_capt_f2f8bb60c67947cac7c0f679","operation":"dispute","paymentId":"pay_2","disputed":"pay_2.c","card":"disputed","amount":1000,"currencyCode":"EUR","reason":"FRAUDULENT","reasonCode":"10.4","at":1790000005000,"challengeRequiredBy":1790604805000}'),
  (6, 'pay_1.c', 'acc_1', 'sbx_auth_c6ba58686fcda0f88131a194', 1, '{"transactionId":"sbx_capt_62f4acc174a3d7ccb8887758","operation":"capture","paymentId":"pay_1","card":"approved","currencyCode":"EUR","final":false,"at":1790000000000,"amount":400,"result":"succeeded"}');
INSERT INTO faults VALUES ('acc_1', '{"seed":3,"rules":[{"match":{"operation":"refund","nth":2},"do":{"phase":"before_effect","fault":"reset"}}],"counts":[{"fitted":1,"struck":0}]}');
`;

describe('the schema of the ledger', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = `${directory.path}/sandbox.db`;
  });
  afterEach(() => directory.remove());

  const withFile = async <T>(work: (database: Database) => T): Promise<T> => {
    const database = await openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 1_024 });
    try {
      return work(database);
    } finally {
      database.close();
    }
  };

  it('of version 0 becomes that of today, and its payments go on', async () => {
    await withFile((database) => database.exec(VERSION_0));
    const sandbox = await openOn(file);
    try {
      expect(
        (await wholeLedger(sandbox)).map(({ reference, paymentId, amount }) => [reference, paymentId, amount]),
      ).to.deep.equal([
        ['pay_1.a', 'pay_1', 1_000],
        ['pay_2.a', 'pay_2', 1_000],
        ['pay_2.c', 'pay_2', 1_000],
        ['sbx_disp_ad2f5e0a1ea47ca0aa2d832f', 'pay_2', 1_000],
        ['pay_1.c', 'pay_1', 400],
      ]);
      expect((await sandbox.faults(ACCOUNT)).counts).to.deep.equal([{ matched: 1, applied: 0 }]);

      const payment = new TestPayment(sandbox, 'pay_1');
      const authorization = { processorTransactionId: 'sbx_auth_c6ba58686fcda0f88131a194' };
      const repeated = await payment.ask('capture', 'c', 400, { authorization, final: false });
      expect(repeated).to.deep.equal(await sandbox.lookUp(about('pay_1.c'), callOf(never())));
      expect(await payment.ask('capture', 'd', 601, { authorization })).to.include({ code: 'AMOUNT_ABOVE_CAPTURABLE' });
      expect(await payment.ask('capture', 'e', 600, { authorization })).to.include({ kind: 'succeeded', amount: 600 });
      expect(await payment.ask('refund', 'f', 1, { authorization })).to.include({ kind: 'unknown' });

      const checks = async (id: string, processorToken: string): Promise<unknown> => {
        const outcome = await new TestPayment(sandbox, id).ask('authorization', 'a', 100, { processorToken });
        return outcome.kind === 'succeeded' && outcome.authorization?.cvcResult;
      };
      expect(await checks('pay_3', 'sbx_card_570358f79ac468673b375675254dde87')).to.equal('NO_MATCH');
      expect(await checks('pay_4', 'sbx_card_early')).to.equal('MATCH');
      const sequences = await withFile((database) =>
        database.prepare('SELECT max(sequence) AS last FROM operations').get(),
      );
      expect(sequences).to.deep.include({ last: 10 });
    } finally {
      await sandbox.close();
    }
  });

  it('of version 1 gets the names that counts of fault rules have today', async () => {
    await withFile((database) => {
      prepareLedgerSchema(database);
      database.exec(
        `INSERT INTO faults VALUES ('acc_1', '{"seed":3,"counts":[{"fitted":2,"struck":1}]}'); PRAGMA user_version = 1;`,
      );
    });
    const sandbox = await openOn(file);
    try {
      expect((await sandbox.faults(ACCOUNT)).counts).to.deep.equal([{ matched: 2, applied: 1 }]);
    } finally {
      await sandbox.close();
    }
  });

  it('is made once, however often the file is opened', async () => {
    const tables = (database: Database): unknown =>
      database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
    const fresh = await withFile((database) => {
      prepareLedgerSchema(database);
      return tables(database);
    });
    expect(
      await withFile((database) => {
        prepareLedgerSchema(database);
        return tables(database);
      }),
    ).to.deep.equal(fresh);
    directory.remove();
    directory = temporaryDirectory();
    file = `${directory.path}/sandbox.db`;
    expect(
      await withFile((database) => {
        database.exec(VERSION_0);
        prepareLedgerSchema(database);
        return tables(database);
      }),
    ).to.deep.equal(fresh);
  });

  it('of a newer version is refused', async () => {
    await withFile((database) => database.exec('PRAGMA user_version = 3'));
    const fault = await openOn(file).catch((thrown: unknown) => thrown);
    expect(fault).to.be.instanceOf(StoreUnavailable);
    expect(fault).to.have.property(
      'message',
      "The sandbox's ledger has schema version 3; this version of counterfoil reads up to 2. Upgrade it.",
    );
  });
});
