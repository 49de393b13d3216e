// The sorted list, compared with a plain array.
import { expect } from 'chai';
import fc from 'fast-check';
import { SortedList } from './sorted-list.ts';

const step = fc.record({ add: fc.boolean(), entry: fc.integer({ min: 0, max: 3000 }) });

describe('a sorted list', () => {
  it('holds the same entries as a sorted array, and is read from any place in both directions', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1000, maxLength: 3000 }),
        fc.integer({ min: 0, max: 3000 }),
        (steps, bound) => {
          const list = new SortedList<number>((a, b) => a - b);
          const expected = new Set<number>();
          for (const { add, entry } of steps) {
            if (!add) {
              list.remove(entry);
              expected.delete(entry);
            } else if (!expected.has(entry)) {
              list.add(entry);
              expected.add(entry);
            }
          }
          const sorted = [...expected].sort((a, b) => a - b);
          expect([...list.upFrom((entry) => entry >= bound)]).to.deep.equal(sorted.filter((entry) => entry >= bound));
          expect([...list.downFrom((entry) => entry >= bound)]).to.deep.equal(
            sorted.filter((entry) => entry < bound).reverse(),
          );
        },
      ),
      { numRuns: 20 },
    );
  });
});
