// The commands of a guide: its ```sh run blocks, each with the output that the page shows under it.

export interface Step {
  readonly commands: string;
  /** The output on the page, in which `…` stands for anything; undefined if the page shows none. */
  readonly output: string | undefined;
}

const FENCE = /^```(\w+) (run|output)\n([\s\S]*?)^```\n/gm;

/** The steps of a page in order. Throws for an output without commands before it. */
export function stepsOf(text: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, , kind, body = ''] of text.matchAll(FENCE)) {
    if (kind === 'run') steps.push({ commands: body, output: undefined });
    else {
      const last = steps.pop();
      if (last === undefined || last.output !== undefined)
        throw new Error(`an output has no commands above it: ${body}`);
      steps.push({ ...last, output: body });
    }
  }
  return steps;
}

/** True if commands printed what the page shows. */
export const isShown = (printed: string, shown: string): boolean =>
  new RegExp(`^${shown.trim().split('…').map(escaped).join('[\\s\\S]*?')}$`).test(printed.trim());

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * One script for bash that runs all steps in one shell, and leaves the output and the exit code of step 0 in `out.0`
 * and `code.0`, and so on.
 */
export const scriptOf = (steps: readonly Step[], prelude: string): string =>
  [prelude, ...steps.map(({ commands }, at) => `{\n${commands}} > out.${at} 2> err.${at}\necho $? > code.${at}`)].join(
    '\n',
  );
