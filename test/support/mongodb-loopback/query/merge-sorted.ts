// Merges several sorted sequences into one.

/** Without `compare` the sequences follow one another. */
export function* mergeSorted<T>(
  sequences: readonly Generator<T>[],
  compare: ((a: T, b: T) => number) | undefined,
): Generator<T> {
  const [only] = sequences;
  if (compare === undefined || sequences.length === 1) {
    if (only === undefined) return;
    for (const sequence of sequences) yield* sequence;
    return;
  }
  const heads = sequences.map((sequence) => ({ sequence, head: sequence.next() }));
  for (;;) {
    let least: { readonly at: (typeof heads)[number]; readonly value: T } | undefined;
    for (const at of heads) {
      if (at.head.done === true) continue;
      if (least === undefined || compare(at.head.value, least.value) < 0) least = { at, value: at.head.value };
    }
    if (least === undefined) return;
    yield least.value;
    least.at.head = least.at.sequence.next();
  }
}
