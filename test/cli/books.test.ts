// counterfoil books, beside a running service: the days of its payments, and whether they equal the payments.
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { plus } from '../../src/domain/money.ts';
import { copyOf } from '../../src/projections/engine/generations/copy.ts';
import { dailyTotals, isTotals } from '../../src/projections/models/daily-totals.ts';
import { openSqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { Place, type Serving } from './processes.ts';

const WIDTH = 80;
const DAY_MS = 86_400_000;
const Shown = z.looseObject({
  equal: z.boolean(),
  payments: z.int(),
  days: z.array(z.looseObject({ day: z.iso.date(), accountId: z.string() })),
  differences: z.array(z.looseObject({ measure: z.string(), days: z.int(), now: z.int() })),
});

describe('counterfoil books', () => {
  const place = new Place();
  let serving: Serving;
  before(async () => {
    serving = await place.serve();
    // At noon the payment and its refund are of one day.
    const toNoonS = Math.ceil((1.5 * DAY_MS - (Date.now() % DAY_MS)) / 1_000);
    await place.json(`sandbox clock advance ${toNoonS}s`);
    await place.json(`demo --url ${serving.url}`);
  });
  after(() => place.remove());

  it('prints the facts of each day and their sums in 80 columns, and says that they are equal', async () => {
    const { code, stdout, stderr } = await place.run('books');
    expect(code, stderr).to.equal(0);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) expect(line.length).to.be.at.most(WIDTH);
    expect(lines[0]).to.match(/^Account acc_/);
    expect(stdout).to.match(/^\d{4}-\d\d-\d\d {2}captured +1 +54\.90 EUR$/m);
    expect(stdout).to.match(/^refunded +25\.00 EUR +25\.00 EUR$/m);
    expect(lines.at(-1)).to.equal('Equal.');
  });

  it('has the same as JSON, of the days that are asked for', async () => {
    const { equal, payments, days } = Shown.parse(await place.json('books'));
    expect([equal, payments, days.length]).to.deep.equal([true, 1, 1]);
    expect(Shown.parse(await place.json('books --to 2020-01-01')).days).to.deep.equal([]);
    const [{ accountId = '' } = {}] = days;
    expect(Shown.parse(await place.json(`books --account ${accountId}`)).payments).to.equal(1);
  });

  it('has payments whose money is conserved in the log', async () => {
    const ran = await place.run('audit conservation');
    expect(ran, ran.stderr).to.include({ code: 0 });
    for (const line of ran.stdout.trimEnd().split('\n')) expect(line.length).to.be.at.most(WIDTH);
    expect(ran.stdout).to.match(/1 +54\.90 EUR +54\.90 EUR +25\.00 EUR +0\.00 EUR/);
    expect(await place.json('audit conservation')).to.deep.include({ conserved: true, violated: 0, unread: 0 });
  });

  it('refuses an account that does not exist, and a day that is none', async () => {
    expect((await place.run('books --account acc_none')).code).to.equal(1);
    const wrong = await place.run('books --from 2026-02-30');
    expect([wrong.code, wrong.stderr]).to.deep.equal([
      2,
      '--from is "2026-02-30": allowed is a day such as 2026-11-22.\n',
    ]);
  });

  it('exits 1 where a total differs from the payments, and names it', async () => {
    const report = (fault: unknown): never => expect.fail(String(fault));
    const store = await openSqliteReadModels({
      file: join(place.dir, 'data/read-models.db'),
      world: calmWorld,
      report,
    });
    const copy = copyOf(dailyTotals, 1);
    const row = (await store.find(copy, { where: {}, limit: 10 })).find(({ doc }) => isTotals(doc));
    if (row === undefined) throw new Error('no totals');
    const captured = { count: 1, amount: plus(row.doc.captured.amount, 1, -1) };
    await store.write(copy, [{ ...row, revision: row.revision + 1, doc: { ...row.doc, captured } }]);
    await store.close();
    const { code, stdout } = await place.run('books');
    expect(code).to.equal(1);
    const [said, verdict] = stdout
      .trimEnd()
      .split('\n')
      .slice(-3)
      .join('\n')
      .split(/\n(?=1 difference)/);
    expect(said?.replaceAll('\n', ' ')).to.match(
      /captured: the days come to 54\.89 EUR, the payments to 54\.90 EUR\.$/,
    );
    expect(verdict).to.equal('1 difference.');
  });
});
