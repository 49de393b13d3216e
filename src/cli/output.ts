// The output of a command: its result on stdout, as text or as one JSON document; everything else on stderr. Nothing
// else writes there but the log and the bar of long work. Characters that would play tricks with a terminal are escaped
// here.
import type { OutputConfiguration } from 'commander';
import { liveWorld, within } from '../world.ts';
import { coloured } from './state-colours.ts';
import { visible, visibleJson } from './visible.ts';

/** The result of a command: `json` for `--json`, `text` for people. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
}

/** Prints a result; `--json` prints one document and nothing else. */
export function print({ json, text }: CommandResult, options: { readonly json?: boolean }): void {
  if (options.json === true) process.stdout.write(`${visibleJson(JSON.stringify(json, null, 2))}\n`);
  else process.stdout.write(`${coloured(visible(text))}\n`);
}

/** A part of a long result; resolves when the reader can take more. */
export const write = (text: string): Promise<void> => untilRoom(coloured(visible(text)));

/** Writes with colours: the caller makes its texts visible, and adds styles to them. */
export const writeStyled = (text: string): Promise<void> => untilRoom(text);

/** Writes a JSON document, or lines of JSON. */
export const writeJson = (text: string): Promise<void> => untilRoom(visibleJson(text));

async function untilRoom(text: string): Promise<void> {
  if (text === '' || process.stdout.write(text)) return;
  await new Promise((drained) => process.stdout.once('drain', drained));
}

/** Progress, warnings, errors. */
export function tell(message: string): void {
  process.stderr.write(`${visible(message)}\n`);
}

/** Help, and commander's messages about unknown options. */
export const commanderOutput: OutputConfiguration = {
  writeOut: (text) => void process.stdout.write(visible(text)),
  writeErr: (text) => void process.stderr.write(visible(text)),
};

/**
 * A reader that has seen enough (`| head`) closes the pipe, which is not a failure. A result that cannot be written is
 * one. A message that cannot be written to stderr ends nothing.
 */
export function onBrokenOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') process.exit(0);
    tell(`The result could not be written: ${fault.message}`);
    process.exit(1);
  });
}

/** The longest wait at the end of a process for the reader of its stderr. */
const TOLD_WITHIN_MS = 1_000;

/** Resolves when stdout has been taken, for as long as its reader needs, and stderr within a second. */
export async function untilTaken(): Promise<void> {
  await taken(process.stdout);
  await within(liveWorld, TOLD_WITHIN_MS, () => taken(process.stderr));
}

const taken = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));
