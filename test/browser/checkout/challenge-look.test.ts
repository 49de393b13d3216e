// The look of a challenge: the bank's page alone and over the shop's page, and the way back, accessible in both themes
// and widths.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { challenged, returning } from '../../support/challenged.ts';
import { CARDS } from '../../support/http-merchant.ts';
import { axeViolations } from '../support/axe.ts';
import { describeInBrowser, openBrowser } from '../support/browser.ts';
import { Look } from '../support/look.ts';
import { NARROW, screenshot, WIDE } from '../support/screenshot.ts';
import { openPlaces, visit } from './merchant.ts';

describeInBrowser('the look of a challenge', () => {
  const browser = openBrowser();
  const places = openPlaces();

  it('is fine on pages of its own: asked, answered, and back', async () => {
    const { page: path } = await challenged(places.http);
    const page = await browser.newPage({ viewport: WIDE });
    const look = new Look(page);
    await page.goto(`${places.service}${path}`);
    await look.atPage('bank');
    const { page: over } = await returning(places.http);
    await page.goto(`${places.service}${over}`);
    await look.atPage('bank-approved');
    await page.goto(`${places.service}/checkout/3ds/return?account=${places.http.shop.accountId}`);
    await look.atPage('bank-return');
    look.end();
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`is fine over the page of the shop, ${theme}, and again when it was closed and given up`, async () => {
      const page = await browser.newPage({ viewport: WIDE, colorScheme: theme, reducedMotion: 'reduce' });
      const shopper = await visit(page, places.shop);
      const isFine = async (state: string): Promise<void> => {
        for (const viewport of [NARROW, WIDE]) {
          await page.setViewportSize(viewport);
          await screenshot(page, `challenge-${state}-${viewport.width}-${theme}`);
          expect(await axeViolations(page), `${state}, ${viewport.width}`).to.deep.equal([]);
        }
      };
      const appearance = { variables: { colorBackground: theme === 'dark' ? '#0f1218' : '#ffffff' } };
      await shopper.start({
        clientToken: await places.http.shop.session(),
        locale: theme === 'dark' ? 'de' : 'en',
        appearance,
      });
      await shopper.fill(CARDS.challenged);
      await shopper.pay();
      await page
        .frameLocator('[data-counterfoil=challenge] iframe')
        .frameLocator('iframe')
        .getByRole('button', { name: 'Approve' })
        .waitFor();
      await isFine('open');
      expect(await bankScrolls(page)).to.equal(false);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await isFine('closed');
      await shopper.frame.locator('button.other').click();
      await shopper.frame.getByRole('alert').locator('p').waitFor();
      await isFine('given-up');
    });
  }
});

/** True if the bank's page is larger than its window. */
async function bankScrolls(page: Page): Promise<boolean | undefined> {
  const bank = page.frames().find((frame) => frame.url().includes('/checkout/sandbox-acs/'));
  return bank?.evaluate(
    'document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth',
  );
}
