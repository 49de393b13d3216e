// Runs the function of a command on what it has open, and prints what it answers.
import type { CommonOptions } from './command.ts';
import { EXIT } from './exit.ts';
import { type CommandResult, print, tell } from './output.ts';

/** The function of any row; that it takes what the row says, `add` has checked. */
type Work = (given: CommonOptions, opened: unknown) => Promise<CommandResult | undefined>;

const isWork = (value: unknown): value is Work => typeof value === 'function';

/** Throws what opening and the function throw. */
export async function run(
  opens: 'nothing' | 'service' | 'sandbox',
  work: unknown,
  given: CommonOptions,
): Promise<void> {
  if (!isWork(work)) throw new TypeError('a row without its function');
  const show = async (opened: unknown): Promise<void> => shown(await work(given, opened), given);
  switch (opens) {
    case 'nothing':
      return show(undefined);
    case 'service':
      return (await import('./open/with-stores.ts')).withService(given, show);
    case 'sandbox':
      return (await import('./open/with-stores.ts')).withSandbox(given, show);
    default:
      return opens satisfies never;
  }
}

function shown(result: CommandResult | undefined, given: CommonOptions): void {
  if (result === undefined) return;
  const { notes = [], warnings = [], isRefused = false } = result;
  if (given.json === true || result.text !== '') print(result, given);
  if (given.json !== true) for (const note of notes) tell(note);
  for (const warning of warnings) tell(warning);
  if (isRefused) process.exitCode = EXIT.refused;
}
