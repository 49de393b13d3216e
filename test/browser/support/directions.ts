// Texts that turn the direction of writing (U+202E), on a page in a real browser: where everything is drawn with them,
// and without.
import type { Frame, Page } from 'playwright-core';
import { z } from 'zod';

/** RIGHT-TO-LEFT OVERRIDE, before letters of one width: drawn from either end they take the same place. */
export const TURNED = '\u202eoooooooo';

const Found = z.object({ turned: z.array(z.string()), moved: z.array(z.string()) });

/**
 * `turned`: the texts of the page that hold U+202E, each with all that it shares its node with. `moved`: the texts that
 * are drawn elsewhere once the character is taken away. `into`: a selector of elements that get such a text first,
 * where the page has none of its own.
 */
export async function turnsOf(page: Page | Frame, into?: string): Promise<z.output<typeof Found>> {
  return Found.parse(await page.evaluate(`(${IN_PAGE})(${JSON.stringify(TURNED)}, ${JSON.stringify(into ?? '')})`));
}

const IN_PAGE = `function (turned, into) {
  if (into !== '') for (const element of document.querySelectorAll(into)) element.firstChild.data = turned;
  const mark = turned[0];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) nodes.push(node);
  const range = document.createRange();
  const placesOf = () =>
    nodes.map((node) => {
      range.selectNodeContents(node);
      return [...range.getClientRects()].map(({ left, right, top }) => [left, right, top]);
    });
  const texts = nodes.map(({ data }) => data);
  const holding = nodes.filter(({ data }) => data.includes(mark));
  const before = placesOf();
  for (const node of holding) node.data = node.data.replaceAll(mark, '');
  const after = placesOf();
  const near = (one, other) => one.length === other.length && one.every((rect, at) => rect.every((value, side) => Math.abs(value - other[at][side]) < 1));
  const moved = texts.filter((_, at) => !near(before[at], after[at]));
  return { turned: texts.filter((text) => text.includes(mark)), moved };
}`;
