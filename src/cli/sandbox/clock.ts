// counterfoil sandbox clock: shows the business time, and moves it forward in test mode.
import type { Command } from 'commander';
import type { BusinessClock, ClockParts } from '../../journal/business-clock.ts';
import { type CommonOptions, configOf, declare, STORE_SETTINGS } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { Refused } from '../exit.ts';
import { type CommandResult, print } from '../output.ts';

export function sandboxClock(parent: Command): void {
  const clock = declare(parent, {
    usage: 'clock',
    summary: 'Show the business time, or move it forward (test mode)',
    examples: ['sandbox clock', 'sandbox clock advance 7d'],
    settings: STORE_SETTINGS,
  }).action((options: CommonOptions) => withTestClock(options, async () => undefined));
  declare(clock, {
    usage: 'advance',
    summary: 'Move business time forward for the service and its sandbox; work that becomes due is done',
    examples: ['sandbox clock advance 7d', 'sandbox clock advance 30m'],
    settings: STORE_SETTINGS,
  })
    .argument('<duration>', 'how far, such as 7d, 12h, 30m or 45s', parseDuration)
    // `clock` takes the flags after it, because it has the same ones.
    .action((byMs: number, _own: CommonOptions, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      return withTestClock(options, advanceBy(byMs, options));
    });
}

type ClockWork = (parts: ClockParts & { readonly clock: BusinessClock }) => Promise<void>;

async function withTestClock(options: CommonOptions, work: ClockWork): Promise<void> {
  if (configOf(options).mode === 'live')
    throw new Refused('The business clock can be moved in test mode only. In live mode it is the real time.');
  const { withClock } = await import('../open/with-stores.ts');
  const { formatTime } = await import('../../world.ts');
  await withClock(options, async (parts) => {
    await work(parts);
    print(asResult(parts.clock, formatTime), options);
  });
}

/** Resolves when every running node has the new time. Throws Refused. */
const advanceBy =
  (byMs: number, options: CommonOptions): ClockWork =>
  async ({ events, clock }) => {
    const { checkEndHere } = await import('../open/with-stores.ts');
    await checkEndHere(options, events, clock.world);
    const { LOOK_EVERY_MS } = await import('../../journal/business-clock.ts');
    const refused = await clock.advance({ events }, byMs);
    if (refused !== undefined) throw new Refused(refused.description);
    // Nodes are not known here, and none has to answer: each looks this often, and a node whose look fails cannot write
    // either.
    await clock.world.sleep(2 * LOOK_EVERY_MS, new AbortController().signal);
  };

function asResult({ world, offsetMs }: BusinessClock, formatTime: (ms: number) => string): CommandResult {
  const now = formatTime(world.now());
  const ahead = offsetMs === 0 ? 'the machine’s own' : `${inWords(offsetMs)} ahead of the machine’s`;
  return { json: { now, offsetMs }, text: `${now}, ${ahead}` };
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** As the durations that commands take, largest unit first: `7d 12h`. */
function inWords(ms: number): string {
  let rest = ms;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  if (rest > 0) parts.push(`${rest}ms`);
  return parts.join(' ');
}
