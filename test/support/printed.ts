// One line from a test's own process to the test.

/**
 * Resolves when the line is with the reader's pipe. Not `writeSync`: that throws EAGAIN once a reader which is kept
 * from reading has let the pipe fill up, and would end the process that a test wants to go on until it is killed.
 */
export function printed(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (fault) => (fault instanceof Error ? reject(fault) : resolve()));
  });
}
