// Durations as the dashboard writes them: one unit or two, and never sixty of a smaller one.
import { expect } from 'chai';
import { durationText } from '../../web/dashboard/src/parts/duration.ts';

describe("the dashboard's durations", () => {
  for (const [ms, text] of [
    [0, '0 s'],
    [0.4, 'under 1 ms'],
    [30.2, '30 ms'],
    [994, '994 ms'],
    [999.6, '1 s'],
    [1_400, '1.4 s'],
    [9_970, '10 s'],
    [25_033, '25 s'],
    [59_800, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [10_800_000, '3 h'],
    [36 * 3_600_000, '1 d 12 h'],
    [24 * 3_600_000 - 20_000, '1 d'],
    [5 * 86_400_000 + 2 * 3_600_000 + 60_000, '5 d 2 h'],
    [3 * 86_400_000, '3 d'],
  ] as const)
    it(`of ${ms} ms are ${text}`, () => {
      expect(durationText(ms)).to.equal(text);
    });
});
