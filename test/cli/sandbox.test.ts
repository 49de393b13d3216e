// counterfoil sandbox, beside a running service: its books, and whether ours agree with them.
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { ledgerTable } from '../../src/cli/sandbox/books.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { Place, type Serving } from './processes.ts';

const Ledger = z.strictObject({
  data: z.array(
    z.strictObject({
      reference: z.string(),
      paymentId: z.string(),
      processorTransactionId: z.string(),
      operation: z.string(),
      amount: z.int(),
      currencyCode: z.string(),
      outcome: z.string(),
      at: z.iso.datetime(),
    }),
  ),
});
const Account = z.looseObject({ id: z.string() });
const Diff = z.strictObject({
  equal: z.boolean(),
  payments: z.int(),
  lines: z.int(),
  open: z.int(),
  totals: z.array(z.looseObject({})),
  held: z.array(z.looseObject({})),
  differenceCount: z.int(),
  differences: z.array(
    z.strictObject({ paymentId: z.string(), reference: z.string(), ledger: z.string(), readModel: z.string() }),
  ),
});

describe('counterfoil sandbox, beside a running service', () => {
  const place = new Place();
  let serving: Serving;
  before(async () => {
    serving = await place.serve();
    await place.json(`demo --url ${serving.url}`);
  });
  after(() => place.remove());

  it('ledger prints the effects at the sandbox, of all accounts or of one', async () => {
    const { data } = Ledger.parse(await place.json('sandbox ledger'));
    expect(
      data.map(({ operation, amount, currencyCode, outcome }) => [operation, amount, currencyCode, outcome]),
    ).to.deep.equal([
      ['authorization', 5490, 'EUR', 'succeeded'],
      ['capture', 5490, 'EUR', 'succeeded'],
      ['refund', 2500, 'EUR', 'succeeded'],
    ]);
    const text = await place.run('sandbox ledger');
    expect(text.code).to.equal(0);
    const { at = '', processorTransactionId: transaction, reference, paymentId } = data[0] ?? {};
    expect(text.stdout.split('\n').slice(0, 6)).to.deep.equal([
      'AT                    OPERATION      OUTCOME    AMOUNT',
      '  TRANSACTION                        PAYMENT',
      '  REFERENCE',
      `${at.slice(0, 19)}Z  authorization  succeeded  54.90 EUR`,
      `  ${transaction}  ${paymentId}`,
      `  ${reference}`,
    ]);
    expect(await place.json(`payments show ${paymentId}`)).to.have.nested.property(
      'processor.processorTransactionId',
      transaction,
    );

    const other = Account.parse(await place.json('accounts create --name Other'));
    expect(await place.json(`sandbox ledger --account ${other.id}`)).to.deep.equal({ data: [] });
    expect((await place.run(`sandbox ledger --account ${other.id}`)).stdout).to.equal('No lines in the ledger.\n');
    expect(await place.codes(['sandbox ledger --account acc_none'])).to.deep.equal([1]);
  });

  it('ledger is a line each where the terminal has the room', () => {
    const [transaction, paymentId, reference] = [`sbx_auth_${'0'.repeat(24)}`, `pay_${'1'.repeat(32)}`, '2'.repeat(40)];
    const line = {
      at: 0,
      operation: 'authorization',
      outcome: 'succeeded',
      amount: 1,
      currencyCode: 'EUR',
      paymentId,
      reference,
    } as const;
    const [, whole = '', ...none] = ledgerTable([{ ...line, processorTransactionId: transaction }], 172).split('\n');
    expect(whole).to.match(
      /^1970-01-01T00:00:00Z {2}authorization {2}succeeded {2}0\.01 EUR {2}sbx_auth_0+ {2}pay_1{32} {2}2{40}$/,
    );
    expect(none).to.deep.equal([]);
  });

  it('diff says how much is equal', async () => {
    expect(Diff.parse(await place.json('sandbox diff'))).to.deep.equal({
      equal: true,
      payments: 1,
      lines: 3,
      open: 0,
      totals: [{ currencyCode: 'EUR', authorized: 5490, captured: 5490, refunded: 2500 }],
      held: [],
      differenceCount: 0,
      differences: [],
    });
    const { code, stdout } = await place.run('sandbox diff');
    expect({ code, stdout }).to.deep.equal({
      code: 0,
      stdout:
        'Equal: 3 lines of the ledger, 1 payment.\nauthorized 54.90 EUR, captured 54.90 EUR, refunded 25.00 EUR\n',
    });
  });

  it('diff prints a difference, and exits 1', async () => {
    const file = await openDatabase({
      file: join(place.dir, 'data/sandbox.db'),
      synchronous: 'full',
      busyTimeoutMs: 60_000,
      cacheKiB: 1_024,
    });
    file.exec(
      `UPDATE operations SET entry = json_set(entry, '$.amount', 2501) WHERE entry ->> '$.operation' = 'refund'`,
    );
    file.close();
    const { code, stdout } = await place.run('sandbox diff');
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^pay_\w{32}, reference \w{40}: the ledger has refund succeeded 2501 EUR, the read models have refund succeeded 2500 EUR\n1 difference: 3 lines of the ledger, 1 payment\.\n/,
    );
    const asJson = await place.run('sandbox diff --json');
    expect(asJson.code).to.equal(1);
    const { equal, differences } = Diff.parse(JSON.parse(asJson.stdout));
    expect(equal).to.equal(false);
    expect(differences.map(({ ledger, readModel }) => [ledger, readModel])).to.deep.equal([
      ['refund succeeded 2501 EUR', 'refund succeeded 2500 EUR'],
    ]);
  });
});

describe('counterfoil sandbox where there is none', () => {
  const place = new Place();
  after(() => place.remove());

  it('says that live mode has no sandbox: 1', async () => {
    for (const command of ['ledger', 'diff', 'wait --until-settled', 'faults --show', 'reset --yes']) {
      const { code, stdout, stderr } = await place.run(`sandbox ${command}`, { env: { COUNTERFOIL_MODE: 'live' } });
      expect({ code, stdout, stderr }).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: 'There is no sandbox in live mode.\n',
      });
    }
  });

  it('needs a store, and the end of the wait: 2', async () => {
    expect(await place.codes(['sandbox ledger', 'sandbox diff'])).to.deep.equal([2, 2]);
  });
});
