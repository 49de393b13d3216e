// The duties of any processor, whatever its server does: outcomes by evidence, one request that moves money, reads that
// only read (contract §4).
import { AssertionError, expect } from 'chai';
import { Bench, type Make } from './processor/bench.ts';
import { FAULTY } from './processor/faults.ts';
import { LATE } from './processor/late.ts';
import { NOTIFICATIONS } from './processor/notifications.ts';
import { OPERATIONS } from './processor/operations.ts';
import type { Row, Trait } from './processor/row.ts';
import { SAVED } from './processor/saved.ts';

export type { Effect, Make, ProcessorUnderTest } from './processor/bench.ts';

const ROWS: readonly Row[] = [...OPERATIONS, ...FAULTY, ...LATE, ...NOTIFICATIONS, ...SAVED];

/** The rows that a processor with these traits is asked. */
export const rowsFor = (traits: readonly Trait[]): readonly Row[] =>
  ROWS.filter(({ needs = [] }) => [needs].flat().every((trait) => traits.includes(trait)));

/** Opens a processor, asks it one row, and closes it. */
export async function ask({ check }: Row, make: Make): Promise<void> {
  const bench = await Bench.open(make);
  try {
    await check(bench);
  } finally {
    await bench.close();
  }
}

/** The names of the rows that a processor fails. Throws what is not a failed expectation. */
export async function failed(rows: readonly Row[], make: Make): Promise<readonly string[]> {
  const names: string[] = [];
  for (const row of rows)
    await ask(row, make).catch((error: unknown) => {
      if (!(error instanceof AssertionError)) throw error;
      names.push(row.name);
    });
  return names;
}

/** One `describe`; `make` is called again for every row, and passes its server's URL to `through` if it has one. */
export function processorConformance(name: string, traits: readonly Trait[], make: Make): void {
  describe(`${name} as a processor`, () => {
    it('has the traits that it is asked about', async () => {
      const bench = await Bench.open(make);
      const { processor, otherConnection, notifying, confirmAgain, challenges, saved } = bench.tested;
      await bench.close();
      const found: { readonly [T in Exclude<Trait, 'batches' | 'names_first_payment'>]: unknown } = {
        prepares: processor.prepare,
        fences: processor.fence,
        secrets: otherConnection,
        modes: notifying.ofOtherMode,
        confirms_again: confirmAgain,
        challenges,
        resumes: processor.resume,
        saves: saved,
      };
      const expected = Object.entries(found).flatMap(([trait, part]) => (part === undefined ? [] : [trait]));
      expect(traits.filter((trait) => trait in found)).to.have.members(expected);
    });
    for (const row of rowsFor(traits)) it(row.name, () => ask(row, make));
  });
}
