// axe-core in a page and all of its frames: the violations of WCAG 2.2 AA.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';
import { z } from 'zod';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
/** The rules that look at colours: nothing else of a page depends on its theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

type Rules = 'all' | 'colours';
/** The layers that are open over the page: dialogs, menus and lists of choices are next to the page in the body. */
const OPEN = { include: [['body > :not(#root)']] };
const runOf = (rules: Rules, isOpenOnly: boolean): string =>
  `axe.run(${isOpenOnly ? JSON.stringify(OPEN) : 'document'}, ${JSON.stringify({ runOnly: rules === 'all' ? TAGS : OF_COLOURS, iframes: false, selectors: false, resultTypes: ['violations'] })})`;
/**
 * Resolves when every fade to a theme has finished, including one that begins a frame or two after the theme changed.
 */
const SETTLED = `(async () => {
  for (let calm = 0; calm < 3; ) {
    await new Promise((drawn) => requestAnimationFrame(drawn));
    const fading = document.getAnimations()
      .filter(({ playState, effect }) => playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime));
    calm = fading.length === 0 ? calm + 1 : 0;
    await Promise.allSettled(fading.map(({ finished }) => finished));
  }
})()`;

const Results = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      help: z.string(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })),
    }),
  ),
});

let source: Promise<string> | undefined;
const axeSource = (): Promise<string> => {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return source;
};

/**
 * A line for each violation: rule, element, reason. Empty if there is none. `isOpenOnly`: what is open, without the
 * page below.
 */
export async function axeViolations(page: Page, rules: Rules = 'all', isOpenOnly = false): Promise<readonly string[]> {
  const found = await Promise.all(
    page.frames().map(async (frame) => {
      try {
        return await violationsIn(frame, runOf(rules, isOpenOnly));
      } catch (fault) {
        // The browser removes a frame first, and the frames within it a moment later.
        if (frame.isDetached() || (await goes(page, frame))) return [];
        throw fault;
      }
    }),
  );
  return found.flat();
}

/** True if the frame is removed within a second. */
const goes = (page: Page, frame: Frame): Promise<boolean> =>
  page.waitForEvent('framedetached', { predicate: (gone) => gone === frame, timeout: 1_000 }).then(
    () => true,
    () => frame.isDetached(),
  );

async function violationsIn(frame: Frame, run: string): Promise<readonly string[]> {
  // A frame that is not shown draws nothing: it would be waited for without end.
  if (frame.parentFrame() !== null && !(await (await frame.frameElement()).isVisible())) return [];
  await frame.evaluate(SETTLED);
  if ((await frame.evaluate('typeof axe')) === 'undefined') await frame.evaluate(await axeSource());
  const { violations } = Results.parse(await frame.evaluate(run));
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary}`),
  );
}
