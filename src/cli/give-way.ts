// Long work beside a running service gives way to it, from the start of its process on.

/** `words`: of the command line, the command first. */
export async function giveWay([group, command]: readonly string[]): Promise<void> {
  if (group !== 'projections' || command !== 'rebuild') return;
  const { processGivesWay } = await import('../stores/sqlite/file/thread.ts'); // no other command loads it for this
  processGivesWay();
}
