// What a command prints: its result on stdout, as text or as one JSON document; everything else on stderr.
import { liveWorld, within } from '../world.ts';

/** The result of a command: `json` is what `--json` prints, `text` what people read. */
export interface Result {
  readonly json: unknown;
  readonly text: string;
}

/** Prints a result; `--json` prints one document and nothing else. */
export function print({ json, text }: Result, options: { readonly json?: boolean }): void {
  process.stdout.write(`${options.json === true ? JSON.stringify(json, null, 2) : text}\n`);
}

/** A part of a long result; resolves when the reader can take more. */
export async function write(text: string): Promise<void> {
  if (text === '' || process.stdout.write(text)) return;
  await new Promise((drained) => process.stdout.once('drain', drained));
}

/** Progress, warnings, errors. */
export function tell(message: string): void {
  process.stderr.write(`${message}\n`);
}

/**
 * A reader that has seen enough (`| head`) closes the pipe; that is no failure. A result that cannot be written is one. What
 * cannot be told on stderr has nobody to hear it, and ends nothing.
 */
export function onBrokenOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') process.exit(0);
    tell(`The result could not be written: ${fault.message}`);
    process.exit(1);
  });
}

/** So long at most the end of a process waits for the reader of its stderr. */
const TOLD_WITHIN_MS = 1_000;

/** Resolves when stdout has been taken, however long its reader needs, and stderr as far as that takes no longer than a second. */
export async function untilTaken(): Promise<void> {
  await taken(process.stdout);
  await within(liveWorld, TOLD_WITHIN_MS, () => taken(process.stderr));
}

const taken = (stream: NodeJS.WriteStream): Promise<void> => new Promise((resolve) => stream.write('', () => resolve()));
