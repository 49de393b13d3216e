// Prints one line from a child process of a test to the test.

/**
 * Resolves when the line is in the pipe. `writeSync` would not do: it throws EAGAIN if a slow reader has let the pipe
 * fill up, and would end a process that has to run until it is killed.
 */
export function printed(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (fault) => (fault instanceof Error ? reject(fault) : resolve()));
  });
}
