// Long work beside a running service gives way to it, from the start of its process on.

/** Lowers the priority of the process where its command is such work. The words are those of the command line, without program and script. */
export async function giveWay([group, command]: readonly string[]): Promise<void> {
  if (group !== 'projections' || command !== 'rebuild') return;
  const { lowerProcessPriority } = await import('../stores/sqlite/file/priority.ts'); // no other command loads it for this
  lowerProcessPriority();
}
