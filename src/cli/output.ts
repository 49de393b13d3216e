// What a command prints: its result on stdout, as text or as one JSON document; everything else on stderr.

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

/** A reader that has seen enough (`| head`) closes the pipe; that is no failure. */
export function endWithReader(): void {
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') process.exit(0);
    throw fault;
  });
}
