// Looks at a page as it stands, in both themes: what axe finds, what scrolls to the side, and a picture of each where
// they are wanted. The fast part of the suite looks at whole pages only, and only while they are wide.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { axeViolations } from './axe.ts';
import { NARROW, screenshot, WIDE } from './screenshot.ts';

/** axe takes a third of the CPU time of all tests in the browser. The rest of the suite repeats them at every look. */
const isShort = process.env['PART'] === 'fast';

/** Keeps what it finds until `end`, so that a run tells all of it. */
export class Look {
  readonly #page: Page;
  readonly #found: string[] = [];

  constructor(page: Page) {
    this.#page = page;
  }

  /**
   * Checks what is open over the page, at the current width, in both themes: every rule in light, those of colours in
   * dark.
   */
  async atOpen(name: string): Promise<void> {
    if (!isShort) await this.#inBothThemes(name, true);
  }

  /** Checks the page in both themes and both widths, without reloading it. It is wide and light again afterwards. */
  async atPage(name: string): Promise<void> {
    await this.#inBothThemes(name, false);
    if (isShort) return;
    await this.#page.setViewportSize(NARROW);
    await screenshot(this.#page, `${name}-${NARROW.width}-light`);
    await this.#inTheme('dark');
    await this.#once(`${name}-${NARROW.width}-dark`, 'all', false);
    await this.#inTheme('light');
    await this.#page.setViewportSize(WIDE);
  }

  /** Throws with everything that was found. */
  end(): void {
    expect(this.#found).to.deep.equal([]);
  }

  async #inBothThemes(name: string, isOpenOnly: boolean): Promise<void> {
    const width = this.#page.viewportSize()?.width ?? 0;
    await this.#once(`${name}-${width}-light`, 'all', isOpenOnly);
    await this.#inTheme('dark');
    await this.#once(`${name}-${width}-dark`, 'colours', isOpenOnly);
    await this.#inTheme('light');
  }

  /** The dashboard notices the theme on its own, and then shows it at its root. */
  async #inTheme(theme: 'light' | 'dark'): Promise<void> {
    await this.#page.emulateMedia({ colorScheme: theme });
    await until(() =>
      this.#page.evaluate<boolean>(
        `(document.documentElement.dataset.mantineColorScheme ?? '${theme}') === '${theme}'`,
      ),
    );
  }

  async #once(name: string, rules: 'all' | 'colours', isOpenOnly: boolean): Promise<void> {
    for (const violation of await axeViolations(this.#page, rules, isOpenOnly))
      this.#found.push(`${name}: ${violation}`);
    for (const wide of await this.#page.evaluate<readonly string[]>(TOO_WIDE))
      this.#found.push(`${name} scrolls to the side: ${wide}`);
    await screenshot(this.#page, name);
  }
}

/** The elements that make the page wider than its window; none when it is not. */
const TOO_WIDE = `(({ scrollWidth, clientWidth }) =>
  scrollWidth <= clientWidth ? [] : [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth)
    .map((element) => element.outerHTML.slice(0, 200)))(document.documentElement)`;
