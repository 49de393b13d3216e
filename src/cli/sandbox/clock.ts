// The work of counterfoil sandbox clock: shows the business time, and moves it forward in test mode.
import { readConfig } from '../../config.ts';
import { type BusinessClock, type ClockParts, LOOK_EVERY_MS } from '../../journal/business-clock.ts';
import { formatTime } from '../../world.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { Refused } from '../exit.ts';
import { checkEndHere, withClock } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import type { clock as rows } from '../rows/sandbox.ts';

export const show = (given: CommonOptions): Promise<CommandResult> => withTestClock(given, async () => undefined);

/** Resolves when every running node has the new time. */
export const advance = (given: GivenValues<typeof rows.advance>): Promise<CommandResult> =>
  withTestClock(given, async ({ events, clock }) => {
    await checkEndHere(given, events, clock.world);
    const refused = await clock.advance({ events }, given.duration);
    if (refused !== undefined) throw new Refused(refused.description, refused.errorId);
    // Nodes are not known here, and none has to answer: each looks this often, and a node whose look fails cannot write
    // either.
    await clock.world.sleep(2 * LOOK_EVERY_MS, new AbortController().signal);
  });

type ClockWork = (parts: ClockParts & { readonly clock: BusinessClock }) => Promise<void>;

async function withTestClock(given: CommonOptions, work: ClockWork): Promise<CommandResult> {
  if (readConfig(given, process.env).mode === 'live')
    throw new Refused('The business clock can be moved in test mode only. In live mode it is the real time.');
  return withClock(given, async (parts) => {
    await work(parts);
    const { world, offsetMs } = parts.clock;
    const now = formatTime(world.now());
    const ahead = offsetMs === 0 ? 'the machine’s own' : `${inWords(offsetMs)} ahead of the machine’s`;
    return { json: { now, offsetMs }, text: `${now}, ${ahead}` };
  });
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
