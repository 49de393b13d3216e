// axe-core in a page and all of its frames: the violations of WCAG 2.2 AA.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';
import { z } from 'zod';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
const RUN = `axe.run(document, ${JSON.stringify({ runOnly: TAGS, iframes: false, resultTypes: ['violations'] })})`;

const Results = z.object({
  violations: z.array(
    z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })) }),
  ),
});

let source: Promise<string> | undefined;
const axeSource = (): Promise<string> => {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return source;
};

/** A line for each violation: rule, element, reason. Empty when there is none. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const found = await Promise.all(page.frames().map(violationsIn));
  return found.flat();
}

async function violationsIn(frame: Frame): Promise<readonly string[]> {
  const script = await axeSource();
  const { violations } = Results.parse(await frame.evaluate(`${script};${RUN}`));
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary}`));
}
