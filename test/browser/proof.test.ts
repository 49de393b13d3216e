// The page Proof, in a browser: without a checkpoint, with some, the log compared with them before and after it was
// changed, and proofs of a payment that counterfoil-verify accepts; axe in both themes, and the keyboard.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Download, Page } from 'playwright-core';
import { publicKeysOf } from '../../src/journal/signing-keys.ts';
import { reportOn } from '../../src/verify/verify.ts';
import { alterLog } from '../support/altered-log.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { until } from '../support/until.ts';
import { describeInBrowser, openBrowser, troublesOf } from './support/browser.ts';
import { Look } from './support/look.ts';
import { WIDE } from './support/screenshot.ts';

const HOUR = 3_600_000;

describeInBrowser('the page Proof', () => {
  const browser = openBrowser();
  let dashboard: Dashboard;
  let payment: string;
  before(async () => {
    dashboard = await openDashboard();
    ({ id: payment } = await shopOf(dashboard).paid());
  });
  after(() => dashboard.close());

  const open = async (path: string, role: 'owner' | 'auditor' | 'support' = 'owner'): Promise<Page> => {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' });
    const [name = '', value = ''] = dashboard.cookieOf(role).split('=');
    await page.context().addCookies([{ name, value, url: dashboard.url }]);
    await page.goto(`${dashboard.url}/dashboard${path}`);
    return page;
  };
  const json = async (download: Download): Promise<unknown> =>
    JSON.parse(await readFile(await download.path(), 'utf8'));
  const keys = (): readonly string[] => publicKeysOf(dashboard.opened.secrets);
  const faultsIn = async (file: unknown, paymentId?: string) => {
    const { findings } = await reportOn({ file, keys: keys(), ...(paymentId !== undefined && { payment: paymentId }) });
    return findings.filter(({ isGood }) => !isGood);
  };

  it('leads from no checkpoint to a comparison that holds, and one that does not', async () => {
    const page = await open('/proof');
    const troubles = troublesOf(page);
    const look = new Look(page);
    await page.getByText('No checkpoints yet').waitFor();
    expect(await page.getByRole('button', { name: 'Verify now' }).isDisabled()).to.equal(true);
    await look.atPage('proof-none');

    const { service, opened } = dashboard;
    const { clock } = opened;
    for (let hour = 1; hour <= 2; hour += 1) {
      await clock?.advance({ events: opened.events }, HOUR);
      await until(async () => (await service.queries.listCheckpoints(20)).rows.length === hour);
    }
    await page.reload();
    await page.getByRole('cell').first().waitFor();
    const compare = page.getByRole('button', { name: 'Verify now' });
    await compare.focus();
    await page.keyboard.press('Enter');
    await page.getByText(/^All 2 checkpoints hold\./).waitFor();
    await look.atPage('proof-holds');

    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    expect(await faultsIn(await json(await saving))).to.deep.equal([]);

    await page.getByLabel('Id of a payment or an agreement').fill('nothing');
    await page.getByText('The id of a payment starts with pay_').waitFor();
    await page.getByLabel('Id of a payment or an agreement').fill(payment);
    const proving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download proof' }).click();
    expect(await faultsIn(await json(await proving), payment)).to.deep.equal([]);

    await alterLog(join(opened.config.dataDir, 'events.db'), `payment-${payment}`, { kind: 'dataAltered', n: 1 });
    await compare.click();
    await page.getByText(/^2 checkpoints do not hold\./).waitFor();
    await look.atPage('proof-fails');
    look.end();
    expect(troubles).to.deep.equal([]);
    await page.close();
  });

  it('is on the page of a payment, for those who may open it', async () => {
    const { id } = await shopOf(dashboard).paid();
    const page = await open(`/payments/${id}`, 'auditor');
    const troubles = troublesOf(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download proof' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).to.equal(`proof-${id}.json`);
    expect(await faultsIn(await json(saved), id)).to.deep.equal([]);
    const look = new Look(page);
    await look.atPage('proof-payment');
    look.end();
    expect(troubles).to.deep.equal([]);
    await page.close();
    const other = await open(`/payments/${id}`, 'support');
    await other.getByRole('region', { name: 'Processor' }).waitFor();
    expect(await other.getByRole('button', { name: 'Download proof' }).count()).to.equal(0);
    expect(await other.getByRole('link', { name: 'Proof' }).count()).to.equal(0);
    await other.close();
  });
});
