// GET /audit/checkpoints: the signed checkpoints of the log, newest first, as files that an outsider can check.
import { expect } from 'chai';
import { z } from 'zod';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { readCheckpoint } from '../../src/verify/format.ts';
import { reportOn } from '../../src/verify/verify.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;
const Page = z.object({ data: z.array(z.looseObject({ treeSize: z.number() })), nextCursor: z.string().optional() });

describe('GET /audit/checkpoints', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const page = async (query = '', by = http.shop) => bodyOf(await by.ask('GET', `/audit/checkpoints${query}`), Page);

  it('lists none at first', async () => {
    expect(await page()).to.deep.equal({ data: [] });
  });

  it('lists them page by page, newest first, to every account, each a receipt that an outsider can check', async () => {
    for (let hour = 1; hour <= 5; hour += 1) {
      await http.shop.captured();
      http.world.advance(HOUR);
      const made = await http.service.work.makeCheckpoint(HOUR, 'test', new AbortController().signal);
      expect(made).to.equal(true);
      await until(async () => (await page()).data.length === hour);
    }
    const { data: all, nextCursor } = await page();
    expect(nextCursor).to.equal(undefined);
    expect(all.map(({ treeSize }) => treeSize)).to.deep.equal(
      all.map(({ treeSize }) => treeSize).toSorted((one, other) => other - one),
    );
    expect((await page('', http.other)).data).to.deep.equal(all);
    const first = await page('?limit=2');
    const second = await page(`?limit=2&cursor=${first.nextCursor}`);
    const third = await page(`?limit=2&cursor=${second.nextCursor}`);
    expect([...first.data, ...second.data, ...third.data]).to.deep.equal(all);
    expect(third).to.not.have.property('nextCursor');
    const keys = publicKeysOf(http.stores.secrets);
    for (const [n, file] of all.entries()) {
      const kept = all[n + 1];
      const { findings } = await reportOn({ file, keys, ...(kept && { kept: readCheckpoint(kept) }) });
      expect(findings.filter(({ isGood }) => !isGood)).to.deep.equal([]);
    }
  });

  it('refuses a cursor of another account or list', async () => {
    const { nextCursor } = await page('?limit=1');
    expect(await http.other.ask('GET', `/audit/checkpoints?cursor=${nextCursor}`)).to.include({ status: 400 });
    expect(await http.shop.ask('GET', `/events?cursor=${nextCursor}`)).to.include({ status: 400 });
  });
});
