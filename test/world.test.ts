// The meaning of times as texts (contract §1).
import { expect } from 'chai';
import { formatTime, liveWorld, parseTime, sharedPause } from '../src/world.ts';

describe('a time', () => {
  const meanings: readonly (readonly [text: string, meant: string])[] = [
    ['2020-02-29T12:00:00Z', '2020-02-29T12:00:00.000Z'],
    ['2020-02-29t12:00:00.5z', '2020-02-29T12:00:00.500Z'],
    ['2020-02-29T12:00:00.123999999999Z', '2020-02-29T12:00:00.123Z'],
    ['2020-01-01T00:30:00+01:00', '2019-12-31T23:30:00.000Z'],
    ['2020-01-01T00:00:00-23:59', '2020-01-01T23:59:00.000Z'],
    ['2020-01-01T00:00:00-00:00', '2020-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60.25Z', '2017-01-01T00:00:00.250Z'],
    ['2015-06-30T16:59:60-07:00', '2015-07-01T00:00:00.000Z'],
    ['2015-07-01T05:29:60+05:30', '2015-07-01T00:00:00.000Z'],
  ];
  for (const [text, meant] of meanings) {
    it(`${text} is ${meant}`, () => {
      expect(formatTime(parseTime(text) ?? Number.NaN)).to.equal(meant);
    });
  }

  const nonsense: readonly string[] = [
    '2020-02-30T00:00:00Z',
    '2021-02-29T00:00:00Z',
    '2020-04-31T00:00:00Z',
    '2020-13-01T00:00:00Z',
    '2020-00-10T00:00:00Z',
    '2020-01-00T00:00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T23:60:00Z',
    '2020-01-01T12:30:60Z',
    '2020-01-01T23:59:60Z',
    '2020-01-31T23:59:60+01:00',
    '2020-01-01T00:00:61Z',
    '2020-01-01T00:00:00+24:00',
    '2020-01-01T00:00:00+01:60',
    '2020-01-01T00:00:00',
    '2020-01-01 00:00:00Z',
    '2020-01-01',
    '',
  ];
  for (const text of nonsense) {
    it(`${JSON.stringify(text)} is none`, () => {
      expect(parseTime(text)).to.equal(undefined);
    });
  }
});

describe('a shared pause', () => {
  it('ends at once for all who came during it, and starts again afterwards', async () => {
    const pauses: number[] = [];
    const sleep: typeof liveWorld.sleep = (ms, signal) => {
      pauses.push(ms);
      return liveWorld.sleep(ms, signal);
    };
    const pause = sharedPause({ sleep }, 3);
    await Promise.all([pause(), pause(), pause()]);
    expect(pauses).to.deep.equal([3]);
    await pause();
    expect(pauses).to.deep.equal([3, 3]);
  });

  it('ends early for as many as it is for, and starts again for the next', async () => {
    const pause = sharedPause(liveWorld, 600_000, 3);
    await Promise.all([pause(), pause(), pause()]);
    let isOver = false;
    void pause().then(() => {
      isOver = true;
    });
    await Promise.resolve();
    expect(isOver).to.equal(false);
    await Promise.all([pause(), pause()]);
    expect(isOver).to.equal(true);
  });
});
