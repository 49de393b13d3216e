// Counts the clicks of a person on a page; keys that are typed do not count.
import type { Page } from 'playwright-core';

/** One press of the button of a mouse is a click, even where a label passes it on to its field. */
export const countClicks = (page: Page): Promise<unknown> =>
  page.evaluate(`
    window.clicks = 0;
    document.addEventListener('pointerdown', () => { window.clicks += 1; }, true);`);

/** Since `countClicks`. */
export const clicks = (page: Page): Promise<number> => page.evaluate<number>('window.clicks');
