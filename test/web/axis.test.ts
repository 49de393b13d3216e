// The axes of the dashboard's charts: round steps, an outlier that does not flatten the rest, round times.
import { expect } from 'chai';
import {
  axisOf,
  daysNamed,
  decimalStep,
  durationStep,
  timesNamed,
} from '../../web/dashboard/src/pages/overview/axis.ts';

const MINUTE_MS = 60_000;
const startsOf = (from: string, count: number, stepMs: number): readonly string[] =>
  Array.from({ length: count }, (_, place) => new Date(Date.parse(from) + place * stepMs).toISOString());

describe('an axis of values', () => {
  it('has round steps of a duration, and whole ones', () => {
    expect(axisOf([3_200, 5_000], durationStep).ticks).to.deep.equal([0, 2_000, 4_000, 6_000]);
    expect(axisOf([200_000, 90_000], durationStep).ticks).to.deep.equal([0, 60_000, 120_000, 180_000, 240_000]);
    expect(axisOf([2, 3], durationStep).ticks).to.deep.equal([0, 1, 2, 3]);
  });

  it('has round steps of an amount, below zero too', () => {
    expect(axisOf([12_345, 3_000], decimalStep).ticks).to.deep.equal([0, 5_000, 10_000, 15_000]);
    expect(axisOf([4_000, -700], decimalStep).ticks).to.deep.equal([-2_000, 0, 2_000, 4_000]);
  });

  it('ends above the rest where one value is far above it', () => {
    const { domain, isCut } = axisOf([30, 40, 35, null, 28, 40, 10_800_000], durationStep);
    expect([domain, isCut]).to.deep.equal([[0, 40], true]);
  });

  it('ends above the rest where a tenth of the values is far above it, and cuts no more', () => {
    const many = Array.from({ length: 20 }, () => 30);
    expect(axisOf([...many, 14_000, 10_800_000], durationStep).domain).to.deep.equal([0, 30]);
    expect(axisOf([...many, 14_000, 14_000, 14_000], durationStep).isCut).to.equal(false);
  });

  it('has all values where none is far above the rest, and where there are too few', () => {
    expect(axisOf([30, 40, 35, 28, 40, 100], durationStep).domain).to.deep.equal([0, 100]);
    expect(axisOf([30, 10_000], durationStep).domain).to.deep.equal([0, 10_000]);
    expect(axisOf([...Array.from({ length: 80 }, () => 0), 1_000, 9_190, 27_550], decimalStep).isCut).to.equal(false);
  });

  it('does not magnify what is below the least top', () => {
    expect(axisOf([0, 0, 12], durationStep, 5_000).domain).to.deep.equal([0, 6_000]);
    expect(axisOf([0, 0, 0, 0, 0, 0, 200_000], durationStep, 5_000).domain).to.deep.equal([0, 6_000]);
  });

  it('exists without values', () => {
    expect(axisOf([], decimalStep).ticks).to.deep.equal([0, 1]);
  });
});

describe('an axis of times', () => {
  /** As the service has them: a point begins at a multiple of its step. */
  const onStep =
    (stepMs: number) =>
    (start: string): string =>
      new Date(Date.parse(start) - (Date.parse(start) % stepMs)).toISOString();
  const minuteOf = (start: string): number => new Date(start).getHours() * 60 + new Date(start).getMinutes();

  for (const [count, stepMs, named] of [
    [60, MINUTE_MS, 10],
    [180, 2 * MINUTE_MS, 60],
    [288, 5 * MINUTE_MS, 180],
    [48, 60 * MINUTE_MS, 360],
  ] as const)
    it(`of ${count} points names full ${named} minutes of the viewer's day, eight or nine at most`, () => {
      const times = timesNamed(startsOf('2026-11-26T09:07:00.000Z', count, stepMs).map(onStep(stepMs)));
      expect(times.length).to.be.within(4, 9);
      expect(times.filter((start) => minuteOf(start) % named !== 0)).to.deep.equal([]);
    });

  it('names every day of a week, and the same days of each month', () => {
    const day = 86_400_000;
    const from = '2026-11-01T00:00:00.000Z';
    expect(daysNamed(startsOf(from, 7, day))).to.have.length(7);
    const ofMonth = daysNamed(startsOf(from, 30, day)).map((start) => new Date(start).getUTCDate());
    expect(ofMonth).to.deep.equal([1, 5, 10, 15, 20, 25]);
    const ofQuarter = daysNamed(startsOf(from, 90, day)).map((start) => new Date(start).getUTCDate());
    expect(ofQuarter).to.deep.equal([1, 15, 1, 15, 1, 15]);
  });
});
